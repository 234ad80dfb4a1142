package codec

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
)

const jsonlName = "jsonl"

// decodeJSONL reads records that need no mapping.
func decodeJSONL(r io.Reader, file string, lim Limits) iter.Seq2[*history.History, error] {
	return decodeMapped(nil)(r, file, lim)
}

// decodeMapped returns the decoder for records by the mapping m. If m is nil, records
// are JSON, and the first one determines the mapping.
func decodeMapped(m *mapping) decoder {
	return func(r io.Reader, file string, lim Limits) iter.Seq2[*history.History, error] {
		return func(yield func(*history.History, error) bool) {
			lim := lim.fill()
			d := &jsonl{out: output{file: file, yield: yield}, m: m, pool: new(pool), input: sizeOf(r), limit: lim.History, memory: lim.Memory}
			if m == nil {
				d.records, d.kind = newJSONRecords(r, d.pool, lim), jsonlName
			} else {
				d.records, d.kind = openRecords(r, m.records, d.pool, lim)
				d.stamps.zone, d.stamps.unit = m.zone, m.stamps
				if table, ok := d.records.(*tableRecords); ok {
					table.needed = m.allPaths()
				}
			}
			d.run()
		}
	}
}

// A jsonl decodes one stream of records, which is one history.
type jsonl struct {
	out     output
	records records
	kind    string // of records
	m       *mapping
	jepsen  bool // records are Jepsen's events
	pool    *pool
	input   int64 // bytes; 0 if unknown
	limit   int64
	held    int64
	// memory is the limit on the memory of the history, count the number of
	// records.
	memory, count int64
	words         *wordHistory
	found         [mapSize]bool // some record has something at the path
	unseen        string        // a method that returned without a result in its record
	unreturned    bool          // some operation is pending only because its return is missing
	stamps        stamps
	// events and intervals with stamps wait for the last stamp; see stamps.
	events     []history.Event
	absent     []int // of events: ends whose result depends on a method that comes later
	intervals  []intervalRecord
	operations int64           // intervals so far, also those that are skipped
	nulls      map[string]bool // methods with null in place of arguments
	// methods are the methods of operations, for ends that lack them: by
	// identifier, and the last one of each process.
	methods, lastMethods map[violatID]string
}

func (d *jsonl) run() {
	for !d.out.stopped {
		record, line, err := d.records.next()
		if err == nil {
			if d.held += int64(d.records.size()); d.held > d.limit {
				err = &end{err: tooLarge(d.limit), file: true}
			}
			if d.count++; d.count*eventBytes+d.pool.made > d.memory {
				err = &end{err: tooMuchMemory(d.memory), file: true}
			}
		}
		var e *end
		if errors.As(err, &e) {
			if d.words != nil && e.unterminated {
				d.words.b.SetUnterminated()
			}
			if d.words != nil && (e.err == io.EOF || d.words.b.Faults() > 0) {
				d.finish()
			}
			switch {
			case e.err == io.EOF:
			case e.file:
				d.out.broken(line, e.err)
			default:
				d.out.fault(line, "%v", e.err)
			}
			return
		}
		d.record(record, line)
		if n := d.words.b.Events(); n%sampled == 0 && n > 0 {
			d.words.b.Expect(expected(d.input, d.held, n) / 2)
		}
	}
}

// open begins the history with its first record.
func (d *jsonl) open(record history.Value, line int) {
	if d.m == nil {
		shape := startShape
		switch {
		case member(record, "ClientId").Kind() != history.None:
			shape = operationShape
		case member(record, "process").Kind() != history.None && member(record, "f").Kind() != history.None:
			shape, d.jepsen = jepsenShape, true
		}
		m, err := parseMapping(shape)
		if err != nil {
			panic("codec: " + err.Error())
		}
		if model := member(record, "model"); model.Kind() == history.String {
			m.model, m.args = model.Text(), d.pool.keptList(member(record, "model_args").List())
		}
		d.m = m
	}
	h := history.Header{File: d.out.file, Line: line, Format: d.kind, Tie: d.m.tie}
	if d.jepsen {
		h.Format = jepsenName
	}
	if d.m.hasSpans() || d.m.has(mapAt) {
		h.Order = history.StampOrder
	}
	d.words = &wordHistory{line: line, b: history.NewBuilder(h)}
}

