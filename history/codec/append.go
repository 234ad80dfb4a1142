package codec

import (
	"encoding/base64"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/leadline/leadline/history"
)

// appendText appends s, which is valid UTF-8, as a JSON text.
func appendText(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[from:i]...)
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

// AppendValue appends v in JSON, as the native format has it.
func AppendValue(dst []byte, v history.Value) []byte { return appendValue(dst, v) }

// appendValue appends v in the native format.
func appendValue(dst []byte, v history.Value) []byte {
	dst, _ = appendJSON(dst, v, true)
	return dst
}

// appendPlain appends v as plain JSON, and reports false where that cannot
// say it.
func appendPlain(dst []byte, v history.Value) ([]byte, bool) { return appendJSON(dst, v, false) }

// appendJSON appends v. With escapes on, those of the native format say what
// plain JSON cannot.
func appendJSON(dst []byte, v history.Value, escapes bool) ([]byte, bool) {
	switch v.Kind() {
	case history.None:
		return append(dst, `{"$none":true}`...), escapes
	case history.Unknown:
		return append(dst, `{"$unknown":true}`...), escapes
	case history.Null:
		return append(dst, "null"...), true
	case history.Bool:
		return strconv.AppendBool(dst, v.Bool()), true
	case history.Int:
		return strconv.AppendInt(dst, v.Int(), 10), true
	case history.Float:
		f := v.Float()
		return appendFloat(dst, f), escapes || f-f == 0
	case history.String:
		if utf8.ValidString(v.Text()) {
			return appendText(dst, v.Text()), true
		}
		return appendBytes(dst, `{"$bytes":"`, v.Text()), escapes
	case history.Exception:
		if utf8.ValidString(v.Text()) {
			return append(appendText(append(dst, `{"$exception":`...), v.Text()), '}'), escapes
		}
		return appendBytes(dst, `{"$exception-bytes":"`, v.Text()), escapes
	case history.List:
		return appendElements(dst, v.List(), escapes)
	}
	return appendMap(dst, v.List(), escapes)
}

// checkKnown refuses an unknown value that is an argument or a part of another
// value. A whole result may be unknown.
func checkKnown(args []history.Value, result history.Value) error {
	if slices.ContainsFunc(args, holdsUnknown) || slices.ContainsFunc(result.List(), holdsUnknown) {
		return refusal(nativeName, "an unknown value that is not a result as a whole")
	}
	return nil
}

func holdsUnknown(v history.Value) bool {
	return v.Kind() == history.Unknown || slices.ContainsFunc(v.List(), holdsUnknown)
}

func appendBytes(dst []byte, open, text string) []byte {
	dst = append(dst, open...)
	dst = base64.StdEncoding.AppendEncode(dst, []byte(text))
	return append(dst, `"}`...)
}

// appendFloat writes f so that it does not read as an integer.
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
	dst, _ = appendElements(dst, vs, true)
	return dst
}

func appendElements(dst []byte, vs []history.Value, escapes bool) (_ []byte, ok bool) {
	ok, dst = true, append(dst, '[')
	for i := 0; i < len(vs) && ok; i++ {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst, ok = appendJSON(dst, vs[i], escapes)
	}
	return append(dst, ']'), ok
}

// appendMap writes an object if all keys are strings that it can have, and
// otherwise a list of pairs, which is an escape.
func appendMap(dst []byte, pairs []history.Value, escapes bool) (_ []byte, ok bool) {
	object := true
	for i := 0; i < len(pairs); i += 2 {
		key := pairs[i].Text()
		if pairs[i].Kind() != history.String || !utf8.ValidString(key) || escapes && key != "" && key[0] == '$' {
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
		return append(dst, "]}"...), escapes
	}
	ok, dst = true, append(dst, '{')
	for i := 0; i < len(pairs) && ok; i += 2 {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendText(dst, pairs[i].Text()), ':')
		dst, ok = appendJSON(dst, pairs[i+1], escapes)
	}
	return append(dst, '}'), ok
}
