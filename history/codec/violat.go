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
)

const violatName = "violat"

// violatPackage is left out of the names of models.
const violatPackage = "java.util.concurrent."

// decodeViolat reads the histories that Violat records: one JSON object each,
// one after another. See the package's documentation.
func decodeViolat(r io.Reader, file string, lim Limits) iter.Seq2[*history.History, error] {
	return func(yield func(*history.History, error) bool) {
		lim := lim.fill()
		d := &violat{out: output{file: file, yield: yield}, memory: lim.Memory}
		d.scan.pool = new(pool)
		d.run(newObjectReader(r, lim))
	}
}

// A violat decodes one stream of Violat's format.
type violat struct {
	out  output
	scan scanner
	b    *history.Builder // of the object that is being read
	// memory is the limit on what a history takes, made what scan.pool had
	// made when it began.
	memory, made int64
	// lineAt is the number of the line that byte counted of scan.data is on.
	lineAt, counted int
	calls           map[violatID]violatEvent
	order           []sequenceOrder
}

// sequenceOrder is an entry of schema.order.
type sequenceOrder struct {
	before, after int64
	line          int
}

func (d *violat) run(objects *objectReader) {
	for !d.out.stopped {
		err := objects.more()
		if err == nil {
			d.out.begin()
		} else {
			d.out.deliver()
		}
		switch {
		case err == io.EOF || d.out.stopped:
			return
		case err != nil:
			d.out.broken(objects.line, err)
			return
		}
		text, line, err := objects.next()
		switch {
		case errors.Is(err, ErrLimit) || err != nil && objects.err != nil && objects.err != io.EOF:
			d.out.broken(line, err)
			return
		case err != nil:
			d.out.fault(line, "%v", err)
			return
		}
		if !d.object(text, line) {
			return
		}
	}
}

