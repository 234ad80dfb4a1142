package gotest

import (
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// result writes the results of a call: errors, and then what shown writes.
func result(errs []error, values ...any) string {
	for _, err := range errs {
		if err != nil {
			return "!" + quoted(err.Error())
		}
	}
	switch parts := shown(values...); len(parts) {
	case 0:
		return "()"
	case 1:
		return parts[0]
	default:
		return "[" + strings.Join(parts, ",") + "]"
	}
}

// shown writes what pointers refer to. A string stands for itself.
func shown(values ...any) []string {
	var parts []string
	for _, v := range values {
		if text, ok := v.(string); ok {
			parts = append(parts, text)
			continue
		}
		parts = append(parts, showAll(reflect.ValueOf(v).Elem()))
	}
	return parts
}

// showAll writes up to 64 elements of an iterator or a channel, and other values as show does.
func showAll(v reflect.Value) string {
	var tuples [][]string
	more := func(values ...reflect.Value) bool {
		var tuple []string
		for _, e := range values {
			tuple = append(tuple, show1(e, 0))
		}
		tuples = append(tuples, tuple)
		return len(tuples) < 64
	}
	switch t := v.Type(); {
	case t.Kind() == reflect.Func && !v.IsNil() && t.CanSeq2():
		v.Seq2()(func(k, e reflect.Value) bool { return more(k, e) })
		return sequence(tuples, 2)
	case t.Kind() == reflect.Func && !v.IsNil() && t.CanSeq() && t.In(0).NumIn() == 1:
		v.Seq()(func(e reflect.Value) bool { return more(e) })
		return sequence(tuples, 1)
	case t.Kind() == reflect.Chan && !v.IsNil() && t.ChanDir() == reflect.RecvDir:
		pairs := t.Elem().Kind() == reflect.Struct && t.Elem().NumField() == 2 && !opaque(reflect.Zero(t.Elem()), 0)
		for e, ok := v.Recv(); ok; e, ok = v.Recv() {
			again := false
			if pairs {
				again = more(e.Field(0), e.Field(1))
			} else {
				again = more(e)
			}
			if !again || v.Cap() == 1 {
				break
			}
		}
		if pairs {
			return sequence(tuples, 2)
		}
		return sequence(tuples, 1)
	}
	return show1(v, 0)
}

// sequence writes tuples of one size: for 0 their number, for 1 a list, for 2 a map if the
// first of all differ.
func sequence(tuples [][]string, size int) string {
	var flat, all []string
	for _, t := range tuples {
		flat = append(flat, t...)
		all = append(all, "["+strings.Join(t, ",")+"]")
	}
	switch size {
	case 0:
		return strconv.Itoa(len(tuples))
	case 1:
		return "[" + strings.Join(flat, ",") + "]"
	case 2:
		if text, ok := pairsOf(flat); ok {
			return text
		}
	}
	return "[" + strings.Join(all, ",") + "]"
}

// pairsOf writes a map, unless two keys are the same.
func pairsOf(flat []string) (text string, ok bool) {
	var keys, pairs []string
	for i := 0; i+1 < len(flat); i += 2 {
		if slices.Contains(keys, flat[i]) {
			return "", false
		}
		keys, pairs = append(keys, flat[i]), append(pairs, flat[i]+"="+flat[i+1])
	}
	slices.Sort(pairs)
	return "{" + strings.Join(pairs, ",") + "}", true
}

// show1 writes a value so that equal results are equal in all executions.
func show1(v reflect.Value, depth int) string {
	k := v.Kind()
	switch {
	case k == reflect.Bool:
		return strings.ToUpper(strconv.FormatBool(v.Bool())[:1])
	case v.CanInt():
		return strconv.FormatInt(v.Int(), 10)
	case v.CanUint() && v.Uint() <= math.MaxInt64:
		return strconv.FormatUint(v.Uint(), 10)
	case v.CanUint():
		return strconv.FormatFloat(float64(v.Uint()), 'g', -1, 64)
	case v.CanFloat():
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	case k == reflect.String:
		return quoted(v.String())
	case v.Type() == reflect.TypeFor[time.Time]():
		return showTime(v.Interface().(time.Time))
	case (k == reflect.Interface || k == reflect.Pointer || k == reflect.Chan || k == reflect.Func || k == reflect.UnsafePointer) && v.IsNil():
		return "N"
	case opaque(v, depth) || k == reflect.Pointer && opaque(v.Elem(), depth+1):
		return strconv.Quote(v.Type().String())
	case k == reflect.Interface:
		if err, ok := v.Interface().(error); ok {
			return "!" + quoted(err.Error())
		}
		return show1(v.Elem(), depth+1)
	case k == reflect.Pointer:
		return show1(v.Elem(), depth+1)
	case k == reflect.Map:
		var flat []string
		for it := v.MapRange(); it.Next(); {
			flat = append(flat, show1(it.Key(), depth+1), show1(it.Value(), depth+1))
		}
		if text, ok := pairsOf(flat); ok {
			return text
		}
		return strconv.Quote(v.Type().String() + " with keys that look the same")
	case k == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 && utf8.Valid(v.Bytes()):
		return quoted(string(v.Bytes()))
	}
	var parts []string
	if k == reflect.Struct {
		for i := range v.NumField() {
			parts = append(parts, show1(v.Field(i), depth+1))
		}
	} else {
		for i := range v.Len() {
			parts = append(parts, show1(v.Index(i), depth+1))
		}
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// opaque reports whether only the type of a value is written.
func opaque(v reflect.Value, depth int) bool {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if !v.Type().Field(i).IsExported() && v.Type() != reflect.TypeFor[time.Time]() {
				return true
			}
		}
	case reflect.Func, reflect.Chan, reflect.UnsafePointer, reflect.Complex64, reflect.Complex128:
		return true
	case reflect.Slice, reflect.Map, reflect.Array, reflect.Pointer, reflect.Interface:
		return depth >= 8
	}
	return depth > 8
}

// showTime writes a time near 1970 in seconds, and no other one, as the clock differs.
func showTime(t time.Time) string {
	switch s := t.Unix(); {
	case t.IsZero():
		return "N"
	case -1<<20 <= s && s <= 1<<20:
		return strconv.FormatInt(s, 10)
	}
	return `"a time"`
}

var addresses = regexp.MustCompile("0x[0-9a-f]{6,}")

// quoted quotes a string without the addresses in it.
func quoted(s string) string { return strconv.Quote(addresses.ReplaceAllString(s, "0x")) }
