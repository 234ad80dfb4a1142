package decode

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec/scan"
	"github.com/leadline/leadline/history/files"
)

// A Stream is an input that is being decoded, and the history in it that is open. A Reader reads
// it by one of its windows, and gives it histories and faults.
type Stream struct {
	File   string // its name, for messages
	Limits Limits // without zeros
	Pool   *scan.Pool
	Window *Window // on the input, after a byte order mark

	format *Format
	yield  func(*history.History, error) bool
	size   int64 // of the input in bytes; 0 if unknown
	budget budget
	piece  int64 // byte at which the piece that is being read begins

	stopped bool // the caller wants no more, or nothing more can be read
	faults  int  // of the file
	begun   int  // histories that have begun
	// last is the history that began last and is not delivered. It is held back, complete or
	// not, until it is known whether another one follows, which determines its name.
	last *History
}

// A History is one that is being read.
type History struct {
	*history.Builder
	// Kept returns about how many bytes the history takes besides the Builder and the values
	// of the pool. It may be nil.
	Kept func() int64
	// Finish completes the history before it is built, and Check examines it, or changes its
	// warning, before it is delivered. Each may be nil.
	Finish func()
	Check  func(*history.History) error
	// Faulty is set if Finish reports faults.
	Faulty bool
	// Idle is set if a history without events is none with a fault.
	Idle bool

	ordinal  int // among the histories of the file, from 1
	complete bool
}

// A Fault is a fault of the input after which it cannot be read on.
type Fault string

func (f Fault) Error() string { return string(f) }

// Faultf returns a Fault.
func Faultf(format string, args ...any) error { return Fault(fmt.Sprintf(format, args...)) }

func newStream(format *Format, r io.Reader, file string, lim Limits, yield func(*history.History, error) bool) *Stream {
	s := &Stream{File: file, Limits: lim.Fill(), Pool: scan.Borrow(), Window: NewWindow(r), format: format, yield: yield}
	if in, ok := r.(*files.Input); ok {
		s.size = in.Size()
	}
	s.Window.borrow(s.Pool)
	for w := s.Window; ; w.Fill(0) {
		if bytes.HasPrefix(w.Unread(), ByteOrderMark) {
			w.Start += len(ByteOrderMark)
			w.read -= int64(len(ByteOrderMark))
		} else if w.Err == nil && beginsMark(w.Unread()) {
			continue
		}
		return s
	}
}

func (s *Stream) close() {
	s.Window.giveBack(s.Pool)
	s.Pool.Release()
}

// Lines returns a reader of the lines of the stream.
func (s *Stream) Lines() *LineReader { return &LineReader{Window: s.Window, limit: s.Limits.Line} }

// Objects returns a reader of the objects of the stream. The values of an object may take more
// memory than its text, so that the limit of an object is a part of Limits.Memory.
func (s *Stream) Objects() *ObjectReader {
	return &ObjectReader{Window: s.Window, Line: 1, LineLimit: s.Limits.Line, ObjectLimit: min(s.Limits.History, s.Limits.Memory/16)}
}

// TextLine returns the next line that is not blank. At the end of a stream, it notes in the
// open history whether the last one had no newline.
func (s *Stream) TextLine(l *LineReader) (text []byte, err error) {
	for {
		text, whole, err := l.Next()
		if err != nil {
			if h := s.History(); h != nil && err == io.EOF && l.unterminated {
				h.SetUnterminated()
			}
			return nil, err
		}
		if len(scan.TrimBlanks(text)) > 0 {
			l.unterminated = !whole
			return text, nil
		}
	}
}

// run is the loop of all formats: it reads piece by piece until the stream or the caller ends.
func (s *Stream) run(r Reader) {
	for !s.stopped {
		s.piece = s.Window.passed()
		line, err := r.Next()
		if err == nil {
			err = s.Exceeded()
		}
		if err != nil {
			s.end(line, err)
			return
		}
	}
}