// build delivers a history if its events agree with order.
func (d *violat) build(b *history.Builder, order []sequenceOrder) {
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

// object reads one history. It reports false if the object is not JSON: where
// the next one begins is then uncertain.
func (d *violat) object(text []byte, line int) bool {
	s := &d.scan
	s.reset(text)
	d.lineAt, d.counted, d.made = line, 0, s.pool.made
	schemaAt, eventsAt := -1, -1
	for more := s.begin('{', '}'); more; more = s.more('}') {
		at := &schemaAt
		switch string(s.key()) {
		case "schema":
		case "events":
			at = &eventsAt
		default:
			s.skip()
			continue
		}
		if s.peek(); *at >= 0 {
			s.fail(s.pos, "the object has this key twice")
		}
		*at = s.pos
		s.skip()
	}
	if s.end(); s.failed() {
		d.out.fault(d.line(s.faultAt), "%s", s.fault)
		return false
	}
	h := history.Header{File: d.out.file, Line: line, Format: violatName}
	d.b, d.calls, d.order = history.NewBuilder(h), map[violatID]violatEvent{}, nil
	if schemaAt >= 0 {
		h.Model, h.ModelArgs = d.schema(schemaAt)
		d.b.SetModel(h.Model, h.ModelArgs)
	} else {
		d.b.Errorf(line, `no "schema", which names the class`)
	}
	if eventsAt >= 0 {
		d.lineAt, d.counted = line, 0
		d.events(eventsAt)
	} else {
		d.b.Errorf(line, `no "events"`)
	}
	if d.b.Events() == 0 && d.b.Faults() == 0 {
		d.b.Errorf(line, "history has no events")
	}
	if d.out.stopped {
		return false
	}
	b, order := d.b, d.order
	d.out.hold(&pending{b: b, line: line, build: func() { d.build(b, order) }})
	return true
}

// line returns the number of the line that byte at is on. Bytes are asked
// for in ascending order.
func (d *violat) line(at int) int {
	if at > d.counted {
		d.lineAt += bytes.Count(d.scan.data[d.counted:at], []byte("\n"))
		d.counted = at
	}
	return d.lineAt
}

// wrong notes that the next value is not what is wanted, and passes over it.
func (d *violat) wrong(key, wanted string) {
	at := d.scan.pos
	d.scan.skip()
	d.b.Errorf(d.line(at), "%q must be %s, not %s", key, wanted, clip(d.scan.data[at:d.scan.pos]))
}

// schema reads the class and the arguments of its constructor.
func (d *violat) schema(at int) (model string, args []history.Value) {
	s := &d.scan
	s.pos = at
	if s.peek() != '{' {
		d.wrong("schema", "an object")
		return "", nil
	}
	d.fields(violatSchema, func(key string) {
		switch key {
		case "class":
			model = strings.TrimPrefix(s.string().Text(), violatPackage)
		case "arguments":
			args = s.list(false)
		case "order":
			d.readOrder()
		}
	})
	return model, args
}

// readOrder reads schema.order: pairs of sequences, the first of which ends
// before the second begins.
func (d *violat) readOrder() {
	s := &d.scan
	at := s.pos
	v := s.value(false)
	line := d.line(at)
	for _, pair := range v.List() {
		p := pair.List()
		if pair.Kind() != history.List || len(p) != 2 || p[0].Kind() != history.Int || p[1].Kind() != history.Int {
			d.b.Errorf(line, `"order" must be a list of pairs of sequences, not %v`, v)
			return
		}
		d.order = append(d.order, sequenceOrder{p[0].Int(), p[1].Int(), line})
	}
	if v.Kind() != history.List && v.Kind() != history.Null {
		d.b.Errorf(line, `"order" must be a list of pairs of sequences, not %v`, v)
	}
}

// checkOrder holds schema.order against the events. Violat's harness makes a
// sequence wait for those before it, so that the events of a true recording
// show the order already, and nothing has to be added to it. Where they do
// not, the file contradicts itself.
func checkOrder(h *history.History, order []sequenceOrder) error {
	if len(order) == 0 {
		return nil
	}
	first, last := map[violatID]*history.Operation{}, map[violatID]*history.Operation{}
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
		a, b := last[violatID{number: o.before}], first[violatID{number: o.after}]
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

// violatID identifies an invocation: a number or a string.
type violatID struct {
	number int64
	text   string
}

func idOf(v history.Value) violatID { return violatID{v.Int(), v.Text()} }

// A violatEvent is a call or a return.
type violatEvent struct {
	kind      string
	event     history.Event
	hasMethod bool
	hasArgs   bool
	void      bool
	valueAt   int // byte at which the value begins, -1 without one
}

// events reads the list of events.
func (d *violat) events(at int) {
	s := &d.scan
	s.pos = at
	if s.peek() != '[' {
		d.wrong("events", "a list")
		return
	}
	for more := s.begin('[', ']'); more; more = s.more(']') {
		if s.peek() != '{' {
			d.wrong("events", "objects")
			continue
		}
		faults := d.b.Faults()
		e := violatEvent{valueAt: -1}
		e.event.Line = d.line(s.pos)
		d.event(&e)
		if d.b.Faults() == faults {
			d.add(&e)
		}
		if d.b.Failed() {
			return
		}
		if taken := int64(cap(s.data)) + s.pool.made - d.made + d.b.Size() + int64(len(d.calls))*eventBytes; taken > d.memory {
			d.out.broken(e.event.Line, tooMuchMemory(d.memory))
			return
		}
	}
}

func (d *violat) event(e *violatEvent) {
	s := &d.scan
	d.fields(violatEventKeys, func(key string) {
		switch key {
		case "kind":
			e.kind = string(s.text())
		case "sid":
			e.event.Process = d.identifier(key)
		case "invocation":
			d.invocation(e)
		case "value":
			e.valueAt = s.pos
			s.skip()
		}
	})
}

func (d *violat) invocation(e *violatEvent) {
	d.fields(violatInvocation, func(key string) {
		switch key {
		case "id":
			e.event.Op = d.identifier(key)
		case "method":
			d.method(e)
		case "arguments":
			e.event.Args, e.hasArgs = d.scan.list(false), true
		}
	})
}

func (d *violat) method(e *violatEvent) {
	d.fields(violatMethod, func(key string) {
		switch key {
		case "name":
			e.event.Method, e.hasMethod = d.scan.string().Text(), true
		case "void":
			e.void = d.scan.value(false).Bool()
		}
	})
}

// A violatField is a key of an object.
type violatField struct {
	key    string
	begins string // the bytes that its value may begin with; any if empty
	want   string // what the value must be
}

var (
	violatSchema     = []violatField{{"class", `"`, "a string"}, {"arguments", "[", "a list"}, {key: "order"}}
	violatEventKeys  = []violatField{{"kind", `"`, "a string"}, {key: "sid"}, {"invocation", "{", "an object"}, {key: "value"}}
	violatInvocation = []violatField{{key: "id"}, {"method", "{", "an object"}, {"arguments", "[", "a list"}}
	violatMethod     = []violatField{{"name", `"`, "a string"}, {"void", "tf", "true or false"}}
)

// fields calls read for each known key of the next object, which must be
// read or skipped there, and skips the others.
func (d *violat) fields(known []violatField, read func(key string)) {
	s, seen := &d.scan, uint(0)
	for more := s.begin('{', '}'); more; more = s.more('}') {
		key := string(s.key())
		c := s.peek()
		i := slices.IndexFunc(known, func(f violatField) bool { return f.key == key })
		if i < 0 {
			s.skip()
			continue
		}
		if seen&(1<<i) != 0 {
			d.b.Errorf(d.line(s.pos), "key %q occurs twice", key)
		}
		seen |= 1 << i
		if f := &known[i]; f.begins != "" && strings.IndexByte(f.begins, c) < 0 {
			d.wrong(key, f.want)
			continue
		}
		read(key)
	}
}

func (d *violat) identifier(key string) history.Value {
	at := d.scan.pos
	v := d.scan.value(false)
	if v.Kind() != history.Int && v.Kind() != history.String {
		d.b.Errorf(d.line(at), "%q must be an integer or a string, not %v", key, v)
	}
	return v
}

// add adds the event to the history. A return repeats its call; where they
// differ, one of the two is wrong, and so would the verdict be.
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
		if _, again := d.calls[idOf(e.event.Op)]; !again {
			d.calls[idOf(e.event.Op)] = *e
		}
		d.b.Add(&e.event)
		return
	}
	call, called := d.calls[idOf(e.event.Op)]
	if called {
		sameMethod := !e.hasMethod || e.event.Method == call.event.Method && e.void == call.void
		sameArgs := !e.hasArgs || slices.EqualFunc(e.event.Args, call.event.Args, history.Value.Equal)
		if !sameMethod || !sameArgs {
			d.b.Errorf(line, "the return of invocation %v has another method or other arguments than its call (line %d)",
				e.event.Op, call.event.Line)
			return
		}
		e.void = call.void
		if !d.result(e, call.event.Method) {
			return
		}
	}
	e.event.Type = history.OK
	e.event.Method, e.event.Args = "", nil
	d.b.Add(&e.event)
}

// result sets the result of a return, which must fit whether method is void.
func (d *violat) result(e *violatEvent, method string) bool {
	if e.valueAt < 0 {
		if !e.void {
			d.b.Errorf(e.event.Line, "the return of %s, which is not void, has no value", method)
		}
		return e.void
	}
	s := &d.scan
	after, depth := s.pos, s.depth
	s.pos = e.valueAt
	v := s.value(false)
	s.pos, s.depth = after, depth
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

// violatResult returns what the String v means. It reports false for an
// integer that does not fit.
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
