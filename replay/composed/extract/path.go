package extract

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

func (x *scanner) paths(u *unit, args []ast.Expr) []*path {
	list := make([]*path, len(args))
	for i, e := range args {
		if p, ok := x.path(u, e); ok {
			list[i] = &p
		}
	}
	return list
}

// path returns the path of an expression.
func (x *scanner) path(u *unit, e ast.Expr) (path, bool) {
	var suffix []string // the last part first
	var inner []types.Object
	for range 1000 { // a bound, because aliases may form a cycle
		switch n := e.(type) {
		case *ast.ParenExpr, *ast.StarExpr, *ast.UnaryExpr:
			e = operand(e)
		case *ast.TypeAssertExpr:
			if n.Type == nil {
				return path{}, false
			}
			suffix, e = append(suffix, ".("+types.ExprString(n.Type)+")"), n.X
		case *ast.IndexExpr:
			suffix, inner, e = append(suffix, "["+types.ExprString(n.Index)+"]"), append(inner, x.variables(n.Index)...), n.X
		case *ast.CallExpr: // such as c.shard(key)
			text := make([]string, len(n.Args))
			for i, arg := range n.Args {
				text[i], inner = types.ExprString(arg), append(inner, x.variables(arg)...)
			}
			suffix, e = append(suffix, "("+strings.Join(text, ", ")+")"), n.Fun
		case *ast.SelectorExpr:
			selection := x.Info.Selections[n]
			if selection == nil { // of another package
				e = n.Sel
				continue
			}
			suffix, e = append(suffix, "."+n.Sel.Name, implicit(selection)), n.X
		case *ast.Ident:
			o := x.Info.ObjectOf(n)
			if o == nil || u.local[o] {
				return path{}, false
			}
			if right, ok := u.aliases[o]; ok && isPlace(right) {
				e = right
				continue
			}
			slices.Reverse(suffix)
			return path{o, strings.Join(suffix, ""), inner}, true
		default:
			return path{}, false
		}
	}
	return path{}, false
}

// isPlace reports whether an expression denotes a variable, field or element without a
// call.
func isPlace(e ast.Expr) bool {
	for {
		if _, ok := e.(*ast.Ident); ok || e == nil {
			return ok
		}
		e = operand(e)
	}
}

// operand returns the expression x of (x), *x, &x, x.f or x[i], and nil of any other one.
func operand(e ast.Expr) ast.Expr {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return e.X
	case *ast.StarExpr:
		return e.X
	case *ast.SelectorExpr:
		return e.X
	case *ast.IndexExpr:
		return e.X
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			return e.X
		}
	}
	return nil
}

// variables returns the variables of an expression.
func (x *scanner) variables(e ast.Expr) []types.Object {
	var list []types.Object
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if v, ok := x.Info.Uses[id].(*types.Var); ok && !v.IsField() {
				list = append(list, v)
			}
		}
		return true
	})
	return list
}

// implicit returns the embedded fields that a selection goes through.
func implicit(s *types.Selection) string {
	text, t := "", s.Recv()
	for _, i := range s.Index()[:len(s.Index())-1] {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		structure, ok := t.Underlying().(*types.Struct)
		if !ok {
			return text
		}
		text, t = text+"."+structure.Field(i).Name(), structure.Field(i).Type()
	}
	return text
}
