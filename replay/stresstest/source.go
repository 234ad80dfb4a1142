package stresstest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
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
	program := filepath.Join(dir, "found.test")
	if tests.Alone != "" {
		if err := buildFound(contextOf(t), dir, program, tests.Alone); err != nil {
			text += fmt.Sprintf("No Go test without leadline: %v\n", err)
		} else if trial := gotest.Try(contextOf(t), left, program, ".", name); trial.Failing > 0 {
			add(base+"_test.go", tests.Alone, fmt.Sprintf("a Go test without leadline, which %v; copy it beside yours to keep it", trial))
		} else {
			tests.Remark = "no Go test without leadline: the violation is rare on threads"
		}
	}
	if tests.Schedule != "" {
		if err := buildFound(contextOf(t), dir, program, tests.Schedule); err != nil {
			text += fmt.Sprintf("No Go test of the schedule: %v\n", err)
		} else {
			add(base+"_schedule_test.go", tests.Schedule, "a Go test that replays the schedule"+keep)
		}
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
	overlay, err := overlaid(dir, source, file)
	return source != "" && err == nil && worker.Tool(ctx, "go", "vet", "-overlay", overlay, file).Run() == nil
}

// buildFound builds the program of the package's tests and one more.
func buildFound(ctx context.Context, dir, program, source string) error {
	overlay, err := overlaid(dir, source, "leadline_found_test.go")
	if err != nil {
		return err
	}
	args := []string{"test", "-c", "-vet=off", "-overlay", overlay, "-o", program}
	if tags := buildTags(); tags != "" {
		args = append(args, "-tags", tags)
	}
	if out, err := worker.Tool(ctx, "go", append(args, ".")...).CombinedOutput(); err != nil {
		_, message, _ := strings.Cut(string(out), "found_test.go:")
		_, message, _ = strings.Cut(message, ": ") // the line
		line, _, _ := strings.Cut(message, "\n")
		return fmt.Errorf("the arguments of the test cannot be copied: %s", line)
	}
	return nil
}

// overlaid returns a file of dir for the flag -overlay of the go command, with which a file of
// this directory, or below it, has the given text.
func overlaid(dir, source, name string) (overlay string, err error) {
	file, overlay := filepath.Join(dir, "found_test.go"), filepath.Join(dir, "found.json")
	absolute, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(map[string]any{"Replace": map[string]string{absolute: file}})
	if err != nil {
		return "", err
	}
	return overlay, errors.Join(os.WriteFile(file, []byte(source), 0o666), os.WriteFile(overlay, text, 0o666))
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
