package instrument

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestExplore: tests are wrapped, in a module that does not require leadline; all lines keep their numbers.
func TestExplore(t *testing.T) {
	dir := t.TempDir()
	in := `package m

import (
	"net"
	. "testing"
)

func TestA(t *T) { TestB(t); net.Pipe() }

func TestB(t *T) { helper(t) }

func helper(t TB) {}

func notTest(t *T) {}

func BenchmarkA(b *B) { helper(b) }`
	want := `package m; import leadline__std "testing"; import leadline__explore "github.com/leadline/leadline/history/explore/tests/inside"; import leadline__net "github.com/leadline/leadline/history/explore/shim/net"

import (
	"net"
	. "github.com/leadline/leadline/history/explore/shim/testing"
)

func leadline__TestA(t *T) { leadline__TestB(t); leadline__net.Pick(net.Pipe, leadline__net.Pipe)() }

func leadline__TestB(t *T) { helper(t) }

func helper(t TB) {}

func notTest(t *T) {}

func BenchmarkA(b *B) { helper(b) }` +
		"; func TestA(t *leadline__std.T) { leadline__explore.Test(t, leadline__TestA) }" +
		"; func TestB(t *leadline__std.T) { leadline__explore.Test(t, leadline__TestB) }"
	for name, text := range map[string]string{"go.mod": "module m\n\ngo 1.18\n", "m_test.go": in} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r, err := Build(t.Context(), Target{Dir: dir, Packages: []string{"."}, Explore: true, Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(r.Overlay[filepath.Join(dir, "m_test.go")])
	if err != nil || string(got) != want {
		t.Errorf("%v\n%s", err, got)
	}
	if mod, err := os.ReadFile(r.Overlay[filepath.Join(dir, "go.mod")]); err != nil || !strings.Contains(string(mod), "require "+ownModule) {
		t.Errorf("go.mod: %v\n%s", err, mod)
	}
	if out, err := goBuild(t, dir, r, "vet", "."); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestExploreWorkspace: a workspace uses leadline beside its modules.
func TestExploreWorkspace(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.work": "go 1.21\n\nuse (\n\t./a\n\t./b\n)\n", "a/go.mod": "module a\n\ngo 1.21\n", "b/go.mod": "module b\n\ngo 1.16\n",
		"a/a_test.go": "package a\n\nimport (\n\t\"b\"\n\t\"testing\"\n)\n\nfunc TestA(t *testing.T) { b.Help(t) }\n",
		"b/b.go":      "package b\n\nimport \"testing\"\n\nfunc Help(t *testing.T) { t.Log(1) }\n",
	} {
		if err := writeFile(filepath.Join(dir, name), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	r, err := Build(t.Context(), Target{Dir: filepath.Join(dir, "a"), Packages: []string{"."}, Explore: true, Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if out, err := goBuild(t, filepath.Join(dir, "a"), r, "vet", "."); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
