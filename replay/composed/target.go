package composed

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/explore/schedule"
)

// A Target is a function of a program that calls several operations of a collection. Package
// extract writes the targets of a package as Go source, and Serve explores them.
type Target struct {
	Name     string // such as (*Cache).Length
	Function any    // the receiver of a method is the first parameter
	Receiver string // its type, or ""
	Makers   []any  // functions that return receivers: the first that serves is used, or else the zero value
	// Collection is a function that returns methods of the collection, in the order of Operations.
	// Its parameters are the parameters of Function with the numbers in Roots.
	Collection any
	Roots      []int
	// Operations are the names of methods with what their parameters are: "LoadOrStore kv" has a key
	// and a value. An operation with ? reads the collection; "Range r" reads all of it.
	Operations []string
	// Keys and Values are constants of the program. Sites are the lines of the function's
	// operations, such as "cache.go:11 Load"; a site in Loops may run several times.
	Keys, Values []any
	Sites        []string
	Loops        []bool
	Whole        bool // the function uses all of the collection, by Range or Clear
}

// An environmentCall is a call of one operation. Its arguments are numbers in the pool.
type environmentCall struct {
	operation int
	args      []int
}

// A body is a target with the values of one execution.
type body struct {
	*Target
	function reflect.Value
	kinds    []string // of the parameters of each operation
	maker    int      // len(Makers) is the zero value
	no       bool     // arguments of type bool are false

	open     func(*log) *standIn    // makes the collection of Test, or is nil
	renew    func() []reflect.Value // returns samples for each execution, or is nil
	without  []string               // operations that the environment does not run
	anyPoint bool                   // Point does nothing

	samples  []reflect.Value // keys and values of the environment
	isKey    []bool
	ofArg    []int // the argument of the method that a sample is, or -1
	alphabet []environmentCall

	// Of the present execution:
	standIn    *standIn // of Test, or nil
	names      names
	args       []reflect.Value
	pool       []reflect.Value // samples, or new pointers for those that are pointers
	failure    error           // of the maker
	calls      []int           // of the environment, in alphabet
	results    [][]reflect.Value
	returned   []reflect.Value
	panicked   string // the panic of the method, or ""
	began      int    // calls of the environment that had returned when the method began
	begun      int    // calls of the environment that had begun when the method returned
	returnedAt int    // the same, or -1 before that
	reads      [][]reflect.Value
}

func newBody(t *Target) *body {
	b := &body{Target: t, function: reflect.ValueOf(t.Function)}
	for _, o := range t.Operations {
		_, kinds, _ := strings.Cut(o, " ")
		b.kinds = append(b.kinds, kinds)
	}
	return b
}

// before makes the receiver, the arguments, and the values of the environment.
func (b *body) before() {
	b.names, b.args, b.pool = names{}, nil, nil
	b.results, b.returned, b.panicked, b.reads = nil, nil, "", nil
	b.calls, b.began, b.begun, b.failure, b.returnedAt = b.calls[:0], 0, 0, nil, -1
	if b.open != nil {
		b.standIn = b.open(&log{b: b, point: -1})
	}
	t, letters := b.function.Type(), 0
	for i := range t.NumIn() {
		switch {
		case i == 0 && len(b.Makers) > b.maker:
			b.args = append(b.args, b.make(b.Makers[b.maker], t.In(0)))
		case !t.IsVariadic() || i < t.NumIn()-1:
			b.args = append(b.args, argument(t.In(i), &letters))
		case t.In(i).Elem().Kind() != reflect.Func: // functions are often options
			b.args = append(b.args, argument(t.In(i).Elem(), &letters))
		}
	}
	for _, a := range b.args {
		if a.Kind() == reflect.Bool && a.CanSet() {
			a.SetBool(!b.no)
		}
		b.names.value(a.Interface())
	}
	samples := b.samples
	if b.renew != nil {
		samples = b.renew()
	}
	for i, s := range samples {
		if b.ofArg[i] >= 0 {
			s = dynamic(b.args)[b.ofArg[i]]
		} else if b.renew == nil && s.Kind() == reflect.Pointer && !s.IsNil() && s.Type() != typeOfTypes {
			s = reflect.New(s.Type().Elem())
		}
		b.pool = append(b.pool, s)
		b.value(s)
	}
	b.names.own = true
}

