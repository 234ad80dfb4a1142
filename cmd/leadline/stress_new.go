package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/leadline/leadline/history/explore/instrument"
	"github.com/leadline/leadline/history/explore/worker"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/replay/report"
)

// buildObject writes and builds the program that tests what a constructor
// makes, with the Go tool and the module in the working directory. If in is not
// nil, it instruments the package of the constructor, those of the types that it
// returns, those of in, and what these refer to.
func buildObject(ctx context.Context, constructor string, d stress.ReflectOptions, in *instrument.Target) (object, error) {
	path, expression, err := parseConstructor(constructor)
	if err != nil {
		return object{}, err
	}
	expression = aliased(expression, func() string { return packageName(ctx, path) })
	if d.Module, err = moduleRoot(ctx); err != nil {
		return object{}, err
	}
	dir, err := os.MkdirTemp("", "leadline-stress-")
	if err != nil {
		return object{}, err
	}
	o := object{name: d.Name, how: "--new " + report.ShellWord(constructor), reflect: d, cleanup: func() { os.RemoveAll(dir) }}
	if o.name == "" {
		o.name = constructor
	}
	o.path, o.expression = path, expression
	program := filepath.Join(dir, "stress")
	// A constructor may also return an error. The compiler finds that out.
	o.makers = makers(ctx, path)
	made := ""
	for _, name := range o.makers {
		made += ", p." + name
	}
	compiling := false
	compile := func(copies *instrument.Copies) error {
		compiling = true
		first := build(ctx, dir, program, path, expression, made, copies)
		if o.must = first != nil; o.must {
			if err := build(ctx, dir, program, path, "stress.Must("+expression+")", made, copies); err != nil {
				return clearer(first, err)
			}
		}
		return nil
	}
	if in == nil {
		err = compile(nil)
	} else {
		options := *in
		options.Dir = d.Module
		options.Packages = append([]string{path}, in.Packages...)
		options.Object = regexp.MustCompile(`\w+`).FindString(expression[strings.Index(expression, "p.")+2:])
		o.instrumented, err = instrument.Compile(ctx, options, compile)
	}
	switch {
	case err != nil && !compiling:
		o.cleanup()
		return object{}, fmt.Errorf("--new %s: %s", constructor, advise(ctx, []byte(err.Error())))
	case err != nil:
		o.cleanup()
		return object{}, ofConstructor(constructor, err, func() string { return packageName(ctx, path) })
	}
	// Methods may write files.
	work := filepath.Join(dir, "work")
	if err := os.Mkdir(work, 0o755); err != nil {
		o.cleanup()
		return object{}, err
	}
	o.program = worker.Program{Path: program, Dir: work, Name: "stress", Schedules: in != nil}
	return o, nil
}

// parseConstructor splits example.com/a/b.New[int](8) into the import path and
// the expression that makes an object, with the package called p.
func parseConstructor(text string) (path, expression string, err error) {
	prefix := ""
	if rest, ok := strings.CutPrefix(text, "&"); ok {
		prefix, text = "&", rest
	}
	end := strings.IndexAny(text, "([{")
	if end < 0 {
		end = len(text)
	}
	slash := strings.LastIndexByte(text[:end], '/')
	dot := strings.LastIndexByte(text[:end], '.')
	if dot < 0 || dot < slash || dot+1 == end {
		return "", "", fmt.Errorf("--new %s: want an import path and a function, as example.com/queue.New", text)
	}
	expression = prefix + "p" + text[dot:]
	if !strings.HasSuffix(text, ")") && !strings.HasSuffix(text, "}") {
		expression += "()"
	}
	return text[:dot], expression, nil
}

// aliased replaces the package's own name in an expression by p. It calls name only if
// the expression has another qualifier than p.
func aliased(expression string, name func() string) string {
	e, err := parser.ParseExpr(expression)
	if err != nil {
		return expression // the compiler reports it
	}
	var qualifiers []*ast.Ident
	ast.Inspect(e, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if of, ok := s.X.(*ast.Ident); ok && of.Name != "p" {
				qualifiers = append(qualifiers, of)
			}
		}
		return true
	})
	if len(qualifiers) == 0 {
		return expression
	}
	own := name()
	slices.SortFunc(qualifiers, func(a, b *ast.Ident) int { return int(b.Pos() - a.Pos()) })
	for _, q := range qualifiers { // from the end
		if at := int(q.Pos()) - 1; q.Name == own {
			expression = expression[:at] + "p" + expression[at+len(own):]
		}
	}
	return expression
}

