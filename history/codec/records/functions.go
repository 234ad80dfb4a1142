package records

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/expr-lang/expr"
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec/scan"
)

// functions are what expressions have beyond the library's own functions. They replace those
// that round numbers, that have no order or that take memory or time without a bound.
var functions = []expr.Option{
	expr.Env(map[string]any{}), // so that the machine looks fields up without reflection
	expr.AllowUndefinedVariables(),
	expr.MaxNodes(maxNodes),
	expr.DisableBuiltin("repeat"), expr.DisableBuiltin("toJSON"), // strings of any length
	expr.DisableBuiltin("abs"),  // of the least integer is negative
	expr.DisableBuiltin("uniq"), // compares each element with all before
	// The library checks arguments by the types. All results are of type any: it examines a call
	// with another type only once, before the names of fields are known, and loses faults inside of it.
	expr.Function("ns", nanoseconds, new(func(any) any), new(func(any, any) any)),
	expr.Function("exception", func(args ...any) (any, error) { return history.ExceptionValue(args[0].(string)), nil }, new(func(string) any)),
	expr.Function("refuse", func(args ...any) (any, error) { return nil, errors.New(strings.TrimSpace(fmt.Sprintln(args...))) }),
	expr.Function("unknown", func(args ...any) (any, error) { return history.UnknownValue, nil }),
	expr.Function("fromJSON", func(args ...any) (any, error) { return fromJSON(args[0], false) }, new(func(any) any)),
	expr.Function(exactFromJSON, func(args ...any) (any, error) { return fromJSON(args[0], true) }, new(func(any) any)),
	expr.Function("int", integerOf, new(func(any) any)),
	expr.Function("string", asString, new(func(any) any)),
	expr.Function("join", join, new(func(list any) any), new(func(list any, separator string) any)),
	expr.Function("replace", replace, new(func(text, old, by string) any)),
	members("keys", func(key string, _ any) any { return key }),
	members("values", func(_ string, v any) any { return v }),
	members("toPairs", func(key string, v any) any { return []any{key, v} }),
}

// exactFromJSON is the name of fromJSON inside of ns.
const exactFromJSON = "fromJSON exact"

// fromJSON reads a text as the members of records are read. The library's function makes
// all numbers floats.
func fromJSON(x any, exact bool) (any, error) {
	text, ok := x.(string)
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
	switch x := args[0].(type) {
	case float64:
		if math.IsNaN(x) || math.Abs(x) > 1<<53 {
			return nil, fmt.Errorf("int(%v): the float has been rounded; ns(FIELD, UNIT) reads a field exactly", x)
		}
		return int(x), nil
	case decimal:
		return nil, fmt.Errorf("int(%s) inside ns, which needs no int", x)
	case int:
		return x, nil
	case time.Duration:
		return int(x), nil
	case string:
		n, err := strconv.Atoi(x)
		if err != nil {
			return nil, fmt.Errorf("int(%s): the string is not an integer of 64 bits", scan.Clip([]byte(x)))
		}
		return n, nil
	}
	return nil, errors.New("int takes a number or a string")
}

// asString is string. The text of a list or an object is the one that Go prints.
func asString(args ...any) (any, error) {
	if bytesOf(args[0], maxMemory) > maxMemory {
		return nil, errTextMemory
	}
	return fmt.Sprint(args[0]), nil
}

// join is join(LIST) or join(LIST, SEPARATOR).
func join(args ...any) (any, error) {
	list, ok := elementsOf(args[0])
	if !ok {
		return nil, errors.New("join takes a list of strings, and the separator")
	}
	separator := ""
	if len(args) == 2 {
		separator = args[1].(string)
	}
	size := len(list) * len(separator)
	texts := make([]string, len(list))
	for i, x := range list {
		texts[i] = x.(string)
		size += len(texts[i])
	}
	if size > maxMemory {
		return nil, errTextMemory
	}
	return strings.Join(texts, separator), nil
}

// replace is replace(TEXT, OLD, NEW).
func replace(args ...any) (any, error) {
	text, old, by := args[0].(string), args[1].(string), args[2].(string)
	if len(text)+strings.Count(text, old)*len(by) > maxMemory {
		return nil, errTextMemory
	}
	return strings.ReplaceAll(text, old, by), nil
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

// members returns a function that returns what of returns for the members of an object, ordered
// by key. The library's functions have another order each time.
func members(name string, of func(key string, v any) any) expr.Option {
	return expr.Function(name, func(args ...any) (any, error) {
		object, ok := args[0].(map[string]any)
		if !ok {
			return nil, errors.New("the value is not an object")
		}
		list := make([]any, 0, len(object))
		for _, key := range slices.Sorted(maps.Keys(object)) {
			list = append(list, of(key, object[key]))
		}
		return list, nil
	}, new(func(any) any))
}

// An operator calculates with numbers, or joins strings. The library's let integers overflow.
type operator struct {
	name     string
	integers func(a, b int) (result int, fits bool)
	floats   func(a, b float64) float64
}

// arithmetic has the functions of the operators.
var arithmetic = map[string]func(a, b any) any{
	"+": operator{"+",
		func(a, b int) (int, bool) { return a + b, (a+b > a) == (b > 0) },
		func(a, b float64) float64 { return a + b },
	}.calculate,
	"-": operator{"-",
		func(a, b int) (int, bool) { return a - b, (a-b < a) == (b > 0) },
		func(a, b float64) float64 { return a - b },
	}.calculate,
	"*": operator{"*",
		func(a, b int) (int, bool) { return a * b, a == 0 || a*b/a == b && (a != -1 || b != math.MinInt) },
		func(a, b float64) float64 { return a * b },
	}.calculate,
}

// calculate returns the result for two values.
func (o operator) calculate(a, b any) any {
	a, b = besideNumber(a, b), besideNumber(b, a)
	switch x := a.(type) {
	case int:
		switch y := b.(type) {
		case int:
			result, fits := o.integers(x, y)
			if !fits {
				panic(fmt.Errorf("the result for %d and %d does not fit 64 bits", x, y))
			}
			return result
		case float64:
			return o.floats(float64(x), y)
		}
	case float64:
		switch y := b.(type) {
		case int:
			return o.floats(x, float64(y))
		case float64:
			return o.floats(x, y)
		}
	case string:
		if y, ok := b.(string); ok && o.name == "+" {
			if len(x)+len(y) > maxMemory {
				panic(errTextMemory)
			}
			return x + y
		}
	}
	panic(fmt.Errorf("invalid operation: %T %s %T", a, o.name, b))
}

// missing are the loops of the library that DisableBuiltin leaves: sum does not report an overflow, and
// the others leave a value on the stack of the machine, which an operator then takes for its own.
var missing = []string{"sum", "findLast", "findLastIndex"}

// negative is the operator - before a value.
func negative(_, x any) any {
	switch x := x.(type) {
	case int:
		if x == math.MinInt {
			panic(fmt.Errorf("-(%d) does not fit 64 bits", x))
		}
		return -x
	case float64:
		return -x
	}
	panic(fmt.Errorf("invalid operation: - %T", x))
}

// besideNumber returns x, or its nanoseconds: those of a date or of a duration, and those of a
// string that is a date if other is a number, a date or a duration.
func besideNumber(x, other any) any {
	switch v := x.(type) {
	case time.Time:
		return int(v.UnixNano())
	case time.Duration:
		return int(v)
	case string:
		switch other.(type) {
		case int, time.Time, time.Duration:
			if scan.IsDate(v) {
				n, err := scan.NanosecondsAt(v)
				if err != nil {
					panic(err)
				}
				return int(n)
			}
		}
	}
	return x
}
