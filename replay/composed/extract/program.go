package extract

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/template"
)

// A Program is how the functions of one package are called: Source is a file of the package, whose
// function LeadlineComposed returns a composed.Target for each of Functions. In a package main, it serves
// them before main begins.
type Program struct {
	Path, Dir string // of the package
	IsMain    bool
	Source    string
	Functions []*Function
	Parts     []string // the packages of the collections
}

// SourceName is the name of the file in the package. Its init function is the last one.
const SourceName = "zz_leadline_composed.go"

// A target is what the template of a program has to know about a function.
type target struct {
	*Function
	Call         string // the function as an expression
	Receiver     string
	Makers       []string
	Parameters   string // of the function that returns the collection
	Roots        []string
	Kinds        []string // the operations of the environment, as in composed.Target
	Methods      []string
	Keys, Values []string
	Sites, Loops []string
	Whole        bool

	imports []string
}

var programTemplate = template.Must(template.New("program").Funcs(template.FuncMap{"join": strings.Join}).Parse(`//go:build go1.21

package {{.Package}}

import (
	{{if eq .Package "main"}}leadlineOS "os"
	{{end}}leadlineComposed "github.com/leadline/leadline/replay/composed"
{{range .Imports}}	{{.}}
{{end}})

// LeadlineComposed returns the functions to check.
func LeadlineComposed() []leadlineComposed.Target {
	return []leadlineComposed.Target{
{{range .Targets}}		{
			Name: {{printf "%q" .Name}}, Function: {{.Call}}, Receiver: {{printf "%q" .Receiver}}, Makers: []any{ {{join .Makers ", "}} },
			Collection: func({{.Parameters}}) []any { return []any{ {{join .Methods ", "}} } },
			Roots: []int{ {{join .Roots ", "}} }, Operations: []string{ {{join .Kinds ", "}} },
			Keys: []any{ {{join .Keys ", "}} }, Values: []any{ {{join .Values ", "}} }, Whole: {{.Whole}},
			Sites: []string{ {{join .Sites ", "}} }, Loops: []bool{ {{join .Loops ", "}} },
		},
{{end}}	}
}
{{if eq .Package "main"}}
func init() { leadlineOS.Exit(leadlineComposed.Serve(LeadlineComposed())) }
{{end}}`))

func source(name string, imports []string, targets []*target) (string, error) {
	var b strings.Builder
	err := programTemplate.Execute(&b, map[string]any{"Package": name, "Imports": imports, "Targets": targets})
	return b.String(), err
}

// Programs returns a program for each package with functions that can be called. It sets the Reason
// of the other functions.
func (r *Result) Programs() ([]*Program, error) {
	var programs []*Program
	for i := 0; i < len(r.Functions); {
		x, imports := r.Functions[i].scanner, []string(nil)
		p := &Program{Path: x.Package.ImportPath, Dir: x.Package.Dir, IsMain: x.Types.Name() == "main"}
		var targets []*target
		for ; i < len(r.Functions) && r.Functions[i].scanner == x; i++ {
			f := r.Functions[i]
			t := &target{Function: f}
			err := t.describe()
			if err == nil {
				err = t.compiles()
			}
			if err != nil {
				f.Reason = err.Error()
				continue
			}
			for _, spec := range t.imports {
				imports = add(imports, spec)
			}
			targets, p.Functions = append(targets, t), append(p.Functions, f)
			if part := f.ops[0].typ.Obj().Pkg().Path(); part != "sync" {
				p.Parts = add(p.Parts, part)
			}
		}
		if len(targets) == 0 {
			continue
		}
		var err error
		if p.Source, err = source(x.Types.Name(), imports, targets); err != nil {
			return nil, err
		}
		programs = append(programs, p)
	}
	return programs, nil
}

