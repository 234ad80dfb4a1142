package main

import (
	"bytes"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
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
	for _, c := range commands() {
		for _, example := range c.examples() {
			example, _, _ = strings.Cut(example, "#")
			example, _, _ = strings.Cut(example, "|")
			example, _, _ = strings.Cut(example, ">")
			flags, _ := c.flags()
			if err := flags.Parse(strings.Fields(example)[2:]); err != nil {
				t.Errorf("%s: %v", example, err)
			}
		}
	}
	for name, least := range map[string]int{"check": 5, "tables": 4, "record": 2, "stress": 2} {
		i := slices.IndexFunc(commands(), func(c command) bool { return c.name == name })
		if n := len(commands()[i].examples()); n < least {
			t.Errorf("leadline %s has %d examples", name, n)
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
			output, err := exec.Command(shell(t, name), "-n", script(t, name)).CombinedOutput()
			if err != nil || len(output) > 0 {
				t.Errorf("%v\n%s", err, output)
			}
		})
	}
}

// TestBashCompletion completes command lines; bash splits them at = as well.
func TestBashCompletion(t *testing.T) {
	const complete = `source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); _leadline; echo "${COMPREPLY[@]}"`
	bash, file := shell(t, "bash"), script(t, "bash")
	for _, c := range []struct {
		line []string
		want string
	}{
		{[]string{"ch"}, "check"},
		{[]string{"co"}, "convert composed completion"},
		{[]string{"check", "--max-d"}, "--max-depth"},
		{[]string{"check", "file", "--wit"}, "--witness"},
		{[]string{"check", "--output", ""}, "text json timeline"},
		{[]string{"check", "-o", "j"}, "json"},
		{[]string{"check", "--output", "="}, "text json timeline"},
		{[]string{"check", "--output", "=", "j"}, "json"},
		{[]string{"check", "--witness", "-j"}, ""},
		{[]string{"check", "--model", "prio"}, "priority-queue"},
		{[]string{"convert", "--format", "po"}, "polylin"},
		{[]string{"record", "--simulate", "mu"}, "multiset mutex"},
		{[]string{"stress", "--subject", "map-b"}, "map-bulk"},
		{[]string{"models", "Array"}, "ArrayBlockingQueue"},
		{[]string{"completion", ""}, "bash zsh fish"},
		{[]string{"help", "exi"}, "exit-status"},
		{[]string{"tables", "--color"}, ""},
		{[]string{"check", "so"}, ""}, // bash then completes files
	} {
		args := append([]string{"-c", complete, "bash", file, "leadline"}, c.line...)
		output, err := exec.Command(bash, args...).CombinedOutput()
		if got := strings.TrimSpace(string(output)); err != nil || got != c.want {
			t.Errorf("leadline %q: %q, want %q; %v", c.line, got, c.want, err)
		}
	}
}

func TestFishCompletion(t *testing.T) {
	fish, file := shell(t, "fish"), script(t, "fish")
	for line, want := range map[string]string{
		"leadline check --output ": "json text timeline", "leadline check -o j": "json", "leadline comple": "completion",
		"leadline convert --format po": "polylin", "leadline completion ": "bash fish zsh",
	} {
		cmd := exec.Command(fish, "--no-config", "-c", `source $argv[1]; complete -C $argv[2]`, file, line)
		cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
		output, err := cmd.CombinedOutput()
		var got []string
		for row := range strings.Lines(string(output)) {
			word, _, _ := strings.Cut(strings.TrimSpace(row), "\t")
			got = append(got, word)
		}
		slices.Sort(got)
		if strings.Join(got, " ") != want || err != nil {
			t.Errorf("%q: %q, want %q; %v", line, got, want, err)
		}
	}
}
