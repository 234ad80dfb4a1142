package extract

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// adapt sets what the test needs of a copy of the function, in which the collection is a
// parameter. An error says why there is no such copy.
func (f *testFile) adapt() error {
	if err := f.adaptable(); err != nil {
		return err
	}
	if err := f.instantiate(f.unit); err != nil {
		return err
	}
	f.used, f.parameter = map[types.Object]bool{}, f.unusedName()
	argument := "m"
	typ := f.ops[0].typ
	switch f.typ = "composed.Map"; {
	case lookupLibrary(typ.Obj().Pkg().Path()) == nil:
		f.typ = "typed" + f.Test
		argument = f.typ + "{m}"
		f.Adapter = f.written(writtenKind(typ), f.typ)
	case f.Type != "sync.Map":
		key, value := f.elements()
		f.typ = fmt.Sprintf("typed%s[%s, %s]", f.Test, key, value)
		argument = f.typ + "{m}"
		f.Adapter = f.typed("typed" + f.Test)
	}
	body, err := f.body(&part{unit: f.unit, of: f.ops[0].of})
	if err != nil {
		return err
	}
	for _, p := range f.parts {
		f.Parts = append(f.Parts, p.text)
	}
	d := f.unit.decl
	params, args, options := f.params(f.used)
	if constants := f.constants(); len(constants) > 0 {
		options = append(options, "Constants: []any{"+strings.Join(constants, ", ")+"}")
	}
	f.Call = "method(" + argument + args + ")"
	switch n := d.Type.Results.NumFields(); n {
	case 0:
		f.Call += "\nreturn nil"
	case 1:
		f.Call = "return " + f.Call
	default:
		for i := range n {
			f.Results = append(f.Results, "r"+strconv.Itoa(i))
		}
	}
	f.Method = fmt.Sprintf("func(%s %s%s) %s %s", f.parameter, f.typ, params, f.results(d), body)
	f.HasArgs, f.Options, f.Imports = args != "", options, imports(f.used)
	return nil
}

// instantiate makes the type parameters of a function names for int.
func (f *testFile) instantiate(u *unit) error {
	s := f.scanner.Info.Defs[u.decl.Name].(*types.Func).Signature()
	for _, list := range []*types.TypeParamList{s.RecvTypeParams(), s.TypeParams()} {
		for p := range list.TypeParams() {
			if !types.Satisfies(types.Typ[types.Int], p.Constraint().Underlying().(*types.Interface)) {
				return fmt.Errorf("%s has a type parameter %v that int does not satisfy", u.name, p)
			}
			if name := p.Obj().Name(); name != "_" && !slices.Contains(f.TypeParams, name) {
				f.TypeParams = append(f.TypeParams, name)
			}
		}
	}
	return nil
}

// adaptable returns an error if the function or its operations cannot be in a copy. The
// error is the reason.
func (f *Function) adaptable() error {
	d := f.unit.decl
	if d == nil {
		return errors.New("it is a function literal")
	}
	for _, o := range f.ops {
		if !f.composable(o.Method) {
			return fmt.Errorf("composed.Map does not have %s", o.Method)
		}
	}
	return nil
}

// aliased reports whether an expression is the collection as the value of a
// variable.
func (f *Function) aliased(p *part, e ast.Expr) bool {
	for _, right := range p.unit.aliases {
		if right == e && isPlace(e) && collection(f.scanner.Info.TypeOf(e)) != nil {
			q, ok := f.scanner.path(p.unit, e)
			return ok && q.same(p.of)
		}
	}
	return false
}

// calleeWith returns the name of a function of the package that a part calls, directly or not,
// and that has operations on a collection whose path has the same end. It leaves out the calls
// of copies. It returns "" if there is no such function.
func (x *scanner) calleeWith(p *part, copies map[*ast.CallExpr]*part) string {
	called := []*unit{p.unit}
	for i := 0; i < len(called); i++ {
		for _, c := range called[i].calls {
			callee := x.byFunc[c.callee]
			if callee == nil || slices.Contains(called[1:], callee) || copies[c.call] != nil {
				continue
			}
			if slices.ContainsFunc(callee.ops, func(o *op) bool { return o.of.last() == p.of.last() }) {
				return callee.name
			}
			called = append(called, callee)
		}
	}
	return ""
}

