package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/leadline/leadline/history/stress/explore/instrument/golist"
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

// stores reports whether a store to one of the variables is a point.
func (r *rewriter) stores(list []ast.Expr) bool {
	for _, x := range list {
		if r.isShared(x) || r.mapIndex(x) != nil {
			return true
		}
	}
	return false
}

// point returns the expression that is the point of a store to x.
func (r *rewriter) point(x ast.Expr) string {
	if m := r.mapIndex(x); m != nil {
		r.notes.count("map access", 1)
		return r.hooked("MapWrite(") + oneLine([]byte(r.source(m.X))) + ")"
	}
	if r.isShared(x) {
		r.notes.count("store", 1)
		return r.hooked("Store(&") + oneLine([]byte(r.source(x))) + ")"
	}
	return ""
}

// isSimple reports whether the left side of an assignment can be evaluated twice: it reads
// nothing that other threads may change.
func (r *rewriter) isSimple(x ast.Expr) bool {
	if hasCall(x) {
		return false
	}
	n := len(r.list)
	r.notes.quiet = true
	r.left(x)
	simple := len(r.list) == n
	r.list, r.notes.quiet = r.list[:n], false
	return simple
}

// store puts scheduling points between the evaluation of an assignment and its stores. It
// reports whether it has rewritten the statement.
func (r *rewriter) store(s *ast.AssignStmt, listed bool) bool {
	if !r.stores(s.Lhs) {
		return false
	}
	x := s.Lhs[0]
	simple := !slices.ContainsFunc(s.Lhs, func(x ast.Expr) bool { return !r.isSimple(x) })
	switch {
	case len(s.Lhs) == 1 && s.Tok == token.ASSIGN:
		r.set(x, s.Rhs[0])
	case s.Tok != token.ASSIGN && simple:
		op := strings.TrimSuffix(s.Tok.String(), "=")
		text := ", _ = " + r.loadText(x) + " " + op + " ("
		end := "), " + r.point(x)
		r.left(x)
		r.cut(s.TokPos, s.Rhs[0].Pos(), text)
		r.value(s.Rhs[0])
		r.closed(s.End(), end)
	case s.Tok != token.ASSIGN && listed && r.mapIndex(x) == nil:
		op := strings.TrimSuffix(s.Tok.String(), "=")
		r.through(x, s.TokPos, s.Rhs[0].Pos(), op+" (")
		r.value(s.Rhs[0])
		r.closed(s.End(), "), "+r.hooked("Store(")+hook+"p) }")
	case s.Tok != token.ASSIGN && listed && r.hasKey(x):
		op := strings.TrimSuffix(s.Tok.String(), "=")
		end := r.throughMap(x, s.Rhs[0].Pos(), op+" (")
		r.value(s.Rhs[0])
		r.closed(s.End(), ")"+end)
	case len(s.Lhs) > 1 && len(s.Lhs) == len(s.Rhs) && simple:
		var points []string
		for _, x := range s.Lhs {
			if p := r.point(x); p != "" {
				points = append(points, p)
			}
			r.left(x)
		}
		r.cut(s.TokPos, s.Rhs[0].Pos(), strings.Repeat(", _", len(points))+" = ")
		r.values(s.Rhs)
		r.closed(s.End(), ", "+strings.Join(points, ", "))
	default:
		return r.assignBlock(s, listed)
	}
	return true
}

// set rewrites x = e to At(&x).Set(e).
func (r *rewriter) set(x, value ast.Expr) {
	if m := r.mapIndex(x); m != nil {
		r.notes.count("map access", 1)
		r.cut(x.Pos(), m.X.Pos(), r.hooked("MapAt("))
		r.value(m.X)
		r.cut(m.X.End(), m.Index.Pos(), ").Set(")
		r.value(m.Index)
		r.cut(m.Index.End(), value.Pos(), ", ")
	} else {
		r.notes.count("store", 1)
		r.open(x.Pos(), r.hooked("At(&"))
		r.target(x)
		r.cut(x.End(), value.Pos(), ").Set(")
	}
	r.value(value)
	r.closed(value.End(), ")")
}

// through rewrites x op= e to { p := &x; *p, _ = Load(p) op e, Store(p) }, up to
// the operator.
func (r *rewriter) through(x ast.Expr, from, to token.Pos, op string) {
	p := hook + "p"
	r.notes.count("store", 1)
	r.notes.count("load", 1)
	r.open(x.Pos(), "{ "+p+" := &")
	r.target(x)
	r.cut(from, to, "; *"+p+", _ = "+r.hooked("Load(")+p+") "+op)
}

// hasKey reports whether a variable can hold the key of an element of a map.
func (r *rewriter) hasKey(x ast.Expr) bool {
	m := r.mapIndex(x)
	return m != nil && !r.isUntyped(m.Index)
}

// mapElement removes an element of a map from the text. It returns the statements
// that evaluate map and key, the map, and the element.
func (r *rewriter) mapElement(x ast.Expr, suffix string) (head, m, element string) {
	i := r.mapIndex(x)
	m = hook + "m" + suffix
	r.value(i.X)
	head = m + " := " + r.taken(i.X) + "; "
	k := r.Info.Types[i.Index]
	if k.Value != nil || k.IsNil() {
		return head, m, m + "[" + r.taken(i.Index) + "]"
	}
	r.value(i.Index)
	key := hook + "k" + suffix
	return head + key + " := " + r.taken(i.Index) + "; ", m, m + "[" + key + "]"
}

