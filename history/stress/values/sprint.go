package values

import (
	"cmp"
	"fmt"
	"reflect"

	"github.com/leadline/leadline/history"
)

// Sprint returns what fmt.Sprint writes of Go values.
func Sprint(list []reflect.Value) history.Value {
	var all []any
	for _, v := range list {
		all = append(all, v.Interface())
	}
	return history.StringValue(fmt.Sprint(all...))
}

// Unprintable returns what values of a type hold that fmt.Sprint does not write alike in all
// executions, such as "a pointer", or "". An error has its message.
func Unprintable(t reflect.Type) string { return unprintable(t, 0) }

func unprintable(t reflect.Type, depth int) string {
	if depth > maxShown {
		return "values of its own type"
	}
	switch k := t.Kind(); {
	case k == reflect.Interface && t.Implements(errorType):
		return ""
	case k == reflect.Slice, k == reflect.Array:
		return unprintable(t.Elem(), depth+1)
	case k == reflect.Map:
		return cmp.Or(unprintable(t.Key(), depth+1), unprintable(t.Elem(), depth+1))
	case k == reflect.Struct:
		for f := range t.Fields() {
			if !f.IsExported() {
				return "an unexported field"
			}
			if what := unprintable(f.Type, depth+1); what != "" {
				return what
			}
		}
	}
	return map[reflect.Kind]string{reflect.Pointer: "a pointer", reflect.UnsafePointer: "a pointer", reflect.Func: "a function", reflect.Chan: "a channel",
		reflect.Interface: "an interface", reflect.Complex64: "a complex number", reflect.Complex128: "a complex number"}[t.Kind()]
}
