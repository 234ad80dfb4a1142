package codec

import (
	"bytes"
	"io"
)

// chunk is how many bytes are asked for at a time.
const chunk = 128 << 10

// A lineReader cuts a stream into lines. It hands out a line as soon as its
// newline has arrived, and holds no more than one chunk or one line.
type lineReader struct {
	r          io.Reader
	buf        []byte
	start, end int // what has been read but not handed out
	line       int // number of the line handed out last, from 1
	limit      int64
	err        error // what ended the stream
}

func newLineReader(r io.Reader, limit int64) *lineReader {
	return &lineReader{r: r, buf: make([]byte, chunk), limit: limit}
}

// next returns the next line without its newline; it is valid until the next
// call. whole is false for a last line that has no newline. After the last
// line, next returns the error that ended the stream, io.EOF as a rule.
func (l *lineReader) next() (text []byte, whole bool, err error) {
	searched := 0
	for {
		unread := l.buf[l.start:l.end]
		if i := bytes.IndexByte(unread[searched:], '\n'); i >= 0 {
			text = unread[:searched+i]
			l.start += searched + i + 1
			l.line++
			if int64(len(text)) > l.limit {
				l.start, l.end = 0, 0
				l.err = tooLong(l.limit)
				return nil, false, l.err
			}
			return text, true, nil
		}
		searched = len(unread)
		switch {
		case int64(searched) > l.limit:
			l.line++
			l.start, l.end = 0, 0
			l.err = tooLong(l.limit)
			return nil, false, l.err
		case l.err != nil && searched > 0:
			l.line++
			l.start = l.end
			return unread, false, nil
		case l.err != nil:
			return nil, false, l.err
		}
		l.fill()
	}
}

// fill reads once, making room first.
func (l *lineReader) fill() {
	if l.start > 0 && l.end == len(l.buf) {
		l.end = copy(l.buf, l.buf[l.start:l.end])
		l.start = 0
	}
	if l.end == len(l.buf) {
		size := int64(2 * len(l.buf))
		if most := l.limit + chunk; size > most {
			size = most
		}
		grown := make([]byte, size)
		copy(grown, l.buf[:l.end])
		l.buf = grown
	}
	l.end, l.err = readSome(l.r, l.buf, l.end)
}

// readSome reads what is there into buf from byte end on, and returns the
// new end. It waits for one byte, never for a full buffer.
func readSome(r io.Reader, buf []byte, end int) (int, error) {
	for range 100 {
		n, err := r.Read(buf[end:])
		if n < 0 || n > len(buf)-end {
			panic("codec: reader returned an impossible count")
		}
		if n > 0 || err != nil {
			return end + n, err
		}
	}
	return end, io.ErrNoProgress
}
