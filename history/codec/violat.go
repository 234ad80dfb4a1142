package codec

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/files"
)

const violatName = "violat"

// violatPackage is left out of the names of models.
const violatPackage = "java.util.concurrent."

// decodeViolat reads the histories that Violat records: one JSON object each,
// one after another. See the package documentation.
func decodeViolat(r io.Reader, file string, lim Limits) iter.Seq2[*history.History, error] {
	return func(yield func(*history.History, error) bool) {
		lim := lim.fill()
		d := &violat{out: output{file: file, yield: yield}, memory: lim.Memory}
		objects := newObjectReader(r, lim)
		d.scan.pool = borrow(&objects.window)
		d.run(objects)
		d.scan.pool.release(&objects.window)
	}
}

// A violat decodes one stream of Violat's format.
type violat struct {
	out    output
	scan   scanner
	memory int64 // limit on the memory of a history
	// of the object that is being read
	b     *history.Builder
	void  []bool // per operation, whether its method is
	order []sequenceOrder
}

// sequenceOrder is an entry of schema.order.
type sequenceOrder struct {
	before, after int64
	line          int
}

func (d *violat) run(objects *objectReader) {
	for !d.out.stopped {
		err := objects.more()
		if isEnd(err) {
			d.out.deliver()
		}
		if err == io.EOF || d.out.stopped {
			return
		}
		line := objects.line
		if err == nil {
			d.out.begin()
			var text []byte
			if text, line, err = objects.next(); err == nil {
				d.object(text, line)
				continue
			}
		}
		if errors.Is(err, files.ErrLimit) || objects.err != nil && objects.err != io.EOF {
			d.out.broken(line, err)
		} else {
			d.out.fault(line, "%v", err)
		}
		return
	}
}

// object reads one history. It stops if the object is not JSON, since it is then
// uncertain where the next one begins.
func (d *violat) object(text []byte, line int) {
	s, made := &d.scan, d.scan.pool.made
	s.reset(text)
	d.b = history.NewBuilder(history.Header{File: d.out.file, Line: line, Format: violatName})
	d.void, d.order = nil, nil
	hasSchema, hasEvents := false, false
	at := newlines{text: text, line: line}
	for more := s.begin('{', '}'); more; more = s.more('}') {
		key := string(s.key())
		s.peek()
		switch start := s.pos; {
		case key == "schema" && hasSchema, key == "events" && hasEvents:
			s.fail(start, "the object has this key twice")
		case key == "schema":
			hasSchema = true
			d.schema(s.value(false), at.lineOf(start))
		case key == "events" && s.peek() == '[':
			hasEvents = true
			for more := s.begin('[', ']'); more; more = s.more(']') {
				s.peek()
				eventLine := at.lineOf(s.pos)
				if v := s.value(false); !s.failed() && !d.b.Failed() {
					d.event(v, eventLine)
				}
				if int64(len(text))+s.pool.made-made+d.b.Size()+int64(cap(d.void)) > d.memory {
					d.out.broken(eventLine, tooMuchMemory(d.memory))
					return
				}
			}
		case key == "events":
			hasEvents = true
			d.b.Errorf(at.lineOf(start), `"events" must be a list, not %v`, s.value(false))
		default:
			s.skip()
		}
	}
	if !s.end() {
		d.out.fault(at.lineOf(s.faultAt), "%s", s.fault)
		d.out.stopped = true
		return
	}
	if !hasSchema {
		d.b.ErrorfFirst(line, `no "schema", which names the class`)
	}
	if !hasEvents {
		d.b.Errorf(line, `no "events"`)
	}
	b, order := d.b, d.order
	d.out.hold(&pending{b: b, line: line, build: func() { d.build(b, order) }})
}

// newlines counts the lines of a text. The calls of lineOf are in ascending order.
type newlines struct {
	text []byte // that is not counted yet
	at   int    // where it begins
	line int
}

// lineOf returns the number of the line that byte at is on.
func (n *newlines) lineOf(at int) int {
	if at > n.at {
		n.line += bytes.Count(n.text[:at-n.at], []byte("\n"))
		n.text, n.at = n.text[at-n.at:], at
	}
	return n.line
}

// build delivers a history, or a fault if its events contradict order.
func (d *violat) build(b *history.Builder, order []sequenceOrder) {
	if b.Events() == 0 && b.Faults() == 0 {
		b.Errorf(b.Header().Line, "history has no events")
	}
	h, err := b.Build()
	if err == nil {
		err = checkOrder(h, order)
	}
	if err != nil {
		d.out.give(nil, err)
		return
	}
	d.out.give(h, nil)
}

// field returns the value that object has for a key, None if it has none. Another kind
// than the one that is wanted is a fault.
func (d *violat) field(object history.Value, key string, kind history.Kind, wanted string, line int) history.Value {
	v := memberOf(object, key)
	if v.Kind() != kind && v.Kind() != history.None {
		d.b.Errorf(line, "%q must be %s, not %v", key, wanted, v)
		return history.NoValue
	}
	return v
}

