package stress

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress/values"
)

// String returns a program in the notation of Violat. The initial and the final
// part are in square brackets; the order of sequences counts them from 0:
//
//	[ put(0,1) ] { get(0); get(1) } || { clear() } || { size() } order 0<2, 1<2 [ size() ]
//
// Parse reads it.
func (p *Program) String() string {
	dst := make([]byte, 0, 128)
	if len(p.Initial) > 0 {
		dst = append(appendPart(dst, "[ ", p.Initial, " ]"), ' ')
	}
	for i, s := range p.Sequences {
		if i > 0 {
			dst = append(dst, " || "...)
		}
		dst = appendPart(dst, "{ ", s, " }")
	}
	for i, o := range p.Order {
		if i == 0 {
			dst = append(dst, " order "...)
		} else {
			dst = append(dst, ", "...)
		}
		dst = strconv.AppendInt(dst, int64(o[0]), 10)
		dst = append(dst, '<')
		dst = strconv.AppendInt(dst, int64(o[1]), 10)
	}
	if len(p.Final) > 0 {
		dst = appendPart(append(dst, ' '), "[ ", p.Final, " ]")
	}
	return string(dst)
}

func appendPart(dst []byte, open string, part []Invocation, end string) []byte {
	dst = append(dst, open...)
	for i, inv := range part {
		if i > 0 {
			dst = append(dst, "; "...)
		}
		dst = inv.appendText(dst)
	}
	return append(dst, end...)
}

// String returns an invocation: put(0,1), addAll([0,1]), putAll({0=1}).
func (inv Invocation) String() string { return string(inv.appendText(nil)) }

