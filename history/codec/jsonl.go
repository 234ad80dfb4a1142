package codec

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/leadline/leadline/history"
)

const jsonlName = "jsonl"

// decodeJSONL reads records that need no mapping.
func decodeJSONL(r io.Reader, file string, lim Limits) iter.Seq2[*history.History, error] {
	return decodeMapped(nil)(r, file, lim)
}

// decodeMapped returns the decoder for records as m has them; if m is nil the
// first record determines the mapping.
func decodeMapped(m *mapping) decoder {
	return func(r io.Reader, file string, lim Limits) iter.Seq2[*history.History, error] {
		return func(yield func(*history.History, error) bool) {
			lim := lim.fill()
			d := &jsonl{out: output{file: file, yield: yield}, m: m, limit: lim.History, memory: lim.Memory}
			d.scan.pool, d.scan.wide = new(pool), true
			d.run(newObjectReader(r, lim))
		}
	}
}

// A jsonl decodes one stream of records, which is one history.
type jsonl struct {
	out   output
	scan  scanner
	m     *mapping
	limit int64
	held  int64
	// memory is the limit on what the history takes, records how many there
	// are.
	memory, records int64
	words           *wordHistory
	// requests are operations with input and output, until it is known whether
	// all of them are those of a key-value store.
	requests []intervalRecord
	count    int64 // operations of records with call and return
}

func (d *jsonl) run(objects *objectReader) {
	for !d.out.stopped {
		if err := objects.more(); err != nil {
			if isEnd(err) {
				d.finish(objects.line, err != io.EOF)
			}
			if err != io.EOF {
				d.out.broken(objects.line, err)
			}
			return
		}
		text, line, err := objects.next()
		if err == nil {
			if d.held += int64(len(text)); d.held > d.limit {
				err = tooLarge(d.limit)
			}
			if d.records++; d.records*eventBytes+d.scan.pool.made > d.memory {
				err = tooMuchMemory(d.memory)
			}
		}
		if err != nil {
			// What came before a cut is a history too.
			if objects.err != nil && isEnd(objects.err) {
				d.finish(line, true)
			}
			if errors.Is(err, ErrLimit) || objects.err != nil && objects.err != io.EOF {
				d.out.broken(line, err)
			} else {
				d.out.fault(line, "%v", err)
			}
			return
		}
		s := &d.scan
		s.reset(text)
		record := s.value(false)
		s.end()
		if s.failed() {
			d.out.fault(line, "%s", s.fault)
			return
		}
		d.record(record, line)
	}
}

// open begins the history with its first record.
func (d *jsonl) open(record history.Value, line int) {
	if d.m == nil {
		shape := startShape
		if member(record, "ClientId").Kind() != history.None {
			shape = operationShape
		}
		m, err := parseMapping(shape)
		if err != nil {
			panic("codec: " + err.Error())
		}
		if model := member(record, "model"); model.Kind() == history.String {
			m.model, m.args = model.Text(), member(record, "model_args").List()
		}
		d.m = m
	}
	h := history.Header{File: d.out.file, Line: line, Format: jsonlName, Tie: d.m.tie}
	if d.m.has("call") || d.m.has("at") {
		h.Order = history.StampOrder
	}
	d.words = &wordHistory{line: line, b: history.NewBuilder(h)}
}

// record takes one record.
func (d *jsonl) record(record history.Value, line int) {
	if d.words == nil {
		d.open(record, line)
	}
	if d.words.b.Failed() {
		return
	}
	fault := ""
	switch m := d.m; {
	case m.has("call"):
		fault = d.interval(record, line)
	case m.has("start"):
		fault = d.union(record, line)
	case m.has("value"):
		fault = d.word(record, line)
	default:
		fault = d.event(record, line)
	}
	if fault != "" {
		d.words.b.Errorf(line, "%s", fault)
	}
}

// finish delivers the history, which ends at line, perhaps where the file was
// cut. Of records with stamps, which come in no order, any may be missing then.
func (d *jsonl) finish(line int, cut bool) {
	w := d.words
	if w == nil || d.out.stopped {
		return
	}
	if cut && w.b.Header().Order == history.StampOrder {
		w.b.SetTorn(line)
	}
	if d.requests != nil {
		d.addRequests()
	}
	if w.events != nil {
		w.finish()
	}
	if d.m.model != "" {
		w.b.SetModel(d.m.model, d.m.args)
	}
	d.out.build(w.b, w.line)
	d.words = nil
}

// identify sets process, identifier and stamp.
func (d *jsonl) identify(record history.Value, ev *history.Event) (fault string) {
	ev.Process, ev.Op = d.m.find(record, "process"), d.m.find(record, "op")
	if k := ev.Process.Kind(); k != history.Int && k != history.String {
		return fmt.Sprintf("process is an integer or a string, not %s", describe(ev.Process))
	}
	if d.m.has("at") {
		at := d.m.find(record, "at")
		if at.Kind() != history.Int {
			return fmt.Sprintf("at is an integer, not %s", describe(at))
		}
		ev.At = at.Int()
	}
	return ""
}

