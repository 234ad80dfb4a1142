package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/leadline/leadline/history/explore/instrument/golist"
)

// isShared reports whether x is a variable that other threads may reach: a
// global, a captured one, the target of a pointer, or an element of a slice.
func (r *rewriter) isShared(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return r.isShared(x.X)
	case *ast.Ident:
		v, ok := r.Info.Uses[x].(*types.Var)
		return ok && !v.IsField() && (v.Parent() == r.Types.Scope() || r.shares[v])
	case *ast.SelectorExpr:
		s := r.Info.Selections[x]
		if s == nil {
			v, ok := r.Info.Uses[x.Sel].(*types.Var) // of another package
			return ok && !v.IsField()
		}
		return s.Kind() == types.FieldVal && (s.Indirect() || isPointer(r.Info.TypeOf(x.X)) || r.isShared(x.X))
	case *ast.StarExpr:
		return !r.Info.Types[x].IsType()
	case *ast.IndexExpr:
		switch t := core(r.Info.TypeOf(x.X)).(type) {
		case *types.Slice:
			return true
		case *types.Pointer:
			return isArray(t.Elem())
		case *types.Array:
			return r.isShared(x.X)
		}
	}
	return false
}

// load puts a scheduling point in front of x if x is a load, and reports whether it is.
func (r *rewriter) load(x ast.Expr) bool {
	if !r.isShared(x) {
		return false
	}
	if p, ok := x.(*ast.ParenExpr); ok {
		return r.load(p.X)
	}
	r.notes.count("load", 1)
	if star, ok := x.(*ast.StarExpr); ok {
		r.cut(star.Star, star.X.Pos(), r.hooked("Load("))
		r.value(star.X)
	} else {
		r.open(x.Pos(), r.hooked("Load(&"))
		r.target(x)
	}
	r.closed(x.End(), ")")
	return true
}

func (r *rewriter) mapAccess(m ast.Expr, f string) {
	r.notes.count("map access", 1)
	r.open(m.Pos(), r.hooked(f)+"(")
	r.value(m)
	r.closed(m.End(), ")")
}

// mapIndex returns x as an element of a map, or nil.
func (r *rewriter) mapIndex(x ast.Expr) *ast.IndexExpr {
	if i, ok := ast.Unparen(x).(*ast.IndexExpr); ok && isMap(r.Info.TypeOf(i.X)) {
		return i
	}
	return nil
}

// isPoint reports whether a store to one of the variables is a point.
func (r *rewriter) isPoint(list []ast.Expr) bool {
	return r.plain && slices.ContainsFunc(list, func(x ast.Expr) bool { return r.isShared(x) || r.mapIndex(x) != nil })
}

// store rewrites an assignment. Each store is a point of its own, after all operands have been
// evaluated:
//
//	x.f = a                At(&x.f).Set(a)
//	m[k] = a               MapOf(m).At(k).Set(a)
//	x.f += a               { p0 := At(&x.f); p0.Set(p0.Load() + (a)) }
//	x.f, local = f()       { p0 := At(&x.f); v0 := p0.Zero(); v0, local = f(); p0.Set(v0) }
//
// If it is not listed, a function literal with the block is called. op is that of x op= a, or
// "". There is no right side for x++.
func (r *rewriter) store(s ast.Stmt, left, right []ast.Expr, op string, listed bool) {
	if len(left) == 1 && op == "" {
		r.cut(r.placed(left[0], s.Pos(), ""), right[0].Pos(), ".Set(")
		r.value(right[0])
		r.closed(s.End(), ")")
		return
	}
	at, before, after := s.Pos(), "{ ", " }"
	if !listed {
		before, after = "func() { ", " }()"
	}
	var targets []string
	stores := ""
	for i, x := range left {
		n, target := strconv.Itoa(i), r.source(x)
		p := hook + "p" + n
		switch {
		case r.mapIndex(x) != nil || r.plain && r.isShared(x):
			at, before, target = r.placed(x, at, before+p+" := "), "; ", hook+"v"+n
			if op == "" {
				before += target + " := " + p + ".Zero(); "
				stores += "; " + p + ".Set(" + target + ")"
			}
		case !isIdent(x):
			r.cut(at, x.Pos(), before+p+" := &")
			r.target(x)
			at, before, target = x.End(), "; ", "*"+p
		}
		targets = append(targets, target)
	}
	set := strings.Join(targets, ", ") + " = "
	load := hook + "p0.Set(" + hook + "p0.Load() " + op
	switch {
	case len(right) == 0:
		r.cut(at, s.End(), before+load+" 1)"+after)
	case op != "":
		r.cut(at, right[0].Pos(), before+load+" (")
		r.value(right[0])
		r.closed(s.End(), "))"+after)
	case r.isTyped(left, right):
		v, ok := hook+"v", hook+"ok"
		r.cut(at, right[0].Pos(), before+v+", "+ok+" := ")
		r.valueOK(right[0], true)
		r.closed(s.End(), "; "+set+v+", "+ok+untyped+stores+after)
	default:
		r.cut(at, right[0].Pos(), before+set)
		r.valueOK(right[0], len(left) == 2 && len(right) == 1)
		r.values(right[1:])
		r.closed(s.End(), stores+after)
	}
	if op != "" {
		r.notes.count(map[bool]string{false: "load", true: "map access"}[r.mapIndex(left[0]) != nil], 1)
	}
}

