package jepsen

import (
	"io"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec/decode"
	"github.com/leadline/leadline/history/codec/scan"
)

// The names of the formats.
const (
	EDNName     = "jepsen"
	KVName      = "kv"
	JSONName    = "jepsen-json"
	ConsoleName = "etcd"
)

// EDN has Jepsen's histories in EDN: vectors or lists of operations,
// each a history of its own, or operations one after another, which are one
// history.
var EDN = decode.Format{
	Name:        EDNName,
	Description: "Jepsen's EDN: a vector, list or stream of maps or tuples",
	Sniff:       func(head []byte) decode.Guess { return sniffEDN(head, false) },
	Open:        func(s *decode.Stream) decode.Reader { return openEDN(s, EDNName) },
}

// KV has porcupine's key-value logs, whose operations are those of Jepsen with a :key.
var KV = decode.Format{
	Name:        KVName,
	Single:      true,
	Description: "key-value logs in EDN, a map with :key per line (porcupine's test data)",
	Sniff:       func(head []byte) decode.Guess { return sniffEDN(head, true) },
	Open:        func(s *decode.Stream) decode.Reader { return openEDN(s, KVName) },
}

func openEDN(s *decode.Stream, format string) decode.Reader {
	edn := newEDNReader(s.Window, s.Limits.Line, s.Pool)
	edn.exceeded = s.Exceeded
	return &ednOperations{stream: s, format: format, edn: edn}
}

// ednOperations reads one stream of operations in EDN.
type ednOperations struct {
	stream  *decode.Stream
	edn     *ednReader
	format  string
	closing byte         // the end of the vector or list of operations that is being read, or 0
	words   *wordHistory // the open one, or nil
	ev      wordEvent    // the event that is being read
	keys    []mapKey     // keywords that the last map of another shape begins with
}

// A mapKey is a key of an operation.
type mapKey struct {
	value   history.Value
	matters bool // it is one of operationKeys
}

// Next implements decode.Reader.
func (d *ednOperations) Next() (line int, err error) {
	e := d.edn
	atEnd := d.next()
	switch {
	case e.failed() && e.Err != io.EOF:
		if !e.torn { // otherwise the cut is the cause
			d.stream.Fault(e.faultLine, "%s", e.fault)
		}
		return e.line, e.Err
	case e.failed():
		return e.faultLine, decode.Fault(e.fault)
	case atEnd:
		return e.line, e.Err
	}
	return e.line, nil
}

// next reads an operation, or one end of a vector or list of these. It reports whether the
// stream has ended.
func (d *ednOperations) next() (atEnd bool) {
	e := d.edn
	if d.closing != 0 {
		c, ok := e.more(d.closing)
		d.element(c, ok)
		return false
	}
	c := e.space()
	line := e.line
	if c == '#' && !e.failed() {
		c = d.passTags()
	}
	switch {
	case e.failed():
	case e.ended():
		return true
	case c == '[' || c == '(':
		d.bracket(c, line)
	case c == '{':
		d.begin(line)
		d.operation(c, line)
	default:
		e.unexpected("an operation, or a vector or list of operations,")
	}
	return false
}

// passTags skips tags and returns the byte that follows, which must begin a map, list
// or vector. The '#' of the first tag has been skipped.
func (d *ednOperations) passTags() byte {
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

// bracket reads an operation in the form [process type f value], or the first operation of a
// vector or a list, which is a history.
func (d *ednOperations) bracket(c byte, line int) {
	e := d.edn
	closing := closingOf(c)
	e.next()
	e.depth++
	c, ok := e.more(closing)
	if ok && !opens(c) && c != '#' {
		d.begin(line)
		base := len(e.stack)
		for ; ok; c, ok = e.more(closing) {
			v := e.form(c)
			e.stack = append(e.stack, v)
		}
		d.add(d.fromTuple(e.stack[base:]), line)
		e.stack = e.stack[:base]
		return
	}
	d.words = nil
	d.begin(line)
	d.closing = closing
	d.element(c, ok)
}

// element reads an operation of a vector or a list, which begins with c, or the end of these
// if ok is false.
func (d *ednOperations) element(c byte, ok bool) {
	e := d.edn
	line := e.line
	if ok && c == '#' {
		c = d.passTags()
	}
	switch {
	case e.failed():
	case !ok:
		d.closing, d.words = 0, nil
		d.stream.Complete()
	case opens(c):
		d.operation(c, line)
	default:
		e.unexpected("an operation")
	}
}

// begin begins a history at line, unless one is open.
func (d *ednOperations) begin(line int) {
	if d.words == nil {
		d.words = newWordHistory(d.stream, d.format, line)
		events := d.words.b.Kept
		d.words.b.Kept = func() int64 { return events() + int64(cap(d.edn.stack))*scan.ValueBytes }
	}
}

// operation reads and adds an operation in either form. It begins with c at line.
func (d *ednOperations) operation(c byte, line int) {
	if c == '{' {
		d.add(d.readMap(), line)
		return
	}
	v := d.edn.form(c)
	d.add(d.fromTuple(v.List()), line)
}

// add adds the operation in d.ev, which begins at line, unless it has a fault.
func (d *ednOperations) add(fault string, line int) {
	e := d.edn
	w := d.words
	problem := e.problem
	e.problem = ""
	if e.failed() || w.b.Failed() {
		return
	}
	switch {
	case d.ev.process.Text() == ":nemesis":
		w.b.Idle = true
		return
	case problem != "":
		fault = problem
	}
	if fault == "" && d.format == KVName && d.ev.key.Kind() == history.None {
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
