package codec

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/leadline/leadline/history"
)

// records is a stream of records: maps from names to values, which may be nested.
type records interface {
	// next returns the next record and the line on which it begins. At the end of
	// the stream, it returns an *end and the last line. A record is valid until
	// the next call.
	next() (record history.Value, line int, err error)
	// number returns the text of the number that keys lead to in the last record.
	number(keys []string) string
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

// recordKinds are the kinds of records that a mapping can name. In json, objects
// follow one another or are the elements of a list.
var recordKinds = []string{"json", "csv", "tsv", "logfmt"}

// openRecords returns the records of r and their kind. Unless kind names it, it is
// detected.
func openRecords(r io.Reader, kind string, p *pool, lim Limits) (records, string) {
	w := window{r: r}
	for w.err == nil && kindOf(w.buf[:w.end], kind) == "" && w.end < detectText {
		w.fill(detectText)
	}
	first := bytes.TrimPrefix(w.buf[:w.end], byteOrderMark)
	kind = cmp.Or(kind, kindOf(append(slices.Clip(first), '\n'), ""))
	r = io.MultiReader(bytes.NewReader(first), &afterWindow{r, w.err})
	switch kind {
	case "json":
		return newJSONRecords(r, p, lim), jsonlName
	case "logfmt":
		return &logfmtRecords{lines: newLineReader(r, lim.Line), textRecord: textRecord{pool: p}}, kind
	}
	return newTableRecords(r, separator(first, kind), p, lim.Line), "csv"
}

// afterWindow is what follows a window that ended with err, or did not end.
type afterWindow struct {
	r   io.Reader
	err error
}

func (a *afterWindow) Read(p []byte) (int, error) {
	if a.err != nil {
		return 0, a.err
	}
	return a.r.Read(p)
}

// kindOf returns the kind of the records that begin with text, or "" if that takes
// more text. known is the kind if the mapping names it. A table has a header line.
func kindOf(text []byte, known string) string {
	text = bytes.TrimLeft(bytes.TrimPrefix(text, byteOrderMark), " \t\r\n")
	if len(text) == 0 {
		return ""
	}
	if (text[0] == '{' || text[0] == '[') && known == "" {
		return "json"
	}
	line, _, whole := bytes.Cut(text, []byte("\n"))
	switch {
	case known == "json":
		return known
	case !whole:
		return ""
	case known != "":
		return known
	}
	if pairs, fault := logfmtPairs(line); fault != "" || len(pairs) > 0 {
		return "logfmt"
	}
	return "csv"
}

// separator returns the separator of the columns of a table: the candidate that
// occurs most often in its header.
func separator(text []byte, kind string) rune {
	if kind == "tsv" {
		return '\t'
	}
	header, _, _ := bytes.Cut(bytes.TrimLeft(text, "\r\n"), []byte("\n"))
	best := ','
	for _, c := range ";\t|" {
		if bytes.Count(header, []byte(string(c))) > bytes.Count(header, []byte(string(best))) {
			best = c
		}
	}
	return best
}

// jsonRecords reads objects that follow one another or are the elements of a list.
type jsonRecords struct {
	objects *objectReader
	scan    scanner
	brief   history.Scratch
	text    []byte
	list    int // the line that the list begins on; 0 without one
	state   listState
}

func newJSONRecords(r io.Reader, p *pool, lim Limits) *jsonRecords {
	s := &jsonRecords{objects: newObjectReader(r, lim)}
	s.scan.pool, s.scan.wide, s.scan.brief = p, true, &s.brief
	return s
}

func (s *jsonRecords) next() (record history.Value, line int, err error) {
	o := s.objects
	if err := s.toObject(); err != nil {
		return record, o.line, err
	}
	text, line, err := o.next()
	if err != nil {
		return record, line, &end{err: err, file: errors.Is(err, ErrLimit) || o.err != nil && o.err != io.EOF}
	}
	s.text, s.state = text, afterObject
	s.scan.reset(text)
	s.brief.Reset()
	record = s.scan.value(false)
	if s.scan.end(); s.scan.failed() {
		return record, line, &end{err: errors.New(s.scan.fault)}
	}
	return record, line, nil
}

// toObject skips what separates objects.
func (s *jsonRecords) toObject() error {
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

// A listState says what jsonRecords read last.
type listState uint8

const (
	noObject listState = iota
	afterObject
	afterComma
	listClosed
)

// number implements records. It reads the record again, since few stamps are numbers
// with fractions.
func (s *jsonRecords) number(keys []string) string { return rawAt(s.text, keys) }

func (s *jsonRecords) size() int { return len(s.text) }

// rawAt returns the text of the value that keys lead to in an object or list in JSON,
// or "".
func rawAt(text []byte, keys []string) string {
	s := scanner{data: text, pool: new(pool), wide: true}
	for _, key := range keys {
		if !s.enter(key) {
			return ""
		}
	}
	s.peek()
	start := s.pos
	s.skip()
	return string(text[start:s.pos])
}

// enter moves to the value of a key of the object or list at pos.
func (s *scanner) enter(key string) bool {
	switch s.peek() {
	case '{':
		for more := s.begin('{', '}'); more; more = s.more('}') {
			if string(s.key()) == key {
				s.peek()
				return !s.failed()
			}
			s.skip()
		}
	case '[':
		i := listIndex(key)
		for more := s.begin('[', ']'); more && i >= 0; more = s.more(']') {
			if s.peek(); i == 0 {
				return true
			}
			i--
			s.skip()
		}
	}
	return false
}

// A textRecord is a line as a record: its names in ascending order, with their values.
type textRecord struct {
	pool   *pool
	names  []history.Value
	fields []string
	pairs  []history.Value
	bytes  int
}

// value returns the record. Empty fields are absent.
func (t *textRecord) value() history.Value {
	t.pairs, t.bytes = t.pairs[:0], 0
	for i, text := range t.fields {
		if t.bytes += len(text) + 1; text != "" {
			t.pairs = append(t.pairs, t.names[i], textValue(text, t.pool))
		}
	}
	m, _ := history.MapValue(t.pairs...) // whose names differ
	return m
}

func (t *textRecord) number(keys []string) string {
	i := slices.IndexFunc(t.names, func(name history.Value) bool { return len(keys) > 0 && name.Text() == keys[0] })
	switch {
	case i < 0:
		return ""
	case len(keys) == 1:
		return t.fields[i]
	}
	return rawAt([]byte(t.fields[i]), keys[1:]) // a cell in JSON
}

func (t *textRecord) size() int { return t.bytes }

// textValue returns the value of a text: an integer, a float if it is written as
// leadline writes it, true, false, null, a list or an object in JSON, or else a
// string. Different texts have different values, except for lists and objects.
func textValue(text string, p *pool) history.Value {
	switch c := text[0]; {
	case c == '-' || '0' <= c && c <= '9':
		if n, err := strconv.ParseInt(text, 10, 64); err == nil && strconv.FormatInt(n, 10) == text {
			return history.IntValue(n)
		}
		if f, ok := history.ParseFloat(text); ok && string(appendFloat(nil, f)) == text {
			return history.FloatValue(f)
		}
	case c == '[' || c == '{':
		s := scanner{data: []byte(text), pool: p, wide: true}
		if v := s.value(false); s.end() {
			return v
		}
	case text == "true" || text == "false":
		return history.BoolValue(text == "true")
	case text == "null":
		return history.NullValue
	}
	return p.text([]byte(text))
}

// tableRecords reads a table with a header, in CSV or with another separator.
type tableRecords struct {
	textRecord
	rows   *csv.Reader
	input  *lineLimiter
	column []int    // of the names
	line   int      // on which the last row begins
	needed []string // paths that the header must have
	// trimRight is set if blanks at the end of a cell do not count.
	trimRight bool
}

func newTableRecords(r io.Reader, comma rune, p *pool, limit int64) *tableRecords {
	input := &lineLimiter{r: r, limit: limit}
	t := &tableRecords{textRecord: textRecord{pool: p}, rows: csv.NewReader(input), input: input, line: 1}
	t.rows.Comma, t.rows.ReuseRecord = comma, true
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

func (t *tableRecords) next() (record history.Value, line int, err error) {
	first := t.names == nil
	if first {
		if line, err := t.header(); err != nil {
			return record, line, err
		}
	}
	cells, line, err := t.row()
	var e *end
	if first && errors.As(err, &e) && e.err == io.EOF {
		err = &end{err: errors.New("the table has a header and no record")}
	}
	if err != nil {
		return record, line, err
	}
	for i, column := range t.column {
		if t.fields[i] = cells[column]; t.trimRight {
			t.fields[i] = strings.TrimRight(t.fields[i], " ")
		}
	}
	return t.value(), line, nil
}

// row returns the next row.
func (t *tableRecords) row() (cells []string, line int, err error) {
	t.input.read = 0
	cells, err = t.rows.Read()
	var syntax *csv.ParseError
	switch {
	case err == nil:
		t.line, _ = t.rows.FieldPos(0)
		if i := slices.IndexFunc(cells, func(c string) bool { return !utf8.ValidString(c) }); i >= 0 {
			return nil, t.line, &end{err: fmt.Errorf("invalid UTF-8 in column %d", i+1)}
		}
		return cells, t.line, nil
	case errors.As(err, &syntax):
		why := syntax.Err
		if errors.Is(err, csv.ErrFieldCount) {
			why = fmt.Errorf("the line has %d columns, the header %d", len(cells), len(t.names))
		}
		return nil, syntax.StartLine, &end{err: why}
	}
	return nil, t.line, &end{err: err, file: true, unterminated: t.input.last != '\n'}
}

// header reads the names of the columns.
func (t *tableRecords) header() (line int, err error) {
	cells, line, err := t.row()
	if err != nil {
		return line, err
	}
	names, seen := slices.Clone(cells), map[string]bool{}
	for i := range names {
		names[i] = strings.TrimSpace(names[i])
		if seen[names[i]] {
			return line, &end{err: fmt.Errorf("the header has the column %q twice", clip([]byte(names[i])))}
		}
		seen[names[i]] = true
		t.column = append(t.column, i)
		// Blanks around separators are not part of a cell where the header has them.
		if t.rows.Comma != '\t' {
			t.rows.TrimLeadingSpace = t.rows.TrimLeadingSpace || i > 0 && strings.HasPrefix(cells[i], " ")
			t.trimRight = t.trimRight || i < len(cells)-1 && strings.HasSuffix(cells[i], " ")
		}
	}
	for _, path := range t.needed {
		if !slices.ContainsFunc(names, func(name string) bool { return path == name || strings.HasPrefix(path, name+".") }) {
			return line, &end{err: fmt.Errorf("the header lacks the column %q of the mapping", clip([]byte(path)))}
		}
	}
	slices.SortFunc(t.column, func(i, j int) int { return strings.Compare(names[i], names[j]) })
	for _, i := range t.column {
		t.names = append(t.names, history.StringValue(names[i]))
	}
	t.fields = make([]string, len(names))
	return line, nil
}

// logfmtRecords reads lines of NAME=VALUE pairs.
type logfmtRecords struct {
	textRecord
	lines *lineReader
	whole bool // the last line has a newline
}

func (l *logfmtRecords) next() (record history.Value, line int, err error) {
	for {
		text, whole, err := l.lines.next()
		if err != nil {
			return record, l.lines.line, &end{err: err, file: true, unterminated: !l.whole}
		}
		if isBlank(text) {
			continue
		}
		l.whole = whole
		pairs, fault := logfmtPairs(text)
		switch {
		case !utf8.Valid(text):
			fault = "invalid UTF-8"
		case fault == "" && len(pairs) == 0:
			fault = "no NAME=VALUE in the line"
		}
		if fault != "" {
			return record, l.lines.line, &end{err: errors.New(fault)}
		}
		l.names, l.fields = l.names[:0], l.fields[:0]
		for _, p := range pairs {
			l.names, l.fields = append(l.names, l.pool.text([]byte(p.name))), append(l.fields, p.value)
		}
		return l.value(), l.lines.line, nil
	}
}

type logfmtPair struct{ name, value string }

// logfmtPairs returns the pairs of a line, in the order of their names. It ignores
// words without a '='.
func logfmtPairs(text []byte) (pairs []logfmtPair, fault string) {
	const blanks = " \t\r"
	for rest := strings.TrimLeft(string(text), blanks); rest != ""; rest = strings.TrimLeft(rest, blanks) {
		word := rest
		if end := strings.IndexAny(rest, blanks); end >= 0 {
			word = rest[:end]
		}
		name, value, _ := strings.Cut(word, "=")
		if name == word || name == "" {
			rest = rest[len(word):]
			continue
		}
		if rest = rest[len(name)+1:]; !strings.HasPrefix(rest, `"`) {
			pairs, rest = append(pairs, logfmtPair{name, value}), rest[len(value):]
			continue
		}
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil {
			return nil, fmt.Sprintf("the value of %s has no closing quote", clip([]byte(name)))
		}
		value, _ = strconv.Unquote(quoted) // of which it is a prefix
		pairs, rest = append(pairs, logfmtPair{name, value}), rest[len(quoted):]
	}
	slices.SortStableFunc(pairs, func(a, b logfmtPair) int { return strings.Compare(a.name, b.name) })
	for i := 1; i < len(pairs); i++ {
		if pairs[i].name == pairs[i-1].name {
			return nil, fmt.Sprintf("the line has %s twice", clip([]byte(pairs[i].name)))
		}
	}
	return pairs, ""
}
