package extract

import (
	"fmt"
	"go/types"
	"regexp"
	"slices"
	"strings"
)

// A library has types of concurrent collections.
type library struct {
	path  string // without a major version
	types []string
}

var libraries = []library{
	{"sync", []string{"Map"}},
	{"github.com/puzpuzpuz/xsync", []string{"Map", "MapOf"}},
	{"github.com/orcaman/concurrent-map", []string{"ConcurrentMap"}},
	{"github.com/alphadose/haxmap", []string{"Map"}},
	{"github.com/cornelk/hashmap", []string{"Map", "HashMap"}},
}

var major = regexp.MustCompile(`/v[0-9]+$`)

// lookupLibrary returns the library with an import path, or nil.
func lookupLibrary(path string) *library {
	path = major.ReplaceAllString(path, "")
	i := slices.IndexFunc(libraries, func(l library) bool { return l.path == path })
	if i < 0 {
		return nil
	}
	return &libraries[i]
}

// collectionType returns the type of the collection that has the method, or nil if the method
// is not one of a collection.
func collectionType(f *types.Func) *types.Named {
	recv := f.Signature().Recv()
	if recv == nil {
		return nil
	}
	named := collection(recv.Type())
	if named != nil && lookupLibrary(named.Obj().Pkg().Path()) == nil && writtenKind(named).method(f) == "" {
		return nil
	}
	return named
}

// collection returns the type of a collection that a type is, or points to, or nil.
func collection(t types.Type) *types.Named {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	named, ok := t.(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return nil
	}
	l := lookupLibrary(named.Obj().Pkg().Path())
	if l != nil && slices.Contains(l.types, named.Obj().Name()) || l == nil && writtenKind(named) != nil {
		return named
	}
	return nil
}

// iterates reports whether a method calls its function argument for all entries.
func iterates(method string) bool {
	return strings.HasPrefix(method, "Range") || slices.Contains([]string{"ForEach", "IterCb", "All", "DeleteMatching"}, method)
}

// mapMethods are the operations of composed.Map.
var mapMethods = []string{"Load", "Store", "LoadOrStore", "LoadAndDelete", "Delete", "Swap", "CompareAndSwap", "CompareAndDelete", "Range", "Clear"}

// adapters has methods of collections other than sync.Map, written with operations of
// composed.Map. It has only methods whose effect is the same in all libraries.
var adapters = map[string]string{
	"Load":          "(key K) (V, bool) { v, ok := t.m.Load(key); x, _ := v.(V); return x, ok }",
	"Get":           "(key K) (V, bool) { v, ok := t.m.Load(key); x, _ := v.(V); return x, ok }",
	"Has":           "(key K) bool { _, ok := t.m.Load(key); return ok }",
	"Store":         "(key K, value V) { t.m.Store(key, value) }",
	"Set":           "(key K, value V) { t.m.Store(key, value) }",
	"LoadOrStore":   "(key K, value V) (V, bool) { v, loaded := t.m.LoadOrStore(key, value); x, _ := v.(V); return x, loaded }",
	"GetOrSet":      "(key K, value V) (V, bool) { v, loaded := t.m.LoadOrStore(key, value); x, _ := v.(V); return x, loaded }",
	"GetOrInsert":   "(key K, value V) (V, bool) { v, loaded := t.m.LoadOrStore(key, value); x, _ := v.(V); return x, loaded }",
	"SetIfAbsent":   "(key K, value V) bool { _, loaded := t.m.LoadOrStore(key, value); return !loaded }",
	"Insert":        "(key K, value V) bool { _, loaded := t.m.LoadOrStore(key, value); return !loaded }",
	"LoadAndDelete": "(key K) (V, bool) { v, loaded := t.m.LoadAndDelete(key); x, _ := v.(V); return x, loaded }",
	"GetAndDel":     "(key K) (V, bool) { v, loaded := t.m.LoadAndDelete(key); x, _ := v.(V); return x, loaded }",
	"Pop":           "(key K) (V, bool) { v, loaded := t.m.LoadAndDelete(key); x, _ := v.(V); return x, loaded }",
	"Delete":        "(key K) { t.m.Delete(key) }",
	"Remove":        "(key K) { t.m.Delete(key) }",
	"Range":         "(f func(K, V) bool) { t.m.Range(func(k, v any) bool { key, _ := k.(K); x, _ := v.(V); return f(key, x) }) }",
	"Clear":         "() { t.m.Clear() }",
}

// composable reports whether composed.Map or an adapter has the operation.
func (f *Function) composable(method string) bool {
	if lookupLibrary(f.ops[0].typ.Obj().Pkg().Path()) == nil {
		return true // other methods are not operations
	}
	if f.Type == "sync.Map" {
		return slices.Contains(mapMethods, method)
	}
	return adapters[method] != ""
}

// typed returns the adapter for the operations of a function.
func (f *Function) typed(name string) string {
	text := fmt.Sprintf("\n// %s is a composed.Map with methods of %s.\ntype %s[K comparable, V any] struct{ m composed.Map }\n", name, f.Type, name)
	var done []string
	for _, o := range f.ops {
		if !slices.Contains(done, o.Method) {
			done = append(done, o.Method)
			signature, body, _ := strings.Cut(adapters[o.Method], " { ")
			text += fmt.Sprintf("\nfunc (t %s[K, V]) %s%s {\n%s\n}\n", name, o.Method, signature, strings.ReplaceAll(strings.TrimSuffix(body, " }"), "; ", "\n"))
		}
	}
	return text
}
