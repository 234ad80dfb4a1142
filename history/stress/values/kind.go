package values

import (
	"fmt"
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
	// makers and sources are for each plain word; see Object.Makers. A source is "" if Go outside
	// of the package has none.
	makers  []func() reflect.Value
	sources []string
	outs    []*Kind // of the results of a function; nil for one that has none
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

// forms has the names of forms and what their arguments are, for error messages.
var forms = [...]struct{ name, want string }{
	number:    {"int", "an integer of 64 bits"},
	text:      {"text", "a string in double quotes"},
	boolean:   {"bool", "true or false"},
	dynamic:   {"any", "an integer or a string"},
	duration:  {"duration", "a duration, such as 1ns"},
	instant:   {"time", "seconds since 1970, such as @1"},
	list:      {name: "list"},
	mapping:   {name: "map"},
	structure: {name: "struct"},
}

// IsFunction reports whether arguments are functions. null is one, too, that no call may call.
func (k *Kind) IsFunction() bool { return k.form == word && k.of.Kind() == reflect.Func }

// Type returns the Go type of the parameter, or nil.
func (k *Kind) Type() reflect.Type { return k.of }

// String names the kind for error messages.
func (k *Kind) String() string {
	switch {
	case k.form == wrapped:
		return k.elems[0].String()
	case k.form == word:
		return strings.Join(slices.Concat(k.plain, k.odd), "|")
	case k.form < list:
		return forms[k.form].name
	}
	var elems []string
	for _, e := range k.elems {
		elems = append(elems, e.String())
	}
	return forms[k.form].name + "(" + strings.Join(elems, ", ") + ")"
}

// Want describes the arguments of the kind.
func (k *Kind) Want() string {
	switch {
	case k.form == wrapped:
		return k.elems[0].Want()
	case k.form == word:
		return "one of " + strings.Join(slices.Concat(k.plain, k.odd), ", ")
	case k.form < list:
		return forms[k.form].want
	}
	return fmt.Sprintf("%s, such as %s", k, k.Append(nil, k.Some(2)))
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
		return v.Kind() == history.Null && k.IsFunction() || v.Kind() == history.String && (slices.Contains(k.plain, v.Text()) || slices.Contains(k.odd, v.Text()))
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
