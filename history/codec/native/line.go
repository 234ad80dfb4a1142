package native

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec/decode"
	"github.com/leadline/leadline/history/codec/scan"
)

// A nativeLine is a parsed line of the native format.
type nativeLine struct {
	seen    field
	problem string // the first fault that is not one of syntax
	event   history.Event
	history history.Value // String
	// of headers
	version    int64
	model      string
	tie        history.Tie
	order      history.Order
	torn       bool
	guessed    bool
	durability history.Durability
	// of edges, marks and ends
	from, to history.Value
	happened bool
	end      string
	// guesses has the number of the field that followed last time: after field
	// number n, at eventTypes*n plus the type so far; n is 0 at the beginning.
	guesses [eventTypes * len(fieldNames)]uint8
}

const eventTypes = int(history.Crash) + 1

func (l *nativeLine) fault(format string, args ...any) {
	if l.problem == "" {
		l.problem = fmt.Sprintf(format, args...)
	}
}

// restrict records a fault if the line has a key that is not allowed. what names the
// kind of line.
func (l *nativeLine) restrict(allowed field, what string) {
	if extra := l.seen &^ allowed; extra != 0 {
		l.fault("%s has no %s; its keys are %s", what, extra.names(), allowed.names())
	}
}

// read parses one line. Syntax errors are left in s, other faults in l.problem.
//
// Most lines have the same fields in the same order, without white space, so each field
// is first looked for as what followed the one before it last time.
func (l *nativeLine) read(s *scan.Scanner, text []byte) {
	l.reset()
	s.Reset(text)
	guess := &l.guesses[0]
	before := byte('{')
	for {
		n := int(*guess)
		if !pass(s, before, &quotedNames[n]) {
			if before == '{' && !s.Begin('{', '}') || before == ',' && !s.More('}') {
				break
			}
			before = ','
			key := s.Key()
			if n = fieldNumber(key); n == 0 {
				if !s.Failed() {
					l.fault("unknown key %q; known are %s", scan.Clip(key), allFields.names())
				}
				s.Skip()
				continue
			}
			*guess = uint8(n)
		}
		f := field(1) << n
		if l.seen&f != 0 {
			l.fault("key %q occurs twice", f.names())
		}
		l.seen |= f
		l.value(s, f)
		before = ','
		guess = &l.guesses[n*eventTypes+int(l.event.Type)]
	}
	s.End()
}

// reset clears l. It clears rare fields only if there were any.
func (l *nativeLine) reset() {
	if l.seen&^eventFields != 0 {
		*l = nativeLine{guesses: l.guesses}
		return
	}
	l.seen, l.problem, l.history, l.event = 0, "", history.Value{}, history.Event{}
}

// pass makes s skip before, which is '{' or ',', a space if there is one, and name. It reports
// whether they come next.
func pass(s *scan.Scanner, before byte, name *quotedName) bool {
	at := s.Pos + 1
	if at >= len(s.Data) || s.Data[s.Pos] != before {
		return false
	}
	if s.Data[at] == ' ' {
		at++
	}
	if at+name.size > len(s.Data) || at+nameSpace > cap(s.Data) {
		return false
	}
	b := s.Data[at : at+nameSpace] // ends in what follows the line, perhaps
	if low, high := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:]); (low^name.low)&name.lowMask|(high^name.high)&name.highMask != 0 {
		return false
	}
	s.Pos = at + name.size
	if before == '{' {
		s.Depth++
	}
	return true
}

// value reads the value of field f.
func (l *nativeLine) value(s *scan.Scanner, f field) {
	switch f {
	case fieldType:
		l.eventType(s)
	case fieldProcess:
		l.event.Process = l.identifier(s, f)
	case fieldOp:
		l.event.Op = l.identifier(s, f)
	case fieldMethod:
		l.event.Method = l.text(s, f).Text()
	case fieldArgs:
		if s.Peek() != '[' {
			l.mismatch(s, f, "a list")
			return
		}
		l.event.Args = s.List(true)
	case fieldResult:
		l.event.Result = s.Value(true)
	case fieldAt:
		l.event.At = l.integer(s, f)
	case fieldHistory:
		l.history = l.text(s, f)
	case fieldException:
		name := s.Pool.Exception([]byte(l.text(s, f).Text()))
		if l.seen&(fieldResult|fieldUnknown) == 0 {
			l.event.Result = name
		}
	case fieldUnknown:
		if !l.boolean(s, f) {
			l.fault(`"unknown" can only be true`)
		}
		l.event.Result = history.UnknownValue
	default:
		l.rareValue(s, f)
	}
}

