package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"strings"
	"sync"

	"github.com/leadline/leadline/history/stress/explore/instrument/golist"
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

// arrayLengths keeps the lengths of arrays that depend on the size of types, as
// those of padding do: types of package sync and their stand-ins differ in size.
func (r *rewriter) arrayLengths(f *ast.File) {
	var depends func(n ast.Node) bool
	depends = func(n ast.Node) bool {
		found := false
		ast.Inspect(n, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				name := builtinName(n.Fun)
				found = found || r.Info.Types[n.Fun].IsBuiltin() && (name == "Sizeof" || name == "Offsetof")
			case *ast.Ident:
				if c, ok := r.Info.Uses[n].(*types.Const); ok && r.constants[c] != nil {
					found = found || depends(r.constants[c])
				}
			}
			return !found
		})
		return found
	}
	uses := ""
	ast.Inspect(f, func(n ast.Node) bool {
		if a, ok := n.(*ast.ArrayType); ok && a.Len != nil {
			if v := r.Info.Types[a.Len].Value; v != nil && depends(a.Len) {
				r.cut(a.Len.Pos(), a.Len.End(), v.ExactString())
				uses = r.imported(a.Len, uses)
			}
		}
		return true
	})
	if uses != "" {
		r.open(f.Decls[len(f.Decls)-1].End(), uses)
	}
}

// imported adds to uses a declaration for each package that x names. x is about to be cut,
// and may be the only use of the import.
func (r *rewriter) imported(x ast.Expr, uses string) string {
	ast.Inspect(x, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			uses = r.imported(s.X, uses)
			return false
		}
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		var p *types.Package
		prefix := ""
		switch o := r.Info.Uses[id].(type) {
		case nil:
		case *types.PkgName:
			p, prefix = o.Imported(), id.Name+"."
		default: // a dot import
			if q := o.Pkg(); q != nil && q != r.Types && q.Scope().Lookup(id.Name) == o {
				p = q
			}
		}
		if use := useOf(p, prefix); !strings.Contains(uses+";", use+";") {
			uses += use
		}
		return true
	})
	return uses
}

// useOf returns a declaration that uses the package, whose names have the prefix.
func useOf(p *types.Package, prefix string) string {
	if p == nil {
		return ""
	}
	for _, name := range p.Scope().Names() {
		if !token.IsExported(name) {
			continue
		}
		switch o := p.Scope().Lookup(name).(type) {
		case *types.Const:
			return "; const _ = " + prefix + name
		case *types.Func:
			if o.Signature().TypeParams().Len() == 0 {
				return "; var _ = " + prefix + name
			}
		case *types.Var:
			return "; var _ = &" + prefix + name
		case *types.TypeName:
			if t, ok := o.Type().(interface{ TypeParams() *types.TypeParamList }); ok && t.TypeParams().Len() > 0 {
				continue
			}
			if i, ok := o.Type().Underlying().(*types.Interface); !ok || i.IsMethodSet() {
				return "; var _ *" + prefix + name
			}
		}
	}
	return ""
}

// constantValues returns the expressions of the constants of a package.
func constantValues(s *golist.Source) map[*types.Const]ast.Expr {
	m := map[*types.Const]ast.Expr{}
	for _, f := range s.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			d, ok := n.(*ast.GenDecl)
			if !ok || d.Tok != token.CONST {
				return true
			}
			var values []ast.Expr // an empty list repeats that before it
			for _, spec := range d.Specs {
				v := spec.(*ast.ValueSpec)
				if len(v.Values) > 0 {
					values = v.Values
				}
				for i, name := range v.Names {
					if c, ok := s.Info.Defs[name].(*types.Const); ok && i < len(values) {
						m[c] = values[i]
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
