package scan

import (
	"strconv"
	"strings"

	"github.com/leadline/leadline/history"
)

// An ID is an integer or a string, as the key of a map.
type ID struct {
	Number int64
	Text   string
}

// IDOf returns the ID of an integer or a string.
func IDOf(v history.Value) ID { return ID{v.Int(), v.Text()} }

// ParseInt returns the 64-bit integer that word is, with or without a sign.
func ParseInt(word []byte) (n int64, ok bool) {
	digits := word
	if len(word) > 0 && (word[0] == '-' || word[0] == '+') {
		digits = word[1:]
	}
	for _, c := range digits {
		if c-'0' > 9 {
			return 0, false
		}
		n = 10*n + int64(c-'0')
	}
	switch {
	case len(digits) == 0:
		return 0, false
	case len(digits) > 18: // n may have overflowed
		n, err := strconv.ParseInt(string(word), 10, 64)
		return n, err == nil
	case word[0] == '-':
		n = -n
	}
	return n, true
}

// PlainInt is ParseInt for an integer in its usual notation: without a plus sign
// and leading zeros.
func PlainInt(word []byte) (n int64, ok bool) {
	if n, ok = ParseInt(word); !ok || word[0] == '+' {
		return 0, false
	}
	first := word[0]
	if first == '-' {
		first = word[1]
	}
	if first == '0' && len(word) > 1 {
		return 0, false
	}
	return n, true
}

// CutWord returns the first word of text and the rest, both without surrounding
// blanks.
func CutWord(text []byte) (word, rest []byte) {
	text = TrimBlanks(text)
	n := 0
	for n < len(text) && !isBlank(text[n]) {
		n++
	}
	word, rest = text[:n], text[n:]
	for len(rest) > 0 && isBlank(rest[0]) {
		rest = rest[1:]
	}
	return word, rest
}

// TrimBlanks returns text without surrounding blanks.
func TrimBlanks(text []byte) []byte {
	for len(text) > 0 && isBlank(text[0]) {
		text = text[1:]
	}
	for len(text) > 0 && isBlank(text[len(text)-1]) {
		text = text[:len(text)-1]
	}
	return text
}

// isBlank reports whether c separates words.
func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

// IsInteger reports whether text is an integer as Java prints them.
func IsInteger(text string) bool {
	digits := strings.TrimPrefix(text, "-")
	if digits == "" || digits[0] == '0' && text != "0" {
		return false
	}
	return strings.Trim(digits, "0123456789") == ""
}

// IsLetter reports whether c is an ASCII letter, a digit or an underscore.
func IsLetter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_'
}
