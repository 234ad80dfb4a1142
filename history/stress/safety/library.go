package safety

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// A Library has the types to test and the functions that make parameters.
type Library struct {
	Path, Package string // the import path and the name of the package
	Module        string // a directory of the module; see stress.GenericMethods
	Functions     []Function
	Targets       []Target
}

// A Function is a function of the package, or an expression of one.
type Function struct {
	// Source is how Go calls it, without arguments, and with p for the package,
	// as in p.New or p.NewSet[int].
	Source string
	Value  any
	// Complete means that Source has the arguments. Value has no parameters.
	Complete bool
	// Must means that the function returns an error as well, which Value does
	// not: Source is to be put into must().
	Must bool
}

// A Target is a type to test.
type Target struct {
	Name string
	// Type has the methods to call: a pointer or an interface.
	Type reflect.Type
	// Constructor makes the instances. Without one, all functions of the library
	// do that return the type.
	Constructor *Function
	// Zero means that the zero value of the type is an instance if constructors
	// fail, or if there are none.
	Zero bool
}

// Expression returns the target that an expression makes, with p for the package.
// The sample is a value of it.
func Expression[T any](name, source string, must bool, sample T, newObject func() any) Target {
	t := reflect.TypeFor[T]()
	f := &Function{Source: source, Complete: true, Must: must, Value: func() T { return newObject().(T) }}
	if t.Kind() != reflect.Pointer && t.Kind() != reflect.Interface {
		t = reflect.PointerTo(t)
	}
	return Target{Name: name, Type: t, Constructor: f}
}

// A function is one that generated tests can call. A method has its receiver as
// the first parameter.
type function struct {
	name     string // as in Function.Source, or of the method
	method   bool
	complete bool
	must     bool
	address  []bool // by result: the address of it is meant
	in, out  []reflect.Type
	variadic bool
	value    reflect.Value // not of an interface's method
}

// A catalog has the functions for one target. It is the same in all processes of
// a program.
type catalog struct {
	library   *Library
	target    Target
	functions []*function
	makers    []int // functions that make instances
	zero      int   // the one that makes the zero value, or -1
	methods   []int // of the target
}

func newCatalog(l *Library, target Target, exclude []string) (*catalog, error) {
	c := &catalog{library: l, target: target, zero: -1}
	if k := target.Type.Kind(); k != reflect.Pointer && k != reflect.Interface {
		return nil, fmt.Errorf("%s: %v is not a pointer or an interface", target.Name, target.Type)
	}
	add := func(f Function) (int, *function) {
		n := len(c.functions)
		c.functions = append(c.functions, c.fromFunction(f))
		return n, c.functions[n]
	}
	if target.Constructor != nil {
		n, _ := add(*target.Constructor)
		c.makers = append(c.makers, n)
	}
	if target.Zero {
		c.zero = len(c.functions)
		c.functions = append(c.functions, &function{name: "new", complete: true, out: []reflect.Type{target.Type}, address: []bool{false},
			value: reflect.MakeFunc(reflect.FuncOf(nil, []reflect.Type{target.Type}, false), func([]reflect.Value) []reflect.Value {
				return []reflect.Value{reflect.New(target.Type.Elem())}
			})})
	}
	for _, f := range l.Functions {
		if n, f := add(f); target.Constructor == nil && slices.Contains(f.out, target.Type) {
			c.makers = append(c.makers, n)
		}
	}
	for _, name := range exclude {
		if _, ok := target.Type.MethodByName(name); !ok {
			return nil, fmt.Errorf("%s: %v does not have a method %s", target.Name, target.Type, name)
		}
	}
	c.addMethods(exclude)
	if len(c.methods) == 0 {
		return nil, fmt.Errorf("%s: %v does not have a method to call", target.Name, target.Type)
	}
	if len(c.makers) == 0 && c.zero < 0 {
		return nil, fmt.Errorf("%s: nothing makes a %v", target.Name, target.Type)
	}
	return c, nil
}

func (c *catalog) fromFunction(f Function) *function {
	v := reflect.ValueOf(f.Value)
	t := v.Type()
	r := &function{name: f.Source, complete: f.Complete, must: f.Must, variadic: t.IsVariadic(), value: v}
	for p := range t.Ins() {
		r.in = append(r.in, p)
	}
	for p := range t.Outs() {
		address := c.target.Type.Kind() == reflect.Pointer && p == c.target.Type.Elem()
		if r.address = append(r.address, address); address {
			p = c.target.Type
		}
		r.out = append(r.out, p)
	}
	return r
}

