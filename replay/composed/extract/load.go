package extract

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// A listed package is one as go list describes it.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles, CgoFiles       []string
	ImportMap               map[string]string
	DepOnly, Standard       bool
	Module                  *struct{ GoVersion string }
	Error                   *listError
	DepsErrors              []*listError
	Incomplete              bool
}

type listError struct{ Pos, Err string }

// error returns the error as file:line: message, as far as the Go tool knows the
// place.
func (e *listError) error(dir string) error {
	// The error of a failed compilation has lines "# package" and "file:line:col: message".
	text := ""
	for line := range strings.Lines(e.Err) {
		if !strings.HasPrefix(line, "# ") && text == "" {
			text = strings.TrimSpace(line)
		}
	}
	if e.Pos == "" {
		return errors.New(relative(dir, text))
	}
	return fmt.Errorf("%s: %s", relative(dir, e.Pos), text)
}

// A source is a package whose files are parsed and type-checked.
type source struct {
	path  string
	dir   string
	fset  *token.FileSet
	files []*ast.File
	info  *types.Info
	types *types.Package
	conf  *types.Config

	scanner *scanner
}

// load lists the packages that the patterns name and type-checks them. Packages
// with errors are left out, and the errors returned.
func load(ctx context.Context, dir string, patterns []string) (sources []*source, faults []error, err error) {
	args := append([]string{"list", "-e", "-export", "-deps",
		"-json=ImportPath,Dir,Export,GoFiles,CgoFiles,ImportMap,DepOnly,Standard,Module,Error,DepsErrors", "--"}, patterns...)
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	if err != nil {
		return nil, nil, fmt.Errorf("go list: %w\n%s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	var named []*listed
	exports := map[string]string{}
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		p := &listed{}
		if err := decoder.Decode(p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, nil, fmt.Errorf("go list: %w", err)
		}
		exports[p.ImportPath] = p.Export
		if !p.DepOnly {
			named = append(named, p)
		}
	}
	fset := token.NewFileSet()
	gc := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("package %s has no export data: it does not compile", path)
		}
		return os.Open(exports[path])
	})
	for _, p := range named {
		s, errs := p.check(dir, fset, gc)
		if len(errs) == 0 && s != nil {
			sources = append(sources, s)
		}
		for _, e := range errs { // several packages can import one with a fault
			if !slices.ContainsFunc(faults, func(f error) bool { return f.Error() == e.Error() }) {
				faults = append(faults, e)
			}
		}
	}
	return sources, faults, ctx.Err()
}

// check parses and type-checks a package. It returns nil if the package has no
// files, and at most ten errors.
func (p *listed) check(dir string, fset *token.FileSet, gc types.Importer) (*source, []error) {
	var faults []error
	fault := func(err error) { faults = append(faults, relativeError(dir, err)) }
	s := &source{path: p.ImportPath, dir: p.Dir, fset: fset}
	for _, name := range slices.Concat(p.GoFiles, p.CgoFiles) {
		file, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			fault(err)
			continue
		}
		s.files = append(s.files, file)
	}
	if len(faults) == 0 && len(s.files) > 0 {
		s.info = &types.Info{
			Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
			Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
		}
		s.conf = &types.Config{
			Importer:    mapped{p.ImportMap, gc},
			Sizes:       types.SizesFor("gc", runtime.GOARCH),
			FakeImportC: true,
			Error: func(err error) {
				// Of a file that imports C, not all types are known here. The Go
				// tool has compiled the package.
				if len(p.CgoFiles) == 0 || p.Export == "" {
					fault(err)
				}
			},
		}
		if p.Module != nil && p.Module.GoVersion != "" {
			s.conf.GoVersion = "go" + p.Module.GoVersion
		}
		// The errors are those that Error was called with.
		s.types, _ = s.conf.Check(p.ImportPath, fset, s.files, s.info)
	}
	// What the Go tool reports adds to that if the code itself has no fault, or if
	// the fault is in what it imports.
	if len(faults) == 0 || strings.Contains(faults[0].Error(), "could not import") {
		for _, e := range append([]*listError{p.Error}, p.DepsErrors...) {
			if e != nil {
				faults = []error{e.error(dir)}
				break
			}
		}
	}
	if len(s.files) == 0 {
		s = nil
	}
	return s, faults[:min(len(faults), 10)]
}

// mapped imports what import paths mean in one package: those of vendored
// packages are others.
type mapped struct {
	paths map[string]string
	gc    types.Importer
}

func (m mapped) Import(path string) (*types.Package, error) {
	if other, ok := m.paths[path]; ok {
		path = other
	}
	return m.gc.Import(path)
}

// relativeError returns an error of the parser or the type checker as
// file:line:col: message, with the file relative to dir.
func relativeError(dir string, err error) error {
	return errors.New(relative(dir, err.Error()))
}

// relative returns a text that may begin with a file name with the name relative
// to dir, if that is the shorter one.
func relative(dir, text string) string {
	name, rest, _ := strings.Cut(text, ":")
	if !filepath.IsAbs(name) {
		return text
	}
	base, err := filepath.Abs(dir)
	if err != nil {
		return text
	}
	if short, err := filepath.Rel(base, name); err == nil && len(short) < len(name) {
		name = short
	}
	if rest == "" {
		return name
	}
	return name + ":" + rest
}
