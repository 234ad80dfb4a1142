package stress

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/leadline/leadline/history"
)

// A Param is the kind of a method's parameter.
type Param uint32

// The parameters that programs have values for, apart from those that Struct
// returns. With v values to choose from, an Int is 0 to v-1 and a Text "0" to
// "v-1"; Lists and Maps have up to two of them.
const (
	Int   Param = iota // an Int
	Text               // a String
	Bool               // false or true
	List               // a List of Ints
	Texts              // a List of Strings
	Map                // a Map from Ints to Ints
	Any                // an Int or a String
	structParam
)

var paramNames = [...]string{"int", "text", "bool", "list", "texts", "map", "any"}

func (p Param) String() string {
	switch {
	case int(p) < len(paramNames):
		return paramNames[p]
	case p.isStruct():
		var names []string
		for _, f := range p.fields() {
			names = append(names, f.String())
		}
		return "struct(" + strings.Join(names, ", ") + ")"
	}
	return fmt.Sprintf("parameter %d", uint32(p))
}

// A Struct is structParam in the lowest bits, and above them fieldBits for each
// field: 1 more than its kind.
const (
	kindBits  = 4
	fieldBits = 2
	maxFields = (32 - kindBits) / fieldBits
)

// Struct returns the parameter for a struct: its arguments are Lists of the values
// of the fields. It returns false if a field is not an Int, a Text or a Bool, or if
// there are more than 14.
func Struct(fields ...Param) (Param, bool) {
	p := structParam
	for i, f := range fields {
		if f > Bool || i == maxFields {
			return 0, false
		}
		p |= (f + 1) << (kindBits + fieldBits*i)
	}
	return p, true
}

func (p Param) isStruct() bool { return p&(1<<kindBits-1) == structParam }

// fields returns the fields of a struct.
func (p Param) fields() []Param {
	var list []Param
	for rest := p >> kindBits; rest > 0; rest >>= fieldBits {
		list = append(list, rest&(1<<fieldBits-1)-1)
	}
	return list
}

// elementOf returns value i as a parameter or an element of it.
func elementOf(p Param, i int) history.Value {
	switch p {
	case Int, List, Map, Any:
		return history.IntValue(int64(i))
	case Text, Texts:
		return textValue(fmt.Sprint(i))
	}
	panic(fmt.Sprintf("stress: no values for %v", p))
}

// arguments returns all arguments for the parameter with v values to choose
// from. The collections of the paper have exactly two elements, these have up
// to two.
func arguments(p Param, v int) []history.Value {
	switch {
	case p == Bool:
		return []history.Value{history.BoolValue(false), history.BoolValue(true)}
	case p == Any:
		return append(arguments(Int, v), arguments(Text, v)...)
	case p.isStruct():
		return structArguments(p, v)
	}
	var single, all []history.Value
	for i := range v {
		single = append(single, elementOf(p, i))
	}
	switch p {
	case List, Texts:
		all = append(all, history.ListValue())
		for _, e := range single {
			all = append(all, history.ListValue(e))
		}
		for _, e := range single {
			for _, f := range single {
				all = append(all, history.ListValue(e, f))
			}
		}
		return all
	case Map:
		return mapArguments(single)
	}
	return single
}

// structArguments returns the structs with all combinations of fields.
func structArguments(p Param, v int) []history.Value {
	all := [][]history.Value{nil}
	for _, f := range p.fields() {
		var longer [][]history.Value
		for _, begin := range all {
			for _, e := range arguments(f, v) {
				longer = append(longer, append(slices.Clip(begin), e))
			}
		}
		all = longer
	}
	var list []history.Value
	for _, fields := range all {
		list = append(list, history.ListValue(fields...))
	}
	return list
}

