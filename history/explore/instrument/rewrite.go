package instrument

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"go/version"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/leadline/leadline/history/explore/instrument/golist"
)

const (
	// format is part of all keys of the cache. It has to change with the output of
	// the rewriter.
	format = "17"

	hook     = "leadline__"
	room     = "github.com/leadline/leadline/history/explore/"
	schedule = room + "schedule"
)

// A standIn is a package below room.
type standIn struct{ path, name string }

// shims has the stand-ins of packages of the standard library, below room,
// and the names of these packages.
var shims = map[string]standIn{
	"sync":         {"shim/sync", "sync"},
	"sync/atomic":  {"shim/atomic", "atomic"},
	"hash/maphash": {"shim/maphash", "maphash"},
	"math/rand":    {"shim/rand", "rand"},
	"math/rand/v2": {"shim/randv2", "rand"},
	"time":         {"shim/time", "time"},
	"runtime":      {"shim/runtime", "runtime"},
	"maps":         {"shim/maps", "maps"},
	"context":      {"shim/context", "context"},
}

// A rewriter rewrites the files of one package.
type rewriter struct {
	*golist.Source
	fset    *token.FileSet
	plain   bool
	notes   *Notes
	explore bool // see Target

	edits
	used    bool                // the file needs the hooks
	shares  map[*types.Var]bool // local variables that several threads may reach
	globals map[*types.Var]bool // package-level variables that may change
	atomics []atomicInstruction // in assembly
	faults  []error
}

// rewrite returns the new texts of the files of a package, by name.
func rewrite(list *golist.List, s *golist.Source, t *Target, notes *Notes) (map[string][]byte, error) {
	plain := t.Plain
	r := &rewriter{Source: s, fset: list.Fset, plain: plain, explore: t.Explore, notes: notes, globals: changingGlobals(s)}
	if plain {
		r.shares = sharedVariables(s)
	}
	for _, name := range s.Package.SFiles {
		name = filepath.Join(s.Package.Dir, name)
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		r.atomics = append(r.atomics, atomicInstructions(name, text)...)
	}
	files := map[string][]byte{}
	for i, f := range s.Files {
		text, err := os.ReadFile(s.Names[i])
		if err != nil {
			return nil, err
		}
		r.edits, r.used = edits{file: list.Fset.File(f.FileStart), text: text}, false
		r.rewriteFile(f)
		out, err := r.render(0, len(text))
		if err != nil {
			r.faults = append(r.faults, err)
		}
		files[s.Names[i]] = out
	}
	return files, errors.Join(r.faults[:min(len(r.faults), 10)]...)
}

// refuse records that the package cannot be rewritten.
func (r *rewriter) refuse(p token.Pos, format string, args ...any) {
	r.faults = append(r.faults, fmt.Errorf("%s: %s", r.place(p), fmt.Sprintf(format, args...)))
}

func (r *rewriter) place(p token.Pos) string {
	at := r.fset.PositionFor(p, false)
	return fmt.Sprintf("%s:%d", at.Filename, at.Line)
}

// hooked returns the name of a hook.
func (r *rewriter) hooked(name string) string {
	r.used = true
	return hook + "." + name
}

// taken removes an expression that was rewritten, and returns its new text on one line.
func (r *rewriter) taken(n ast.Node) string {
	from, to := r.offset(n.Pos()), r.offset(n.End())
	text, err := r.render(from, to)
	if err != nil {
		r.faults = append(r.faults, err)
	}
	r.list = slices.DeleteFunc(r.list, func(d edit) bool { return from <= d.at && d.end <= to && !(d.at == from && d.class == closing) })
	r.cut(n.Pos(), n.End(), "")
	return oneLine(text)
}

func (r *rewriter) rewriteFile(f *ast.File) {
	ast.Inspect(f, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && strings.HasPrefix(id.Name, hook) {
			r.refuse(id.Pos(), "the name %s is one that the rewriter uses", id.Name)
		}
		return true
	})
	for _, i := range f.Imports {
		path, _ := strconv.Unquote(i.Path.Value)
		if to, ok := r.standInFor(path); ok {
			r.cut(i.Path.Pos(), i.Path.End(), to.importSpec(i.Name != nil))
			r.notes.count("import "+path, 1)
		}
	}
	r.linknames(f)
	r.arrayLengths(f)
	r.uncontrolled(f)
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Body != nil {
				r.block(d.Body.List)
			}
		case *ast.GenDecl:
			r.declaration(d)
		}
	}
	r.register(f)
	r.wrapTests(f)
	r.netPipes(f)
	if r.used {
		r.open(f.Name.End(), "; import "+hook+" "+strconv.Quote(schedule))
		r.raise(f)
	}
}

// raise raises the version of Go of a file to 1.20 if it is older, as the hooks are generic
// functions, and keys of maps may be interfaces. That is safe: 1.20 accepts all programs of
// older versions with the same meaning. Versions from 1.22 on would change loop variables.
// The file is in the present build, so another constraint has no effect.
func (r *rewriter) raise(f *ast.File) {
	if v := r.Info.FileVersions[f]; v != "" && version.Compare(v, "go1.20") >= 0 {
		return
	}
	for _, g := range f.Comments {
		for _, c := range g.List {
			if c.Pos() < f.Package && strings.HasPrefix(c.Text, "//go:build ") {
				r.cut(c.Pos(), c.End(), "//")
			}
		}
	}
	at := f.FileStart
	if bytes.HasPrefix(r.text, []byte("\ufeff")) {
		at += 3
	}
	r.open(at, "//go:build go1.20\n//line :1:1\n") // all lines keep their numbers
}