// record decodes one record.
func (d *jsonl) record(record history.Value, line int) {
	if d.words == nil {
		d.open(record, line)
	}
	if d.words.b.Failed() {
		return
	}
	fault := ""
	switch m := d.m; {
	case m.hasSpans():
		fault = d.interval(record, line)
	case m.has(mapStart):
		fault = d.union(record, line)
	default:
		fault = d.event(record, line)
	}
	if fault != "" {
		d.words.b.Errorf(line, "%s", fault)
	}
}

// finish delivers the history.
func (d *jsonl) finish() {
	w := d.words
	if d.out.stopped {
		return
	}
	if d.stamps.list != nil {
		scaled := d.stamps.scale()
		d.restamp(func(i int64) int64 { return scaled[i] })
	}
	for _, i := range d.absent {
		if ev := &d.events[i]; slices.Contains(d.m.void, d.methods[idOf(ev.Op)]) {
			ev.Result = history.NoValue
		}
	}
	for i := range d.events {
		w.b.Add(&d.events[i])
	}
	d.checkPaths()
	d.addIntervals()
	if w.events.n > 0 {
		w.finish()
	}
	if d.m.model != "" {
		w.b.SetModel(d.m.model, d.m.args)
	}
	d.out.buildChanged(w.b, w.line, d.withoutNulls)
	d.words = nil
}

// identify sets the process, the identifier and the stamp of an event.
func (d *jsonl) identify(record history.Value, ev *history.Event) (fault string) {
	ev.Process, ev.Op = d.m.find(record, mapProcess), d.pool.kept(d.m.find(record, mapOp))
	if !d.m.has(mapProcess) {
		ev.Process = ev.Op // each operation is a process of its own
	}
	switch k := ev.Process.Kind(); {
	case k == history.Int || k == history.String:
	case k == history.None && ev.Op.Kind() != history.None: // an end that has the identifier only
	case !d.m.has(mapProcess):
		return d.m.named(mapOp) + " " + wrongKind(ev.Process, "an integer or a string")
	default:
		return d.m.named(mapProcess) + " " + wrongKind(ev.Process, "an integer or a string")
	}
	if d.m.has(mapAt) {
		at, fault := d.stamp(record, mapAt)
		ev.At = d.stamps.take(at, d.restamp)
		return fault
	}
	return ""
}

// stamp reads a stamp.
func (d *jsonl) stamp(record history.Value, f mapped) (stamp, string) {
	v, text := d.m.find(record, f), ""
	if v.Kind() == history.Float {
		text = written(d.records, record, d.m.paths[f])
	}
	s, fault := d.stamps.read(v, text)
	if fault != "" {
		fault = d.m.named(f) + " " + fault
	}
	return s, fault
}

// restamp applies f to all stamps.
func (d *jsonl) restamp(f func(int64) int64) {
	for i := range d.words.events.stamps {
		s := &d.words.events.stamps[i]
		s.at = f(s.at)
	}
	for i := range d.events {
		d.events[i].At = f(d.events[i].At)
	}
	for i := range d.intervals {
		r := &d.intervals[i]
		if r.call = f(r.call); r.end != lost {
			r.ret = f(r.ret)
		}
	}
}

// event reads {"client":1, "kind":"invoke", "op":"write", "args":[1]}, or with a
// value as Jepsen has it in place of arguments and result.
func (d *jsonl) event(record history.Value, line int) (fault string) {
	e, fault := d.m.ending(record)
	if fault != "" || e == skipRecord {
		return fault
	}
	ev := history.Event{Line: line}
	if fault := d.identify(record, &ev); fault != "" {
		return fault
	}
	d.look(record)
	method := d.m.find(record, mapF)
	if k := method.Kind(); k != history.String && (e == began || k != history.None && k != history.Null) {
		return d.m.named(mapF) + " " + wrongKind(method, "a string")
	}
	ev.Type, ev.Method = e.event(), d.m.method(method.Text())
	if d.m.has(mapValue) {
		d.word(record, &ev, e)
		return ""
	}
	switch ev.Type {
	case history.Invoke:
		if ev.Args = d.arguments(record, ev.Method); d.m.void != nil {
			d.methodOf(&ev)
		}
	case history.OK:
		method := d.methodOf(&ev)
		ev.Result = d.result(record, e, method)
		if known := ev.Result.Kind() == history.Exception || ev.Result.Kind() == history.Unknown; method == "" && !known && d.m.has(mapAt) {
			d.absent = append(d.absent, len(d.events))
		}
	}
	d.add(&ev)
	return ""
}

// add adds an event, or keeps it for when its stamp is known.
func (d *jsonl) add(ev *history.Event) {
	ev.Args, ev.Result = d.pool.keptList(ev.Args), d.pool.kept(ev.Result)
	if d.m.has(mapAt) {
		d.events = append(d.events, *ev)
	} else {
		d.words.b.Add(ev)
	}
}

