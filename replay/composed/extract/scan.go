package extract

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"github.com/leadline/leadline/history/explore/instrument/golist"
)

// A path identifies the collection that an expression denotes. It is a variable, and the
// fields and elements that lead from it to the collection. Equal paths denote the same
// collection, unless the function assigns to a part of the path in between.
type path struct {
	root   types.Object
	suffix string // such as .shards[i].m
	// inner are the other variables of the path, such as i.
	inner []types.Object
}

func (p path) String() string { return p.root.Name() + p.suffix }

func (p path) same(q path) bool { return p.root == q.root && p.suffix == q.suffix }

// declaredIn reports whether a variable of the path is declared inside a node.
func (p path) declaredIn(n ast.Node) bool {
	return slices.ContainsFunc(append(p.inner, p.root), func(o types.Object) bool {
		return n.Pos() <= o.Pos() && o.Pos() < n.End()
	})
}

// An op is a call of a method of a collection, in a unit.
type op struct {
	Operation
	of   path
	typ  *types.Named // of the collection
	site token.Pos
	loop bool // the call is in a loop of the unit
	// part reports that the call is the operation itself, or of a function with one operation.
	// A function that only calls composed ones is not listed.
	part bool
}

// A unit is code that one goroutine runs. It is the body of a function with its function
// literals, a function literal of a go statement, or a function literal that uses a
// collection that the function around it makes.
type unit struct {
	name    string
	pos     token.Pos
	decl    *ast.FuncDecl // nil for a literal
	body    *ast.BlockStmt
	aliases map[types.Object]ast.Expr
	local   map[types.Object]bool // collections that the unit makes
	ops     []*op
	calls   []call                // of functions of the package
	inlined []*op                 // ops, and those of the functions that it calls
	only    map[types.Object]bool // if not nil, the unit around it handles all other collections
}

// A call of a function of the same package. receiver is nil for a function.
type call struct {
	callee   *types.Func
	receiver *path
	args     []*path // nil for an argument that is not a path
	site     token.Pos
	loops    []ast.Node
}

// A scanner scans one package.
type scanner struct {
	*golist.Source
	fset   *token.FileSet
	units  []*unit
	byFunc map[*types.Func]*unit
}

func newScanner(s *golist.Source, fset *token.FileSet) *scanner {
	x := &scanner{Source: s, fset: fset, byFunc: map[*types.Func]*unit{}}
	for _, file := range s.Files {
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Body != nil {
					x.function(d)
				}
			case *ast.GenDecl:
				x.literals(d)
			}
		}
	}
	x.inline()
	return x
}

func (x *scanner) function(d *ast.FuncDecl) {
	u := &unit{name: d.Name.Name, pos: d.Name.Pos(), decl: d, body: d.Body}
	if d.Recv != nil && len(d.Recv.List) == 1 {
		u.name = "(" + types.ExprString(d.Recv.List[0].Type) + ")." + u.name
		u.name = strings.Replace(u.name, "((", "(", 1)
	}
	if f, ok := x.Info.Defs[d.Name].(*types.Func); ok {
		x.byFunc[f] = u
	}
	x.scan(u)
}

// literals adds the function literals of variables at package level.
func (x *scanner) literals(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		values, ok := spec.(*ast.ValueSpec)
		if !ok || len(values.Names) != len(values.Values) {
			continue
		}
		for i, v := range values.Values {
			ast.Inspect(v, func(n ast.Node) bool {
				lit, ok := n.(*ast.FuncLit)
				if ok {
					x.scan(&unit{name: values.Names[i].Name, pos: lit.Pos(), body: lit.Body})
				}
				return !ok
			})
		}
	}
}

// scan collects the operations of a unit, and its calls.
func (x *scanner) scan(u *unit) {
	x.units = append(x.units, u)
	x.assignments(u)
	var stack []ast.Node
	ast.Inspect(u.body, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		if g, ok := n.(*ast.GoStmt); ok {
			if lit, ok := g.Call.Fun.(*ast.FuncLit); ok {
				x.scan(&unit{name: u.name + " (go statement)", pos: lit.Pos(), body: lit.Body})
			}
			return false
		}
		switch n := n.(type) {
		case *ast.CallExpr:
			x.call(u, n, append(stack, n))
		case *ast.FuncLit:
			if used := x.captured(u, n); len(used) > 0 && !slices.ContainsFunc(stack, func(outer ast.Node) bool {
				lit, ok := outer.(*ast.FuncLit)
				return ok && len(x.captured(u, lit)) > 0
			}) {
				x.scan(&unit{name: u.name + " (function literal)", pos: n.Pos(), body: n.Body, only: used})
			}
		}
		stack = append(stack, n)
		return true
	})
	slices.SortStableFunc(u.ops, func(a, b *op) int { return int(a.site - b.site) })
}