func (r *rewriter) declaration(d *ast.GenDecl) {
	if d.Tok != token.VAR {
		return
	}
	for _, s := range d.Specs {
		s := s.(*ast.ValueSpec)
		two := len(s.Names) == 2 && len(s.Values) == 1
		if two && receives(s.Values[0]) && s.Type != nil && !types.Identical(r.Info.TypeOf(s.Type), types.Typ[types.Bool]) {
			r.typedReceive(s)
			continue
		}
		for _, v := range s.Values {
			r.valueOK(v, two)
		}
	}
}

// typedReceive rewrites var v, ok T = <-ch, where T is not bool. The second result of a
// receive operation is untyped, so T may be any boolean type. If T is an interface, the
// function literal avoids the internal error of the compiler (as of Go 1.26) for
// package-level variables that are of another type than the results of the call:
//
//	var v, ok T = func() (_, _ T) { v, ok := Recv2(ch); return v, ok }()
func (r *rewriter) typedReceive(s *ast.ValueSpec) {
	v, ok := hook+"v", hook+"ok"
	result := ok
	if r.isNamedBool(s.Type) {
		result += untyped
	}
	x := s.Values[0]
	r.open(x.Pos(), "func() (_, _ "+oneLine([]byte(r.source(s.Type)))+") { "+v+", "+ok+" := ")
	r.valueOK(x, true)
	r.closed(x.End(), "; return "+v+", "+result+" }()")
}

func (r *rewriter) block(list []ast.Stmt) {
	for _, s := range list {
		r.statement(s, true)
	}
}

// statement rewrites a statement. If it is listed, that is, part of a list of statements,
// a block can replace it.
func (r *rewriter) statement(s ast.Stmt, listed bool) {
	switch s := s.(type) {
	case nil, *ast.EmptyStmt, *ast.BranchStmt, *ast.BadStmt:
	case *ast.BlockStmt:
		r.block(s.List)
	case *ast.LabeledStmt:
		r.statement(s.Stmt, listed)
	case *ast.ExprStmt:
		r.value(s.X)
	case *ast.SendStmt:
		r.send(s)
	case *ast.IncDecStmt:
		if r.isPoint([]ast.Expr{s.X}) {
			r.store(s, []ast.Expr{s.X}, nil, s.Tok.String()[:1], listed)
		} else {
			r.left(s.X)
		}
	case *ast.AssignStmt:
		r.assign(s, listed)
	case *ast.GoStmt:
		r.goStatement(s)
	case *ast.DeferStmt:
		r.call(s.Call)
	case *ast.ReturnStmt:
		r.values(s.Results)
	case *ast.IfStmt:
		r.statement(s.Init, false)
		r.value(s.Cond)
		r.block(s.Body.List)
		r.statement(s.Else, false)
	case *ast.SwitchStmt:
		r.statement(s.Init, false)
		r.value(s.Tag)
		r.block(s.Body.List)
	case *ast.TypeSwitchStmt:
		r.statement(s.Init, false)
		r.statement(s.Assign, false)
		r.block(s.Body.List)
	case *ast.CaseClause:
		r.values(s.List)
		r.block(s.Body)
	case *ast.SelectStmt:
		r.selectStatement(s)
	case *ast.ForStmt:
		r.statement(s.Init, false)
		r.value(s.Cond)
		r.statement(s.Post, false)
		r.block(s.Body.List)
	case *ast.RangeStmt:
		r.rangeStatement(s)
	case *ast.DeclStmt:
		r.declaration(s.Decl.(*ast.GenDecl))
	default:
		r.refuse(s.Pos(), "a statement that the rewriter does not know: %T", s)
	}
}

// assign rewrites an assignment.
func (r *rewriter) assign(s *ast.AssignStmt, listed bool) {
	comma := len(s.Lhs) == 2 && len(s.Rhs) == 1
	if s.Tok == token.DEFINE {
		r.redeclared(s)
		r.valueOK(s.Rhs[0], comma)
		r.values(s.Rhs[1:])
		return
	}
	point := r.isPoint(s.Lhs)
	if point && !listed && len(s.Lhs) > 1 && has(s, r.isRecover) {
		point = false // a function literal would not recover
		r.notes.miss("store in an assignment like this", r.place(s.Pos()))
	}
	if point || r.isTyped(s.Lhs, s.Rhs) {
		r.store(s, s.Lhs, s.Rhs, strings.TrimSuffix(s.Tok.String(), "="), listed)
		return
	}
	for _, x := range s.Lhs {
		r.left(x)
	}
	r.valueOK(s.Rhs[0], comma)
	r.values(s.Rhs[1:])
}

// isTyped reports whether a receive operation has an untyped second result that is assigned to
// a variable of a type other than bool: that of a hook has type bool.
func (r *rewriter) isTyped(left, right []ast.Expr) bool {
	return len(left) == 2 && len(right) == 1 && receives(right[0]) && r.isNamedBool(left[1])
}

// untyped makes a bool untyped. It does not use true, which a package may redeclare.
const untyped = " == (0 == 0)"

// isNamedBool reports whether x is a variable of a boolean type other than bool, or
// that type itself. Only untyped results can be assigned to the variable.
func (r *rewriter) isNamedBool(x ast.Expr) bool {
	t := r.Info.TypeOf(x)
	if t == nil || types.Identical(t, types.Typ[types.Bool]) {
		return false
	}
	b, ok := core(t).(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0 && b.Info()&types.IsUntyped == 0
}