// methodOf returns the method of an event, or that of the operation that it ends.
// An end may lack the identifier of its invocation.
func (d *jsonl) methodOf(ev *history.Event) string {
	hasID := ev.Op.Kind() != history.None
	switch {
	case ev.Type == history.Invoke:
		if d.methods == nil {
			d.methods, d.lastMethods = map[violatID]string{}, map[violatID]string{}
		}
		if hasID {
			d.methods[idOf(ev.Op)] = ev.Method
		}
		d.lastMethods[idOf(ev.Process)] = ev.Method
	case ev.Method == "" && hasID:
		return d.methods[idOf(ev.Op)]
	case ev.Method == "":
		return d.lastMethods[idOf(ev.Process)]
	}
	return ev.Method
}

// word adds an event whose value means what it means in Jepsen's histories.
func (d *jsonl) word(record history.Value, ev *history.Event, e ending) {
	w := wordEvent{typ: ev.Type, process: ev.Process, op: ev.Op, at: ev.At, line: ev.Line, f: strings.TrimPrefix(ev.Method, ":")}
	if w.value = d.m.value(record, mapValue); w.value.Kind() == history.None || e == returnedNull {
		w.value = history.NullValue
	}
	if w.key = d.m.value(record, mapKey); w.key.Kind() != history.None {
		d.words.keyed = true
	}
	if d.jepsen {
		w.index, w.time = member(record, "index"), member(record, "time")
	}
	w.unknown = e == returnedUnknown
	w.value, w.key = d.pool.kept(w.value), d.pool.kept(w.key)
	d.words.events.add(&w)
}

// silentPaths are the fields that records may lack. If all records lack one, its path
// is wrong or not needed.
var silentPaths = []mapped{mapKey, mapValue, mapResult, mapReturn, mapDuration, mapOutput}

// look notes which of the silentPaths the record of an operation has.
func (d *jsonl) look(record history.Value) {
	for _, f := range silentPaths {
		if d.m.has(f) && !d.found[f] {
			d.found[f] = d.m.find(record, f).Kind() != history.None
		}
	}
}

// lacks reports whether a field is mapped and no record has it.
func (d *jsonl) lacks(f mapped) bool { return d.m.has(f) && !d.found[f] }

// checkPaths reports paths that no record has, if that could cause a wrong verdict. In a
// table, the header must have all paths.
func (d *jsonl) checkPaths() {
	w := d.words
	if d.kind != jsonlName && d.kind != "logfmt" || d.m.has(mapStart) || w.b.Events()+w.events.n+len(d.intervals) == 0 {
		return
	}
	for _, f := range []mapped{mapKey, mapReturn, mapDuration} {
		if d.lacks(f) && (f == mapKey || d.unreturned) {
			w.b.Errorf(w.line, "no record has %s", d.m.named(f))
		}
	}
	if d.lacks(mapResult) && d.unseen != "" {
		w.b.Errorf(w.line, "no record has %s, which is the result of %s", d.m.named(mapResult), d.unseen)
	}
	if d.lacks(mapOutput) && slices.ContainsFunc(d.intervals, asksKeyValue) {
		w.b.Errorf(w.line, "no record has %s, which is the result of a get", d.m.named(mapOutput))
	}
	if !d.lacks(mapValue) {
		return
	}
	if dialect := w.choose(); dialect != nil {
		for i, name := range w.events.names {
			if word := dialect.find(name); w.events.invoked[i] > 0 && (word.shape == blind || word.shape == silent || word.shape == compare) {
				w.b.Errorf(w.line, "no record has %s, which is the argument of %s", d.m.named(mapValue), name)
				return
			}
		}
	}
}

// arguments returns the key, if there is one, and the arguments of a method in a
// record. A list is the arguments, anything else the only one.
func (d *jsonl) arguments(record history.Value, method string) []history.Value {
	var args []history.Value
	if key := d.m.value(record, mapKey); key.Kind() != history.None {
		args = append(args, key)
	}
	if d.m.parts != nil {
		return d.m.partsOf(record, args)
	}
	v := d.m.value(record, mapArgs)
	if v.Kind() == history.Null && !d.nulls[method] {
		if d.nulls == nil {
			d.nulls = map[string]bool{}
		}
		d.nulls[method] = true
	}
	return append(args, argumentsOf(v)...)
}

