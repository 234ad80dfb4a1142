package records

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/vm/runtime"
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec/scan"
)

// functions are what expressions have beyond the library's own functions, and those of the
// library that round numbers, that have no order or that take memory without a bound.
var functions = []expr.Option{
	expr.Env(map[string]any{}), // so that the machine looks fields up without reflection
	expr.AllowUndefinedVariables(),
	expr.MaxNodes(maxNodes),
	expr.Function("ns", func(...any) (any, error) { return nil, errArguments }), // see directCalls
	expr.Function("exception", func(args ...any) (any, error) {
		if len(args) == 1 {
			if name, ok := args[0].(string); ok {
				return history.ExceptionValue(name), nil
			}
		}
		return nil, errors.New("exception takes a string, the name")
	}),
	expr.Function("refuse", func(args ...any) (any, error) { return nil, errors.New(strings.TrimSpace(fmt.Sprintln(args...))) }),
	expr.Function("unknown", func(args ...any) (any, error) { return history.UnknownValue, nil }),
	expr.Function("fromJSON", func(args ...any) (any, error) { return fromJSON(args, false) }),
	expr.Function(exactFromJSON, func(args ...any) (any, error) { return fromJSON(args, true) }),
	expr.Function("int", integerOf), expr.Function("uniq", uniq),
	bounded("repeat", repeatedSize), bounded("replace", replacedSize), bounded("join", joinedSize),
	bounded("toJSON", heldSize), bounded("string", heldSize),
	expr.Function("keys", func(args ...any) (any, error) {
		return membersOf(args, func(key string, _ any) any { return key })
	}),
	expr.Function("values", func(args ...any) (any, error) {
		return membersOf(args, func(_ string, v any) any { return v })
	}),
	expr.Function("toPairs", func(args ...any) (any, error) {
		return membersOf(args, func(key string, v any) any { return []any{key, v} })
	}),
}

// exactFromJSON is the name of fromJSON inside of ns.
const exactFromJSON = "fromJSON exact"

// fromJSON reads a text as the members of records are read. The library's function makes
// all numbers floats.
func fromJSON(args []any, exact bool) (any, error) {
	if len(args) != 1 {
		return nil, errors.New("fromJSON takes a string")
	}
	text, ok := args[0].(string)
	if !ok {
		return nil, errors.New("fromJSON takes a string")
	}
	e := environment{pool: new(scan.Pool)}
	s := scan.Scanner{Data: []byte(text), Pool: e.pool, Wide: true}
	v := e.parse(&s, exact)
	if !s.End() {
		return nil, fmt.Errorf("fromJSON: %s", s.Fault)
	}
	return v, nil
}

// integerOf is int, which refuses floats that are rounded already.
func integerOf(args ...any) (any, error) {
	if len(args) != 1 {
		return nil, errors.New("int takes one value")
	}
	switch x := args[0].(type) {
	case float64:
		if math.IsNaN(x) || math.Abs(x) > 1<<53 {
			return nil, fmt.Errorf("int(%v): the float has been rounded; ns(FIELD, UNIT) reads a field exactly", x)
		}
	case decimal:
		return nil, fmt.Errorf("int(%s) inside ns, which needs no int", x)
	}
	return builtin.Int(args[0]), nil
}

// bounded returns a function of the library that makes a string. size returns about how long
// that is, from the arguments and from the bytes of all that they hold.
func bounded(name string, size func(args []any, held int) int) expr.Option {
	f := builtin.Builtins[builtin.Index[name]]
	var types []any
	for _, t := range f.Types {
		types = append(types, reflect.New(t).Interface())
	}
	return expr.Function(name, func(args ...any) (any, error) {
		held := bytesOf(args, maxMemory)
		if held > maxMemory || size(args, held) > maxMemory {
			return nil, errTextMemory
		}
		switch {
		case f.Func != nil:
			return f.Func(args...)
		case f.Safe != nil:
			v, _, err := f.Safe(args...)
			return v, err
		}
		return f.Fast(args[0]), nil
	}, types...)
}

var errTextMemory = fmt.Errorf("memory budget exceeded: a string of more than %d bytes", maxMemory)

// bytesOf returns about how long a value is as text, or more than limit. Lists and strings
// may occur in it many times.
func bytesOf(x any, limit int) int {
	n := 1
	switch x := x.(type) {
	case string:
		n += len(x)
	case []any:
		for i := 0; i < len(x) && n <= limit; i++ {
			n += bytesOf(x[i], limit-n)
		}
	case []string:
		for i := 0; i < len(x) && n <= limit; i++ {
			n += 1 + len(x[i])
		}
	case []int:
		n += len(x)
	case map[string]any:
		for key, v := range x {
			if n += len(key); n > limit {
				break
			}
			n += bytesOf(v, limit-n)
		}
	}
	return n
}

