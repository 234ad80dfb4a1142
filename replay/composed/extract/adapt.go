package extract

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// adapt returns a test with a copy of the function, in which the collection is a
// parameter. An error says why there is no such copy.
func (f *Function) adapt(name string, inside bool) ([]byte, error) {
	d := f.unit.decl
	if err := f.adaptable(); err != nil {
		return nil, err
	}
	collection := f.unusedName()
	used := map[types.Object]bool{}
	typ, argument := "composed.Map", "m"
	if f.Type != "sync.Map" {
		key, value, err := f.elements()
		if err != nil {
			return nil, err
		}
		typ = fmt.Sprintf("typed%s[%s, %s]", name, key, value)
		argument = typ + "{m}"
	}
	edits := f.edits(collection)
	f.collect(d.Body, edits, used)
	params, args, keys, err := f.params(used)
	if err != nil {
		return nil, err
	}
	results, n := "", 0
	if d.Type.Results != nil {
		f.collect(d.Type.Results, nil, used)
		if results, err = f.cut(d.Type.Results.Pos(), d.Type.Results.End(), nil); err != nil {
			return nil, err
		}
		n = d.Type.Results.NumFields()
	}
	body, err := f.cut(d.Body.Pos(), d.Body.End(), edits)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	f.head(&b, name, inside, imports(used))
	fmt.Fprintf(&b, "\tmethod := func(%s %s%s) %s %s\n", collection, typ, params, results, body)
	if args != "" {
		b.WriteString("\t// TODO: choose arguments with which the operations run; a panic counts as a result.\n")
	}
	b.WriteString("\tcomposed.Test(t, func(m composed.Map) any {\n")
	call := "method(" + argument + args + ")"
	switch {
	case n == 0:
		fmt.Fprintf(&b, "\t\t%s\n\t\treturn nil\n", call)
	case n == 1:
		fmt.Fprintf(&b, "\t\treturn %s\n", call)
	default:
		names := make([]string, n)
		for i := range names {
			names[i] = "r" + strconv.Itoa(i)
		}
		list := strings.Join(names, ", ")
		fmt.Fprintf(&b, "\t\t%s := %s\n\t\treturn []any{%s}\n", list, call, list)
	}
	fmt.Fprintf(&b, "\t}, composed.Options{%s})\n}\n", keys)
	f.typed(&b, "typed"+name)
	return format.Source(b.Bytes())
}

// adaptable returns an error if the function cannot be copied, even into its own package.
// The error is the reason.
func (f *Function) adaptable() error {
	d := f.unit.decl
	switch {
	case d == nil:
		return errors.New("it is a function literal")
	case f.source.info.Defs[d.Name].(*types.Func).Signature().TypeParams() != nil ||
		f.source.info.Defs[d.Name].(*types.Func).Signature().RecvTypeParams() != nil:
		return errors.New("it has type parameters")
	}
	for _, o := range f.ops {
		if o.recv == nil {
			return fmt.Errorf("%s is called in %s", o.method, o.via)
		}
		if !f.composable(o.method) {
			return fmt.Errorf("composed.Map does not have %s", o.method)
		}
	}
	x := f.source.scanner
	var other error
	ast.Inspect(d.Body, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		if !ok || other != nil {
			return other == nil
		}
		if f.receives(e) || f.aliased(e) {
			return false
		}
		if id, ok := e.(*ast.Ident); ok && x.info.Defs[id] != nil {
			return true // the name of a variable; the value of an alias is inspected itself
		}
		if p, ok := x.path(f.unit, e); ok && p.same(f.ops[0].of) && x.isCollection(e) {
			other = fmt.Errorf("line %d uses the collection in another way", f.source.fset.Position(e.Pos()).Line)
		}
		return true
	})
	if other != nil {
		return other
	}
	if callee := x.calleeWith(f.unit, f.ops[0].of.last(), map[*unit]bool{}); callee != "" {
		return fmt.Errorf("it calls %s, which may use the collection", callee)
	}
	return nil
}

// receives reports whether an expression is the receiver of an operation.
func (f *Function) receives(e ast.Expr) bool {
	return slices.ContainsFunc(f.ops, func(o *op) bool { return o.recv == e })
}

// aliased reports whether an expression is the collection as the value of a
// variable.
func (f *Function) aliased(e ast.Expr) bool {
	for _, right := range f.unit.aliases {
		if right == e && isPlace(e) && f.source.scanner.isCollection(e) {
			p, ok := f.source.scanner.path(f.unit, e)
			return ok && p.same(f.ops[0].of)
		}
	}
	return false
}

// isCollection reports whether an expression has the type of a collection, or of
// a pointer to it.
func (x *scanner) isCollection(e ast.Expr) bool {
	t := types.Unalias(x.info.TypeOf(e))
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	named, ok := t.(*types.Named)
	return ok && isCollection(named.Obj())
}

// calleeWith returns the name of a function of the package that the unit calls, directly
// or not, and that has operations on a collection whose path ends in last. It returns ""
// if there is no such function.
func (x *scanner) calleeWith(u *unit, last string, seen map[*unit]bool) string {
	todo := []*unit{u}
	for len(todo) > 0 {
		next := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, c := range next.calls {
			callee := x.byFunc[c.callee]
			if callee == nil || seen[callee] {
				continue
			}
			seen[callee] = true
			if slices.ContainsFunc(callee.ops, func(o *op) bool { return o.of.last() == last }) {
				return callee.name
			}
			todo = append(todo, callee)
		}
	}
	return ""
}

// last returns the last name of a path.
func (p path) last() string {
	text := p.String()
	return text[strings.LastIndexByte(text, '.')+1:]
}

