package jepsen

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec/decode"
	"github.com/leadline/leadline/history/codec/scan"
)

// An ednReader reads EDN (github.com/edn-format/edn) from a stream, one form
// at a time, and holds no more of it than one token. scan.MaxDepth bounds nesting and thus
// recursion; discards and tags count as levels.
//
// Like a scanner, it stops at its first fault, after which every method returns
// a zero value, so that callers check failed once. A fault after which reading can go
// on (a number out of range, a key that occurs twice) is left in problem, which
// callers ignore if they ignore the form.
//
// Keywords are strings that begin with a colon, :x is ":x"; a character is a
// string of that character; a set is the list of its elements, sorted; a ratio
// is a string, "1/3", unless it is an integer; tags are ignored.
type ednReader struct {
	*decode.Window
	line      int   // of the next byte, from 1
	column    int   // of the next byte, in bytes, from 1
	limit     int64 // on the length of a token
	depth     int
	fault     string // the first one, at faultLine
	faultLine int
	torn      bool // the fault is that the stream ended
	problem   string
	token     []byte
	stack     []history.Value // elements of the collections that are being read
	pool      *scan.Pool
	exceeded  func() error // asked as input is read; may be nil
}

func newEDNReader(w *decode.Window, limit int64, pool *scan.Pool) *ednReader {
	return &ednReader{Window: w, line: 1, column: 1, limit: limit, pool: pool}
}

// ednReaderOf returns a reader of a text.
func ednReaderOf(text []byte, pool *scan.Pool) *ednReader {
	e := newEDNReader(new(decode.Window), 0, pool)
	e.reset(text)
	return e
}

// reset starts on a text.
func (e *ednReader) reset(text []byte) {
	*e.Window = decode.Window{Buf: text, End: len(text), Err: io.EOF}
	*e = ednReader{Window: e.Window, line: 1, column: 1, limit: int64(len(text)), pool: e.pool, token: e.token, stack: e.stack[:0]}
}

func (e *ednReader) failed() bool { return e.fault != "" }

// fail records a fault at the next byte and ends the input.
func (e *ednReader) fail(format string, args ...any) {
	if e.fault == "" {
		e.fault = fmt.Sprintf("column %d: ", e.column) + fmt.Sprintf(format, args...)
		e.faultLine = e.line
	}
	e.Start, e.End = 0, 0
	if e.Err == nil {
		e.Err = io.EOF
	}
}

// unexpected records that the next byte is not what was expected.
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
	for e.Start == e.End {
		if e.Err != nil {
			return 0
		}
		e.Fill(0)
		if e.exceeded == nil {
			continue
		}
		if err := e.exceeded(); err != nil {
			e.Start, e.End, e.Err = 0, 0, err
		}
	}
	return e.Buf[e.Start]
}

// ended reports whether peek has reached the end.
func (e *ednReader) ended() bool { return e.Start == e.End && e.Err != nil }

// next skips the next byte, which peek has returned.
func (e *ednReader) next() {
	if e.Start == e.End {
		return // after a fault
	}
	if e.Buf[e.Start] == '\n' {
		e.line++
		e.column = 0
	}
	e.Start++
	e.column++
}

// pass skips n bytes of the window, which must not include a newline.
func (e *ednReader) pass(n int) {
	e.Start += n
	e.column += n
}

