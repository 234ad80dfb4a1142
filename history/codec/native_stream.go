package codec

import (
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/leadline/leadline/history"
)

// An EventWriter writes one history in leadline's own format, each event as
// it comes, so that a history of any length takes no memory. It does not
// check that the events are those of a history; reading them back does.
type EventWriter struct {
	w     io.Writer
	buf   []byte
	stamp bool
	err   error // the first of any
}

// NewEventWriter returns a writer of a history with the header h. Lines
// reach w in chunks; Flush writes what is left.
func NewEventWriter(w io.Writer, h history.Header) *EventWriter {
	e := &EventWriter{w: w, stamp: h.Order == history.StampOrder}
	e.err = checkKnown(h.ModelArgs, history.NoValue)
	for _, text := range []string{h.ID, h.Model} {
		e.checkText(text)
	}
	if e.err == nil {
		e.buf = appendHeader(make([]byte, 0, chunk+chunk/4), &h)
	}
	return e
}

// Comment writes a line that readers skip.
func (e *EventWriter) Comment(text string) {
	if e.checkText(text); e.err != nil {
		return
	}
	e.buf = append(e.buf, "# "...)
	for i := range len(text) {
		c := text[i]
		if c == '\n' || c == '\r' {
			c = ' '
		}
		e.buf = append(e.buf, c)
	}
	e.buf = append(e.buf, '\n')
}

// Write writes an event and keeps nothing of it. After an error it does
// nothing but return that error.
func (e *EventWriter) Write(ev *history.Event) error {
	e.checkText(ev.Method)
	e.checkText(ev.Process.Text())
	e.checkText(ev.Op.Text())
	if e.err == nil {
		e.err = checkKnown(ev.Args, ev.Result)
	}
	if e.err != nil {
		return e.err
	}
	e.buf = appendEvent(e.buf, ev, e.stamp)
	if len(e.buf) >= chunk {
		return e.Flush()
	}
	return nil
}

// Flush writes what has not reached the underlying writer yet, and returns
// the first error there was.
func (e *EventWriter) Flush() error {
	if e.err == nil {
		_, e.err = e.w.Write(e.buf)
		e.buf = e.buf[:0]
	}
	return e.err
}

func (e *EventWriter) checkText(text string) {
	if e.err == nil && !utf8.ValidString(text) {
		e.err = fmt.Errorf("format %s cannot carry %q, which is not UTF-8", nativeName, text)
	}
}
