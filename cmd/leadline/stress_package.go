package main

import (
	"context"
	"errors"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
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
		Path: %[1]q, Package: %[2]q,
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
		if first == nil {
			first = err
		}
	}
	return fmt.Errorf("--new %s: %w", constructor, first)
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
		t, zero := targetType(p, object)
		if t != nil {
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
	source := filepath.Join(dir, "main.go")
	if err := os.WriteFile(source, fmt.Appendf(nil, safetyProgram, p.Path(), p.Name(), functions.String(), targets), 0o644); err != nil {
		return err
	}
	args := []string{"build", "-o", program}
	if r.flags.safety.race {
		args = append(args, "-race")
	}
	return compile(ctx, dir, source, args...)
}

// targetType returns the type to test for an exported type: a pointer to it, or an
// interface. The zero value of a struct may be an instance. It returns nil if there
// is nothing to test.
func targetType(p *types.Package, object *types.TypeName) (t types.Type, zero bool) {
	_, isInterface := object.Type().Underlying().(*types.Interface)
	made := func(result types.Type) types.Type {
		if pointer, ok := result.(*types.Pointer); ok {
			result = pointer.Elem()
		}
		if named, ok := result.(*types.Named); ok && named.Obj() == object {
			return named
		}
		return nil
	}
	for _, f := range exportedFunctions(p) {
		for v := range f.signature.Results().Variables() {
			if t = made(v.Type()); t != nil {
				break
			}
		}
		if t != nil {
			break
		}
	}
	_, zero = object.Type().Underlying().(*types.Struct)
	if t == nil && zero {
		t = instance(object.Type())
	}
	if t == nil {
		return nil, false
	}
	if !isInterface {
		t = types.NewPointer(t)
	}
	for s := range types.NewMethodSet(t).Methods() {
		if s.Obj().Exported() {
			return t, zero
		}
	}
	return nil, false
}

// An exportedFunction is a function of a package, with type arguments if necessary.
type exportedFunction struct {
	name      string // with the type arguments
	signature *types.Signature
}

// exportedFunctions returns the functions whose results are of types of their own.
func exportedFunctions(p *types.Package) []exportedFunction {
	var list []exportedFunction
	for _, name := range p.Scope().Names() {
		f, ok := p.Scope().Lookup(name).(*types.Func)
		if !ok || !f.Exported() {
			continue
		}
		e := exportedFunction{name, f.Signature()}
		if e.signature.TypeParams().Len() > 0 {
			t := instance(e.signature)
			if t == nil {
				continue
			}
			e.signature = t.(*types.Signature)
			e.name += typeArguments(f.Signature().TypeParams())
		}
		if slices.ContainsFunc(slices.Collect(e.signature.Results().Variables()), func(v *types.Var) bool { return isNamed(v.Type()) }) {
			list = append(list, e)
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

// instance returns a generic type with type arguments, and any other type as it
// is. It returns nil if they do not satisfy the constraints.
func instance(t types.Type) types.Type {
	generic, ok := t.(interface{ TypeParams() *types.TypeParamList })
	if !ok || generic.TypeParams().Len() == 0 {
		return t
	}
	var args []types.Type
	for range generic.TypeParams().Len() {
		args = append(args, types.Typ[types.Int])
	}
	made, err := types.Instantiate(nil, t, args, true)
	if err != nil {
		return nil
	}
	return made
}

// typeArguments returns int for each type parameter.
func typeArguments(params *types.TypeParamList) string {
	return "[" + strings.Join(slices.Repeat([]string{"int"}, params.Len()), ", ") + "]"
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
	root, err := moduleRoot()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, "go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", "--", path)
	cmd.Dir = root
	text, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, advise(exit.Stderr))
		}
		return nil, err
	}
	files := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if name, file, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			files[name] = file
		}
	}
	lookup := func(path string) (io.ReadCloser, error) {
		file, ok := files[path]
		if !ok {
			return nil, fmt.Errorf("the Go tool does not list %s", path)
		}
		return os.Open(file)
	}
	return importer.ForCompiler(token.NewFileSet(), "gc", lookup).Import(path)
}
