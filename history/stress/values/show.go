package values

import (
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/explore/schedule"
)

// maxShown bounds the nesting of results.
const maxShown = 8

// Show returns the Value of a result, so that equal results are equal in all executions:
//   - numbers, strings, booleans: as they are; a []byte that is UTF-8: a string;
//   - slices and arrays: lists; maps: maps, sorted by key; a nil slice or map is an
//     empty one;
//   - iterators and channels to receive from: what they yield, until the channel is closed
//     and 64 elements at most: a list or, of pairs with different keys, a map. Structs of two
//     fields from a channel are pairs. From a channel with room for one value, one is received;
//   - structs with exported fields only: lists of the fields;
//   - a time.Time: seconds since 1970 if an argument can be the reason, null if zero,
//     otherwise "a time", since the clock differs;
//   - pointers: what they point to; interfaces: what they hold; null if nil;
//   - a non-nil error in an interface: an exception;
//   - others, such as functions: the name of the type, or null if nil. So nil differs from the rest.
//
// In strings, addresses are written 0x.
func Show(v reflect.Value) history.Value {
	if v.IsValid() && !isNil(v) {
		if yielded := iterator(v.Type()); len(yielded) > 0 {
			return drain(v, len(yielded))
		}
		if v.Kind() == reflect.Chan && v.Type().ChanDir() == reflect.RecvDir {
			return receive(v)
		}
	}
	return show(v, 0)
}

func isNil(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer, reflect.Map, reflect.Slice, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return v.IsNil()
	}
	return false
}

func show(v reflect.Value, depth int) history.Value {
	switch k := v.Kind(); {
	case k == reflect.Bool:
		return history.BoolValue(v.Bool())
	case v.CanInt():
		return history.IntValue(v.Int())
	case v.CanUint():
		if v.Uint() > math.MaxInt64 {
			return history.FloatValue(float64(v.Uint()))
		}
		return history.IntValue(int64(v.Uint()))
	case v.CanFloat():
		return history.FloatValue(v.Float())
	case k == reflect.String:
		return Quote(v.String())
	case v.Type() == timeType:
		return showTime(v.Interface().(time.Time))
	case isNil(v) && k != reflect.Slice && k != reflect.Map:
		return history.NullValue
	case opaque(v, depth):
		return history.StringValue(v.Type().String())
	case k == reflect.Interface:
		if err, ok := v.Interface().(error); ok {
			return Exception(err.Error())
		}
		return show(v.Elem(), depth+1)
	case k == reflect.Pointer:
		if opaque(v.Elem(), depth+1) {
			return history.StringValue(v.Type().String())
		}
		return show(v.Elem(), depth+1)
	case k == reflect.Map:
		return showMap(v, depth)
	case k == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 && utf8.Valid(v.Bytes()):
		return Quote(string(v.Bytes()))
	}
	return showList(v, depth)
}

// opaque reports whether only the type of a value is shown.
func opaque(v reflect.Value, depth int) bool {
	switch v.Kind() {
	case reflect.Struct:
		for f := range v.Type().Fields() {
			if !f.IsExported() && v.Type() != timeType {
				return true
			}
		}
	case reflect.Func, reflect.Chan, reflect.UnsafePointer, reflect.Complex64, reflect.Complex128:
		return true
	case reflect.Slice, reflect.Map, reflect.Array, reflect.Pointer, reflect.Interface:
		return depth >= maxShown
	}
	return depth > maxShown
}

// lastArgument is later than all times that are arguments, and long before those of the clock.
const lastArgument = 1 << 20

func showTime(t time.Time) history.Value {
	switch s := t.Unix(); {
	case t.IsZero():
		return history.NullValue
	case s >= -lastArgument && s <= lastArgument:
		return history.IntValue(s)
	}
	return history.StringValue("a time")
}

func showMap(v reflect.Value, depth int) history.Value {
	pairs := make([]history.Value, 0, 2*v.Len())
	for it := v.MapRange(); it.Next(); {
		pairs = append(pairs, show(it.Key(), depth+1), show(it.Value(), depth+1))
	}
	m, ok := history.MapValue(pairs...)
	if !ok { // NaNs, pointers to the same and the like
		return history.StringValue(fmt.Sprintf("%v with keys that look the same", v.Type()))
	}
	return m
}

// showList returns a slice, array or struct as a list.
func showList(v reflect.Value, depth int) history.Value {
	n, at := 0, v.Field
	if v.Kind() == reflect.Struct {
		n = v.NumField()
	} else {
		n, at = v.Len(), v.Index
	}
	all := make([]history.Value, n)
	for i := range all {
		all[i] = show(at(i), depth+1)
	}
	return history.ListValue(all...)
}

// drain returns what an iterator yields.
func drain(v reflect.Value, size int) history.Value {
	var tuples [][]history.Value
	yield := reflect.MakeFunc(v.Type().In(0), func(in []reflect.Value) []reflect.Value {
		tuple := make([]history.Value, len(in))
		for i, e := range in {
			tuple[i] = show(e, 0)
		}
		tuples = append(tuples, tuple)
		more := reflect.New(v.Type().In(0).Out(0)).Elem()
		more.SetBool(len(tuples) < maxRecorded)
		return []reflect.Value{more}
	})
	v.Call([]reflect.Value{yield})
	return sequence(tuples, size)
}

// Exception returns the exception of an error or panic with a message.
func Exception(message string) history.Value { return history.ExceptionValue(stable(message)) }

var addresses = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`0x[0-9a-f]{6,}`) })

// stable removes addresses from a string.
func stable(s string) string {
	if !strings.Contains(s, "0x") {
		return s
	}
	return addresses().ReplaceAllString(s, "0x")
}

// receive returns what is received from a channel until it is closed. From a channel with
// room for one value, as of a future, it receives one.
func receive(v reflect.Value) history.Value {
	of, size := v.Type().Elem(), 1
	if of.Kind() == reflect.Struct && of.NumField() == 2 && !opaque(reflect.Zero(of), 0) {
		size = 2
	}
	most := maxRecorded
	if v.Cap() == 1 {
		most = 1
	}
	var tuples [][]history.Value
	for len(tuples) < most {
		e, ok := schedule.Receive(v)
		if !ok {
			break
		}
		if tuple := show(e, 0); size == 2 {
			tuples = append(tuples, tuple.List())
		} else {
			tuples = append(tuples, []history.Value{tuple})
		}
	}
	return sequence(tuples, size)
}
