package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"

	"github.com/leadline/leadline/history/explore/instrument/golist"
)

// register adds an init function that names the variables of a file which executions may change, on
// the line of the last declaration:
//
//	func init() { Globals("example.com/registry", &all, &count) }
func (r *rewriter) register(f *ast.File) {
	text := ""
	for _, d := range f.Decls {
		d, ok := d.(*ast.GenDecl)
		if !ok || d.Tok != token.VAR {
			continue
		}
		for _, s := range d.Specs {
			for _, name := range s.(*ast.ValueSpec).Names {
				if v, ok := r.Info.Defs[name].(*types.Var); ok && r.globals[v] {
					text += ", &" + name.Name
				}
			}
		}
	}
	if text != "" {
		r.closed(f.Decls[len(f.Decls)-1].End(), "; func init() { "+r.hooked("Globals(")+strconv.Quote(r.Package.Path())+text+") }")
	}
}

// changingGlobals returns the package-level variables that may change after the program has begun:
// those that functions assign to, call methods of, or hand on with what they refer to.
func changingGlobals(s *golist.Source) map[*types.Var]bool {
	changing := map[*types.Var]bool{}
	var above []ast.Node // the present node, too
	inspect := func(n ast.Node) bool {
		if n == nil {
			above = above[:len(above)-1]
			return true
		}
		above = append(above, n)
		if id, ok := n.(*ast.Ident); ok {
			v, ok := s.Info.Uses[id].(*types.Var)
			if ok && !v.IsField() && v.Parent() == s.Types.Scope() && mayChange(s.Info, above) {
				changing[v] = true
			}
		}
		return true
	}
	for _, f := range s.Files {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
				continue
			}
			ast.Inspect(d, inspect)
		}
	}
	return changing
}

// mayChange reports whether the use of a variable, the last of nodes that contain one another,
// changes it, what it refers to, or lets other code do so.
func mayChange(info *types.Info, above []ast.Node) bool {
	at := len(above) - 1
	x := above[at].(ast.Expr)
	for part := true; part && at > 0; { // x becomes the whole of x.f[0]
		at--
		switch p := above[at].(type) {
		case *ast.ParenExpr, *ast.StarExpr:
			x = p.(ast.Expr)
		case *ast.IndexExpr:
			if part = p.X == x; part {
				x = p
			}
		case *ast.SliceExpr:
			if part = p.X == x; part {
				x = p
			}
		case *ast.SelectorExpr:
			if sel := info.Selections[p]; sel != nil && sel.Kind() != types.FieldVal {
				return !isError(info.TypeOf(x))
			}
			x = p
		default:
			part = false
		}
	}
	switch p := above[at].(type) {
	case *ast.AssignStmt:
		for _, left := range p.Lhs {
			if left == x {
				return true
			}
		}
	case *ast.IncDecStmt:
		return true
	case *ast.UnaryExpr:
		if p.Op == token.AND {
			return true
		}
	case *ast.RangeStmt:
		return p.X != x
	case *ast.BinaryExpr:
		return false
	case *ast.CallExpr:
		if name := builtinName(p.Fun); p.Fun == x || name == "len" || name == "cap" {
			return false
		}
	}
	switch t := core(info.TypeOf(x)).(type) {
	case *types.Basic, *types.Signature, nil:
		return false
	default:
		return !isError(t)
	}
}

// isError reports whether a type implements error. Errors do not change.
func isError(t types.Type) bool {
	return t != nil && types.Identical(t.Underlying(), types.Universe.Lookup("error").Type().Underlying())
}
