package codec

import (
	"unicode/utf16"
	"unicode/utf8"
)

// escaped returns the text whose first escape is at byte i and whose content
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
			s.fail(i, "control character %q in a text; it has to be escaped", c)
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

// escape appends what the escape at byte i stands for, and returns where it
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