// last returns the last name of a path.
func (p path) last() string {
	text := p.String()
	return text[strings.LastIndexByte(text, '.')+1:]
}

// unusedName returns a name that no function of the package's file uses.
func (f *Function) unusedName() string {
	names := map[string]bool{"t": true, "method": true, "composed": true}
	for _, u := range f.scanner.units {
		if u != f.unit && !slices.ContainsFunc(f.ops, func(o *op) bool { return o.recv == nil }) {
			continue // is not copied
		}
		ast.Inspect(u.body, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				names[id.Name] = true
			}
			return true
		})
	}
	ast.Inspect(f.unit.decl, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			names[id.Name] = true
		}
		return true
	})
	name := "m"
	for i := 2; names[name]; i++ {
		name = "m" + strconv.Itoa(i)
	}
	return name
}

// edits returns the edits that replace the collection by the parameter, and calls by those of
// copies, in the order of the source. An error says where the part uses the collection in
// another way.
func (f *testFile) edits(p *part, calls map[*ast.CallExpr]*part) (edits []edit, err error) {
	info := f.scanner.Info
	receives := func(e ast.Expr) bool {
		return slices.ContainsFunc(p.unit.ops, func(o *op) bool { return o.recv == e && o.of.same(p.of) })
	}
	ast.Inspect(p.unit.body, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		if !ok || err != nil {
			return err == nil
		}
		if c, ok := e.(*ast.CallExpr); ok && calls[c] != nil {
			var call []edit
			if call, err = f.callEdits(c, calls[c]); err != nil {
				return false
			}
			edits = append(edits, call...)
		}
		if slices.ContainsFunc(edits, func(d edit) bool { return d.from <= e.Pos() && e.End() <= d.to }) {
			return false
		}
		id, _ := e.(*ast.Ident)
		aliased := f.aliased(p, e)
		if aliased || receives(e) {
			if aliased || id == nil || p.unit.aliases[info.Uses[id]] == nil {
				edits = append(edits, edit{e.Pos(), e.End(), f.parameter})
			}
			return false
		}
		if id != nil && info.Defs[id] != nil {
			return true // the name of a variable; the value of an alias is inspected itself
		}
		if q, ok := f.scanner.path(p.unit, e); ok && q.same(p.of) && collection(info.TypeOf(e)) != nil {
			err = fmt.Errorf("line %d uses the collection in another way", f.scanner.fset.Position(e.Pos()).Line)
		}
		return true
	})
	slices.SortStableFunc(edits, func(a, b edit) int { return int(a.from - b.from) })
	return edits, err
}

// qualifier returns the name of a package in the test.
func (f *Function) qualifier(p *types.Package) string {
	if p == f.scanner.Types {
		return ""
	}
	return p.Name()
}

// elements returns the types of keys and values.
func (f *Function) elements() (key, value string) {
	args := f.ops[0].typ.TypeArgs()
	switch args.Len() {
	case 2:
		return types.TypeString(args.At(0), f.qualifier), types.TypeString(args.At(1), f.qualifier)
	case 1:
		return "string", types.TypeString(args.At(0), f.qualifier)
	}
	return "string", "any"
}

// collect adds to used the objects and imported packages that a node uses outside of edits.
func (f *Function) collect(n ast.Node, edits []edit, used map[types.Object]bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if n == nil || slices.ContainsFunc(edits, func(e edit) bool { return e.from <= n.Pos() && n.End() <= e.to }) {
			return false
		}
		if id, ok := n.(*ast.Ident); ok && f.scanner.Info.Uses[id] != nil {
			used[f.scanner.Info.Uses[id]] = true
		}
		return true
	})
}

