package codec

import (
	"errors"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
)

const (
	jepsenName = "jepsen"
	kvName     = "kv"
)

// isJepsen reports whether a format has the events of a Jepsen test.
func isJepsen(format string) bool { return format == jepsenName || format == etcdName }

// decodeJepsen reads Jepsen's histories: EDN vectors or lists of operations,
// each a history of its own, or operations one after another, which are one
// history. See the package documentation.
func decodeJepsen(r io.Reader, file string, lim Limits) iter.Seq2[*history.History, error] {
	return decodeEDN(r, file, lim, jepsenName)
}

// decodeKV reads porcupine's key-value logs, whose operations are those of
// Jepsen with a :key.
func decodeKV(r io.Reader, file string, lim Limits) iter.Seq2[*history.History, error] {
	return decodeEDN(r, file, lim, kvName)
}

func decodeEDN(r io.Reader, file string, lim Limits, format string) iter.Seq2[*history.History, error] {
	return func(yield func(*history.History, error) bool) {
		lim := lim.fill()
		d := &jepsen{out: output{file: file, yield: yield}, format: format, lim: &lim}
		d.edn = newEDNReader(r, lim.Line)
		d.edn.pool = borrow(&d.edn.window)
		d.run()
		d.edn.pool.release(&d.edn.window)
	}
}

// A jepsen decodes one stream of operations in EDN.
type jepsen struct {
	out    output
	edn    *ednReader
	format string
	lim    *Limits
	from   int64 // byte at which the current history begins
	made   int64 // edn.pool.made when it began
	// current is the history that is being read. When it is complete it is
	// still pending.
	current *wordHistory
	ev      wordEvent // the event that is being read
	keys    []mapKey  // keywords that the last map of another shape begins with
}

// A mapKey is a key of an operation.
type mapKey struct {
	value   history.Value
	matters bool // it is one of operationKeys
}

func (d *jepsen) run() {
	e := d.edn
	for !d.out.stopped && !e.failed() {
		c := e.space()
		line := e.line
		if c == '#' && !e.failed() {
			if c = d.passTags(); e.failed() {
				break
			}
		}
		switch {
		case e.ended():
			d.finish()
			return
		case c == '[' || c == '(':
			d.bracket(c, line)
		case c == '{':
			d.inCurrent(line)
			d.operation(c, line)
		default:
			e.unexpected("an operation, or a vector or list of operations,")
		}
	}
	d.finish()
}

// passTags skips tags and returns the byte that follows, which must begin a map, list
// or vector. The '#' of the first tag has been skipped.
func (d *jepsen) passTags() byte {
	e := d.edn
	for tagged := true; tagged; {
		if c := e.peek(); isDelimiter(c) || c == '#' || c == ':' || e.ended() {
			break
		}
		e.tag()
		c := e.space()
		if tagged = c == '#'; !tagged && !e.ended() {
			return c
		}
	}
	e.unexpected("an operation, or a vector or list of operations,")
	return 0
}

// bracket reads a vector or a list: either of operations, or an operation in the form
// [process type f value].
func (d *jepsen) bracket(c byte, line int) {
	e := d.edn
	closing := closingOf(c)
	e.next()
	e.depth++
	c, ok := e.more(closing)
	if ok && !opens(c) && c != '#' {
		d.inCurrent(line)
		base := len(e.stack)
		for ; ok; c, ok = e.more(closing) {
			v := e.form(c)
			e.stack = append(e.stack, v)
		}
		d.add(d.fromTuple(e.stack[base:]), line)
		e.stack = e.stack[:base]
		return
	}
	d.current = nil
	d.inCurrent(line)
	for ; ok && !d.out.stopped; c, ok = e.more(closing) {
		line = e.line
		if c == '#' {
			if c = d.passTags(); e.failed() {
				break
			}
		}
		if !opens(c) {
			e.unexpected("an operation")
			break
		}
		d.operation(c, line)
	}
	if !e.failed() {
		d.current = nil
	}
}

