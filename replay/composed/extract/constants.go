package extract

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
)

// constants adds expressions of the constants with which a unit and its callees compare or that they
// give to operations, and of the zero values of the types that they assert.
func (t *target) constants(u *unit, depth int) {
	ast.Inspect(u.body, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			f, isMethod := called(c).(*ast.SelectorExpr)
			if isMethod && slices.ContainsFunc(u.ops, func(o *op) bool { return o.site == f.Sel.Pos() }) {
				for i, e := range c.Args {
					if text := t.constant(t.scanner.Info.Types[e]); i == 0 {
						t.Keys = add(t.Keys, text)
					} else {
						t.Values = add(t.Values, text)
					}
				}
			}
		}
		for _, e := range compared(n) {
			t.Values = add(t.Values, t.constant(t.scanner.Info.Types[e]))
		}
		return true
	})
	for _, c := range u.calls {
		if callee := t.scanner.byFunc[c.callee]; callee != nil && callee != u && depth > 0 {
			t.constants(callee, depth-1)
		}
	}
}

// compared returns the types that a node asserts, or the expressions that it compares.
func compared(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if slices.Contains([]token.Token{token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ}, n.Op) {
			return []ast.Expr{n.X, n.Y}
		}
	case *ast.CaseClause:
		return n.List
	case *ast.TypeAssertExpr:
		if n.Type != nil { // not a type switch
			return []ast.Expr{n.Type}
		}
	}
	return nil
}

// constant returns an expression of a constant, or of a value of a type of the package. It returns ""
// for other types, and for int, which has default values.
func (t *target) constant(v types.TypeAndValue) string {
	if v.Type == nil {
		return ""
	}
	typ := types.Unalias(types.Default(v.Type))
	name := types.TypeString(typ, types.RelativeTo(t.scanner.Types))
	pointer, isPointer := typ.(*types.Pointer)
	if isPointer {
		typ = types.Unalias(pointer.Elem())
	}
	_, isBasic := typ.(*types.Basic)
	named, isNamed := typ.(*types.Named)
	switch {
	case !isBasic && !(isNamed && named.TypeArgs() == nil && named.Obj().Parent() == t.scanner.Types.Scope()):
		return ""
	case v.IsType() && isPointer:
		return "new(" + name[1:] + ")"
	case v.IsType() && name != "int" && !types.IsInterface(typ):
		return "*new(" + name + ")"
	case v.Value == nil || v.Value.Kind() == constant.Float: // its exact text may be a fraction
		return ""
	case name == "int" || name == "string" || name == "bool":
		return v.Value.ExactString()
	}
	return name + "(" + v.Value.ExactString() + ")"
}
