package records

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/leadline/leadline/history/codec/decode"
	"github.com/leadline/leadline/history/codec/scan"
)

const (
	surveyedRecords = 1000 // how many records Survey reads
	surveyedValues  = 3    // how many values it lists for a field
	surveyedFields  = 200  // how many fields it lists
)

// A survey collects the fields of the first records of a stream. It is a Reader that ends there.
type survey struct {
	records records
	kind    string
	env     *environment
	n       int // records so far
	paths   []string
	values  map[string][]string // by path
}

// Survey returns a mapping to fill in for the records of r: comments that list the fields
// with some values of each, and the names that a mapping has.
func Survey(r io.Reader, file string, lim decode.Limits) (string, error) {
	s := survey{values: map[string][]string{}}
	format := decode.Format{Open: func(stream *decode.Stream) decode.Reader {
		s.records, s.kind = openRecords(stream, new(mapping))
		s.env = newEnvironment(new(mapping), stream.Pool)
		s.env.every = true
		return &s
	}}
	for _, err := range format.Decode(r, file, lim) {
		return "", err
	}
	if s.n == 0 {
		return "", errors.New(file + ": it has no record")
	}
	return s.text(), nil
}

// Next implements decode.Reader.
func (s *survey) Next() (line int, err error) {
	s.env.begin()
	if s.n == surveyedRecords {
		return 0, io.EOF
	}
	if line, err = s.records.next(s.env); err != nil {
		return line, err
	}
	s.n++
	s.env.room = maxMemory + s.records.size()
	for _, f := range s.env.order {
		if s.env.has(f) {
			s.note(fieldText(f.name), f.plainValue)
		}
	}
	return line, nil
}

// note notes a value, or those inside an object.
func (s *survey) note(path string, v any) {
	if object, ok := v.(map[string]any); ok && len(object) > 0 {
		for _, name := range slices.Sorted(maps.Keys(object)) {
			s.note(path+memberText(name), object[name])
		}
		return
	}
	known, listed := s.values[path]
	if !listed {
		if len(s.paths) == surveyedFields {
			return
		}
		s.paths = append(s.paths, path)
	}
	if value, err := s.env.valueOf(v); err == nil {
		if text := scan.Clip([]byte(value.String())); len(known) < surveyedValues && !slices.Contains(known, text) {
			known = append(known, text)
		}
	}
	s.values[path] = known
}

func (s *survey) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# The fields of the first %d records (%s), with some of their values:\n", s.n, s.kind)
	width := 0
	for _, path := range s.paths {
		width = max(width, min(len(path), 40))
	}
	for _, path := range s.paths {
		fmt.Fprintf(&b, "#   %-*s  %s\n", width, path, strings.Join(s.values[path], "  "))
	}
	b.WriteString(`# Fill in expressions over the fields, and remove the lines that are not needed. Give the file
# to check as --map @FILE. See leadline help mapping.
# skip =     # true for records that are about no operation
process =
f =
args =
result =
model =
# Records that are whole operations:
call =
return =
# outcome =  # "ok", "fail" or "info"; without it, return is nil for unknown outcomes
# Records that are events:
type =       # "invoke", "ok", "fail" or "info"
# op =       # the operation, if a process has several at a time
# at =       # the stamp, if the lines are in another order
`)
	return b.String()
}
