package extract

import (
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// A part is a function that is copied into a test: the function itself, or one that it calls
// and that has operations on the collection.
type part struct {
	unit *unit
	of   path   // the collection there
	name string // of the copy of a called function
	text string // of its copy
}

// calls returns the calls of a part that lead to operations on the collection, and the parts
// that they call. It adds new ones after all that they call themselves.
func (f *testFile) calls(p *part) (map[*ast.CallExpr]*part, error) {
	found := map[*ast.CallExpr]*part{}
	for _, c := range p.unit.calls {
		callee := f.scanner.byFunc[c.callee]
		if callee == nil {
			continue
		}
		for _, o := range callee.inlined {
			if of, ok := c.substitute(o.of); !ok || !of.same(p.of) {
				continue
			}
			if callee == f.unit || slices.ContainsFunc(f.open, func(q *part) bool { return q.unit == callee }) {
				return nil, fmt.Errorf("%s calls itself", callee.name)
			}
			q, err := f.part(callee, o.of)
			if err != nil {
				return nil, err
			}
			found[c.call] = q
			break
		}
	}
	return found, nil
}

// part returns the copy of a called function.
func (f *testFile) part(u *unit, of path) (*part, error) {
	for _, p := range f.parts {
		if p.unit == u && p.of.same(of) {
			return p, nil
		}
	}
	if err := f.instantiate(u); err != nil {
		return nil, err
	}
	name := u.decl.Name.Name
	if u.decl.Recv == nil {
		name += "Copy" // calls with another collection are of the function itself
	}
	p := &part{unit: u, of: of, name: name}
	for i := 2; slices.ContainsFunc(f.parts, func(q *part) bool { return q.name == p.name }) || p.name == "method"; i++ {
		p.name = name + strconv.Itoa(i)
	}
	f.open = append(f.open, p)
	body, err := f.body(p)
	if err != nil {
		return nil, err
	}
	f.open = f.open[:len(f.open)-1]
	params := ", " + f.fields(u.decl.Type.Params)
	if u.decl.Recv != nil {
		params = ", " + f.fields(u.decl.Recv) + params
	}
	p.text = fmt.Sprintf("%s := func(%s %s%s) %s %s", p.name, f.parameter, f.typ, strings.TrimRight(params, ", "), f.results(u.decl), body)
	f.parts = append(f.parts, p)
	return p, nil
}

// fields returns the parameters of a list, each with a name and a type.
func (f *testFile) fields(list *ast.FieldList) string {
	var texts []string
	for _, field := range list.List {
		f.collect(field.Type, nil, f.used)
		names := field.Names
		if len(names) == 0 {
			names = []*ast.Ident{{Name: "_"}}
		}
		for _, id := range names {
			texts = append(texts, id.Name+" "+f.cut(field.Type.Pos(), field.Type.End(), nil))
		}
	}
	return strings.Join(texts, ", ")
}

// results returns the results of a function.
func (f *testFile) results(d *ast.FuncDecl) string {
	if d.Type.Results == nil {
		return ""
	}
	f.collect(d.Type.Results, nil, f.used)
	return f.cut(d.Type.Results.Pos(), d.Type.Results.End(), nil)
}

// body returns the body of a part, in which the collection is a parameter.
func (f *testFile) body(p *part) (string, error) {
	if err := f.read(p.unit); err != nil {
		return "", err
	}
	calls, err := f.calls(p)
	if err != nil {
		return "", err
	}
	edits, err := f.edits(p, calls)
	if err != nil {
		return "", err
	}
	if callee := f.scanner.calleeWith(p, calls); callee != "" {
		return "", fmt.Errorf("it calls %s, which may use the collection", callee)
	}
	f.collect(p.unit.body, edits, f.used)
	return f.cut(p.unit.body.Pos(), p.unit.body.End(), edits), nil
}

// callEdits returns the edits of a call: the copy is called with the collection, and with the
// receiver as an argument. An argument that is the collection is not used.
func (f *testFile) callEdits(c *ast.CallExpr, q *part) ([]edit, error) {
	text := q.name + "(" + f.parameter
	if sel, ok := called(c).(*ast.SelectorExpr); ok && q.unit.decl.Recv != nil {
		selection := f.scanner.Info.Selections[sel]
		if len(selection.Index()) > 1 {
			return nil, errors.New("it calls a method of an embedded field")
		}
		_, given := selection.Recv().Underlying().(*types.Pointer)
		_, wanted := selection.Obj().(*types.Func).Signature().Recv().Type().(*types.Pointer)
		text += ", "
		switch {
		case wanted && !given:
			text += "&"
		case given && !wanted:
			text += "*"
		}
		f.collect(sel.X, nil, f.used)
		text += f.cut(sel.X.Pos(), sel.X.End(), nil)
	}
	if len(c.Args) > 0 {
		text += ", "
	}
	edits := []edit{{c.Fun.Pos(), c.Lparen + 1, text}}
	for i, arg := range c.Args {
		if params := f.scanner.Info.Defs[q.unit.decl.Name].(*types.Func).Signature().Params(); i < params.Len() && params.At(i) == q.of.root {
			edits = append(edits, edit{arg.Pos(), arg.End(), "*new(" + f.paramType(q.unit.decl, params.At(i)) + ")"})
		}
	}
	return edits, nil
}

// paramType returns the type of a parameter as the source has it.
func (f *testFile) paramType(d *ast.FuncDecl, param types.Object) string {
	for _, field := range d.Type.Params.List {
		if field.Pos() <= param.Pos() && param.Pos() < field.End() {
			return f.cut(field.Type.Pos(), field.Type.End(), nil)
		}
	}
	return ""
}