// mapArguments returns the maps of up to two of the values to values.
func mapArguments(single []history.Value) []history.Value {
	empty, _ := history.MapValue()
	all := []history.Value{empty}
	for _, key := range single {
		for _, e := range single {
			m, _ := history.MapValue(key, e)
			all = append(all, m)
		}
	}
	for i, key := range single {
		for _, next := range single[i+1:] {
			for _, e := range single {
				for _, f := range single {
					m, _ := history.MapValue(key, e, next, f)
					all = append(all, m)
				}
			}
		}
	}
	return all
}

// someValue returns the n-th of three values for a parameter.
func someValue(p Param, n int) history.Value {
	i, next := history.IntValue(int64(n)), history.IntValue(int64((n+1)%3))
	switch {
	case p == Text:
		return textValue(fmt.Sprint(n))
	case p == Bool:
		return history.BoolValue(n%2 == 1)
	case p == List:
		return history.ListValue([]history.Value{i, next}[:n]...)
	case p == Texts:
		return history.ListValue([]history.Value{textValue(fmt.Sprint(n)), textValue(fmt.Sprint((n + 1) % 3))}[:n]...)
	case p == Map:
		pairs, _ := history.MapValue([]history.Value{i, next, next, i}[:2*n]...)
		return pairs
	case p.isStruct():
		var fields []history.Value
		for _, f := range p.fields() {
			fields = append(fields, someValue(f, n))
		}
		return history.ListValue(fields...)
	}
	return i
}

// wanted describes the arguments for each parameter.
var wanted = [...]string{
	Int:   "an integer of 64 bits",
	Text:  "a string in double quotes",
	Bool:  "true or false",
	List:  "a list of integers, such as [0,1]",
	Texts: `a list of strings, such as ["0","1"]`,
	Map:   "a map of integers, such as {0=1,1=0}",
	Any:   "an integer or a string",
}

// wants describes the arguments for the parameter.
func (p Param) wants() string {
	if p.isStruct() {
		return fmt.Sprintf("a list of the fields, such as %s", appendArgument(nil, someValue(p, 0)))
	}
	return wanted[p]
}

// takes reports whether v can be an argument for the parameter.
func (p Param) takes(v history.Value) bool {
	switch {
	case p == Any:
		return Int.takes(v) || Text.takes(v)
	case p.isStruct():
		fields := p.fields()
		return v.Kind() == history.List && slices.EqualFunc(fields, v.List(), Param.takes)
	}
	kind, element := [...]history.Kind{Int: history.Int, Text: history.String, Bool: history.Bool,
		List: history.List, Texts: history.List, Map: history.Map}[p], history.Int
	if p == Texts {
		element = history.String
	}
	if v.Kind() != kind {
		return p >= List && v.Kind() == history.Null
	}
	for _, e := range v.List() {
		if e.Kind() != element {
			return false
		}
	}
	return true
}

// lesser returns the values directly below an argument: the number before it,
// also as a string, the struct with a lesser value in one field, or the collection without one
// of its elements.
func lesser(p Param, v history.Value) []history.Value {
	var list []history.Value
	switch {
	case p.isStruct():
		for i, f := range p.fields() {
			for _, less := range lesser(f, v.List()[i]) {
				fields := slices.Clone(v.List())
				fields[i] = less
				list = append(list, history.ListValue(fields...))
			}
		}
	case v.Kind() == history.Int && v.Int() > 0:
		list = append(list, history.IntValue(v.Int()-1))
	case v.Kind() == history.String:
		if n, err := strconv.Atoi(v.Text()); err == nil && n > 0 {
			list = append(list, history.StringValue(strconv.Itoa(n-1)))
		}
	case v.Kind() == history.List:
		for i := range v.List() {
			list = append(list, history.ListValue(slices.Delete(slices.Clone(v.List()), i, i+1)...))
		}
	case v.Kind() == history.Map:
		for i := 0; i < len(v.List()); i += 2 {
			m, _ := history.MapValue(slices.Delete(slices.Clone(v.List()), i, i+2)...)
			list = append(list, m)
		}
	}
	return list
}
