package stresstest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/leadline/leadline/history/explore/instrument"
	"github.com/leadline/leadline/history/explore/worker"
	"github.com/leadline/leadline/history/stress/gotest"
	"github.com/leadline/leadline/history/stress/values"
)

// goTests writes Go tests of a violation beside its history, and runs them in what is left of the time.
// It returns lines about them.
func (f *failure) goTests(t TB, o *Options, left time.Duration) string {
	if _, bench := t.(*testing.B); bench || !isGoTest(t) {
		return ""
	}
	base := strings.TrimSuffix(f.file, ".jsonl")
	name := gotest.Name(strings.TrimPrefix(filepath.Base(base), "Test") + " Violation")
	at, err := placeOf(name)
	if err != nil {
		return fmt.Sprintf("No Go test of it: %v\n", err)
	}
	plain := o.Spec == nil && o.Failure == nil && o.Close == nil && o.Makers == nil
	if plain {
		at.Options = OptionsSource(&o.ReflectOptions, "")
	}
	dir, err := os.MkdirTemp("", programsPrefix)
	if err != nil {
		return fmt.Sprintf("No Go test of it: %v\n", err)
	}
	defer os.RemoveAll(dir)
	tests, keep := GoTestsOf(f.Finding, at), "; it needs names of this package, so copy it beside yours"
	if plain && ast.IsExported(at.New) && at.Own != "" && !strings.HasSuffix(at.Package, "_test") {
		if outside := GoTestsOf(f.Finding, at.outside()); compiles(contextOf(t), dir, cmp.Or(outside.Schedule, outside.Alone)) {
			tests, keep = outside, ""
		}
	}
	text := ""
	add := func(file, source, says string) {
		err := create(file, func(w io.Writer) error { _, err := io.WriteString(w, source); return err })
		if err != nil {
			says = err.Error()
		}
		text += fmt.Sprintf("%s: %s\n", file, says)
	}
	trial := tests.Try(contextOf(t), left, dir, ".", name, func(program, text string) error { return buildFound(contextOf(t), dir, program, text) })
	if tests.Alone != "" {
		add(base+"_test.go", tests.Alone, fmt.Sprintf("a Go test without leadline, which %v; copy it beside yours to keep it", trial))
	}
	if tests.Schedule != "" {
		add(base+"_schedule_test.go", tests.Schedule, "a Go test that replays the schedule"+keep)
	}
	if tests.Remark != "" {
		text += strings.ToUpper(tests.Remark[:1]) + tests.Remark[1:] + "\n"
	}
	return text
}

// outside returns the place in a package of its own, which imports the one of the constructor,
// an exported function.
func (at Place) outside() Place {
	at.Known = maps.Clone(at.Known)
	at.Known[at.Own] = at.Package
	at.New = values.Mark + at.Own + values.Mark + "." + at.New
	at.Declaration = "var newObject" + at.Suffix + " = " + at.New + "\n"
	at.Package, at.Own = at.Package+"_test", ""
	return at
}

// compiles reports whether the source of a test compiles where it is saved.
func compiles(ctx context.Context, dir, source string) bool {
	file := filepath.Join(filepath.FromSlash(savedDir), "leadline_found_test.go")
	return source != "" && withFound(ctx, dir, file, source, "vet", file) == nil
}

// buildFound builds the program of the package's tests and one more.
func buildFound(ctx context.Context, dir, program, source string) error {
	return withFound(ctx, dir, "leadline_found_test.go", source, "test", "-c", "-vet=off", "-tags="+buildTags(), "-o", program, ".")
}

// withFound runs a command of the Go tool, which sees a file of this directory, or below it, with the
// given text.
func withFound(ctx context.Context, dir, name, text string, args ...string) error {
	seen, err := filepath.Abs(name)
	if err != nil {
		return err
	}
	file := filepath.Join(dir, "found_test.go")
	flags, err := new(instrument.Copies).WithOverlay(filepath.Join(dir, "found.json"), map[string]string{seen: file})
	if err = errors.Join(err, os.WriteFile(file, []byte(text), 0o666)); err != nil {
		return err
	}
	if out, err := worker.Tool(ctx, "go", slices.Insert(args, 1, flags...)...).CombinedOutput(); err != nil {
		_, message, _ := strings.Cut(string(out), "found_test.go:")
		_, message, _ = strings.Cut(message, ": ") // the line
		line, _, _ := strings.Cut(message, "\n")
		return fmt.Errorf("the arguments of the test cannot be copied: %s", line)
	}
	return nil
}

