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
	"strconv"
	"strings"

	"github.com/leadline/leadline/history/stress/explore/instrument/golist"
)

const (
	// format is part of all keys of the cache. It has to change with the output of
	// the rewriter.
	format = "14"

	hook     = "leadline__"
	room     = "github.com/leadline/leadline/history/stress/explore/"
	schedule = room + "schedule"
)

// shims has the stand-ins of packages of the standard library, below room,
// and the names of these packages.
var shims = map[string]struct{ path, name string }{
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
	fset  *token.FileSet
	plain bool
	notes *PackageReport

	edits
	used    bool                // the file needs the hooks
	shares  map[*types.Var]bool // local variables that several threads may reach
	atomics []atomicInstruction // in assembly
	faults  []error
}

// rewrite returns the new texts of the files of a package, by name.
func rewrite(list *golist.List, s *golist.Source, plain bool, notes *PackageReport) (map[string][]byte, error) {
	r := &rewriter{Source: s, fset: list.Fset, plain: plain, notes: notes}
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

// taken is take, and records its error.
func (r *rewriter) taken(n ast.Node) string {
	text, err := r.take(n)
	if err != nil {
		r.faults = append(r.faults, err)
	}
	return text
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
		if to, ok := shims[path]; ok {
			text := strconv.Quote(room + to.path)
			if i.Name == nil {
				text = to.name + " " + text
			}
			r.cut(i.Path.Pos(), i.Path.End(), text)
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

func (r *rewriter) values(list []ast.Expr) {
	for _, x := range list {
		r.value(x)
	}
}

// valueOK rewrites an expression. If two is set, both of its results are used.
func (r *rewriter) valueOK(x ast.Expr, two bool) {
	if u, ok := ast.Unparen(x).(*ast.UnaryExpr); ok && u.Op == token.ARROW && two {
		r.receive(u, "Recv2")
		return
	}
	r.value(x)
}

// value rewrites an expression whose value is used.
func (r *rewriter) value(x ast.Expr) {
	if x == nil {
		return
	}
	tv, known := r.Info.Types[x]
	if known && (tv.IsType() || tv.Value != nil) {
		return
	}
	if r.plain && known && tv.IsValue() && r.load(x) {
		return
	}
	switch e := x.(type) {
	case *ast.FuncLit:
		r.block(e.Body.List)
	case *ast.ParenExpr:
		r.value(e.X)
	case *ast.UnaryExpr:
		switch _, literal := ast.Unparen(e.X).(*ast.CompositeLit); {
		case e.Op == token.AND && !literal:
			r.target(e.X)
		case e.Op == token.ARROW:
			r.receive(e, "Recv")
		default:
			r.value(e.X)
		}
	case *ast.CallExpr:
		r.call(e)
	case *ast.CompositeLit:
		r.literal(e)
	case *ast.BinaryExpr:
		r.value(e.X)
		r.value(e.Y)
	case *ast.TypeAssertExpr:
		r.value(e.X)
	case *ast.StarExpr:
		r.value(e.X)
	case *ast.SliceExpr:
		if isArray(r.Info.TypeOf(e.X)) {
			r.target(e.X)
		} else {
			r.value(e.X)
		}
		r.values([]ast.Expr{e.Low, e.High, e.Max})
	case *ast.SelectorExpr:
		r.selector(e)
	case *ast.IndexExpr:
		switch t := r.Info.TypeOf(e.X); {
		case isArray(t):
			r.target(e.X)
		case r.plain && isMap(t):
			r.mapAccess(e.X, "MapRead")
		default:
			r.value(e.X)
		}
		r.value(e.Index)
	case *ast.KeyValueExpr:
		r.value(e.Key)
		r.value(e.Value)
	case *ast.IndexListExpr: // a method with type arguments, or a function
		r.value(e.X)
	case *ast.Ident, *ast.BasicLit:
	default:
		r.refuse(x.Pos(), "an expression that the rewriter does not know: %T", x)
	}
}

func (r *rewriter) literal(e *ast.CompositeLit) {
	t := core(r.Info.TypeOf(e))
	if p, ok := t.(*types.Pointer); ok { // an element {...} of []*T
		t = core(p.Elem())
	}
	_, isStruct := t.(*types.Struct)
	for _, el := range e.Elts {
		if kv, ok := el.(*ast.KeyValueExpr); ok {
			if !isStruct {
				r.value(kv.Key)
			}
			r.value(kv.Value)
		} else {
			r.value(el)
		}
	}
}

// selector rewrites the x of x.f and x.Method.
func (r *rewriter) selector(e *ast.SelectorExpr) {
	s := r.Info.Selections[e]
	if s == nil { // a name of a package
		return
	}
	pointer := isPointer(r.Info.TypeOf(e.X))
	recv := s.Obj().Type()
	if s.Kind() == types.MethodVal {
		recv = s.Obj().(*types.Func).Signature().Recv().Type()
	}
	switch {
	case s.Kind() == types.MethodVal && r.plain && pointer && !isPointer(recv) && !types.IsInterface(recv) && len(s.Index()) == 1:
		r.notes.count("load", 1) // p.Method is (*p).Method
		r.open(e.X.Pos(), r.hooked("Load("))
		r.value(e.X)
		r.closed(e.X.End(), ")")
	case pointer || s.Kind() == types.MethodVal && !isPointer(recv):
		r.value(e.X)
	default:
		r.target(e.X)
	}
}

// target rewrites an expression if only its address or a part of it is used.
func (r *rewriter) target(x ast.Expr) {
	switch x := x.(type) {
	case *ast.ParenExpr:
		r.target(x.X)
	case *ast.Ident:
	case *ast.SelectorExpr:
		r.selector(x)
	case *ast.StarExpr:
		r.value(x.X)
	case *ast.IndexExpr:
		switch t := r.Info.TypeOf(x.X); {
		case isMap(t):
			r.value(x)
		case isArray(t):
			r.target(x.X)
			r.value(x.Index)
		default:
			r.value(x.X)
			r.value(x.Index)
		}
	default:
		r.value(x)
	}
}

// left rewrites the left side of an assignment.
func (r *rewriter) left(x ast.Expr) {
	if i, ok := ast.Unparen(x).(*ast.IndexExpr); ok && isMap(r.Info.TypeOf(i.X)) {
		r.value(i.X)
		r.value(i.Index)
		return
	}
	r.target(x)
}

func (r *rewriter) call(c *ast.CallExpr) {
	if !r.Info.Types[c.Fun].IsBuiltin() {
		r.unsafePointer(c)
		r.value(c.Fun)
		r.values(c.Args)
		return
	}
	name := builtinName(c.Fun)
	if len(c.Args) > 0 {
		t := r.Info.TypeOf(c.Args[0])
		switch channel, isChan := core(t).(*types.Chan); {
		case name == "close":
			if !isChan {
				r.refuse(c.Pos(), "close of a channel whose type has no single element type")
			}
			r.cut(c.Fun.Pos(), c.Fun.End(), r.hooked("Close"))
			r.notes.count("channel", 1)
		case name == "len" && isChan:
			f := "Len"
			if channel.Dir() == types.SendOnly {
				f = "LenSend"
			}
			r.cut(c.Fun.Pos(), c.Fun.End(), r.hooked(f))
			r.notes.count("channel", 1)
		case name == "cap" && isChan && channel.Dir() != types.SendOnly && isTime(channel.Elem()):
			r.cut(c.Fun.Pos(), c.Fun.End(), r.hooked("Cap")) // that of a timer is 0
		case name == "Sizeof", name == "Alignof", name == "Offsetof":
			return
		case (name == "len" || name == "cap") && isArray(t):
			r.target(c.Args[0])
			return
		case r.plain && isMap(t) && (name == "delete" || name == "clear"):
			r.mapAccess(c.Args[0], "MapWrite")
			r.values(c.Args[1:])
			return
		case r.plain && isMap(t) && name == "len":
			r.mapAccess(c.Args[0], "MapRead")
			return
		case r.plain && (name == "append" || name == "copy" || name == "clear"):
			r.notes.miss("elements in "+name, r.place(c.Pos()))
		}
	}
	r.values(c.Args)
}

func builtinName(x ast.Expr) string {
	switch f := ast.Unparen(x).(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr: // of package unsafe
		return f.Sel.Name
	}
	return ""
}

// core returns the underlying type. For a type parameter, it is the common underlying
// type of all types in the constraint, or nil. Channels may differ in direction: then it
// is the type with the fewest directions.
func core(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	p, ok := types.Unalias(t).(*types.TypeParam)
	if !ok {
		return t.Underlying()
	}
	var found types.Type
	var each func(t types.Type) bool
	each = func(t types.Type) bool {
		switch u := t.(type) {
		case *types.Union:
			for i := range u.Len() {
				if !each(u.Term(i).Type()) {
					return false
				}
			}
			return true
		case *types.Interface, *types.Named, *types.Alias:
			if i, ok := u.Underlying().(*types.Interface); ok {
				for e := range i.EmbeddedTypes() {
					if !each(e) {
						return false
					}
				}
				return true
			}
		}
		u := t.Underlying()
		a, isChan := found.(*types.Chan)
		b, also := u.(*types.Chan)
		switch {
		case found == nil || types.Identical(found, u):
			found = u
		case isChan && also && types.Identical(a.Elem(), b.Elem()) && (a.Dir() == types.SendRecv || b.Dir() == types.SendRecv):
			if a.Dir() == types.SendRecv {
				found = u
			}
		default:
			return false
		}
		return true
	}
	if !each(p.Constraint().Underlying()) {
		return nil
	}
	return found
}

func isIdent(x ast.Expr) bool     { _, ok := x.(*ast.Ident); return ok }
func isPointer(t types.Type) bool { _, ok := core(t).(*types.Pointer); return ok }
func isTime(t types.Type) bool    { return types.TypeString(t, nil) == "time.Time" }
func isArray(t types.Type) bool   { _, ok := core(t).(*types.Array); return ok }
func isMap(t types.Type) bool     { _, ok := core(t).(*types.Map); return ok }

// receives reports whether an expression is a receive operation.
func receives(x ast.Expr) bool {
	u, ok := ast.Unparen(x).(*ast.UnaryExpr)
	return ok && u.Op == token.ARROW
}

// has reports whether is holds for a node in n.
func has(n ast.Node, is func(ast.Node) bool) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		found = found || n != nil && is(n)
		return !found
	})
	return found
}

// doesMore reports whether an expression does more than read.
func doesMore(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CallExpr, *ast.FuncLit:
		return true
	case *ast.UnaryExpr:
		return n.Op == token.ARROW
	}
	return false
}

func (r *rewriter) isRecover(n ast.Node) bool {
	c, ok := n.(*ast.CallExpr)
	return ok && builtinName(c.Fun) == "recover" && r.Info.Types[c.Fun].IsBuiltin()
}
