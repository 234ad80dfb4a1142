package stress

import (
	"fmt"
	"math"
	"reflect"
	"time"

	"github.com/leadline/leadline/history"
)

var (
	errorType    = reflect.TypeFor[error]()
	durationType = reflect.TypeFor[time.Duration]()
)

// A parameter is one that has values: how programs write it and what is given
// to Go.
type parameter struct {
	kind Param
	// goValue converts a value of the kind. What it returns is shared by all
	// calls unless fresh is set.
	goValue func(history.Value) reflect.Value
	fresh   bool
}

// parameterOf reports false if there are no values for a parameter of type t.
func parameterOf(t reflect.Type) (p parameter, ok bool) {
	if t == durationType {
		return parameter{}, false
	}
	if p.kind, ok = scalarKind(t); ok {
		p.goValue = func(v history.Value) reflect.Value { return scalar(t, v) }
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

// scalarKind returns how programs write a value of type t that is no list or
// map.
func scalarKind(t reflect.Type) (Param, bool) {
	switch k := t.Kind(); {
	case k >= reflect.Int && k <= reflect.Uintptr, k == reflect.Float32, k == reflect.Float64:
		return Int, t != durationType
	case k == reflect.Interface:
		return Int, t.NumMethod() == 0
	case k == reflect.String:
		return Text, true
	case k == reflect.Bool:
		return Bool, true
	}
	return 0, false
}

func scalar(t reflect.Type, v history.Value) reflect.Value {
	switch t.Kind() {
	case reflect.String:
		return reflect.ValueOf(v.Text()).Convert(t)
	case reflect.Bool:
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

// maxNesting bounds how deep results are looked into.
const maxNesting = 8

// showable reports whether results of type t can be shown, at this depth.
// Recursive types cannot, as they are deeper than any bound.
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

// shownList shows a slice, array or struct.
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
