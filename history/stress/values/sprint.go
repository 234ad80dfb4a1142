package values

import (
	"cmp"
	"fmt"
	"reflect"
)

// Sprint writes Go values as fmt.Sprint does.
func Sprint(list []reflect.Value) string {
	var all []any
	for _, v := range list {
		all = append(all, v.Interface())
	}
	return fmt.Sprint(all...)
}

// Unprintable returns what values of a type hold that fmt.Sprint does not write alike in all
// executions, such as "a pointer", or "". An error has its message.
func Unprintable(t reflect.Type) string { return unprintable(t, 0) }

func unprintable(t reflect.Type, depth int) string {
	switch k := t.Kind(); {
	case depth > maxShown:
		return "values of its own type"
	case k == reflect.Interface && t.Implements(errorType), k >= reflect.Bool && k <= reflect.Float64, k == reflect.String:
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
		return ""
	case k == reflect.Pointer, k == reflect.UnsafePointer:
		return "a pointer"
	case k == reflect.Func:
		return "a function"
	case k == reflect.Chan:
		return "a channel"
	case k == reflect.Interface:
		return "an interface"
	}
	return "a complex number"
}
