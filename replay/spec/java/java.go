package java

import (
	"fmt"
	"iter"
	"math"
	"strconv"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay/spec/internal/table"
)

type value = history.Value

// Package is an optional prefix of the names of the classes.
const Package = "java.util.concurrent."

// Entries are the classes. Each entry is in the file of its type.
var Entries = []*table.Entry{
	&arrayBlockingQueueEntry, &concurrentHashMapEntry, &concurrentLinkedDequeEntry,
	&concurrentLinkedQueueEntry, &concurrentSkipListMapEntry, &concurrentSkipListSetEntry,
	&linkedBlockingDequeEntry, &linkedBlockingQueueEntry, &linkedTransferQueueEntry,
	&priorityBlockingQueueEntry,
}

// Exceptions of java.lang and java.util, by their names in histories.
var (
	nullPointer     = history.ExceptionValue("java.lang.NullPointerException")
	illegalArgument = history.ExceptionValue("java.lang.IllegalArgumentException")
	illegalState    = table.IllegalState
	noSuchElement   = table.NoSuchElement
)

// javaTable is table.New for classes whose elements are java.lang.Integer.
func javaTable[S any](lists ...[]table.Method[S]) *table.Table[S] {
	t := table.New(lists...)
	t.CheckArg = checkJava
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

// text returns the string that toString returns for a collection or map, or the string that
// a recorder prints for an array or Enumeration, which has no blanks after the commas.
func text[E any](brackets, separator string, elements iter.Seq[E], element func([]byte, E) []byte) value {
	return history.StringValue(string(table.AppendEach(nil, brackets, separator, elements, element)))
}

func appendInt(dst []byte, n int32) []byte { return strconv.AppendInt(dst, int64(n), 10) }

// capacityOf returns the capacity argument of a class, or the largest Java int if there is
// none, like the constructors.
func capacityOf(args []value, what string) (int, error) {
	if len(args) == 0 {
		return math.MaxInt32, nil
	}
	if err := table.Positive(what, args[0]); err != nil {
		return 0, err
	}
	if !fitsInt(args[0]) {
		return 0, table.BadArgument(what, "a Java int", args[0])
	}
	return int(args[0].Int()), nil
}