// buildTags returns the tags of this program, with commas.
func buildTags() string {
	info, _ := debug.ReadBuildInfo()
	for i := 0; info != nil && i < len(info.Settings); i++ {
		if info.Settings[i].Key == "-tags" {
			return info.Settings[i].Value
		}
	}
	return ""
}

// placeOf returns the place of a test beside the calling one, with the arguments of its call of
// Test or Replay as they stand in its file.
func placeOf(test string) (at Place, err error) {
	own := reflectPath()
	callers := make([]uintptr, 64)
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers)])
	for more := true; more; {
		var frame runtime.Frame
		frame, more = frames.Next()
		if strings.HasPrefix(frame.Function, own+".") {
			continue
		}
		files := token.NewFileSet()
		name := frame.File
		if !filepath.IsAbs(name) { // compiled with -trimpath: tests run in their directory
			name = filepath.Base(name)
		}
		file, err := parser.ParseFile(files, name, nil, 0)
		if err != nil {
			return at, err
		}
		var found *ast.CallExpr
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && files.Position(call.Pos()).Line <= frame.Line && frame.Line <= files.Position(call.End()).Line && isTest(call.Fun) && len(call.Args) >= 3 {
				found = call
			}
			return true
		})
		if found == nil {
			break
		}
		at = Place{Package: file.Name.Name, Name: test, Suffix: strings.TrimPrefix(test, "Test"), Known: map[string]string{}}
		at.Own = packageOf(frame.Function)
		write := func(e ast.Expr) string { return at.marked(file, files, e) }
		at.New, at.Options = write(found.Args[1]), write(found.Args[2])
		at.Constructor = "newObject" + at.Suffix + "()"
		at.Declaration = "var newObject" + at.Suffix + " = " + at.New + "\n"
		return at, nil
	}
	return at, errors.New("its constructor is not an argument of Test")
}

func reflectPath() string {
	pc, _, _, _ := runtime.Caller(0)
	return packageOf(runtime.FuncForPC(pc).Name())
}

// packageOf returns the import path of a function.
func packageOf(function string) string {
	slash := strings.LastIndexByte(function, '/') + 1
	name, _, _ := strings.Cut(function[slash:], ".")
	return function[:slash] + name
}

// isTest reports whether an expression is Test or Replay of this package.
func isTest(e ast.Expr) bool {
	name, ok := e.(*ast.Ident)
	if s, isSelector := e.(*ast.SelectorExpr); isSelector {
		name, ok = s.Sel, true
	}
	return ok && (name.Name == "Test" || name.Name == "Replay")
}

// marked writes an expression of a file, with marks instead of the names of packages.
func (at *Place) marked(file *ast.File, files *token.FileSet, e ast.Expr) string {
	var names []*ast.Ident
	ast.Inspect(e, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok {
				names = append(names, x)
			}
		}
		return true
	})
	for _, x := range names {
		if p := imported(file, x.Name); p != "" {
			at.Known[p] = x.Name
			x.Name = values.Mark + p + values.Mark
		}
	}
	var b bytes.Buffer
	_ = printer.Fprint(&b, files, e) // to memory
	return b.String()
}

// imported returns the import path of the package with this name in a file, or "".
func imported(file *ast.File, name string) string {
	var paths []string
	for _, i := range file.Imports {
		p, _ := strconv.Unquote(i.Path.Value)
		switch {
		case i.Name != nil && i.Name.Name == name, i.Name == nil && path.Base(p) == name:
			return p
		case i.Name == nil && slices.Contains(strings.FieldsFunc(p, func(c rune) bool { return strings.ContainsRune("/.-", c) }), name):
			paths = append(paths, p) // its name differs from its path
		}
	}
	if len(paths) > 0 {
		return paths[len(paths)-1]
	}
	return ""
}
