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
		d := &violat{out: output{file: file, yield: yield}, objects: newObjectReader(r, lim), memory: lim.Memory}
		d.scan.pool = new(pool)
		d.again.pool = d.scan.pool
		d.scan.source = d
		d.run()
	}
}

// A violat decodes one stream of Violat's format.
type violat struct {
	out     output
	objects *objectReader
	scan    scanner
	again   scanner // of value
	value   []byte  // the text of the value of a return
	// args are the arguments of an event. Their lists and maps are of brief.
	args  []history.Value
	brief history.Scratch
	b     *history.Builder // of the object that is being read
	// memory is the limit on the memory of a history, made is scan.pool.made
	// when it began.
	memory, made int64
	tooMuch      int // line at which it exceeds memory, 0 if it does not
	faultLine    int // of scan.fault
	// lineAt is the number of the line that byte counted of scan.data is on.
	lineAt, counted int
	void            []bool // per operation, whether its method is
	order           []sequenceOrder
}

// sequenceOrder is an entry of schema.order.
type sequenceOrder struct {
	before, after int64
	line          int
}

func (d *violat) run() {
	objects := d.objects
	for !d.out.stopped {
		err := objects.more()
		switch {
		case err == nil:
			d.out.begin()
		case isEnd(err):
			d.out.deliver()
		}
		switch {
		case err == io.EOF || d.out.stopped:
			return
		case err != nil:
			d.out.broken(objects.line, err)
			return
		}
		line := objects.line
		if err = objects.open(); err == nil {
			d.object(line)
			if err, line = objects.close(), objects.line; err == nil && !d.deliver() {
				return
			}
		}
		switch {
		case err == nil:
		case errors.Is(err, files.ErrLimit) || objects.err != nil && objects.err != io.EOF:
			d.out.broken(line, err)
			return
		default:
			d.out.fault(line, "%v", err)
			return
		}
	}
}

// extend implements refiller.
func (d *violat) extend(drop int) (data []byte, more bool) {
	d.line(drop)
	d.counted -= drop
	return d.objects.extend(drop)
}

// build delivers a history, or a fault if its events contradict order.
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

// object reads one history as it comes.
func (d *violat) object(line int) {
	s := &d.scan
	s.reset(nil)
	s.mark = -1
	d.lineAt, d.counted, d.made = line, 0, s.pool.made
	d.b = history.NewBuilder(history.Header{File: d.out.file, Line: line, Format: violatName})
	d.void, d.order, d.tooMuch = nil, nil, 0
	hasSchema, hasEvents := false, false
	for more := s.begin('{', '}'); more; more = s.more('}') {
		has, read := &hasSchema, d.schema
		switch string(s.key()) {
		case "schema":
		case "events":
			has, read = &hasEvents, d.events
		default:
			s.skip()
			continue
		}
		if s.peek(); *has {
			s.fail(s.pos, "the object has this key twice")
		}
		*has = true
		read()
	}
	if !s.end() {
		d.faultLine = d.line(s.faultAt)
	}
	if !hasSchema {
		d.b.ErrorfFirst(line, `no "schema", which names the class`)
	}
	if !hasEvents {
		d.b.Errorf(line, `no "events"`)
	}
	if d.b.Events() == 0 && d.b.Faults() == 0 {
		d.b.Errorf(line, "history has no events")
	}
}

// deliver passes on the history that has been read. It reports false if the object
// was not JSON, since it is then uncertain where the next one begins.
func (d *violat) deliver() bool {
	switch s := &d.scan; {
	case s.failed():
		d.out.fault(d.faultLine, "%s", s.fault)
		return false
	case d.tooMuch > 0:
		d.out.broken(d.tooMuch, tooMuchMemory(d.memory))
		return false
	}
	b, order := d.b, d.order
	d.out.hold(&pending{b: b, line: b.Header().Line, build: func() { d.build(b, order) }})
	return true
}

// line returns the number of the line of byte at. Calls must be in ascending order of
// at.
func (d *violat) line(at int) int {
	if d.scan.failed() {
		at = min(at, d.scan.faultAt) // whose line is still to be asked for
	}
	if at > d.counted {
		d.lineAt += bytes.Count(d.scan.data[d.counted:at], []byte("\n"))
		d.counted = at
	}
	return d.lineAt
}

// wrong records that the next value is not what is wanted, and skips it.
func (d *violat) wrong(key, wanted string) {
	s, line := &d.scan, d.line(d.scan.pos)
	s.mark = s.pos
	s.skip()
	d.b.Errorf(line, "%q must be %s, not %s", key, wanted, clip(s.data[s.mark:s.pos]))
	s.mark = -1
}

// schema reads the class and the arguments of its constructor.
func (d *violat) schema() {
	s := &d.scan
	if s.peek() != '{' {
		d.wrong("schema", "an object")
		return
	}
	var model string
	var args []history.Value
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
	d.b.SetModel(model, args)
}

// readOrder reads schema.order: pairs of sequences, the first of which ends
// before the second begins.
func (d *violat) readOrder() {
	s := &d.scan
	line := d.line(s.pos)
	v := s.value(false)
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

// checkOrder compares schema.order with the events. Violat's harness makes a sequence
// wait for those before it, so the events of a recording have that order, and no edges
// need to be added. If they do not, the file contradicts itself.
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
	hasValue  bool // which is in violat.value
}

// events reads the list of events.
func (d *violat) events() {
	s := &d.scan
	if s.peek() != '[' {
		d.wrong("events", "a list")
		return
	}
	for more := s.begin('[', ']'); more; more = s.more(']') {
		switch c := s.peek(); {
		case d.b.Failed() || d.tooMuch > 0:
			s.skip()
			continue
		case c != '{':
			d.wrong("events", "objects")
			continue
		}
		faults := d.b.Faults()
		e := violatEvent{}
		d.brief.Reset()
		e.event.Line = d.line(s.pos)
		d.event(&e)
		if d.b.Faults() == faults && !s.failed() {
			d.add(&e)
		}
		if taken := int64(cap(s.data)) + s.pool.made - d.made + d.b.Size() + int64(cap(d.void)); taken > d.memory {
			d.tooMuch = e.event.Line
		}
	}
}

func (d *violat) event(e *violatEvent) {
	s := &d.scan
	d.fields(violatEventKeys, func(key string) {
		switch key {
		case "kind":
			e.kind = s.string().Text()
		case "sid":
			e.event.Process = d.identifier(key)
		case "invocation":
			d.invocation(e)
		case "value":
			s.mark = s.pos
			s.skip()
			d.value, e.hasValue = append(d.value[:0], s.data[s.mark:s.pos]...), true
			s.mark = -1
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
			e.event.Args, e.hasArgs = d.arguments(), true
		}
	})
}

// arguments reads a list for a short time.
func (d *violat) arguments() []history.Value {
	s := &d.scan
	s.brief = &d.brief
	base := s.elements(false)
	d.args = append(d.args[:0], s.stack[base:]...)
	s.stack, s.brief = s.stack[:base], nil
	return d.args
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

// fields calls read for each known key of the next object, and skips the others. read
// must read or skip the value.
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
	line := d.line(d.scan.pos)
	v := d.scan.value(false)
	if v.Kind() != history.Int && v.Kind() != history.String {
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
		e.event.Args = d.scan.pool.keptList(e.event.Args)
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
	if !e.hasValue {
		if !e.void {
			d.b.Errorf(e.event.Line, "the return of %s, which is not void, has no value", method)
		}
		return e.void
	}
	d.again.reset(d.value)
	v := d.again.value(false)
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
