package instrument

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write the golden files")

const root = "../../.."

// newModule writes a module that requires leadline, and files, given as name and
// text, and returns its directory.
func newModule(t *testing.T, files ...string) string {
	t.Helper()
	top, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(top, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile(filepath.Join(top, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(mod), "module "+ownModule, "module m", 1) +
		fmt.Sprintf("\nrequire %s v0.0.0\n\nreplace %[1]s => %s\n", ownModule, top)
	dir := t.TempDir()
	for i, all := 0, append([]string{"go.mod", text, "go.sum", string(sum)}, files...); i < len(all); i += 2 {
		if err := writeFile(filepath.Join(dir, all[i]), []byte(all[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// goBuild runs a command of the Go tool in a module with the instrumented copies.
func goBuild(t *testing.T, dir string, r *Copies, command string, args ...string) (string, error) {
	t.Helper()
	flags, err := r.WithOverlay(filepath.Join(t.TempDir(), "overlay.json"), nil)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", slices.Concat([]string{command}, flags, args)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestGolden holds what the rewriter writes against golden files, and compiles
// it. All lines keep their numbers.
func TestGolden(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("testdata/golden/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	archives := map[string]*txtar.Archive{}
	for _, name := range names {
		base := strings.TrimSuffix(filepath.Base(name), ".txtar")
		if base == "refused" {
			continue
		}
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		archives[base] = a
		for _, f := range a.Files {
			if ext := filepath.Ext(f.Name); f.Name == "in.go" || ext == ".s" {
				files = append(files, base+"/"+f.Name, string(f.Data))
			}
		}
	}
	dir := newModule(t, files...)
	for _, plain := range []bool{false, true} {
		packages := []string{"./..."}
		if plain && !*full {
			packages = []string{"./plain", "./linkname"}
		}
		r, err := Build(t.Context(), Target{Dir: dir, Packages: packages, Plain: plain, Cache: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		kind := map[bool]string{false: "atomic.go", true: "plain.go"}[plain]
		for base, a := range archives {
			if len(packages) > 1 && !slices.Contains(packages, "./"+base) {
				continue
			}
			original := filepath.Join(dir, base, "in.go")
			in, err := os.ReadFile(original)
			if err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(r.Overlay[original])
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Count(in, []byte("\n")) != bytes.Count(got, []byte("\n")) {
				t.Errorf("%s: the number of lines changes", base)
			}
			got = append(got, "---\n"+strings.ReplaceAll(notesOf(r, "m/"+base), dir+"/", "")...)
			i := slices.IndexFunc(a.Files, func(f txtar.File) bool { return f.Name == kind })
			switch {
			case plain && base != "plain" && base != "linkname":
				// The golden files of the others would say the same again.
			case *update && i < 0:
				a.Files = append(a.Files, txtar.File{Name: kind, Data: got})
			case *update:
				a.Files[i].Data = got
			case i < 0 || !bytes.Equal(a.Files[i].Data, got):
				t.Errorf("%s: %s differs from testdata/golden/%s.txtar (-update writes it):\n%s", base, kind, base, got)
			}
		}
		if !plain && !*full {
			continue
		}
		if out, err := goBuild(t, dir, r, "build", packages...); err != nil {
			t.Errorf("plain %v: %v\n%s", plain, err, out)
		}
	}
	if *update {
		for base, a := range archives {
			if err := os.WriteFile("testdata/golden/"+base+".txtar", txtar.Format(a), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// notesOf returns the notes about one package.
func notesOf(r *Copies, path string) string {
	for _, p := range r.Notes {
		if p.Path == path {
			return (&Copies{Notes: []*Notes{p}}).String()
		}
	}
	return ""
}

// String returns a line for each package, for golden files.
func (c *Copies) String() string {
	var b strings.Builder
	for _, p := range c.Notes {
		b.WriteString(p.Path)
		if p.Version != "" {
			b.WriteString("@" + p.Version)
		}
		b.WriteString(":")
		for i, what := range slices.Sorted(maps.Keys(p.Counts)) {
			if i > 0 {
				b.WriteString(",")
			}
			fmt.Fprintf(&b, " %s", what)
			if !strings.HasPrefix(what, "import ") {
				fmt.Fprintf(&b, " %d", p.Counts[what])
			}
		}
		if len(p.Counts) == 0 {
			b.WriteString(" nothing to instrument")
		}
		for i, m := range p.Missed {
			b.WriteString(map[bool]string{true: "; not instrumented: ", false: ", "}[i == 0])
			b.WriteString(m.What)
			if m.Times > 1 {
				fmt.Fprintf(&b, " %d", m.Times)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// TestRefused builds packages that cannot be instrumented.
func TestRefused(t *testing.T) {
	a, err := txtar.ParseFile("testdata/golden/refused.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	want := map[string]string{}
	for _, f := range a.Files {
		if dir, ok := strings.CutSuffix(f.Name, "/want"); ok {
			want[dir] = strings.TrimSpace(string(f.Data))
		} else {
			files = append(files, f.Name, string(f.Data))
		}
	}
	dir := newModule(t, files...)
	for name, message := range want {
		r, err := Build(t.Context(), Target{Dir: dir, Packages: []string{"./" + name}, Cache: t.TempDir()})
		if err == nil {
			t.Errorf("%s: no error, but %v", name, r.Flags)
		} else if got := strings.ReplaceAll(err.Error(), dir+"/", ""); !strings.HasSuffix(got, message) {
			t.Errorf("%s: %q, want %q", name, got, message)
		}
	}
}
