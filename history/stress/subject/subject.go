package subject

import (
	"slices"
	"sync"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress"
)

// A Subject is an object under test that is known to be correct or broken.
type Subject struct {
	Class  *stress.Class // must not be changed
	Doc    string        // one line
	Broken bool
	// Twin is the name of the correct subject with the same methods, if the
	// subject is broken.
	Twin string
}

// all makes the subjects once, as Reflect calls methods of some.
var all = sync.OnceValue(func() []*Subject {
	return slices.Concat(
		syncMaps(), channels(), counters(), registers(), pairs(), rings(), queues(), stacks(),
		sets(), mappings(), shardedMaps(), semaphores(), banks(), blockingQueues(),
	)
})

// All returns the subjects in a fixed order, the twins after the correct ones.
func All() []*Subject { return slices.Clone(all()) }

// Lookup returns the subject whose Class is called name, or nil.
func Lookup(name string) *Subject {
	for _, s := range all() {
		if s.Class.Name == name {
			return s
		}
	}
	return nil
}

// A variant is one implementation of a kind of object.
type variant struct {
	name, doc string
	new       func() any
	twin      string // of a broken one
}

// A model names a specification; the zero value means none.
type model struct {
	name string
	args []history.Value
}

// subjects returns a subject for each variant, all with the same methods and
// the same model.
func subjects(of model, methods []*stress.Method, variants ...variant) []*Subject {
	var list []*Subject
	for _, v := range variants {
		list = append(list, &Subject{
			Class: &stress.Class{Name: v.name, New: v.new, Methods: methods, Model: of.name, ModelArgs: of.args},
			Doc:   v.doc, Broken: v.twin != "", Twin: v.twin,
		})
	}
	return list
}

// A mark is a designation of a method.
type mark uint8

const (
	core mark = 1 << iota
	readOnly
	weak
)

func newMethod(name string, marks mark, params ...stress.Param) *stress.Method {
	return &stress.Method{
		Name: name, Params: params,
		Core: marks&core != 0, ReadOnly: marks&readOnly != 0, Weak: marks&weak != 0,
	}
}

// method returns a method with ints as parameters. T is the interface of the kind of object.
// nullary, unary, binary and ternary have functions for it.
func method[T any](name string, marks mark, params int, f func(o T, args []int) history.Value) *stress.Method {
	m := newMethod(name, marks, slices.Repeat([]stress.Param{stress.Int}, params)...)
	m.Prepare = func(args []history.Value) stress.Call {
		ints := make([]int, len(args))
		for i, a := range args {
			ints[i] = int(a.Int())
		}
		return func(object any) history.Value { return f(object.(T), ints) }
	}
	return m
}

func nullary[T any](name string, marks mark, f func(T) history.Value) *stress.Method {
	return method(name, marks, 0, func(o T, _ []int) history.Value { return f(o) })
}

func unary[T any](name string, marks mark, f func(T, int) history.Value) *stress.Method {
	return method(name, marks, 1, func(o T, args []int) history.Value { return f(o, args[0]) })
}

func binary[T any](name string, marks mark, f func(T, int, int) history.Value) *stress.Method {
	return method(name, marks, 2, func(o T, args []int) history.Value { return f(o, args[0], args[1]) })
}

func ternary[T any](name string, marks mark, f func(T, int, int, int) history.Value) *stress.Method {
	return method(name, marks, 3, func(o T, args []int) history.Value { return f(o, args[0], args[1], args[2]) })
}

func intValue(n int) history.Value { return history.IntValue(int64(n)) }

// orNull returns null if there is no value, as the models do.
func orNull(n int, ok bool) history.Value {
	if !ok {
		return history.NullValue
	}
	return intValue(n)
}

func intList(ns []int) history.Value {
	list := make([]history.Value, len(ns))
	for i, n := range ns {
		list[i] = intValue(n)
	}
	return history.ListValue(list...)
}

func intMap(m map[int]int) history.Value {
	pairs := make([]history.Value, 0, 2*len(m))
	for key, v := range m {
		pairs = append(pairs, intValue(key), intValue(v))
	}
	value, _ := history.MapValue(pairs...) // sorts them
	return value
}

// linger takes about 100 ns. Broken subjects call it between their steps, in place
// of the work that real objects do there.
//
//go:noinline
func linger() {
	for range 300 {
		// The compiler keeps empty loops.
	}
}
