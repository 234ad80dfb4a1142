package codec

import (
	"strconv"

	"github.com/leadline/leadline/history"
)

// An identifier is an integer or a string, as the key of a map.
type identifier struct {
	number int64
	text   string
}

func idOf(v history.Value) identifier { return identifier{v.Int(), v.Text()} }

// parseInt returns the 64-bit integer that word is, with or without a sign.
func parseInt(word []byte) (n int64, ok bool) {
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

// plainInt is parseInt for an integer in its usual notation: without a plus sign
// and leading zeros.
func plainInt(word []byte) (n int64, ok bool) {
	if n, ok = parseInt(word); !ok || word[0] == '+' {
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

// cutWord returns the first word of text and the rest, both without surrounding
// blanks.
func cutWord(text []byte) (word, rest []byte) {
	text = trimBlanks(text)
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

// trimBlanks returns text without surrounding blanks.
func trimBlanks(text []byte) []byte {
	for len(text) > 0 && isBlank(text[0]) {
		text = text[1:]
	}
	for len(text) > 0 && isBlank(text[len(text)-1]) {
		text = text[:len(text)-1]
	}
	return text
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }
