package codec

import (
	"encoding/base64"
	"errors"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/leadline/leadline/history"
)

// emptyList is shared, so that a line of "[],[],..." takes little memory.
var emptyList = history.ListValue()

// value reads any JSON value. An object is a Map with String keys or, with
// escapes on, one of the escapes of the native format.
func (s *scanner) value(escapes bool) history.Value {
	c := s.peek()
	switch {
	case c == '"':
		return s.string()
	case c == '-' || '0' <= c && c <= '9':
		return s.number()
	case c == '[':
		base := s.elements(escapes)
		v := s.pool.newList(s.stack[base:])
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
	s.unexpected("a value")
	return history.Value{}
}

// string reads a string.
func (s *scanner) string() history.Value {
	b := s.text()
	if s.failed() {
		return history.Value{}
	}
	return s.pool.text(b)
}

// list reads the elements of a list.
func (s *scanner) list(escapes bool) []history.Value {
	base := s.elements(escapes)
	vs := s.pool.list(s.stack[base:])
	s.stack = s.stack[:base]
	return vs
}

// elements pushes the elements of a list onto the stack, and returns the height of the
// stack before.
func (s *scanner) elements(escapes bool) (base int) {
	base = len(s.stack)
	for more := s.begin('[', ']'); more; more = s.more(']') {
		v := s.value(escapes)
		s.stack = append(s.stack, v)
	}
	return base
}

// object reads a Map with String keys, or an escape.
func (s *scanner) object(escapes bool) history.Value {
	base, start := len(s.stack), s.pos
	for more := s.begin('{', '}'); more; more = s.more('}') {
		at := s.pos
		key := s.key()
		if s.failed() {
			break
		}
		if escapes && len(key) > 0 && key[0] == '$' {
			if len(s.stack) > base {
				s.fail(at, "key %q is reserved; write a map that has it with \"$map\"", clip(key))
				break
			}
			return s.escapedValue(string(key), at)
		}
		k := s.pool.text(key)
		v := s.value(escapes)
		s.stack = append(s.stack, k, v)
	}
	return s.mapOf(base, start)
}

// mapOf makes a Map of the keys and values on the stack above base.
func (s *scanner) mapOf(base, start int) history.Value {
	pairs := s.stack[base:]
	s.stack = s.stack[:base]
	if s.failed() {
		return history.Value{}
	}
	m, ok := s.pool.newMap(pairs)
	if !ok {
		s.fail(start, "a key occurs twice in one object")
	}
	return m
}

// escapedValue reads the value of an escape and the end of its object. The key has
// just been read.
func (s *scanner) escapedValue(key string, at int) history.Value {
	v := s.escapeOf(key, at)
	if s.failed() {
		return history.Value{}
	}
	if s.more('}') {
		s.fail(s.pos, "an object with the key %q has no other key", key)
		return history.Value{}
	}
	return v
}

func (s *scanner) escapeOf(key string, at int) history.Value {
	s.peek()
	valueAt := s.pos
	switch key {
	case "$map":
		return s.pairs()
	case "$exception":
		name := s.text()
		if s.failed() {
			return history.Value{}
		}
		return s.pool.exception(name)
	case "$unknown", "$none":
		if !s.literal("true") {
			return history.Value{}
		}
		if key == "$none" {
			return history.NoValue
		}
		if s.depth > 2 { // in more than the line's object and its own
			s.fail(at, "an unknown value is a result as a whole, not a part of one or an argument")
		}
		return history.UnknownValue
	case "$float":
		switch string(s.text()) {
		case "NaN":
			return history.FloatValue(math.NaN())
		case "Infinity":
			return history.FloatValue(math.Inf(1))
		case "-Infinity":
			return history.FloatValue(math.Inf(-1))
		}
		s.fail(valueAt, `"$float" is "NaN", "Infinity" or "-Infinity"`)
		return history.Value{}
	case "$bytes", "$exception-bytes":
		b, err := base64.StdEncoding.Strict().DecodeString(string(s.text()))
		switch {
		case err != nil:
			s.fail(valueAt, "%q is not in base 64", key)
		case key == "$bytes":
			return history.StringValue(string(b))
		default:
			return history.ExceptionValue(string(b))
		}
		return history.Value{}
	}
	s.fail(at, "unknown escape %q; known are $map, $exception, $unknown, $none, $float, $bytes, $exception-bytes", clip([]byte(key)))
	return history.Value{}
}

// memberOf returns the value of a key of an object, None if it has none.
func memberOf(object history.Value, key string) history.Value {
	pairs := object.List()
	for i := 0; object.Kind() == history.Map && i < len(pairs); i += 2 {
		if pairs[i].Text() == key {
			return pairs[i+1]
		}
	}
	return history.NoValue
}

// pairs reads a Map written as a list of pairs.
func (s *scanner) pairs() history.Value {
	base, start := len(s.stack), s.pos
	for more := s.begin('[', ']'); more; more = s.more(']') {
		at, before := s.pos, len(s.stack)
		for inner := s.begin('[', ']'); inner; inner = s.more(']') {
			v := s.value(true)
			s.stack = append(s.stack, v)
		}
		if !s.failed() && len(s.stack) != before+2 {
			s.fail(at, `"$map" is a list of pairs [key, value]`)
		}
	}
	return s.mapOf(base, start)
}

// skip skips any JSON value, after checking its syntax.
func (s *scanner) skip() {
	c := s.peek()
	switch {
	case c == '"':
		s.text()
	case c == '[':
		for more := s.begin('[', ']'); more; more = s.more(']') {
			s.skip()
		}
	case c == '{':
		for more := s.begin('{', '}'); more; more = s.more('}') {
			s.key()
			s.skip()
		}
	default:
		s.value(false)
	}
}

// appendText appends s, which is valid UTF-8, as a JSON string.
func appendText(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c != 0x7f && c != 0xc2 {
			continue
		}
		if c == 0xc2 { // U+0080 to U+009F are controls, too, which a terminal obeys
			if i+1 == len(s) || s[i+1] < 0x80 || s[i+1] >= 0xa0 {
				continue
			}
			dst = append(dst, s[from:i]...)
			i++
			c = s[i]
		} else {
			dst = append(dst, s[from:i]...)
		}
		from = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	dst = append(dst, s[from:]...)
	return append(dst, '"')
}

// AppendValue appends v in the JSON of the native format.
func AppendValue(dst []byte, v history.Value) []byte {
	switch v.Kind() {
	case history.None:
		return append(dst, `{"$none":true}`...)
	case history.Unknown:
		return append(dst, `{"$unknown":true}`...)
	case history.Null:
		return append(dst, "null"...)
	case history.Bool:
		return strconv.AppendBool(dst, v.Bool())
	case history.Int:
		return strconv.AppendInt(dst, v.Int(), 10)
	case history.Float:
		return appendFloat(dst, v.Float())
	case history.String:
		if utf8.ValidString(v.Text()) {
			return appendText(dst, v.Text())
		}
		return appendBytes(dst, `{"$bytes":"`, v.Text())
	case history.Exception:
		if utf8.ValidString(v.Text()) {
			return append(appendText(append(dst, `{"$exception":`...), v.Text()), '}')
		}
		return appendBytes(dst, `{"$exception-bytes":"`, v.Text())
	case history.List:
		return appendList(dst, v.List())
	}
	return appendMap(dst, v.List())
}

// checkKnown refuses unknown values in arguments and inside other values. A whole
// result may be unknown.
func checkKnown(args []history.Value, result history.Value) error {
	if slices.ContainsFunc(args, history.Value.HoldsUnknown) || slices.ContainsFunc(result.List(), history.Value.HoldsUnknown) {
		return errors.New("format native cannot carry an unknown value that is not a result as a whole")
	}
	return nil
}

func appendBytes(dst []byte, open, text string) []byte {
	dst = append(dst, open...)
	dst = base64.StdEncoding.AppendEncode(dst, []byte(text))
	return append(dst, `"}`...)
}

// appendFloat appends f so that it is not read as an integer.
func appendFloat(dst []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, `{"$float":"NaN"}`...)
	case math.IsInf(f, 1):
		return append(dst, `{"$float":"Infinity"}`...)
	case math.IsInf(f, -1):
		return append(dst, `{"$float":"-Infinity"}`...)
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, f, 'g', -1, 64)
	for _, c := range dst[start:] {
		if c == '.' || c == 'e' {
			return dst
		}
	}
	return append(dst, ".0"...)
}

func appendList(dst []byte, vs []history.Value) []byte {
	dst = append(dst, '[')
	for i, v := range vs {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendValue(dst, v)
	}
	return append(dst, ']')
}

// appendMap appends an object if all keys are suitable strings, and otherwise the
// escape for a list of pairs.
func appendMap(dst []byte, pairs []history.Value) []byte {
	object := true
	for i := 0; i < len(pairs); i += 2 {
		key := pairs[i].Text()
		if pairs[i].Kind() != history.String || !utf8.ValidString(key) || key != "" && key[0] == '$' {
			object = false
		}
	}
	if !object {
		dst = append(dst, `{"$map":[`...)
		for i := 0; i < len(pairs); i += 2 {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendList(dst, pairs[i:i+2])
		}
		return append(dst, "]}"...)
	}
	dst = append(dst, '{')
	for i := 0; i < len(pairs); i += 2 {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendText(dst, pairs[i].Text()), ':')
		dst = AppendValue(dst, pairs[i+1])
	}
	return append(dst, '}')
}