// packageName returns the name of a package, or "" if it cannot be found. The compiler
// reports that.
func packageName(ctx context.Context, path string) string {
	root, err := moduleRoot(ctx)
	if err != nil {
		return ""
	}
	cmd := worker.Tool(ctx, "go", "list", "-find", "-f", "{{.Name}}", "--", path)
	cmd.Dir = root
	text, err := cmd.Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

const ownModule = "github.com/leadline/leadline"

// stressProgram imports the scheduler, which an older leadline has elsewhere: the build says so.
const stressProgram = `package main

import (
	"os"

	_ "github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/history/stress/explore"
	"github.com/leadline/leadline/replay/stresstest"
	p %q
)

func main() {
	os.Exit(stress.ServeLike(%[2]s, func() any { return %[2]s }, stresstest.Checker(nil), explore.New%[3]s))
}
`

// makers returns the constructors of a package: the functions called New or Make with one result and
// without type parameters. There are none if the package cannot be loaded; the compiler says why.
func makers(ctx context.Context, path string) (list []string) {
	p, err := loadPackage(ctx, path)
	if err != nil {
		return nil
	}
	for _, f := range exportedFunctions(p) {
		if f.signature.Results().Len() == 1 && !strings.Contains(f.name, "[") && (strings.HasPrefix(f.name, "New") || strings.HasPrefix(f.name, "Make")) {
			list = append(list, f.name)
		}
	}
	return list
}

// build builds the program that runs an expression's object.
func build(ctx context.Context, dir, program, path, expression, makers string, copies *instrument.Copies) error {
	return compile(ctx, filepath.Join(dir, "main.go"), fmt.Sprintf(stressProgram, path, expression, makers), copies, "build", "-o", program)
}

// An expressionFault is what the compiler says of the expression of --new, in the source
// that was written for it.
type expressionFault string

func (f expressionFault) Error() string { return string(f) }

// faultIn returns the first message about a source, without the place in it, or nil.
func faultIn(source string, messages []byte) error {
	name := regexp.QuoteMeta(filepath.Base(filepath.Dir(source))) + `[/\\]` + regexp.QuoteMeta(filepath.Base(source))
	parts := regexp.MustCompile(`(?m)^.*`+name+`:\d+(:\d+)?: `).Split(string(messages), 3)
	if len(parts) < 2 {
		return nil
	}
	return expressionFault(strings.TrimSpace(parts[1]))
}

var (
	alias  = regexp.MustCompile(`\bp\.`)
	inMain = regexp.MustCompile(`(?m)^\S*` + stressMain + `[/\\]\S+\.go:\d+(:\d+)?: `)
)

// clearer returns the error about an expression that makes an object, or about one that
// also returns an error, whichever of them the expression is.
func clearer(object, withError error) error {
	if strings.Contains(object.Error(), "multiple-value") && !strings.Contains(withError.Error(), "stress.Must") {
		return withError
	}
	return object
}

// ofConstructor returns the error of a build with the expression as the user has written
// it: the package has its own name there.
func ofConstructor(constructor string, err error, name func() string) error {
	if fault := expressionFault(""); errors.As(err, &fault) {
		if own := name(); own != "" {
			err = errors.New(alias.ReplaceAllString(string(fault), own+"."))
		}
	}
	return fmt.Errorf("--new %s: %w", constructor, err)
}

// runGoTool runs a command of the Go tool. Tests replace it to build a program once.
var runGoTool = (*exec.Cmd).CombinedOutput

// stressMain is where the Go tool sees the source of a program, in the module.
const stressMain = "leadline-stress-main"

// compile writes a source and runs a command of the Go tool on it, with instrumented
// copies if there are some. The source is outside the module; an overlay makes the Go
// tool see it inside.
func compile(ctx context.Context, source, text string, copies *instrument.Copies, args ...string) error {
	return compileIn(ctx, stressMain, source, text, copies, args...)
}

// compileIn is compile for a source that is seen in another directory of the module, which may be beside
// internal packages or have other files.
func compileIn(ctx context.Context, dir, source, text string, copies *instrument.Copies, args ...string) error {
	if err := os.WriteFile(source, []byte(text), 0o644); err != nil {
		return err
	}
	root, err := moduleRoot(ctx)
	if err != nil {
		return err
	}
	seen := filepath.Join(root, dir)
	if copies == nil {
		copies = &instrument.Copies{}
	}
	flags, err := copies.WithOverlay(filepath.Join(filepath.Dir(source), "overlay.json"), map[string]string{filepath.Join(seen, filepath.Base(source)): source})
	if err != nil {
		return err
	}
	var cmd *exec.Cmd
	run := func(more ...string) ([]byte, error) {
		cmd = worker.Tool(ctx, "go", slices.Concat(args, flags, more, []string{"./" + filepath.ToSlash(dir)})...)
		cmd.Dir = root
		return runGoTool(cmd)
	}
	out, err := run()
	if err != nil && bytes.Contains(out, []byte("disabled by -mod=vendor")) {
		// A vendor directory has only those packages of leadline that the module imports.
		out, err = run("-mod=readonly")
	}
	if err != nil {
		if fault := faultIn(source, out); fault != nil {
			return fault
		}
		return fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, inMain.ReplaceAllString(advise(ctx, out), ""))
	}
	return nil
}

// advise returns the error message of the Go tool, with advice about the most
// frequent ones.
func advise(ctx context.Context, text []byte) string {
	s := string(bytes.TrimSpace(text))
	// In a workspace, the message may be about any of its modules.
	if strings.Contains(s, ownModule) || strings.Contains(s, stressMain) {
		switch {
		case worker.Tool(ctx, "go", "list", "-m", ownModule).Run() != nil:
			s += "\nThe module has to require leadline, as for tests that call it: go get " + ownModule + "/replay/stresstest"
		case strings.Contains(s, "package "+ownModule):
			s += "\nThe module requires another version of leadline than that of this command: go get " + ownModule + ", or call its own by go tool leadline"
		}
	}
	if more := instrument.Explain(s); more != "" {
		s += "\n" + more + ": --instrument names more packages"
	}
	return s
}

// moduleRoot returns the directory of the go.mod for the working directory.
func moduleRoot(ctx context.Context) (string, error) {
	text, err := worker.Tool(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOMOD: %w", err)
	}
	file := strings.TrimSpace(string(text))
	if file == "" || file == os.DevNull {
		return "", errors.New("--new needs a module: the working directory is in none")
	}
	return filepath.Dir(file), nil
}