// withoutNulls removes null where the records of a method have nothing else in place of
// arguments. Programs that write all fields of a record do so for methods that take none.
func (d *jsonl) withoutNulls(h *history.History) {
	if d.m.parts != nil {
		dropAbsent(h)
	}
	if d.nulls == nil {
		return
	}
	most := 1
	if d.m.has(mapKey) {
		most = 2
	}
	lists := [][]history.Operation{h.Ops, h.Ghosts}
	for _, list := range lists {
		for i := range list {
			if n := len(list[i].Args); n > most || n > 0 && list[i].Args[n-1].Kind() != history.Null {
				delete(d.nulls, list[i].Method)
			}
		}
	}
	for _, list := range lists {
		for i := range list {
			if op := &list[i]; d.nulls[op.Method] && len(op.Args) > 0 {
				op.Args = op.Args[:len(op.Args)-1]
			}
		}
	}
}

// argumentsOf returns a list's elements, or the only argument.
func argumentsOf(v history.Value) []history.Value {
	switch v.Kind() {
	case history.None:
		return nil
	case history.List:
		return v.List()
	}
	return []history.Value{v}
}

// result returns the result in a record. An absent result is none, unless the mapping
// lists the methods without results: then it is null for all others.
func (d *jsonl) result(record history.Value, e ending, method string) history.Value {
	if name := d.m.find(record, mapException); isSet(name) {
		return history.ExceptionValue(wordOf(name))
	}
	v := d.m.value(record, mapResult)
	switch {
	case e == returnedUnknown:
		return history.UnknownValue
	case slices.Contains(d.m.void, method):
		return history.NoValue
	case e == returnedNull:
		return history.NullValue
	case d.m.void != nil && v.Kind() == history.None && e == returned:
		d.unseen = method
		return history.NullValue
	case d.m.void != nil && v.Kind() == history.None:
		return history.NullValue
	}
	return v
}

// event returns the event type for an ending.
func (e ending) event() history.EventType {
	switch e {
	case began:
		return history.Invoke
	case failed:
		return history.Fail
	case lost:
		return history.Info
	}
	return history.OK
}

// union reads starts, {"event":{"Start":{"write":[1]}}, ...}, and finishes,
// {"event":{"Finish":{"Ok":1}}, ...}.
func (d *jsonl) union(record history.Value, line int) (fault string) {
	if d.m.meets(record) == skipRecord {
		return ""
	}
	ev := history.Event{Line: line}
	if fault := d.identify(record, &ev); fault != "" {
		return fault
	}
	start, finish := d.m.find(record, mapStart), d.m.find(record, mapFinish)
	switch {
	case start.Kind() != history.None && finish.Kind() != history.None:
		return "a record is a start or a finish, not both"
	case start.Kind() != history.None:
		name, payload, ok := variant(start)
		if !ok {
			return fmt.Sprintf("a start is a name or {name: arguments}, not %v", start)
		}
		ev.Method, ev.Args = name, argumentsOf(payload)
	case finish.Kind() != history.None:
		name, payload, ok := variant(finish)
		if !ok {
			return fmt.Sprintf("a finish is a name or {name: result}, not %v", finish)
		}
		ev.Type, ev.Result = outcome(name, payload)
	default:
		return "a record is a start or a finish, and this one is neither"
	}
	d.add(&ev)
	return ""
}

// variant returns the name and the content of a tagged union in its usual notation:
// "name" or {"name": content}.
func variant(v history.Value) (name string, content history.Value, ok bool) {
	if v.Kind() == history.String {
		return v.Text(), history.NoValue, true
	}
	pairs := v.List()
	if v.Kind() != history.Map || len(pairs) != 2 {
		return "", v, false
	}
	return pairs[0].Text(), pairs[1], true
}

// outcome returns how an operation ended, by its name: an indefinite failure,
// timeout or unknown end leaves it pending, any other failure means that it
// did not happen, and everything else that it returned.
func outcome(name string, payload history.Value) (history.EventType, history.Value) {
	if name == "Ok" {
		return history.OK, payload
	}
	lower := strings.ToLower(name)
	ends := func(suffixes ...string) bool {
		for _, s := range suffixes {
			if strings.HasSuffix(lower, s) {
				return true
			}
		}
		return false
	}
	switch {
	case ends("indefinitefailure", "timeout", "unknown", "info", "pending"):
		return history.Info, history.NoValue
	case ends("failure", "fail", "failed"):
		return history.Fail, history.NoValue
	case lower == "exception" && payload.Kind() == history.String:
		return history.OK, history.ExceptionValue(payload.Text())
	}
	return history.OK, payload
}
