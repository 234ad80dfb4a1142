package instrument

import (
	"go/ast"
	"go/types"
	"regexp"

	"github.com/leadline/leadline/history/stress/instrument/golist"
)

// uncontrolled matches functions of the standard library that block, draw random
// numbers, read clocks or start goroutines, and have no stand-in.
var uncontrolled = regexp.MustCompile(`^(reflect\.Select|\(reflect\.Value\)\.(Send|Recv|TrySend|TryRecv|MapKeys|MapRange)|` +
	`weak\.Make|crypto/rand\.\w+|os/signal\.\w+|iter\.Pull2?)$`)

// uncontrolled notes functions that have no stand-in.
func (r *rewriter) uncontrolled(f *ast.File) {
	ast.Inspect(f, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if f, ok := r.Info.Uses[id].(*types.Func); ok && uncontrolled.MatchString(f.FullName()) {
				r.notes.miss(f.FullName(), r.place(id.Pos()))
			}
		}
		return true
	})
}

// arrayLengths keeps the lengths of arrays that depend on the size of types, as
// those of padding do: types of package sync and their stand-ins differ in size.
func (r *rewriter) arrayLengths(f *ast.File) {
	var depends func(n ast.Node) bool
	var call *ast.CallExpr
	depends = func(n ast.Node) bool {
		found := false
		ast.Inspect(n, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				name := builtinName(n.Fun)
				if r.Info.Types[n.Fun].IsBuiltin() && (name == "Sizeof" || name == "Offsetof") {
					found, call = true, n
				}
			case *ast.Ident:
				if c, ok := r.Info.Uses[n].(*types.Const); ok && r.constants[c] != nil {
					found = found || depends(r.constants[c])
				}
			}
			return !found
		})
		return found
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if a, ok := n.(*ast.ArrayType); ok && a.Len != nil {
			call = nil
			if v := r.Info.Types[a.Len].Value; v != nil && depends(a.Len) {
				text := v.ExactString()
				if s, ok := call.Fun.(*ast.SelectorExpr); ok && a.Len.Pos() <= call.Pos() && call.End() <= a.Len.End() {
					text += " + 0*" + r.source(s.X) + ".Sizeof(0)" // package unsafe is still used
				}
				r.cut(a.Len.Pos(), a.Len.End(), text)
			}
		}
		return true
	})
}

// constantValues returns the expressions of the constants of a package.
func constantValues(s *golist.Source) map[*types.Const]ast.Expr {
	m := map[*types.Const]ast.Expr{}
	for _, f := range s.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			if v, ok := n.(*ast.ValueSpec); ok {
				for i, name := range v.Names {
					if c, ok := s.Info.Defs[name].(*types.Const); ok && i < len(v.Values) {
						m[c] = v.Values[i]
					}
				}
			}
			return true
		})
	}
	return m
}

// unsafePointer refuses what depends on the layout of types of package sync,
// whose stand-ins have another one.
func (r *rewriter) unsafePointer(c *ast.CallExpr) {
	if tv := r.Info.Types[c.Fun]; len(c.Args) != 1 || !tv.IsType() || !types.Identical(tv.Type, types.Typ[types.UnsafePointer]) {
		return
	}
	t := r.Info.TypeOf(c.Args[0])
	if t == nil {
		return
	}
	p, ok := t.Underlying().(*types.Pointer)
	if !ok {
		return
	}
	named, ok := types.Unalias(p.Elem()).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return
	}
	switch named.Obj().Pkg().Path() {
	case "sync":
		r.refuse(c.Pos(), "unsafe.Pointer of a %s, whose layout in memory changes", types.TypeString(named, (*types.Package).Name))
	case "sync/atomic":
		r.notes.miss("unsafe.Pointer of a type of sync/atomic", r.place(c.Pos()))
	}
}
