package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestRecipes applies the recipes of the README to a copy of the repository: a model is one
// file and one line, a monitor and an engine are one file and one row each. The copy is
// built, and check, explain and view know them.
func TestRecipes(t *testing.T) {
	if !*full {
		t.Skip("builds a copy of the repository: only with -full")
	}
	dir := t.TempDir()
	copyTree(t, dir)
	recipes, err := txtar.ParseFile(filepath.Join("testdata", "recipes.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range recipes.Files {
		if name, line, ok := strings.Cut(f.Name, " after "); ok {
			insert(t, filepath.Join(dir, name), line, string(f.Data))
			continue
		}
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	run := func(status int, want string, command ...string) {
		t.Helper()
		c := exec.Command(command[0], command[1:]...)
		c.Dir = dir
		output, err := c.CombinedOutput()
		if got := c.ProcessState.ExitCode(); got != status || !strings.Contains(string(output), want) {
			t.Errorf("%s: status %d (%v), want %d and %q:\n%s", strings.Join(command, " "), got, err, status, want, output)
		}
	}
	run(0, "", "go", "build", "-o", "leadline", "./cmd/leadline")
	run(0, "ok", "go", "test", "-run", "TestRecipeRows", "./replay/decide")
	run(0, "max-register", "./leadline", "models")
	run(0, "linearizable", "./leadline", "check", "right.jsonl")
	run(0, "linearizable", "./leadline", "check", "counter.log")
	run(1, "not-linearizable", "./leadline", "check", "wrong.jsonl")
	run(1, "read", "./leadline", "explain", "wrong.jsonl")
	run(0, "<html", "./leadline", "view", "wrong.jsonl")
}

// copyTree copies the files of the module that a build needs.
func copyTree(t *testing.T, dir string) {
	t.Helper()
	for _, name := range []string{"go.mod", "go.sum", "cmd", "hitting", "poset", "history", "replay", "benchdata"} {
		from := filepath.Join(root, name)
		if info, err := os.Stat(from); err != nil {
			t.Fatal(err)
		} else if !info.IsDir() {
			content, err := os.ReadFile(from)
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, name), content, 0o666)
			}
			if err != nil {
				t.Fatal(err)
			}
		} else if err := os.CopyFS(filepath.Join(dir, name), os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
}

// insert inserts text after the first line of a file that is line.
func insert(t *testing.T, file, line, text string) {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	found := false
	for l := range strings.Lines(string(content)) {
		b.WriteString(l)
		if !found && strings.TrimSpace(l) == line {
			b.WriteString(strings.TrimRight(text, "\n") + "\n")
			found = true
		}
	}
	if !found {
		t.Fatalf("%s has no line %s", file, line)
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}
