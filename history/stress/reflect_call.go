package stress

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"sync/atomic"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress/explore/schedule"
)

// A signature has the parameters and results of a method.
type signature struct {
	params   []parameter
	variadic bool
	none     bool   // the variadic parameter gets no values and is not among params
	isError  []bool // by result
	opaque   []bool // of a result, only whether it is nil counts
}

// signatureOf returns the signature of m, or why m cannot be called.
func signatureOf(m reflect.Method) (s signature, reason string) {
	first := 0
	if m.Func.IsValid() {
		first = 1 // the receiver, which methods of interfaces do not have
	}
	for i := first; i < m.Type.NumIn(); i++ {
		p, ok := parameterOf(m.Type.In(i))
		if s.none = !ok && m.Type.IsVariadic() && i == m.Type.NumIn()-1; s.none {
			break
		}
		if !ok {
			return s, fmt.Sprintf("parameter of type %v", m.Type.In(i))
		}
		s.params = append(s.params, p)
	}
	s.variadic = m.Type.IsVariadic() && !s.none
	for i := range m.Type.NumOut() {
		out := m.Type.Out(i)
		opaque := !showable(out, 0)
		if opaque && (out.Kind() != reflect.Pointer || out.Elem().Kind() != reflect.Struct) {
			return s, fmt.Sprintf("result of type %v", out)
		}
		s.opaque = append(s.opaque, opaque)
		s.isError = append(s.isError, out.Kind() == reflect.Interface && out.Implements(errorType))
	}
	return s, ""
}

// byReflection returns the Prepare of a method that has no direct call.
func (s signature) byReflection(m reflect.Method) func([]history.Value) Call {
	found := &implementation{}
	return func(args []history.Value) Call {
		fixed := make([]reflect.Value, 1+len(s.params)) // after the receiver
		given := make([]history.Value, len(s.params))
		for i, p := range s.params {
			if !p.hidden {
				given[i], args = args[0], args[1:]
			}
			fixed[1+i] = p.goValue(given[i])
		}
		return func(object any) history.Value {
			in := slices.Clone(fixed)
			in[0] = reflect.ValueOf(object)
			for i, p := range s.params {
				if p.fresh {
					in[1+i] = p.goValue(given[i])
				}
			}
			f := m.Func
			if !f.IsValid() {
				f = found.method(in[0].Type(), m.Name)
			}
			call := f.Call
			if s.variadic {
				call = f.CallSlice
			}
			out := call(in)
			schedule.Keep(out) // a caller could use them
			return s.value(out)
		}
	}
}

// An implementation is an interface's method for the type that was seen last.
type implementation struct{ last atomic.Pointer[typedMethod] }

type typedMethod struct {
	of reflect.Type
	f  reflect.Value
}

// method returns the method of a type, which takes the receiver first.
func (i *implementation) method(of reflect.Type, name string) reflect.Value {
	if last := i.last.Load(); last != nil && last.of == of {
		return last.f
	}
	m, _ := of.MethodByName(name)
	i.last.Store(&typedMethod{of, m.Func})
	return m.Func
}

// zero returns the value of zero results.
func (s signature) zero(m reflect.Method) history.Value {
	var out []reflect.Value
	for i := range m.Type.NumOut() {
		out = append(out, reflect.Zero(m.Type.Out(i)))
	}
	return s.value(out)
}

// value makes one value of all results.
func (s signature) value(out []reflect.Value) history.Value {
	var one history.Value
	var all []history.Value
	for i, v := range out {
		if s.isError[i] {
			if !v.IsNil() {
				return history.ExceptionValue(v.Interface().(error).Error())
			}
			continue
		}
		switch {
		case !s.opaque[i]:
			one = shown(v, 0)
		case v.IsNil():
			one = history.NullValue
		default:
			one = textValue(v.Type().String())
		}
		if len(out) > 1 {
			all = append(all, one)
		}
	}
	switch len(all) {
	case 0, 1:
		return one
	case 2:
		if all[1].Kind() == history.Bool {
			return pairValue(all[0], all[1].Bool())
		}
	}
	return history.ListValue(all...)
}