// rareValue is value for the fields of headers, edges, marks and ends.
func (l *nativeLine) rareValue(s *scan.Scanner, f field) {
	switch f {
	case fieldLeadline:
		l.version = l.integer(s, f)
	case fieldModel:
		l.model = l.text(s, f).Text()
	case fieldTie:
		switch tie := l.text(s, f).Text(); tie {
		case "closed":
		case "half-open":
			l.tie = history.HalfOpen
		default:
			l.fault(`"tie" is "closed" or "half-open", not %q`, scan.Clip([]byte(tie)))
		}
	case fieldOrder:
		switch order := l.text(s, f).Text(); order {
		case "file":
		case "stamp":
			l.order = history.StampOrder
		default:
			l.fault(`"order" is "file" or "stamp", not %q`, scan.Clip([]byte(order)))
		}
	case fieldTorn:
		l.torn = l.boolean(s, f)
	case fieldGuessed:
		l.guessed = l.boolean(s, f)
	case fieldEdge:
		l.edge(s)
	case fieldMark:
		switch mark := l.text(s, f).Text(); mark {
		case "happened":
			l.happened = true
		case "did-not-happen":
		default:
			l.fault(`"mark" is "happened" or "did-not-happen", not %q`, scan.Clip([]byte(mark)))
		}
	case fieldEnd:
		l.end = l.text(s, f).Text()
	case fieldFor:
		l.event.For = l.text(s, f).Text()
	case fieldDurability:
		d, err := history.ParseDurability(l.text(s, f).Text())
		if l.durability = d; err != nil {
			l.fault(`"durability" is "strict" or "durable"`)
		}
	case fieldProcesses:
		l.processes(s)
	case fieldVersion:
		if n := l.integer(s, f); n >= 0 && n < math.MaxInt64 {
			l.event.Version = history.VersionOf(n)
		} else {
			l.fault(`"version" is a number from 0 on`)
		}
	}
}

func (l *nativeLine) eventType(s *scan.Scanner) {
	if s.Peek() != '"' {
		l.mismatch(s, fieldType, "a string")
		return
	}
	switch rest := s.Data[s.Pos:]; {
	case len(rest) > 4 && string(rest[:4]) == `"ok"`:
		s.Pos += 4
		l.event.Type = history.OK
		return
	case len(rest) > 8 && string(rest[:8]) == `"invoke"`:
		s.Pos += 8
		l.event.Type = history.Invoke
		return
	}
	t := s.Text()
	var ok bool
	if l.event.Type, ok = history.ParseEventType(string(t)); !ok {
		l.fault(`"type" is "invoke", "ok", "fail", "info", "waits" or "crash", not %q`, scan.Clip(t))
	}
}

// processes reads the processes that end in a crash.
func (l *nativeLine) processes(s *scan.Scanner) {
	if s.Peek() != '[' {
		l.mismatch(s, fieldProcesses, "a list")
		return
	}
	for more := s.Begin('[', ']'); more; more = s.More(']') {
		l.event.Args = append(l.event.Args, l.identifier(s, fieldProcesses))
	}
	if len(l.event.Args) == 0 {
		l.fault(`"processes" is not empty; without it, all processes end`)
	}
}

func (l *nativeLine) edge(s *scan.Scanner) {
	ends := 0
	if s.Peek() != '[' {
		l.mismatch(s, fieldEdge, "a list of two operations")
		return
	}
	for more := s.Begin('[', ']'); more; more = s.More(']') {
		id := l.identifier(s, fieldEdge)
		switch ends++; ends {
		case 1:
			l.from = id
		case 2:
			l.to = id
		}
	}
	if ends != 2 {
		l.fault(`"edge" is a list of two operations, not of %d`, ends)
	}
}

