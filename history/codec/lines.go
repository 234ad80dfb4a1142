package codec

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/leadline/leadline/history"
)

// A lineFormat is a format with an event, or an operation with its stamps, in each line. Its
// function cut finds the parts of a line; all else is the same for each of them: comments (lines
// that begin with '#'), identifiers, values, pairs of events, faults, and the end of the file.
type lineFormat struct {
	name        string
	description string

	// A history begins with the line "# MARK OBJECT", without MARK if that is "". A format
	// without objects has one history in a file, of the words that dialects know, and
	// its values are EDN.
	mark    string
	objects []lineObject
	order   history.Order
	tie     history.Tie
	nothing string // the value that stands for none, when a method finds nothing
	// isWord reports whether a value that is not an integer is a word. It may be nil.
	isWord func(text []byte) bool

	// cut sets the parts of a line that is neither blank nor a comment. It reports false for
	// a line of another form than usage, which is a fault of a format with objects.
	cut   func(l *line, text []byte) bool
	usage string // "a line is" ...
}

// A lineObject is an object that a header names by one of its names. It has a model and words.
type lineObject struct {
	names []string
	dialect
}

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
	time       []byte // of an event; its place in the file counts, unless the times contradict it
	hasPrefix  bool   // of an event of a log
}

type lineKind uint8

const (
	skippedLine   lineKind = iota // about no operation of a client
	eventLine                     // an event of a process
	operationLine                 // an operation with its stamps; each is a process of its own
	crashLine                     // what is open stays pending, and its processes go on as new ones
	runLine                       // between the events of two histories, unless a worker starts for the first time
	reportLine                    // a report begins, which repeats events without their prefix
)

// format returns the Format of a row.
func (f *lineFormat) format() Format {
	return Format{Name: f.name, Description: f.description, Single: f.objects == nil, Decode: f.decode, Sniff: f.sniff}
}

// sniff looks for a header or, in a format without headers, for a line that cut knows.
func (f *lineFormat) sniff(head []byte) Guess {
	if f.objects != nil {
		return sniffHeader(head, func(line []byte) bool {
			_, ok := f.header(line)
			return ok
		})
	}
	_, data := firstData(head)
	if isBracket(data) {
		return No
	}
	first := true
	for text := range bytes.Lines(data) {
		if first || text[len(text)-1] == '\n' {
			if f.cut(new(line), trimBlanks(bytes.TrimRight(text, "\r\n"))) {
				return Yes
			}
		}
		first = false
	}
	if len(data) >= detectText {
		return No
	}
	return Maybe
}

// header returns the name of the object that a header announces. Without a mark, only a known
// object makes a header of a comment.
func (f *lineFormat) header(text []byte) (object []byte, ok bool) {
	text, ok = bytes.CutPrefix(text, []byte("#"))
	if !ok || f.objects == nil {
		return nil, false
	}
	word, rest := cutWord(text)
	if f.mark != "" {
		object, _ = cutWord(rest)
		return object, string(word) == f.mark
	}
	return word, len(rest) == 0 && f.object(word) != nil
}

func (f *lineFormat) object(name []byte) *lineObject {
	for i := range f.objects {
		if slices.Contains(f.objects[i].names, string(name)) {
			return &f.objects[i]
		}
	}
	return nil
}

