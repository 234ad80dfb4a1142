package jepsen

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec/decode"
	"github.com/leadline/leadline/history/codec/scan"
)

// Console has the logs of Jepsen tests, or a history.txt. It skips lines that are not about
// an operation.
var Console = decode.Format{
	Name:        ConsoleName,
	Single:      true,
	Description: "Jepsen's logs and history.txt: process, type, word and value in a line",
	Sniff:       sniffConsole,
	Open: func(s *decode.Stream) decode.Reader {
		return &console{stream: s, lines: s.Lines(), edn: ednReaderOf(nil, s.Pool), workers: map[string]bool{}}
	},
}

// console reads one stream.
type console struct {
	stream  *decode.Stream
	lines   *decode.LineReader
	line    consoleLine     // that is being read
	edn     *ednReader      // of values
	words   *wordHistory    // the open history
	inLog   bool            // lines without a prefix are not events
	ended   bool            // a line between two histories came after the last event
	workers map[string]bool // that have started
}

// A consoleLine has the parts of a line.
type consoleLine struct {
	kind      lineKind
	typ       history.EventType
	process   []byte // of an event, or the worker that starts
	f         []byte
	value     []byte // in EDN
	time      []byte // its place in the file counts, unless the times contradict it
	hasPrefix bool
}

type lineKind uint8

const (
	skippedLine lineKind = iota // about no operation of a client
	eventLine                   // an event of a process
	runLine                     // between the events of two histories, unless a worker starts for the first time
	reportLine                  // a report begins, which repeats events without their prefix
)

// consolePrefix precedes an operation in Jepsen's log, but not in its history.txt. A colon or
// a dash follows it.
var consolePrefix = []byte("jepsen.util")

// cut cuts a line PROCESS :TYPE :F VALUE, which a date and other words may precede. It reports
// whether the line has that form.
func (l *consoleLine) cut(text []byte) bool {
	*l = consoleLine{}
	whole := text
	if before, after, found := bytes.Cut(text, consolePrefix); found {
		l.hasPrefix = true
		if l.time = before[:min(len(before), len("2006-01-02 15:04:05,000"))]; !scan.IsDate(string(l.time)) {
			l.time = nil
		}
		text = bytes.TrimPrefix(bytes.TrimPrefix(after, []byte(":")), []byte(" -"))
	}
	var typ, f []byte
	l.process, text = scan.CutWord(text)
	typ, text = scan.CutWord(text)
	f, l.value = scan.CutWord(text)
	word, isKeyword := strings.CutPrefix(string(typ), ":")
	isType, isClient := false, false
	l.typ, isType = eventType(word)
	_, isClient = scan.ParseInt(l.process)
	if !isKeyword || !isType || len(f) < 2 || f[0] != ':' || !isClient && string(l.process) != ":nemesis" {
		l.cutMark(whole)
		return false
	}
	if l.f = f[1:]; isClient {
		l.kind = eventLine
	}
	return true
}

// runMark matches lines of a console that separate the events of two tests: where a test begins,
// where its clients are done, and where a worker starts, which it does once in a test.
var runMark = regexp.MustCompile(`^lein test |jepsen\.core.*(?:Running test|Run complete|Worker (\d+) starting|Starting worker (\d+))`)

// reportMark begins the report of knossos, which repeats events without the prefix of a worker.
var reportMark = []byte("Not linearizable. Linearizable prefix was")

// cutMark sets the kind of a line that is not an event, and as its process the worker that starts there.
func (l *consoleLine) cutMark(text []byte) {
	if bytes.HasPrefix(text, reportMark) {
		l.kind = reportLine
	} else if m := runMark.FindSubmatch(text); m != nil {
		l.kind, l.process = runLine, append(bytes.Clone(m[1]), m[2]...)
	}
}

// sniffConsole looks for a line that is an event.
func sniffConsole(head []byte) decode.Guess {
	_, data := decode.FirstData(head)
	if decode.IsBracket(data) {
		return decode.No
	}
	first := true
	for text := range bytes.Lines(data) {
		if first || text[len(text)-1] == '\n' {
			if new(consoleLine).cut(scan.TrimBlanks(bytes.TrimRight(text, "\r\n"))) {
				return decode.Yes
			}
		}
		first = false
	}
	if len(data) >= decode.SniffedText {
		return decode.No
	}
	return decode.Maybe
}

// Next implements decode.Reader.
func (d *console) Next() (line int, err error) {
	text, err := d.stream.TextLine(d.lines)
	if text = scan.TrimBlanks(text); err == nil && text[0] != '#' {
		d.line.cut(text)
		d.noteMark()
		if fault := d.event(); fault != "" {
			d.stream.Fault(d.lines.Line, "%s", fault)
		}
	}
	return d.lines.Line, err
}

// noteMark takes a line between events into account.
func (d *console) noteMark() {
	switch l, worker := &d.line, string(d.line.process); {
	case l.kind == reportLine:
		d.inLog = true
	case l.kind == runLine && (worker == "" || d.workers[worker]):
		d.ended, d.workers = true, map[string]bool{worker: true}
	case l.kind == runLine:
		d.workers[worker] = true
	}
}

// event adds the event of the line, if it is one, or returns a fault.
func (d *console) event() (fault string) {
	l, line := &d.line, d.lines.Line
	switch {
	case l.kind != eventLine || d.inLog && !l.hasPrefix:
		return ""
	case !utf8.Valid(l.f):
		return "invalid UTF-8"
	case l.hasPrefix && !d.inLog && d.words != nil && !d.ended:
		d.inLog = true
		return "an event of a log (jepsen.util) after events without this prefix (from line " + strconv.Itoa(d.words.line) + " on): write each history to a file of its own"
	}
	d.inLog = d.inLog || l.hasPrefix
	if d.words == nil || d.ended {
		d.ended = false
		d.words = newWordHistory(d.stream, ConsoleName, line)
	}
	ev := wordEvent{typ: l.typ, process: d.stream.Pool.Identifier(l.process), f: string(l.f), line: line}
	if l.time != nil {
		ev.time = history.StringValue(string(l.time))
	}
	if ev.value, fault = d.value(l.value, l.typ == history.Fail || l.typ == history.Info); fault != "" {
		return fault
	}
	// The result of a read that timed out is unknown. But it returned: its
	// process goes on. Other operations that time out end with :info.
	if ev.typ == history.Fail && isWord(ev.f, "read") && ev.value.Text() == ":timed-out" {
		ev.typ, ev.value, ev.unknown = history.OK, history.NullValue, true
	}
	d.words.events.add(&ev)
	return ""
}

// value reads the value at the end of a line. If the operation failed, its error may follow.
func (d *console) value(text []byte, isError bool) (v history.Value, fault string) {
	e := d.edn
	e.reset(text)
	v = e.value()
	if !e.failed() && e.problem == "" {
		if e.space(); !isError && !e.ended() {
			e.unexpected("the end of the line")
		}
	}
	if e.failed() {
		return v, "the value: " + e.fault
	}
	return v, e.problem
}
