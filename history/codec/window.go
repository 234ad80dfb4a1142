package codec

import (
	"bytes"
	"fmt"
	"io"

	"github.com/leadline/leadline/history/files"
)

// A window holds what has been read of a stream and not handed out yet. It starts
// small, grows to the size of a chunk, and beyond that only for a longer piece.
type window struct {
	r          io.Reader
	buf        []byte
	start, end int   // of what is not handed out
	err        error // what ended the stream
}

const (
	firstChunk = 4 << 10
	// chunk is how many bytes are read at a time.
	chunk = 128 << 10
)

// fill reads once, after making room for a piece of up to most bytes. It may move
// what is not handed out.
func (w *window) fill(most int64) {
	if w.end == len(w.buf) {
		size := int64(len(w.buf))
		switch {
		case size == 0:
			size = firstChunk
		case size < chunk:
			size = chunk
		case w.start == 0:
			size = min(2*size, most+chunk)
		}
		from := w.buf[w.start:w.end]
		if size > int64(len(w.buf)) {
			w.buf = make([]byte, size)
		}
		w.start, w.end = 0, copy(w.buf, from)
	}
	w.end, w.err = files.ReadSome(w.r, w.buf, w.end)
}

// fail ends the stream with err; what has been read is lost.
func (w *window) fail(err error) error {
	w.start, w.end, w.err = 0, 0, err
	return err
}

// A lineReader splits a stream into lines. It returns a line as soon as its newline
// has arrived, and holds no more than one chunk or one line.
type lineReader struct {
	window
	line  int // number of the last line that was returned, from 1
	limit int64
}

func newLineReader(r io.Reader, limit int64) *lineReader {
	return &lineReader{window: window{r: r}, limit: limit}
}

// next returns the next line without its newline; it is valid until the next
// call. whole is false for a last line that has no newline. After the last
// line, next returns the error that ended the stream, usually io.EOF.
func (l *lineReader) next() (text []byte, whole bool, err error) {
	searched := 0
	for {
		unread := l.buf[l.start:l.end]
		i := bytes.IndexByte(unread[searched:], '\n')
		length := searched + i
		if i < 0 {
			length = len(unread)
		}
		switch {
		case i < 0 && length == 0 && l.err != nil:
			return nil, false, l.err
		case int64(length) > l.limit:
			l.line++
			return nil, false, l.fail(tooLong(l.limit))
		case i >= 0:
			l.line++
			l.start += length + 1
			return unread[:length], true, nil
		case l.err != nil:
			l.line++
			l.start = l.end
			return unread, false, nil
		}
		searched = length
		l.fill(l.limit)
	}
}

// An objectReader splits a stream into the JSON objects that follow one another
// in it. It looks only at quotes and brackets, so its objects need not be valid.
type objectReader struct {
	window
	line        int // number of the line that start is on, from 1
	lineLimit   int64
	objectLimit int64
	comments    bool // lines that begin with # are skipped
}

func newObjectReader(r io.Reader, lim Limits) *objectReader {
	return &objectReader{window: window{r: r}, line: 1, lineLimit: lim.Line, objectLimit: min(lim.History, lim.Memory)}
}

// more skips white space. It returns nil if something follows, and otherwise the
// error that ended the stream, usually io.EOF.
func (o *objectReader) more() error {
	for {
		for ; o.start < o.end; o.start++ {
			switch o.buf[o.start] {
			case '\n':
				o.line++
			case ' ', '\t', '\r':
			case '#':
				if !o.comments {
					return nil
				}
				if err := o.skipLine(); err != nil {
					return err
				}
				o.start--
			default:
				return nil
			}
		}
		if o.err != nil {
			return o.err
		}
		o.fill(o.objectLimit)
	}
}

// skipLine skips what is before the next end of a line.
func (o *objectReader) skipLine() error {
	for {
		if n := bytes.IndexByte(o.buf[o.start:o.end], '\n'); n >= 0 {
			o.start += n
			return nil
		}
		if o.start = o.end; o.err != nil {
			return o.err
		}
		o.fill(o.objectLimit)
	}
}

// next returns the next object and the line on which it begins. more must have
// returned nil before. The object is valid until the next call of more or next.
// With an error, the line is where it is.
func (o *objectReader) next() (text []byte, line int, err error) {
	line = o.line
	if c := o.buf[o.start]; c != '{' {
		return nil, line, fmt.Errorf("unexpected %q, an object expected", c)
	}
	cut := cutter{line: line, limit: o.lineLimit}
	length, done := 0, false // of what cut has examined
	for err == nil && !done {
		if o.start+length == o.end {
			if o.err == io.EOF {
				err = fmt.Errorf("the file ends inside the object that begins at line %d", line)
			} else if err = o.err; err == nil {
				o.fill(o.objectLimit)
			}
			continue
		}
		var n int
		n, done, err = cut.scan(o.buf[o.start+length : o.end])
		if length += n; err == nil && int64(length) > o.objectLimit {
			err = tooLarge(o.objectLimit)
		}
	}
	text, o.line, o.start = o.buf[o.start:o.start+length], cut.line, o.start+length
	if err != nil {
		return nil, o.line, err
	}
	return text, line, nil
}

// A cutter finds the end of an object that arrives in pieces.
type cutter struct {
	line    int
	column  int64 // bytes since the line began
	limit   int64 // of the above
	depth   int
	quoted  bool
	escaped bool
}

// scan examines one more piece and returns how many bytes of it belong to the
// object, and whether it ends there.
func (c *cutter) scan(piece []byte) (n int, done bool, err error) {
	for i, b := range piece {
		if c.column++; b == '\n' {
			c.line++
			c.column = 0
		} else if c.column > c.limit {
			return i, false, tooLong(c.limit)
		}
		switch {
		case c.escaped:
			c.escaped = false
		case c.quoted:
			c.escaped = b == '\\'
			c.quoted = b != '"'
		case b == '"':
			c.quoted = true
		case b == '{' || b == '[':
			if c.depth++; c.depth > MaxDepth {
				return i, false, fmt.Errorf("nested more than %d deep", MaxDepth)
			}
		case b == '}' || b == ']':
			if c.depth--; c.depth == 0 {
				return i + 1, true, nil
			}
		}
	}
	return len(piece), false, nil
}

// sizeOf returns how many bytes r has, 0 if that is not known.
func sizeOf(r io.Reader) int64 {
	if in, ok := r.(*files.Input); ok {
		return in.Size()
	}
	return 0
}

const (
	// sampled is the number of events or operations after which the length of a history
	// is estimated again and again.
	sampled = 1000
	// maxExpected bounds the estimate.
	maxExpected = 1 << 27
)

// expected estimates how many pieces an input of size bytes has, if its first bytes
// bytes have n; 0 if its size is unknown.
func expected(size, bytes int64, n int) int {
	return int(min(size*int64(n)/max(bytes, 1)*101/100, 4096*int64(n), maxExpected))
}
