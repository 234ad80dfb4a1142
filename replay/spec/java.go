package spec

import (
	"fmt"
	"math"
	"strconv"

	"github.com/leadline/leadline/history"
)

// Exceptions of java.lang and java.util, by their names in histories.
var (
	nullPointer     = history.ExceptionValue("java.lang.NullPointerException")
	illegalArgument = history.ExceptionValue("java.lang.IllegalArgumentException")
	illegalState    = history.ExceptionValue("java.lang.IllegalStateException")
	noSuchElement   = history.ExceptionValue("java.util.NoSuchElementException")
)

// javaTable is newTable for classes whose elements are java.lang.Integer.
func javaTable[S any](lists ...[]method[S]) *table[S] {
	t := newTable(lists...)
	t.java = true
	return t
}

// checkJava returns an error for an int that does not fit in a Java int, and for lists
// and maps that have other elements than Integers.
func checkJava(arg value) error {
	switch arg.Kind() {
	case history.Int:
		if !fitsInt(arg) {
			return fmt.Errorf("%s does not fit a Java int", arg)
		}
	case history.List:
		for i, e := range arg.List() {
			if e.Kind() != history.Null && !fitsInt(e) {
				return fmt.Errorf("element %d: want int or null, got %s", i+1, e)
			}
		}
	case history.Map:
		pairs := arg.List()
		for i := 0; i < len(pairs); i += 2 {
			if _, ok := mapKey(pairs[i]); !ok {
				return fmt.Errorf("key %s: want int", pairs[i])
			}
			if e := pairs[i+1]; e.Kind() != history.Null && !fitsInt(e) {
				return fmt.Errorf("value of key %s: want int or null, got %s", pairs[i], e)
			}
		}
	}
	return nil
}

func fitsInt(v value) bool {
	return v.Kind() == history.Int && v.Int() >= math.MinInt32 && v.Int() <= math.MaxInt32
}

// mapKey returns the int that v is, or that it spells as a JSON key.
func mapKey(v value) (int32, bool) {
	if v.Kind() == history.String {
		n, err := strconv.ParseInt(v.Text(), 10, 32)
		return int32(n), err == nil
	}
	return int32(v.Int()), fitsInt(v)
}

func isNull(v value) bool { return v.Kind() == history.Null }

func javaInt(n int32) value { return history.IntValue(int64(n)) }

// A javaText builds the string that toString returns for a collection or map,
// or the string that a recorder prints for an array or Enumeration, which has no
// blanks.
type javaText struct {
	buf   []byte
	sep   string
	begun bool
}

func newJavaText(open byte, sep string) *javaText {
	return &javaText{buf: append(make([]byte, 0, 64), open), sep: sep}
}

func (t *javaText) next() {
	if t.begun {
		t.buf = append(t.buf, t.sep...)
	}
	t.begun = true
}

func (t *javaText) element(e int32) {
	t.next()
	t.buf = strconv.AppendInt(t.buf, int64(e), 10)
}

func (t *javaText) entry(key, val int32) {
	t.element(key)
	t.buf = strconv.AppendInt(append(t.buf, '='), int64(val), 10)
}

func (t *javaText) end(close byte) value {
	return history.StringValue(string(append(t.buf, close)))
}

// javaCapacity returns the capacity argument of a class, or the largest Java
// int if there is none, like the constructors.
func javaCapacity(name, what string, args []value) (int, error) {
	if err := atMost(name, args, 1); err != nil || len(args) == 0 {
		return math.MaxInt32, err
	}
	if err := positive(name, what, args[0]); err != nil {
		return 0, err
	}
	if !fitsInt(args[0]) {
		return 0, badArgument(name, what, "a Java int", args[0])
	}
	return int(args[0].Int()), nil
}