// end delivers the last history, and reports what ended the stream. A fault is one of the
// history that is open there, as it may hide events, and so is the end of a stream that
// is cut short. After any other error, such as a wrong check sum, what was read may be wrong: of that history,
// only its faults are delivered, and a complete one that is held back is not.
func (s *Stream) end(line int, err error) {
	var fault Fault
	isFault := errors.As(err, &fault)
	isCut := errors.Is(err, io.ErrUnexpectedEOF)
	open := s.History()
	switch {
	case isFault && open != nil:
		open.Errorf(line, "%s", fault)
	case isCut && open != nil && open.Faults() == 0:
		open.Errorf(line, "the file is cut here, so that the history is not whole")
	}
	if err == io.EOF || isFault || isCut || open != nil && (open.Faults() > 0 || open.Faulty) {
		s.Deliver()
	}
	switch {
	case err == io.EOF, isFault && open != nil:
	case isFault:
		s.FileFault(line, fault.Error())
	default:
		s.broken(line, err)
	}
}

// Begin begins a history, and delivers the one before it. A header
// without a format gets the format of the stream.
func (s *Stream) Begin(h history.Header) *History {
	s.begun++
	s.Deliver()
	if h.File = s.File; h.Format == "" {
		h.Format = s.format.Name
	}
	if d := s.format.Durability; d != history.UnknownDurability {
		h.Durability = d
	}
	s.budget = budget{from: s.piece, made: s.Pool.Made}
	s.last = &History{Builder: history.NewBuilder(h), ordinal: s.begun}
	return s.last
}

// History returns the history that is open, or nil.
func (s *Stream) History() *History {
	if s.last == nil || s.last.complete {
		return nil
	}
	return s.last
}

// Complete notes that nothing more belongs to the open history. It is held back for its name
// if another one may follow.
func (s *Stream) Complete() {
	if s.last != nil {
		s.last.complete = true
	}
}

// Begun returns how many histories have begun.
func (s *Stream) Begun() int { return s.begun }

// Deliver delivers the last history or its faults, if it is not delivered yet. The loop does so when
// another one begins; a format does where a reader may wait for it.
func (s *Stream) Deliver() {
	h := s.last
	if s.last = nil; h == nil || s.stopped {
		return
	}
	if s.begun > 1 && h.Header().ID == "" {
		h.SetID(strconv.Itoa(h.ordinal))
	}
	if h.Finish != nil {
		h.Finish()
	}
	if h.Events() == 0 && h.Faults() == 0 && !h.Idle {
		name := "history"
		if id := h.Header().ID; id != "" {
			name += " " + id
		}
		h.Errorf(h.Header().Line, "%s has no events", name)
	}
	built, err := h.Build()
	if err == nil && h.Check != nil {
		err = h.Check(built)
	}
	if err != nil {
		built = nil
	}
	s.give(built, err)
}

func (s *Stream) give(h *history.History, err error) {
	if !s.stopped && !s.yield(h, err) {
		s.stopped = true
	}
}

// Fault reports a fault of the open history, or of the file if none is open. Reading goes on.
func (s *Stream) Fault(line int, format string, args ...any) {
	if h := s.History(); h != nil {
		h.Errorf(line, format, args...)
		return
	}
	s.FileFault(line, fmt.Sprintf(format, args...))
}

// FileFault reports a fault of the file, as of a line that belongs to no history. After history.MaxErrors of them it reports that
// there are too many, and stops.
func (s *Stream) FileFault(line int, msg string) {
	if s.faults++; s.faults > history.MaxErrors {
		s.give(nil, &history.Error{File: s.File, Line: line, Msg: "too many errors"})
		s.stopped = true
		return
	}
	s.give(nil, &history.Error{File: s.File, Line: line, Msg: msg})
}

// broken reports what ended the input after line.
func (s *Stream) broken(line int, err error) {
	msg := err.Error()
	switch {
	case errors.Is(err, files.ErrLimit):
	case errors.Is(err, io.ErrUnexpectedEOF):
		msg = "the file is cut short: " + msg
	default:
		msg = fmt.Sprintf("reading on after this line: %v", err)
	}
	s.give(nil, &history.Error{File: s.File, Line: line, Msg: msg, Err: err})
}