// known lists the names of the objects.
func (f *lineFormat) known() string {
	names := make([]string, len(f.objects))
	for i := range f.objects {
		names[i] = f.objects[i].names[0]
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// A lineDecoder decodes one stream.
type lineDecoder struct {
	*lineFormat
	out     output
	lines   *lineReader
	parts   line   // of the line that is being read
	budget  budget // of the current history
	object  *lineObject
	b       *history.Builder
	words   *wordHistory    // of a format without objects
	edn     *ednReader      // of words
	inLog   bool            // lines without a prefix are not events
	ended   bool            // a line between two histories came after the last event
	workers map[string]bool // that have started
	pool    *pool
	open    map[identifier]openCall
	// Operations with stamps, and these.
	whole        []interval
	starts, ends []int64
}

// An openCall is a call that has not returned.
type openCall struct {
	word   *word
	result history.Value // that the call has already, or None
	line   int
}

func (f *lineFormat) decode(r io.Reader, file string, lim Limits) iter.Seq2[*history.History, error] {
	return func(yield func(*history.History, error) bool) {
		lim := lim.fill()
		d := &lineDecoder{lineFormat: f, out: output{file: file, yield: yield}, lines: newLineReader(r, lim.Line), workers: map[string]bool{}}
		d.edn = newEDNReader(nil, 0)
		d.pool = borrow(&d.lines.window)
		d.edn.pool = d.pool
		d.budget = budget{lim: &lim, pool: d.pool, size: sizeOf(r)}
		d.run()
		d.pool.release(&d.lines.window)
	}
}

func (d *lineDecoder) run() {
	unterminated := false // the last line that is not blank
	for !d.out.stopped {
		text, whole, err := d.lines.next()
		if err != nil {
			d.finish(err, unterminated)
			return
		}
		if err := d.budget.charge(len(text)+1, d.b, d.kept()); err != nil {
			d.out.broken(d.lines.line, err)
			return
		}
		if text = trimBlanks(text); len(text) == 0 {
			continue
		}
		unterminated = !whole
		fault := "invalid UTF-8"
		if d.objects == nil || utf8.Valid(text) { // logs may have any noise
			fault = d.line(text)
		}
		switch {
		case fault == "":
		case d.b != nil:
			d.b.Errorf(d.lines.line, "%s", fault)
		default:
			d.out.fault(d.lines.line, "%s", fault)
		}
	}
}

// kept returns about how much memory the current history takes outside of its Builder.
func (d *lineDecoder) kept() int64 {
	if d.words != nil {
		return d.words.bytes()
	}
	return int64(len(d.whole)) * 2 * eventBytes
}

// finish delivers the last history at the end of the stream. If that was cut short, as
// compressed files are, the history is not whole.
func (d *lineDecoder) finish(err error, unterminated bool) {
	if d.b != nil && isEnd(err) {
		switch {
		case err != io.EOF:
			d.b.Errorf(d.lines.line, "%s", cutShort)
		case unterminated:
			d.b.SetUnterminated()
		}
		d.out.deliver()
	}
	if err != io.EOF {
		d.out.broken(d.lines.line, err)
	}
}

// cutShort is the fault of a history whose file ends before it is complete.
const cutShort = "the file is cut here, so that the history is not whole"

// isEnd reports whether what came before err is to be delivered: at the end of the
// stream, or where it was cut.
func isEnd(err error) bool { return err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) }

// begin begins a history, and delivers the one before it.
func (d *lineDecoder) begin(finish func()) {
	d.out.begin()
	d.budget.begin()
	line := d.lines.line
	d.b = history.NewBuilder(history.Header{File: d.out.file, Line: line, Format: d.name, Order: d.order, Tie: d.tie, NoProcesses: d.name == polylinName})
	d.out.hold(&pending{b: d.b, line: line, finish: finish})
}

// line reads a line. The fault that it returns is one of the current history, or of the file if
// there is none.
func (d *lineDecoder) line(text []byte) (fault string) {
	if text[0] == '#' {
		if name, ok := d.header(text); ok {
			return d.announce(name)
		}
		return ""
	}
	if d.objects != nil && d.object == nil {
		if d.b != nil {
			return "" // of a history whose object is unknown, which has been reported
		}
		return fmt.Sprintf("no object before this line; a history begins with %s", strings.Join(strings.Fields("# "+d.mark+" "+d.known()), " "))
	}
	l := &d.parts
	*l = line{}
	known := d.cut(l, text)
	switch {
	case d.objects == nil:
		return d.word(l)
	case !known:
		return "a line is: " + d.usage
	case l.kind == operationLine:
		return d.operation(l)
	case l.kind == crashLine:
		d.crash()
	case l.kind == eventLine && l.typ == history.Invoke:
		return d.call(l)
	case l.kind == eventLine:
		return d.response(l)
	}
	return ""
}