func (inv Invocation) appendText(dst []byte) []byte {
	dst = append(append(dst, inv.Method.Name...), '(')
	first := true
	for i, a := range inv.Args {
		if v, ok := inv.Method.Params[i].Default(); ok && v.Equal(a) {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		if n, ok := earlierCall(inv.Method.Params[i], a); ok {
			dst = strconv.AppendInt(append(dst, '$'), int64(n)+1, 10)
		} else {
			dst = inv.Method.Params[i].Append(dst, a)
		}
	}
	return append(dst, ')')
}

func methodNames(c *Class) string {
	var names []string
	for _, m := range c.Methods {
		names = append(names, m.Name)
	}
	return strings.Join(names, ", ")
}

// arity returns what a method takes: "put takes 2 arguments (int, int)".
func arity(m *Method) string {
	var params []string
	for _, p := range m.Params {
		params = append(params, p.String())
	}
	switch len(params) {
	case 0:
		return m.Name + " takes no arguments"
	case 1:
		return fmt.Sprintf("%s takes 1 argument (%s)", m.Name, params[0])
	}
	return fmt.Sprintf("%s takes %d arguments (%s)", m.Name, len(params), strings.Join(params, ", "))
}

// A SyntaxError says why a text is not a program.
type SyntaxError struct {
	Column int // in characters, from 1
	Msg    string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("column %d: %s", e.Column, e.Msg) }

// Parse reads a program of invocations of the methods of a class. This is the
// grammar, with white space allowed everywhere between its symbols:
//
//	program    = [ part ] sequence { "||" sequence } [ "order" pair { "," pair } ] [ part ]
//	part       = "[" invocation { ";" invocation } "]"
//	sequence   = "{" invocation { ";" invocation } "}"
//	pair       = number "<" number
//	invocation = name "(" [ argument { "," argument } ] ")"
//
// Arguments are values as history.ParseValue reads them: integers, strings, true
// and false, lists [0,1] and maps {0=1,1=0}, as the method's parameters require. Functions,
// times and others are words; see package values. In a search for failures, $n is the result of the
// n-th call of the program. null can take the place of a list, a map or a function. A name has no white space and none
// of ;,()[]{}|<=" in it. An error is a *SyntaxError.
func Parse(text string, c *Class) (*Program, error) {
	r := &programReader{text: text, class: c}
	p, err := r.program()
	if err != nil {
		return nil, fmt.Errorf("program: %w", err)
	}
	return p, nil
}

// A programReader reads the text of a program from pos on.
type programReader struct {
	text  string
	pos   int
	class *Class
}

func (r *programReader) errorAt(pos int, format string, args ...any) error {
	return &SyntaxError{utf8.RuneCountInString(r.text[:pos]) + 1, fmt.Sprintf(format, args...)}
}

// skip skips white space.
func (r *programReader) skip() {
	for r.pos < len(r.text) && strings.IndexByte(" \t\r\n", r.text[r.pos]) >= 0 {
		r.pos++
	}
}

// has reports whether a symbol is next, and skips it.
func (r *programReader) has(symbol string) bool {
	r.skip()
	if !strings.HasPrefix(r.text[r.pos:], symbol) {
		return false
	}
	r.pos += len(symbol)
	return true
}

// word skips what can be a name or a number, and returns it.
func (r *programReader) word() string {
	r.skip()
	rest := r.text[r.pos:]
	n := strings.IndexAny(rest, " \t\r\n;,()[]{}|\"<=")
	if n < 0 {
		n = len(rest)
	}
	r.pos += n
	return rest[:n]
}

// want returns a syntax error that names what as the expected symbol.
func (r *programReader) want(what string) error {
	r.skip()
	at := r.pos
	found := r.word()
	if literal, err := strconv.QuotedPrefix(r.text[at:]); err == nil {
		found = literal
	} else if found == "" {
		_, n := utf8.DecodeRuneInString(r.text[at:])
		found = r.text[at : at+n]
	}
	return r.found(at, found, what)
}

// found returns the error for finding found, which begins at pos, where what is expected.
func (r *programReader) found(pos int, found, what string) error {
	if pos == len(r.text) {
		return r.errorAt(pos, "the text ends, want %s", what)
	}
	if len(found) > 40 {
		found = found[:40] + "..."
	}
	return r.errorAt(pos, "found %s, want %s", quote(found), what)
}

// quote quotes s, with backquotes if it has double quotes.
func quote(s string) string {
	if strings.Contains(s, `"`) && strconv.CanBackquote(s) {
		return "`" + s + "`"
	}
	return strconv.Quote(s)
}

func (r *programReader) program() (*Program, error) {
	p := &Program{}
	var err error
	if r.has("[") {
		if p.Initial, err = r.invocations("]"); err != nil {
			return nil, err
		}
	}
	for {
		if !r.has("{") {
			return nil, r.want(`a sequence, such as "{ get(0) }"`)
		}
		s, err := r.invocations("}")
		if err != nil {
			return nil, err
		}
		p.Sequences = append(p.Sequences, s)
		if !r.has("||") {
			break
		}
	}
	ordered := r.has("order")
	if ordered {
		if p.Order, err = r.order(len(p.Sequences)); err != nil {
			return nil, err
		}
	}
	if r.has("[") {
		if p.Final, err = r.invocations("]"); err != nil {
			return nil, err
		}
	}
	if r.skip(); r.pos < len(r.text) {
		return nil, r.want(afterProgram(p, ordered))
	}
	return p, p.checkEarlier(r.class)
}

// afterProgram returns what can follow a program that could end here.
func afterProgram(p *Program, ordered bool) string {
	switch {
	case p.Final != nil:
		return "the end"
	case ordered:
		return `",", "[" or the end`
	}
	return `"||", "order", "[" or the end`
}

// invocations reads invocations and end.
func (r *programReader) invocations(end string) ([]Invocation, error) {
	var list []Invocation
	for {
		inv, err := r.invocation()
		if err != nil {
			return nil, err
		}
		list = append(list, inv)
		switch {
		case r.has(";"):
		case r.has(end):
			return list, nil
		default:
			return nil, r.want(fmt.Sprintf("\";\" or %q", end))
		}
	}
}

func (r *programReader) invocation() (Invocation, error) {
	r.skip()
	at := r.pos
	name := r.word()
	if name == "" {
		return Invocation{}, r.want("an invocation, such as get(0)")
	}
	m := r.class.Method(name)
	if m == nil {
		return Invocation{}, r.errorAt(at, "unknown method %q; %s has %s", name, r.class.Name, methodNames(r.class))
	}
	if !r.has("(") {
		return Invocation{}, r.want(fmt.Sprintf("\"(\" after %s", name))
	}
	inv := Invocation{Method: m}
	first := true // no argument was read
	for i, param := range m.Params {
		if v, ok := param.Default(); ok && !r.hasArgument(param, first) {
			inv.Args = append(inv.Args, v)
			continue
		}
		r.skip()
		if strings.HasPrefix(r.text[r.pos:], ")") {
			return Invocation{}, r.errorAt(r.pos, "%d given, but %s", i, arity(m))
		}
		if !first && !r.has(",") {
			return Invocation{}, r.want(`","`)
		}
		first = false
		a, err := r.argument(param)
		if err != nil {
			return Invocation{}, fmt.Errorf("%w (argument %d of %s)", err, i+1, name)
		}
		inv.Args = append(inv.Args, a)
	}
	if r.has(")") {
		return inv, nil
	}
	if r.pos == len(r.text) {
		return Invocation{}, r.want(`")"`)
	}
	return Invocation{}, r.want(`")", since ` + arity(m))
}

// order reads the pairs after the word order.
func (r *programReader) order(sequences int) ([][2]int, error) {
	at := r.pos
	var order [][2]int
	for more := true; more; more = r.has(",") {
		var pair [2]int
		for i := range pair {
			if i == 1 && !r.has("<") {
				return nil, r.want(`"<"`)
			}
			n, err := r.sequence(sequences)
			if err != nil {
				return nil, err
			}
			pair[i] = n
		}
		order = append(order, pair)
	}
	slices.SortFunc(order, func(a, b [2]int) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	order = slices.Compact(order)
	if i := cyclic(order, sequences); i >= 0 {
		return nil, r.errorAt(at, "the order has a cycle that sequence %d is on or comes after", i)
	}
	return order, nil
}

func (r *programReader) sequence(sequences int) (int, error) {
	r.skip()
	at := r.pos
	word := r.word()
	n, err := strconv.Atoi(word)
	if err != nil {
		r.pos = at
		return 0, r.want("the number of a sequence")
	}
	if n < 0 || n >= sequences {
		return 0, r.errorAt(at, "no sequence %s; they are 0 to %d", word, sequences-1)
	}
	return n, nil
}

// cyclic returns a sequence that cannot begin because it is on a cycle or after
// one, or -1.
func cyclic(order [][2]int, sequences int) int {
	waits := make([]int, sequences)
	after := make([][]int, sequences)
	for _, o := range order {
		waits[o[1]]++
		after[o[0]] = append(after[o[0]], o[1])
	}
	var ready []int
	for i, n := range waits {
		if n == 0 {
			ready = append(ready, i)
		}
	}
	for len(ready) > 0 {
		i := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		for _, next := range after[i] {
			if waits[next]--; waits[next] == 0 {
				ready = append(ready, next)
			}
		}
	}
	return slices.IndexFunc(waits, func(n int) bool { return n > 0 })
}

// hasArgument reports whether an argument is next that may be missing.
func (r *programReader) hasArgument(p Param, first bool) bool {
	before := r.pos
	defer func() { r.pos = before }()
	if !first && !r.has(",") {
		return false
	}
	_, err := r.argument(p)
	return err == nil
}

// argument reads an argument for a parameter.
func (r *programReader) argument(p Param) (history.Value, error) {
	r.skip()
	if strings.HasPrefix(r.text[r.pos:], "$") && takesEarlier(p) {
		return history.StringValue(r.word()), nil
	}
	v, rest, err := p.Cut(r.text[r.pos:])
	end := len(r.text) - len(rest)
	switch {
	case errors.Is(err, values.ErrOther):
		r.pos = end
		return v, r.want(p.Want())
	case err != nil && rest != "":
		return v, r.errorAt(end, "%v", err)
	case err != nil:
		return v, r.found(end, "", p.Want())
	case !p.Takes(v):
		return v, r.found(r.pos, r.text[r.pos:end], p.Want())
	}
	r.pos = end
	return v, nil
}
