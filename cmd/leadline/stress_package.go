package main

import (
	"context"
	"errors"
	"fmt"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"github.com/leadline/leadline/history/explore/instrument/golist"
)

const safetyProgram = `package main

import (
	"os"
	"reflect"

	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/history/stress/safety"
	p %[1]q
)

var (
	_ = reflect.TypeFor[int]
	_ = stress.Must[int]
)

func main() {
	os.Exit(safety.Main(&safety.Library{
		Path: %[1]q, Package: %[2]q, Module: %[5]q,
		Functions: []safety.Function{
%[3]s		},
		Targets: []safety.Target{
%[4]s		},
	}))
}
`

// buildConstructor builds the program that tests what a constructor makes.
func (r *safetyRun) buildConstructor(ctx context.Context, dir, program, constructor string) error {
	path, expression, err := parseConstructor(constructor)
	if err != nil {
		return err
	}
	p, err := loadPackage(ctx, path)
	if err != nil {
		return fmt.Errorf("--new %s: %w", constructor, err)
	}
	expression = aliased(expression, p.Name)
	name := r.flags.Name
	if name == "" {
		name = constructor
	}
	var first error
	// A constructor may also return an error. The compiler finds that out.
	for _, must := range []bool{false, true} {
		made := expression
		if must {
			made = "stress.Must(" + expression + ")"
		}
		target := fmt.Sprintf("\t\t\tsafety.Expression(%q, %q, %v, %s, func() any { return %s }),\n", name, expression, must, made, made)
		err := r.buildSafety(ctx, dir, program, p, target)
		if err == nil {
			return nil
		}
		if must {
			err = clearer(first, err)
		}
		first = err
	}
	return ofConstructor(constructor, first, p.Name)
}

// buildPackage builds the program that tests all exported types of a package.
func (r *safetyRun) buildPackage(ctx context.Context, dir, program, path string) error {
	p, err := loadPackage(ctx, path)
	if err != nil {
		return fmt.Errorf("--package %s: %w", path, err)
	}
	var targets strings.Builder
	for _, name := range p.Scope().Names() {
		object, ok := p.Scope().Lookup(name).(*types.TypeName)
		if !ok || !object.Exported() || object.IsAlias() {
			continue
		}
		list, zero := targetTypes(p, object)
		for _, t := range list {
			fmt.Fprintf(&targets, "\t\t\t{Name: %q, Type: reflect.TypeFor[%s](), Zero: %v},\n", p.Name()+"."+name, sourceOf(p, t), zero)
		}
	}
	if targets.Len() == 0 {
		return fmt.Errorf("--package %s: it has no exported type with methods that can be made", path)
	}
	return r.buildSafety(ctx, dir, program, p, targets.String())
}

func (r *safetyRun) buildSafety(ctx context.Context, dir, program string, p *types.Package, targets string) error {
	var functions strings.Builder
	for _, f := range exportedFunctions(p) {
		source := "p." + f.name
		fmt.Fprintf(&functions, "\t\t\t{Source: %q, Value: %s},\n", source, source)
	}
	root, err := moduleRoot(ctx)
	if err != nil {
		return err
	}
	source := fmt.Sprintf(safetyProgram, p.Path(), p.Name(), functions.String(), targets, root)
	args := []string{"build", "-o", program}
	if r.flags.safety.race {
		args = append(args, "-race")
	}
	return compile(ctx, filepath.Join(dir, "main.go"), source, nil, args...)
}

// targetTypes returns the types to test for an exported type: a pointer to it, or an
// interface, and several for a generic one. The zero value of a struct may be an
// instance.
func targetTypes(p *types.Package, object *types.TypeName) (list []types.Type, zero bool) {
	_, isInterface := object.Type().Underlying().(*types.Interface)
	_, zero = object.Type().Underlying().(*types.Struct)
	add := func(t types.Type) {
		if !isInterface {
			t = types.NewPointer(t)
		}
		isNew := !slices.ContainsFunc(list, func(other types.Type) bool { return types.Identical(t, other) })
		for s := range types.NewMethodSet(t).Methods() {
			if isNew && s.Obj().Exported() {
				list = append(list, t)
				return
			}
		}
	}
	for _, f := range exportedFunctions(p) {
		for v := range f.signature.Results().Variables() {
			result := v.Type()
			if pointer, ok := result.(*types.Pointer); ok {
				result = pointer.Elem()
			}
			if named, ok := result.(*types.Named); ok && named.Obj() == object {
				add(named)
			}
		}
	}
	if len(list) == 0 && zero {
		for _, t := range instances(object.Type()) {
			add(t.Type)
		}
	}
	return list, zero
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