// space skips white space, commas, comments and discarded forms, and returns the byte
// that follows, 0 at the end. If that is '#', space skips it too, and it is not
// followed by '_'.
func (e *ednReader) space() byte {
	for {
		blanks := 0
		for blanks < e.End-e.Start && (e.Buf[e.Start+blanks] == ' ' || e.Buf[e.Start+blanks] == ',') {
			blanks++
		}
		e.pass(blanks)
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
	if e.depth == scan.MaxDepth {
		e.fail("nested more than %d deep", scan.MaxDepth)
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

// more reports whether another element, which begins with c, follows in the collection
// that ends with closing. If none does, it leaves the collection.
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

// elements pushes the forms up to closing onto the stack, and returns the height of
// the stack before. The next byte is the opening bracket.
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
	v := e.pool.NewList(e.stack[base:])
	e.stack = e.stack[:base]
	return v
}

func (e *ednReader) listOf(closing byte) history.Value {
	return e.take(e.elements(closing))
}

// mapOf reads a map. If it has a namespace, as in #:op{:f :read}, its unqualified
// keywords belong to that.
func (e *ednReader) mapOf(namespace string) history.Value {
	return e.mapFrom(e.elements('}'), namespace)
}

// mapFrom makes a map of the keys and values on the stack above base.
func (e *ednReader) mapFrom(base int, namespace string) history.Value {
	pairs := e.stack[base:]
	e.stack = e.stack[:base]
	if !e.even(pairs) {
		return history.Value{}
	}
	if namespace != "" {
		for i := 0; i < len(pairs); i += 2 {
			pairs[i] = qualified(namespace, pairs[i])
		}
	}
	m, ok := e.pool.NewMap(pairs)
	if !ok {
		e.wrong("a key occurs twice in one map")
		return history.NullValue
	}
	return m
}

// even reports whether the map that ends here has a value for each key.
func (e *ednReader) even(pairs []history.Value) bool {
	if len(pairs)%2 != 0 && !e.failed() {
		e.fail("a map has a key without a value")
	}
	return !e.failed()
}

// dispatch reads a form that begins with '#', which has been skipped.
func (e *ednReader) dispatch() history.Value {
	switch c := e.peek(); {
	case c == '{':
		return e.set()
	case c == '#':
		e.next()
		e.token = e.token[:0]
		e.word()
		switch string(e.token) {
		case "Inf":
			return history.FloatValue(math.Inf(1))
		case "-Inf":
			return history.FloatValue(math.Inf(-1))
		case "NaN":
			return history.FloatValue(math.NaN())
		}
		e.fail("##%s is neither ##Inf, ##-Inf nor ##NaN", scan.Clip(e.token))
		return history.Value{}
	case isDelimiter(c) || e.ended():
		e.unexpected("a tag")
		return history.Value{}
	}
	tag := e.tag()
	if !e.enter() {
		return history.Value{}
	}
	defer func() { e.depth-- }()
	if namespace, ok := strings.CutPrefix(tag, ":"); ok {
		if namespace == "" || e.space() != '{' {
			e.unexpected("a map after its namespace")
			return history.Value{}
		}
		return e.mapOf(namespace)
	}
	return e.value()
}

// set reads a set as the sorted list of its elements.
func (e *ednReader) set() history.Value {
	base := e.elements('}')
	vs := e.stack[base:]
	slices.SortFunc(vs, history.Value.Compare)
	if n := len(vs); len(slices.CompactFunc(vs, history.Value.Equal)) < n {
		e.wrong("an element occurs twice in one set")
	}
	return e.take(base)
}

// qualified adds the namespace to a keyword without one. It removes the namespace _.
func qualified(namespace string, key history.Value) history.Value {
	name, ok := strings.CutPrefix(key.Text(), ":")
	switch {
	case !ok:
		return key
	case strings.HasPrefix(name, "_/"):
		return history.StringValue(":" + name[2:])
	case strings.Contains(name, "/"):
		return key
	}
	return history.StringValue(":" + namespace + "/" + name)
}

// atom reads a number, a keyword, or one of nil, true and false. A symbol is a
// problem, since values cannot be symbols.
func (e *ednReader) atom() history.Value {
	t := e.inWindow()
	if t == nil {
		e.token = e.token[:0]
		e.word()
		t = e.token
	}
	if len(t) == 0 {
		e.unexpected("a value")
	}
	if e.failed() {
		return history.Value{}
	}
	if t[0] <= '9' && len(t) <= 18 {
		if n, ok := scan.PlainInt(t); ok {
			return history.IntValue(n)
		}
	}
	digit := func(i int) bool { return i < len(t) && '0' <= t[i] && t[i] <= '9' }
	switch {
	case digit(0) || (t[0] == '-' || t[0] == '+') && digit(1):
		return e.number(string(t))
	case string(t) == "nil":
		return history.NullValue
	case string(t) == "true" || string(t) == "false":
		return history.BoolValue(t[0] == 't')
	case t[0] == ':':
		if len(t) == 1 || t[len(t)-1] == ':' || t[1] == ':' {
			e.fail("%q is not a keyword", scan.Clip(t))
		}
		return e.pool.Text(t)
	}
	e.wrong("%q is a symbol, which is not a value", scan.Clip(t))
	return history.NullValue
}
