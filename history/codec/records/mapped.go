package records

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/expr-lang/expr/vm"
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec/decode"
	"github.com/leadline/leadline/history/codec/scan"
)

// open begins to read a stream of records by a mapping. It holds one history.
func (m *mapping) open(s *decode.Stream) decode.Reader {
	d := &mapped{stream: s, m: m, env: newEnvironment(m, s.Pool)}
	d.vm.MemoryBudget = maxMemory
	d.env.seeks = !m.has(outcomePart) && !m.isPreset
	d.clock.isChosen = m.has(callPart) || m.has(atPart) // else the first event shows which fields may be stamps
	d.records, d.kind = openRecords(s, m)
	return d
}

// A mapped reads one stream of records.
type mapped struct {
	stream     *decode.Stream
	m          *mapping
	records    records
	kind       string // of records
	env        *environment
	vm         vm.VM
	operations int // whole operations so far
	b          *decode.History
	line       int // of the record
	pairs      pairing
	stamped    []history.Event // events with stamps, which are paired when all are known
	clock      clock
	faults     []recordFault // of one kind each
	failure    string        // what says that an operation failed which counts as done; see noteFailure
}

// Next implements decode.Reader.
func (d *mapped) Next() (line int, err error) {
	d.env.begin()
	d.env.every = !d.clock.isChosen
	line, err = d.records.next(d.env)
	if err != nil {
		return line, err
	}
	d.env.room = maxMemory + d.records.size()
	if d.b == nil {
		d.begin(line)
	}
	if d.m.namesLine {
		d.env.line = line
	}
	d.env.notePaths()
	if d.b.Failed() {
		d.env.forget()
		return line, nil
	}
	d.line = line
	if err := d.record(); err != nil {
		d.addFault(err)
	}
	return line, nil
}

// begin begins the history.
func (d *mapped) begin(line int) {
	h := history.Header{Line: line, Format: d.kind, Tie: d.m.tie, Durability: d.m.durability, Model: d.m.model, ModelArgs: d.m.args, NoProcesses: !d.m.has(processPart)}
	if d.m.has(callPart) || d.m.has(atPart) {
		h.Order = history.StampOrder
	}
	d.b = d.stream.Begin(h)
	d.b.Kept = func() int64 { return int64(len(d.stamped)) * decode.EventBytes }
	d.b.Finish = d.finish
	d.b.Check = func(h *history.History) error {
		h.Warning = d.doubt(h)
		return nil
	}
}

// finish gives the rest of the events to the Builder.
func (d *mapped) finish() {
	slices.SortStableFunc(d.stamped, func(a, b history.Event) int { return cmp.Compare(a.At, b.At) })
	d.b.Expect(len(d.stamped) / 2)
	for i := range d.stamped {
		d.add(&d.stamped[i])
	}
	d.reportFaults()
	d.clock.report(d.b)
}

// record reads one record.
func (d *mapped) record() error {
	switch skip, err := d.eval(skipPart); {
	case err != nil:
		d.env.forget()
		return err
	case skip == true:
		d.env.forget()
		return nil
	case skip != nil && skip != false:
		d.env.forget()
		return d.wrong(skipPart, skip, "true or false")
	}
	if !d.clock.isChosen {
		if err := d.clock.choose(d.env); err != nil {
			return err
		}
	}
	if d.m.has(callPart) {
		return d.operation()
	}
	return d.event()
}

// eval returns the value of a part, or nil if the mapping does not have it.
func (d *mapped) eval(p part) (any, error) {
	e := d.m.parts[p]
	switch {
	case e == nil:
		return nil, nil
	case e.key != "": // without the machine, whose start takes longer than this
		return d.env.forMachine()[e.key], nil
	}
	d.env.work = maxWork + 8*d.records.size()
	v, err := d.vm.Run(e.program, d.env.forMachine())
	if err == nil {
		return v, nil
	}
	message, place := plainError(err)
	if d.m.isPreset {
		return nil, errors.New(message + d.named(e))
	}
	if start := strings.Index(place, "\n"); start > 0 {
		place = place[start:] // without line and column
	}
	return nil, fmt.Errorf("%s: %s%s%s", partNames[p], message, d.named(e), place)
}

// named returns the fields of an expression with their values, for a message.
func (d *mapped) named(e *expression) string {
	var text []string
	for _, f := range e.fields {
		text = append(text, f.name+" is "+d.show(d.env.value(d.env.fields[f.name], f.exact)))
	}
	if len(text) == 0 {
		return ""
	}
	return " (" + strings.Join(text, ", ") + ")"
}

// show returns a value for a message.
func (d *mapped) show(x any) string {
	if x == nil {
		return "nil"
	}
	v, err := d.env.valueOf(x)
	if err != nil {
		return scan.Clip(fmt.Append(nil, x))
	}
	return scan.Clip([]byte(v.String()))
}