// placed rewrites a variable to its place. The text before it is cut from at. It returns the end.
func (r *rewriter) placed(x ast.Expr, at token.Pos, before string) token.Pos {
	m := r.mapIndex(x)
	if m == nil {
		r.notes.count("store", 1)
		r.cut(at, x.Pos(), before+r.hooked("At(&"))
		r.target(x)
		r.closed(x.End(), ")")
		return x.End()
	}
	r.notes.count("map access", 1)
	r.cut(at, m.X.Pos(), before+r.hooked("MapOf("))
	r.value(m.X)
	r.cut(m.X.End(), m.Index.Pos(), ").At(")
	r.value(m.Index)
	r.closed(m.Index.End(), ")")
	return m.Index.End()
}

// redeclared notes the stores by := to existing variables.
func (r *rewriter) redeclared(s *ast.AssignStmt) {
	for _, x := range s.Lhs {
		if id, ok := x.(*ast.Ident); ok && r.plain && r.Info.Defs[id] == nil && r.isShared(id) {
			r.notes.miss("store by :=", r.place(s.Pos()))
		}
	}
}

// sharedVariables returns the local variables that change after their
// declaration and that a function literal captures, or whose address is taken.
func sharedVariables(s *golist.Source) map[*types.Var]bool {
	captured, changed, addressed := map[*types.Var]bool{}, map[*types.Var]bool{}, map[*types.Var]bool{}
	use := func(x ast.Expr) *types.Var {
		id, _ := x.(*ast.Ident)
		v, _ := s.Info.Uses[id].(*types.Var)
		return v
	}
	mark := func(m map[*types.Var]bool, x ast.Expr) {
		if x == nil {
			return
		}
		for {
			switch e := x.(type) {
			case *ast.ParenExpr:
				x = e.X
				continue
			case *ast.SelectorExpr:
				if !isPointer(s.Info.TypeOf(e.X)) {
					x = e.X
					continue
				}
			case *ast.IndexExpr:
				if isArray(s.Info.TypeOf(e.X)) {
					x = e.X
					continue
				}
			case *ast.Ident:
				if v := use(e); v != nil {
					m[v] = true
				}
			}
			return
		}
	}
	var literals []*ast.FuncLit
	var inspect func(n ast.Node) bool
	inspect = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			literals = append(literals, n)
			ast.Inspect(n.Type, inspect)
			ast.Inspect(n.Body, inspect)
			literals = literals[:len(literals)-1]
			return false
		case *ast.Ident:
			v := use(n)
			if v != nil && len(literals) > 0 && v.Pos() < literals[len(literals)-1].Pos() {
				captured[v] = true
			}
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				mark(changed, x)
			}
		case *ast.IncDecStmt:
			mark(changed, n.X)
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				mark(changed, n.Key)
				mark(changed, n.Value)
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				mark(addressed, n.X)
			}
		}
		return true
	}
	for _, f := range s.Files {
		ast.Inspect(f, inspect)
	}
	shared := map[*types.Var]bool{}
	for v := range captured {
		shared[v] = changed[v] || addressed[v]
	}
	for v := range addressed {
		shared[v] = true
	}
	return shared
}
