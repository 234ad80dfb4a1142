package codec

import (
	"bytes"
	"fmt"
	"io"
	"iter"

	"github.com/leadline/leadline/history"
)

// nativeVersion is the version of the native format that this package reads
// and writes.
const nativeVersion = 1

const nativeName = "native"

// decodeNative reads leadline's own format; see the package documentation for its
// grammar.
func decodeNative(r io.Reader, file string, lim Limits) iter.Seq2[*history.History, error] {
	return func(yield func(*history.History, error) bool) {
		d := newNative(r, file, lim, yield)
		d.run()
		d.scan.pool.release(&d.lines.window)
	}
}

func newNative(r io.Reader, file string, lim Limits, yield func(*history.History, error) bool) *native {
	lim = lim.fill()
	d := &native{
		out:   output{file: file, yield: yield},
		lines: newLineReader(r, lim.Line),
	}
	d.scan.pool = borrow(&d.lines.window)
	d.budget = budget{lim: &lim, pool: d.scan.pool, size: sizeOf(r)}
	return d
}

// A native decodes one stream of the native format.
type native struct {
	out     output
	lines   *lineReader
	scan    scanner
	line    nativeLine
	budget  budget  // of the current history
	current *stream // the history that is open, or nil
	lost    bool    // lines belong to no history, which has been reported
	over    bool    // stop reading
	cut     string  // the fault of a last line that was cut
}

// A stream is a history that is being read.
type stream struct {
	b       *history.Builder
	line    int         // of the header
	ordinal int         // among the histories of the file, from 1
	ordered bool        // the header says what orders the events
	clash   clashFinder // of lines with stamps, unless ordered
}

// run reads line by line until the stream or the caller ends.
func (d *native) run() {
	for d.step() {
	}
}

// step reads a line. It reports false when the stream or the caller has ended.
func (d *native) step() bool {
	text, whole, err := d.lines.next()
	if err != nil {
		d.finish(err)
		return false
	}
	d.take(text, whole)
	return !d.over && !d.out.stopped
}

// take parses a line and applies it. whole is false for a last line that has no newline.
func (d *native) take(text []byte, whole bool) {
	if len(text) == 0 || text[0] != '{' {
		if text = bytes.TrimLeft(text, " \t\r"); len(text) == 0 || text[0] == '#' {
			return
		}
	}
	d.line.read(&d.scan, text)
	switch {
	case !d.scan.failed():
		d.handle(len(text))
	case whole:
		d.unreadable()
	case d.lines.err == io.EOF:
		d.cut = d.scan.fault
	}
}

// finish delivers the open history at the end of the stream, also if that was cut
// short. After any other error it may lack events and is not delivered.
func (d *native) finish(err error) {
	if isEnd(err) && d.current != nil {
		if d.cut != "" || err != io.EOF {
			d.current.b.SetCut(d.lines.line)
		}
		d.close()
	}
	switch {
	case err != io.EOF:
		d.out.broken(d.lines.line, err)
	case d.cut != "":
		d.out.fault(d.lines.line, "the file is cut within this line (%s); what is open here in file order is checked as a prefix", d.cut)
	}
}

// unreadable records a line that is not JSON. The open history may lack an event.
func (d *native) unreadable() {
	if d.current == nil {
		d.astray(d.scan.fault)
		return
	}
	d.current.b.Errorf(d.lines.line, "byte %d: %s", d.scan.faultAt+1, d.scan.fault)
}

// astray reports a line that belongs to no history, unless the one before did not
// either.
func (d *native) astray(message string) {
	if !d.lost {
		d.lost = true
		d.out.fault(d.lines.line, "%s", message)
	}
}

