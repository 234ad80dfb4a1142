package codec

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/leadline/leadline/history"
)

// MaxDepth is how deeply lists and objects may be nested in an input.
const MaxDepth = 1000

// A scanner reads JSON (RFC 8259) from a byte slice that holds all of it. It is stricter than encoding/json: strings
// must be valid UTF-8, escaped surrogates must come in pairs, and integers must fit
// 64 bits.
//
// After a fault every method returns a zero value, so that callers check
// failed once, at the end. Slices of bytes that it returns are valid until
// its next call.
//
// Objects and lists are read in the same way:
//
//	for more := s.begin('{', '}'); more; more = s.more('}') {
//		key := s.key()
//		...
//	}
type scanner struct {
	data  []byte
	pos   int
	depth int
	// fault is the first fault, at byte faultAt. It is torn if it is the end of
	// the input.
	fault   string
	faultAt int
	torn    bool
	// wide makes the scanner read integers of more than 64 bits as strings of
	// their digits, which specifications that order values refuse.
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

// fail records a fault at byte at and stops the scanner.
func (s *scanner) fail(at int, format string, args ...any) {
	if s.fault == "" {
		s.fault, s.faultAt = fmt.Sprintf(format, args...), at
	}
	s.pos = len(s.data)
}

// unexpected records that the next byte is not what was expected.
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

// peek skips white space and returns the next byte, 0 at the end. It is called for each
// token and just small enough to be inlined, as go build -gcflags=-m shows.
func (s *scanner) peek() (c byte) {
	if s.pos < len(s.data) {
		c = s.data[s.pos]
	}
	if c <= ' ' {
		return s.skipSpace()
	}
	return c
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
	if s.pos < len(s.data) {
		if s.peek(); s.pos < len(s.data) {
			s.unexpected("the end of the line")
		}
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

// specials marks, by its highest bit, the first byte of word that is special in a
// string: a quote, a backslash, a control character or a byte that is not ASCII. Later
// bytes may be marked even if they are not special.
func specials(word uint64) uint64 {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	quote, backslash := word^(ones*'"'), word^(ones*'\\')
	return ((quote-ones)&^quote | (backslash-ones)&^backslash | (word-ones*' ')&^word | word) & highs
}

// text returns the string in quotes that starts at pos.
func (s *scanner) text() []byte {
	if s.pos >= len(s.data) || s.data[s.pos] != '"' {
		s.unexpected("a string in quotes")
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
			s.fail(i, "control character %q in a string; it must be escaped", c)
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

// badRune records that there is no valid UTF-8 at byte i. The fault is torn if the
// input ends inside of a character.
func (s *scanner) badRune(i int) {
	s.fail(i, "invalid UTF-8")
	s.torn = !utf8.FullRune(s.data[i:])
}

// literal reads word, and fails if something else is at pos.
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

// clip shortens b for a message.
func clip(b []byte) string {
	const most = 40
	if len(b) <= most {
		return string(b)
	}
	return string(b[:most]) + "..."
}

// escaped returns the string whose first escape is at byte i and whose content
// begins at byte start.
func (s *scanner) escaped(start, i int) []byte {
	s.scratch = append(s.scratch[:0], s.data[start:i]...)
	for i < len(s.data) {
		c := s.data[i]
		switch {
		case c == '"':
			s.pos = i + 1
			return s.scratch
		case c == '\\':
			if i = s.escape(i); i < 0 {
				return nil
			}
		case c < ' ':
			s.fail(i, "control character %q in a string; it must be escaped", c)
			return nil
		default:
			r, size := utf8.DecodeRune(s.data[i:])
			if r == utf8.RuneError && size == 1 {
				s.badRune(i)
				return nil
			}
			s.scratch = append(s.scratch, s.data[i:i+size]...)
			i += size
		}
	}
	s.pos = len(s.data)
	s.unexpected("'\"'")
	return nil
}

// escape appends what the escape at byte i means, and returns where it
// ends, -1 after a fault.
func (s *scanner) escape(i int) int {
	if i+1 >= len(s.data) {
		s.pos = len(s.data)
		s.unexpected("an escape")
		return -1
	}
	c := s.data[i+1]
	switch c {
	case '"', '\\', '/':
	case 'b':
		c = '\b'
	case 'f':
		c = '\f'
	case 'n':
		c = '\n'
	case 'r':
		c = '\r'
	case 't':
		c = '\t'
	case 'u':
		return s.escapedRune(i)
	default:
		s.fail(i, "unknown escape \\%c", c)
		return -1
	}
	s.scratch = append(s.scratch, c)
	return i + 2
}

// escapedRune is escape for \uXXXX and for pairs of them.
func (s *scanner) escapedRune(i int) int {
	r, ok := s.hex4(i)
	if !ok {
		return -1
	}
	end := i + 6
	if utf16.IsSurrogate(r) {
		low := rune(0)
		if end+1 < len(s.data) && s.data[end] == '\\' && s.data[end+1] == 'u' {
			if low, ok = s.hex4(end); !ok {
				return -1
			}
			end += 6
		}
		if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
			s.fail(i, "unpaired surrogate %s", s.data[i:i+6])
			return -1
		}
	}
	s.scratch = utf8.AppendRune(s.scratch, r)
	return end
}

// hex4 returns the four hexadecimal digits after the \u at byte i.
func (s *scanner) hex4(i int) (rune, bool) {
	r := rune(0)
	for k := i + 2; k < i+6; k++ {
		if k >= len(s.data) {
			s.pos = k
			s.unexpected("a hexadecimal digit")
			return 0, false
		}
		switch c := s.data[k]; {
		case '0' <= c && c <= '9':
			r = r<<4 | rune(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			s.pos = k
			s.unexpected("a hexadecimal digit")
			return 0, false
		}
	}
	return r, true
}

// number returns the number at pos: an Int if it has neither fraction nor
// exponent, else a Float.
func (s *scanner) number() history.Value {
	data, start := s.data, s.pos
	i := start
	if i < len(data) && data[i] == '-' {
		i++
	}
	first, n := i, uint64(0)
	for i < len(data) && data[i]-'0' < 10 {
		n = n*10 + uint64(data[i]-'0')
		i++
	}
	if i < len(data) && (data[i] == '.' || data[i]|0x20 == 'e') || i == first || data[first] == '0' && i > first+1 {
		return s.float(start, first, i)
	}
	s.pos = i
	negative := uint64(first - start) // 1 if there is a sign
	if i-first > 19 || n > math.MaxInt64+negative {
		if s.wide {
			return history.StringValue(string(data[start:i]))
		}
		s.fail(start, "integer %s does not fit 64 bits", clip(data[start:i]))
		return history.Value{}
	}
	if negative == 1 {
		n = -n
	}
	return history.IntValue(int64(n))
}

// float finishes a number whose integer digits are data[first:i].
func (s *scanner) float(start, first, i int) history.Value {
	digits := func() bool {
		from := i
		for i < len(s.data) && s.data[i]-'0' < 10 {
			i++
		}
		s.pos = i
		if i == from {
			s.unexpected("a digit")
		}
		return i > from
	}
	switch {
	case i == first:
		digits()
		return history.Value{}
	case s.data[first] == '0' && i > first+1:
		s.fail(first, "a number must not begin with 0")
		return history.Value{}
	}
	if s.data[i] == '.' {
		if i++; !digits() {
			return history.Value{}
		}
	}
	if i < len(s.data) && s.data[i]|0x20 == 'e' {
		if i++; i < len(s.data) && (s.data[i] == '+' || s.data[i] == '-') {
			i++
		}
		if !digits() {
			return history.Value{}
		}
	}
	s.pos = i
	f, ok := history.ParseFloat(string(s.data[start:i]))
	if !ok {
		s.fail(start, "number %s does not fit a 64-bit float", clip(s.data[start:i]))
		return history.Value{}
	}
	return history.FloatValue(f)
}
