package instrument

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

func (r *rewriter) send(s *ast.SendStmt) {
	r.open(s.Pos(), r.hooked("To("))
	r.value(s.Chan)
	r.cut(s.Chan.End(), s.Value.Pos(), ").Send(")
	r.value(s.Value)
	r.closed(s.End(), ")")
	r.notes.count("channel", 1)
}

func (r *rewriter) receive(u *ast.UnaryExpr, name string) {
	r.cut(u.OpPos, u.X.Pos(), r.hooked(name)+"(")
	r.value(u.X)
	r.closed(u.End(), ")")
	r.notes.count("channel", 1)
}

// rangeStatement rewrites the range over a channel or a map, or over the elements
// of a slice if these are points, to a loop with three clauses. Its variables are
// then as new in each iteration as they were.
func (r *rewriter) rangeStatement(s *ast.RangeStmt) {
	var f string
	variables := 2
	elements := r.plain && s.Value != nil && !isBlank(s.Value)
	switch t := core(r.Info.TypeOf(s.X)).(type) {
	case *types.Chan:
		f, variables = "RangeChan", 1
		r.notes.count("channel range", 1)
	case *types.Map:
		f = "RangeMap"
		r.notes.count("map range", 1)
	case *types.Slice:
		if elements {
			f = "RangeSlice"
			r.notes.count("load", 1)
		}
	case *types.Pointer:
		if elements && isArray(t.Elem()) {
			r.notes.miss("elements in range", r.place(s.Pos()))
		}
	}
	if f == "" {
		if s.Tok == token.ASSIGN {
			for _, x := range []ast.Expr{s.Key, s.Value} {
				if x != nil {
					r.left(x)
				}
			}
		}
		if has(s.X, doesMore) || !r.isLength(s) {
			r.value(s.X)
		}
		r.block(s.Body.List)
		return
	}
	declared, next, to, from := hook+"it", "", []string{}, []string{}
	for i, x := range []ast.Expr{s.Key, s.Value}[:variables] {
		name, address := "_", "nil"
		if x != nil && !isBlank(x) {
			name = hook + strconv.Itoa(i)
			if s.Tok == token.DEFINE {
				name = r.source(x)
			} else {
				if r.plain && r.isShared(x) {
					r.notes.miss("store of a range", r.place(x.Pos()))
				}
				r.left(x)
				to, from = append(to, r.taken(x)), append(from, name)
			}
			address = "&" + name
		}
		declared += ", " + name
		if next += address; i+1 < variables {
			next += ", "
		}
	}
	r.dropCuts(s.For, s.X.Pos())
	r.cut(s.For, s.X.Pos(), "for "+declared+" := "+r.hooked(f)+"(")
	r.value(s.X)
	r.closed(s.X.End(), "); "+hook+"it.Next("+next+");")
	if len(to) > 0 {
		r.open(s.Body.Lbrace+1, " "+strings.Join(to, ", ")+" = "+strings.Join(from, ", ")+";")
	}
	r.block(s.Body.List)
}

// isLength reports whether a range uses only the length of an array, so that it
// does not evaluate the array, which a nil pointer may point to.
func (r *rewriter) isLength(s *ast.RangeStmt) bool {
	t := core(r.Info.TypeOf(s.X))
	if p, ok := t.(*types.Pointer); ok {
		t = core(p.Elem())
	}
	_, ok := t.(*types.Array)
	return ok && (s.Value == nil || isBlank(s.Value))
}

func isBlank(x ast.Expr) bool {
	id, ok := x.(*ast.Ident)
	return ok && id.Name == "_"
}

// selectStatement rewrites a select to a switch. What its cases evaluate is then
// in the head of the switch.
func (r *rewriter) selectStatement(s *ast.SelectStmt) {
	r.notes.count("select", 1)
	if len(s.Body.List) == 0 {
		r.cut(s.Pos(), s.End(), "for { "+r.hooked("Block")+"() }")
		return
	}
	hasDefault := false
	var names, operands []string
	for i, c := range s.Body.List {
		c := c.(*ast.CommClause)
		if c.Comm == nil {
			hasDefault = true
			continue
		}
		name := hook + strconv.Itoa(len(names))
		operand, then := r.communication(c.Comm, name)
		r.dropCuts(c.Case, c.Colon+1)
		head := fmt.Sprintf("case %d:", len(names))
		if i == len(s.Body.List)-1 && !hasDefault {
			head = "default:" // so that the switch is a terminating statement where the select is one
		}
		if then != "" {
			head += " " + then + ";"
		}
		r.cut(c.Case, c.Colon+1, head)
		names, operands = append(names, name), append(operands, operand)
	}
	head := "switch "
	if len(names) > 0 {
		head += strings.Join(names, ", ") + " := " + strings.Join(operands, ", ") + "; "
	}
	head += r.hooked("Select") + "(" + strings.Join(append([]string{map[bool]string{false: "0 != 0", true: "0 == 0"}[hasDefault]}, names...), ", ") + ") "
	r.cut(s.Select, s.Body.Lbrace, head)
	for _, c := range s.Body.List {
		r.block(c.(*ast.CommClause).Body)
	}
}