// Frequent values that would have to be allocated: the strings "0" to "9", and
// pairs of an int from -1, null or "" with a boolean.
var (
	readyTexts = func() (texts [10]history.Value) {
		for i := range texts {
			texts[i] = history.StringValue(fmt.Sprint(i))
		}
		return texts
	}()
	readyPairs = func() (pairs [32][2]history.Value) {
		for i := range pairs {
			pairs[i] = bothPairs(history.IntValue(int64(i - 1)))
		}
		return pairs
	}()
	readyNulls = bothPairs(history.NullValue)
	readyBlank = bothPairs(history.StringValue(""))
)

func bothPairs(v history.Value) [2]history.Value {
	return [2]history.Value{history.ListValue(v, history.BoolValue(false)), history.ListValue(v, history.BoolValue(true))}
}

func textValue(s string) history.Value {
	if len(s) == 1 && s[0] >= '0' && s[0] <= '9' {
		return readyTexts[s[0]-'0']
	}
	return history.StringValue(s)
}

func pairValue(v history.Value, ok bool) history.Value {
	which := 0
	if ok {
		which = 1
	}
	switch v.Kind() {
	case history.Int:
		if i := uint64(v.Int() + 1); i < uint64(len(readyPairs)) {
			return readyPairs[i][which]
		}
	case history.Null:
		return readyNulls[which]
	case history.String:
		if v.Text() == "" {
			return readyBlank[which]
		}
	}
	return history.ListValue(v, history.BoolValue(ok))
}

var (
	errorType   = reflect.TypeFor[error]()
	contextType = reflect.TypeFor[context.Context]()
)

// A parameter is how programs write a Go parameter, and its Go values.
type parameter struct {
	kind Param
	// goValue converts a value of the kind. All calls share what it returns
	// unless fresh is set.
	goValue func(history.Value) reflect.Value
	fresh   bool
	// hidden parameters are not in programs. All have the same value.
	hidden bool
}

// parameterOf returns false if there are no values for a parameter of type t.
func parameterOf(t reflect.Type) (p parameter, ok bool) {
	if t == contextType {
		background := reflect.ValueOf(context.Background())
		return parameter{hidden: true, goValue: func(history.Value) reflect.Value { return background }}, true
	}
	if t.Kind() == reflect.Struct {
		p.kind, ok = structKind(t)
		p.goValue = func(v history.Value) reflect.Value { return structOf(t, v) }
		for i := range t.NumField() {
			p.fresh = p.fresh || t.Field(i).Type.Kind() == reflect.Interface
		}
		return p, ok
	}
	if p.kind, ok = scalarKind(t); ok {
		p.goValue = func(v history.Value) reflect.Value { return scalar(t, v) }
		if t.Kind() == reflect.Interface { // see toAny
			p.kind, p.fresh = Any, true
		}
		return p, true
	}
	switch t.Kind() {
	case reflect.Slice:
		p.kind, ok = scalarKind(t.Elem())
		switch p.kind {
		case Int:
			p.kind = List
		case Text:
			p.kind = Texts
		default:
			ok = false
		}
		p.goValue = func(v history.Value) reflect.Value { return sliceOf(t, v) }
	case reflect.Map:
		key, keyOK := scalarKind(t.Key())
		elem, elemOK := scalarKind(t.Elem())
		ok = keyOK && elemOK && key == Int && elem == Int
		p.kind = Map
		p.goValue = func(v history.Value) reflect.Value { return mapOf(t, v) }
	}
	p.fresh = true
	return p, ok
}

// scalarKind returns how programs write a value of type t that is not a list or
// map.
func scalarKind(t reflect.Type) (Param, bool) {
	switch k := t.Kind(); {
	case k >= reflect.Int && k <= reflect.Uintptr, k == reflect.Float32, k == reflect.Float64:
		return Int, true
	case k == reflect.Interface:
		return Int, t.NumMethod() == 0
	case k == reflect.String:
		return Text, true
	case k == reflect.Bool:
		return Bool, true
	}
	return 0, false
}