// describe sets how the function is called. An error says why it cannot be.
func (t *target) describe() error {
	d := t.unit.decl
	switch {
	case d == nil:
		return errors.New("it is a function literal")
	case d.Name.Name == "init" && d.Recv == nil || d.Name.Name == "_":
		return errors.New("it cannot be called by its name")
	}
	declared := t.scanner.Info.Defs[d.Name].(*types.Func).Signature()
	f, err := t.instantiate(declared)
	if err != nil {
		return err
	}
	of := t.ops[0].of
	for _, o := range append([]types.Object{of.root}, of.inner...) {
		if err := t.root(o, declared, f); err != nil {
			return err
		}
	}
	typ := ofInts(t.ops[0].typ)
	k := kindOf(typ)
	for _, m := range k.methods(typ, t.scanner.Types) {
		if k.method(m).params == "-" {
			continue
		}
		t.Kinds = append(t.Kinds, strconv.Quote(strings.TrimSpace(m.Name()+" "+k.method(m).params)))
		t.Methods = append(t.Methods, t.Collection+"."+m.Name())
	}
	t.constants(t.unit, callDepth)
	for _, o := range t.ops {
		t.Whole = t.Whole || iterates(o.Method) || o.Method == "Clear"
		t.site(fmt.Sprintf("%s:%d ", filepath.Base(o.Position.Filename), o.Position.Line), o)
	}
	return nil
}

// site adds an operation. Those of one line have one site.
func (t *target) site(place string, o *op) {
	at := slices.IndexFunc(t.Sites, func(s string) bool { return strings.HasPrefix(s, `"`+place) })
	switch {
	case at < 0:
		t.Sites, t.Loops = append(t.Sites, strconv.Quote(place+o.Method)), append(t.Loops, strconv.FormatBool(o.Loop))
	case !strings.Contains(t.Sites[at], o.Method):
		t.Sites[at] = strings.TrimSuffix(t.Sites[at], `"`) + ", " + o.Method + `"`
		t.Loops[at] = "true"
	}
}

// instantiate sets the expression of the function and of its makers, with int for type parameters. It
// returns the signature.
func (t *target) instantiate(s *types.Signature) (*types.Signature, error) {
	name := t.unit.decl.Name.Name
	if s.Recv() == nil {
		ints, text, err := arguments(s.TypeParams())
		if t.Call = name + text; err != nil || len(ints) == 0 {
			return s, err
		}
		inst, err := types.Instantiate(nil, s, ints, true)
		if err != nil {
			return nil, err
		}
		return inst.(*types.Signature), nil
	}
	recv := types.Unalias(s.Recv().Type())
	pointer, isPointer := recv.(*types.Pointer)
	if isPointer {
		recv = types.Unalias(pointer.Elem())
	}
	named, ok := recv.(*types.Named)
	if !ok {
		return nil, errors.New("the type of its receiver is unknown")
	}
	if _, _, err := arguments(s.RecvTypeParams()); err != nil {
		return nil, err
	}
	t.makers(named)
	recv = ofInts(named)
	if isPointer {
		recv = types.NewPointer(recv)
	}
	t.Receiver = t.typeText(recv)
	t.Call = "(" + t.Receiver + ")." + name
	m, _, _ := types.LookupFieldOrMethod(recv, true, t.scanner.Types, name)
	return m.(*types.Func).Signature(), nil
}

// arguments returns int for each type parameter, and the text such as [int, int].
func arguments(list *types.TypeParamList) (ints []types.Type, text string, err error) {
	for p := range list.TypeParams() {
		if !types.Satisfies(types.Typ[types.Int], p.Constraint().Underlying().(*types.Interface)) {
			return nil, "", fmt.Errorf("it has a type parameter %v that int does not satisfy", p)
		}
		ints = append(ints, types.Typ[types.Int])
	}
	if len(ints) > 0 {
		text = "[int" + strings.Repeat(", int", len(ints)-1) + "]"
	}
	return ints, text, nil
}