// communication returns what a case evaluates, and what it does if it is chosen.
func (r *rewriter) communication(s ast.Stmt, name string) (operand, then string) {
	receive := func(x ast.Expr) string {
		u := ast.Unparen(x).(*ast.UnaryExpr)
		r.value(u.X)
		return r.hooked("RecvCase(") + r.taken(u.X) + ")"
	}
	switch s := s.(type) {
	case *ast.SendStmt:
		r.value(s.Chan)
		r.value(s.Value)
		return r.hooked("To(") + r.taken(s.Chan) + ").Case(" + r.taken(s.Value) + ")", ""
	case *ast.ExprStmt:
		return receive(s.X), ""
	case *ast.AssignStmt:
		operand := receive(s.Rhs[0])
		value := name + ".Value()"
		if len(s.Lhs) == 2 {
			value = name + ".Value2()"
		}
		var to []string
		for _, x := range s.Lhs {
			if s.Tok == token.ASSIGN {
				if r.plain && r.isShared(x) {
					r.notes.miss("store of a case", r.place(x.Pos()))
				}
				r.left(x)
				to = append(to, r.taken(x))
			} else {
				to = append(to, r.source(x))
			}
		}
		if s.Tok == token.ASSIGN && len(to) == 2 && r.isNamedBool(s.Lhs[1]) {
			v, ok := hook+"v", hook+"ok"
			return operand, v + ", " + ok + " := " + value + "; " + strings.Join(to, ", ") + " = " + v + ", " + ok + untyped
		}
		return operand, strings.Join(to, ", ") + " " + s.Tok.String() + " " + value
	}
	r.refuse(s.Pos(), "a case that the rewriter does not know: %T", s)
	return "", ""
}

// goStatement rewrites go f(x) so that f and x are evaluated where they were:
// { f, x := f, x; Go(func() { f(x) }) }.
func (r *rewriter) goStatement(s *ast.GoStmt) {
	r.notes.count("go", 1)
	c := s.Call
	spawn := r.hooked("Go(")
	if lit, ok := c.Fun.(*ast.FuncLit); ok && len(c.Args) == 0 && lit.Type.Results == nil {
		r.cut(s.Go, lit.Pos(), spawn)
		r.block(lit.Body.List)
		r.cut(lit.End(), c.Rparen+1, ")")
		return
	}
	at, pending := s.Go, "{ "
	keep := func(x ast.Expr, name string) string {
		m, arguments := r.genericMethod(x)
		if m == nil {
			r.cut(at, x.Pos(), pending+name+" := ")
			r.value(x)
			at, pending = x.End(), "; "
			return name
		}
		r.receiver(m, at, pending+name+" := ")
		at, pending = m.X.End(), "; "
		return name + "." + m.Sel.Name + arguments
	}
	var f string
	builtin := r.Info.Types[c.Fun].IsBuiltin()
	if builtin || r.isDeclared(c.Fun) {
		f = oneLine([]byte(r.source(c.Fun)))
		if builtin && builtinName(c.Fun) == "close" {
			f = r.hooked("Close")
			r.notes.count("channel", 1)
		}
	} else {
		f = keep(c.Fun, hook+"f")
	}
	var args []string
	for i, x := range c.Args {
		name := hook + strconv.Itoa(i)
		tv := r.Info.Types[x]
		tuple, isTuple := tv.Type.(*types.Tuple)
		switch {
		case tv.IsNil(), tv.Value != nil, tv.IsType(), r.isDeclared(x):
			name = oneLine([]byte(r.source(x)))
		case isTuple:
			list := []string{name}
			for j := 1; j < tuple.Len(); j++ {
				list = append(list, hook+strconv.Itoa(j))
			}
			name = strings.Join(list, ", ")
			keep(x, name)
		case r.isUntyped(x):
			if keep(x, name); r.isNamedBool(x) {
				name += untyped
			} else if t, ok := r.nameAt(tv.Type, x.Pos()); ok {
				r.open(x.Pos(), t+"(")
				r.closed(x.End(), ")")
			} else {
				r.refuse(x.Pos(), "the type of this argument of a go statement is not written, and has no name here; use a variable")
			}
		default:
			name = keep(x, name)
		}
		args = append(args, name)
	}
	spread := ""
	if c.Ellipsis.IsValid() {
		spread = "..."
	}
	r.cut(at, c.Rparen+1, pending+spawn+"func() { "+f+"("+strings.Join(args, ", ")+spread+") }) }")
}

