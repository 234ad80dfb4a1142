package schematest

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/batch"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

const (
	sarifSchema = "https://raw.githubusercontent.com/oasis-tcs/sarif-spec/main/sarif-2.1/schema/sarif-schema-2.1.0.json"
	junitSchema = "https://raw.githubusercontent.com/jenkinsci/xunit-plugin/master/src/main/resources/org/jenkinsci/plugins/xunit/types/model/xsd/junit-10.xsd"
	antSchema   = "https://raw.githubusercontent.com/windyroad/JUnit-Schema/master/JUnit.xsd"
)

// schema returns a file with the schema that is at an address, or skips the test.
func schema(t *testing.T, address string) string {
	t.Helper()
	if dir := os.Getenv("SCHEMAS"); dir != "" {
		return filepath.Join(dir, path.Base(address))
	}
	client := http.Client{Timeout: 20 * time.Second}
	answer, err := client.Get(address)
	if err != nil {
		t.Skipf("no schema: %v", err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Skipf("no schema: %s, %v", answer.Status, err)
	}
	file := filepath.Join(t.TempDir(), path.Base(address))
	if err := os.WriteFile(file, text, 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

const histories = `{"leadline":1,"history":"good","model":"register","args":[0]}
{"process":"A","type":"invoke","method":"read"}
{"process":"A","type":"ok","result":0}
{"leadline":1,"history":"<&\u0007\">","model":"register","args":[0]}
{"process":"A","type":"invoke","method":"read"}
{"process":"A","type":"ok","result":1}
{"leadline":1,"history":"invalid","model":"register","args":[0]}
{"process":"A","type":"ok","result":1}
{"leadline":1,"history":"unknown","model":"register","args":[0]}
{"process":"A","type":"invoke","method":"read"}
{"process":"A","type":"ok","result":1}
`

// write writes a report about entries of every status and returns its file.
func write(t *testing.T, open func(name string) (batch.Report, error), complete bool) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "report")
	report, err := open(name)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for h, err := range codec.Decode(strings.NewReader(histories), "a b/ü%:c.jsonl", codec.Options{}) {
		c := batch.Checker{Options: replay.Options{Explain: true}}
		e := batch.Entry{File: "a b/ü%:c.jsonl", Number: n, History: h, Err: err}
		if e.ID() == "unknown" {
			c.Options.Budget.Time = 1
		}
		r := c.Check(t.Context(), e)
		if err := report.Add(&r.Entry, r.Outcome(false)); err != nil {
			t.Fatal(err)
		}
		n++
	}
	gone := batch.Result{Entry: batch.Entry{File: "gone", Err: os.ErrNotExist}}
	if err := report.Add(&gone.Entry, gone.Outcome(false)); err != nil {
		t.Fatal(err)
	}
	if err := report.Close(complete); err != nil {
		t.Fatal(err)
	}
	return name
}

func newSARIF(name string) (batch.Report, error) { return batch.NewSARIF(name, "v0.1.0") }

func TestSARIF(t *testing.T) {
	valid, err := jsonschema.NewCompiler().Compile(schema(t, sarifSchema))
	if err != nil {
		t.Fatal(err)
	}
	for _, complete := range []bool{true, false} {
		text, err := os.ReadFile(write(t, newSARIF, complete))
		if err != nil {
			t.Fatal(err)
		}
		instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err == nil {
			err = valid.Validate(instance)
		}
		if err != nil {
			t.Errorf("%v\n%s", err, text)
		}
		// The validator finds what is wrong.
		instance, err = jsonschema.UnmarshalJSON(strings.NewReader(strings.Replace(string(text), `"level":"error"`, `"level":"high"`, 1)))
		if err != nil || valid.Validate(instance) == nil {
			t.Errorf("another level is accepted; %v", err)
		}
	}
}

func TestJUnit(t *testing.T) {
	xmllint, err := exec.LookPath("xmllint")
	if err != nil {
		t.Skip("xmllint is not installed")
	}
	for _, address := range []string{junitSchema, antSchema} {
		t.Run(path.Base(address), func(t *testing.T) {
			xsd := schema(t, address)
			report := write(t, batch.NewJUnit, true)
			validate := func() ([]byte, error) {
				return exec.Command(xmllint, "--noout", "--schema", xsd, report).CombinedOutput()
			}
			if output, err := validate(); err != nil {
				t.Errorf("%v\n%s", err, output)
			}
			text, err := os.ReadFile(report)
			if err == nil {
				err = os.WriteFile(report, bytes.Replace(text, []byte("<testcase "), []byte("<testcase verdict=\"\" "), 1), 0o666)
			}
			if err != nil {
				t.Fatal(err)
			}
			if output, err := validate(); err == nil {
				t.Errorf("another attribute is accepted\n%s", output)
			}
		})
	}
}
