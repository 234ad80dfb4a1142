package golist

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

	"github.com/leadline/leadline/history/explore/worker"
)

// A Package is one as go list describes it.
type Package struct {
	ImportPath, Name, Dir, Export string
	GoFiles, CgoFiles, SFiles     []string
	EmbedFiles                    []string
	Imports, Deps                 []string
	ImportMap                     map[string]string
	ForTest                       string // the package under test, for variants
	DepOnly, Standard             bool
	Module                        *Module
	Error                         *Error
	DepsErrors                    []*Error
}

const fields = "-json=ImportPath,Name,Dir,Export,GoFiles,CgoFiles,SFiles,EmbedFiles,Imports,Deps,ImportMap,ForTest,DepOnly,Standard,Module,Error,DepsErrors"

// Path returns the import path without the test that a variant belongs to.
func (p *Package) Path() string {
	path, _, _ := strings.Cut(p.ImportPath, " ")
	return path
}

// A Module is one of the build list. Dir and GoVersion are those of Replace, if there
// is one.
type Module struct {
	Path, Version, Dir, GoVersion string
	Replace                       *Module
}

// An Error is one of the Go tool.
type Error struct{ Pos, Err string }

// error returns the error as file:line: message, as far as the Go tool knows the
// place.
func (e *Error) error(dir string) error {
	// The error of a failed compilation has lines "# package" and "file:line:col: message".
	text := ""
	for line := range strings.Lines(e.Err) {
		if !strings.HasPrefix(line, "# ") && text == "" {
			text = strings.TrimSpace(line)
		}
	}
	if e.Pos == "" {
		return errors.New(Relative(dir, text))
	}
	return fmt.Errorf("%s: %s", Relative(dir, e.Pos), text)
}

// A List is what go list -deps printed.
type List struct {
	Named    []*Package          // those that the patterns name
	Packages map[string]*Package // by ImportPath, with all that the named ones import
	Fset     *token.FileSet

	dir       string
	importers map[string]types.Importer // by ForTest
}

// An ExitError is a failure of the Go tool. Stderr is what it printed.
type ExitError struct {
	Command string
	Err     error
	Stderr  []byte
}

func (e *ExitError) Error() string {
	return fmt.Sprintf("%s: %v\n%s", e.Command, e.Err, bytes.TrimSpace(e.Stderr))
}

func (e *ExitError) Unwrap() error { return e.Err }

// Tool runs a command of the Go tool in a directory; "" is the working directory. It returns
// what the command prints.
func Tool(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := worker.Tool(ctx, "go", args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.As(err, &exit):
		return nil, &ExitError{strings.Join(cmd.Args, " "), err, exit.Stderr}
	}
	return out, err
}

// Load runs go list with more flags in a directory. It lists the packages that the patterns
// name, and what they import. Patterns that match nothing are packages with errors.
func Load(ctx context.Context, dir string, flags []string, patterns ...string) (*List, error) {
	out, err := Tool(ctx, dir, slices.Concat([]string{"list", "-e", "-export", "-deps", fields}, flags, []string{"--"}, patterns)...)
	if exit := (*ExitError)(nil); errors.As(err, &exit) {
		exit.Command = "go list -export " + strings.Join(patterns, " ")
	}
	if err != nil {
		return nil, err
	}
	l := &List{Packages: map[string]*Package{}, Fset: token.NewFileSet(), dir: dir, importers: map[string]types.Importer{}}
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		p := &Package{}
		if err := decoder.Decode(p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		if m := p.Module; m != nil && m.Replace != nil {
			m.Dir, m.GoVersion = m.Replace.Dir, m.Replace.GoVersion
		}
		l.Packages[p.ImportPath] = p
		if !p.DepOnly {
			l.Named = append(l.Named, p)
		}
	}
	return l, nil
}

// Import returns the declarations of a package.
func (l *List) Import(path string) (*types.Package, error) {
	return l.importer("").Import(path)
}

// importer returns the importer of the variants that belong to a test.
func (l *List) importer(forTest string) types.Importer {
	i, ok := l.importers[forTest]
	if !ok {
		i = guarded{importer.ForCompiler(l.Fset, "gc", func(path string) (io.ReadCloser, error) {
			p := l.Packages[path]
			// Export data names a variant like the package.
			if v := l.Packages[path+" ["+forTest+".test]"]; v != nil {
				p = v
			}
			if p == nil {
				return nil, fmt.Errorf("the Go tool does not list %s", path)
			}
			if p.Export == "" && len(p.GoFiles)+len(p.CgoFiles) == 0 {
				return nil, fmt.Errorf("package %s has no Go files in this build", path)
			}
			if p.Export == "" {
				return nil, fmt.Errorf("package %s has no export data: it does not compile", path)
			}
			return os.Open(p.Export)
		})}
		l.importers[forTest] = i
	}
	return i
}

// guarded makes an error of the panic with which package importer refuses what a newer
// compiler wrote.
type guarded struct{ types.Importer }

func (g guarded) Import(path string) (p *types.Package, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("%v; this program was built with %s: build it again with the Go that the module uses", fault, runtime.Version())
		}
	}()
	return g.Importer.Import(path)
}

// A Source is a package whose files are parsed and type-checked.
type Source struct {
	Package *Package
	Files   []*ast.File // as in Names
	Names   []string
	Info    *types.Info
	Types   *types.Package
	Conf    *types.Config
}

// Check parses and type-checks a package. It returns nil if the package has no
// files, and at most ten errors.
func (l *List) Check(p *Package) (*Source, []error) {
	var faults []error
	fault := func(err error) { faults = append(faults, errors.New(Relative(l.dir, err.Error()))) }
	s := &Source{Package: p}
	for _, name := range slices.Concat(p.GoFiles, p.CgoFiles) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(p.Dir, name)
		}
		file, err := parser.ParseFile(l.Fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			fault(err)
			continue
		}
		s.Files, s.Names = append(s.Files, file), append(s.Names, name)
	}
	if len(faults) == 0 && len(s.Files) > 0 {
		s.Info = &types.Info{
			Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
			Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
			FileVersions: map[*ast.File]string{},
		}
		s.Conf = &types.Config{
			Importer:    mapped{p.ImportMap, l.importer(p.ForTest)},
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
			s.Conf.GoVersion = "go" + p.Module.GoVersion
		}
		// The errors are those that Error was called with.
		s.Types, _ = s.Conf.Check(p.Path(), l.Fset, s.Files, s.Info)
	}
	// What the Go tool reports adds to that if the code itself has no fault, or if
	// the fault is in what it imports.
	if len(faults) == 0 || strings.Contains(faults[0].Error(), "could not import") {
		for _, e := range append([]*Error{p.Error}, p.DepsErrors...) {
			if e != nil {
				faults = []error{e.error(l.dir)}
				break
			}
		}
	}
	if len(s.Files) == 0 {
		s = nil
	}
	return s, faults[:min(len(faults), 10)]
}

// mapped imports what import paths mean in one package: those of vendored
// packages and of tests are others.
type mapped struct {
	paths map[string]string
	gc    types.Importer
}

func (m mapped) Import(path string) (*types.Package, error) {
	if other, ok := m.paths[path]; ok {
		path, _, _ = strings.Cut(other, " ")
	}
	return m.gc.Import(path)
}

// Relative returns a text that may begin with a file name with the name relative
// to dir, if that is the shorter one.
func Relative(dir, text string) string {
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
