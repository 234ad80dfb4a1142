package list

import (
	"bytes"
	"fmt"
	"go/format"
	"maps"
	"slices"
	"strings"

	"github.com/leadline/leadline/history/stress"
)

// A Deriver derives the class of an object.
type Deriver func(stress.ReflectOptions) (*stress.Reflected, error)

// Like returns a deriver of objects of the type of the sample.
func Like[T any](_ T, newObject func() any) Deriver {
	return func(o stress.ReflectOptions) (*stress.Reflected, error) {
		return stress.Reflect(func() T { return newObject().(T) }, o)
	}
}

// Must takes all results of a constructor. It panics if there is an error.
func Must[T any](v T, err ...error) T {
	for _, e := range err {
		return stress.Must(v, e)
	}
	return v
}

// split splits example.com/a/b.New[int](8) into example.com/a/b and .New[int](8).
func split(text string) (path, call string) {
	end := strings.IndexAny(text, "([")
	if end < 0 {
		end = len(text)
	}
	dot := strings.LastIndexByte(text[:end], '.')
	path, call = text[:dot], text[dot:]
	if !strings.HasSuffix(call, ")") {
		call += "()"
	}
	return path, call
}

// Packages returns the import paths of the constructors, sorted.
func Packages(all []Object) []string {
	paths := map[string]bool{}
	for _, o := range all {
		path, _ := split(o.Constructor)
		paths[path] = true
	}
	return slices.Sorted(maps.Keys(paths))
}

// Source returns a file of a package, after a comment, that sets its variable
// derivers, a map[string]list.Deriver, by the names of the objects. They construct as
// the program does that leadline stress --new writes.
func Source(name, comment string, all []Object) ([]byte, error) {
	var text bytes.Buffer
	fmt.Fprintf(&text, "%spackage %s\n\nimport (\n\t\"github.com/leadline/leadline/benchdata/subjects/internal/list\"\n", comment, name)
	names := map[string]string{}
	for i, path := range Packages(all) {
		names[path] = fmt.Sprintf("p%d", i)
		fmt.Fprintf(&text, "\t%s %q\n", names[path], path)
	}
	text.WriteString(")\n\nfunc init() {\n\tderivers = map[string]list.Deriver{\n")
	for _, o := range all {
		path, call := split(o.Constructor)
		call = "list.Must(" + names[path] + call + ")"
		fmt.Fprintf(&text, "\t%q: list.Like(%s, func() any { return %s }),\n", o.Name, call, call)
	}
	text.WriteString("}\n}\n")
	return format.Source(text.Bytes())
}
