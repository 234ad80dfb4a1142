package scan

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

// A Scanner reads JSON (RFC 8259) from a byte slice that holds all of it. It is stricter than encoding/json: strings
// must be valid UTF-8, escaped surrogates must come in pairs, and integers must fit
// 64 bits.
//
// After a fault every method returns a zero value, so that callers check
// Failed once, at the end. Slices of bytes that it returns are valid until
// its next call.
//
// Objects and lists are read in the same way:
//
//	for more := s.Begin('{', '}'); more; more = s.More('}') {
//		key := s.Key()
//		...
//	}
type Scanner struct {
	Pool *Pool // of the values that are read
	// Wide makes the Scanner read integers of more than 64 bits as strings of
	// their digits, which specifications that order values refuse.
	Wide bool
	Data []byte
	Pos  int
	// Depth is how many objects and lists the Scanner is in.
	Depth int
	// Fault is the first fault, at byte FaultAt. It is torn if it is the end of
	// the input.
	Fault   string
	FaultAt int
	Torn    bool

	scratch []byte          // the last text with escapes
	stack   []history.Value // elements of the lists that are being read
}

// Reset starts on another input.
func (s *Scanner) Reset(data []byte) {
	s.Data, s.Pos, s.Depth = data, 0, 0
	s.Fault, s.Torn = "", false
	s.stack = s.stack[:0]
}

// Failed reports whether there was a fault.
func (s *Scanner) Failed() bool { return s.Fault != "" }

// Fail records a fault at byte at and stops the Scanner.
func (s *Scanner) Fail(at int, format string, args ...any) {
	if s.Fault == "" {
		s.Fault, s.FaultAt = fmt.Sprintf(format, args...), at
	}
	s.Pos = len(s.Data)
}

// Unexpected records that the next byte is not what was expected.
func (s *Scanner) Unexpected(wanted string) {
	if s.Fault != "" {
		return
	}
	if s.Pos >= len(s.Data) {
		s.Fail(s.Pos, "unexpected end, %s expected", wanted)
		s.Torn = true
		return
	}
	r, _ := utf8.DecodeRune(s.Data[s.Pos:])
	s.Fail(s.Pos, "unexpected %q, %s expected", r, wanted)
}

// Peek skips white space and returns the next byte, 0 at the end. It is called for each
// token and just small enough to be inlined, as go build -gcflags=-m shows.
func (s *Scanner) Peek() (c byte) {
	if s.Pos < len(s.Data) {
		c = s.Data[s.Pos]
	}
	if c <= ' ' {
		return s.skipSpace()
	}
	return c
}

func (s *Scanner) skipSpace() byte {
	for s.Pos < len(s.Data) {
		switch c := s.Data[s.Pos]; c {
		case ' ', '\t', '\n', '\r':
			s.Pos++
		default:
			return c
		}
	}
	return 0
}

// End reports whether nothing but white space is left, and fails otherwise.
func (s *Scanner) End() bool {
	if s.Pos < len(s.Data) {
		if s.Peek(); s.Pos < len(s.Data) {
			s.Unexpected("the end of the line")
		}
	}
	return !s.Failed()
}

// Begin enters an object or a list and reports whether it has an element.
func (s *Scanner) Begin(open, closing byte) bool {
	if s.Peek() != open {
		if open == '{' {
			s.Unexpected("an object")
		} else {
			s.Unexpected("a list")
		}
		return false
	}
	if s.Depth++; s.Depth > MaxDepth {
		s.Fail(s.Pos, "nested more than %d deep", MaxDepth)
		return false
	}
	s.Pos++
	if s.Peek() == closing {
		s.Pos++
		s.Depth--
		return false
	}
	return true
}

// More reports whether another element follows, and leaves the object or
// list if none does.
func (s *Scanner) More(closing byte) bool {
	switch s.Peek() {
	case ',':
		s.Pos++
		return true
	case closing:
		s.Pos++
		s.Depth--
		return false
	}
	s.Unexpected("',' or '" + string(closing) + "'")
	return false
}

