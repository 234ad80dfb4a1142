package stress

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/leadline/leadline/history"
)

// appendArgument writes a value without the spaces that history.Value has.
func appendArgument(dst []byte, v history.Value) []byte {
	switch v.Kind() {
	case history.List:
		dst = append(dst, '[')
		for i, e := range v.List() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendArgument(dst, e)
		}
		return append(dst, ']')
	case history.Map:
		dst = append(dst, '{')
		for i, e := range v.List() {
			switch {
			case i%2 == 1:
				dst = append(dst, '=')
			case i > 0:
				dst = append(dst, ',')
			}
			dst = appendArgument(dst, e)
		}
		return append(dst, '}')
	}
	return append(dst, v.String()...)
}

// argument reads an argument for a parameter.
func (r *programReader) argument(p Param) (history.Value, error) {
	switch p {
	case Int:
		return r.integer()
	case Text:
		return r.quoted()
	case Bool:
		return r.bool()
	}
	r.skip()
	at := r.pos
	if r.word() == "null" {
		return history.NullValue, nil
	}
	r.pos = at
	switch p {
	case List:
		return r.list(r.integer, "a list of integers, such as [0,1]")
	case Texts:
		return r.list(r.quoted, `a list of texts, such as ["0","1"]`)
	case Map:
		return r.mapping()
	}
	panic(fmt.Sprintf("stress: no values for %v", p))
}

func (r *programReader) integer() (history.Value, error) {
	r.skip()
	at := r.pos
	n, err := strconv.ParseInt(r.word(), 10, 64)
	if err != nil {
		r.pos = at
		return history.Value{}, r.wants("an integer of 64 bits")
	}
	return history.IntValue(n), nil
}

func (r *programReader) bool() (history.Value, error) {
	r.skip()
	at := r.pos
	switch r.word() {
	case "false":
		return history.BoolValue(false), nil
	case "true":
		return history.BoolValue(true), nil
	}
	r.pos = at
	return history.Value{}, r.wants("true or false")
}

func (r *programReader) quoted() (history.Value, error) {
	r.skip()
	if !strings.HasPrefix(r.text[r.pos:], `"`) {
		return history.Value{}, r.wants("a text in double quotes")
	}
	literal, err := strconv.QuotedPrefix(r.text[r.pos:])
	if err != nil {
		return history.Value{}, r.errorAt(r.pos, "the text in double quotes does not end or is not as in Go")
	}
	s, err := strconv.Unquote(literal)
	if err != nil {
		return history.Value{}, r.errorAt(r.pos, "%s: %v", literal, err)
	}
	r.pos += len(literal)
	return history.StringValue(s), nil
}

func (r *programReader) list(element func() (history.Value, error), what string) (history.Value, error) {
	if !r.has("[") {
		return history.Value{}, r.wants(what)
	}
	if r.has("]") {
		return history.ListValue(), nil
	}
	var list []history.Value
	for {
		v, err := element()
		if err != nil {
			return history.Value{}, err
		}
		list = append(list, v)
		switch {
		case r.has(","):
		case r.has("]"):
			return history.ListValue(list...), nil
		default:
			return history.Value{}, r.wants(`"," or "]"`)
		}
	}
}

func (r *programReader) mapping() (history.Value, error) {
	if !r.has("{") {
		return history.Value{}, r.wants("a map of integers, such as {0=1,1=0}")
	}
	at := r.pos
	var pairs []history.Value
	for more := !r.has("}"); more; {
		key, err := r.integer()
		if err != nil {
			return history.Value{}, err
		}
		if !r.has("=") {
			return history.Value{}, r.wants(`"="`)
		}
		v, err := r.integer()
		if err != nil {
			return history.Value{}, err
		}
		pairs = append(pairs, key, v)
		switch {
		case r.has(","):
		case r.has("}"):
			more = false
		default:
			return history.Value{}, r.wants(`"," or "}"`)
		}
	}
	m, ok := history.MapValue(pairs...)
	if !ok {
		return history.Value{}, r.errorAt(at, "a key occurs twice in the map")
	}
	return m, nil
}