// isDeclared reports whether x names a declared function, so that evaluating it later
// makes no difference. The function may be generic and lack type arguments.
func (r *rewriter) isDeclared(x ast.Expr) bool {
	switch f := ast.Unparen(x).(type) {
	case *ast.Ident:
		_, ok := r.Info.Uses[f].(*types.Func)
		return ok
	case *ast.SelectorExpr:
		_, ok := r.Info.Uses[f.Sel].(*types.Func)
		s := r.Info.Selections[f]
		return ok && (s == nil || s.Kind() == types.MethodExpr)
	case *ast.IndexExpr:
		return r.isDeclared(f.X)
	case *ast.IndexListExpr:
		return r.isDeclared(f.X)
	}
	return false
}

// genericMethod returns the x.Method of an expression that selects a method with type
// parameters, and its type arguments as they are written. If some are inferred from a
// call, x.Method cannot be kept in a variable, but x can.
func (r *rewriter) genericMethod(x ast.Expr) (m *ast.SelectorExpr, arguments string) {
	switch x := ast.Unparen(x).(type) {
	case *ast.IndexExpr:
		m, _ = r.genericMethod(x.X)
		return m, "[" + oneLine([]byte(r.source(x.Index))) + "]"
	case *ast.IndexListExpr:
		var list []string
		for _, t := range x.Indices {
			list = append(list, oneLine([]byte(r.source(t))))
		}
		m, _ = r.genericMethod(x.X)
		return m, "[" + strings.Join(list, ", ") + "]"
	case *ast.SelectorExpr:
		if s := r.Info.Selections[x]; s != nil && s.Kind() == types.MethodVal && s.Obj().(*types.Func).Origin().Signature().TypeParams().Len() > 0 {
			return x, ""
		}
	}
	return nil, ""
}

// receiver rewrites the x of x.Method to what the method gets: a pointer to x, or to the
// embedded field that has the method, or a copy. The text before it is cut from at.
func (r *rewriter) receiver(m *ast.SelectorExpr, at token.Pos, before string) {
	s := r.Info.Selections[m]
	t, path := r.Info.TypeOf(m.X), ""
	for _, i := range s.Index()[:len(s.Index())-1] {
		if p, ok := core(t).(*types.Pointer); ok {
			t = p.Elem()
		}
		f := core(t).(*types.Struct).Field(i)
		if !f.Exported() && f.Pkg() != r.Types {
			r.refuse(m.Pos(), "the method of this go statement is promoted from a field of another package; use a function literal")
		}
		t, path = f.Type(), path+"."+f.Name()
	}
	byPointer := isPointer(s.Obj().(*types.Func).Signature().Recv().Type())
	switch {
	case byPointer && !isPointer(t):
		before += "&"
	case !byPointer && isPointer(t) && !r.plain:
		before += "*"
	case !byPointer && isPointer(t):
		r.notes.count("load", 1)
		before, path = before+r.hooked("Load("), path+")"
	}
	r.cut(at, m.X.Pos(), before)
	if !isPointer(r.Info.TypeOf(m.X)) && (byPointer || path != "") {
		r.target(m.X)
	} else {
		r.value(m.X)
	}
	r.closed(m.X.End(), path)
}

// nameAt returns the name of a type at a place, if it has one there.
func (r *rewriter) nameAt(t types.Type, at token.Pos) (string, bool) {
	scope := r.Types.Scope().Innermost(at)
	declares := func(name string, o types.Object) bool {
		_, found := scope.LookupParent(name, at)
		return found == o
	}
	if b, ok := t.(*types.Basic); ok {
		return b.Name(), declares(b.Name(), types.Universe.Lookup(b.Name()))
	}
	named, ok := t.(interface{ Obj() *types.TypeName })
	if g, generic := t.(interface{ TypeArgs() *types.TypeList }); !ok || generic && g.TypeArgs().Len() > 0 {
		return "", false
	}
	o := named.Obj()
	if declares(o.Name(), o) {
		return o.Name(), true
	}
	for s := scope; s != nil && o.Exported(); s = s.Parent() {
		for _, name := range s.Names() {
			p, ok := s.Lookup(name).(*types.PkgName)
			if ok && p.Imported() == o.Pkg() && o.Parent() == o.Pkg().Scope() && declares(name, p) {
				return name + "." + o.Name(), true
			}
		}
	}
	return "", false
}

// isUntyped reports whether the type of an expression comes from what it is
// assigned to: that of a comparison or of a shift of a constant.
func (r *rewriter) isUntyped(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return r.isUntyped(x.X)
	case *ast.UnaryExpr:
		return x.Op != token.AND && x.Op != token.ARROW && r.isUntyped(x.X)
	case *ast.BinaryExpr:
		switch x.Op {
		case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
			return !types.Identical(r.Info.TypeOf(x), types.Typ[types.Bool])
		case token.SHL, token.SHR:
			return r.Info.Types[x.X].Value != nil && !types.Identical(r.Info.TypeOf(x), types.Typ[types.Int]) || r.isUntyped(x.X)
		}
		return r.isUntyped(x.X) && (r.isUntyped(x.Y) || r.Info.Types[x.Y].Value != nil) || r.Info.Types[x.X].Value != nil && r.isUntyped(x.Y)
	}
	return false
}
