package jepsen

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec/decode"
	"github.com/leadline/leadline/history/codec/scan"
)

// text reads a string, whose quote comes next.
func (e *ednReader) text() history.Value {
	e.next()
	e.token = e.token[:0]
	for {
		c := e.peek()
		switch {
		case e.ended():
			e.unexpected("'\"'")
			return history.Value{}
		case c == '"':
			e.next()
			if !utf8.Valid(e.token) {
				e.fail("invalid UTF-8 in a string")
				return history.Value{}
			}
			return e.pool.Text(e.token)
		case c == '\\':
			e.next()
			e.escape()
		case c == '\n':
			e.next()
			e.token = append(e.token, c)
		default:
			n, most := 1, int(min(e.limit+1-int64(len(e.token)), int64(e.End-e.Start)))
			for n < most && !endsText[e.Buf[e.Start+n]] {
				n++
			}
			e.token = append(e.token, e.Buf[e.Start:e.Start+n]...)
			e.pass(n)
		}
		if int64(len(e.token)) > e.limit {
			e.fail("text longer than %s", decode.Size(e.limit))
			return history.Value{}
		}
	}
}

// endsText are the bytes of a string that text handles one by one.
var endsText = [256]bool{'"': true, '\\': true, '\n': true}

// escape appends the meaning of the escape after a backslash to token.
func (e *ednReader) escape() {
	c := e.peek()
	i := strings.IndexByte(`tnrbf"\/`, c)
	switch {
	case e.ended():
		e.unexpected("an escape")
	case i >= 0:
		e.next()
		e.token = append(e.token, "\t\n\r\b\f\"\\/"[i])
	case c == 'u':
		e.next()
		r := e.digits(4, 16)
		if utf16.IsSurrogate(r) {
			low := rune(0)
			if e.peek() == '\\' {
				e.next()
				if e.peek() == 'u' {
					e.next()
					low = e.digits(4, 16)
				}
			}
			if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
				e.fail("unpaired surrogate in a string")
			}
		}
		e.token = utf8.AppendRune(e.token, r)
	case '0' <= c && c <= '7':
		r := rune(0)
		for n := 0; n < 3 && '0' <= e.peek() && e.peek() <= '7'; n++ {
			r = r<<3 | rune(e.peek()-'0')
			e.next()
		}
		e.token = utf8.AppendRune(e.token, r)
	default:
		e.fail("unknown escape \\%c", c)
	}
}

// digits reads n digits of a number.
func (e *ednReader) digits(n, base int) rune {
	var text [4]byte
	for i := range n {
		text[i] = e.peek()
		if e.ended() {
			e.unexpected("a hexadecimal digit")
			return 0
		}
		e.next()
	}
	r, err := strconv.ParseUint(string(text[:n]), base, 32)
	if err != nil {
		e.fail("%q is not a hexadecimal number", text[:n])
	}
	return rune(r)
}

// isDelimiter reports whether c ends a token.
func isDelimiter(c byte) bool { return delimiters[c] }

var delimiters = func() (set [256]bool) {
	for c := range byte(' ' + 1) {
		set[c] = true
	}
	for _, c := range []byte("()[]{}\",;") {
		set[c] = true
	}
	return set
}()

// word appends everything before the next delimiter to token.
func (e *ednReader) word() {
	for c := e.peek(); !e.ended() && !isDelimiter(c); c = e.peek() {
		room := e.limit - int64(len(e.token))
		if room <= 0 {
			e.fail("word longer than %s", decode.Size(e.limit))
			return
		}
		n, most := 1, int(min(room, int64(e.End-e.Start)))
		for n < most && !delimiters[e.Buf[e.Start+n]] {
			n++
		}
		e.token = append(e.token, e.Buf[e.Start:e.Start+n]...)
		e.pass(n)
	}
	if !utf8.Valid(e.token) {
		e.fail("invalid UTF-8")
	}
}

// inWindow skips the next word and returns it, if it is ASCII and the window has all of
// it and its delimiter. Otherwise inWindow returns nil.
func (e *ednReader) inWindow() []byte {
	rest, all := e.Buf[e.Start:e.End], byte(0)
	for n, c := range rest {
		if delimiters[c] {
			if all >= utf8.RuneSelf || int64(n) > e.limit || n == 0 {
				return nil
			}
			e.pass(n)
			return rest[:n]
		}
		all |= c
	}
	return nil
}

var ednCharacters = map[string]string{
	"newline": "\n", "return": "\r", "space": " ", "tab": "\t", "formfeed": "\f", "backspace": "\b",
}

// character reads \c, \newline, \u0041 and \o101.
func (e *ednReader) character() history.Value {
	e.next()
	c := e.peek()
	if e.ended() {
		e.unexpected("a character")
		return history.Value{}
	}
	e.next()
	e.token = append(e.token[:0], c) // which may be a delimiter
	e.word()
	if e.failed() {
		return history.Value{}
	}
	name := string(e.token)
	if utf8.RuneCountInString(name) == 1 {
		return history.StringValue(name)
	}
	if text, ok := ednCharacters[name]; ok {
		return history.StringValue(text)
	}
	base := map[byte]int{'u': 16, 'o': 8}[c]
	if r, err := strconv.ParseUint(name[1:], max(base, 2), 16); base != 0 && err == nil && !utf16.IsSurrogate(rune(r)) {
		return history.StringValue(string(rune(r)))
	}
	e.fail("no character is called \\%s", scan.Clip(e.token))
	return history.Value{}
}

// tag reads the name of a tag.
func (e *ednReader) tag() string {
	e.token = e.token[:0]
	e.word()
	return string(e.token)
}
