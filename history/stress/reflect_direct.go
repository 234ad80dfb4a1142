package stress

import (
	"reflect"

	"github.com/leadline/leadline/history"
)

// A prepare is the Prepare of a Method.
type prepare = func(args []history.Value) Call

// direct returns the Prepare for a method expression of T, f, that calls it
// without reflection, or nil if f has none of the signatures below. It is
// tried for all combinations of the parameters here with the results below.
func direct[T any](f any) prepare {
	for _, p := range []prepare{
		direct0[T](f),
		direct1[T](f, toInt), direct1[T](f, toInt64), direct1[T](f, toText), direct1[T](f, toAny), direct1[T](f, history.Value.Bool),
		direct2[T](f, toInt, toInt), direct2[T](f, toInt64, toInt64), direct2[T](f, toAny, toAny),
		direct2[T](f, toText, toText), direct2[T](f, toText, toInt), direct2[T](f, toText, toAny),
		direct3[T](f, toInt, toInt, toInt), direct3[T](f, toAny, toAny, toAny),
		direct3[T](f, toText, toInt, toInt), direct3[T](f, toText, toAny, toAny),
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
func toAny(v history.Value) any     { return int(v.Int()) }

func ofInt(n int) history.Value     { return history.IntValue(int64(n)) }
func ofInt64(n int64) history.Value { return history.IntValue(n) }

// ofAny is shown of what an interface holds.
func ofAny(v any) history.Value {
	switch v := v.(type) {
	case nil:
		return history.NullValue
	case int:
		return ofInt(v)
	case string:
		return textValue(v)
	case bool:
		return history.BoolValue(v)
	}
	return ofOther(v)
}

// ofOther is apart from ofAny, since its argument is allocated.
func ofOther(v any) history.Value { return shown(reflect.ValueOf(&v).Elem(), 0) }

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
	return history.ExceptionValue(err.Error())
}

// first0 to first3 are the results of a method that returns one value.

func first0[T, R any](f func(T) R, of func(R) history.Value) prepare {
	return func([]history.Value) Call {
		return func(object any) history.Value { return of(f(object.(T))) }
	}
}

func first1[T, A, R any](f func(T, A) R, a func(history.Value) A, of func(R) history.Value) prepare {
	return func(args []history.Value) Call {
		x := a(args[0])
		return func(object any) history.Value { return of(f(object.(T), x)) }
	}
}

func first2[T, A, B, R any](f func(T, A, B) R, a func(history.Value) A, b func(history.Value) B, of func(R) history.Value) prepare {
	return func(args []history.Value) Call {
		x, y := a(args[0]), b(args[1])
		return func(object any) history.Value { return of(f(object.(T), x, y)) }
	}
}

// both0 to both2 are those of a method that returns a value and whether it is
// one.

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
		x := a(args[0])
		return func(object any) history.Value {
			v, ok := f(object.(T), x)
			return pairValue(of(v), ok)
		}
	}
}

func both2[T, A, B, R any](f func(T, A, B) (R, bool), a func(history.Value) A, b func(history.Value) B, of func(R) history.Value) prepare {
	return func(args []history.Value) Call {
		x, y := a(args[0]), b(args[1])
		return func(object any) history.Value {
			v, ok := f(object.(T), x, y)
			return pairValue(of(v), ok)
		}
	}
}

// orError is the answer of a method that returns a value or an error.
func orError[R any](v R, err error, of func(R) history.Value) history.Value {
	if err != nil {
		return ofError(err)
	}
	return of(v)
}
