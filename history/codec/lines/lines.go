package lines

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec/decode"
	"github.com/leadline/leadline/history/codec/scan"
)

// A table is a format with an event, or an operation with its stamps, in each line. Its
// function cut finds the parts of a line; all else is the same for each of them: comments (lines
// that begin with '#'), identifiers, values, pairs of events, faults, and the end of the file.
type table struct {
	name        string
	description string

	// A history begins with the line "# MARK OBJECT", without MARK if that is "".
	mark    string
	objects []object
	header  history.Header
	nothing string // the value that stands for none, when a method finds nothing
	// isWord reports whether a value that is not an integer is a word. It may be nil.
	isWord func(text []byte) bool

	// cut sets the parts of a line that is neither blank nor a comment. It reports false for
	// a line of another form than usage.
	cut   func(l *line, text []byte) bool
	usage string // "a line is" ...
}

// An object has one of the names in a header, a model and methods.
type object struct {
	names   []string
	model   string
	args    []history.Value
	methods []method
}

// A method is what a line calls by one of its names.
type method struct {
	names  []string
	model  string // the method of the model
	values values
}

// values says what values the lines of a method have.
type values uint8

const (
	argument values = iota // and no result
	answer                 // the result, and no argument
	both
)

// A line has the parts of a line.
type line struct {
	kind    lineKind
	typ     history.EventType // of an event
	process []byte            // of an event
	method  []byte            // of an operation and of an invocation
	value   []byte            // the argument or else the result of the method
	result  []byte            // of an operation with both
	// The stamps of an operation.
	start, end []byte
}

type lineKind uint8

const (
	eventLine     lineKind = iota // an event of a process
	operationLine                 // an operation with its stamps; each is a process of its own
	crashLine                     // what is open stays pending, and its processes go on as new ones
)

// format returns the Format of a table.
func (f *table) format() decode.Format {
	return decode.Format{
		Name:        f.name,
		Description: f.description,
		Sniff: func(head []byte) decode.Guess {
			return decode.SniffHeader(head, func(line []byte) bool {
				_, ok := f.headerOf(line)
				return ok
			})
		},
		Open: func(s *decode.Stream) decode.Reader { return &reader{table: f, stream: s, lines: s.Lines()} },
	}
}

// headerOf returns the name of the object that a header announces. Without a mark, only a known
// object makes a header of a comment.
func (f *table) headerOf(text []byte) (name []byte, ok bool) {
	if len(text) == 0 || text[0] != '#' {
		return nil, false
	}
	word, rest := scan.CutWord(text[1:])
	if f.mark != "" {
		name, _ = scan.CutWord(rest)
		return name, string(word) == f.mark
	}
	return word, len(rest) == 0 && f.object(word) != nil
}

func (f *table) object(name []byte) *object {
	for i := range f.objects {
		if slices.Contains(f.objects[i].names, string(name)) {
			return &f.objects[i]
		}
	}
	return nil
}

// known lists the names of the objects.
func (f *table) known() string {
	names := make([]string, len(f.objects))
	for i := range f.objects {
		names[i] = f.objects[i].names[0]
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// A reader reads one stream.
type reader struct {
	*table
	stream *decode.Stream
	lines  *decode.LineReader
	parts  line // of the line that is being read
	object *object
	b      *decode.History
	open   map[scan.ID]openCall
	// Operations with stamps, and these.
	whole        []interval
	starts, ends []int64
}

// An openCall is a call that has not returned.
type openCall struct {
	method *method
	result history.Value // that the call has already, or None
	line   int
}

// Next implements decode.Reader.
func (d *reader) Next() (line int, err error) {
	text, err := d.stream.TextLine(d.lines)
	if err == nil {
		if fault := d.line(scan.TrimBlanks(text)); fault != "" {
			d.stream.Fault(d.lines.Line, "%s", fault)
		}
	}
	return d.lines.Line, err
}

// line reads a line. The fault that it returns is one of the current history, or of the file if
// there is none.
func (d *reader) line(text []byte) (fault string) {
	l := &d.parts
	*l = line{}
	switch {
	case !utf8.Valid(text):
		return "invalid UTF-8"
	case text[0] == '#':
		if name, ok := d.headerOf(text); ok {
			return d.begin(name)
		}
		return ""
	case d.object == nil && d.b != nil: // its object is unknown, which has been reported
		return ""
	case d.object == nil:
		return fmt.Sprintf("no object before this line; a history begins with %s", strings.Join(strings.Fields("# "+d.mark+" "+d.known()), " "))
	case !d.cut(l, text):
		return "a line is: " + d.usage
	case l.kind == operationLine:
		return d.operation(l)
	case l.kind == crashLine:
		d.crash()
		return ""
	case l.typ == history.Invoke:
		return d.call(l)
	}
	return d.response(l)
}

// begin begins a history of the object that a header names.
func (d *reader) begin(name []byte) (fault string) {
	header := d.header
	header.Line = d.lines.Line
	d.b = d.stream.Begin(header)
	d.b.Finish = d.addOperations
	d.b.Kept = func() int64 { return int64(len(d.whole)) * 2 * decode.EventBytes }
	d.open = map[scan.ID]openCall{}
	if d.object = d.table.object(name); d.object == nil {
		return fmt.Sprintf("the object is %s, not %q", d.known(), scan.Clip(name))
	}
	d.b.SetModel(d.object.model, d.object.args)
	return ""
}

// find returns the index of the method with a name.
func (d *reader) find(name []byte) (i int, fault string) {
	for i := range d.object.methods {
		if slices.Contains(d.object.methods[i].names, string(name)) {
			return i, ""
		}
	}
	return 0, fmt.Sprintf("%s has no method %q", d.object.names[0], scan.Clip(name))
}

// value reads a value of a method; None means that there is none.
func (d *reader) value(m *method, text []byte) (v history.Value, fault string) {
	n, isInt := scan.PlainInt(text)
	switch {
	case len(text) == 0:
		return history.NoValue, ""
	case m.values != both && string(text) == d.nothing:
		return history.NullValue, ""
	case isInt:
		return history.IntValue(n), ""
	case scan.IsInteger(string(text)):
		return v, fmt.Sprintf("integer %s does not fit 64 bits", scan.Clip(text))
	case d.isWord == nil:
		return v, fmt.Sprintf("%q is not an integer", scan.Clip(text))
	case !d.isWord(text):
		return v, fmt.Sprintf("%q is not a value: an integer, a word or %s", scan.Clip(text), d.nothing)
	}
	return d.stream.Pool.Text(text), ""
}

// lacksValue returns a fault if a method that has an argument has no value.
func (d *reader) lacksValue(m *method, v history.Value) (fault string) {
	switch {
	case m.values == answer:
	case v.Kind() == history.None:
		return fmt.Sprintf("%s needs a value to put in", m.names[0])
	case v.Kind() == history.Null:
		return fmt.Sprintf("%s needs a value to put in, and %s stands for nothing", m.names[0], d.nothing)
	}
	return ""
}

// outcome returns the result of a method that has an argument, too.
func outcome(m *method, text []byte) (did bool, fault string) {
	switch string(text) {
	case "1", "true":
		return true, ""
	case "0", "false":
		return false, ""
	}
	return false, fmt.Sprintf("the result of %s is 0 or 1, not %q", m.names[0], scan.Clip(text))
}
