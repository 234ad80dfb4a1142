package proof

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// A value is an argument, a result or a part of a state: null, true, false, an integer of 64 bits, a
// string, or a list of values, in the one JSON text that such a value has here. So two values are
// equal if their texts are equal. The empty string means that there is no value.
type value string

const null, yes, no = value("null"), value("true"), value("false")

func truth(b bool) value    { return value(strconv.FormatBool(b)) }
func integer(n int64) value { return value(strconv.FormatInt(n, 10)) }

// MarshalJSON implements json.Marshaler.
func (v value) MarshalJSON() ([]byte, error) { return []byte(v), nil }

// UnmarshalJSON implements json.Unmarshaler. Maps, numbers with a fraction, and what has a $ in
// leadline's format are refused: no model here has them.
func (v *value) UnmarshalJSON(text []byte) error {
	if n, err := strconv.ParseInt(string(text), 10, 64); err == nil { // most are
		*v = integer(n)
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var x any
	if err := d.Decode(&x); err != nil {
		return err
	}
	out, err := valueOf(x)
	*v = out
	return err
}

func valueOf(x any) (value, error) {
	switch x := x.(type) {
	case nil:
		return null, nil
	case bool:
		return truth(x), nil
	case json.Number:
		n, err := strconv.ParseInt(string(x), 10, 64)
		if err != nil {
			return "", fmt.Errorf("the number %s is not an integer of 64 bits", x)
		}
		return integer(n), nil
	case string:
		if strings.ContainsRune(x, '\uFFFD') { // perhaps of something else, which is not Unicode
			return "", errors.New("a string that may not be Unicode")
		}
		text, err := json.Marshal(x)
		return value(text), err
	case []any:
		var list []value
		for _, e := range x {
			v, err := valueOf(e)
			if err != nil {
				return "", err
			}
			list = append(list, v)
		}
		return listOf(list), nil
	}
	return "", errors.New("a map as a value")
}

func listOf(list []value) value {
	text, _ := json.Marshal(append([]value{}, list...))
	return value(text)
}

// list returns the elements of a list. It returns false for another value.
func (v value) list() (list []value, ok bool) {
	return list, strings.HasPrefix(string(v), "[") && json.Unmarshal([]byte(v), &list) == nil
}

// int returns an integer, or false for another value.
func (v value) int() (int64, bool) {
	n, err := strconv.ParseInt(string(v), 10, 64)
	return n, err == nil
}

// text returns the text of a string, or false for another value.
func (v value) text() (s string, ok bool) {
	return s, strings.HasPrefix(string(v), `"`) && json.Unmarshal([]byte(v), &s) == nil
}

// compare orders integers by number, and then strings by their bytes, as leadline does.
func compare(a, b value) int {
	m, isInt := a.int()
	n, areInts := b.int()
	s, _ := a.text()
	t, _ := b.text()
	if isInt != areInts {
		return map[bool]int{true: -1, false: 1}[isInt]
	}
	return cmp.Or(cmp.Compare(m, n), cmp.Compare(s, t))
}

// decode reads a JSON object into a struct, and returns the names of its members. Names are those of the
// fields of the struct, in lower case, each once.
func decode(text []byte, into any) (names map[string]bool, err error) {
	names = map[string]bool{}
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case '"':
			begin := i + 1
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			if rest := bytes.TrimLeft(text[min(i+1, len(text)):], " \t\r\n"); depth > 1 || len(rest) == 0 || rest[0] != ':' {
				continue
			}
			name := string(text[begin:i])
			if names[name] || strings.ToLower(name) != name || strings.Contains(name, `\`) {
				return nil, fmt.Errorf("%q is not expected, or occurs twice", name)
			}
			names[name] = true
		}
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err = d.Decode(into); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("text after a JSON object")
	}
	return names, nil
}
