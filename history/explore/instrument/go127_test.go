//go:build go1.27

package instrument

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestGo127 instruments and runs a program in the language of Go 1.27.
func TestGo127(t *testing.T) {
	t.Parallel()
	a, err := txtar.ParseFile("testdata/go127.txtar")
	if err != nil {
		t.Fatal(err)
	}
	want := string(a.Files[0].Data)
	dir := newModule(t, "main.go", string(a.Files[1].Data))
	mod := filepath.Join(dir, "go.mod")
	text, err := os.ReadFile(mod)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(mod, []byte(strings.Replace(string(text), "\ngo 1.26.0", "\ngo 1.27", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, plain := range []bool{false, true} {
		r, err := Build(t.Context(), Target{Dir: dir, Packages: []string{"."}, Plain: plain, Cache: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		binary := filepath.Join(t.TempDir(), "program")
		if out, err := goBuild(t, dir, r, "build", "-o", binary, "."); err != nil {
			t.Errorf("plain %v: %v\n%s", plain, err, out)
			continue
		}
		out, err := exec.Command(binary).CombinedOutput()
		if err != nil || string(out) != want {
			t.Errorf("plain %v: it prints %q, want %q (%v)", plain, out, want, err)
		}
	}
}