// event reads {"client":1, "kind":"invoke", "op":"write", "args":[1]}. A list
// is the arguments, anything else the only one. A result that is absent is
// none.
func (d *jsonl) event(record history.Value, line int) (fault string) {
	ev := history.Event{Line: line}
	if fault := d.identify(record, &ev); fault != "" {
		return fault
	}
	var ok bool
	if ev.Type, ok = d.m.eventType(d.m.find(record, "type")); !ok {
		return unknownType(d.m.find(record, "type"))
	}
	switch ev.Type {
	case history.Invoke:
		ev.Method = d.m.find(record, "f").Text()
		ev.Args = d.arguments(record)
	case history.OK:
		ev.Result = d.m.find(record, "result")
	}
	d.words.b.Add(&ev)
	return ""
}

// unknownType is the fault of an event with a type that is not known.
func unknownType(v history.Value) string {
	return fmt.Sprintf("the type of an event cannot be %s; the mapping lists other words, as in invoke=asked,ok=done", describe(v))
}

// arguments returns the key, if there is one, and the arguments in a record.
func (d *jsonl) arguments(record history.Value) []history.Value {
	var args []history.Value
	if key := d.m.find(record, "key"); key.Kind() != history.None {
		args = append(args, key)
	}
	return append(args, argumentsOf(d.m.find(record, "args"))...)
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

// word reads {"client":1, "kind":"invoke", "op":"write", "value":1}, where
// value is what it is in Jepsen's histories.
func (d *jsonl) word(record history.Value, line int) (fault string) {
	var id history.Event
	if fault := d.identify(record, &id); fault != "" {
		return fault
	}
	ev := wordEvent{process: id.Process, op: id.Op, at: id.At, line: line, f: d.m.find(record, "f").Text()}
	var ok bool
	if ev.typ, ok = d.m.eventType(d.m.find(record, "type")); !ok {
		return unknownType(d.m.find(record, "type"))
	}
	ev.f = strings.TrimPrefix(ev.f, ":")
	if ev.value = d.m.find(record, "value"); ev.value.Kind() == history.None {
		ev.value = history.NullValue
	}
	if ev.key = d.m.find(record, "key"); ev.key.Kind() != history.None {
		d.words.keyed = true
	}
	d.words.events = append(d.words.events, ev)
	return ""
}

// union reads starts, {"event":{"Start":{"write":[1]}}, ...}, and finishes,
// {"event":{"Finish":{"Ok":1}}, ...}.
func (d *jsonl) union(record history.Value, line int) (fault string) {
	ev := history.Event{Line: line}
	if fault := d.identify(record, &ev); fault != "" {
		return fault
	}
	start, finish := d.m.find(record, "start"), d.m.find(record, "finish")
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
	d.words.b.Add(&ev)
	return ""
}

// variant returns the name and the content of one of several alternatives as
// they are usually written: "name" or {"name": content}.
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

// encodeJSONL writes h as a stream of starts and finishes. The first record
// names the model.
func encodeJSONL(w io.Writer, h *history.History) error {
	if err := checkPlain(jsonlName, h); err != nil {
		return err
	}
	buf := []byte{}
	for i, ev := range eventsOf(h) {
		op, ok := &h.Ops[ev.op], true
		buf = append(buf, '{')
		if i == 0 && h.Model != "" {
			buf, ok = appendPlain(append(buf, `"model":`...), history.StringValue(h.Model))
			if len(h.ModelArgs) > 0 && ok {
				buf, ok = appendPlain(append(buf, `,"model_args":`...), history.ListValue(h.ModelArgs...))
			}
			buf = append(buf, ',')
		}
		if !ok {
			return refusal(jsonlName, "the model %s", modelText(h))
		}
		if buf, ok = appendUnion(append(buf, `"event":`...), op, ev.ret); !ok {
			return refusal(jsonlName, "%v (operation %v), whose result has a kind of its own or is unknown", op, op.ID())
		}
		process := h.Processes[op.Process]
		if !utf8.ValidString(process.Text()) || !utf8.ValidString(op.ID().Text()) {
			return refusal(jsonlName, "the names of %v, which are not UTF-8", op)
		}
		buf = AppendValue(append(buf, `,"client_id":`...), process)
		buf = AppendValue(append(buf, `,"op_id":`...), op.ID())
		buf = append(buf, "}\n"...)
	}
	c := carrier{format: jsonlName, processes: true,
		decode: func(text []byte) (*history.History, error) { return only(decodeJSONL, text) }}
	return c.write(w, h, buf)
}

// appendUnion appends a start or a finish.
func appendUnion(buf []byte, op *history.Operation, ret bool) ([]byte, bool) {
	ok := true
	if !ret {
		if buf, ok = appendPlain(append(buf, `{"Start":{`...), history.StringValue(op.Method)); !ok {
			return buf, false
		}
		buf, ok = appendPlain(append(buf, ':'), history.ListValue(op.Args...))
		return append(buf, "}}"...), ok
	}
	switch op.Result.Kind() {
	case history.None:
		return append(buf, `{"Finish":"Ok"}`...), true
	case history.Exception:
		buf, ok = appendPlain(append(buf, `{"Finish":{"Exception":`...), history.StringValue(op.Result.Text()))
	default:
		buf, ok = appendPlain(append(buf, `{"Finish":{"Ok":`...), op.Result)
	}
	return append(buf, "}}"...), ok
}
