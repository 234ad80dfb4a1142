package main

import (
	"bytes"
	"go/doc"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/replay/simulate"
)

// TestHelpTopics: each section of the manual is a topic of help, and each
// command has a section, or is known to have none.
func TestHelpTopics(t *testing.T) {
	if len(topics()) < 10 {
		t.Fatalf("the manual has the sections %q only", topics())
	}
	for _, topic := range topics() {
		var out, errs bytes.Buffer
		want := strings.ReplaceAll(topic, "-", " ")
		if status := run([]string{"help", topic}, nil, &out, &errs); status != statusOK ||
			!strings.Contains(strings.ToLower(out.String()), "# "+want+"\n") {
			t.Errorf("leadline help %s: status %d, %s\n%s", topic, status, &errs, &out)
		}
	}
	for _, c := range commands() {
		if title, ok := topicOf[c.name]; find(c.name) == nil && !(ok && title == "") {
			t.Errorf("the manual has no section on leadline %s", c.name)
		}
	}
}

// TestManualIsWhole: the sections together have every line of the manual as go doc
// prints it.
func TestManualIsWhole(t *testing.T) {
	var text []string
	for _, name := range manualNames {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.PackageClauseOnly)
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, file.Doc.Text())
	}
	var out, errs bytes.Buffer
	if status := run([]string{"manual"}, nil, &out, &errs); status != statusOK {
		t.Fatalf("status %d: %s", status, &errs)
	}
	p := new(doc.Package).Printer()
	p.TextWidth, p.TextCodePrefix = 100, "    "
	want := p.Text(new(doc.Package).Parser().Parse(strings.Join(text, "\n")))
	if got := out.String(); got != string(want) {
		t.Errorf("leadline manual prints\n%s\ngo doc has\n%s", got, want)
	}
}

// TestExamplesParse: the manual's examples without output use flags that exist.
func TestExamplesParse(t *testing.T) {
	root := newRoot(streams{}, new(int))
	for _, c := range root.Commands() {
		for _, example := range examples(c.Name()) {
			example, _, _ = strings.Cut(example, "#")
			example, _, _ = strings.Cut(example, "|")
			example, _, _ = strings.Cut(example, ">")
			if err := c.ParseFlags(words(example)[2:]); err != nil {
				t.Errorf("%s: %v", example, err)
			}
		}
	}
	for name, least := range map[string]int{"check": 5, "tables": 4, "record": 2, "stress": 2} {
		if n := len(examples(name)); n < least {
			t.Errorf("leadline %s has %d examples", name, n)
		}
	}
}

// TestHelpLength: the help of a command fits two screens.
func TestHelpLength(t *testing.T) {
	for _, c := range commands() {
		var out, errs bytes.Buffer
		if status := run([]string{c.name, "--help"}, nil, &out, &errs); status != statusOK || errs.Len() > 0 {
			t.Errorf("leadline %s --help: status %d, %s", c.name, status, &errs)
		}
		if n := strings.Count(out.String(), "\n"); n > 60 {
			t.Errorf("leadline %s --help has %d lines", c.name, n)
		}
	}
}

func TestSuggest(t *testing.T) {
	known := []string{"check", "convert", "completion", "models", "max-depth", "max-history"}
	for unknown, want := range map[string]string{
		"chek": "check", "cehck": "check", "CHECK": "check", "model": "models", "comp": "completion", "max": "max-depth",
		"max-dpeth": "max-depth", "maxhistory": "max-history", "con": "convert", "fly": "", "x": "", "": "", "quite-another": "",
	} {
		got := suggest(unknown, known, "--")
		if want != "" {
			want = "; did you mean --" + want + "?"
		}
		if got != want {
			t.Errorf("suggest(%q) = %q, want %q", unknown, got, want)
		}
	}
}

// script writes the completion for a shell to a file.
func script(t *testing.T, shell string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if status := run([]string{"completion", shell}, nil, &out, &errs); status != statusOK {
		t.Fatalf("status %d: %s", status, &errs)
	}
	file := filepath.Join(t.TempDir(), "leadline."+shell)
	if err := os.WriteFile(file, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// shell returns the path of a shell, or skips the test.
func shell(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed", name)
	}
	return path
}

func TestCompletionParses(t *testing.T) {
	for _, name := range shells {
		t.Run(name, func(t *testing.T) {
			if name == "powershell" {
				script(t, name)
				return // it cannot only parse a script
			}
			output, err := exec.Command(shell(t, name), "-n", script(t, name)).CombinedOutput()
			if err != nil || len(output) > 0 {
				t.Errorf("%v\n%s", err, output)
			}
		})
	}
}

// TestCompletion: the scripts of all shells ask the command __complete for the words.
func TestCompletion(t *testing.T) {
	for _, c := range []struct {
		line []string
		want string
	}{
		{[]string{"ch"}, "check"},
		{[]string{"co"}, "completion composed convert"},
		{[]string{"check", "--max-d"}, "--max-depth"},
		{[]string{"check", "--output", ""}, "json text timeline"},
		{[]string{"check", "--output="}, "json text timeline"},
		{[]string{"check", "-o", "j"}, "json text timeline"}, // the shell chooses those with this beginning
		{[]string{"record", "--simulate", ""}, strings.Join(slices.Sorted(slices.Values(simulate.Models())), " ")},
		{[]string{"completion", ""}, "bash fish powershell zsh"},
		{[]string{"tables", "--color"}, ""},
		{[]string{"check", "so"}, ""}, // the shell then completes files
	} {
		var out, errs bytes.Buffer
		status := run(append([]string{"__complete"}, c.line...), nil, &out, &errs)
		var got []string
		for line := range strings.Lines(out.String()) {
			if word, _, _ := strings.Cut(strings.TrimSpace(line), "\t"); !strings.HasPrefix(word, ":") {
				got = append(got, word)
			}
		}
		slices.Sort(got)
		if strings.Join(got, " ") != c.want || status != statusOK {
			t.Errorf("leadline %q: %q, want %q; status %d", c.line, got, c.want, status)
		}
	}
	var usages bytes.Buffer
	if run([]string{"__complete", "check", "--model"}, nil, &usages, io.Discard); !strings.HasPrefix(usages.String(), "--model\tsequential specification, as queue") {
		t.Errorf("leadline check --model completes to %s", &usages)
	}
	for _, line := range [][]string{{"models", ""}, {"help", ""}, {"check", "--model", ""}, {"convert", "--format", ""}, {"stress", "--subject", ""}} {
		var out bytes.Buffer
		run(append([]string{"__complete"}, line...), nil, &out, io.Discard)
		if n := strings.Count(out.String(), "\n"); n < 8 {
			t.Errorf("leadline %q has %d words", line, n)
		}
	}
}
