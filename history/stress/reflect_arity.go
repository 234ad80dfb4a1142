package stress

import "github.com/leadline/leadline/history"

// direct0 to direct3 are direct for methods with so many parameters.

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
		return first0(f, textValue)
	case func(T) any:
		return first0(f, ofAny)
	case func(T) error:
		return first0(f, ofError)
	case func(T) []int:
		return first0(f, ofInts)
	case func(T) (int, bool):
		return both0(f, ofInt)
	case func(T) (string, bool):
		return both0(f, textValue)
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
			x := a(args[0])
			return func(object any) history.Value { f(object.(T), x); return history.NoValue }
		}
	case func(T, A) int:
		return first1(f, a, ofInt)
	case func(T, A) int64:
		return first1(f, a, ofInt64)
	case func(T, A) bool:
		return first1(f, a, history.BoolValue)
	case func(T, A) string:
		return first1(f, a, textValue)
	case func(T, A) any:
		return first1(f, a, ofAny)
	case func(T, A) error:
		return first1(f, a, ofError)
	case func(T, A) []int:
		return first1(f, a, ofInts)
	case func(T, A) (int, bool):
		return both1(f, a, ofInt)
	case func(T, A) (string, bool):
		return both1(f, a, textValue)
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
			x, y := a(args[0]), b(args[1])
			return func(object any) history.Value { f(object.(T), x, y); return history.NoValue }
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
		return both2(f, a, b, textValue)
	case func(T, A, B) (any, bool):
		return both2(f, a, b, ofAny)
	}
	return nil
}

func direct3[T, A, B, C any](f any, a func(history.Value) A, b func(history.Value) B, c func(history.Value) C) prepare {
	call := func(do func(o T, x A, y B, z C) history.Value) prepare {
		return func(args []history.Value) Call {
			x, y, z := a(args[0]), b(args[1]), c(args[2])
			return func(object any) history.Value { return do(object.(T), x, y, z) }
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