// captured returns the collections that a function literal uses and that the unit makes
// outside of the literal.
func (x *scanner) captured(u *unit, lit *ast.FuncLit) map[types.Object]bool {
	used := map[types.Object]bool{}
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if o := x.Info.Uses[id]; o != nil && u.local[o] && !(path{root: o}).declaredIn(lit) {
				used[o] = true
			}
		}
		return true
	})
	return used
}

// assignments finds the variables of a unit that are assigned once, to a place, and the
// variables that are collections made by the unit.
func (x *scanner) assignments(u *unit) {
	u.aliases, u.local = map[types.Object]ast.Expr{}, map[types.Object]bool{}
	count := map[types.Object]int{}
	ast.Inspect(u.body, func(n ast.Node) bool {
		var left, right []ast.Expr
		zero := false // a declaration without values
		switch n := n.(type) {
		case *ast.AssignStmt:
			left, right = n.Lhs, n.Rhs
		case *ast.RangeStmt:
			left = []ast.Expr{n.Key, n.Value}
		case *ast.ValueSpec:
			right, zero = n.Values, len(n.Values) == 0
			for _, id := range n.Names {
				left = append(left, id)
			}
		}
		for i, e := range left {
			id, ok := ast.Unparen(e).(*ast.Ident)
			if !ok || id.Name == "_" || x.Info.ObjectOf(id) == nil {
				continue
			}
			o := x.Info.ObjectOf(id)
			_, isStruct := o.Type().Underlying().(*types.Struct)
			count[o]++
			switch {
			case count[o] > 1:
				delete(u.aliases, o)
			case zero:
				u.local[o] = isStruct
			case len(left) != len(right): // the value is a part of another one
			case x.makes(right[i]):
				u.local[o] = true
			case !isStruct:
				u.aliases[o] = right[i]
			}
		}
		return true
	})
}

var constructor = regexp.MustCompile(`^[nN]ew($|[A-Z])`)

// isConstructor reports whether a function without a receiver has a name such as NewSet.
func isConstructor(o types.Object) bool {
	f, ok := o.(*types.Func)
	return ok && f.Signature().Recv() == nil && constructor.MatchString(f.Name())
}

// makes reports whether an expression makes a new object: a composite literal,
// new, a constructor, or a function of a collection's package.
func (x *scanner) makes(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.CompositeLit:
		return true
	case *ast.UnaryExpr:
		return e.Op == token.AND && x.makes(e.X)
	case *ast.CallExpr:
		switch f := called(e).(type) {
		case *ast.Ident:
			_, builtin := x.Info.Uses[f].(*types.Builtin)
			return builtin && f.Name == "new" || isConstructor(x.Info.Uses[f])
		case *ast.SelectorExpr:
			o, ok := x.Info.Uses[f.Sel].(*types.Func)
			return ok && o.Pkg() != nil && o.Signature().Recv() == nil && (lookupLibrary(o.Pkg().Path()) != nil || isConstructor(o))
		}
	}
	return false
}

// called returns the function of a call, without its type arguments.
func called(c *ast.CallExpr) ast.Expr {
	switch f := ast.Unparen(c.Fun).(type) {
	case *ast.IndexExpr:
		return f.X
	case *ast.IndexListExpr:
		return f.X
	default:
		return f
	}
}

// call adds a call to a unit, if a collection or the package has the function.
func (x *scanner) call(u *unit, c *ast.CallExpr, stack []ast.Node) {
	switch f := called(c).(type) {
	case *ast.Ident:
		if callee, ok := x.Info.Uses[f].(*types.Func); ok && callee.Pkg() == x.Types {
			u.calls = append(u.calls, call{callee.Origin(), nil, x.paths(u, c.Args), c.Pos(), x.loops(stack)})
		}
	case *ast.SelectorExpr:
		selection := x.Info.Selections[f]
		if selection == nil || selection.Kind() != types.MethodVal {
			return
		}
		callee, ok := selection.Obj().(*types.Func)
		if !ok {
			return
		}
		of, ok := x.path(u, f.X)
		if !ok {
			return
		}
		of.suffix += implicit(selection)
		if typ := collectionType(callee); typ != nil {
			o := Operation{Method: callee.Name(), Loop: repeats(of, x.loops(stack))}
			u.ops = append(u.ops, &op{o, of, typ, f.Sel.Pos(), o.Loop, true})
		} else if callee.Pkg() == x.Types {
			u.calls = append(u.calls, call{callee.Origin(), &of, x.paths(u, c.Args), f.Sel.Pos(), x.loops(stack)})
		}
	}
}

