package stress

import (
	"fmt"
	"reflect"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// ReflectOptions say what Reflect cannot see. Methods are meant by their Go
// names.
type ReflectOptions struct {
	// Name is that of the Class; by default that of the type.
	Name string
	// Core, ReadOnly and Weak methods; see Method. Without Core, no method is
	// core, and programs mix all of them. Without ReadOnly, the methods whose
	// names say that they only look are it, if a test bears them out.
	Core, ReadOnly, Weak []string
	// Failure is what Weak methods that are not read-only answer when they
	// fail; by default what they answer if they return nothing but zeros:
	// false, or [0, false].
	Failure map[string]history.Value
	// Exclude are methods that are not to be called.
	Exclude []string
	// Spec is that of the Class. The methods that it does not have are left
	// out; one that it has with a small first letter gets that name. What
	// they answer must have the shapes that Spec answers with.
	Spec replay.Spec
	// Close is that of the Class.
	Close func(object any)
}

// Reflected is what Reflect returns.
type Reflected struct {
	Class   *Class
	LeftOut []LeftOut // by name
}

// LeftOut is an exported method that the Class does not have.
type LeftOut struct{ Method, Reason string }

// Reflect derives a Class from the exported methods of T, a pointer or an
// interface. Of any other type it takes the methods of *T.
//
// Parameters may be integers, floats, strings, truth values, slices of
// integers or of strings, maps from integers to integers, types derived from
// these, and any, which gets an int (and a slice of any a slice with ints).
// A variadic parameter is taken for a slice. Slices and maps are made anew
// for every call. A time.Duration is left out: what such methods answer
// depends on the clock.
//
// A method answers nothing, or what it returns: numbers, strings, truth
// values, slices and arrays as lists, maps sorted by key, structs with
// exported fields only as lists of them, several results as a list. Of a
// pointer it is what it points to, of an interface what it holds, and null of
// either if it is nil. A nil slice or map is an empty one, as to most users.
// An error that is not nil is an exception and the whole answer; one that is
// nil is dropped, so that (int, error) answers an int or an exception. What an
// interface holds and cannot be shown is the text of its type. A result is
// read after the method has returned: one that shares a map with the object
// that goes on changing it may end the process, as in any program.
//
// Methods of other types are left out, and so are those that do not return
// within 200 ms when called on a fresh object, twice; the goroutines that
// wait in them stay. Lock, Unlock and their like without parameters are left
// out unless a designation names them, since unlocking what is not locked
// cannot be survived. Apart from these, Reflect calls every method.
//
// A method called Get, Len or the like (see readOnlyPrefixes) is read-only
// unless a call of it, after random calls, was seen to change what later ones
// answer. That is a test and no proof: a change that takes long to show, as
// in the order in which a cache evicts, may escape it.
//
// Methods of the common signatures on int, string and any are called
// directly if T is not an interface; others by reflection, which takes
// several times as long and allocates. It is well worth to give the concrete
// type rather than an interface.
func Reflect[T any](newObject func() T, o ReflectOptions) (*Reflected, error) {
	switch reflect.TypeFor[T]().Kind() {
	case reflect.Pointer, reflect.Interface:
		return derive(newObject, o)
	}
	return derive(func() *T { v := newObject(); return &v }, o)
}

func derive[T any](newObject func() T, o ReflectOptions) (*Reflected, error) {
	t := reflect.TypeFor[T]()
	if v := reflect.ValueOf(newObject()); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, fmt.Errorf("reflecting on %v: a new object is nil", t)
	} else {
		closeReflected(o, v.Interface())
	}
	if err := o.check(t); err != nil {
		return nil, fmt.Errorf("reflecting on %v: %w", t, err)
	}
	r := &Reflected{Class: &Class{Name: o.Name, New: func() any { return newObject() }, Close: o.Close, Spec: o.Spec}}
	if o.Name == "" {
		r.Class.Name = typeName(t)
	}
	guess := map[*Method]bool{}
	for i := range t.NumMethod() {
		m := t.Method(i)
		if !m.IsExported() {
			continue
		}
		method, reason := deriveMethod[T](m, o)
		if reason == "" && blocks(r.Class, method) {
			reason = blockedReason
		}
		if reason != "" {
			r.LeftOut = append(r.LeftOut, LeftOut{m.Name, reason})
			continue
		}
		guess[method] = o.ReadOnly == nil && looksReadOnly(m.Name)
		r.Class.Methods = append(r.Class.Methods, method)
	}
	if len(r.Class.Methods) == 0 {
		return nil, fmt.Errorf("reflecting on %v: it has no method to call", t)
	}
	for _, m := range r.Class.Methods {
		m.ReadOnly = m.ReadOnly || guess[m] && staysReadOnly(r.Class, m)
		if m.ReadOnly {
			m.Failure = history.NoValue
		}
	}
	return r, nil
}

func closeReflected(o ReflectOptions, object any) {
	if o.Close != nil {
		o.Close(object)
	}
}

func typeName(t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.String()
}

// check reports designations of methods that t does not have.
func (o *ReflectOptions) check(t reflect.Type) error {
	for _, name := range slices.Concat(o.Core, o.ReadOnly, o.Weak, o.Exclude) {
		if _, ok := t.MethodByName(name); !ok {
			return fmt.Errorf("there is no method %s", name)
		}
	}
	return nil
}

// lockMethods are those that types have from an embedded mutex.
var lockMethods = []string{"Lock", "Unlock", "RLock", "RUnlock", "TryLock", "TryRLock", "RLocker"}

// deriveMethod returns the Method for m, or why there is none.
func deriveMethod[T any](m reflect.Method, o ReflectOptions) (*Method, string) {
	if slices.Contains(o.Exclude, m.Name) {
		return nil, "excluded"
	}
	method := &Method{
		Name:     m.Name,
		Core:     slices.Contains(o.Core, m.Name),
		ReadOnly: slices.Contains(o.ReadOnly, m.Name),
		Weak:     slices.Contains(o.Weak, m.Name),
	}
	s, reason := signatureOf(m)
	if reason != "" {
		return nil, reason
	}
	designated := method.Core || method.ReadOnly || method.Weak
	if !designated && len(s.params) == 0 && slices.Contains(lockMethods, m.Name) {
		return nil, "a lock's method"
	}
	for _, p := range s.params {
		method.Params = append(method.Params, p.kind)
	}
	if o.Spec != nil {
		if method.Name, reason = nameIn(o.Spec, method); reason != "" {
			return nil, reason
		}
	}
	if failure, ok := o.Failure[m.Name]; ok {
		method.Failure = failure
	} else if method.Weak {
		method.Failure = s.zero(m)
	}
	if m.Func.IsValid() { // not that of an interface
		method.Prepare = direct[T](m.Func.Interface())
	}
	if method.Prepare == nil {
		method.Prepare = s.byReflection(m)
	}
	return method, ""
}

// nameIn returns the name by which the specification knows a method, or why
// it does not.
func nameIn(spec replay.Spec, m *Method) (name, reason string) {
	first, size := utf8.DecodeRuneInString(m.Name)
	var err error
	for _, name := range []string{string(unicode.ToLower(first)) + m.Name[size:], m.Name} {
		op := history.Operation{Method: name, Result: history.UnknownValue}
		for _, p := range m.Params {
			op.Args = append(op.Args, someValue(p, 0))
		}
		if err = spec.Check(&op); err == nil {
			return name, ""
		}
	}
	return "", fmt.Sprintf("model %s: %v", spec.Name(), err)
}
