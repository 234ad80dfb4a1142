package instrument

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// otherModule has packages of another module, below old/.
var otherModule = []string{
	"old/go.mod", "module m/old\n\ngo 1.21\n",
	"old/counter/c.go", "package counter\n\nimport \"sync/atomic\"\n\nvar n atomic.Int64\n\nfunc Add() int64 { v := n.Load() + 1; n.Store(v); return v }\n",
	"old/plain/p.go", "package plain\n\nvar n int\n\nfunc Add() int { n++; return n }\n",
	"old/pure/p.go", "package pure\n\nimport \"errors\"\n\nvar Err = errors.New(\"\")\n\nfunc Twice(n int) int { return 2 * n }\n",
	"old/middle/m.go", "package middle\n\nimport \"m/old/counter\"\n\nfunc Twice() int64 { return 2 * counter.Add() }\n",
	"old/box/b.go", "package box\n\ntype Box struct{ n int }\n\nfunc Make() *Box { return &Box{} }\n\nfunc (b *Box) Inc() int { b.n++; return b.n }\n\nvar Shared Box\n",
	"old/pins/p.go", "package pins\n\nimport (\n\t\"sync\"\n\t_ \"unsafe\"\n)\n\n//go:linkname procPin runtime.procPin\nfunc procPin() int\n\nfunc Lock(mu *sync.Mutex) { mu.Lock() }\n",
	"old/pins/p.s", "",
	"old/hands/h.go", "package hands\n\nimport (\n\t\"sync\"\n\n\t\"m/old/pins\"\n)\n\nvar mu sync.Mutex\n\nfunc Lock() { pins.Lock(&mu) }\n",
	"old/loose/l.go", "package loose\n\nimport (\n\t\"sync\"\n\t\"m/old/plain\"\n)\n\nvar mu sync.Mutex\n\nfunc Never() { mu.Lock(); plain.Add() }\n\nconst One = 1\n",
}

// TestFollow: the packages of another module are instrumented in which the code keeps state, however
// it refers to them.
func TestFollow(t *testing.T) {
	for _, c := range []struct{ path, code, want string }{
		{"counter", "func (*T) Add() int64 { return x.Add() }", "m m/old/counter"},
		{"counter", "var add = x.Add", "m m/old/counter"},
		{"plain", "func (*T) Add() int { return x.Add() }", "m m/old/plain"},
		{"middle", "func (*T) Add() int64 { return x.Twice() }", "m m/old/counter"},
		{"pure", "func (*T) Add() error { x.Twice(1); return x.Err }", "m"},
		{"box", "func New() interface{ Inc() int } { return x.Make() }", "m m/old/box"},
		{"box", "func New() any { return &x.Box{} }", "m m/old/box"},
		{"box", "func New() any { return new(x.Box) }", "m m/old/box"},
		{"box", "func New() any { var b x.Box; return &b }", "m m/old/box"},
		{"box", "func (*T) Inc() int { return x.Shared.Inc() }", "m m/old/box"},
		{"loose", "func (*T) One() int { return x.One }", "m"},
		{"counter", "func Test(t *testing.T) { x.Add() }", "m"},
	} {
		text := "package main\n\nimport (\n\t\"testing\"\n\n\tx \"m/old/" + c.path + "\"\n)\n\ntype T struct{}\n\nvar _ testing.TB\n\n" + c.code + "\n\nfunc main() {}\n"
		dir := newModule(t, append([]string{"main.go", text}, otherModule...)...)
		requireOld(t, dir)
		r, err := Build(t.Context(), Target{Dir: dir, Packages: []string{"."}, Cache: t.TempDir()})
		if err != nil {
			t.Fatalf("%s: %v", c.code, err)
		}
		var got []string
		for _, n := range r.Notes {
			got = append(got, n.Path)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v is instrumented, want %s", c.code, got, c.want)
		}
	}
}

// TestUnfollowed: what cannot be instrumented is left out, with a note, and the program
// compiles without it.
func TestUnfollowed(t *testing.T) {
	t.Parallel()
	text := "package main\n\nimport (\n\t\"container/list\"\n\n\t\"m/old/hands\"\n)\n\ntype T struct{ l *list.List }\n\nfunc New() *T { hands.Lock(); return nil }\n\nfunc main() { New(); println(1) }\n"
	dir := newModule(t, append([]string{"main.go", text}, otherModule...)...)
	requireOld(t, dir)
	target := Target{Dir: dir, Packages: []string{"m"}, Object: "New", Cache: t.TempDir()}
	first := ""
	r, err := Compile(t.Context(), target, func(c *Copies) error {
		if first == "" {
			first = c.String()
		}
		out, err := goBuild(t, dir, c, "build", "-o", os.DevNull, ".")
		if err != nil {
			err = fmt.Errorf("%w: %s", err, out)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"m/old/hands@v0.0.0: import sync", "m/old/pins@v0.0.0: nothing to instrument; not instrumented: the package, which cannot be instrumented: linkname runtime.procPin"} {
		if !strings.Contains(first, want) {
			t.Errorf("the first copies are\n%swant %s", first, want)
		}
	}
	remarks := strings.Join(r.Remarks(), "\n")
	for _, want := range []string{
		"not instrumented in m: package m/old/hands, which imports sync, package container/list of the standard library",
		"not instrumented in m/old/hands: the package, as the program does not compile with its copy",
	} {
		if !strings.Contains(remarks, want) {
			t.Errorf("the remarks are\n%s\nwant %s", remarks, want)
		}
	}
}

// TestMostFollowed follows up to the bound, and names what is left.
func TestMostFollowed(t *testing.T) {
	defer func(n int) { mostFollowed = n }(mostFollowed)
	mostFollowed = 3
	for _, n := range []int{mostFollowed - 1, mostFollowed, mostFollowed + 1} {
		files := []string{"old/go.mod", "module m/old\n\ngo 1.21\n"}
		imports, uses := "", ""
		for i := range n {
			name := fmt.Sprintf("p%03d", i)
			files = append(files, filepath.Join("old", name, "p.go"), "package "+name+"\n\nvar N int\n\nfunc Add() { N++ }\n")
			imports += "import \"m/old/" + name + "\"\n"
			uses += "\t" + name + ".Add()\n"
		}
		dir := newModule(t, append(files, "main.go", "package main\n\n"+imports+"\nfunc main() {\n"+uses+"}\n")...)
		requireOld(t, dir)
		r, err := Build(t.Context(), Target{Dir: dir, Packages: []string{"."}, Cache: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		remarks := strings.Join(r.Remarks(), "\n")
		if got := len(r.Notes) - 1; got != min(n, mostFollowed) || strings.Contains(remarks, fmt.Sprintf("package m/old/p%03d, as the code refers to more than 3 packages", mostFollowed)) != (n > mostFollowed) {
			t.Errorf("of %d packages %d are instrumented: %s", n, got, remarks)
		}
	}
}