// inCurrent begins a history at line, unless one has begun.
func (d *jepsen) inCurrent(line int) {
	if d.current != nil {
		return
	}
	d.out.begin()
	d.from, d.made = d.edn.passed, d.edn.pool.made
	w := newWordHistory(d.out.file, d.format, line)
	d.current = w
	d.out.hold(&pending{b: w.b, line: line, finish: w.finish, build: func() { d.build(w) }})
}

// build delivers a history. It may be empty if only the nemesis ran.
func (d *jepsen) build(w *wordHistory) {
	if w.idle && w.b.Events() == 0 && w.b.Faults() == 0 {
		h, err := w.b.Build()
		d.out.give(h, err)
		return
	}
	d.out.build(w.b, w.line)
}

// finish delivers the last history at the end of the stream. A fault, or a cut, may hide
// events and is one of the history. After an error of the stream nothing is delivered.
func (d *jepsen) finish() {
	e := d.edn
	err := e.err
	inside := d.current != nil
	switch {
	case inside && e.failed():
		d.current.b.Errorf(e.faultLine, "%s", e.fault)
	case inside && errors.Is(err, io.ErrUnexpectedEOF):
		d.current.b.Errorf(e.line, "%s", cutShort)
	}
	d.current = nil
	if err == nil || isEnd(err) {
		d.out.deliver()
	}
	switch {
	case d.out.stopped:
	case err != nil && err != io.EOF:
		d.out.broken(e.line, err)
	case e.failed() && !inside:
		d.out.fault(e.faultLine, "%s", e.fault)
	}
}

// operation reads and adds an operation in either form. It begins with c at line.
func (d *jepsen) operation(c byte, line int) {
	if c == '{' {
		d.add(d.readMap(), line)
		return
	}
	v := d.edn.form(c)
	d.add(d.fromTuple(v.List()), line)
}

// add adds the operation in d.ev, which begins at line, unless it has a fault.
func (d *jepsen) add(fault string, line int) {
	e := d.edn
	w := d.current
	problem := e.problem
	e.problem = ""
	if e.failed() || d.out.stopped {
		return
	}
	if err := d.lim.exceeded(e.passed-d.from, w.bytes()+e.pool.made-d.made); err != nil {
		d.out.broken(line, err)
		return
	}
	if w.b.Failed() {
		return
	}
	switch {
	case d.ev.process.Text() == ":nemesis":
		w.idle = true
		return
	case problem != "":
		fault = problem
	}
	if fault == "" && d.format == kvName && d.ev.key.Kind() == history.None {
		fault = "an operation of a key-value log needs :key"
	}
	if fault != "" {
		w.b.Errorf(line, "%s", fault)
		return
	}
	if d.ev.key.Kind() != history.None && !d.ev.paired {
		w.keyed = true
	}
	d.ev.line = line
	w.events.add(&d.ev)
}

// readMap reads the map of an operation into d.ev, without making a Value of it.
// It ignores faults in the values of ignored keys.
func (d *jepsen) readMap() (fault string) {
	e := d.edn
	d.ev = wordEvent{value: history.NullValue}
	base, isKnown := len(e.stack), true
	var key mapKey
	if !e.enter() {
		return ""
	}
	e.next()
	for c, ok := e.more('}'); ok; c, ok = e.more('}') {
		n := len(e.stack) - base
		if n%2 == 0 {
			if key, ok = d.knownKey(c, n/2); !ok {
				key, isKnown = d.newKey(c, n/2), false
			}
			e.stack = append(e.stack, key.value)
			continue
		}
		problem := e.problem
		var v history.Value
		if c == '[' && d.format == jepsenName && key.value.Text() == ":value" {
			v = d.pair()
		} else {
			v = e.form(c)
		}
		if !key.matters {
			e.problem = problem
		}
		e.stack = append(e.stack, v)
	}
	pairs := e.stack[base:]
	e.stack = e.stack[:base]
	if !e.even(pairs) {
		return ""
	}
	if !isKnown && hasKeyTwice(pairs) {
		d.keys = d.keys[:0]
		e.wrong("a key occurs twice in one map")
		return ""
	}
	return d.fromMap(pairs)
}

