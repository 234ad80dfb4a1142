package scan

import (
	"encoding/base64"
	"math"

	"github.com/leadline/leadline/history"
)

// EmptyList is shared, so that a line of "[],[],..." takes little memory.
var EmptyList = history.ListValue()

// Value reads any JSON value. An object is a Map with String keys or, with
// escapes on, one of the escapes of the native format.
func (s *Scanner) Value(escapes bool) history.Value {
	c := s.Peek()
	switch {
	case c == '"':
		return s.StringValue()
	case c == '-' || '0' <= c && c <= '9':
		return s.Number()
	case c == '[':
		base := s.elements(escapes)
		v := s.Pool.NewList(s.stack[base:])
		s.stack = s.stack[:base]
		return v
	case c == '{':
		return s.object(escapes)
	case c == 't' && s.literal("true"):
		return history.BoolValue(true)
	case c == 'f' && s.literal("false"):
		return history.BoolValue(false)
	case c == 'n' && s.literal("null"):
		return history.NullValue
	}
	s.Unexpected("a value")
	return history.Value{}
}

// StringValue reads a string.
func (s *Scanner) StringValue() history.Value {
	b := s.Text()
	if s.Failed() {
		return history.Value{}
	}
	return s.Pool.Text(b)
}

// List reads the elements of a list.
func (s *Scanner) List(escapes bool) []history.Value {
	base := s.elements(escapes)
	vs := s.Pool.List(s.stack[base:])
	s.stack = s.stack[:base]
	return vs
}

// elements pushes the elements of a list onto the stack, and returns the height of the
// stack before.
func (s *Scanner) elements(escapes bool) (base int) {
	base = len(s.stack)
	for more := s.Begin('[', ']'); more; more = s.More(']') {
		v := s.Value(escapes)
		s.stack = append(s.stack, v)
	}
	return base
}

// object reads a Map with String keys, or an escape.
func (s *Scanner) object(escapes bool) history.Value {
	base, start := len(s.stack), s.Pos
	for more := s.Begin('{', '}'); more; more = s.More('}') {
		at := s.Pos
		key := s.Key()
		if s.Failed() {
			break
		}
		if escapes && len(key) > 0 && key[0] == '$' {
			if len(s.stack) > base {
				s.Fail(at, "key %q is reserved; write a map that has it with \"$map\"", Clip(key))
				break
			}
			return s.escapedValue(string(key), at)
		}
		k := s.Pool.Text(key)
		v := s.Value(escapes)
		s.stack = append(s.stack, k, v)
	}
	return s.mapOf(base, start)
}

// mapOf makes a Map of the keys and values on the stack above base.
func (s *Scanner) mapOf(base, start int) history.Value {
	pairs := s.stack[base:]
	s.stack = s.stack[:base]
	if s.Failed() {
		return history.Value{}
	}
	m, ok := s.Pool.NewMap(pairs)
	if !ok {
		s.Fail(start, "a key occurs twice in one object")
	}
	return m
}

// escapedValue reads the value of an escape and the end of its object. The key has
// just been read.
func (s *Scanner) escapedValue(key string, at int) history.Value {
	v := s.escapeOf(key, at)
	if s.Failed() {
		return history.Value{}
	}
	if s.More('}') {
		s.Fail(s.Pos, "an object with the key %q has no other key", key)
		return history.Value{}
	}
	return v
}

func (s *Scanner) escapeOf(key string, at int) history.Value {
	s.Peek()
	valueAt := s.Pos
	switch key {
	case "$map":
		return s.pairs()
	case "$exception":
		name := s.Text()
		if s.Failed() {
			return history.Value{}
		}
		return s.Pool.Exception(name)
	case "$unknown", "$none":
		if !s.literal("true") {
			return history.Value{}
		}
		if key == "$none" {
			return history.NoValue
		}
		if s.Depth > 2 { // in more than the line's object and its own
			s.Fail(at, "an unknown value is a result as a whole, not a part of one or an argument")
		}
		return history.UnknownValue
	case "$float":
		switch string(s.Text()) {
		case "NaN":
			return history.FloatValue(math.NaN())
		case "Infinity":
			return history.FloatValue(math.Inf(1))
		case "-Infinity":
			return history.FloatValue(math.Inf(-1))
		}
		s.Fail(valueAt, `"$float" is "NaN", "Infinity" or "-Infinity"`)
		return history.Value{}
	case "$bytes", "$exception-bytes":
		b, err := base64.StdEncoding.Strict().DecodeString(string(s.Text()))
		switch {
		case err != nil:
			s.Fail(valueAt, "%q is not in base 64", key)
		case key == "$bytes":
			return history.StringValue(string(b))
		default:
			return history.ExceptionValue(string(b))
		}
		return history.Value{}
	}
	s.Fail(at, "unknown escape %q; known are $map, $exception, $unknown, $none, $float, $bytes, $exception-bytes", Clip([]byte(key)))
	return history.Value{}
}

// Member returns the value of a key of an object, None if it has none.
func Member(object history.Value, key string) history.Value {
	pairs := object.List()
	for i := 0; object.Kind() == history.Map && i < len(pairs); i += 2 {
		if pairs[i].Text() == key {
			return pairs[i+1]
		}
	}
	return history.NoValue
}

// pairs reads a Map written as a list of pairs.
func (s *Scanner) pairs() history.Value {
	base, start := len(s.stack), s.Pos
	for more := s.Begin('[', ']'); more; more = s.More(']') {
		at, before := s.Pos, len(s.stack)
		for inner := s.Begin('[', ']'); inner; inner = s.More(']') {
			v := s.Value(true)
			s.stack = append(s.stack, v)
		}
		if !s.Failed() && len(s.stack) != before+2 {
			s.Fail(at, `"$map" is a list of pairs [key, value]`)
		}
	}
	return s.mapOf(base, start)
}

// Skip skips any JSON value, after checking its syntax.
func (s *Scanner) Skip() {
	c := s.Peek()
	switch {
	case c == '"':
		s.Text()
	case c == '[':
		for more := s.Begin('[', ']'); more; more = s.More(']') {
			s.Skip()
		}
	case c == '{':
		for more := s.Begin('{', '}'); more; more = s.More('}') {
			s.Key()
			s.Skip()
		}
	default:
		s.Value(false)
	}
}