// wrong returns the error for a value that is not what want says.
func (d *mapped) wrong(p part, v any, want string) error {
	return fmt.Errorf("%s is %s%s, and should be %s", d.title(p), d.show(v), d.fieldsOf(p), want)
}

// fieldsOf returns the fields of a part with their values, unless the part is one field.
func (d *mapped) fieldsOf(p part) string {
	e := d.m.parts[p]
	if len(e.fields) == 1 && e.fields[0].name == e.text && !d.m.isPreset {
		return ""
	}
	return d.named(e)
}

// title returns the name of a part, with its expression unless that is long.
func (d *mapped) title(p part) string {
	text := d.m.parts[p].text
	if len(text) < 60 && !d.m.isPreset {
		return partNames[p] + " = " + text
	}
	return partNames[p]
}

// identify sets the process and the identifier of an event.
func (d *mapped) identify(ev *history.Event) error {
	for _, id := range []struct {
		part part
		to   *history.Value
	}{{processPart, &ev.Process}, {opPart, &ev.Op}} {
		x, err := d.eval(id.part)
		if err != nil {
			return err
		}
		switch x.(type) {
		case nil:
			continue
		case int, string:
		default:
			return d.wrong(id.part, x, "an integer or a string")
		}
		*id.to, _ = d.env.valueOf(x)
	}
	return nil
}

// event reads a record that is an event.
func (d *mapped) event() error {
	ev := history.Event{Line: d.line}
	word, err := d.eval(typePart)
	if err != nil {
		return err
	}
	name, _ := word.(string)
	var ok bool
	if ev.Type, ok = history.ParseEventType(name); !ok || ev.Type == history.Waits {
		return d.wrong(typePart, word, `"invoke", "ok", "fail", "info" or "crash"`)
	}
	if err := d.identify(&ev); err != nil {
		return err
	}
	if ev.Type == history.Crash {
		if ev.Process.Kind() != history.None {
			ev.Args = []history.Value{ev.Process}
		}
	} else if ev.Process.Kind() == history.None && (ev.Type == history.Invoke || ev.Op.Kind() == history.None) {
		if d.m.has(processPart) || ev.Op.Kind() == history.None {
			return d.missing()
		}
		ev.Process = ev.Op // each operation is a process of its own
	}
	if !d.m.has(atPart) {
		d.clock.note(d.env, &ev)
	} else if ev.At, err = d.stamp(atPart); err != nil {
		return err
	}
	switch ev.Type {
	case history.Invoke:
		ev.Method, ev.Args, err = d.invocation()
	case history.OK:
		ev.Result, ev.Version, err = d.result()
		d.noteFailure()
	}
	switch {
	case err != nil:
		return err
	case d.m.has(atPart):
		if n := len(d.stamped); n == cap(d.stamped) {
			d.stamped = slices.Grow(d.stamped, max(n, 64)) // append adds only a quarter
		}
		d.stamped = append(d.stamped, ev)
		return nil
	}
	d.add(&ev)
	return nil
}

// missing returns the error for a record without a process.
func (d *mapped) missing() error {
	p := processPart
	if !d.m.has(p) {
		p = opPart
	}
	return d.wrong(p, nil, "an integer or a string")
}

// add gives an event to the Builder, with an identifier that no other operation has.
func (d *mapped) add(ev *history.Event) {
	if len(d.faults) > 0 {
		return // it may lack the event that ev belongs to
	}
	if ev.Type == history.Crash {
		d.pairs.crash(ev.Args)
	} else if d.m.has(opPart) || d.m.has(atPart) {
		if fault := d.pairs.identify(d.b, ev); fault != "" {
			d.b.Errorf(ev.Line, "%s", fault)
			return
		}
	}
	d.b.Add(ev)
}

// invocation returns the method and the arguments.
func (d *mapped) invocation() (method string, args []history.Value, err error) {
	f, err := d.eval(methodPart)
	if err != nil {
		return "", nil, err
	}
	method, ok := f.(string)
	if !ok || method == "" {
		return "", nil, d.wrong(methodPart, f, "a string, the method")
	}
	x, err := d.eval(argsPart)
	if err != nil || x == nil {
		return method, nil, err
	}
	list, ok := elementsOf(x)
	if !ok {
		list = []any{x}
	}
	for len(list) > 0 && list[len(list)-1] == nil {
		list = list[:len(list)-1]
	}
	args, err = d.env.valuesOf(list)
	return d.env.pool.Text([]byte(method)).Text(), args, err
}

