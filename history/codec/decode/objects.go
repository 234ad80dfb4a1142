package decode

import (
	"bytes"
	"io"

	"github.com/leadline/leadline/history/codec/scan"
)

// An ObjectReader splits a stream into JSON objects that follow one another or are the
// elements of a list. It looks only at quotes and brackets, so its objects need not be valid.
type ObjectReader struct {
	*Window
	Line int // that Start is on, from 1
	// Comments makes the reader skip lines that begin with #.
	Comments bool
	// LineLimit and ObjectLimit are the longest line and object, in bytes.
	LineLimit, ObjectLimit int64

	list  int // the line that the list begins on; 0 without one
	state listState
}

// A listState says what an ObjectReader read last.
type listState uint8

const (
	noObject listState = iota
	afterObject
	afterComma
	listClosed
)

// Next returns the next object, which is valid until the next call, and the line on which it
// begins. Its errors are those of a Reader, and then the line is where they are.
func (o *ObjectReader) Next() (text []byte, line int, err error) {
	if err := o.ToObject(); err != nil {
		return nil, o.Line, err
	}
	text, line, err = o.object()
	if err != nil {
		return nil, line, err
	}
	o.state = afterObject
	return text, line, nil
}

// ToObject skips what separates objects.
func (o *ObjectReader) ToObject() error {
	for {
		if err := o.skipSpace(); err != nil {
			if err == io.EOF && o.list > 0 && o.state != listClosed {
				return Faultf("the file ends inside the list that begins at line %d", o.list)
			}
			return err
		}
		c := o.Buf[o.Start]
		switch {
		case o.state == listClosed:
			return Faultf("unexpected %q after the list of records", c)
		case c == '[' && o.state == noObject && o.list == 0:
			o.list = o.Line
		case o.list == 0:
			return nil
		case c == ']' && o.state != afterComma:
			o.state = listClosed
		case c == ',' && o.state == afterObject:
			o.state = afterComma
		case o.state == afterObject:
			return Faultf("unexpected %q, ',' or ']' expected", c)
		default:
			return nil
		}
		o.Start++
	}
}

// Pass passes an object of n bytes, which begins at Start and was read by other means, and
// returns it and its line.
func (o *ObjectReader) Pass(n int) (text []byte, line int) {
	text, line = o.Buf[o.Start:o.Start+n], o.Line
	o.Start, o.Line, o.state = o.Start+n, line+bytes.Count(text, []byte{'\n'}), afterObject
	return text, line
}

// skipSpace skips white space. It returns nil if something follows, and otherwise the
// error that ended the stream, usually io.EOF.
func (o *ObjectReader) skipSpace() error {
	for {
		for ; o.Start < o.End; o.Start++ {
			switch o.Buf[o.Start] {
			case '\n':
				o.Line++
			case ' ', '\t', '\r':
			case '#':
				if !o.Comments {
					return nil
				}
				if err := o.skipLine(); err != nil {
					return err
				}
				o.Start--
			default:
				return nil
			}
		}
		if o.Err != nil {
			return o.Err
		}
		o.Fill(o.ObjectLimit)
	}
}

// skipLine skips what is before the next end of a line.
func (o *ObjectReader) skipLine() error {
	for {
		if n := bytes.IndexByte(o.Unread(), '\n'); n >= 0 {
			o.Start += n
			return nil
		}
		if o.Start = o.End; o.Err != nil {
			return o.Err
		}
		o.Fill(o.ObjectLimit)
	}
}

// object returns the object that begins at Start. With an error, the line is where it is.
func (o *ObjectReader) object() (text []byte, line int, err error) {
	line = o.Line
	if c := o.Buf[o.Start]; c != '{' {
		return nil, line, Faultf("unexpected %q, an object expected", c)
	}
	cut := cutter{line: line, limit: o.LineLimit}
	length, done := 0, false // of what cut has examined
	for err == nil && !done {
		if o.Start+length == o.End {
			if o.Err == io.EOF {
				err = Faultf("the file ends inside the object that begins at line %d", line)
			} else if err = o.Err; err == nil {
				o.Fill(o.ObjectLimit)
			}
			continue
		}
		var n int
		n, done, err = cut.scan(o.Buf[o.Start+length : o.End])
		if length += n; err == nil && int64(length) > o.ObjectLimit {
			err = tooLarge(o.ObjectLimit)
		}
	}
	text, o.Line, o.Start = o.Buf[o.Start:o.Start+length], cut.line, o.Start+length
	if err != nil {
		return nil, o.Line, err
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
			return i, false, TooLong(c.limit)
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
			if c.depth++; c.depth > scan.MaxDepth {
				return i, false, Faultf("nested more than %d deep", scan.MaxDepth)
			}
		case b == '}' || b == ']':
			if c.depth--; c.depth == 0 {
				return i + 1, true, nil
			}
		}
	}
	return len(piece), false, nil
}

// Lines finds the lines of places in a text.
type Lines struct {
	text []byte // that is not counted yet
	at   int    // where it begins
	line int
}

// NewLines returns the Lines of a text that begins at a line.
func NewLines(text []byte, line int) *Lines { return &Lines{text: text, line: line} }

// Of returns the number of the line that byte at is on. The calls have to be in ascending order.
func (n *Lines) Of(at int) int {
	if at > n.at {
		n.line += bytes.Count(n.text[:at-n.at], []byte("\n"))
		n.text, n.at = n.text[at-n.at:], at
	}
	return n.line
}