// addMethods adds the methods of the target, and those of other types of the
// package that results have.
func (c *catalog) addMethods(exclude []string) {
	types := []reflect.Type{c.target.Type}
	see := func(t reflect.Type) {
		if c.own(t) && !slices.Contains(types, t) {
			types = append(types, t)
		}
	}
	for _, f := range c.functions {
		for _, t := range f.out {
			see(t)
		}
	}
	for n := 0; n < len(types); n++ {
		t := types[n]
		for m := range t.Methods() {
			if !m.IsExported() || t == c.target.Type && slices.Contains(exclude, m.Name) {
				continue
			}
			f := &function{name: m.Name, method: true, variadic: m.Type.IsVariadic(), value: m.Func}
			if t.Kind() == reflect.Interface {
				f.in = append(f.in, t)
			}
			for p := range m.Type.Ins() {
				f.in = append(f.in, p)
			}
			for p := range m.Type.Outs() {
				f.out, f.address = append(f.out, p), append(f.address, false)
				see(p)
			}
			if t == c.target.Type {
				c.methods = append(c.methods, len(c.functions))
			}
			c.functions = append(c.functions, f)
		}
	}
}

// own reports whether t is a type of the package that is tested, or a pointer to
// one.
func (c *catalog) own(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	of := c.target.Type
	if of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	return t.PkgPath() != "" && (t.PkgPath() == c.library.Path || t.PkgPath() == of.PkgPath())
}

// A Test is a prefix, which is run first, and suffixes, which then run in
// parallel. They share the results of the prefix.
type Test struct {
	Prefix   []call
	At       int // the call of the prefix that makes the instance
	Result   int // and which of its results it is
	Suffixes [][]call
}

// A call of a function of the catalog.
type call struct {
	Function int
	Args     []argument
}

// An argument is a literal, or the result of an earlier call.
type argument struct {
	From    origin `json:",omitempty"`
	Call    int    `json:",omitempty"`
	Result  int    `json:",omitempty"`
	Literal uint64 `json:",omitempty"`
}

type origin uint8

const (
	literal    origin = iota
	fromPrefix        // the result of a call of the prefix
	fromOwn           // of the same sequence
)

// parameter returns the type of the i-th argument of f.
func (f *function) parameter(i int) reflect.Type {
	if f.variadic && i >= len(f.in)-1 {
		return f.in[len(f.in)-1].Elem()
	}
	return f.in[i]
}

// A bound is a sequence with fresh arguments for its calls.
type bound struct {
	catalog *catalog
	calls   []call
	args    [][]reflect.Value
	prefix  [][]reflect.Value
	results [][]reflect.Value
	at      int // calls that have returned
}

// bind makes the literals of a sequence. The results of the prefix may come later.
func (c *catalog) bind(calls []call, prefix [][]reflect.Value) *bound {
	b := &bound{catalog: c, calls: calls, prefix: prefix, args: make([][]reflect.Value, len(calls)), results: make([][]reflect.Value, len(calls))}
	for i, call := range calls {
		f := c.functions[call.Function]
		b.args[i] = make([]reflect.Value, len(call.Args))
		for j, a := range call.Args {
			if a.From == literal {
				b.args[i][j], _ = literalOf(f.parameter(j), a.Literal)
			}
		}
	}
	return b
}

// step runs the next call.
func (b *bound) step() {
	call := b.calls[b.at]
	args := b.args[b.at]
	for j, a := range call.Args {
		switch a.From {
		case fromOwn:
			args[j] = b.results[a.Call][a.Result]
		case fromPrefix:
			args[j] = b.prefix[a.Call][a.Result]
		}
	}
	b.results[b.at] = b.catalog.functions[call.Function].call(args)
	b.at++
}

func (f *function) call(args []reflect.Value) []reflect.Value {
	v := f.value
	if !v.IsValid() {
		v, args = args[0].MethodByName(f.name), args[1:]
	}
	out := v.Call(args)
	for i, address := range f.address {
		if address {
			p := reflect.New(out[i].Type())
			p.Elem().Set(out[i])
			out[i] = p
		}
	}
	return out
}

// text writes a call as in Set.Add or p.New.
func (c *catalog) text(n int) string {
	f := c.functions[n]
	if !f.method {
		return strings.ReplaceAll(f.name, "p.", c.library.Package+".")
	}
	t := f.in[0]
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Name() + "." + f.name
}