// knownKey reads the n-th key of a map, which begins with c, if it is the same as in the last
// map of another shape.
func (d *jepsen) knownKey(c byte, n int) (key mapKey, ok bool) {
	if c != ':' || n >= len(d.keys) {
		return key, false
	}
	e := d.edn
	key = d.keys[n]
	text, rest := key.value.Text(), e.buf[e.start:e.end]
	if len(rest) <= len(text) || string(rest[:len(text)]) != text || !isDelimiter(rest[len(text)]) {
		return key, false
	}
	e.pass(len(text))
	return key, true
}

// newKey reads the n-th key of a map, which begins with c, and notes it.
func (d *jepsen) newKey(c byte, n int) mapKey {
	v := d.edn.form(c)
	key := mapKey{v, slices.Contains(operationKeys, v.Text())}
	if n <= len(d.keys) {
		if d.keys = d.keys[:n]; c == ':' && !d.edn.failed() {
			d.keys = append(d.keys, key)
		}
	}
	return key
}

// pair reads a vector that is the value of an operation. If it has two elements, as in
// independent tests, pair makes no list of them. It sets d.ev.key to the first, and
// returns the second.
func (d *jepsen) pair() history.Value {
	e := d.edn
	base := e.elements(']')
	if len(e.stack) != base+2 || e.failed() {
		return e.take(base)
	}
	value := e.stack[base+1]
	d.ev.key, d.ev.paired = e.stack[base], true
	e.stack = e.stack[:base]
	return value
}

// hasKeyTwice reports whether a key of a map occurs twice. It may change the
// order of pairs.
func hasKeyTwice(pairs []history.Value) bool {
	if len(pairs) > 32 {
		_, ok := history.MapValue(pairs...)
		return !ok
	}
	for i := 2; i < len(pairs); i += 2 {
		for k := 0; k < i; k += 2 {
			if pairs[i].Equal(pairs[k]) {
				return true
			}
		}
	}
	return false
}

var operationKeys = []string{":process", ":type", ":f", ":value", ":key"}

// fromMap reads {:process 1, :type :invoke, :f :read, :value nil}. Other keys
// are ignored, except :key: a key-value log has it, others must not.
func (d *jepsen) fromMap(pairs []history.Value) (fault string) {
	ev := &d.ev
	typ, f, keyed := history.NoValue, history.NoValue, false
	for i := 0; i < len(pairs); i += 2 {
		v := pairs[i+1]
		switch pairs[i].Text() {
		case ":process":
			ev.process = v
		case ":type":
			typ = v
		case ":f":
			f = v
		case ":value":
			ev.value = v
		case ":index":
			ev.index = v
		case ":time":
			ev.time = v
		case ":key":
			if keyed = true; d.format == kvName {
				ev.key = v
			}
		}
	}
	if keyed && d.format != kvName {
		return "an operation with :key in a history without keys; in format kv all operations have one"
	}
	return setWords(ev, typ, f)
}

// fromTuple reads [process type f value].
func (d *jepsen) fromTuple(v []history.Value) (fault string) {
	ev := &d.ev
	*ev = wordEvent{value: history.NullValue}
	if len(v) < 3 || len(v) > 4 {
		return "an operation is a map or a tuple [process type f value]"
	}
	ev.process = v[0]
	if len(v) == 4 {
		ev.value = v[3]
	}
	return setWords(ev, v[1], v[2])
}

// setWords sets the type and the word of an event from its keywords.
func setWords(ev *wordEvent, typ, f history.Value) (fault string) {
	switch {
	case ev.process.Kind() == history.None:
		return "an operation without :process"
	case f.Kind() != history.String:
		return "an operation without a keyword for :f"
	}
	ev.f = strings.TrimPrefix(f.Text(), ":")
	var ok bool
	if ev.typ, ok = jepsenType(strings.TrimPrefix(typ.Text(), ":")); !ok {
		return ":type is :invoke, :ok, :fail or :info, not " + typ.String()
	}
	return ""
}

// jepsenType returns the event type for a word of Jepsen.
func jepsenType(word string) (history.EventType, bool) {
	switch word {
	case "invoke":
		return history.Invoke, true
	case "ok":
		return history.OK, true
	case "fail":
		return history.Fail, true
	case "info":
		return history.Info, true
	}
	return 0, false
}
