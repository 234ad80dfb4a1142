package porcupine_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestImport runs a program for porcupine as it is, and with leadline's import path. Both
// print the same, and leadline's page is what the program writes to standard error.
func TestImport(t *testing.T) {
	text, err := os.ReadFile("testdata/program.go")
	if err != nil {
		t.Fatal(err)
	}
	const theirs, ours = `"github.com/anishathalye/porcupine"`, `"github.com/leadline/leadline/replay/porcupine"`
	changed := strings.ReplaceAll(string(text), theirs, ours)
	if strings.Count(string(text), theirs) != 1 {
		t.Fatalf("the program does not import %s once", theirs)
	}
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(file string) (stdout, stderr string) {
		var out, page bytes.Buffer
		c := exec.Command("go", "run", file)
		c.Stdout, c.Stderr = &out, &page
		if err := c.Run(); err != nil {
			t.Fatalf("%s: %v\n%s", file, err, &page)
		}
		return out.String(), page.String()
	}
	want, _ := run(filepath.Join("testdata", "program.go"))
	got, page := run(file)
	if got != want || !strings.Contains(got, "Illegal") {
		t.Errorf("with leadline the program prints\n%s\nnot\n%s", got, want)
	}
	if !strings.Contains(page, "<title>leadline</title>") {
		t.Errorf("Visualize does not write leadline's page:\n%.500s", page)
	}
}
