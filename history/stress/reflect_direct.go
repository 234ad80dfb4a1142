package stress

import (
	"reflect"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress/values"
)

// A prepare is the Prepare of a Method.
type prepare = func(args []history.Value) Call

// direct returns the Prepare that calls f, a method expression of T, without
// reflection. It returns nil if the parameters of f are not among those here, or
// its results not among those of direct0 to direct3.
func direct[T any](f any) prepare {
	for _, p := range []prepare{
		direct0[T](f),
		direct1[T](f, toInt), direct1[T](f, toInt64), direct1[T](f, toText), direct1[T](f, values.Box), direct1[T](f, history.Value.Bool),
		direct2[T](f, toInt, toInt), direct2[T](f, toInt64, toInt64), direct2[T](f, values.Box, values.Box),
		direct2[T](f, toText, toText), direct2[T](f, toText, toInt), direct2[T](f, toText, values.Box),
		direct3[T](f, toInt, toInt, toInt), direct3[T](f, values.Box, values.Box, values.Box),
		direct3[T](f, toText, toInt, toInt), direct3[T](f, toText, values.Box, values.Box),
	} {
		if p != nil {
			return p
		}
	}
	return nil
}

func toInt(v history.Value) int     { return int(v.Int()) }
func toInt64(v history.Value) int64 { return v.Int() }
func toText(v history.Value) string { return v.Text() }

func ofInt(n int) history.Value     { return history.IntValue(int64(n)) }
func ofInt64(n int64) history.Value { return history.IntValue(n) }

// ofAny is shown for what an interface holds.
func ofAny(v any) history.Value {
	switch v := v.(type) {
	case nil:
		return history.NullValue
	case int:
		return ofInt(v)
	case string:
		return values.Quote(v)
	case bool:
		return history.BoolValue(v)
	}
	return ofOther(v)
}

// ofOther is apart from ofAny because its argument is allocated.
func ofOther(v any) history.Value { return values.Show(reflect.ValueOf(&v).Elem()) }

func ofInts(list []int) history.Value {
	vs := make([]history.Value, len(list))
	for i, n := range list {
		vs[i] = ofInt(n)
	}
	return history.ListValue(vs...)
}

func ofError(err error) history.Value {
	if err == nil {
		return history.NoValue
	}
	return values.Exception(err.Error())
}

// first0 to first2 are for methods that return one value.

func first0[T, R any](f func(T) R, of func(R) history.Value) prepare {
	return func([]history.Value) Call {
		return func(object any) history.Value { return of(f(object.(T))) }
	}
}

func first1[T, A, R any](f func(T, A) R, a func(history.Value) A, of func(R) history.Value) prepare {
	return func(args []history.Value) Call {
		return func(object any) history.Value { return of(f(object.(T), a(args[0]))) }
	}
}

func first2[T, A, B, R any](f func(T, A, B) R, a func(history.Value) A, b func(history.Value) B, of func(R) history.Value) prepare {
	return func(args []history.Value) Call {
		return func(object any) history.Value { return of(f(object.(T), a(args[0]), b(args[1]))) }
	}
}

// both0 to both2 are for methods that return a value and whether there is one.

func both0[T, R any](f func(T) (R, bool), of func(R) history.Value) prepare {
	return func([]history.Value) Call {
		return func(object any) history.Value {
			v, ok := f(object.(T))
			return pairValue(of(v), ok)
		}
	}
}

func both1[T, A, R any](f func(T, A) (R, bool), a func(history.Value) A, of func(R) history.Value) prepare {
	return func(args []history.Value) Call {
		return func(object any) history.Value {
			v, ok := f(object.(T), a(args[0]))
			return pairValue(of(v), ok)
		}
	}
}

func both2[T, A, B, R any](f func(T, A, B) (R, bool), a func(history.Value) A, b func(history.Value) B, of func(R) history.Value) prepare {
	return func(args []history.Value) Call {
		return func(object any) history.Value {
			v, ok := f(object.(T), a(args[0]), b(args[1]))
			return pairValue(of(v), ok)
		}
	}
}

// orError is the result of a method that returns a value or an error.
func orError[R any](v R, err error, of func(R) history.Value) history.Value {
	if err != nil {
		return ofError(err)
	}
	return of(v)
}

// direct0 to direct3 are direct for methods with 0 to 3 parameters.