// unusedName returns a name that the function does not use.
func (f *Function) unusedName() string {
	names := map[string]bool{"t": true, "method": true, "composed": true}
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

// edits returns the edits that replace the collection by the parameter.
func (f *Function) edits(parameter string) []edit {
	var edits []edit
	ast.Inspect(f.unit.body, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		if !ok || !f.receives(e) && !f.aliased(e) {
			return true
		}
		if id, ok := e.(*ast.Ident); !ok || f.unit.aliases[f.source.info.Uses[id]] == nil || f.aliased(e) {
			edits = append(edits, edit{e.Pos(), e.End(), parameter})
		}
		return false
	})
	return edits // in the order of the source, as ast.Inspect goes
}

// elements returns the types of keys and values.
func (f *Function) elements() (key, value string, err error) {
	t := types.Unalias(f.source.info.TypeOf(f.ops[0].recv))
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	named, ok := t.(*types.Named)
	if !ok || !isCollection(named.Obj()) {
		return "", "", errors.New("the collection is embedded")
	}
	qualifier := func(p *types.Package) string {
		if p == f.source.types {
			return ""
		}
		return p.Name()
	}
	args := named.TypeArgs()
	switch args.Len() {
	case 2:
		return types.TypeString(args.At(0), qualifier), types.TypeString(args.At(1), qualifier), nil
	case 1:
		return "string", types.TypeString(args.At(0), qualifier), nil
	}
	return "string", "any", nil
}

// collect adds to used the objects and imported packages that a node uses outside of edits.
func (f *Function) collect(n ast.Node, edits []edit, used map[types.Object]bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if n == nil || slices.ContainsFunc(edits, func(e edit) bool { return e.from <= n.Pos() && n.End() <= e.to }) {
			return false
		}
		if id, ok := n.(*ast.Ident); ok && f.source.info.Uses[id] != nil {
			used[f.source.info.Uses[id]] = true
		}
		return true
	})
}

// params returns the receiver and the parameters that the copy uses, arguments for them,
// and the field Keys of composed.Options. An argument of type reflect.Type is in Keys,
// because a key with a pointer has to be. params adds to used what the types of the
// parameters use.
func (f *Function) params(used map[types.Object]bool) (params, args, keys string, err error) {
	d := f.unit.decl
	var fields []*ast.Field
	if d.Recv != nil {
		fields = append(fields, d.Recv.List...)
	}
	for _, field := range append(fields, d.Type.Params.List...) {
		for _, id := range field.Names {
			o := f.source.info.Defs[id]
			if o == nil || !used[o] {
				continue
			}
			text, err := f.cut(field.Type.Pos(), field.Type.End(), nil)
			if err != nil {
				return "", "", "", err
			}
			f.collect(field.Type, nil, used)
			params += ", " + id.Name + " " + text
			if strings.HasPrefix(text, "...") {
				continue
			}
			arg := argument(o.Type(), text)
			if args += ", " + arg; types.TypeString(o.Type(), nil) == "reflect.Type" {
				keys = "Keys: []any{" + arg + "}"
			}
		}
	}
	return params, args, keys, nil
}

// argument returns an expression of type t. text is the type as the source has it.
func argument(t types.Type, text string) string {
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
		if _, literal := t.(*types.Signature); literal && u.Results().Len() == 0 {
			return text + " {}"
		}
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

// stubs declare the parts that a test uses of packages that the code under test need not
// import.
var stubs = map[string]string{
	"testing": `package testing
type T struct{}
func (*T) Helper() {}
func (*T) Logf(format string, args ...any) {}
func (*T) Errorf(format string, args ...any) {}`,
	composedPath: `package composed
type Map interface {
	Load(key any) (value any, ok bool)
	Store(key, value any)
	LoadOrStore(key, value any) (actual any, loaded bool)
	LoadAndDelete(key any) (value any, loaded bool)
	Delete(key any)
	Swap(key, value any) (previous any, loaded bool)
	CompareAndSwap(key, old, new any) (swapped bool)
	CompareAndDelete(key, old any) (deleted bool)
}
type Options struct{ Keys []any }
type TB interface {
	Helper()
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
}
func Test[O any](t TB, method func(O) any, o Options) {}`,
}

// withStubs is an Importer that imports a stub of a package that it cannot import.
type withStubs struct{ types.Importer }

func (w withStubs) Import(path string) (*types.Package, error) {
	p, err := w.Importer.Import(path) // the code under test may use more than a stub has
	text, ok := stubs[path]
	if err == nil || !ok {
		return p, err
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	return new(types.Config).Check(path, fset, []*ast.File{file}, nil)
}

// compiles type-checks a test. inside reports whether it is a file of the package.
func (f *Function) compiles(text []byte, inside bool) error {
	file, err := parser.ParseFile(f.source.fset, "skeleton_test.go", text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	conf, name, files := *f.source.conf, "composed_test", []*ast.File{file}
	if inside {
		name, files = f.source.path, append(files, f.source.files...)
	} else {
		for _, spec := range file.Imports {
			if slices.Contains(strings.Split(strings.Trim(spec.Path.Value, `"`), "/"), "internal") {
				return fmt.Errorf("it uses the package %s", spec.Path.Value)
			}
		}
	}
	// The module may declare an older version of Go now than it will when it requires
	// leadline.
	conf.Importer, conf.Error, conf.GoVersion = withStubs{conf.Importer}, nil, ""
	_, err = conf.Check(name, f.source.fset, files, nil)
	var fault types.Error
	if errors.As(err, &fault) {
		return errors.New("in the copy, " + fault.Msg)
	}
	return err
}