// structKind returns how programs write a struct with exported fields only, none of
// them a list or map.
func structKind(t reflect.Type) (Param, bool) {
	fields := make([]Param, t.NumField())
	for i := range fields {
		var ok bool
		if fields[i], ok = scalarKind(t.Field(i).Type); !ok || !t.Field(i).IsExported() {
			return 0, false
		}
	}
	return Struct(fields...)
}

func structOf(t reflect.Type, v history.Value) reflect.Value {
	s := reflect.New(t).Elem()
	for i, f := range v.List() {
		s.Field(i).Set(scalar(t.Field(i).Type, f))
	}
	return s
}

func scalar(t reflect.Type, v history.Value) reflect.Value {
	switch {
	case t.Kind() == reflect.Interface:
		return reflect.ValueOf(toAny(v)).Convert(t)
	case v.Kind() == history.String:
		return reflect.ValueOf(v.Text()).Convert(t)
	case t.Kind() == reflect.Bool:
		return reflect.ValueOf(v.Bool()).Convert(t)
	}
	return reflect.ValueOf(int(v.Int())).Convert(t)
}

func sliceOf(t reflect.Type, v history.Value) reflect.Value {
	s := reflect.MakeSlice(t, len(v.List()), len(v.List()))
	for i, e := range v.List() {
		s.Index(i).Set(scalar(t.Elem(), e))
	}
	return s
}

func mapOf(t reflect.Type, v history.Value) reflect.Value {
	m := reflect.MakeMap(t)
	for i := 0; i < len(v.List()); i += 2 {
		m.SetMapIndex(scalar(t.Key(), v.List()[i]), scalar(t.Elem(), v.List()[i+1]))
	}
	return m
}

// maxNesting bounds the nesting of results.
const maxNesting = 8

// showable reports whether results of type t at this depth have a Value.
// Recursive types have none, as they are deeper than any bound.
func showable(t reflect.Type, depth int) bool {
	if depth > maxNesting {
		return false
	}
	switch k := t.Kind(); {
	case k >= reflect.Bool && k <= reflect.Float64, k == reflect.String, k == reflect.Interface:
		return true
	case k == reflect.Slice, k == reflect.Array, k == reflect.Pointer:
		return showable(t.Elem(), depth+1)
	case k == reflect.Map:
		return showable(t.Key(), depth+1) && showable(t.Elem(), depth+1)
	case k == reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); !f.IsExported() || !showable(f.Type, depth+1) {
				return false
			}
		}
		return true
	}
	return false
}

// shown returns v as a Value; see Reflect.
func shown(v reflect.Value, depth int) history.Value {
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
		return textValue(v.String())
	case k == reflect.Interface, k == reflect.Pointer:
		if v.IsNil() {
			return history.NullValue
		}
		if err, ok := v.Interface().(error); ok && k == reflect.Interface {
			return history.ExceptionValue(err.Error())
		}
		if k == reflect.Interface && !showable(v.Elem().Type(), depth) {
			return history.StringValue(v.Elem().Type().String())
		}
		return shown(v.Elem(), depth+1)
	case k == reflect.Map:
		return shownMap(v, depth)
	}
	return shownList(v, depth)
}

func shownMap(v reflect.Value, depth int) history.Value {
	pairs := make([]history.Value, 0, 2*v.Len())
	for it := v.MapRange(); it.Next(); {
		pairs = append(pairs, shown(it.Key(), depth+1), shown(it.Value(), depth+1))
	}
	m, ok := history.MapValue(pairs...)
	if !ok { // NaNs, pointers to the same and the like
		return history.StringValue(fmt.Sprintf("%v with keys that look the same", v.Type()))
	}
	return m
}

// shownList returns a slice, array or struct as a list.
func shownList(v reflect.Value, depth int) history.Value {
	n, at := 0, v.Field
	if v.Kind() == reflect.Struct {
		n = v.NumField()
	} else {
		n, at = v.Len(), v.Index
	}
	list := make([]history.Value, n)
	for i := range list {
		list[i] = shown(at(i), depth+1)
	}
	return history.ListValue(list...)
}
