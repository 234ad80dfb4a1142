package batch

import (
	"bytes"
	"flag"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/leadline/leadline/history/codec"
)

var full = flag.Bool("full", false, "run the tests in full size, as .ci/run full does")

// TestMessageOfProgramOrder: with --order program, a report is about sequential
// consistency.
func TestMessageOfProgramOrder(t *testing.T) {
	e := read(t, "a.jsonl", plain)[0]
	e.History = e.History.ProgramOrder()
	if got, want := message(&e, &Outcome{Status: NotLinearizable, At: -1, Reason: "x"}), "not sequentially consistent: x"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestJUnit: a report is well-formed, whatever names and messages have.
func TestJUnit(t *testing.T) {
	dir := t.TempDir()
	odd := read(t, "a b,c:%.jsonl", strings.Replace(plain, `"a"`, `"<\u0007&\n>"`, 1))[0]
	o := &Outcome{Status: NotLinearizable, At: 1, Reason: "<b> & \x01\n::x", Took: 2500 * time.Microsecond}
	junitName := filepath.Join(dir, "j.xml")
	j, err := NewJUnit(junitName)
	if err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); !slices.Equal(left, []string{PartName(junitName)}) && runtime.GOOS != "windows" {
		t.Errorf("a kill would leave %q", left)
	}
	for range 12 {
		if err := j.Add(&odd, o); err != nil {
			t.Error(err)
		}
	}
	if err := j.Close(false); err != nil {
		t.Error(err)
	}
	text, err := os.ReadFile(junitName)
	if err != nil || !bytes.Contains(text, []byte(`classname="a b,c:%.jsonl" name="&lt;`)) || !bytes.Contains(text, []byte(`time="0.002500"`)) || bytes.Contains(text, []byte("\x01")) {
		t.Errorf("%v\n%s", err, text)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.part")); len(left) > 0 {
		t.Errorf("%q is left", left)
	}
}

const (
	jenkinsSchema = "https://raw.githubusercontent.com/jenkinsci/xunit-plugin/master/src/main/resources/org/jenkinsci/plugins/xunit/types/model/xsd/junit-10.xsd"
	antSchema     = "https://raw.githubusercontent.com/windyroad/JUnit-Schema/master/JUnit.xsd"
)

// schema returns a file with the schema that is at an address, or skips the test. If the
// environment variable SCHEMAS names a directory, the schema comes from there.
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

// reported writes a report about entries of every status and returns its file.
func reported(t *testing.T) string {
	t.Helper()
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
	name := filepath.Join(t.TempDir(), "report")
	report, err := NewJUnit(name)
	if err != nil {
		t.Fatal(err)
	}
	const file = "a b/ü%:c.jsonl"
	var entries []Entry
	for h, err := range codec.Decode(strings.NewReader(histories), file, codec.Options{}) {
		entries = append(entries, Entry{File: file, Number: len(entries), History: h, Err: err})
	}
	for _, e := range append(entries, Entry{File: "gone", Err: os.ErrNotExist}) {
		c := Checker{Explain: true}
		if e.ID() == "unknown" {
			c.Options.Budget.Time = 1
		}
		r := c.Check(t.Context(), e)
		if err := report.Add(&r.Entry, r.Outcome()); err != nil {
			t.Fatal(err)
		}
	}
	if err := report.Close(true); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestJUnitSchemas: a report is valid by the schemas of Jenkins and of Ant.
func TestJUnitSchemas(t *testing.T) {
	if !*full {
		t.Skip("the schemas are read from the network with -full only")
	}
	xmllint, err := exec.LookPath("xmllint")
	if err != nil {
		t.Skip("xmllint is not installed")
	}
	for _, address := range []string{jenkinsSchema, antSchema} {
		t.Run(path.Base(address), func(t *testing.T) {
			xsd := schema(t, address)
			report := reported(t)
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