// makers sets the constructors of a type of the package: those with its name first.
func (t *target) makers(named *types.Named) {
	scope := t.scanner.Types.Scope()
	for _, name := range scope.Names() {
		f, ok := scope.Lookup(name).(*types.Func)
		if !ok || !isConstructor(f) || f.Signature().Results().Len() == 0 || f.Signature().Results().Len() > 2 {
			continue
		}
		results := f.Signature().Results()
		made := types.Unalias(results.At(0).Type())
		if p, ok := made.(*types.Pointer); ok {
			made = types.Unalias(p.Elem())
		}
		n, ok := made.(*types.Named)
		_, ints, err := arguments(f.Signature().TypeParams())
		if !ok || n.Origin() != named.Origin() || err != nil || results.Len() == 2 && results.At(1).Type().String() != "error" {
			continue
		}
		name += ints
		if strings.EqualFold(f.Name(), "new"+named.Obj().Name()) {
			t.Makers = slices.Insert(t.Makers, 0, name)
		} else {
			t.Makers = append(t.Makers, name)
		}
	}
}

// root adds a parameter of the function that the path of the collection names.
func (t *target) root(o types.Object, declared, s *types.Signature) error {
	if o.Parent() == t.scanner.Types.Scope() {
		return nil
	}
	at, typ := 0, types.Type(nil)
	if declared.Recv() != nil {
		if at++; o == declared.Recv() {
			at, typ = 0, s.Recv().Type()
		}
	}
	for i := 0; i < s.Params().Len() && typ == nil; i++ {
		if o == declared.Params().At(i) && !(s.Variadic() && i == s.Params().Len()-1) {
			at, typ = at+i, s.Params().At(i).Type()
		}
	}
	switch number := strconv.Itoa(at); {
	case typ == nil:
		return fmt.Errorf("its collection depends on %s, a variable of the function", o.Name())
	case !slices.Contains(t.Roots, number):
		t.Roots = append(t.Roots, number)
		t.Parameters += o.Name() + " " + t.typeText(typ) + ", "
	}
	return nil
}

// standIn replaces package sync in the copies.
const standIn = "github.com/leadline/leadline/history/explore/shim/sync"

// typeText returns a type as the source of the program writes it. The copies of packages have the
// types of package sync from a stand-in.
func (t *target) typeText(typ types.Type) string {
	return types.TypeString(typ, func(p *types.Package) string {
		if p == t.scanner.Types {
			return ""
		}
		path := p.Path()
		if path == "sync" {
			path = standIn
		}
		spec := "leadline" + p.Name() + " " + strconv.Quote(path)
		t.imports = add(t.imports, spec)
		return "leadline" + p.Name()
	})
}

// ofInts returns a type with int in place of type parameters.
func ofInts(named *types.Named) *types.Named {
	if named.TypeParams() == nil && named.TypeArgs() == nil {
		return named
	}
	var args []types.Type
	for i := range named.TypeParams().Len() {
		t := types.Type(named.TypeParams().At(i))
		if named.TypeArgs() != nil {
			t = named.TypeArgs().At(i)
		}
		if _, ok := types.Unalias(t).(*types.TypeParam); ok {
			t = types.Typ[types.Int]
		}
		args = append(args, t)
	}
	inst, err := types.Instantiate(nil, named.Origin(), args, false)
	if err != nil {
		return named
	}
	return inst.(*types.Named)
}

// add appends a string that the list does not have.
func add(list []string, s string) []string {
	if s == "" || slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// compiles type-checks a program of this function alone. The package need not import leadline, so
// expressions of its packages count as correct.
func (t *target) compiles() error {
	text, err := source(t.scanner.Types.Name(), t.imports, []*target{t})
	if err != nil {
		return err
	}
	file, err := parser.ParseFile(t.scanner.fset, SourceName, strings.ReplaceAll(text, standIn, "sync"), parser.SkipObjectResolution)
	if err != nil {
		return fmt.Errorf("it cannot be called: %w", err)
	}
	conf := *t.scanner.Conf
	conf.GoVersion = ""
	var first error
	conf.Error = func(err error) {
		fault := err.(types.Error)
		if first == nil && filepath.Base(fault.Fset.Position(fault.Pos).Filename) == SourceName && !strings.HasPrefix(fault.Msg, "could not import ") {
			first = errors.New("it cannot be called: " + fault.Msg)
		}
	}
	_, _ = conf.Check(t.scanner.Package.ImportPath, t.scanner.fset, append([]*ast.File{file}, t.scanner.Files...), nil) // Error has its errors
	return first
}