// identifier reads an integer or a string.
func (l *nativeLine) identifier(s *scan.Scanner, f field) history.Value {
	switch c := s.Peek(); {
	case c == '"':
		return s.StringValue()
	case c == '-' || '0' <= c && c <= '9':
		if v := s.Number(); v.Kind() == history.Int {
			return v
		}
		l.fault("%q must be an integer or a string, not a fraction", f.names())
	default:
		l.mismatch(s, f, "an integer or a string")
	}
	return history.Value{}
}

func (l *nativeLine) text(s *scan.Scanner, f field) history.Value {
	if s.Peek() != '"' {
		l.mismatch(s, f, "a string")
		return history.Value{}
	}
	return s.StringValue()
}

func (l *nativeLine) integer(s *scan.Scanner, f field) int64 {
	if c := s.Peek(); c == '-' || '0' <= c && c <= '9' {
		if v := s.Number(); v.Kind() == history.Int {
			return v.Int()
		}
		l.fault("%q must be an integer, not a fraction", f.names())
		return 0
	}
	l.mismatch(s, f, "an integer")
	return 0
}

func (l *nativeLine) boolean(s *scan.Scanner, f field) bool {
	if c := s.Peek(); c != 't' && c != 'f' {
		l.mismatch(s, f, "true or false")
		return false
	}
	return s.Value(false).Bool()
}

// mismatch skips a value of the wrong type.
func (l *nativeLine) mismatch(s *scan.Scanner, f field, wanted string) {
	start := s.Pos
	s.Skip()
	if !s.Failed() {
		l.fault("%q must be %s, not %s", f.names(), wanted, scan.Clip(s.Data[start:s.Pos]))
	}
}

// addTo adds an event, an edge or a mark to its history. A fault of the line itself is
// left in l.problem.
func (l *nativeLine) addTo(b *history.Builder, line int) {
	switch {
	case l.seen&fieldEdge != 0:
		b.AddEdge(l.from, l.to, line)
		return
	case l.seen&fieldMark != 0:
		if l.seen&fieldOp == 0 {
			l.fault(`a mark needs "op"`)
			return
		}
		b.Mark(l.event.Op, l.happened, line)
		return
	}
	switch l.event.Type {
	case history.Invoke:
		l.checkInvoke()
	case history.Crash:
		if extra := l.seen &^ (fieldType | fieldHistory | fieldAt | fieldProcesses); extra != 0 {
			l.fault("a crash has no %s", extra.names())
		}
	case history.OK:
		l.checkOK()
		if l.seen&fieldException != 0 && b.Header().Model == "runs" && l.event.Result.Equal(history.WaitsForever) {
			l.event.Type = history.Waits // as files had it before there was that type
		}
	default:
		if extra := l.seen & (fieldMethod | fieldArgs | fieldResult | fieldException | fieldUnknown); extra != 0 {
			l.fault("an event of type %q has no %s", l.event.Type, extra.names())
		}
	}
	if l.seen&fieldProcesses != 0 && l.event.Type != history.Crash {
		l.fault(`only an event of type "crash" has "processes"`)
	}
	if l.seen&fieldFor != 0 && l.event.Type != history.Waits {
		l.fault(`only an event of type "waits" has "for"`)
	}
	if l.seen&fieldVersion != 0 && l.event.Type != history.OK {
		l.fault(`only an event of type "ok" has "version"`)
	}
	if l.seen&fieldAt == 0 && b.Header().Order == history.StampOrder {
		l.fault(`an event of a history ordered by stamps needs "at"`)
	}
	if l.problem == "" {
		l.event.Line = line
		b.Add(&l.event)
	}
}