// throughMap is through for elements of maps. It returns the end of the block.
func (r *rewriter) throughMap(x ast.Expr, to token.Pos, op string) string {
	r.notes.count("map access", 2)
	head, m, element := r.mapElement(x, "")
	r.dropCuts(x.Pos(), to)
	r.cut(x.Pos(), to, "{ "+head+element+", _ = "+r.hooked("MapRead(")+m+")"+strings.TrimPrefix(element, m)+" "+op)
	return ", " + r.hooked("MapWrite(") + m + ") }"
}

// assignBlock rewrites an assignment of several results, or one whose variables
// cannot be evaluated twice:
//
//	{ p := &x.next.f; a, b := f(); *p, y, _ = a, b, Store(p) }
//
// It returns false, and leaves the statement, if no block can take its place.
func (r *rewriter) assignBlock(s *ast.AssignStmt, listed bool) bool {
	mustBe := receives(s.Rhs[0]) && r.isNamedBool(s.Lhs[len(s.Lhs)-1])
	possible := listed
	for _, x := range s.Lhs {
		if r.plain && (r.isShared(x) || r.hasKey(x)) {
			continue // its address or its map and key will do
		}
		possible = possible && r.isSimple(x)
	}
	if !possible {
		if mustBe {
			r.refuse(s.Pos(), "the second result of this receive operation is not a bool; assign it in a statement of its own")
		} else {
			r.notes.miss("store in an assignment like this", r.place(s.Pos()))
		}
		return false
	}
	head := "{ "
	var variables, targets, values, points []string
	for i, x := range s.Lhs {
		name := hook + strconv.Itoa(i)
		if isBlank(x) {
			variables = append(variables, "_")
			if len(s.Lhs) == len(s.Rhs) {
				targets = append(targets, "_")
			}
			continue
		}
		variables = append(variables, name)
		if r.isNamedBool(x) && isCommaOK(s.Rhs[0]) {
			name += untyped
		}
		values = append(values, name)
		if r.plain && r.isShared(x) && !r.isSimple(x) {
			p := hook + "p" + strconv.Itoa(i)
			r.target(x)
			head += p + " := &" + r.taken(x) + "; "
			targets, points = append(targets, "*"+p), append(points, r.hooked("Store(")+p+")")
			r.notes.count("store", 1)
			continue
		}
		if r.plain && r.mapIndex(x) != nil && !r.isSimple(x) {
			before, m, element := r.mapElement(x, strconv.Itoa(i))
			head += before
			targets, points = append(targets, element), append(points, r.hooked("MapWrite(")+m+")")
			r.notes.count("map access", 1)
			continue
		}
		if r.plain && r.stores([]ast.Expr{x}) {
			points = append(points, r.point(x))
		}
		r.left(x)
		targets = append(targets, r.taken(x))
	}
	r.dropCuts(s.Pos(), s.Rhs[0].Pos())
	left := strings.Join(targets, ", ") + strings.Repeat(", _", len(points)) + " = "
	if len(s.Lhs) == len(s.Rhs) {
		r.cut(s.Pos(), s.Rhs[0].Pos(), head+left)
		r.values(s.Rhs)
		r.closed(s.End(), strings.Join(append([]string{""}, points...), ", ")+" }")
		return true
	}
	r.cut(s.Pos(), s.Rhs[0].Pos(), head+strings.Join(variables, ", ")+" := ")
	r.valueOK(s.Rhs[0], len(s.Lhs) == 2)
	r.closed(s.End(), "; "+left+strings.Join(append(values, points...), ", ")+" }")
	return true
}

// loadText returns the load of x, for x op= y.
func (r *rewriter) loadText(x ast.Expr) string {
	if m := r.mapIndex(x); m != nil {
		r.notes.count("map access", 1)
		return r.hooked("MapRead(") + oneLine([]byte(r.source(m.X))) + ")[" + oneLine([]byte(r.source(m.Index))) + "]"
	}
	r.notes.count("load", 1)
	return r.hooked("Load(&") + oneLine([]byte(r.source(x))) + ")"
}

func (r *rewriter) incDec(s *ast.IncDecStmt, listed bool) {
	op := s.Tok.String()[:1]
	switch end := s.TokPos + 2; {
	case !r.plain || !r.stores([]ast.Expr{s.X}):
		r.left(s.X)
	case r.isSimple(s.X):
		text := ", _ = " + r.loadText(s.X) + " " + op + " 1, " + r.point(s.X)
		r.left(s.X)
		r.cut(s.TokPos, end, text)
	case listed && r.mapIndex(s.X) == nil:
		r.through(s.X, s.TokPos, end, op+" 1, "+r.hooked("Store(")+hook+"p) }")
	case listed && r.hasKey(s.X):
		rest := r.throughMap(s.X, end, op+" 1")
		r.closed(end, rest)
	default:
		r.notes.miss("store in an assignment like this", r.place(s.Pos()))
		r.left(s.X)
	}
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
