package main

import (
	"context"
	"errors"
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/leadline/leadline/history/explore/instrument/golist"
)

// A safetyTarget is a type to test, with the constructors that may make its objects, as --new has them.
type safetyTarget struct {
	name         string
	constructors []string
}

// safetyTargets returns the exported types of a package that have methods.
func safetyTargets(ctx context.Context, path string) ([]safetyTarget, error) {
	p, err := loadPackage(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("--package %s: %w", path, err)
	}
	var list []safetyTarget
	for _, name := range p.Scope().Names() {
		object, ok := p.Scope().Lookup(name).(*types.TypeName)
		if ok && object.Exported() && !object.IsAlias() && hasMethods(object.Type()) {
			list = append(list, safetyTarget{p.Name() + "." + name, constructorsOf(p, object)})
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("--package %s: it has no exported type with methods", path)
	}
	return list, nil
}

// hasMethods reports whether a type, or a pointer to it, has exported methods.
func hasMethods(t types.Type) bool {
	if !types.IsInterface(t) {
		t = types.NewPointer(t)
	}
	for s := range types.NewMethodSet(t).Methods() {
		if s.Obj().Exported() {
			return true
		}
	}
	return false
}

// constructorsOf returns the functions that return a type, with arguments, those with few parameters
// first, and then the zero value of a struct. Type parameters are int if the constraints allow that, and
// otherwise string or a struct.
func constructorsOf(p *types.Package, object *types.TypeName) (list []string) {
	type made struct {
		text       string
		parameters int
	}
	var all []made
	for _, f := range exportedFunctions(p) {
		of := f.signature.Results().At(0).Type()
		if pointer, ok := of.(*types.Pointer); ok {
			of = pointer.Elem()
		}
		named, ok := of.(*types.Named)
		text, written := argumentsOf(p, f.signature)
		if ok && written && named.Obj() == object && !slices.ContainsFunc(all, func(m made) bool { return beforeBracket(m.text) == beforeBracket(f.name) }) {
			all = append(all, made{p.Path() + "." + f.name + "(" + text + ")", f.signature.Params().Len()})
		}
	}
	slices.SortStableFunc(all, func(a, b made) int { return a.parameters - b.parameters })
	for _, m := range all {
		list = append(list, m.text)
	}
	if _, ok := object.Type().Underlying().(*types.Struct); ok {
		if of := instances(object.Type()); len(of) > 0 {
			list = append(list, "&"+p.Path()+"."+object.Name()+of[0].arguments+"{}")
		}
	}
	return list
}

// beforeBracket returns a function without its type arguments and arguments, and without its package.
func beforeBracket(text string) string {
	text = text[:strings.IndexAny(text+"[", "[(")]
	return text[strings.LastIndexByte(text, '.')+1:]
}

// argumentsOf writes arguments for a function: numbers, strings, booleans, structs of the package, and
// functions. Variadic parameters have none.
func argumentsOf(p *types.Package, s *types.Signature) (text string, ok bool) {
	var args []string
	for v := range s.Params().Variables() {
		if s.Variadic() && len(args) == s.Params().Len()-1 {
			break
		}
		switch t := v.Type().Underlying().(type) {
		case *types.Basic:
			switch info := t.Info(); {
			case info&types.IsNumeric != 0:
				args = append(args, "3")
			case info&types.IsString != 0:
				args = append(args, `"a"`)
			case info&types.IsBoolean != 0:
				args = append(args, "true")
			default:
				return "", false
			}
		case *types.Struct:
			if named, ok := v.Type().(*types.Named); !ok || named.Obj().Pkg() != p {
				return "", false
			}
			args = append(args, sourceOf(p, v.Type())+"{}")
		case *types.Signature:
			args = append(args, functionOf(p, t))
		default:
			return "", false
		}
	}
	return strings.Join(args, ", "), true
}

// functionOf writes a function: an ordering or a hash if it can be one, and otherwise one that returns
// zeros.
func functionOf(p *types.Package, s *types.Signature) string {
	var in, out []string
	for i := range s.Params().Len() {
		in = append(in, fmt.Sprintf("a%d %s", i, sourceOf(p, s.Params().At(i).Type())))
	}
	for i := range s.Results().Len() {
		out = append(out, fmt.Sprintf("r%d %s", i, sourceOf(p, s.Results().At(i).Type())))
	}
	body := ""
	if len(out) == 1 && len(in) > 0 {
		first, of := s.Params().At(0).Type(), infoOf(s.Results().At(0).Type())
		ordered := infoOf(first)&types.IsOrdered != 0
		switch {
		case len(in) == 2 && ordered && types.Identical(first, s.Params().At(1).Type()) && of&types.IsBoolean != 0:
			body = "r0 = a0 < a1; "
		case len(in) == 2 && ordered && types.Identical(first, s.Params().At(1).Type()) && of&types.IsInteger != 0:
			body = "if a0 < a1 { r0 = -1 } else if a0 > a1 { r0 = 1 }; "
		case len(in) == 1 && infoOf(first)&types.IsInteger != 0 && of&types.IsUnsigned != 0:
			body = "r0 += " + sourceOf(p, s.Results().At(0).Type()) + "(a0); "
		}
	}
	return fmt.Sprintf("func(%s) (%s) { %sreturn }", strings.Join(in, ", "), strings.Join(out, ", "), body)
}

// infoOf returns what kind of a basic type a type has, if it is one.
func infoOf(t types.Type) types.BasicInfo {
	basic, ok := t.Underlying().(*types.Basic)
	if !ok {
		return 0
	}
	return basic.Info()
}

// An exportedFunction is a function of a package, with type arguments if necessary.
type exportedFunction struct {
	name      string // with the type arguments
	signature *types.Signature
}

// exportedFunctions returns the functions with a result of a named type of some package.
func exportedFunctions(p *types.Package) []exportedFunction {
	var list []exportedFunction
	for _, name := range p.Scope().Names() {
		f, ok := p.Scope().Lookup(name).(*types.Func)
		if !ok || !f.Exported() {
			continue
		}
		for _, i := range instances(f.Signature()) {
			e := exportedFunction{name + i.arguments, i.Type.(*types.Signature)}
			if slices.ContainsFunc(slices.Collect(e.signature.Results().Variables()), func(v *types.Var) bool { return isNamed(v.Type()) }) {
				list = append(list, e)
			}
		}
	}
	return list
}

func isNamed(t types.Type) bool {
	if pointer, ok := t.(*types.Pointer); ok {
		t = pointer.Elem()
	}
	named, ok := t.(*types.Named)
	return ok && named.Obj().Pkg() != nil
}

// An instance is a type with type arguments, as Go writes them.
type instance struct {
	types.Type
	arguments string
}

// instances returns a generic type with int, string and a comparable struct for all of
// its parameters, where they satisfy the constraints, and any other type as it is.
func instances(t types.Type) []instance {
	generic, ok := t.(interface{ TypeParams() *types.TypeParamList })
	if !ok || generic.TypeParams().Len() == 0 {
		return []instance{{t, ""}}
	}
	integer := types.Typ[types.Int]
	pair := types.NewStruct([]*types.Var{types.NewField(0, nil, "A", integer, false), types.NewField(0, nil, "B", integer, false)}, nil)
	var list []instance
	for _, argument := range []types.Type{integer, types.Typ[types.String], pair} {
		all := slices.Repeat([]types.Type{argument}, generic.TypeParams().Len())
		if made, err := types.Instantiate(nil, t, all, true); err == nil {
			names := slices.Repeat([]string{argument.String()}, len(all))
			list = append(list, instance{made, "[" + strings.Join(names, ", ") + "]"})
		}
	}
	return list
}

// sourceOf writes a type of the package p.
func sourceOf(p *types.Package, t types.Type) string {
	return types.TypeString(t, func(other *types.Package) string {
		if other == p {
			return "p"
		}
		return other.Name()
	})
}

// loadPackage returns the declarations of a package, which the Go tool compiles.
func loadPackage(ctx context.Context, path string) (*types.Package, error) {
	root, err := moduleRoot(ctx)
	if err != nil {
		return nil, err
	}
	list, err := golist.Load(ctx, root, nil, path)
	if err != nil {
		return nil, err
	}
	for _, p := range list.Named {
		if p.Export != "" {
			continue
		}
		if _, faults := list.Check(p); len(faults) > 0 {
			return nil, errors.New(advise(ctx, []byte(errors.Join(faults...).Error())))
		}
	}
	return list.Import(path)
}
