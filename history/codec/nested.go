package codec

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// nestedRecords reads the elements of lists inside of objects. On the way to them there may be
// lists of objects with lists. A record has the members of its element, and those of the
// objects around that, if the element does not have them.
type nestedRecords struct {
	jsonRecords
	path  []string // members that lead to the lists
	found bool     // some list has an element
	line  int      // of the object that is being read
	queue []element
	bytes int // of the last record
}

// An element is a record inside of the object that is being read.
type element struct {
	start int   // byte at which it begins
	outer []int // those at which the members of the objects around it begin
}

func newNestedRecords(r io.Reader, lim Limits, path []string) *nestedRecords {
	s := &nestedRecords{jsonRecords: *newJSONRecords(r, lim), path: path}
	// The elements of an object take more memory than its text.
	s.objects.objectLimit = min(s.objects.objectLimit, lim.Memory/16)
	return s
}

func (s *nestedRecords) size() int { return s.bytes }

func (s *nestedRecords) next(e *environment) (line int, err error) {
	for len(s.queue) == 0 {
		text, line, err := s.objectStream.next()
		var last *end
		if errors.As(err, &last) && last.err == io.EOF && !s.found {
			err = &end{err: fmt.Errorf("no object has an element in the list %s, which records names", strings.Join(s.path, "."))}
		}
		if err != nil {
			return line, err
		}
		s.text, s.line = text, line
		s.scan.reset(text)
		if s.walk(s.path, nil); s.scan.failed() {
			return s.lineAt(s.scan.faultAt), &end{err: errors.New(s.scan.fault)}
		}
	}
	x := s.queue[0]
	s.queue = s.queue[1:]
	line = s.lineAt(x.start)
	if s.read(e, s.text[x.start:]); s.scan.failed() {
		return line, &end{err: errors.New(s.scan.fault)}
	}
	s.bytes = s.scan.pos
	s.scan.reset(s.text)
	for _, start := range x.outer {
		s.scan.pos = start
		if f := e.field(s.scan.key()); f != nil && !e.has(f) {
			s.member(e, f)
		}
	}
	return line, nil
}

func (s *nestedRecords) lineAt(at int) int { return s.line + bytes.Count(s.text[:at], []byte{'\n'}) }

// walk queues the elements of the value that the scanner is at, and passes it. path leads from
// there to the lists; outer are the members around it, the innermost first.
func (s *nestedRecords) walk(path []string, outer []int) {
	scan := &s.scan
	switch start, c := scan.pos, scan.peek(); {
	case c == '[':
		for more := scan.begin('[', ']'); more; more = scan.more(']') {
			s.walk(path, outer)
		}
	case c == '{' && len(path) == 0:
		s.found = true
		s.queue = append(s.queue, element{scan.pos, outer})
		scan.skip()
	case c == '{':
		next := -1
		var own []int
		for more := scan.begin('{', '}'); more; more = scan.more('}') {
			start := scan.pos
			if string(scan.key()) == path[0] {
				next = scan.pos
			} else {
				own = append(own, start)
			}
			scan.skip()
		}
		if after := scan.pos; next >= 0 && !scan.failed() {
			scan.pos = next
			if s.walk(path[1:], append(own, outer...)); !scan.failed() {
				scan.pos = after
			}
		}
	default:
		if scan.skip(); string(bytes.TrimSpace(s.text[start:scan.pos])) != "null" {
			scan.fail(start, "records = %s: a list or an object is expected, not %s", strings.Join(s.path, "."), clip(s.text[start:scan.pos]))
		}
	}
}
