package records

import (
	"encoding/csv"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/leadline/leadline/history/codec/decode"
	"github.com/leadline/leadline/history/codec/scan"
)

// tableRecords reads a table, in CSV or with another separator.
type tableRecords struct {
	stream   *decode.Stream
	rows     *csv.Reader
	input    *lineLimiter
	noHeader bool     // the columns are called c1, c2 and so on
	names    [][]byte // of the columns
	line     int      // on which the last row begins
	bytes    int
	// trimRight is set if blanks at the end of a cell do not count.
	trimRight bool
}

func newTableRecords(s *decode.Stream, comma rune, noHeader bool) *tableRecords {
	if comma == ' ' {
		comma = ',' // one column
	}
	input := &lineLimiter{r: s.Window, limit: s.Limits.Line}
	t := &tableRecords{stream: s, rows: csv.NewReader(input), input: input, line: 1, noHeader: noHeader}
	t.rows.Comma, t.rows.Comment, t.rows.ReuseRecord = comma, '#', true
	return t
}

// A lineLimiter ends a stream with an error when more than limit bytes are read before
// read is reset. A reader of it holds no more than that, and one buffer.
type lineLimiter struct {
	r           io.Reader
	read, limit int64
	last        byte // the last one that was read
}

func (l *lineLimiter) Read(p []byte) (int, error) {
	if l.read > l.limit {
		return 0, decode.TooLong(l.limit)
	}
	n, err := l.r.Read(p)
	if l.read += int64(n); n > 0 {
		l.last = p[n-1]
	}
	return n, err
}

func (t *tableRecords) size() int { return t.bytes }

func (t *tableRecords) next(e *environment) (line int, err error) {
	first := t.names == nil && !t.noHeader
	if first {
		if line, err := t.header(e); err != nil {
			return line, err
		}
	}
	cells, line, err := t.row()
	if first && err == io.EOF {
		err = decode.Fault("the table has a header and no record")
	}
	if err != nil {
		return line, err
	}
	for n := len(t.names); t.noHeader && n < len(cells); n++ {
		t.names = append(t.names, []byte(columnName(n)))
	}
	if e.namesText {
		e.text = strings.Join(cells, string(t.rows.Comma))
	}
	t.bytes = 0
	for i, cell := range cells {
		t.bytes += len(cell) + 1
		if f := e.field(t.names[i]); f != nil {
			if t.trimRight {
				cell = strings.TrimRight(cell, " ")
			}
			e.setText(f, cell, false)
		}
	}
	return line, nil
}

// row returns the next row.
func (t *tableRecords) row() (cells []string, line int, err error) {
	t.input.read = 0
	cells, err = t.rows.Read()
	if err == nil {
		t.line, _ = t.rows.FieldPos(0)
		if i := slices.IndexFunc(cells, func(c string) bool { return !utf8.ValidString(c) }); i >= 0 {
			return nil, t.line, decode.Faultf("invalid UTF-8 in column %d", i+1)
		}
		return cells, t.line, nil
	}
	var syntax *csv.ParseError
	if errors.As(err, &syntax) {
		if errors.Is(err, csv.ErrFieldCount) {
			return nil, syntax.StartLine, decode.Faultf("the line has %d columns, the first one %d", len(cells), len(t.names))
		}
		return nil, syntax.StartLine, decode.Fault(syntax.Err.Error())
	}
	if h := t.stream.History(); h != nil && err == io.EOF && t.input.last != '\n' {
		h.SetUnterminated()
	}
	return nil, t.line, err
}

// header reads the names of the columns.
func (t *tableRecords) header(e *environment) (line int, err error) {
	cells, line, err := t.row()
	if err != nil {
		return line, err
	}
	names, known := make([][]byte, len(cells)), map[string]bool{}
	for i := range names {
		name := strings.TrimSpace(cells[i])
		if known[name] {
			return line, decode.Faultf("the header has the column %q twice; header=no if this line is a record", scan.Clip([]byte(name)))
		}
		known[name], names[i] = true, []byte(name)
		// Blanks around separators are not part of a cell where the header has them.
		if t.rows.Comma != '\t' {
			t.rows.TrimLeadingSpace = t.rows.TrimLeadingSpace || i > 0 && strings.HasPrefix(cells[i], " ")
			t.trimRight = t.trimRight || i < len(cells)-1 && strings.HasSuffix(cells[i], " ")
		}
	}
	for _, p := range e.unseen {
		if !known[p.field] {
			e.names = slices.Sorted(maps.Keys(known))
			return line, decode.Faultf("the header lacks the column %q, which %s names%s", scan.Clip([]byte(p.field)), p.part, e.didYouMean(&p))
		}
	}
	t.names = names
	return line, nil
}