// Key returns the next key of an object.
func (s *Scanner) Key() []byte {
	if s.Peek() != '"' {
		s.Unexpected("a key in quotes")
		return nil
	}
	text := s.Text()
	if s.Peek() != ':' {
		s.Unexpected("':'")
		return nil
	}
	s.Pos++
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

// Text returns the string in quotes that starts at pos.
func (s *Scanner) Text() []byte {
	if s.Pos >= len(s.Data) || s.Data[s.Pos] != '"' {
		s.Unexpected("a string in quotes")
		return nil
	}
	data, start := s.Data, s.Pos+1
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
			s.Pos = i + 1
			return data[start:i]
		case c == '\\':
			return s.escaped(start, i)
		case c < ' ':
			s.Fail(i, "control character %q in a string; it must be escaped", c)
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
	s.Pos = len(data)
	s.Unexpected("'\"'")
	return nil
}

// badRune records that there is no valid UTF-8 at byte i. The fault is torn if the
// input ends inside of a character.
func (s *Scanner) badRune(i int) {
	s.Fail(i, "invalid UTF-8")
	s.Torn = !utf8.FullRune(s.Data[i:])
}

// literal reads word, and fails if something else is at pos.
func (s *Scanner) literal(word string) bool {
	if len(s.Data)-s.Pos >= len(word) && string(s.Data[s.Pos:s.Pos+len(word)]) == word {
		s.Pos += len(word)
		return true
	}
	for i := 0; i < len(word) && s.Pos < len(s.Data) && s.Data[s.Pos] == word[i]; i++ {
		s.Pos++
	}
	s.Unexpected(word)
	return false
}

// Clip shortens b for a message.
func Clip(b []byte) string {
	const most = 40
	if len(b) <= most {
		return string(b)
	}
	return string(b[:most]) + "..."
}

// escaped returns the string whose first escape is at byte i and whose content
// begins at byte start.
func (s *Scanner) escaped(start, i int) []byte {
	s.scratch = append(s.scratch[:0], s.Data[start:i]...)
	for i < len(s.Data) {
		c := s.Data[i]
		switch {
		case c == '"':
			s.Pos = i + 1
			return s.scratch
		case c == '\\':
			if i = s.escape(i); i < 0 {
				return nil
			}
		case c < ' ':
			s.Fail(i, "control character %q in a string; it must be escaped", c)
			return nil
		default:
			r, size := utf8.DecodeRune(s.Data[i:])
			if r == utf8.RuneError && size == 1 {
				s.badRune(i)
				return nil
			}
			s.scratch = append(s.scratch, s.Data[i:i+size]...)
			i += size
		}
	}
	s.Pos = len(s.Data)
	s.Unexpected("'\"'")
	return nil
}

// escape appends what the escape at byte i means, and returns where it
// ends, -1 after a fault.
func (s *Scanner) escape(i int) int {
	if i+1 >= len(s.Data) {
		s.Pos = len(s.Data)
		s.Unexpected("an escape")
		return -1
	}
	c := s.Data[i+1]
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
		s.Fail(i, "unknown escape \\%c", c)
		return -1
	}
	s.scratch = append(s.scratch, c)
	return i + 2
}

// escapedRune is escape for \uXXXX and for pairs of them.
func (s *Scanner) escapedRune(i int) int {
	r, ok := s.hex4(i)
	if !ok {
		return -1
	}
	end := i + 6
	if utf16.IsSurrogate(r) {
		low := rune(0)
		if end+1 < len(s.Data) && s.Data[end] == '\\' && s.Data[end+1] == 'u' {
			if low, ok = s.hex4(end); !ok {
				return -1
			}
			end += 6
		}
		if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
			s.Fail(i, "unpaired surrogate %s", s.Data[i:i+6])
			return -1
		}
	}
	s.scratch = utf8.AppendRune(s.scratch, r)
	return end
}

// hex4 returns the four hexadecimal digits after the \u at byte i.
func (s *Scanner) hex4(i int) (rune, bool) {
	r := rune(0)
	for k := i + 2; k < i+6; k++ {
		if k >= len(s.Data) {
			s.Pos = k
			s.Unexpected("a hexadecimal digit")
			return 0, false
		}
		switch c := s.Data[k]; {
		case '0' <= c && c <= '9':
			r = r<<4 | rune(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			s.Pos = k
			s.Unexpected("a hexadecimal digit")
			return 0, false
		}
	}
	return r, true
}

// Number returns the number at pos: an Int if it has neither fraction nor
// exponent, else a Float.
func (s *Scanner) Number() history.Value {
	data, start := s.Data, s.Pos
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
	s.Pos = i
	negative := uint64(first - start) // 1 if there is a sign
	if i-first > 19 || n > math.MaxInt64+negative {
		if s.Wide {
			return history.StringValue(string(data[start:i]))
		}
		s.Fail(start, "integer %s does not fit 64 bits", Clip(data[start:i]))
		return history.Value{}
	}
	if negative == 1 {
		n = -n
	}
	return history.IntValue(int64(n))
}

// float finishes a number whose integer digits are data[first:i].
func (s *Scanner) float(start, first, i int) history.Value {
	digits := func() bool {
		from := i
		for i < len(s.Data) && s.Data[i]-'0' < 10 {
			i++
		}
		s.Pos = i
		if i == from {
			s.Unexpected("a digit")
		}
		return i > from
	}
	switch {
	case i == first:
		digits()
		return history.Value{}
	case s.Data[first] == '0' && i > first+1:
		s.Fail(first, "a number must not begin with 0")
		return history.Value{}
	}
	if s.Data[i] == '.' {
		if i++; !digits() {
			return history.Value{}
		}
	}
	if i < len(s.Data) && s.Data[i]|0x20 == 'e' {
		if i++; i < len(s.Data) && (s.Data[i] == '+' || s.Data[i] == '-') {
			i++
		}
		if !digits() {
			return history.Value{}
		}
	}
	s.Pos = i
	f, ok := history.ParseFloat(string(s.Data[start:i]))
	if !ok {
		s.Fail(start, "number %s does not fit a 64-bit float", Clip(s.Data[start:i]))
		return history.Value{}
	}
	return history.FloatValue(f)
}
