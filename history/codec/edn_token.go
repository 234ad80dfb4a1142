package codec

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/leadline/leadline/history"
)

// escape appends to token what the escape after a backslash stands for.
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
				e.fail("unpaired surrogate in a text")
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
		e.fail("%q is no hexadecimal number", text[:n])
	}
	return rune(r)
}

// isDelimiter reports whether c ends a token.
func isDelimiter(c byte) bool {
	return c <= ' ' || strings.IndexByte("()[]{}\",;", c) >= 0
}

// word appends to token what comes before the next delimiter.
func (e *ednReader) word() {
	for c := e.peek(); !e.ended() && !isDelimiter(c); c = e.peek() {
		if int64(len(e.token)) >= e.limit {
			e.fail("word longer than %s", size(e.limit))
			return
		}
		e.next()
		e.token = append(e.token, c)
	}
	if !utf8.Valid(e.token) {
		e.fail("invalid UTF-8")
	}
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
	e.fail("no character is called \\%s", clip(e.token))
	return history.Value{}
}

// dispatch reads what begins with a '#', which has been passed over.
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
		e.fail("##%s is neither ##Inf, ##-Inf nor ##NaN", clip(e.token))
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

// tag reads the name of a tag.
func (e *ednReader) tag() string {
	e.token = e.token[:0]
	e.word()
	return string(e.token)
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

// qualified puts a keyword without a namespace into one; those of the
// namespace _ lose it.
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

// atom reads a number, a keyword, or one of nil, true and false. A symbol is
// a problem: no value that is compared can be one.
func (e *ednReader) atom() history.Value {
	e.token = e.token[:0]
	e.word()
	t := e.token
	if len(t) == 0 {
		e.unexpected("a value")
	}
	if e.failed() {
		return history.Value{}
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
			e.fail("%q is no keyword", clip(t))
		}
		return e.pool.text(t)
	}
	e.wrong("%q is a symbol, which is no value", clip(t))
	return history.NullValue
}