// schema reads the class, the arguments of its constructor, and the order: pairs of
// sequences, the first of which ends before the second begins.
func (d *violat) schema(v history.Value, line int) {
	if v.Kind() != history.Map {
		d.b.Errorf(line, `"schema" must be an object, not %v`, v)
		return
	}
	class := d.field(v, "class", history.String, "a string", line)
	d.b.SetModel(strings.TrimPrefix(class.Text(), violatPackage), d.field(v, "arguments", history.List, "a list", line).List())
	order := memberOf(v, "order")
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
	if len(order) == 0 {
		return nil
	}
	first, last := map[identifier]*history.Operation{}, map[identifier]*history.Operation{}
	for i := range h.Ops {
		op := &h.Ops[i]
		sequence := idOf(h.Processes[op.Process])
		if first[sequence] == nil {
			first[sequence] = op
		}
		if l := last[sequence]; l == nil || l.Return < op.Return {
			last[sequence] = op
		}
	}
	errs := &history.Errors{ID: h.ID}
	for _, o := range order {
		a, b := last[identifier{number: o.before}], first[identifier{number: o.after}]
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

// A violatEvent is a call or a return.
type violatEvent struct {
	kind      string
	event     history.Event
	hasMethod bool
	hasArgs   bool
	void      bool
	value     history.Value // None if it has none
}

// event reads an event and adds it to the history.
func (d *violat) event(v history.Value, line int) {
	if v.Kind() != history.Map {
		d.b.Errorf(line, `"events" must be objects, not %v`, v)
		return
	}
	faults := d.b.Faults()
	invocation := d.field(v, "invocation", history.Map, "an object", line)
	method := d.field(invocation, "method", history.Map, "an object", line)
	name := d.field(method, "name", history.String, "a string", line)
	args := d.field(invocation, "arguments", history.List, "a list", line)
	e := violatEvent{
		kind: d.field(v, "kind", history.String, "a string", line).Text(),
		event: history.Event{Process: d.identifier(v, "sid", line), Op: d.identifier(invocation, "id", line),
			Method: name.Text(), Args: args.List(), Line: line},
		hasMethod: name.Kind() != history.None,
		hasArgs:   args.Kind() != history.None,
		void:      d.field(method, "void", history.Bool, "true or false", line).Bool(),
		value:     memberOf(v, "value"),
	}
	if d.b.Faults() == faults {
		d.add(&e)
	}
}

// identifier returns the integer or the string that object has for a key.
func (d *violat) identifier(object history.Value, key string, line int) history.Value {
	v := memberOf(object, key)
	if v.Kind() != history.Int && v.Kind() != history.String && v.Kind() != history.None {
		d.b.Errorf(line, "%q must be an integer or a string, not %v", key, v)
	}
	return v
}

// add adds the event to the history. A return repeats its call. If they differ, one of
// them is wrong, and the verdict would be too.
func (d *violat) add(e *violatEvent) {
	line := e.event.Line
	switch {
	case e.kind != "call" && e.kind != "return":
		d.b.Errorf(line, `"kind" is "call" or "return", not %q`, clip([]byte(e.kind)))
		return
	case e.event.Process.Kind() == history.None:
		d.b.Errorf(line, `event without "sid"`)
		return
	case e.event.Op.Kind() == history.None:
		d.b.Errorf(line, "event without the id of an invocation")
		return
	case e.kind == "call":
		if !e.hasMethod {
			d.b.Errorf(line, "invocation %v has no method with a name", e.event.Op)
			return
		}
		d.b.Add(&e.event)
		if _, number := d.b.Invoked(e.event.Op); number == len(d.void) {
			d.void = append(d.void, e.void)
		}
		return
	}
	if call, number := d.b.Invoked(e.event.Op); call != nil {
		void := d.void[number]
		sameMethod := !e.hasMethod || e.event.Method == call.Method && e.void == void
		sameArgs := !e.hasArgs || slices.EqualFunc(e.event.Args, call.Args, history.Value.Equal)
		if !sameMethod || !sameArgs {
			d.b.Errorf(line, "the return of invocation %v has another method or other arguments than its call (line %d)",
				e.event.Op, call.Line)
			return
		}
		e.void = void
		if !d.result(e, call.Method) {
			return
		}
	}
	e.event.Type = history.OK
	e.event.Method, e.event.Args = "", nil
	d.b.Add(&e.event)
}

// result sets the result of a return. It reports false after a fault, such as a result
// of a void method.
func (d *violat) result(e *violatEvent, method string) bool {
	if e.value.Kind() == history.None {
		if !e.void {
			d.b.Errorf(e.event.Line, "the return of %s, which is not void, has no value", method)
		}
		return e.void
	}
	v := e.value
	switch v.Kind() {
	case history.List, history.Map:
		d.b.Errorf(e.event.Line, "the value of a return is a string or a scalar, not %s", v.Kind())
		return false
	case history.String:
		var ok bool
		if v, ok = violatResult(v); !ok {
			d.b.Errorf(e.event.Line, "integer %s does not fit 64 bits", clip([]byte(v.Text())))
			return false
		}
	}
	if e.void && v.Kind() != history.Exception {
		if v.Kind() != history.Null {
			d.b.Errorf(e.event.Line, "%s is void but returns %v", method, v)
			return false
		}
		v = history.NoValue
	}
	e.event.Result = v
	return true
}

// violatResult returns the value of the String v. It reports false for an integer that
// does not fit 64 bits.
func violatResult(v history.Value) (history.Value, bool) {
	text := v.Text()
	switch {
	case text == "true" || text == "false":
		return history.BoolValue(text == "true"), true
	case text == "null":
		return history.NullValue, true
	case isInteger(text):
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

// isInteger reports whether text is an integer as Java prints them.
func isInteger(text string) bool {
	digits := strings.TrimPrefix(text, "-")
	if digits == "" || digits[0] == '0' && text != "0" {
		return false
	}
	return strings.Trim(digits, "0123456789") == ""
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
