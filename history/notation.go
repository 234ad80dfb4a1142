package history

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// String returns v in a readable notation, which ParseValue parses:
//
//	null, true, false        themselves
//	3, -1                    an Int of 64 bits
//	1.0, -0.0, 1e+21         a Float: it has a point or an exponent
//	NaN, +Inf, -Inf          the other Floats
//	"a string"               as in Go
//	[1, "a", [2]]            a List
//	{0: 1, "k": []}          a Map
//	!java.lang.Error         an Exception
//	!"not a single word"     an Exception too
//	?                        an unknown result
//	none                     None inside a List or a Map; alone, it is ""
//
// Different values print differently.
func (v Value) String() string {
	if v.Kind() == None {
		return ""
	}
	return string(v.appendText(nil))
}

func (v Value) appendText(dst []byte) []byte {
	switch v.Kind() {
	case None:
		return append(dst, "none"...)
	case Null:
		return append(dst, "null"...)
	case Bool:
		return strconv.AppendBool(dst, v.num != 0)
	case Int:
		return strconv.AppendInt(dst, v.num, 10)
	case Float:
		return appendFloat(dst, v.Float())
	case String:
		return strconv.AppendQuote(dst, v.ref.text)
	case Exception:
		if dst = append(dst, '!'); wordLen(v.ref.text) == len(v.ref.text) {
			return append(dst, v.ref.text...)
		}
		return strconv.AppendQuote(dst, v.ref.text)
	case Unknown:
		return append(dst, '?')
	}
	open, closing, isMap := byte('['), byte(']'), v.Kind() == Map
	if isMap {
		open, closing = '{', '}'
	}
	dst = append(dst, open)
	for i, e := range v.ref.list {
		switch {
		case isMap && i%2 == 1:
			dst = append(dst, ": "...)
		case i > 0:
			dst = append(dst, ", "...)
		}
		dst = e.appendText(dst)
	}
	return append(dst, closing)
}

// appendFloat appends f so that it does not read as an integer.
func appendFloat(dst []byte, f float64) []byte {
	start := len(dst)
	dst = strconv.AppendFloat(dst, f, 'g', -1, 64)
	for _, c := range dst[start:] {
		if c == '.' || c == 'e' || c == 'N' || c == 'I' {
			return dst
		}
	}
	return append(dst, ".0"...)
}

// wordLen returns the length of the longest prefix of text without white space,
// control characters and any of ,:=()[]{}"!.
func wordLen(text string) int {
	for i, r := range text {
		if unicode.IsSpace(r) || !unicode.IsPrint(r) || r == utf8.RuneError || strings.ContainsRune(`,:=()[]{}"!`, r) {
			return i
		}
	}
	return len(text)
}

// maxNesting is how deeply lists and maps may be nested for ParseValue.
const maxNesting = 1000

// ParseValue returns the value that text denotes. It is the inverse of
// String: ParseValue(v.String()) equals v. It also accepts white space between
// tokens, '=' for ':' in a map, 1E3 for 1e3, and none for "".
func ParseValue(text string) (Value, error) {
	if strings.TrimSpace(text) == "" {
		return NoValue, nil
	}
	v, rest, err := CutValue(text)
	if err == nil && strings.TrimSpace(rest) != "" {
		return Value{}, fmt.Errorf("unexpected %s after the value %v", excerpt(rest), v)
	}
	return v, err
}

// CutValue parses the value at the beginning of text, and returns the rest of
// text. After an error, the rest begins where the error is.
func CutValue(text string) (v Value, rest string, err error) {
	p := valueParser{text: text}
	v = p.value()
	if p.err != nil {
		return Value{}, p.fault, p.err
	}
	return v, p.text, nil
}

// A valueParser reads one value from the beginning of text.
type valueParser struct {
	text  string // what is left to read
	depth int
	err   error
	fault string // the text from the fault on
}

// fail records an error at the beginning of at, unless there is one already, and
// ends the text.
func (p *valueParser) fail(at, format string, args ...any) Value {
	if p.err == nil {
		p.err, p.fault = fmt.Errorf(format, args...), at
	}
	p.text = ""
	return Value{}
}

