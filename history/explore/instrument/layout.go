package instrument

import (
	"go/ast"
	"go/constant"
	"go/types"
	"regexp"
	"slices"
	"sync"
)

// compiled returns a function that compiles an expression when it is first called:
// most runs of a program that imports this package never do.
func compiled(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// uncontrolled matches functions of the standard library that block, draw random
// numbers, read clocks or start goroutines, and have no stand-in.
var uncontrolled = compiled(`^(reflect\.Select|\(reflect\.Value\)\.(Send|Recv|TrySend|TryRecv|MapKeys|MapRange)|` +
	`weak\.Make|crypto/rand\.\w+|uuid\.New\w*|os/signal\.\w+|iter\.Pull2?)$`)

// uncontrolled notes functions that have no stand-in.
func (r *rewriter) uncontrolled(f *ast.File) {
	ast.Inspect(f, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if f, ok := r.Info.Uses[id].(*types.Func); ok && uncontrolled().MatchString(f.FullName()) {
				r.notes.miss(f.FullName(), r.place(id.Pos()))
			}
		}
		return true
	})
}

// arrayLengths keeps the lengths of arrays that depend on the size of types, as those of
// padding do: types of package sync and their stand-ins differ in size. In a length, x becomes
// (8+0*x) if x is a constant or a size, and was 8. So all that x names is still in use.
func (r *rewriter) arrayLengths(f *ast.File) {
	if !slices.Contains(r.Package.Imports, "unsafe") {
		return
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if a, ok := n.(*ast.ArrayType); ok && a.Len != nil && r.Info.Types[a.Len].Value != nil {
			ast.Inspect(a.Len, r.sized)
		}
		return true
	})
}

// sized rewrites a named constant or a size in the length of an array. It returns whether to
// look for others in the expression.
func (r *rewriter) sized(n ast.Node) bool {
	x, ok := n.(ast.Expr)
	if !ok {
		return false
	}
	switch x := x.(type) {
	case *ast.Ident:
		_, ok = r.Info.Uses[x].(*types.Const)
	case *ast.SelectorExpr:
		_, ok = r.Info.Uses[x.Sel].(*types.Const)
	case *ast.CallExpr:
		name := builtinName(x.Fun)
		ok = r.Info.Types[x.Fun].IsBuiltin() && (name == "Sizeof" || name == "Offsetof")
	default:
		return true
	}
	if v := r.Info.Types[x].Value; ok && v.Kind() == constant.Int {
		r.open(x.Pos(), "("+v.ExactString()+"+0*")
		r.closed(x.End(), ")")
	}
	return !ok
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