func direct0[T any](f any) prepare {
	switch f := f.(type) {
	case func(T):
		return func([]history.Value) Call {
			return func(object any) history.Value { f(object.(T)); return history.NoValue }
		}
	case func(T) int:
		return first0(f, ofInt)
	case func(T) int64:
		return first0(f, ofInt64)
	case func(T) bool:
		return first0(f, history.BoolValue)
	case func(T) string:
		return first0(f, values.Quote)
	case func(T) any:
		return first0(f, ofAny)
	case func(T) error:
		return first0(f, ofError)
	case func(T) []int:
		return first0(f, ofInts)
	case func(T) (int, bool):
		return both0(f, ofInt)
	case func(T) (string, bool):
		return both0(f, values.Quote)
	case func(T) (any, bool):
		return both0(f, ofAny)
	case func(T) (int, error):
		return first0(func(o T) history.Value { v, err := f(o); return orError(v, err, ofInt) }, same)
	case func(T) (any, error):
		return first0(func(o T) history.Value { v, err := f(o); return orError(v, err, ofAny) }, same)
	}
	return nil
}

func same(v history.Value) history.Value { return v }

func direct1[T, A any](f any, a func(history.Value) A) prepare {
	switch f := f.(type) {
	case func(T, A):
		return func(args []history.Value) Call {
			return func(object any) history.Value { f(object.(T), a(args[0])); return history.NoValue }
		}
	case func(T, A) int:
		return first1(f, a, ofInt)
	case func(T, A) int64:
		return first1(f, a, ofInt64)
	case func(T, A) bool:
		return first1(f, a, history.BoolValue)
	case func(T, A) string:
		return first1(f, a, values.Quote)
	case func(T, A) any:
		return first1(f, a, ofAny)
	case func(T, A) error:
		return first1(f, a, ofError)
	case func(T, A) []int:
		return first1(f, a, ofInts)
	case func(T, A) (int, bool):
		return both1(f, a, ofInt)
	case func(T, A) (string, bool):
		return both1(f, a, values.Quote)
	case func(T, A) (any, bool):
		return both1(f, a, ofAny)
	case func(T, A) (int, error):
		return first1(func(o T, x A) history.Value { v, err := f(o, x); return orError(v, err, ofInt) }, a, same)
	case func(T, A) (any, error):
		return first1(func(o T, x A) history.Value { v, err := f(o, x); return orError(v, err, ofAny) }, a, same)
	}
	return nil
}

func direct2[T, A, B any](f any, a func(history.Value) A, b func(history.Value) B) prepare {
	switch f := f.(type) {
	case func(T, A, B):
		return func(args []history.Value) Call {
			return func(object any) history.Value {
				f(object.(T), a(args[0]), b(args[1]))
				return history.NoValue
			}
		}
	case func(T, A, B) int:
		return first2(f, a, b, ofInt)
	case func(T, A, B) int64:
		return first2(f, a, b, ofInt64)
	case func(T, A, B) bool:
		return first2(f, a, b, history.BoolValue)
	case func(T, A, B) any:
		return first2(f, a, b, ofAny)
	case func(T, A, B) error:
		return first2(f, a, b, ofError)
	case func(T, A, B) []int:
		return first2(f, a, b, ofInts)
	case func(T, A, B) (int, bool):
		return both2(f, a, b, ofInt)
	case func(T, A, B) (string, bool):
		return both2(f, a, b, values.Quote)
	case func(T, A, B) (any, bool):
		return both2(f, a, b, ofAny)
	}
	return nil
}

func direct3[T, A, B, C any](f any, a func(history.Value) A, b func(history.Value) B, c func(history.Value) C) prepare {
	call := func(do func(o T, x A, y B, z C) history.Value) prepare {
		return func(args []history.Value) Call {
			return func(object any) history.Value { return do(object.(T), a(args[0]), b(args[1]), c(args[2])) }
		}
	}
	switch f := f.(type) {
	case func(T, A, B, C):
		return call(func(o T, x A, y B, z C) history.Value { f(o, x, y, z); return history.NoValue })
	case func(T, A, B, C) int:
		return call(func(o T, x A, y B, z C) history.Value { return ofInt(f(o, x, y, z)) })
	case func(T, A, B, C) bool:
		return call(func(o T, x A, y B, z C) history.Value { return history.BoolValue(f(o, x, y, z)) })
	case func(T, A, B, C) error:
		return call(func(o T, x A, y B, z C) history.Value { return ofError(f(o, x, y, z)) })
	}
	return nil
}
