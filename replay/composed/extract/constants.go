package extract

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
)

// constants returns expressions of the constants with which the copied functions compare, and of the
// zero values of the types that they assert.
func (f *testFile) constants() (list []string) {
	for _, p := range append([]*part{{unit: f.unit}}, f.parts...) {
		ast.Inspect(p.unit.body, func(n ast.Node) bool {
			for _, e := range compared(n) {
				if text := f.constant(f.scanner.Info.Types[e]); text != "" && !slices.Contains(list, text) {
					list = append(list, text)
				}
			}
			return true
		})
	}
	return list
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

// constant returns an expression of a constant, or of the zero value of a basic type. It returns "" for
// other ones, for int, of which there are values by default, and for types that need an import.
func (f *testFile) constant(v types.TypeAndValue) string {
	if v.Type == nil {
		return ""
	}
	t := types.Default(v.Type)
	name := types.TypeString(t, f.qualifier)
	_, isBasic := t.Underlying().(*types.Basic)
	named, isNamed := types.Unalias(t).(*types.Named)
	switch {
	case !isBasic || isNamed && named.Obj().Parent() != f.scanner.Types.Scope():
		return ""
	case v.IsType() && name != "int":
		return "*new(" + name + ")"
	case v.Value == nil || v.Value.Kind() == constant.Float: // its exact text may be a fraction
		return ""
	case name == "int" || name == "string" || name == "bool":
		return v.Value.ExactString()
	}
	return name + "(" + v.Value.ExactString() + ")"
}
