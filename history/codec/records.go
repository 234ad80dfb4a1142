package codec

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/leadline/leadline/history/files"
)

// records is a stream of records: maps from names to values, which may be nested.
type records interface {
	// next reads the next record into e and returns the line on which it begins. At the
	// end of the stream, it returns an *end and the last line.
	next(e *environment) (line int, err error)
	// size returns how many bytes the last record has.
	size() int
}

// An end says why a stream of records ended.
type end struct {
	err error // io.EOF after a whole stream
	// file is true if err is not about the syntax of a record.
	file bool
	// unterminated is true if the last line of a whole stream has no newline.
	unterminated bool
}

func (e *end) Error() string { return e.err.Error() }

// An objectStream reads objects that follow one another or are the elements of a list.
type objectStream struct {
	objects *objectReader
	list    int // the line that the list begins on; 0 without one
	state   listState
}

// A listState says what an objectStream read last.
type listState uint8

const (
	noObject listState = iota
	afterObject
	afterComma
	listClosed
)

// next returns the next object, which is valid until the next call, and its line.
func (s *objectStream) next() (text []byte, line int, err error) {
	o := s.objects
	if err := s.toObject(); err != nil {
		return nil, o.line, err
	}
	text, line, err = o.next()
	if err != nil {
		return nil, line, &end{err: err, file: errors.Is(err, files.ErrLimit) || o.err != nil && o.err != io.EOF}
	}
	s.state = afterObject
	return text, line, nil
}

// toObject skips what separates objects.
func (s *objectStream) toObject() error {
	o := s.objects
	for {
		if err := o.more(); err != nil {
			if err == io.EOF && s.list > 0 && s.state != listClosed {
				return &end{err: fmt.Errorf("the file ends inside the list that begins at line %d", s.list)}
			}
			return &end{err: err, file: true}
		}
		c := o.buf[o.start]
		switch {
		case s.state == listClosed:
			return &end{err: fmt.Errorf("unexpected %q after the list of records", c)}
		case c == '[' && s.state == noObject && s.list == 0:
			s.list = o.line
		case s.list == 0:
			return nil
		case c == ']' && s.state != afterComma:
			s.state = listClosed
		case c == ',' && s.state == afterObject:
			s.state = afterComma
		case s.state == afterObject:
			return &end{err: fmt.Errorf("unexpected %q, ',' or ']' expected", c)}
		default:
			return nil
		}
		o.start++
	}
}

// jsonRecords reads objects.
type jsonRecords struct {
	objectStream
	scan scanner
	text []byte
}

func newJSONRecords(r io.Reader, lim Limits) *jsonRecords {
	s := &jsonRecords{objectStream: objectStream{objects: newObjectReader(r, lim)}}
	s.objects.comments = true
	s.scan.pool, s.scan.wide = new(pool), true
	return s
}

func (s *jsonRecords) size() int { return len(s.text) }

// next implements records. If the window does not have all of an object without a fault, next
// finds its end first, and reads it then.
func (s *jsonRecords) next(e *environment) (line int, err error) {
	o, scan := s.objects, &s.scan
	if err := s.toObject(); err != nil {
		return o.line, err
	}
	s.read(e, o.buf[o.start:o.end])
	if !scan.failed() && int64(scan.pos) <= min(o.lineLimit, o.objectLimit) {
		s.text, line = scan.data[:scan.pos], o.line
		o.start, o.line = o.start+scan.pos, line+bytes.Count(s.text, []byte{'\n'})
		s.state = afterObject
		return line, nil
	}
	e.begin()
	s.text, line, err = s.objectStream.next()
	if err != nil {
		return line, err
	}
	if s.read(e, s.text); scan.failed() {
		return line, &end{err: errors.New(scan.fault)}
	}
	return line, nil
}

// read reads the object that text begins with. It reads only the members that expressions name.
func (s *jsonRecords) read(e *environment, text []byte) {
	scan := &s.scan
	scan.reset(text)
	for more := scan.begin('{', '}'); more; more = scan.more('}') {
		f := e.field(scan.key())
		if f == nil {
			scan.skip()
			continue
		}
		if e.has(f) {
			scan.fail(scan.pos, "the key %q occurs twice", clip([]byte(f.name)))
			break
		}
		s.member(e, f)
	}
	if e.namesText {
		e.text = string(text[:scan.pos])
	}
}

// member reads the value of a field.
func (s *jsonRecords) member(e *environment, f *recordField) {
	s.scan.peek()
	start := s.scan.pos
	f.record = e.record
	if f.plain {
		f.plainValue = e.parse(&s.scan, false)
	}
	if f.exact {
		s.scan.pos = start
		f.exactValue = e.parse(&s.scan, true)
	}
}

// tableRecords reads a table, in CSV or with another separator.
type tableRecords struct {
	rows     *csv.Reader
	input    *lineLimiter
	noHeader bool     // the columns are called c1, c2 and so on
	names    [][]byte // of the columns
	line     int      // on which the last row begins
	bytes    int
	// trimRight is set if blanks at the end of a cell do not count.
	trimRight bool
}

