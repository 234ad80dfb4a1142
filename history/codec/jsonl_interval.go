package codec

import (
	"fmt"
	"strings"

	"github.com/leadline/leadline/history"
)

// An intervalRecord is an operation with call and return, as in porcupine.
type intervalRecord struct {
	process, id history.Value
	// Either input and output, or method, args and, in output, the result.
	input, output history.Value
	method        string
	args          []history.Value
	call, ret     int64
	end           ending // lost if it has no return
	happened      bool   // lost, but known to have taken effect
	line          int
}

// interval reads {"ClientId":0, "Input":..., "Call":1, "Output":..., "Return":2}.
// Without a return, or with a negative one, or with an error in its output, it stays
// pending.
func (d *jsonl) interval(record history.Value, line int) (fault string) {
	m := d.m
	r := intervalRecord{id: history.IntValue(d.operations), line: line}
	d.operations++
	if id := m.find(record, mapOp); id.Kind() != history.None {
		r.id = d.pool.kept(id)
	}
	if r.process = r.id; m.has(mapProcess) { // else each operation is a process of its own
		r.process = m.find(record, mapProcess)
	}
	if k := r.process.Kind(); k != history.Int && k != history.String {
		return m.named(mapProcess) + " " + wrongKind(r.process, "an integer or a string")
	}
	if fault := d.span(record, &r); fault != "" || r.end == skipRecord {
		return fault
	}
	d.look(record)
	if !m.has(mapInput) {
		return d.plainInterval(record, &r)
	}
	r.input, r.output = m.find(record, mapInput), m.find(record, mapOutput)
	if !m.states(record) {
		if isSet(anyMember(r.output, "error")) || isFault(anyMember(r.output, "err")) {
			r.end = lost
		}
		if member(r.output, "Persisted").Bool() || member(r.output, "PartialResponse").Bool() {
			r.end, r.happened = lost, true
		}
	}
	switch r.end {
	case returnedNull:
		r.output = history.NullValue
	case returnedUnknown:
		r.output = history.UnknownValue
	}
	r.input, r.output = d.pool.kept(r.input), d.pool.kept(r.output)
	d.intervals = append(d.intervals, r)
	return ""
}

// span sets the stamps of an operation and how it ended.
func (d *jsonl) span(record history.Value, r *intervalRecord) (fault string) {
	m, last := d.m, mapReturn
	if m.has(mapDuration) {
		last = mapDuration
	}
	ret := m.find(record, last)
	open := ret.Kind() == history.None || ret.Kind() == history.Null ||
		last == mapReturn && isNegative(ret) && !isNegative(m.find(record, mapCall))
	switch {
	case m.states(record) || !open && (len(m.conditions) > 0 || m.has(mapStatus)):
		r.end, fault = m.ending(record)
	case open:
		r.end, d.unreturned = lost, true
	default:
		r.end = returned
	}
	switch {
	case fault != "":
		return fault
	case r.end == began:
		return "a record is a whole operation, and not an invocation"
	case r.end == failed && open:
		r.end = skipRecord // it did not happen
	case r.end != lost && r.end != skipRecord && open:
		return fmt.Sprintf("%s is missing, but the operation returned", m.named(last))
	}
	if r.end == skipRecord {
		return ""
	}
	from, to, fault := d.ends(record, r.end == lost)
	if fault != "" || r.end == lost {
		r.call = d.stamps.take(from, d.restamp)
		return fault
	}
	r.call, r.ret = d.stamps.take(from, d.restamp), 0
	r.ret = d.stamps.take(to, func(f func(int64) int64) { d.restamp(f); r.call = f(r.call) })
	return fault
}

// isNegative reports whether v is a stamp below 0.
func isNegative(v history.Value) bool {
	switch v.Kind() {
	case history.Int:
		return v.Int() < 0
	case history.Float:
		return v.Float() < 0
	}
	s, fault := parseDecimal(strings.TrimSpace(v.Text()))
	return fault == "" && s.whole < 0
}

