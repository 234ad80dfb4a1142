package codec

import (
	"errors"
	"fmt"
	"io"

	"github.com/leadline/leadline/history"
)

// SyntaxError is a fault of a file, at a line; it prints as
// file:line: message. Those that belong to one history come together, as
// *history.Errors.
type SyntaxError = history.Error

// An output hands what a decoder finds to its caller.
type output struct {
	file    string
	yield   func(*history.History, error) bool
	stopped bool // the caller wants no more
	faults  int  // of the file
	found   bool // a history, good or bad
}

func (o *output) give(h *history.History, err error) {
	if !o.stopped && !o.yield(h, err) {
		o.stopped = true
	}
}

// fault reports a fault of the file. After history.MaxErrors of them it says
// so and stops.
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
	case errors.Is(err, ErrLimit):
	case errors.Is(err, io.ErrUnexpectedEOF):
		msg = "the file is cut short: " + msg
	default:
		msg = fmt.Sprintf("reading on after this line: %v", err)
	}
	o.give(nil, &SyntaxError{File: o.file, Line: line, Msg: msg, Err: err})
	o.stopped = true
}

// build delivers the history in b, which began at line, or its faults.
func (o *output) build(b *history.Builder, line int) {
	o.found = true
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
	o.give(h, nil)
}
