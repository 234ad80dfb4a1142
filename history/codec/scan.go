package codec

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"unicode/utf8"

	"github.com/leadline/leadline/history"
)

// MaxDepth is how deeply lists and objects may be nested in an input.
const MaxDepth = 1000

// A scanner reads JSON (RFC 8259) from a byte slice that holds it whole. It
// is stricter than encoding/json: texts must be valid UTF-8, escaped
// surrogates must come in pairs, and integers must fit 64 bits.
//
// After a fault every method returns a zero value, so that callers check
// failed once, at the end. Slices of bytes that it returns are valid until
// its next call.
//
// Objects and lists are walked alike:
//
//	for more := s.begin('{', '}'); more; more = s.more('}') {
//		key := s.key()
//		...
//	}
type scanner struct {
	data  []byte
	pos   int
	depth int
	// fault is the first one found, at byte faultAt; torn says that it is
	// the end of the input.
	fault   string
	faultAt int
	torn    bool
	// wide has integers of more than 64 bits read as the texts of their
	// digits, where values are compared and nothing else.
	wide    bool
	scratch []byte          // the last text with escapes
	stack   []history.Value // elements of the lists that are being read
	pool    *pool
}

// reset starts on another input.
func (s *scanner) reset(data []byte) {
	s.data, s.pos, s.depth = data, 0, 0
	s.fault, s.torn = "", false
	s.stack = s.stack[:0]
}

func (s *scanner) failed() bool { return s.fault != "" }

// fail notes a fault at byte at and stops the scanner.
func (s *scanner) fail(at int, format string, args ...any) {
	if s.fault == "" {
		s.fault, s.faultAt = fmt.Sprintf(format, args...), at
	}
	s.pos = len(s.data)
}

// unexpected notes that the next byte is not what is wanted.
func (s *scanner) unexpected(wanted string) {
	if s.fault != "" {
		return
	}
	if s.pos >= len(s.data) {
		s.fail(s.pos, "unexpected end, %s expected", wanted)
		s.torn = true
		return
	}
	r, _ := utf8.DecodeRune(s.data[s.pos:])
	s.fail(s.pos, "unexpected %q, %s expected", r, wanted)
}

// peek skips white space and returns the next byte, 0 at the end.
func (s *scanner) peek() byte {
	if s.pos < len(s.data) && s.data[s.pos] > ' ' {
		return s.data[s.pos]
	}
	return s.skipSpace()
}

func (s *scanner) skipSpace() byte {
	for s.pos < len(s.data) {
		switch c := s.data[s.pos]; c {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return c
		}
	}
	return 0
}

// end reports whether nothing but white space is left, and fails otherwise.
func (s *scanner) end() bool {
	if s.peek(); s.pos < len(s.data) {
		s.unexpected("the end of the line")
	}
	return !s.failed()
}

// begin enters an object or a list and reports whether it has an element.
func (s *scanner) begin(open, closing byte) bool {
	if s.peek() != open {
		if open == '{' {
			s.unexpected("an object")
		} else {
			s.unexpected("a list")
		}
		return false
	}
	if s.depth++; s.depth > MaxDepth {
		s.fail(s.pos, "nested more than %d deep", MaxDepth)
		return false
	}
	s.pos++
	if s.peek() == closing {
		s.pos++
		s.depth--
		return false
	}
	return true
}

// more reports whether another element follows, and leaves the object or
// list if none does.
func (s *scanner) more(closing byte) bool {
	switch s.peek() {
	case ',':
		s.pos++
		return true
	case closing:
		s.pos++
		s.depth--
		return false
	}
	s.unexpected("',' or '" + string(closing) + "'")
	return false
}

// key returns the next key of an object.
func (s *scanner) key() []byte {
	if s.peek() != '"' {
		s.unexpected("a key in quotes")
		return nil
	}
	text := s.text()
	if s.peek() != ':' {
		s.unexpected("':'")
		return nil
	}
	s.pos++
	return text
}

// specials marks, by its highest bit, the first byte of word that does not
// stand for itself in a text: quote, backslash, control character or part of
// a longer character. Bytes after that one may be marked without reason.
func specials(word uint64) uint64 {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	quote, backslash := word^(ones*'"'), word^(ones*'\\')
	return ((quote-ones)&^quote | (backslash-ones)&^backslash | (word-ones*' ')&^word | word) & highs
}

// text returns the text in quotes that starts at pos.
func (s *scanner) text() []byte {
	if s.pos >= len(s.data) || s.data[s.pos] != '"' {
		s.unexpected("a text in quotes")
		return nil
	}
	data, start := s.data, s.pos+1
	i := start
	for i+8 <= len(data) {
		if special := specials(binary.LittleEndian.Uint64(data[i:])); special != 0 {
			i += bits.TrailingZeros64(special) / 8
			break
		}
		i += 8
	}
	for i < len(data) {
		c := data[i]
		switch {
		case c == '"':
			s.pos = i + 1
			return data[start:i]
		case c == '\\':
			return s.escaped(start, i)
		case c < ' ':
			s.fail(i, "control character %q in a text; it has to be escaped", c)
			return nil
		case c < utf8.RuneSelf:
			i++
		default:
			r, size := utf8.DecodeRune(data[i:])
			if r == utf8.RuneError && size == 1 {
				s.badRune(i)
				return nil
			}
			i += size
		}
	}
	s.pos = len(data)
	s.unexpected("'\"'")
	return nil
}

// badRune notes that what is at byte i is no UTF-8, or only the beginning of
// a character that the input ends in.
func (s *scanner) badRune(i int) {
	s.fail(i, "invalid UTF-8")
	s.torn = !utf8.FullRune(s.data[i:])
}

// literal expects word at pos.
func (s *scanner) literal(word string) bool {
	if len(s.data)-s.pos >= len(word) && string(s.data[s.pos:s.pos+len(word)]) == word {
		s.pos += len(word)
		return true
	}
	for i := 0; i < len(word) && s.pos < len(s.data) && s.data[s.pos] == word[i]; i++ {
		s.pos++
	}
	s.unexpected(word)
	return false
}

// clip shortens what is quoted in a message.
func clip(b []byte) string {
	const most = 40
	if len(b) <= most {
		return string(b)
	}
	return string(b[:most]) + "..."
}
