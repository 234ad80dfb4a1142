package tables

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

type result struct {
	Name string
	N    int
}

func TestReadWrite(t *testing.T) {
	file := filepath.Join(t.TempDir(), "results.jsonl")
	name := func(r *result) string { return r.Name }
	if all, err := Read(file, name); err != nil || len(all) != 0 {
		t.Errorf("a file that does not exist: %v, %v", all, err)
	}
	if err := Write(file, []any{&result{"<a>", 1}, &result{"b", 2}}); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != `{"Name":"<a>","N":1}`+"\n"+`{"Name":"b","N":2}`+"\n" {
		t.Errorf("written %q, %v", text, err)
	}
	all, err := Read(file, name)
	if err != nil || len(all) != 2 || *all["<a>"] != (result{"<a>", 1}) || *all["b"] != (result{"b", 2}) {
		t.Errorf("read %v, %v", maps.Collect(maps.All(all)), err)
	}
	if err := os.WriteFile(file, []byte("{}\n{\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(file, name); err == nil || !strings.HasPrefix(err.Error(), file+":2: ") {
		t.Errorf("a line that is torn: %v", err)
	}
}

func TestWriteTables(t *testing.T) {
	file := filepath.Join(t.TempDir(), "README.md")
	text := "a\n<!-- begin: x -->\nold\n<!-- end -->\nb\n<!-- begin: y -->\n<!-- end -->\nc\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for command, table := range map[string]string{"x": "1\n", "y": "2\n"} {
		if err := WriteTables(file, command, table); err != nil {
			t.Fatal(err)
		}
	}
	want := "a\n<!-- begin: x -->\n\n1\n\n<!-- end -->\nb\n<!-- begin: y -->\n\n2\n\n<!-- end -->\nc\n"
	if got, err := os.ReadFile(file); err != nil || string(got) != want {
		t.Errorf("%q, %v, expected %q", got, err, want)
	}
	if err := WriteTables(file, "z", ""); err == nil || !strings.Contains(err.Error(), "marks") {
		t.Errorf("without marks: %v", err)
	}
}