// make calls a function that returns a receiver, and perhaps an error.
func (b *body) make(maker any, t reflect.Type) reflect.Value {
	f, letters := reflect.ValueOf(maker), 0
	var args []reflect.Value
	for i := range f.Type().NumIn() {
		if !f.Type().IsVariadic() || i < f.Type().NumIn()-1 {
			args = append(args, argument(f.Type().In(i), &letters))
		}
	}
	results, panicked := protect(func() []reflect.Value { return f.Call(args) })
	if panicked != "" {
		b.failure = fmt.Errorf("a constructor panics: %s", panicked)
		return reflect.Zero(t)
	}
	made := results[0]
	if len(results) > 1 && !results[1].IsNil() {
		b.failure = fmt.Errorf("a constructor fails: %v", results[1])
	}
	if made.Kind() == reflect.Interface {
		made = made.Elem()
	}
	switch {
	case made.IsValid() && made.Type() == t:
		return made
	case made.IsValid() && made.Kind() == reflect.Pointer && made.Type().Elem() == t && !made.IsNil():
		return made.Elem()
	case made.IsValid() && t.Kind() == reflect.Pointer && t.Elem() == made.Type():
		p := reflect.New(made.Type())
		p.Elem().Set(made)
		return p
	}
	b.failure = errors.New("a constructor returns another type")
	return reflect.Zero(t)
}

// argument returns an argument of a type. Strings differ; others are 1, true, and what they can be
// made of.
func argument(t reflect.Type, letters *int) reflect.Value {
	v := reflect.New(t).Elem()
	switch kind := t.Kind(); {
	case t == reflect.TypeFor[context.Context]():
		v.Set(reflect.ValueOf(context.Background()))
	case t == reflect.TypeFor[reflect.Type]():
		v.Set(reflect.ValueOf(reflect.TypeFor[struct{ A int }]()))
	case kind == reflect.String:
		v.SetString(string(rune('a' + *letters)))
		*letters = (*letters + 1) % 26
	case v.CanInt():
		v.SetInt(1)
	case v.CanUint():
		v.SetUint(1)
	case v.CanFloat():
		v.SetFloat(1)
	case kind == reflect.Bool:
		v.SetBool(true)
	case kind == reflect.Pointer:
		v.Set(reflect.New(t.Elem()))
	case kind == reflect.Interface && t.NumMethod() == 0:
		v.Set(reflect.ValueOf(1))
	case t == reflect.TypeFor[error]():
		v.Set(reflect.ValueOf(errors.New("a")))
	case kind == reflect.Slice && t.Elem().Kind() != reflect.Slice && t.Elem().Kind() != reflect.Map: // a type may be its own element
		v.Set(reflect.Append(v, two(t.Elem(), letters)...))
	case kind == reflect.Map && t.Elem().Kind() != reflect.Map:
		v.Set(reflect.MakeMap(t))
		for _, key := range two(t.Key(), letters) {
			v.SetMapIndex(key, argument(t.Elem(), letters))
		}
	case kind == reflect.Chan: // nil would make the method wait
		c := reflect.MakeChan(reflect.ChanOf(reflect.BothDir, t.Elem()), 64)
		if t.ChanDir() == reflect.RecvDir {
			c.Close()
		}
		v.Set(c.Convert(t))
	case kind == reflect.Func:
		v.Set(makeFunc(t, false)) // a loop that tries again calls it again
	}
	return v
}

// two returns an argument, and a different one if there is one.
func two(t reflect.Type, letters *int) []reflect.Value {
	v := argument(t, letters)
	if next, ok := different(v.Interface()); ok {
		return []reflect.Value{v, reflect.ValueOf(next)}
	}
	return []reflect.Value{v}
}

// protect calls f, and returns the text of its panic.
func protect(f func() []reflect.Value) (results []reflect.Value, panicked string) {
	defer func() {
		if p := recover(); schedule.Aborted(p) {
			panic(p)
		} else if p != nil {
			panicked = fmt.Sprintf("panic: %v", p)
		}
	}()
	return f(), ""
}

