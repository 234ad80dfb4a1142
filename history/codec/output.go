package codec

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/files"
)

// SyntaxError is a fault of a file at a line; it prints as file:line: message. The
// faults of one history are returned together, as *history.Errors.
type SyntaxError = history.Error

// An output passes what a decoder finds to its caller.
type output struct {
	file    string
	yield   func(*history.History, error) bool
	stopped bool // the caller wants no more
	faults  int  // of the file
	count   int  // histories that have begun
	last    *pending
}

// A pending history is held back, complete or not, until it is known whether another
// one follows, which determines its name.
type pending struct {
	b       *history.Builder
	line    int
	ordinal int // among the histories of the file, from 1
	// finish completes the history before it is built, build replaces
	// output.build. Either may be nil.
	finish func()
	build  func()
}

// begin delivers the pending history, because another one begins.
func (o *output) begin() {
	o.count++
	o.deliver()
}

// hold makes p, which has just begun, the pending history.
func (o *output) hold(p *pending) *pending {
	p.ordinal = o.count
	o.last = p
	return p
}

// deliver delivers the pending history, if there is one.
func (o *output) deliver() {
	p := o.last
	if o.last = nil; p == nil || o.stopped {
		return
	}
	o.name(p.b, p.ordinal)
	if p.finish != nil {
		p.finish()
	}
	if p.build != nil {
		p.build()
		return
	}
	o.build(p.b, p.line)
}

// name names a history without a name by its number, unless it is the only one.
func (o *output) name(b *history.Builder, ordinal int) {
	if o.count > 1 && b.Header().ID == "" {
		b.SetID(strconv.Itoa(ordinal))
	}
}

func (o *output) give(h *history.History, err error) {
	if !o.stopped && !o.yield(h, err) {
		o.stopped = true
	}
}

// fault reports a fault of the file. After history.MaxErrors of them it reports that
// there are too many, and stops.
func (o *output) fault(line int, format string, args ...any) {
	if o.faults++; o.faults > history.MaxErrors {
		o.give(nil, &SyntaxError{File: o.file, Line: line, Msg: "too many errors"})
		o.stopped = true
		return
	}
	o.give(nil, &SyntaxError{File: o.file, Line: line, Msg: fmt.Sprintf(format, args...)})
}

// broken reports what ended the input after line.
func (o *output) broken(line int, err error) {
	msg := err.Error()
	switch {
	case errors.Is(err, files.ErrLimit):
	case errors.Is(err, io.ErrUnexpectedEOF):
		msg = "the file is cut short: " + msg
	default:
		msg = fmt.Sprintf("reading on after this line: %v", err)
	}
	o.give(nil, &SyntaxError{File: o.file, Line: line, Msg: msg, Err: err})
	o.stopped = true
}

// build delivers the history in b, which begins at line, or its faults.
func (o *output) build(b *history.Builder, line int) {
	o.buildChanged(b, line, func(*history.History) {})
}

// buildChanged is build, but changes the history before it is delivered.
func (o *output) buildChanged(b *history.Builder, line int, change func(*history.History)) {
	if b.Events() == 0 && b.Faults() == 0 {
		name := "history"
		if id := b.Header().ID; id != "" {
			name += " " + id
		}
		b.Errorf(line, "%s has no events", name)
	}
	h, err := b.Build()
	if err != nil {
		o.give(nil, err)
		return
	}
	change(h)
	o.give(h, nil)
}
