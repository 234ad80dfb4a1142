package codec

import (
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/leadline/leadline/history"
)

// appendEDN appends v, from which an ednReader reads v again. It reports
// false for what EDN has no words for: no value, an unknown one, an exception
// and text that is not UTF-8.
func appendEDN(dst []byte, v history.Value) ([]byte, bool) {
	switch v.Kind() {
	case history.Null:
		return append(dst, "nil"...), true
	case history.Bool:
		return strconv.AppendBool(dst, v.Bool()), true
	case history.Int:
		return strconv.AppendInt(dst, v.Int(), 10), true
	case history.Float:
		return appendEDNFloat(dst, v.Float()), true
	case history.String:
		if isKeyword(v.Text()) {
			return append(dst, v.Text()...), true
		}
		return appendEDNText(dst, v.Text()), utf8.ValidString(v.Text())
	case history.List:
		return appendEDNList(dst, '[', ']', v.List())
	case history.Map:
		return appendEDNList(dst, '{', '}', v.List())
	}
	return dst, false
}

func appendEDNList(dst []byte, open, closing byte, vs []history.Value) ([]byte, bool) {
	dst = append(dst, open)
	for i, v := range vs {
		if i > 0 {
			dst = append(dst, ' ')
		}
		var ok bool
		if dst, ok = appendEDN(dst, v); !ok {
			return dst, false
		}
	}
	return append(dst, closing), true
}

func appendEDNFloat(dst []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, "##NaN"...)
	case math.IsInf(f, 1):
		return append(dst, "##Inf"...)
	case math.IsInf(f, -1):
		return append(dst, "##-Inf"...)
	}
	return appendFloat(dst, f)
}

// isKeyword reports whether text is a keyword with its colon.
func isKeyword(text string) bool {
	if len(text) < 2 || text[0] != ':' || text[1] == ':' || text[len(text)-1] == ':' || !utf8.ValidString(text) {
		return false
	}
	for i := range len(text) {
		if isDelimiter(text[i]) || text[i] == '\\' {
			return false
		}
	}
	return true
}

func appendEDNText(dst []byte, text string) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, '\\', 'n')
		case c == '\t':
			dst = append(dst, '\\', 't')
		case c == '\r':
			dst = append(dst, '\\', 'r')
		case c < ' ':
			dst = append(dst, '\\', 'u', '0', '0', "0123456789abcdef"[c>>4], "0123456789abcdef"[c&15])
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}