// method calls the function under test.
func (b *body) method() {
	schedule.Invocation(0, 0)
	b.began = len(b.results)
	results, panicked := protect(func() []reflect.Value { return b.function.Call(b.args) })
	schedule.Returned() // it does not return if the execution is being ended
	b.returned, b.panicked, b.begun, b.returnedAt = results, panicked, len(b.calls), len(b.calls)
	if b.standIn != nil && b.standIn.log.point >= 0 && !b.anyPoint {
		b.began = b.standIn.log.pointAfter()
		b.begun = b.began
	}
}

// operate makes a call of the environment.
func (b *body) operate(call int) {
	schedule.Invocation(1, len(b.calls))
	b.calls = append(b.calls, call)
	c := b.alphabet[call]
	results, panicked := protect(func() []reflect.Value {
		args := make([]reflect.Value, len(c.args))
		for i, a := range c.args {
			args[i] = b.pool[a]
		}
		return b.operation(c.operation).Call(args)
	})
	schedule.Returned()
	if panicked != "" {
		results = []reflect.Value{reflect.ValueOf(panicked)}
	}
	b.results = append(b.results, results)
}

// operation returns a method of the collection as it is now.
func (b *body) operation(i int) reflect.Value {
	roots := make([]reflect.Value, len(b.Roots))
	for j, r := range b.Roots {
		roots[j] = b.args[r]
	}
	return reflect.ValueOf(b.Collection).Call(roots)[0].Index(i).Elem()
}

// after reads the collection, unless it can be read by Range later.
func (b *body) after() {
	if b.standIn != nil {
		b.forget()
		return
	}
	if slices.Contains(b.kinds, "r") || b.failure != nil {
		return
	}
	for i, kinds := range b.kinds {
		params, isRead := strings.CutPrefix(kinds, "?")
		if !isRead {
			continue
		}
		for k, v := range b.pool {
			if params == "" && k > 0 || params == "k" && !b.isKey[k] {
				continue
			}
			var args []reflect.Value
			if params == "k" {
				args = append(args, v)
			}
			results, panicked := protect(func() []reflect.Value { return b.operation(i).Call(args) })
			if panicked != "" {
				results = []reflect.Value{reflect.ValueOf(panicked)}
			}
			b.reads = append(b.reads, append(args, results...))
		}
	}
}

// entries returns the keys and values of the collection, in no order, if it has Range. It is called
// when the execution has ended.
func (b *body) entries() (keys, values []reflect.Value) {
	at := slices.Index(b.kinds, "r")
	if at < 0 || b.failure != nil {
		return nil, nil
	}
	protect(func() []reflect.Value {
		method := b.operation(at)
		t := method.Type().In(0)
		method.Call([]reflect.Value{reflect.MakeFunc(t, func(args []reflect.Value) []reflect.Value {
			keys, values = append(keys, args[0]), append(values, args[1])
			results := make([]reflect.Value, t.NumOut())
			for i := range results {
				results[i] = reflect.ValueOf(true)
			}
			return results
		})})
		return nil
	})
	return keys, values
}

// forget removes what Options.Missing reports.
func (b *body) forget() {
	if b.standIn != nil && b.standIn.forget != nil {
		b.standIn.forget()
	}
}

// contents returns the names of what the collection holds at the end: keys and values, or what was
// read.
func (b *body) contents() (list [][]value) {
	if b.standIn != nil && b.standIn.list != nil {
		for _, v := range b.standIn.list() {
			list = append(list, []value{b.names.value(v)})
		}
		if b.isSet() {
			sortByFirst(list)
		}
		return list
	}
	keys, values := b.entries()
	for i := range keys {
		list = append(list, []value{b.value(keys[i]), b.value(values[i])})
	}
	sortByFirst(list)
	for _, r := range b.reads {
		var names []value
		for _, v := range r {
			names = append(names, b.value(v))
		}
		list = append(list, names)
	}
	return list
}

// isSet reports whether the collection has keys but no values.
func (b *body) isSet() bool {
	return !slices.ContainsFunc(b.kinds, func(k string) bool { return strings.Contains(k, "v") })
}

func sortByFirst(list [][]value) {
	slices.SortFunc(list, func(a, b []value) int { return a[0].Compare(b[0]) })
}

// value returns the name of a result.
func (b *body) value(v reflect.Value) value {
	if !v.IsValid() {
		return b.names.value(nil)
	}
	if !v.CanInterface() {
		return history.StringValue(v.String())
	}
	return b.names.value(v.Interface())
}
