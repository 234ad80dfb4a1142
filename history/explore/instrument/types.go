package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
)

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
