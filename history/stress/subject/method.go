package subject

import (
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress"
)

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

// nullary, unary, binary and ternary are methods with so many ints as
// parameters. T is the interface of the kind of object.

func nullary[T any](name string, marks mark, f func(T) history.Value) *stress.Method {
	m := newMethod(name, marks)
	call := func(object any) history.Value { return f(object.(T)) }
	m.Prepare = func([]history.Value) stress.Call { return call }
	return m
}

func unary[T any](name string, marks mark, f func(T, int) history.Value) *stress.Method {
	m := newMethod(name, marks, stress.Int)
	m.Prepare = func(args []history.Value) stress.Call {
		a := int(args[0].Int())
		return func(object any) history.Value { return f(object.(T), a) }
	}
	return m
}

func binary[T any](name string, marks mark, f func(T, int, int) history.Value) *stress.Method {
	m := newMethod(name, marks, stress.Int, stress.Int)
	m.Prepare = func(args []history.Value) stress.Call {
		a, b := int(args[0].Int()), int(args[1].Int())
		return func(object any) history.Value { return f(object.(T), a, b) }
	}
	return m
}

func ternary[T any](name string, marks mark, f func(T, int, int, int) history.Value) *stress.Method {
	m := newMethod(name, marks, stress.Int, stress.Int, stress.Int)
	m.Prepare = func(args []history.Value) stress.Call {
		a, b, c := int(args[0].Int()), int(args[1].Int()), int(args[2].Int())
		return func(object any) history.Value { return f(object.(T), a, b, c) }
	}
	return m
}

// Answers.

func intValue(n int) history.Value { return history.IntValue(int64(n)) }

// orNull answers null where there is no value, as the models do.
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

// linger takes about a tenth of a microsecond. Broken subjects call it where
// their mistake is, in place of the work that objects of the real world do
// there.
//
//go:noinline
func linger() {
	for range 300 {
		// The compiler keeps empty loops.
	}
}