// loops returns the loops that run the last node of the stack several times.
// A call of a method of a collection with a function literal is one.
func (x *scanner) loops(stack []ast.Node) []ast.Node {
	var loops []ast.Node
	for i, n := range stack[:len(stack)-1] {
		inside := stack[i+1]
		switch n := n.(type) {
		case *ast.ForStmt:
			if inside != n.Init {
				loops = append(loops, n)
			}
		case *ast.RangeStmt:
			if inside != n.X {
				loops = append(loops, n)
			}
		case *ast.CallExpr:
			f, ok := n.Fun.(*ast.SelectorExpr)
			if _, literal := inside.(*ast.FuncLit); !ok || !literal || x.Info.Selections[f] == nil {
				continue
			}
			if callee, ok := x.Info.Selections[f].Obj().(*types.Func); ok && collectionType(callee) != nil && iterates(callee.Name()) {
				loops = append(loops, n)
			}
		}
	}
	return loops
}

// repeats reports whether one of the loops repeats an operation on the same
// collection.
func repeats(of path, loops []ast.Node) bool {
	return slices.ContainsFunc(loops, func(n ast.Node) bool { return !of.declaredIn(n) })
}

// callDepth is the depth of calls that count as operations of a function.
const callDepth = 3

// inline sets the operations of all units with those of the functions of the package that
// they call.
func (x *scanner) inline() {
	for range callDepth {
		all := make([][]*op, len(x.units))
		for i, u := range x.units {
			all[i] = x.withCallees(u)
		}
		for i, u := range x.units {
			u.inlined = all[i]
		}
	}
}

// withCallees returns the operations of a unit and the known ones of the functions that it
// calls.
func (x *scanner) withCallees(u *unit) []*op {
	ops := slices.Clone(u.ops)
	for _, c := range u.calls {
		callee := x.byFunc[c.callee]
		if callee == nil || callee == u {
			continue
		}
		known, first := callee.ops, len(ops)
		if callee.inlined != nil {
			known = callee.inlined
		}
		for _, inner := range known {
			of, ok := c.substitute(inner.of)
			if !ok || slices.ContainsFunc(ops[first:], func(o *op) bool { return o.Method == inner.Method && o.of.same(of) }) {
				continue
			}
			loop := repeats(of, c.loops)
			o := Operation{Method: inner.Method, Loop: inner.Loop || loop, Via: callee.name}
			ops = append(ops, &op{o, of, inner.typ, c.site, loop, len(known) == 1})
		}
	}
	slices.SortStableFunc(ops, func(a, b *op) int { return int(a.site - b.site) })
	return ops
}

// substitute translates a path of the called function into a path of the caller.
func (c call) substitute(p path) (path, bool) {
	if len(p.inner) > 0 {
		return p, false
	}
	s := c.callee.Signature()
	var of *path
	switch {
	case p.root == s.Recv():
		of = c.receiver
	case p.root.Parent() == c.callee.Pkg().Scope():
		return p, true
	default:
		for i := range s.Params().Len() {
			if s.Params().At(i) == p.root && i < len(c.args) && !(s.Variadic() && i == s.Params().Len()-1) {
				of = c.args[i]
			}
		}
	}
	if of == nil {
		return p, false
	}
	return path{of.root, of.suffix + p.suffix, of.inner}, true
}

// composed returns the operations of a unit and its callees, grouped by collection. It leaves
// out collections with a single operation outside of loops, and those with a single call.
func (u *unit) composed() [][]*op {
	var groups [][]*op
	for _, o := range u.inlined {
		if u.only != nil && !u.only[o.of.root] {
			continue
		}
		i := slices.IndexFunc(groups, func(g []*op) bool { return g[0].of.same(o.of) })
		if i < 0 {
			groups = append(groups, []*op{o})
			continue
		}
		groups[i] = append(groups[i], o)
	}
	return slices.DeleteFunc(groups, func(g []*op) bool {
		return g[0].site == g[len(g)-1].site && !g[0].loop || !slices.ContainsFunc(g, func(o *op) bool { return o.part })
	})
}
