package native

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec/decode"
	"github.com/leadline/leadline/history/codec/scan"
)

// nativeVersion is the version of the native format that this package reads
// and writes.
const nativeVersion = 1

// Name is the name of the format.
const Name = "native"

// Format is leadline's own format.
var Format = decode.Format{
	Name:        Name,
	Description: "leadline's own, JSON Lines: a header per history, then an event per line",
	Sniff:       decode.SniffKeys("leadline"),
	Open: func(s *decode.Stream) decode.Reader {
		return &reader{stream: s, lines: s.Lines(), scan: scan.Scanner{Pool: s.Pool}}
	},
}

// A reader reads one stream of the native format.
type reader struct {
	stream  *decode.Stream
	lines   *decode.LineReader
	scan    scan.Scanner
	line    nativeLine
	ordered bool               // the header of the open history says what orders the events
	clash   decode.ClashFinder // of lines with stamps, unless ordered
	lost    bool               // lines belong to no history, which has been reported
	cut     string             // the fault of a last line that was cut
}

// Next implements decode.Reader.
func (d *reader) Next() (line int, err error) {
	text, whole, err := d.lines.Next()
	if err != nil {
		return d.lines.Line, d.end(err)
	}
	return d.lines.Line, d.take(text, whole)
}

// take parses a line and applies it. whole is false for a last line that has no newline.
func (d *reader) take(text []byte, whole bool) error {
	if len(text) == 0 || text[0] != '{' {
		if text = bytes.TrimLeft(text, " \t\r"); len(text) == 0 || text[0] == '#' {
			return nil
		}
	}
	d.line.read(&d.scan, text)
	switch {
	case !d.scan.Failed():
		return d.handle()
	case whole:
		d.unreadable()
	case d.lines.Err == io.EOF:
		d.cut = d.scan.Fault
	}
	return nil
}

// end ends the stream. What comes before a cut is a prefix of the open history.
func (d *reader) end(err error) error {
	isCut := d.cut != "" || errors.Is(err, io.ErrUnexpectedEOF)
	if h := d.stream.History(); h != nil && isCut {
		h.SetCut(d.lines.Line)
		d.stream.Deliver()
	}
	if d.cut != "" && err == io.EOF {
		return decode.Faultf("the file is cut within this line (%s); what is open here in file order is checked as a prefix", d.cut)
	}
	return err
}

// unreadable records a line that is not JSON. The open history may lack an event.
func (d *reader) unreadable() {
	if h := d.stream.History(); h != nil {
		h.Errorf(d.lines.Line, "byte %d: %s", d.scan.FaultAt+1, d.scan.Fault)
		return
	}
	d.astray("%s", d.scan.Fault)
}

// astray reports a line that belongs to no history, unless the one before did not
// either.
func (d *reader) astray(format string, args ...any) {
	if !d.lost {
		d.lost = true
		d.stream.FileFault(d.lines.Line, fmt.Sprintf(format, args...))
	}
}

// handle applies the line that was read last.
func (d *reader) handle() error {
	l := &d.line
	switch {
	case l.seen&fieldLeadline != 0:
		l.restrict(headerFields, "a header")
		return d.header()
	case l.seen&fieldEnd != 0:
		l.restrict(endFields, "an end")
		d.endHistory()
		return nil
	case l.seen&fieldType != 0:
		l.restrict(eventFields, "an event")
	case l.seen&fieldEdge != 0:
		l.restrict(edgeFields, "an edge")
	case l.seen&fieldMark != 0:
		l.restrict(markFields, "a mark")
	default:
		l.fault(`neither a header ("leadline") nor an event ("type"), an "edge", a "mark" or an "end"`)
	}
	h := d.target()
	if h == nil || h.Failed() {
		return nil
	}
	if l.problem == "" {
		l.addTo(h.Builder, d.lines.Line)
		if l.seen&fieldAt != 0 && !d.ordered {
			d.clash.Add(l.event.Type, l.event.At, d.lines.Line)
		}
	}
	if l.problem != "" {
		h.Errorf(d.lines.Line, "%s", l.problem)
	}
	return nil
}

// target returns the history to which the line belongs. If there is none, it reports
// a fault and returns nil.
func (d *reader) target() *decode.History {
	l, h := &d.line, d.stream.History()
	isNamed := l.history.Kind() != history.None // not absent, nor of a wrong type
	switch {
	case h != nil && (!isNamed || h.Header().ID == l.history.Text()):
		return h
	case isNamed:
		d.astray("no history %q is open here", scan.Clip([]byte(l.history.Text())))
	case d.stream.Begun() == 0:
		d.astray(`no header before this line; a history begins with {"leadline":1}`)
	default:
		d.astray(`no history is open here; the next one begins with {"leadline":1}`)
	}
	return nil
}

// header begins a history. It returns an error if the rest of the file cannot be read.
func (d *reader) header() error {
	l := &d.line
	if l.version > nativeVersion {
		d.stream.Deliver()
		return decode.Faultf("version %d of leadline's format is newer than this program, which reads version %d", l.version, nativeVersion)
	}
	b := d.stream.Begin(history.Header{
		ID: l.history.Text(), Line: d.lines.Line, Model: l.model, ModelArgs: l.event.Args, Tie: l.tie, Order: l.order, Durability: l.durability,
	})
	if l.version < nativeVersion && l.problem == "" {
		l.fault("there is no version %d of leadline's format", l.version)
	}
	d.lost, d.ordered, d.clash = false, l.seen&fieldOrder != 0, decode.ClashFinder{}
	b.Finish = func() {
		if c := d.clash.Clash; d.clash.Found {
			b.Errorf(max(c.Response, c.Invocation), `%s; write "order":"stamp" or "order":"file" into the header`, c.Message(`"at"`))
		}
	}
	if l.torn || l.guessed {
		b.Warn("the file that this history was converted from may have been cut: a violation may be due to what is missing")
	}
	if l.problem != "" {
		b.Errorf(d.lines.Line, "%s", l.problem)
	}
	return nil
}

// endHistory ends the history that the line names.
func (d *reader) endHistory() {
	l, h := &d.line, d.stream.History()
	switch {
	case h != nil && h.Header().ID == l.end:
		if l.problem != "" {
			h.Errorf(d.lines.Line, "%s", l.problem)
		}
		d.stream.Deliver()
	case l.problem == "":
		d.astray("no history %q is open here", scan.Clip([]byte(l.end)))
	default:
		d.astray("%s", l.problem)
	}
}
