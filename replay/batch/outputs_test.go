package batch

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/leadline/leadline/history/codec"
)

// TestCheckOutputs: a command may not write over what it reads.
func TestCheckOutputs(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	const history = "{\"leadline\":1,\"model\":\"register\"}\n"
	for name, text := range map[string]string{"a.jsonl": history, "runs/b.jsonl": history, "runs/report.xml": "<testsuites/>\n", "runs/c.jsonl.part": history} {
		if err := os.MkdirAll(filepath.Dir(in(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(in(name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		files []string // --0, --1, ...
		want  string   // of the error
	}{
		{nil, ""},
		{[]string{"new"}, ""},
		{[]string{"a.jsonl"}, "--0 would overwrite the input"},
		{[]string{"runs/../a.jsonl"}, "--0 would overwrite the input"},
		{[]string{"runs/b.jsonl"}, "which is one of the files in"},
		{[]string{"runs/report.xml"}, ""},
		{[]string{"runs/new"}, ""},
		{[]string{"x", "y", "x"}, "--0 and --2 name the same file"},
		{[]string{"x", "x.part"}, "--0 and --1 name the same file"},
		{[]string{"x.part", "x"}, "--0 and --1 name the same file"},
	} {
		var outputs []Output
		for i, file := range c.files {
			outputs = append(outputs, Output{Name: "--" + string(rune('0'+i)), File: in(file)})
		}
		err := CheckOutputs(outputs, []string{in("a.jsonl"), in("runs"), "-"}, codec.Options{})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q: %v, want %q", c.files, err, c.want)
		}
	}
	journal := []Output{{Name: "--resume", File: in("runs/b.jsonl"), IsJournal: true}}
	if err := CheckOutputs(journal, []string{in("runs")}, codec.Options{}); err != nil {
		t.Error("a journal:", err)
	}
	open, err := os.Open(in("a.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	isOutput := IsOutput([]Output{{File: in("runs/c.jsonl")}}, fs.File(open))
	for name, want := range map[string]bool{"a.jsonl": true, "runs/b.jsonl": false, "runs/c.jsonl.part": true} {
		info, err := os.Stat(in(name))
		if err != nil {
			t.Fatal(err)
		}
		if got := isOutput(info); got != want {
			t.Errorf("%s is an output: %v", name, got)
		}
	}
}
