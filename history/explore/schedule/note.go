package schedule

import (
	"reflect"
	"strconv"
	"unsafe"
)

// Traced reports whether the execution is traced: Note is of use then.
func Traced() bool { return self() != nil && the.traced && !the.aborting && !the.trying }

// Note adds a short text to the last step of the caller in a traced execution,
// such as the value that a load returned.
func Note(text string) {
	if Traced() && len(the.details) > 0 {
		the.details[len(the.details)-1].Note = text
	}
}

// NoteValue notes a value that the last step of the caller read or wrote. It
// does not call methods of the value.
func NoteValue(what string, v any) {
	if Traced() {
		Note(what + valueText(reflect.ValueOf(v), 2))
	}
}

// pointerName returns the name of an address in a traced execution: p1 for the first one
// that is noted, and so on, since addresses differ between executions.
func pointerName(p unsafe.Pointer) string {
	if the.addresses == nil {
		the.addresses = map[unsafe.Pointer]int{} // not of uintptr, so that no address is used twice
	}
	n, ok := the.addresses[p]
	if !ok {
		n = len(the.addresses) + 1
		the.addresses[p] = n
	}
	return "p" + strconv.Itoa(n)
}

// valueText returns a short text of a value.
func valueText(v reflect.Value, depth int) string {
	switch v.Kind() {
	case reflect.Invalid:
		return "nil"
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return strconv.FormatUint(v.Uint(), 10)
	case reflect.Float32, reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	case reflect.String:
		s := []rune(v.String())
		if len(s) > 20 {
			return strconv.Quote(string(s[:20])) + "..."
		}
		return strconv.Quote(string(s))
	case reflect.Interface:
		return valueText(v.Elem(), depth)
	case reflect.Chan, reflect.Func, reflect.Map, reflect.Slice:
		if v.IsNil() {
			return "nil"
		}
	case reflect.UnsafePointer, reflect.Pointer:
		if v.IsNil() {
			return "nil"
		}
		name := pointerName(v.UnsafePointer())
		if v.Kind() == reflect.Pointer && depth > 0 && v.Elem().Kind() == reflect.Struct {
			return name + " &" + valueText(v.Elem(), depth-1)
		}
		return name
	case reflect.Struct:
		if depth > 0 {
			return structText(v, depth-1)
		}
	}
	return v.Type().String()
}

func structText(v reflect.Value, depth int) string {
	text := "{"
	for i := range v.NumField() {
		if i == 4 {
			return text + " ...}"
		}
		if i > 0 {
			text += " "
		}
		text += valueText(v.Field(i), depth)
	}
	return text + "}"
}
