package violat

import (
	"slices"
	"strconv"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec/decode"
	"github.com/leadline/leadline/history/codec/scan"
)

// Format has the histories that Violat records: one JSON object each, one after another.
var Format = decode.Format{
	Name:        "violat",
	Description: "Violat's JSON: an object with schema and events per history",
	Sniff: func(head []byte) decode.Guess {
		return max(decode.SniffKeys("schema")(head), decode.SniffKeys("events")(head))
	},
	Open: func(s *decode.Stream) decode.Reader {
		objects := s.Objects()
		objects.ObjectLimit = min(s.Limits.History, s.Limits.Memory) // an object is a history, whose memory is bounded while it is read
		return &reader{stream: s, objects: objects, scan: scan.Scanner{Pool: s.Pool}}
	},
}

// javaPackage is left out of the names of models.
const javaPackage = "java.util.concurrent."

// A reader reads one stream.
type reader struct {
	stream  *decode.Stream
	objects *decode.ObjectReader
	scan    scan.Scanner
	// of the object that is being read
	b     *decode.History
	void  []bool // per operation, whether its method is
	order []sequenceOrder
}

// sequenceOrder is an entry of schema.order.
type sequenceOrder struct {
	before, after int64
	line          int
}

// Next implements decode.Reader.
func (d *reader) Next() (line int, err error) {
	d.stream.Complete()
	if err := d.objects.ToObject(); err != nil {
		return d.objects.Line, err
	}
	d.b = d.stream.Begin(history.Header{Line: d.objects.Line})
	text, line, err := d.objects.Next()
	if err != nil {
		return line, err
	}
	return d.object(text, line)
}

// object reads one history. An error ends the stream: if the object is not JSON, it is
// uncertain where the next one begins.
func (d *reader) object(text []byte, line int) (int, error) {
	s := &d.scan
	s.Reset(text)
	d.void, d.order = nil, nil
	d.b.Kept = func() int64 { return int64(len(text) + cap(d.void)) }
	hasSchema, hasEvents := false, false
	at := decode.NewLines(text, line)
	for more := s.Begin('{', '}'); more; more = s.More('}') {
		key := string(s.Key())
		s.Peek()
		switch start := s.Pos; {
		case key == "schema" && hasSchema, key == "events" && hasEvents:
			s.Fail(start, "the object has this key twice")
		case key == "schema":
			hasSchema = true
			d.schema(s.Value(false), at.Of(start))
		case key == "events" && s.Peek() == '[':
			hasEvents = true
			for more := s.Begin('[', ']'); more; more = s.More(']') {
				s.Peek()
				eventLine := at.Of(s.Pos)
				if v := s.Value(false); !s.Failed() && !d.b.Failed() {
					d.event(v, eventLine)
				}
				if err := d.stream.Exceeded(); err != nil {
					return eventLine, err
				}
			}
		case key == "events":
			hasEvents = true
			d.b.Errorf(at.Of(start), `"events" must be a list, not %v`, s.Value(false))
		default:
			s.Skip()
		}
	}
	if !s.End() {
		return at.Of(s.FaultAt), decode.Fault(s.Fault)
	}
	if !hasSchema {
		d.b.ErrorfFirst(line, `no "schema", which names the class`)
	}
	if !hasEvents {
		d.b.Errorf(line, `no "events"`)
	}
	if order := d.order; len(order) > 0 {
		d.b.Check = func(h *history.History) error { return checkOrder(h, order) }
	}
	return line, nil
}

// field returns the value that object has for a key, None if it has none. Another kind
// than the one that is wanted is a fault.
func (d *reader) field(object history.Value, key string, kind history.Kind, wanted string, line int) history.Value {
	v := scan.Member(object, key)
	if v.Kind() != kind && v.Kind() != history.None {
		d.b.Errorf(line, "%q must be %s, not %v", key, wanted, v)
		return history.NoValue
	}
	return v
}

// schema reads the class, the arguments of its constructor, and the order: pairs of
// sequences, the first of which ends before the second begins.
func (d *reader) schema(v history.Value, line int) {
	if d.scan.Failed() {
		return
	}
	if v.Kind() != history.Map {
		d.b.Errorf(line, `"schema" must be an object, not %v`, v)
		return
	}
	class := d.field(v, "class", history.String, "a string", line)
	d.b.SetModel(strings.TrimPrefix(class.Text(), javaPackage), d.field(v, "arguments", history.List, "a list", line).List())
	order := scan.Member(v, "order")
	isOrder := order.Kind() == history.List || order.Kind() == history.Null || order.Kind() == history.None
	for _, pair := range order.List() {
		p := pair.List()
		if pair.Kind() != history.List || len(p) != 2 || p[0].Kind() != history.Int || p[1].Kind() != history.Int {
			isOrder = false
			break
		}
		d.order = append(d.order, sequenceOrder{p[0].Int(), p[1].Int(), line})
	}
	if !isOrder {
		d.b.Errorf(line, `"order" must be a list of pairs of sequences, not %v`, order)
	}
}

// checkOrder compares schema.order with the events. Violat's harness makes a sequence
// wait for those before it, so the events of a recording have that order, and no edges
// need to be added. If they do not, the file contradicts itself.
func checkOrder(h *history.History, order []sequenceOrder) error {
	first, last := map[scan.ID]*history.Operation{}, map[scan.ID]*history.Operation{}
	for i := range h.Ops {
		op := &h.Ops[i]
		sequence := scan.IDOf(h.Processes[op.Process])
		if first[sequence] == nil {
			first[sequence] = op
		}
		if l := last[sequence]; l == nil || l.Return < op.Return {
			last[sequence] = op
		}
	}
	errs := &history.Errors{ID: h.ID}
	for _, o := range order {
		a, b := last[scan.ID{Number: o.before}], first[scan.ID{Number: o.after}]
		if a != nil && b != nil && b.Call < a.Return {
			errs.Add(h.Errorf(b, "operation %v of sequence %d is invoked before operation %v of sequence %d returns, against schema.order (line %d)",
				b.ID(), o.after, a.ID(), o.before, o.line))
		}
	}
	if len(errs.List) > 0 {
		return errs
	}
	return nil
}

