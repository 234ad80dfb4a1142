package records

import (
	"github.com/leadline/leadline/history/codec/decode"
	"github.com/leadline/leadline/history/codec/scan"
)

// records is a stream of records: maps from names to values, which may be nested.
type records interface {
	// next reads the next record into e and returns the line on which it begins. Its errors
	// are those of a decode.Reader.
	next(e *environment) (line int, err error)
	// size returns how many bytes the last record has.
	size() int
}

// jsonRecords reads objects.
type jsonRecords struct {
	objects *decode.ObjectReader
	scan    scan.Scanner
	text    []byte
}

func newJSONRecords(s *decode.Stream) *jsonRecords {
	objects := s.Objects()
	objects.Comments = true
	return &jsonRecords{objects: objects, scan: scan.Scanner{Pool: s.Pool, Wide: true}}
}

func (s *jsonRecords) size() int { return len(s.text) }

// next implements records. If the window does not have all of an object without a fault, next
// finds its end first, and reads it then.
func (s *jsonRecords) next(e *environment) (line int, err error) {
	o, in := s.objects, &s.scan
	if err := o.ToObject(); err != nil {
		return o.Line, err
	}
	s.read(e, o.Unread())
	if !in.Failed() && int64(in.Pos) <= min(o.LineLimit, o.ObjectLimit) {
		s.text, line = o.Pass(in.Pos)
		return line, nil
	}
	e.begin()
	s.text, line, err = o.Next()
	if err != nil {
		return line, err
	}
	if s.read(e, s.text); in.Failed() {
		return line, decode.Fault(in.Fault)
	}
	return line, nil
}

// read reads the object that text begins with. It reads only the members that expressions name.
func (s *jsonRecords) read(e *environment, text []byte) {
	in := &s.scan
	in.Reset(text)
	for more := in.Begin('{', '}'); more; more = in.More('}') {
		f := e.field(in.Key())
		if f == nil {
			in.Skip()
			continue
		}
		if e.has(f) {
			in.Fail(in.Pos, "the key %q occurs twice", scan.Clip([]byte(f.name)))
			break
		}
		s.member(e, f)
	}
	if e.namesText {
		e.text = string(text[:in.Pos])
	}
}

// member reads the value of a field.
func (s *jsonRecords) member(e *environment, f *recordField) {
	s.scan.Peek()
	start := s.scan.Pos
	f.record = e.record
	if f.plain {
		f.plainValue = e.parse(&s.scan, false)
	}
	if f.exact {
		s.scan.Pos = start
		f.exactValue = e.parse(&s.scan, true)
	}
}
