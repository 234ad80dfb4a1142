package values

import (
	"reflect"
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
)

// A Kind is the kind of a parameter. It does not change. Kinds of parameters that are not of
// a Go type have no method Go.
type Kind struct {
	form form
	of   reflect.Type // nil if it is not of a Go type
	// elems has the kind of the elements of a list, of the keys and the elements of a map, of
	// the fields of a struct, and of what wraps one value.
	elems  []*Kind
	fields []int // of the struct, those that have values
	// plain words are those of most programs. The others have odd ones, too.
	plain, odd []string
	outs       []*Kind // of the results of a function; nil for one that has none
	// convert makes the Go value of a text, and source is the function that does so in Go.
	convert func(string) any
	source  string
}

// A form says which Values are arguments of a kind.
type form uint8

const (
	number    form = iota // an Int
	text                  // a String
	boolean               // a Bool
	dynamic               // an Int or a String
	duration              // an Int of nanoseconds
	instant               // an Int of seconds
	list                  // a List, or null
	mapping               // a Map, or null
	structure             // a List of the fields
	wrapped               // the value in a pointer or an array
	word                  // a String, one of the words
)

// The kinds of parameters that need no Go type. With v values to choose from, an Int is 0 to
// v-1 and a Text "0" to "v-1"; Lists and Maps have up to two of them.
var (
	Int   = &Kind{form: number}
	Text  = &Kind{form: text}
	Bool  = &Kind{form: boolean}
	List  = &Kind{form: list, elems: []*Kind{Int}}
	Texts = &Kind{form: list, elems: []*Kind{Text}}
	Map   = &Kind{form: mapping, elems: []*Kind{Int, Int}}
	Any   = &Kind{form: dynamic} // an Int in most programs, and an Int or a String in others
)

// Struct returns the kind of a struct: its arguments are Lists of the values of the fields.
func Struct(fields ...*Kind) *Kind { return &Kind{form: structure, elems: fields} }

// String names the kind for error messages.
func (k *Kind) String() string {
	var names []string
	for _, e := range k.elems {
		names = append(names, e.String())
	}
	switch k.form {
	case number:
		return "int"
	case text:
		return "text"
	case boolean:
		return "bool"
	case dynamic:
		return "any"
	case duration:
		return "duration"
	case instant:
		return "time"
	case list:
		switch k.elems[0].form {
		case number:
			return "list"
		case text:
			return "texts"
		}
		return "list(" + names[0] + ")"
	case mapping:
		if k.elems[0].form == number && k.elems[1].form == number {
			return "map"
		}
		return "map(" + strings.Join(names, ", ") + ")"
	case structure:
		return "struct(" + strings.Join(names, ", ") + ")"
	case wrapped:
		return names[0]
	}
	return strings.Join(slices.Concat(k.plain, k.odd), "|")
}

// Want describes the arguments of the kind.
func (k *Kind) Want() string {
	switch k.form {
	case number:
		return "an integer of 64 bits"
	case text:
		return "a string in double quotes"
	case boolean:
		return "true or false"
	case dynamic:
		return "an integer or a string"
	case duration:
		return "a duration, such as 1ns"
	case instant:
		return "seconds since 1970, such as @1"
	case list:
		switch k.elems[0].form {
		case number:
			return "a list of integers, such as [0,1]"
		case text:
			return `a list of strings, such as ["0","1"]`
		}
		return "a list, such as " + string(k.Append(nil, k.Some(2)))
	case mapping:
		if k.elems[0].form == number && k.elems[1].form == number {
			return "a map of integers, such as {0=1,1=0}"
		}
		return "a map, such as " + string(k.Append(nil, k.Some(1)))
	case structure:
		return "a list of the fields, such as " + string(k.Append(nil, k.Some(0)))
	case wrapped:
		return k.elems[0].Want()
	}
	return "one of " + strings.Join(slices.Concat(k.plain, k.odd), ", ")
}

// Takes reports whether v can be an argument of the kind.
func (k *Kind) Takes(v history.Value) bool {
	switch k.form {
	case number, duration, instant:
		return v.Kind() == history.Int
	case text:
		return v.Kind() == history.String
	case boolean:
		return v.Kind() == history.Bool
	case dynamic:
		return v.Kind() == history.Int || v.Kind() == history.String
	case structure:
		return v.Kind() == history.List && slices.EqualFunc(k.elems, v.List(), (*Kind).Takes)
	case wrapped:
		return k.elems[0].Takes(v) || k.of != nil && k.of.Kind() == reflect.Pointer && v.Kind() == history.Null
	case word:
		return v.Kind() == history.String && (slices.Contains(k.plain, v.Text()) || slices.Contains(k.odd, v.Text()))
	}
	if v.Kind() == history.Null {
		return true
	}
	if v.Kind() != history.List && k.form == list || v.Kind() != history.Map && k.form == mapping {
		return false
	}
	for i, e := range v.List() {
		if !k.elems[i%len(k.elems)].Takes(e) {
			return false
		}
	}
	return true
}

// HasOdd reports whether some values of the kind are only in some programs.
func (k *Kind) HasOdd() bool {
	return k.form == dynamic || len(k.odd) > 0 || slices.ContainsFunc(k.elems, (*Kind).HasOdd)
}

// Default returns the argument that programs do not write, if there is one.
func (k *Kind) Default() (v history.Value, ok bool) {
	if k.of != contextType {
		return v, false
	}
	return history.StringValue(k.plain[0]), true
}
