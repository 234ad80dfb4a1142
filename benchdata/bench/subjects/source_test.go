package subjects_test

import (
	"bytes"
	"fmt"
	"go/format"
	"maps"
	"slices"
	"strings"

	"github.com/leadline/leadline/history/stress"
)

// A deriver derives the class of an object.
type deriver func(stress.ReflectOptions) (*stress.Reflected, error)

// like returns a deriver of objects of the type of the sample.
func like[T any](_ T, newObject func() any) deriver {
	return func(o stress.ReflectOptions) (*stress.Reflected, error) {
		return stress.Reflect(func() T { return newObject().(T) }, o)
	}
}

// must takes all results of a constructor. It panics if there is an error.
func must[T any](v T, err ...error) T {
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

// packagesOf returns the import paths of the constructors, sorted.
func packagesOf(all []object) []string {
	paths := map[string]bool{}
	for _, o := range all {
		path, _ := split(o.Constructor)
		paths[path] = true
	}
	return slices.Sorted(maps.Keys(paths))
}

// source returns constructors_test.go, which sets derivers. It constructs as the program
// does that leadline stress --new writes.
func source(all []object) ([]byte, error) {
	var text bytes.Buffer
	text.WriteString("// Code generated from subjects.txt by go test -run TestConstructors -update; DO NOT EDIT.\n\npackage subjects_test\n\nimport (\n")
	names := map[string]string{}
	for i, path := range packagesOf(all) {
		names[path] = fmt.Sprintf("p%d", i)
		fmt.Fprintf(&text, "\t%s %q\n", names[path], path)
	}
	text.WriteString(")\n\nfunc init() {\n\tderivers = map[string]deriver{\n")
	for _, o := range all {
		path, call := split(o.Constructor)
		call = "must(" + names[path] + call + ")"
		fmt.Fprintf(&text, "\t%q: like(%s, func() any { return %s }),\n", o.Name, call, call)
	}
	text.WriteString("}\n}\n")
	return format.Source(text.Bytes())
}
