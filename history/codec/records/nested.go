package records

import (
	"bytes"
	"io"
	"strings"

	"github.com/leadline/leadline/history/codec/decode"
	"github.com/leadline/leadline/history/codec/scan"
)

// nestedRecords reads the elements of lists inside of objects. On the way to them there may be
// lists of objects with lists. A record has the members of its element, and those of the
// objects around that, if the element does not have them.
type nestedRecords struct {
	jsonRecords
	path  []string      // members that lead to the lists
	found bool          // some list has an element
	lines *decode.Lines // of the object that is being read
	queue []element
	bytes int // of the last record
}

// An element is a record inside of the object that is being read.
type element struct {
	start int   // byte at which it begins
	outer []int // those at which the members of the objects around it begin
}

func newNestedRecords(s *decode.Stream, path []string) *nestedRecords {
	return &nestedRecords{jsonRecords: *newJSONRecords(s), path: path}
}

func (s *nestedRecords) size() int { return s.bytes }

func (s *nestedRecords) next(e *environment) (line int, err error) {
	for len(s.queue) == 0 {
		text, line, err := s.objects.Next()
		if err == io.EOF && !s.found {
			err = decode.Faultf("no object has an element in the list %s, which records names", strings.Join(s.path, "."))
		}
		if err != nil {
			return line, err
		}
		s.text, s.lines = text, decode.NewLines(text, line)
		s.scan.Reset(text)
		if s.walk(s.path, nil); s.scan.Failed() {
			return s.lines.Of(s.scan.FaultAt), decode.Fault(s.scan.Fault)
		}
	}
	x := s.queue[0]
	s.queue = s.queue[1:]
	line = s.lines.Of(x.start)
	if s.read(e, s.text[x.start:]); s.scan.Failed() {
		return line, decode.Fault(s.scan.Fault)
	}
	s.bytes = s.scan.Pos
	s.scan.Reset(s.text)
	for _, start := range x.outer {
		s.scan.Pos = start
		if f := e.field(s.scan.Key()); f != nil && !e.has(f) {
			s.member(e, f)
		}
	}
	return line, nil
}

// walk queues the elements of the value that the scanner is at, and passes it. path leads from
// there to the lists; outer are the members around it, the innermost first.
func (s *nestedRecords) walk(path []string, outer []int) {
	in := &s.scan
	switch start, c := in.Pos, in.Peek(); {
	case c == '[':
		for more := in.Begin('[', ']'); more; more = in.More(']') {
			s.walk(path, outer)
		}
	case c == '{' && len(path) == 0:
		s.found = true
		s.queue = append(s.queue, element{in.Pos, outer})
		in.Skip()
	case c == '{':
		next := -1
		var own []int
		for more := in.Begin('{', '}'); more; more = in.More('}') {
			start := in.Pos
			if string(in.Key()) == path[0] {
				next = in.Pos
			} else {
				own = append(own, start)
			}
			in.Skip()
		}
		if after := in.Pos; next >= 0 && !in.Failed() {
			in.Pos = next
			if s.walk(path[1:], append(own, outer...)); !in.Failed() {
				in.Pos = after
			}
		}
	default:
		if in.Skip(); string(bytes.TrimSpace(s.text[start:in.Pos])) != "null" {
			in.Fail(start, "records = %s: a list or an object is expected, not %s", strings.Join(s.path, "."), scan.Clip(s.text[start:in.Pos]))
		}
	}
}