// lengthOf returns the length of an argument that is a string.
func lengthOf(args []any, i int) int {
	if i < len(args) {
		if s, ok := args[i].(string); ok {
			return len(s)
		}
	}
	return 0
}

func heldSize(_ []any, held int) int { return held }

// joinedSize is the size of join(LIST, SEPARATOR).
func joinedSize(args []any, held int) int {
	list, _ := elementsOf(args[0])
	return held + len(list)*lengthOf(args, 1)
}

// elementsOf returns the elements of a list.
func elementsOf(x any) (list []any, ok bool) {
	switch x := x.(type) {
	case []any:
		return x, true
	case []string: // as split returns
		return anyOf(x), true
	case []int: // as 1..3 is
		return anyOf(x), true
	}
	return nil, false
}

func anyOf[E any](x []E) []any {
	list := make([]any, len(x))
	for i, v := range x {
		list[i] = v
	}
	return list
}

// replacedSize is the size of replace(TEXT, OLD, NEW).
func replacedSize(args []any, held int) int {
	text, _ := args[0].(string)
	old, _ := args[min(1, len(args)-1)].(string)
	return held + strings.Count(text, old)*lengthOf(args, 2)
}

// repeatedSize is the size of repeat(TEXT, N).
func repeatedSize(args []any, held int) int {
	n, _ := args[len(args)-1].(int)
	return max(n, 0) * lengthOf(args, 0)
}

// uniq is the function of the library, which compares each element with all before.
func uniq(args ...any) (any, error) {
	if len(args) == 1 {
		if list, ok := elementsOf(args[0]); ok {
			return distinct(list), nil
		}
	}
	return nil, errors.New("uniq takes a list")
}

// distinct returns the elements without those that are there before.
func distinct(list []any) []any {
	known := map[any]bool{}
	kept := []any{}
	for _, x := range list {
		key := x
		switch v := x.(type) {
		case []any, []string, []int, map[string]any:
			key = fmt.Sprintf("%#v", v)
		case float64: // 1.0 equals 1
			if n, err := integral(v); err == nil {
				key = n
			}
		}
		if !known[key] {
			known[key] = true
			kept = append(kept, x)
		}
	}
	return kept
}

// membersOf returns what of returns for the members of an object, ordered by key. The
// library's functions have another order each time.
func membersOf(args []any, of func(key string, v any) any) (any, error) {
	if len(args) == 1 {
		if object, ok := args[0].(map[string]any); ok {
			list := make([]any, 0, len(object))
			for _, key := range slices.Sorted(maps.Keys(object)) {
				list = append(list, of(key, object[key]))
			}
			return list, nil
		}
	}
	return nil, errors.New("the value is not an object")
}

// arithmetic has the operators that report an overflow.
var arithmetic = map[string]func(a, b any) any{
	"+": func(a, b any) any { return checked(besideInteger(a, b), besideInteger(b, a), runtime.Add, sumFits) },
	"-": func(a, b any) any {
		return checked(besideInteger(a, b), besideInteger(b, a), runtime.Subtract, differenceFits)
	},
	"*": func(a, b any) any { return checked(a, b, runtime.Multiply, productFits) },
}

// checked returns what of returns for two values. Integers must fit 64 bits, and strings the
// bound on memory.
func checked(a, b any, of func(a, b any) any, fits func(a, b int) bool) any {
	n, isInt := a.(int)
	m, areInt := b.(int)
	if isInt && areInt && !fits(n, m) {
		panic(fmt.Errorf("the result for %d and %d does not fit 64 bits", n, m))
	}
	s, isText := a.(string)
	t, areText := b.(string)
	if isText && areText && len(s)+len(t) > maxMemory {
		panic(errTextMemory)
	}
	return of(a, b)
}

// besideInteger returns x, or its nanoseconds if it is a date or a duration and other is an integer.
func besideInteger(x, other any) any {
	if _, isInt := other.(int); !isInt {
		return x
	}
	switch v := x.(type) {
	case time.Time, time.Duration:
		return nanosecondsIn(v, "ns")
	case string:
		if scan.IsDate(v) {
			return nanosecondsIn(v, "ns")
		}
	}
	return x
}

func sumFits(a, b int) bool        { return (a+b > a) == (b > 0) }
func differenceFits(a, b int) bool { return (a-b < a) == (b > 0) }

func productFits(a, b int) bool {
	return a == 0 || (a*b)/a == b && (a != -1 || b != math.MinInt)
}