// has skips white space, and token if that comes next. It reports whether it did.
func (p *valueParser) has(token string) bool {
	p.text = strings.TrimLeftFunc(p.text, unicode.IsSpace)
	rest, ok := strings.CutPrefix(p.text, token)
	if ok {
		p.text = rest
	}
	return ok
}

func (p *valueParser) value() Value {
	switch {
	case p.has("["):
		return ListValue(p.elements("]")...)
	case p.has("{"):
		at := p.text
		m, ok := MapValue(p.elements("}")...)
		if !ok && p.err == nil {
			return p.fail(at, "a key occurs twice in one map")
		}
		return m
	case p.has("!"):
		if strings.HasPrefix(p.text, `"`) {
			return ExceptionValue(p.quoted())
		}
		name := p.text[:wordLen(p.text)]
		p.text = p.text[len(name):]
		return ExceptionValue(name)
	case p.has("?"):
		return UnknownValue
	case strings.HasPrefix(p.text, `"`):
		return StringValue(p.quoted())
	}
	return p.word()
}

// elements reads the elements up to closing. In a map, keys and values alternate.
func (p *valueParser) elements(closing string) []Value {
	if p.depth++; p.depth > maxNesting {
		p.fail(p.text, "nested more than %d deep", maxNesting)
		return nil
	}
	var list []Value
	for more := !p.has(closing); more && p.err == nil; {
		list = append(list, p.value())
		switch {
		case closing == "}" && len(list)%2 == 1:
			if !p.has(":") && !p.has("=") {
				p.fail(p.text, `unexpected %s after a key, ":" or "=" expected`, excerpt(p.text))
			}
		case p.has(closing):
			more = false
		case !p.has(","):
			p.fail(p.text, `unexpected %s, "," or %q expected`, excerpt(p.text), closing)
		}
	}
	p.depth--
	return list
}

func (p *valueParser) quoted() string {
	literal, err := strconv.QuotedPrefix(p.text)
	if err != nil {
		p.fail(p.text, "the string %s does not end or is not as in Go", excerpt(p.text))
		return ""
	}
	at := p.text
	p.text = p.text[len(literal):]
	s, err := strconv.Unquote(literal)
	if err != nil {
		p.fail(at, "the string %s is not as in Go", excerpt(literal))
	}
	return s
}

// word reads a number or one of the named values.
func (p *valueParser) word() Value {
	word := p.text[:wordLen(p.text)]
	if word == "" {
		return p.fail(p.text, "unexpected %s, a value expected", excerpt(p.text))
	}
	at := p.text
	p.text = p.text[len(word):]
	switch word {
	case "null":
		return NullValue
	case "none":
		return NoValue
	case "true", "false":
		return BoolValue(word == "true")
	case "NaN":
		return FloatValue(math.NaN())
	case "+Inf":
		return FloatValue(math.Inf(1))
	case "-Inf":
		return FloatValue(math.Inf(-1))
	}
	if digits := strings.TrimPrefix(word, "-"); digits == "" || digits[0] < '0' || digits[0] > '9' || strings.Trim(digits, "0123456789.eE+-") != "" {
		return p.fail(at, "%s is not a value; a string needs double quotes", excerpt(word))
	}
	if !strings.ContainsAny(word, ".eE") {
		n, err := strconv.ParseInt(word, 10, 64)
		if err != nil {
			return p.fail(at, "%s is not an integer of 64 bits", excerpt(word))
		}
		return IntValue(n)
	}
	f, ok := ParseFloat(word)
	if !ok {
		return p.fail(at, "%s is not a 64-bit float", excerpt(word))
	}
	return FloatValue(f)
}

// ParseFloat returns the number that text denotes in decimal. It reports
// false for a number that is too large or, without being zero, too small for
// 64 bits.
func ParseFloat(text string) (f float64, ok bool) {
	f, err := strconv.ParseFloat(text, 64)
	if f == 0 {
		mantissa, _, _ := strings.Cut(strings.ToLower(text), "e")
		ok = strings.Trim(mantissa, "+-.0") == ""
	} else {
		ok = f-f == 0
	}
	return f, ok && err == nil
}

// excerpt quotes the beginning of text for a message.
func excerpt(text string) string {
	const most = 40
	switch {
	case text == "":
		return "the end"
	case len(text) > most:
		return strconv.Quote(text[:most]) + "..."
	}
	return strconv.Quote(text)
}
