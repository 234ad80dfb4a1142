package extract

import (
	"cmp"
	"context"
	"go/token"
	"slices"

	"github.com/leadline/leadline/history/explore/instrument/golist"
)

// A Function is a function or method that calls several operations on one
// collection.
type Function struct {
	Position   token.Position
	Package    string // import path
	Name       string // such as (*Cache).Get
	Collection string // as the function writes it, such as c.entries
	Type       string // of the collection, such as sync.Map
	Operations []Operation
	Reason     string // why it cannot be called, if Programs was called, or ""

	scanner *scanner // of the package
	unit    *unit
	ops     []*op
}

// An Operation is a call of a method of the collection.
type Operation struct {
	Position token.Position
	Method   string
	Loop     bool   // it is in a loop, and the collection is not chosen there
	Via      string // the function of the same package that calls it, or ""
}

// A Result has the functions that Find found. Faults are errors in packages, as
// file:line:col: message; such packages are left out.
type Result struct {
	Functions []*Function
	Packages  int // that were read
	Faults    []error
}

// Find lists the functions of the packages that compose operations. The patterns name
// packages like arguments of the go command, which runs in dir; "" is the working
// directory. File names are relative to dir. An error means that no package could be read.
func Find(ctx context.Context, dir string, patterns []string) (*Result, error) {
	list, err := golist.Load(ctx, dir, nil, patterns...)
	if err != nil {
		return nil, err
	}
	r := &Result{}
	for _, p := range list.Named {
		s, faults := list.Check(p)
		if len(faults) == 0 && s != nil {
			r.Packages++
			r.Functions = append(r.Functions, newScanner(s, list.Fset).functions(dir)...)
		}
		for _, fault := range faults { // several packages can import the same faulty one
			if !slices.ContainsFunc(r.Faults, func(f error) bool { return f.Error() == fault.Error() }) {
				r.Faults = append(r.Faults, fault)
			}
		}
	}
	return r, ctx.Err()
}

// functions returns the functions of one package that compose operations, in the order of
// its files.
func (x *scanner) functions(dir string) []*Function {
	var found []*Function
	place := func(pos token.Pos) token.Position {
		p := x.fset.Position(pos)
		p.Filename = golist.Relative(dir, p.Filename)
		return p
	}
	for _, u := range x.units {
		for _, ops := range u.composed() {
			f := &Function{
				Position: place(u.pos), Package: x.Package.ImportPath, Name: u.name,
				Collection: ops[0].of.String(), Type: ops[0].typ.Obj().Pkg().Name() + "." + ops[0].typ.Obj().Name(), scanner: x, unit: u, ops: ops,
			}
			for _, o := range ops {
				o.Position = place(o.site)
				f.Operations = append(f.Operations, o.Operation)
			}
			found = append(found, f)
		}
	}
	slices.SortStableFunc(found, func(a, b *Function) int {
		return cmp.Or(cmp.Compare(a.Position.Filename, b.Position.Filename), cmp.Compare(a.Position.Offset, b.Position.Offset))
	})
	return found
}
