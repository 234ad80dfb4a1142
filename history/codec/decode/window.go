package decode

import (
	"bytes"
	"io"

	"github.com/leadline/leadline/history/codec/scan"
	"github.com/leadline/leadline/history/files"
)

// A Window holds what has been read of a stream and not handed out yet: Buf[Start:End]. It
// starts small, grows to the size of a chunk, and beyond that only for a longer piece.
type Window struct {
	Buf        []byte
	Start, End int
	Err        error // what ended the stream

	r    io.Reader
	read int64 // bytes so far
}

// NewWindow returns a window on r.
func NewWindow(r io.Reader) *Window { return &Window{r: r} }

const (
	firstChunk = 4 << 10
	// Chunk is how many bytes are read, or written, at a time.
	Chunk = 128 << 10
)

// Fill reads once, after making room for a piece of up to most bytes. It may move
// what is not handed out.
func (w *Window) Fill(most int64) {
	if w.End == len(w.Buf) {
		size := int64(len(w.Buf))
		switch {
		case size == 0:
			size = firstChunk
		case size < Chunk:
			size = Chunk
		case w.Start == 0:
			size = min(2*size, most+Chunk)
		}
		from := w.Buf[w.Start:w.End]
		if size > int64(len(w.Buf)) {
			w.Buf = make([]byte, size)
		}
		w.Start, w.End = 0, copy(w.Buf, from)
	}
	before := w.End
	w.End, w.Err = files.ReadSome(w.r, w.Buf, w.End)
	w.read += int64(w.End - before)
}

// Unread returns what has been read and not handed out.
func (w *Window) Unread() []byte { return w.Buf[w.Start:w.End] }

// passed returns how many bytes have been handed out.
func (w *Window) passed() int64 { return w.read - int64(w.End-w.Start) }

// Read implements io.Reader.
func (w *Window) Read(p []byte) (int, error) {
	if w.Start == w.End {
		if w.Err != nil {
			return 0, w.Err
		}
		w.Start, w.End = 0, 0
		w.Fill(0)
	}
	n := copy(p, w.Unread())
	w.Start += n
	if n == 0 {
		return 0, w.Err
	}
	return n, nil
}

// fail ends the stream with err; what has been read is lost.
func (w *Window) fail(err error) error {
	w.Start, w.End, w.Err = 0, 0, err
	return err
}

// borrow makes the window use the buffer of a pool, until it gives it back.
func (w *Window) borrow(p *scan.Pool) { w.Buf, p.Buffer = p.Buffer, nil }

func (w *Window) giveBack(p *scan.Pool) {
	if len(w.Buf) <= Chunk {
		p.Buffer = w.Buf
	}
}

// A LineReader splits a stream into lines. It returns a line as soon as its newline
// has arrived, and holds no more than one chunk or one line.
type LineReader struct {
	*Window
	Line         int // number of the last line that was returned, from 1
	limit        int64
	unterminated bool // the last line with text had no newline
}

// Next returns the next line without its newline; it is valid until the next
// call. whole is false for a last line that has no newline. After the last
// line, Next returns the error that ended the stream, usually io.EOF.
func (l *LineReader) Next() (text []byte, whole bool, err error) {
	searched := 0
	for {
		unread := l.Unread()
		i := bytes.IndexByte(unread[searched:], '\n')
		length := searched + i
		if i < 0 {
			length = len(unread)
		}
		switch {
		case i < 0 && length == 0 && l.Err != nil:
			return nil, false, l.Err
		case int64(length) > l.limit:
			l.Line++
			return nil, false, l.fail(TooLong(l.limit))
		case i >= 0:
			l.Line++
			l.Start += length + 1
			return unread[:length], true, nil
		case l.Err != nil:
			l.Line++
			l.Start = l.End
			return unread, false, nil
		}
		searched = length
		l.Fill(l.limit)
	}
}
