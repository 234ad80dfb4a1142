package extract

import (
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
	if named != nil && lookupLibrary(named.Obj().Pkg().Path()) == nil && kindOf(named).method(f) == nil {
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
	if l != nil && slices.Contains(l.types, named.Obj().Name()) || l == nil && kindOf(named) != nil {
		return named
	}
	return nil
}

// iterates reports whether a method calls its function argument for all entries.
func iterates(method string) bool {
	return strings.HasPrefix(method, "Range") || slices.Contains([]string{"ForEach", "IterCb", "All", "DeleteMatching"}, method)
}
