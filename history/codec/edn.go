package codec

import (
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/leadline/leadline/history"
)

// An ednReader reads EDN (github.com/edn-format/edn) from a stream, one form
// at a time, and holds no more of it than one token. Nesting is bounded by
// MaxDepth, so that its recursion is too; a discard and a tag count as levels.
//
// Like scanner it stops at its first fault, after which every method returns
// a zero value, so that callers check failed once. What is wrong with a form
// that can be read all the same (an integer of more than 64 bits, a key that
// occurs twice) is left in problem: where the form does not matter, neither
// does that.
//
// Keywords are texts that begin with a colon, :x is ":x"; a character is a
// text of that character; a set is the list of its elements, sorted; a ratio
// is a text, "1/3", unless it is an integer; tags say nothing.
type ednReader struct {
	window
	line      int // of the next byte, from 1
	column    int // of the next byte, in bytes, from 1
	passed    int64
	limit     int64 // on the length of a token
	depth     int
	fault     string // the first one, at faultLine
	faultLine int
	torn      bool // the fault is the end of the stream
	problem   string
	token     []byte
	stack     []history.Value // elements of the collections that are being read
	pool      *pool
}

func newEDNReader(r io.Reader, limit int64) *ednReader {
	return &ednReader{window: window{r: r}, line: 1, column: 1, limit: limit, pool: new(pool)}
}

// reset starts on another stream.
func (e *ednReader) reset(r io.Reader, limit int64) {
	*e = ednReader{window: window{r: r, buf: e.buf}, line: 1, column: 1, limit: limit, pool: e.pool, token: e.token, stack: e.stack[:0]}
}

func (e *ednReader) failed() bool { return e.fault != "" }

// fail notes a fault at the next byte and ends the input.
func (e *ednReader) fail(format string, args ...any) {
	if e.fault == "" {
		e.fault = fmt.Sprintf("column %d: ", e.column) + fmt.Sprintf(format, args...)
		e.faultLine = e.line
	}
	e.start, e.end = 0, 0
	if e.err == nil {
		e.err = io.EOF
	}
}

// unexpected notes that the next byte is not what is wanted.
func (e *ednReader) unexpected(wanted string) {
	if e.failed() {
		return
	}
	c := e.peek()
	if e.ended() {
		e.torn = true
		e.fail("unexpected end, %s expected", wanted)
		return
	}
	e.fail("unexpected %q, %s expected", c, wanted)
}

func (e *ednReader) wrong(format string, args ...any) {
	if e.problem == "" {
		e.problem = fmt.Sprintf(format, args...)
	}
}

// peek returns the next byte, 0 at the end.
func (e *ednReader) peek() byte {
	for e.start == e.end {
		if e.err != nil {
			return 0
		}
		e.fill(0)
	}
	return e.buf[e.start]
}

// ended reports whether peek has come to the end.
func (e *ednReader) ended() bool { return e.start == e.end && e.err != nil }

// next passes over the next byte, which peek has shown.
func (e *ednReader) next() {
	if e.start == e.end {
		return // after a fault
	}
	if e.buf[e.start] == '\n' {
		e.line++
		e.column = 0
	}
	e.start++
	e.column++
	e.passed++
}

// space passes over white space, commas, comments and discarded forms, and
// returns the byte that follows, 0 at the end. If that is '#', it has been
// passed over too, and what follows it is not '_'.
func (e *ednReader) space() byte {
	for {
		switch c := e.peek(); c {
		case ' ', '\t', '\n', '\r', '\f', '\v', ',':
			e.next()
		case ';':
			for c := e.peek(); c != '\n' && !e.ended(); c = e.peek() {
				e.next()
			}
		case '#':
			e.next()
			if e.peek() != '_' {
				return '#'
			}
			e.next()
			e.discard()
		default:
			return c
		}
		if e.ended() {
			return 0
		}
	}
}

func (e *ednReader) discard() {
	if e.enter() {
		problem := e.problem
		e.value()
		e.problem = problem
		e.depth--
	}
}

// enter begins another level of nesting.
func (e *ednReader) enter() bool {
	if e.depth == MaxDepth {
		e.fail("nested more than %d deep", MaxDepth)
		return false
	}
	e.depth++
	return true
}

// value reads the next form.
func (e *ednReader) value() history.Value { return e.form(e.space()) }

// form reads the form that begins with c, as space returned it.
func (e *ednReader) form(c byte) history.Value {
	switch c {
	case '[':
		return e.listOf(']')
	case '(':
		return e.listOf(')')
	case '{':
		return e.mapOf("")
	case '"':
		return e.text()
	case '\\':
		return e.character()
	case '#':
		return e.dispatch()
	case 0, ']', ')', '}', '^', '`', '~', '@', '\'':
		e.unexpected("a value")
		return history.Value{}
	}
	return e.atom()
}

// more reports whether another element follows in the collection that ends
// with closing, and otherwise leaves it. c begins the element.
func (e *ednReader) more(closing byte) (c byte, ok bool) {
	c = e.space()
	switch {
	case e.failed():
		return 0, false
	case c == closing && c != 0:
		e.next()
		e.depth--
		return 0, false
	case e.ended() && c != '#', c == ']', c == ')', c == '}':
		e.unexpected("'" + string(closing) + "'")
		return 0, false
	}
	return c, true
}

// elements reads what stands between here and closing onto the stack, and
// returns how high that was before. The opening bracket comes next.
func (e *ednReader) elements(closing byte) int {
	base := len(e.stack)
	if !e.enter() {
		return base
	}
	e.next()
	for c, ok := e.more(closing); ok; c, ok = e.more(closing) {
		v := e.form(c)
		e.stack = append(e.stack, v)
	}
	return base
}

// take removes the elements above base and returns the list of them.
func (e *ednReader) take(base int) history.Value {
	v := e.pool.newList(e.stack[base:])
	e.stack = e.stack[:base]
	return v
}

func (e *ednReader) listOf(closing byte) history.Value {
	return e.take(e.elements(closing))
}

// mapOf reads a map; with a namespace, as in #:op{:f :read}, its plain
// keywords are in that.
func (e *ednReader) mapOf(namespace string) history.Value {
	return e.mapFrom(e.elements('}'), namespace)
}

// mapFrom makes a map of the keys and values on the stack above base.
func (e *ednReader) mapFrom(base int, namespace string) history.Value {
	pairs := e.stack[base:]
	e.stack = e.stack[:base]
	if e.failed() {
		return history.Value{}
	}
	if len(pairs)%2 != 0 {
		e.fail("a map has a key without a value")
		return history.Value{}
	}
	if namespace != "" {
		for i := 0; i < len(pairs); i += 2 {
			pairs[i] = qualified(namespace, pairs[i])
		}
	}
	m, ok := e.pool.newMap(pairs)
	if !ok {
		e.wrong("a key occurs twice in one map")
		return history.NullValue
	}
	return m
}

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
				e.fail("invalid UTF-8 in a text")
				return history.Value{}
			}
			return e.pool.text(e.token)
		case c == '\\':
			e.next()
			e.escape()
		default:
			e.next()
			e.token = append(e.token, c)
		}
		if int64(len(e.token)) > e.limit {
			e.fail("text longer than %s", size(e.limit))
			return history.Value{}
		}
	}
}