// handle applies the line that was read last; size is its length in bytes.
func (d *native) handle(size int) {
	l := &d.line
	switch {
	case l.seen&fieldLeadline != 0:
		l.restrict(headerFields, "a header")
		if st := d.header(); st != nil {
			d.charge(st, size)
		}
		return
	case l.seen&fieldEnd != 0:
		l.restrict(endFields, "an end")
		d.end()
		return
	case l.seen&fieldType != 0:
		l.restrict(eventFields, "an event")
	case l.seen&fieldEdge != 0:
		l.restrict(edgeFields, "an edge")
	case l.seen&fieldMark != 0:
		l.restrict(markFields, "a mark")
	default:
		l.fault(`neither a header ("leadline") nor an event ("type"), an "edge", a "mark" or an "end"`)
	}
	st := d.target()
	if st == nil || !d.charge(st, size) {
		return
	}
	if st.b.Failed() {
		return
	}
	if l.problem == "" {
		l.addTo(st.b, d.lines.line)
		if l.seen&fieldAt != 0 && !st.ordered {
			st.clash.add(l.event.Type, l.event.At, d.lines.line)
		}
	}
	if l.problem != "" {
		st.b.Errorf(d.lines.line, "%s", l.problem)
	}
}

// charge counts the bytes of a line against the limits.
func (d *native) charge(st *stream, size int) bool {
	err := d.budget.charge(size, st.b, 0)
	if err != nil {
		d.out.broken(d.lines.line, err)
	}
	return err == nil
}

// target returns the history to which the line belongs. If there is none, it reports
// a fault and returns nil.
func (d *native) target() *stream {
	l := &d.line
	isNamed := l.history.Kind() != history.None // not absent, nor of a wrong type
	switch {
	case d.current != nil && (!isNamed || d.current.b.Header().ID == l.history.Text()):
		return d.current
	case isNamed:
		d.astray(fmt.Sprintf("no history %q is open here", clip([]byte(l.history.Text()))))
	case d.out.count == 0:
		d.astray(`no header before this line; a history begins with {"leadline":1}`)
	default:
		d.astray(`no history is open here; the next one begins with {"leadline":1}`)
	}
	return nil
}

// header ends the current history and begins the next one. It returns nil if the rest
// of the file cannot be read.
func (d *native) header() *stream {
	l := &d.line
	d.out.count++
	if d.current != nil {
		d.close()
	}
	if l.version > nativeVersion {
		d.out.fault(d.lines.line, "version %d of leadline's format is newer than this program, which reads version %d", l.version, nativeVersion)
		d.over = true
		return nil
	}
	if l.version < nativeVersion && l.problem == "" {
		l.fault("there is no version %d of leadline's format", l.version)
	}
	d.lost = false
	d.budget.begin()
	st := &stream{line: d.lines.line, ordinal: d.out.count, ordered: l.seen&fieldOrder != 0}
	st.b = history.NewBuilder(history.Header{
		ID: l.history.Text(), File: d.out.file, Line: d.lines.line, Format: nativeName,
		Model: l.model, ModelArgs: l.event.Args, Tie: l.tie, Order: l.order,
	})
	if l.torn || l.guessed {
		st.b.Warn("the file that this history was converted from may have been cut: a violation may be due to what is missing")
	}
	if l.problem != "" {
		st.b.Errorf(d.lines.line, "%s", l.problem)
	}
	d.current = st
	return st
}

// end ends the history that the line names.
func (d *native) end() {
	l, st := &d.line, d.current
	switch {
	case st != nil && st.b.Header().ID == l.end:
		if l.problem != "" {
			st.b.Errorf(d.lines.line, "%s", l.problem)
		}
		d.close()
	case l.problem == "":
		d.astray(fmt.Sprintf("no history %q is open here", clip([]byte(l.end))))
	default:
		d.astray(l.problem)
	}
}

// close delivers the open history.
func (d *native) close() {
	st := d.current
	d.current = nil
	if c := st.clash.clash; st.clash.found {
		st.b.Errorf(max(c.response, c.invocation), `%s; write "order":"stamp" or "order":"file" into the header`, c.message(`"at"`))
	}
	d.out.name(st.b, st.ordinal)
	d.out.build(st.b, st.line)
}