func (l *nativeLine) checkInvoke() {
	switch extra := l.seen & (fieldResult | fieldException | fieldUnknown); {
	case extra != 0:
		l.fault("an invocation has no %s", extra.names())
	case l.seen&fieldMethod == 0:
		l.fault(`an invocation needs "method"`)
	case l.seen&fieldProcess == 0:
		l.fault(`an invocation needs "process"`)
	}
}

func (l *nativeLine) checkOK() {
	if extra := l.seen & (fieldMethod | fieldArgs); extra != 0 {
		l.fault("a response has no %s; its invocation has", extra.names())
	}
	if some := l.seen & (fieldResult | fieldException | fieldUnknown); some&(some-1) != 0 {
		l.fault("a response has one of %s", some.names())
	}
}

// A field is a key of the native format, as a bit: 1<<n is the field that
// fieldNames has at n.
type field uint32

const (
	fieldLeadline field = 2 << iota
	fieldHistory
	fieldModel
	fieldArgs
	fieldTie
	fieldOrder
	fieldTorn
	fieldGuessed
	fieldType
	fieldProcess
	fieldOp
	fieldMethod
	fieldResult
	fieldException
	fieldUnknown
	fieldAt
	fieldEdge
	fieldMark
	fieldEnd
	fieldFor
	fieldVersion
	fieldDurability
	fieldProcesses
)

// fieldNames has no field at 0.
var fieldNames = [...]string{
	"", "leadline", "history", "model", "args", "tie", "order", "torn", "guessed", "type", "process", "op",
	"method", "result", "exception", "unknown", "at", "edge", "mark", "end", "for", "version", "durability", "processes",
}

// A quotedName is the name of a field with quotes and colon, as two numbers whose bytes
// are compared where the masks have ones.
type quotedName struct {
	size                         int
	low, high, lowMask, highMask uint64
}

// nameSpace is the number of bytes that are compared with a quotedName.
const nameSpace = 16

// quotedNames has no name at 0: it is too long for any line.
var quotedNames = func() (quoted [len(fieldNames)]quotedName) {
	for i, name := range fieldNames {
		var text, mask [nameSpace]byte
		size := copy(text[:], `"`+name+`":`)
		copy(mask[:size], bytes.Repeat([]byte{0xff}, size))
		number := binary.LittleEndian.Uint64
		quoted[i] = quotedName{size, number(text[:]), number(text[8:]), number(mask[:]), number(mask[8:])}
	}
	quoted[0].size = math.MaxInt32
	return quoted
}()

// fieldNumber returns the number of the field called key, or 0.
func fieldNumber(key []byte) int {
	for i, name := range fieldNames {
		if name == string(key) {
			return i
		}
	}
	return 0
}

// names lists the fields in f.
func (f field) names() string {
	var names []string
	for i, name := range fieldNames {
		if f&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

const (
	headerFields = fieldLeadline | fieldHistory | fieldModel | fieldArgs | fieldTie | fieldOrder | fieldTorn | fieldGuessed | fieldDurability
	eventFields  = fieldType | fieldHistory | fieldProcess | fieldOp | fieldMethod | fieldArgs |
		fieldResult | fieldException | fieldUnknown | fieldAt | fieldFor | fieldVersion | fieldProcesses
	edgeFields = fieldEdge | fieldHistory
	markFields = fieldMark | fieldHistory | fieldOp
	endFields  = fieldEnd
	allFields  = headerFields | eventFields | edgeFields | markFields | endFields
)

// LineIn returns the number of the first line that is a header or an event of the
// native format, or 0: a file with one, but of no known format, has lost its beginning.
func LineIn(text []byte) int {
	var l nativeLine
	s, number := scan.Scanner{Pool: new(scan.Pool)}, 0
	for line := range bytes.Lines(text) {
		number++
		if line = bytes.TrimSpace(bytes.TrimPrefix(line, decode.ByteOrderMark)); len(line) == 0 || line[0] != '{' {
			continue
		}
		l.read(&s, line)
		isEvent := l.seen&fieldType != 0 && l.seen&(fieldProcess|fieldOp) != 0
		if !s.Failed() && l.problem == "" && (isEvent || l.seen&fieldLeadline != 0) {
			return number
		}
	}
	return 0
}
