package shim_test

import (
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const here = "github.com/leadline/leadline/history/explore/shim/"

// packages are the stand-ins and the packages that they replace.
var packages = map[string]string{
	"sync": "sync", "atomic": "sync/atomic", "maphash": "hash/maphash",
	"rand": "math/rand", "randv2": "math/rand/v2", "time": "time", "runtime": "runtime", "maps": "maps", "context": "context",
	"testing": "testing", "synctest": "testing/synctest", "io": "io",
}

// more is what a stand-in has in addition, for those who run executions.
var more = map[string]*regexp.Regexp{
	"io":      regexp.MustCompile(`^(func NewHalf\(|(type|field|method) .*\bHalf\b)`),
	"testing": regexp.MustCompile(`^(var MainStart |func New\(|method \(\*T\) (Body|Done|First|Logged)\()`),
}

// TestAPI: each stand-in exports what its package exports, and nothing else.
func TestAPI(t *testing.T) {
	load := exports(t)
	for name, standard := range packages {
		want, got := api(load(standard), standard), api(load(here+name), here+name)
		for _, line := range want {
			if !slices.Contains(got, line) && !strings.HasPrefix(line, "func MainStart(") {
				t.Errorf("%s lacks %s", name, line)
			}
		}
		for _, line := range got {
			if extra := more[name]; !slices.Contains(want, line) && (extra == nil || !extra.MatchString(line)) {
				t.Errorf("%s has %s, which %s has not", name, line, standard)
			}
		}
	}
}

// TestAPIComparison: the comparison finds what differs.
func TestAPIComparison(t *testing.T) {
	load := exports(t)
	got, want := api(load("sync"), "sync"), api(load("sync/atomic"), "sync/atomic")
	for _, line := range []string{"method (*Mutex) TryLock() bool", "func OnceFunc(func()) func()", "field Pool.New func() any",
		"func OnceValue[T interface{}](func() T) func() T", "type Locker interface{Lock(); Unlock()}"} {
		if !slices.Contains(got, line) || slices.Contains(want, line) {
			t.Errorf("%q is not distinguished: %q", line, got)
		}
	}
}

// exports returns a function that loads a package from its export data.
func exports(t *testing.T) func(path string) *types.Package {
	args := []string{"list", "-export", "-deps", "-f", "{{.ImportPath}}={{.Export}}"}
	for name, standard := range packages {
		args = append(args, standard, here+name)
	}
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), "=")
		files[path] = file
	}
	im := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(files[path]) })
	return func(path string) *types.Package {
		p, err := im.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
}

// api returns a line for each exported object, method and field. Names of the
// package itself and of the one it replaces are not qualified.
func api(p *types.Package, path string) []string {
	standard := path
	if name, ok := strings.CutPrefix(path, here); ok {
		standard = packages[name]
	}
	qualify := func(other *types.Package) string {
		if other.Path() == path || other.Path() == standard || strings.HasPrefix(other.Path(), "internal/") {
			return ""
		}
		if name, ok := strings.CutPrefix(other.Path(), here); ok {
			return packages[name]
		}
		return other.Path()
	}
	var lines []string
	for _, name := range p.Scope().Names() {
		o := p.Scope().Lookup(name)
		if !o.Exported() {
			continue
		}
		switch o := o.(type) {
		case *types.Const:
			lines = append(lines, fmt.Sprint("const ", name, " ", types.TypeString(o.Type(), qualify), " ", o.Val()))
		case *types.Var:
			lines = append(lines, "var "+name+" "+types.TypeString(o.Type(), qualify))
		case *types.Func:
			lines = append(lines, "func "+name+signature(o.Type(), qualify))
		case *types.TypeName:
			lines = append(lines, typeLines(name, types.Unalias(o.Type()), qualify)...)
		}
	}
	return lines
}

func signature(t types.Type, qualify types.Qualifier) string {
	s := t.(*types.Signature)
	// Names of parameters and results are not part of the interface.
	bare := types.NewSignatureType(nil, nil, nil, unnamed(s.Params()), unnamed(s.Results()), s.Variadic())
	text := strings.TrimPrefix(types.TypeString(bare, qualify), "func")
	if n := s.TypeParams().Len(); n > 0 {
		var list []string
		for i := range n {
			p := s.TypeParams().At(i)
			constraint := types.TypeString(p.Constraint().Underlying(), qualify)
			list = append(list, p.Obj().Name()+" "+strings.ReplaceAll(constraint, "any", "interface{}")) // Go 1.26 writes any
		}
		text = "[" + strings.Join(list, ", ") + "]" + text
	}
	return text
}

func unnamed(t *types.Tuple) *types.Tuple {
	var list []*types.Var
	for v := range t.Variables() {
		list = append(list, types.NewParam(v.Pos(), v.Pkg(), "", v.Type()))
	}
	return types.NewTuple(list...)
}

func typeLines(name string, t types.Type, qualify types.Qualifier) []string {
	under := t.Underlying()
	lines := []string{"type " + name}
	if types.Comparable(t) {
		lines = append(lines, "comparable "+name)
	}
	switch u := under.(type) {
	case *types.Struct:
		for f := range u.Fields() {
			if f.Exported() {
				lines = append(lines, "field "+name+"."+f.Name()+" "+types.TypeString(f.Type(), qualify))
			}
		}
	default:
		lines[0] += " " + types.TypeString(u, qualify)
	}
	if types.IsInterface(t) {
		return lines
	}
	for _, recv := range []types.Type{t, types.NewPointer(t)} {
		set := types.NewMethodSet(recv)
		for i := range set.Len() {
			if m := set.At(i).Obj(); m.Exported() {
				star := ""
				if recv != t {
					star = "*"
				}
				lines = append(lines, "method ("+star+name+") "+m.Name()+signature(m.Type(), qualify))
			}
		}
	}
	return lines
}
