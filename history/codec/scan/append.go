package scan

import (
	"encoding/base64"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/leadline/leadline/history"
)

// AppendText appends s, which is valid UTF-8, as a JSON string.
func AppendText(dst []byte, s string) []byte {
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
		return AppendFloat(dst, v.Float())
	case history.String:
		if utf8.ValidString(v.Text()) {
			return AppendText(dst, v.Text())
		}
		return appendBytes(dst, `{"$bytes":"`, v.Text())
	case history.Exception:
		if utf8.ValidString(v.Text()) {
			return append(AppendText(append(dst, `{"$exception":`...), v.Text()), '}')
		}
		return appendBytes(dst, `{"$exception-bytes":"`, v.Text())
	case history.List:
		return AppendList(dst, v.List())
	}
	return appendMap(dst, v.List())
}

func appendBytes(dst []byte, open, text string) []byte {
	dst = append(dst, open...)
	dst = base64.StdEncoding.AppendEncode(dst, []byte(text))
	return append(dst, `"}`...)
}

// AppendFloat appends f so that it is not read as an integer.
func AppendFloat(dst []byte, f float64) []byte {
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

func AppendList(dst []byte, vs []history.Value) []byte {
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
			dst = AppendList(dst, pairs[i:i+2])
		}
		return append(dst, "]}"...)
	}
	dst = append(dst, '{')
	for i := 0; i < len(pairs); i += 2 {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(AppendText(dst, pairs[i].Text()), ':')
		dst = AppendValue(dst, pairs[i+1])
	}
	return append(dst, '}')
}
