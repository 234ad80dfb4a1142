package codec

import (
	"fmt"
	"io"
)

// An objectReader cuts a stream into the JSON objects that follow one another
// in it. It looks at quotes and brackets only; what it hands out has still to
// be checked.
type objectReader struct {
	r           io.Reader
	buf         []byte
	start, end  int // what has been read but not handed out
	line        int // number of the line that start is on, from 1
	lineLimit   int64
	objectLimit int64
	err         error // what ended the stream
}

func newObjectReader(r io.Reader, lim Limits) *objectReader {
	return &objectReader{r: r, buf: make([]byte, chunk), line: 1, lineLimit: lim.Line, objectLimit: min(lim.History, lim.Memory)}
}

// more passes over white space. It returns nil if something follows, else
// the error that ended the stream, io.EOF as a rule.
func (o *objectReader) more() error {
	for {
		for ; o.start < o.end; o.start++ {
			switch o.buf[o.start] {
			case '\n':
				o.line++
			case ' ', '\t', '\r':
			default:
				return nil
			}
		}
		if o.err != nil {
			return o.err
		}
		o.fill()
	}
}

// next returns the object that follows and the line it begins on; more has
// just returned nil. The object is valid until the next call of more or next.
func (o *objectReader) next() (text []byte, line int, err error) {
	if c := o.buf[o.start]; c != '{' {
		return nil, o.line, fmt.Errorf("unexpected %q, an object expected", c)
	}
	cut := cutter{line: o.line, limit: o.lineLimit}
	line = o.line
	for scanned := 0; ; {
		n, done, err := cut.scan(o.buf[o.start+scanned : o.end])
		scanned += n
		switch {
		case err != nil:
			return nil, cut.line, err
		case int64(scanned) > o.objectLimit:
			return nil, cut.line, tooLarge(o.objectLimit)
		case done:
			text = o.buf[o.start : o.start+scanned]
			o.start += scanned
			o.line = cut.line
			return text, line, nil
		case o.err == io.EOF:
			return nil, cut.line, fmt.Errorf("the file ends inside the object that begins at line %d", line)
		case o.err != nil:
			return nil, cut.line, o.err
		}
		o.fill()
	}
}

// fill reads once, making room first.
func (o *objectReader) fill() {
	if o.start > 0 && o.end == len(o.buf) {
		o.end = copy(o.buf, o.buf[o.start:o.end])
		o.start = 0
	}
	if o.end == len(o.buf) {
		grown := make([]byte, min(2*int64(len(o.buf)), o.objectLimit+chunk))
		copy(grown, o.buf[:o.end])
		o.buf = grown
	}
	o.end, o.err = readSome(o.r, o.buf, o.end)
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

// scan looks at one more piece and returns how many bytes of it belong to the
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
