package record

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/history/files"
)

// A sink is where the writer puts events. It is used by one goroutine at a
// time.
type sink interface {
	event(ev *history.Event) error // does not retain ev
	epoch(number int64) error      // the epoch is complete
	comment(text string) error
	flush() error
}

// A textSink writes leadline's native format.
type textSink struct {
	events *codec.EventWriter
}

func newTextSink(w io.Writer, o Options) (*textSink, error) {
	f := &frames{w: w}
	if o.Compress != None {
		z, err := files.Compress(&f.buf, suffixes[o.Compress])
		if err != nil {
			return nil, fmt.Errorf("record: %w", err)
		}
		f.compressor = z.(resetter)
	}
	s := &textSink{codec.NewEventWriter(f, o.header())}
	return s, s.flush()
}

func (s *textSink) event(ev *history.Event) error { return wrap(s.events.Write(ev)) }

func (s *textSink) epoch(number int64) error {
	s.events.Comment("epoch " + strconv.FormatInt(number, 10) + " is complete")
	return nil
}

func (s *textSink) comment(text string) error {
	s.events.Comment(text)
	return nil
}

func (s *textSink) flush() error { return wrap(s.events.Flush()) }

func wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("record: writing the history: %w", err)
}

// frames compresses each Write into one frame, and passes it on in one Write.
type frames struct {
	w          io.Writer
	compressor resetter // nil: none
	buf        bytes.Buffer
}

type resetter interface {
	io.WriteCloser
	Reset(io.Writer)
}

func (f *frames) Write(text []byte) (int, error) {
	switch {
	case len(text) == 0:
		return 0, nil
	case f.compressor == nil:
		return f.w.Write(text)
	}
	f.buf.Reset()
	f.compressor.Reset(&f.buf)
	if _, err := f.compressor.Write(text); err != nil {
		return 0, err
	}
	if err := f.compressor.Close(); err != nil {
		return 0, err
	}
	switch n, err := f.w.Write(f.buf.Bytes()); {
	case err != nil:
		return 0, err
	case n < f.buf.Len():
		return 0, io.ErrShortWrite
	}
	return len(text), nil
}

// A memorySink builds a history.
type memorySink struct {
	b    *history.Builder
	line int
	args []history.Value // backing array for arguments of many operations
}

func (s *memorySink) event(ev *history.Event) error {
	s.line++
	kept := *ev
	kept.Line = s.line
	if n := len(ev.Args); n > 0 {
		if cap(s.args)-len(s.args) < n {
			s.args = make([]history.Value, 0, max(1024, n))
		}
		from := len(s.args)
		s.args = append(s.args, ev.Args...)
		kept.Args = s.args[from:len(s.args):len(s.args)]
	}
	s.b.Add(&kept)
	return nil
}

func (s *memorySink) epoch(int64) error    { return nil }
func (s *memorySink) comment(string) error { return nil }
func (s *memorySink) flush() error         { return nil }

// A Memory is a Recorder that keeps the history in memory.
type Memory struct {
	*Recorder
	sink  *memorySink
	built *history.History
	err   error
}

// NewMemory returns a Memory. It ignores the options Compress and FlushEvery;
// History reports mistakes in the others.
func NewMemory(o Options) *Memory {
	err := o.check()
	if err != nil {
		o = Options{}
	}
	o.FlushEvery = -1
	h := o.header()
	if o.Order == Stamps {
		h.Order = history.FileOrder // events arrive in order: no need to sort
	}
	s := &memorySink{b: history.NewBuilder(h)}
	return &Memory{Recorder: start(s, o), sink: s, err: err}
}

// History closes the Recorder and returns what it recorded. The Line of an
// operation is an event number. Misuse is an error. If the recording stopped early
// (Options.Full), there are both a history and an error that wraps ErrFull.
func (m *Memory) History() (*history.History, error) {
	err := m.Close()
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.err != nil:
		return nil, m.err
	case err != nil && (!errors.Is(err, ErrFull) || errors.Is(err, ErrMisuse)):
		return nil, err
	case m.built == nil:
		if m.built, m.err = m.sink.b.Build(); m.err != nil {
			return nil, fmt.Errorf("record: %w", m.err)
		}
	}
	return m.built, err
}
