package schedule

import (
	"bytes"
	"hash/maphash"
	"reflect"
	"strings"
	"unsafe"
)

// globals are the package-level variables of the copies that executions may change. Each execution
// begins with what they held when SaveGlobals was called, so that it does not depend on earlier
// ones. What they refer to is saved, too: targets of pointers, slices and maps.
var globals struct {
	packages map[string]bool
	roots    []reflect.Value // addressable
	saved    bool
	restore  []func()
	savers   map[reflect.Type]func(any) (restore func()) // by pointer type
}

// mostRestored bounds the variables, slices and maps that are saved. Others keep their changes.
const mostRestored = 1 << 12

// Globals registers variables of a package by their addresses, before main begins.
func Globals(path string, addresses ...any) {
	if globals.packages == nil {
		globals.packages = map[string]bool{}
	}
	globals.packages[path] = true
	for _, a := range addresses {
		globals.roots = append(globals.roots, reflect.ValueOf(a).Elem())
	}
}

// SaveBy sets how variables of type T, which have references of their own, are saved.
func SaveBy[T any](save func(*T) (restore func())) {
	if globals.savers == nil {
		globals.savers = map[reflect.Type]func(any) func(){}
	}
	globals.savers[reflect.TypeFor[*T]()] = func(v any) func() { return save(v.(*T)) }
}

// SaveGlobals saves the registered variables, unless that was done before. It is called before
// any object is made. Run calls it otherwise.
func SaveGlobals() {
	if globals.saved {
		return
	}
	globals.saved = true
	w := globalsWalk{seen: map[any]bool{}}
	for _, v := range globals.roots {
		w.block(v)
	}
	for len(w.todo) > 0 && len(globals.restore) < mostRestored {
		v := w.todo[len(w.todo)-1]
		w.todo = w.todo[:len(w.todo)-1]
		w.visit(v)
	}
	globals.restore = append(globals.restore, w.savers...)
}

func restoreGlobals() {
	SaveGlobals()
	for _, f := range globals.restore {
		f()
	}
}

// A globalsWalk finds what variables refer to.
type globalsWalk struct {
	seen   map[any]bool
	todo   []reflect.Value // addressable
	savers []func()        // restore what blocks hold, after these
}

// block saves a variable.
func (w *globalsWalk) block(v reflect.Value) {
	size, at := v.Type().Size(), v.Addr().UnsafePointer()
	if key := [2]any{at, v.Type()}; size == 0 || w.seen[key] {
		return
	} else {
		w.seen[key] = true
	}
	v = reflect.NewAt(v.Type(), at).Elem() // may be set, though it is a field without export
	saved := reflect.New(v.Type())
	saved.Elem().Set(v)
	live, old := unsafe.Slice((*byte)(at), size), unsafe.Slice((*byte)(saved.UnsafePointer()), size)
	globals.restore = append(globals.restore, func() {
		if !bytes.Equal(live, old) { // may be read-only
			v.Set(saved.Elem())
		}
	})
	w.todo = append(w.todo, v)
}

// visit saves what a variable refers to.
func (w *globalsWalk) visit(v reflect.Value) {
	v = reflect.NewAt(v.Type(), v.Addr().UnsafePointer()).Elem()
	if save := globals.savers[v.Addr().Type()]; save != nil {
		w.savers = append(w.savers, save(v.Addr().Interface()))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			w.todo = append(w.todo, v.Field(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			w.todo = append(w.todo, v.Index(i))
		}
	case reflect.Slice:
		for i := range min(v.Len(), mostRestored) {
			if follows(v.Type().Elem()) {
				w.block(v.Index(i))
			}
		}
	case reflect.Pointer:
		if !v.IsNil() && follows(v.Type().Elem()) {
			w.block(v.Elem())
		}
	case reflect.Interface:
		if e := v.Elem(); e.IsValid() && e.Kind() == reflect.Pointer && !e.IsNil() && follows(e.Type().Elem()) {
			w.block(e.Elem())
		}
	case reflect.Chan:
		if v.Cap() > 0 && v.Type().ChanDir() == reflect.BothDir && !w.seen[v.UnsafePointer()] {
			w.seen[v.UnsafePointer()] = true
			saveChannel(reflect.ValueOf(v.Interface()))
		}
	case reflect.Map:
		if key := v.UnsafePointer(); !v.IsNil() && v.Len() <= mostRestored && !w.seen[key] {
			w.seen[key] = true
			w.saveMap(v)
		}
	}
}

// follows reports whether what has type t may belong to the instrumented packages. The standard
// library has types that are read-only, and others that its own variables share.
func follows(t reflect.Type) bool {
	p := t.PkgPath()
	return p == "" || globals.packages[p] || strings.Contains(p, "leadline/history/explore/shim/") ||
		p == "bytes" || p == "strings" || strings.HasPrefix(p, "container/")
}

// saveChannel saves what is in the buffer of a channel. One that is closed later stays closed.
func saveChannel(c reflect.Value) {
	drained := func() (list []reflect.Value) {
		for {
			v, ok := c.TryRecv()
			if !ok {
				return list
			}
			list = append(list, v)
		}
	}
	closed := false
	fill := func(list []reflect.Value) {
		defer func() { closed = closed || recover() != nil }()
		for _, v := range list {
			c.TrySend(v)
		}
	}
	saved := drained()
	fill(saved)
	globals.restore = append(globals.restore, func() {
		if closed || c.Len() == 0 && len(saved) == 0 {
			return
		}
		drained()
		fill(saved)
	})
}

func (w *globalsWalk) saveMap(v reflect.Value) {
	m := reflect.ValueOf(v.Interface()) // v may refer to another one later
	keys, values := m.MapKeys(), reflect.MakeSlice(reflect.SliceOf(m.Type().Elem()), m.Len(), m.Len())
	for i, k := range keys {
		values.Index(i).Set(m.MapIndex(k))
		w.todo = append(w.todo, values.Index(i))
	}
	sum := sumOf(m)
	saved := sum()
	globals.restore = append(globals.restore, func() {
		if m.Len() == len(keys) && sum() == saved {
			return
		}
		m.Clear()
		for i, k := range keys {
			m.SetMapIndex(k, values.Index(i))
		}
	})
}

// sumOf returns a function that adds up hash values of the bytes of each key with its value. It allocates
// nothing, as it is called before each execution.
func sumOf(m reflect.Value) func() uint64 {
	seed, iter := maphash.MakeSeed(), m.MapRange()
	pair := reflect.New(reflect.StructOf([]reflect.StructField{
		{Name: "Key", Type: m.Type().Key()}, {Name: "Value", Type: m.Type().Elem()},
	}))
	raw := unsafe.Slice((*byte)(pair.UnsafePointer()), pair.Type().Elem().Size())
	key, value := pair.Elem().Field(0), pair.Elem().Field(1)
	return func() (sum uint64) {
		for iter.Reset(m); iter.Next(); sum += maphash.Bytes(seed, raw) {
			key.SetIterKey(iter)
			value.SetIterValue(iter)
		}
		pair.Elem().SetZero()
		iter.Reset(reflect.Value{})
		return sum
	}
}