// ends returns the stamps of the call and the return of an operation. If it is lost,
// only the first is valid.
func (d *jsonl) ends(record history.Value, isLost bool) (from, to stamp, fault string) {
	m := d.m
	if m.has(mapCall) {
		if from, fault = d.stamp(record, mapCall); fault != "" || isLost {
			return from, to, fault
		}
	}
	if m.has(mapReturn) {
		if to, fault = d.stamp(record, mapReturn); fault != "" {
			return from, to, fault
		}
	}
	if !m.has(mapDuration) {
		if compareStamps(to, from) < 0 {
			fault = fmt.Sprintf("%s is %v, before %s, which is %v", m.named(mapReturn), m.find(record, mapReturn), m.named(mapCall), m.find(record, mapCall))
		}
		return from, to, fault
	}
	v, text, fits := m.find(record, mapDuration), "", false
	if v.Kind() == history.Float {
		text = written(d.records, record, m.paths[mapDuration])
	}
	took, fault := d.stamps.duration(v, text, m.unit)
	if fault != "" {
		return from, to, m.named(mapDuration) + " " + fault
	}
	if m.has(mapCall) {
		to, fits = from.plus(took)
	} else {
		from, fits = to.minus(took)
	}
	if !fits {
		fault = m.named(mapDuration) + " leads to a stamp that does not fit 64 bits"
	}
	return from, to, fault
}

// plainInterval reads an operation whose method, arguments and result have paths of
// their own.
func (d *jsonl) plainInterval(record history.Value, r *intervalRecord) (fault string) {
	method := d.m.find(record, mapF)
	if method.Kind() != history.String {
		return d.m.named(mapF) + " " + wrongKind(method, "a string")
	}
	if r.method = d.m.method(method.Text()); !d.m.has(mapValue) {
		r.args, r.output = d.pool.keptList(d.arguments(record, r.method)), d.pool.kept(d.result(record, r.end, r.method))
		d.intervals = append(d.intervals, *r)
		return ""
	}
	ev := history.Event{Process: r.process, Op: r.id, Method: r.method, At: r.call, Line: r.line}
	d.word(record, &ev, began)
	if ev.Type = r.end.event(); r.end != lost {
		ev.At = r.ret
	}
	d.word(record, &ev, r.end)
	return ""
}

// add gives an operation to the Builder.
func (r *intervalRecord) add(b *history.Builder, method string, args []history.Value, result history.Value) {
	b.Add(&history.Event{Type: history.Invoke, Process: r.process, Op: r.id, Method: method, Args: args, At: r.call, Line: r.line})
	end := history.Event{Type: r.end.event(), Process: r.process, Op: r.id, Result: result, At: r.ret, Line: r.line}
	if r.end == lost {
		end.Result, end.At = history.NoValue, r.call // its client may go on from then on
	}
	b.Add(&end)
	if r.happened {
		b.Mark(r.id, true, r.line)
	}
}

// addIntervals gives operations to the Builder. If they have input and output and all
// are requests to a key-value store, they are added as such. Otherwise the input names
// the method.
func (d *jsonl) addIntervals() {
	if len(d.intervals) > 0 && d.m.has(mapInput) {
		d.addRequests()
		return
	}
	for i := range d.intervals {
		r := &d.intervals[i]
		r.add(d.words.b, r.method, r.args, r.output)
	}
}

func (d *jsonl) addRequests() {
	simple, missing := true, []history.Value{history.StringValue("")}
	for i := range d.intervals {
		r := &d.intervals[i]
		inv, result, ok := keyValueRequest(r)
		if simple = simple && ok; simple && inv.Method == "get" && r.end != lost && result.Kind() == history.Null {
			missing = nil // which is null
		}
	}
	if simple {
		d.words.b.SetModel("kv", missing)
	} else if e := (etcdRequests{memory: d.memory}); e.add(d.words.b, d.intervals) {
		if e.full > 0 {
			d.out.broken(e.full, tooMuchMemory(d.memory))
		}
		return
	}
	for i := range d.intervals {
		r := &d.intervals[i]
		if simple {
			if fault := d.strangeRequest(r); fault != "" {
				d.words.b.Errorf(r.line, "%s", fault)
				continue
			}
			inv, result, _ := keyValueRequest(r)
			r.add(d.words.b, inv.Method, inv.Args, result)
			continue
		}
		d.addRequest(r)
	}
}
