package instrument

import (
	"context"
	"fmt"
	"go/ast"
	"go/types"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/leadline/leadline/history/explore"
	"github.com/leadline/leadline/history/explore/instrument/golist"
)

// testShims has the stand-ins of packages of tests, for Target.Explore.
var testShims = map[string]standIn{
	"testing":          {"shim/testing", "testing"},
	"testing/synctest": {"shim/synctest", "synctest"},
	"io":               {"shim/io", "io"},
}

const (
	inside      = room + "tests/inside"
	realTesting = hook + "std"
	insideName  = hook + "explore"
	netName     = hook + "net"
)

// wrapTests wraps the tests of a file. The new ones are on its last line:
//
//	func leadline__TestX(t *testing.T) { ... }
//	func TestX(t *leadline__std.T) { leadline__explore.Test(t, leadline__TestX) }
func (r *rewriter) wrapTests(f *ast.File) {
	if !r.explore {
		return
	}
	for id, o := range r.Info.Uses { // also in other functions, which then call what they called before
		if fn, ok := o.(*types.Func); ok && f.FileStart <= id.Pos() && id.Pos() < f.FileEnd && r.isGoTest(fn) {
			r.cut(id.Pos(), id.End(), hook+id.Name)
		}
	}
	text := ""
	for _, d := range f.Decls {
		if d, ok := d.(*ast.FuncDecl); ok {
			if fn, ok := r.Info.Defs[d.Name].(*types.Func); ok && r.isGoTest(fn) {
				r.cut(d.Name.Pos(), d.Name.End(), hook+d.Name.Name)
				text += fmt.Sprintf("; func %s(t *%s.T) { %s.Test(t, %s) }", d.Name.Name, realTesting, insideName, hook+d.Name.Name)
			}
		}
	}
	if text != "" {
		r.open(f.Name.End(), fmt.Sprintf("; import %s %q; import %s %q", realTesting, "testing", insideName, inside))
		r.closed(f.Decls[len(f.Decls)-1].End(), text)
	}
}

// netPipes replaces calls of net.Pipe.
func (r *rewriter) netPipes(f *ast.File) {
	used := false
	ast.Inspect(f, func(n ast.Node) bool {
		if x, ok := n.(*ast.SelectorExpr); ok && r.explore {
			if fn, ok := r.Info.Uses[x.Sel].(*types.Func); ok && fn.FullName() == "net.Pipe" {
				r.open(x.Pos(), netName+".Pick(")
				r.closed(x.End(), ", "+netName+".Pipe)")
				used = true
			}
		}
		return true
	})
	if used {
		r.open(f.Name.End(), fmt.Sprintf("; import %s %q", netName, room+"shim/net"))
	}
}

// isGoTest reports whether go test runs a function.
func (r *rewriter) isGoTest(f *types.Func) bool {
	rest, ok := strings.CutPrefix(f.Name(), "Test")
	if first, _ := utf8.DecodeRuneInString(rest); !ok || unicode.IsLower(first) || !strings.HasSuffix(r.fset.Position(f.Pos()).Filename, "_test.go") {
		return false
	}
	s := f.Signature()
	return f.Pkg() == r.Types && s.Recv() == nil && s.Params().Len() == 1 && s.Results().Len() == 0 && s.TypeParams().Len() == 0 &&
		types.TypeString(s.Params().At(0).Type(), nil) == "*testing.T"
}

var helpers = compiled(`^(github\.com/stretchr/testify|go\.uber\.org/goleak)(/|$)`)

// addHelpers chooses the packages of other modules that import package testing, since their T has to be the same, and
// those of testify, which wait for conditions, and of goleak, which looks for goroutines.
func (b *build) addHelpers() {
	for _, p := range b.list.Packages {
		helps := slices.Contains(p.Imports, "testing") || helpers().MatchString(p.Path())
		if b.Explore && helps && !isGenerated(p) && b.mayBeChosen(p.Path()) {
			b.chosen[p.Path()] = p
		}
	}
}

// requireLeadline adds leadline to the modules of the build, unless it is one. What instrumented tests import of it needs
// nothing but the standard library.
func (b *build) requireLeadline(ctx context.Context) error {
	if !b.Explore {
		return nil
	}
	out, err := golist.Tool(ctx, b.Dir, slices.Concat([]string{"list"}, b.copies.Flags, []string{"-m", "-f", "{{.Dir}}", ownModule})...)
	if err == nil {
		if _, err := os.Stat(filepath.Join(strings.TrimSpace(string(out)), "history", "explore", "tests", "inside")); err != nil {
			return fmt.Errorf("the module requires a %s that cannot explore tests: go get %[1]s@latest", ownModule)
		}
		return nil
	}
	dir, err := b.once(key("leadline", sourceSum()), writeSource)
	if err != nil {
		return err
	}
	if b.gowork != "" {
		b.replace = append(b.replace, "-use="+dir)
	} else {
		b.replace = append(b.replace, "-require="+ownModule+"@v0.0.0", "-replace="+ownModule+"="+dir)
	}
	return nil
}

// eachSource calls f with the files of explore.Source but tests.
func eachSource(f func(name string, text []byte) error) error {
	return fs.WalkDir(explore.Source, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(name, "_test.go") || path.Ext(name) != ".go" || name == "source.go" {
			return err
		}
		text, err := explore.Source.ReadFile(name)
		if err != nil {
			return err
		}
		return f(name, text)
	})
}

// sourceSum returns a text that changes with the source.
func sourceSum() string {
	var b strings.Builder
	_ = eachSource(func(name string, text []byte) error { // embedded files can be read
		b.WriteString(name + "\n" + string(text))
		return nil
	})
	return b.String()
}

// writeSource writes a module of the source. It names no version of Go, so that no module is too old for it; its files do.
func writeSource(dir string) error {
	if err := writeFile(filepath.Join(dir, "go.mod"), []byte("module "+ownModule+"\n")); err != nil {
		return err
	}
	return eachSource(func(name string, text []byte) error {
		if !strings.HasPrefix(string(text), "//go:build ") {
			text = append([]byte("//go:build go1.26\n\n"), text...)
		}
		return writeFile(filepath.Join(dir, "history", "explore", filepath.FromSlash(name)), text)
	})
}

// standInFor returns the stand-in of a package.
func (r *rewriter) standInFor(path string) (s standIn, ok bool) {
	if s, ok = shims[path]; !ok && r.explore {
		s, ok = testShims[path]
	}
	return s, ok
}

// importSpec returns what replaces the path of an import.
func (s standIn) importSpec(named bool) string {
	text := strconv.Quote(room + s.path)
	if !named {
		text = s.name + " " + text
	}
	return text
}
