package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
)

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