// params returns the receiver and the parameters that the copy uses, arguments for them,
// and the field Keys of composed.Options, if needed. An argument of type reflect.Type is in Keys,
// because a key with a pointer has to be. params adds to used what the types of the
// parameters use.
func (f *Function) params(used map[types.Object]bool) (params, args string, options []string) {
	d := f.unit.decl
	var fields []*ast.Field
	letters := 0
	if d.Recv != nil {
		fields = append(fields, d.Recv.List...)
	}
	for _, field := range append(fields, d.Type.Params.List...) {
		text := f.cut(field.Type.Pos(), field.Type.End(), nil)
		for _, id := range field.Names {
			o := f.scanner.Info.Defs[id]
			if o == nil || !used[o] {
				continue
			}
			f.collect(field.Type, nil, used)
			params += ", " + id.Name + " " + text
			if strings.HasPrefix(text, "...") {
				continue
			}
			arg := argument(o.Type(), text)
			if arg == `"a"` { // strings differ
				arg = strconv.Quote(string(rune('a' + letters)))
				letters = (letters + 1) % 26
			}
			if args += ", " + arg; types.TypeString(o.Type(), nil) == "reflect.Type" {
				options = []string{"Keys: []any{" + arg + "}"}
			}
		}
	}
	return params, args, options
}

// argument returns an expression of type t. text is the type as the source has it.
func argument(t types.Type, text string) string {
	if _, ok := t.(*types.TypeParam); ok {
		return "1"
	}
	switch types.TypeString(t, nil) {
	case "context.Context":
		return strings.Replace(text, "Context", "Background()", 1)
	case "reflect.Type":
		return strings.Replace(text, "Type", "TypeOf(struct{ A int }{})", 1)
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsString != 0:
			return `"a"`
		case u.Info()&types.IsNumeric != 0:
			return "1"
		case u.Info()&types.IsBoolean != 0:
			return "true"
		}
	case *types.Pointer:
		if strings.HasPrefix(text, "*") {
			return "new(" + text[1:] + ")"
		}
	case *types.Interface:
		if u.Empty() {
			return "1"
		}
	case *types.Chan: // nil would make the method wait
		element, literal := strings.CutPrefix(text, "<-chan ")
		switch {
		case literal:
			return fmt.Sprintf("func() %s { c := make(chan %s); close(c); return c }()", text, element)
		case u.Dir() != types.RecvOnly:
			return "make(" + text + ", 64)"
		}
	case *types.Signature:
		return "composed.Func[" + text + "]()"
	}
	return "*new(" + text + ")"
}

// imports returns import declarations of the packages in used.
func imports(used map[types.Object]bool) []string {
	var list []string
	for o := range used {
		p, ok := o.(*types.PkgName)
		if !ok || p.Imported().Path() == "testing" {
			continue
		}
		spec := strconv.Quote(p.Imported().Path())
		if p.Name() != p.Imported().Name() {
			spec = p.Name() + " " + spec
		}
		list = append(list, spec)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// compiles type-checks a test. inside reports whether it is a file of the package. The code
// under test need not import what only the test imports, composed and testing. Expressions of
// such packages count as correct.
func (f *Function) compiles(text []byte, inside bool) error {
	file, err := parser.ParseFile(f.scanner.fset, "skeleton_test.go", text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	conf, name, files := *f.scanner.Conf, "composed_test", []*ast.File{file}
	if inside {
		name, files = f.scanner.Package.ImportPath, append(files, f.scanner.Files...)
	} else {
		for _, spec := range file.Imports {
			if slices.Contains(strings.Split(strings.Trim(spec.Path.Value, `"`), "/"), "internal") {
				return fmt.Errorf("it uses the package %s", spec.Path.Value)
			}
		}
	}
	conf.GoVersion = "" // the module may declare an older one now than when it requires leadline
	var first error
	conf.Error = func(err error) {
		if fault := err.(types.Error); first == nil && !strings.HasPrefix(fault.Msg, "could not import ") {
			first = errors.New("in the copy, " + fault.Msg)
		}
	}
	_, _ = conf.Check(name, f.scanner.fset, files, nil) // conf.Error has its errors
	return first
}