// result returns the result and the version. Without an expression for one, it was not recorded.
func (d *mapped) result() (result history.Value, version history.Version, err error) {
	x, err := d.eval(versionPart)
	if err != nil {
		return result, 0, err
	}
	switch n, isInt := x.(int); {
	case isInt && n >= 0 && n < math.MaxInt:
		version = history.VersionOf(int64(n))
	case x != nil:
		return result, 0, d.wrong(versionPart, x, "an integer from 0 on")
	}
	if !d.m.has(resultPart) {
		return history.NoValue, version, nil
	}
	if x, err = d.eval(resultPart); err != nil {
		return result, 0, err
	}
	result, err = d.env.valueOf(x)
	return result, version, err
}

// stamp returns a stamp.
func (d *mapped) stamp(p part) (int64, error) {
	x, err := d.eval(p)
	if err != nil {
		return 0, err
	}
	return d.stampOf(p, x)
}

// stampOf returns the stamp that a part has.
func (d *mapped) stampOf(p part, x any) (int64, error) {
	switch x := x.(type) {
	case int:
		return int64(x), nil
	case float64, string, time.Time, time.Duration:
		n, err := nanosecondsOf(x, "ns")
		if err != nil {
			return 0, fmt.Errorf("%s: %w%s", d.title(p), err, d.fieldsOf(p))
		}
		return int64(n.(int)), nil
	}
	return 0, d.wrong(p, x, "a stamp: an integer, a date, or what ns returns")
}

// operation reads a record that is a whole operation. Without an outcome, it is pending if
// return is nil.
func (d *mapped) operation() error {
	call := history.Event{Type: history.Invoke, Line: d.line, Op: history.IntValue(int64(d.operations))}
	d.operations++
	if err := d.identify(&call); err != nil {
		return err
	}
	if call.Process.Kind() == history.None {
		if d.m.has(processPart) {
			return d.missing()
		}
		call.Process = call.Op
	}
	end := history.Event{Process: call.Process, Op: call.Op, Line: d.line}
	at, err := d.stamp(callPart)
	if err != nil {
		return err
	}
	call.At = at
	ret, err := d.outcome(&end)
	if err != nil || ret == nil && end.Type == history.Fail {
		return err // it did not happen
	}
	if call.Method, call.Args, err = d.invocation(); err != nil {
		return err
	}
	switch {
	case end.Type == history.Info:
		end.At = call.At // its client may go on from then on
	case ret == nil:
		return d.wrong(returnPart, nil, "a stamp, since the operation returned")
	default:
		if end.At, err = d.stampOf(returnPart, ret); err != nil {
			return err
		}
		if end.At < call.At {
			return d.wrong(returnPart, int(end.At), fmt.Sprintf("at least call, which is %d", call.At))
		}
	}
	if end.Type == history.OK {
		d.noteFailure()
		if end.Result, end.Version, err = d.result(); err != nil {
			return err
		}
	}
	if d.m.has(opPart) {
		call.Op = d.pairs.unusedID(d.b, call.Op)
		end.Op = call.Op
	}
	d.b.Add(&call)
	d.b.Add(&end)
	return nil
}

// outcome sets the type of the end of an operation, and returns the value of return unless
// the outcome is info.
func (d *mapped) outcome(end *history.Event) (ret any, err error) {
	word, err := d.eval(outcomePart)
	if err != nil {
		return nil, err
	}
	if word == "info" { // there need be no return
		end.Type = history.Info
		return nil, nil
	}
	if ret, err = d.eval(returnPart); err != nil {
		return nil, err
	}
	switch {
	case word == "ok" || !d.m.has(outcomePart) && ret != nil:
		end.Type = history.OK
	case word == "fail":
		end.Type = history.Fail
	case !d.m.has(outcomePart):
		end.Type = history.Info
	default:
		return nil, d.wrong(outcomePart, word, `"ok", "fail" or "info"`)
	}
	return ret, nil
}

// doubt returns a warning about the stamps and the outcomes of a history, or "".
func (d *mapped) doubt(h *history.History) string {
	text := overlapDoubt(h)
	if text == "" || d.m.isPreset || !d.m.has(callPart) && !d.m.has(atPart) {
		return d.failure
	}
	var stamps []string
	for p, e := range d.m.parts {
		if e != nil && part(p).isStamp() {
			stamps = append(stamps, partNames[p]+" = "+e.text)
		}
	}
	text += ": is the unit right in " + strings.Join(stamps, " and ") + "?"
	if d.failure != "" {
		text += "; " + d.failure
	}
	return text
}

// noteFailure notes the first record of an operation that returned with a field that says that it
// failed, which no expression names.
func (d *mapped) noteFailure() {
	if d.failure != "" {
		return
	}
	for _, f := range d.env.failures {
		if text := d.show(d.env.value(f, false)); d.env.has(f) && tellsFailure(f.name, text) {
			d.failure = fmt.Sprintf("line %d has %s = %s, and the operation counts as done: give outcome (of events, type) if its effect is uncertain",
				d.line, fieldText(f.name), text)
			return
		}
	}
}