func newTableRecords(r io.Reader, comma rune, limit int64, noHeader bool) *tableRecords {
	if comma == ' ' {
		comma = ',' // one column
	}
	input := &lineLimiter{r: r, limit: limit}
	t := &tableRecords{rows: csv.NewReader(input), input: input, line: 1, noHeader: noHeader}
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
		return 0, tooLong(l.limit)
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
	var last *end
	if first && errors.As(err, &last) && last.err == io.EOF {
		err = &end{err: errors.New("the table has a header and no record")}
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
			return nil, t.line, &end{err: fmt.Errorf("invalid UTF-8 in column %d", i+1)}
		}
		return cells, t.line, nil
	}
	var syntax *csv.ParseError
	if errors.As(err, &syntax) {
		why := syntax.Err
		if errors.Is(err, csv.ErrFieldCount) {
			why = fmt.Errorf("the line has %d columns, the first one %d", len(cells), len(t.names))
		}
		return nil, syntax.StartLine, &end{err: why}
	}
	return nil, t.line, &end{err: err, file: true, unterminated: t.input.last != '\n'}
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
			return line, &end{err: fmt.Errorf("the header has the column %q twice; header=no if this line is a record", clip([]byte(name)))}
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
			return line, &end{err: fmt.Errorf("the header lacks the column %q, which %s names%s", clip([]byte(p.field)), p.part, e.didYouMean(&p))}
		}
	}
	t.names = names
	return line, nil
}

// lineRecords reads lines of NAME=VALUE pairs, or of columns without names.
type lineRecords struct {
	lines *lineReader
	cut   func(text []byte, pairs []textPair) ([]textPair, string)
	whole bool // the last line has a newline
	bytes int
	pairs []textPair // of the last line
}

func (l *lineRecords) size() int { return l.bytes }

func (l *lineRecords) next(e *environment) (line int, err error) {
	for {
		text, whole, err := l.lines.next()
		if err != nil {
			return l.lines.line, &end{err: err, file: true, unterminated: !l.whole}
		}
		text = bytes.TrimSuffix(text, []byte{'\r'})
		if trimmed := bytes.TrimSpace(text); len(trimmed) == 0 || trimmed[0] == '#' {
			continue
		}
		l.whole, l.bytes = whole, len(text)
		var fault string
		l.pairs, fault = l.cut(text, l.pairs[:0])
		switch {
		case !utf8.Valid(text):
			fault = "invalid UTF-8"
		case fault == "" && len(l.pairs) == 0:
			fault = "no NAME=VALUE in the line; read=columns reads words"
		}
		if e.namesText {
			e.text = string(text)
		}
		for _, p := range l.pairs {
			f := e.field([]byte(p.name))
			switch {
			case fault != "" || f == nil:
			case e.has(f):
				fault = fmt.Sprintf("the line has %s twice", clip([]byte(p.name)))
			default:
				e.setText(f, p.value, p.quoted)
			}
		}
		if fault != "" {
			return l.lines.line, &end{err: errors.New(fault)}
		}
		return l.lines.line, nil
	}
}

// A textPair is a name with a value.
type textPair struct {
	name, value string
	quoted      bool
	start       int // of the value, in the line
}

// columnName returns the name of the column with an index, from 0.
func columnName(i int) string { return "c" + strconv.Itoa(i+1) }

// words appends the words of a line to pairs.
func words(text []byte, pairs []textPair) ([]textPair, string) {
	for i, word := range strings.Fields(string(text)) {
		pairs = append(pairs, textPair{name: columnName(i), value: word})
	}
	return pairs, ""
}

// tabColumns appends the columns of a line that tabs separate to pairs. Quotes have no meaning:
// logs have them in any place.
func tabColumns(text []byte, pairs []textPair) ([]textPair, string) {
	for cell := range strings.SplitSeq(string(text), "\t") {
		pairs = append(pairs, textPair{name: columnName(len(pairs)), value: strings.TrimSpace(cell)})
	}
	return pairs, ""
}

// logfmtPairs appends the pairs of a line to pairs, or returns a fault. Words without a '='
// belong to the value before them, unless that is quoted. Those before the first pair are left
// out.
func logfmtPairs(line []byte, pairs []textPair) ([]textPair, string) {
	text := string(line)
	isBlank := func(i int) bool { return text[i] == ' ' || text[i] == '\t' || text[i] == '\r' || text[i] == '\n' }
	for at := 0; ; {
		for at < len(text) && isBlank(at) {
			at++
		}
		if at == len(text) {
			return pairs, ""
		}
		end := at
		for end < len(text) && !isBlank(end) {
			end++
		}
		word := text[at:end]
		name, value, _ := strings.Cut(word, "=")
		switch n := len(pairs); {
		case name == "" || name == word:
			if n > 0 && !pairs[n-1].quoted {
				p := &pairs[n-1]
				p.value = text[p.start : at+len(word)]
			}
			at += len(word)
		case !strings.HasPrefix(value, `"`):
			pairs = append(pairs, textPair{name: name, value: value, start: at + len(name) + 1})
			at += len(word)
		default:
			at += len(name) + 1
			quoted, err := strconv.QuotedPrefix(text[at:])
			if err != nil {
				return nil, fmt.Sprintf("the value of %s has no closing quote", clip([]byte(name)))
			}
			value, _ = strconv.Unquote(quoted) // of which it is a prefix
			pairs = append(pairs, textPair{name: name, value: value, quoted: true})
			at += len(quoted)
		}
	}
}