// An event is a call or a return.
type event struct {
	kind string
	history.Event
	hasMethod bool
	hasArgs   bool
	void      bool
	value     history.Value // None if it has none
}

// event reads an event and adds it to the history.
func (d *reader) event(v history.Value, line int) {
	if v.Kind() != history.Map {
		d.b.Errorf(line, `"events" must be objects, not %v`, v)
		return
	}
	faults := d.b.Faults()
	invocation := d.field(v, "invocation", history.Map, "an object", line)
	method := d.field(invocation, "method", history.Map, "an object", line)
	name := d.field(method, "name", history.String, "a string", line)
	args := d.field(invocation, "arguments", history.List, "a list", line)
	e := event{
		kind: d.field(v, "kind", history.String, "a string", line).Text(),
		Event: history.Event{Process: d.identifier(v, "sid", line), Op: d.identifier(invocation, "id", line),
			Method: name.Text(), Args: args.List(), Line: line},
		hasMethod: name.Kind() != history.None,
		hasArgs:   args.Kind() != history.None,
		void:      d.field(method, "void", history.Bool, "true or false", line).Bool(),
		value:     scan.Member(v, "value"),
	}
	if d.b.Faults() == faults {
		d.add(&e)
	}
}

// identifier returns the integer or the string that object has for a key.
func (d *reader) identifier(object history.Value, key string, line int) history.Value {
	v := scan.Member(object, key)
	if v.Kind() != history.Int && v.Kind() != history.String && v.Kind() != history.None {
		d.b.Errorf(line, "%q must be an integer or a string, not %v", key, v)
	}
	return v
}

// add adds the event to the history. A return repeats its call. If they differ, one of
// them is wrong, and the verdict would be too.
func (d *reader) add(e *event) {
	line := e.Line
	switch {
	case e.kind != "call" && e.kind != "return":
		d.b.Errorf(line, `"kind" is "call" or "return", not %q`, scan.Clip([]byte(e.kind)))
		return
	case e.Process.Kind() == history.None:
		d.b.Errorf(line, `event without "sid"`)
		return
	case e.Op.Kind() == history.None:
		d.b.Errorf(line, "event without the id of an invocation")
		return
	case e.kind == "call":
		if !e.hasMethod {
			d.b.Errorf(line, "invocation %v has no method with a name", e.Op)
			return
		}
		d.b.Add(&e.Event)
		if _, number := d.b.Invoked(e.Op); number == len(d.void) {
			d.void = append(d.void, e.void)
		}
		return
	}
	if call, number := d.b.Invoked(e.Op); call != nil {
		void := d.void[number]
		sameMethod := !e.hasMethod || e.Method == call.Method && e.void == void
		sameArgs := !e.hasArgs || slices.EqualFunc(e.Args, call.Args, history.Value.Equal)
		if !sameMethod || !sameArgs {
			d.b.Errorf(line, "the return of invocation %v has another method or other arguments than its call (line %d)",
				e.Op, call.Line)
			return
		}
		e.void = void
		if !d.result(e, call.Method) {
			return
		}
	}
	e.Type = history.OK
	e.Method, e.Args = "", nil
	d.b.Add(&e.Event)
}

// result sets the result of a return. It reports false after a fault, such as a result
// of a void method.
func (d *reader) result(e *event, method string) bool {
	if e.value.Kind() == history.None {
		if !e.void {
			d.b.Errorf(e.Line, "the return of %s, which is not void, has no value", method)
		}
		return e.void
	}
	v := e.value
	switch v.Kind() {
	case history.List, history.Map:
		d.b.Errorf(e.Line, "the value of a return is a string or a scalar, not %s", v.Kind())
		return false
	case history.String:
		var ok bool
		if v, ok = resultOf(v); !ok {
			d.b.Errorf(e.Line, "integer %s does not fit 64 bits", scan.Clip([]byte(v.Text())))
			return false
		}
	}
	if e.void && v.Kind() != history.Exception {
		if v.Kind() != history.Null {
			d.b.Errorf(e.Line, "%s is void but returns %v", method, v)
			return false
		}
		v = history.NoValue
	}
	e.Result = v
	return true
}

// resultOf returns the value of the String v. It reports false for an integer that
// does not fit 64 bits.
func resultOf(v history.Value) (history.Value, bool) {
	text := v.Text()
	switch {
	case text == "true" || text == "false":
		return history.BoolValue(text == "true"), true
	case text == "null":
		return history.NullValue, true
	case scan.IsInteger(text):
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return v, false
		}
		return history.IntValue(n), true
	case isException(text):
		return history.ExceptionValue(text), true
	}
	return v, true
}

// isException reports whether text is the full name of a Java exception.
func isException(text string) bool {
	if !strings.HasSuffix(text, "Exception") && !strings.HasSuffix(text, "Error") || !strings.Contains(text, ".") {
		return false
	}
	for part := range strings.SplitSeq(text, ".") {
		for i, r := range part {
			letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r == '_' || r == '$'
			if !letter && (i == 0 || r < '0' || r > '9') {
				return false
			}
		}
		if part == "" {
			return false
		}
	}
	return true
}
