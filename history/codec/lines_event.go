package codec

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/leadline/leadline/history"
)

// announce begins a history of the object that a header names.
func (d *lineDecoder) announce(name []byte) (fault string) {
	d.begin(d.addOperations)
	d.open = map[identifier]openCall{}
	if d.object = d.lineFormat.object(name); d.object == nil {
		return fmt.Sprintf("the object is %s, not %q", d.known(), clip(name))
	}
	d.b.SetModel(d.object.model, d.object.args)
	return ""
}

// method returns the index of the word for a method of the object.
func (d *lineDecoder) method(name []byte) (i int, fault string) {
	for i := range d.object.words {
		if w := &d.object.words[i]; w.f == string(name) || slices.Contains(w.aliases, string(name)) {
			return i, ""
		}
	}
	return 0, fmt.Sprintf("%s has no method %q", d.object.names[0], clip(name))
}

// value reads a value of a method; None means that there is none.
func (d *lineDecoder) value(w *word, text []byte) (v history.Value, fault string) {
	n, isInt := plainInt(text)
	switch {
	case len(text) == 0:
		return history.NoValue, ""
	case w.shape != both && string(text) == d.nothing:
		return history.NullValue, ""
	case isInt:
		return history.IntValue(n), ""
	case isInteger(string(text)):
		return v, fmt.Sprintf("integer %s does not fit 64 bits", clip(text))
	case d.isWord == nil:
		return v, fmt.Sprintf("%q is not an integer", clip(text))
	case !d.isWord(text):
		return v, fmt.Sprintf("%q is not a value: an integer, a word or %s", clip(text), d.nothing)
	}
	return d.pool.text(text), ""
}

// lacksValue returns a fault if a method that has an argument has no value.
func (d *lineDecoder) lacksValue(w *word, v history.Value) (fault string) {
	switch {
	case w.shape.asks():
	case v.Kind() == history.None:
		return fmt.Sprintf("%s needs a value to put in", w.f)
	case v.Kind() == history.Null:
		return fmt.Sprintf("%s needs a value to put in, and %s stands for nothing", w.f, d.nothing)
	}
	return ""
}

// outcome returns the result of a method that has an argument, too.
func outcome(w *word, text []byte) (did bool, fault string) {
	switch string(text) {
	case "1", "true":
		return true, ""
	case "0", "false":
		return false, ""
	}
	return false, fmt.Sprintf("the result of %s is 0 or 1, not %q", w.f, clip(text))
}

// An interval is an operation with stamps, without these.
type interval struct {
	value   history.Value // the argument or else the result
	line    int32
	word    int8 // index into the words of the object
	outcome bool // the result, of a method with an argument and a result
}

// operation reads an operation with its stamps.
func (d *lineDecoder) operation(l *line) (fault string) {
	w, fault := d.method(l.method)
	if fault != "" {
		return fault
	}
	word := &d.object.words[w]
	value, fault := d.value(word, l.value)
	if fault != "" {
		return fault
	}
	start, okStart := parseInt(l.start)
	end, okEnd := parseInt(l.end)
	switch {
	case !okStart:
		return clip(l.start) + " is not a 64-bit integer"
	case !okEnd:
		return clip(l.end) + " is not a 64-bit integer"
	case (word.shape == both) != (l.result != nil):
		return "a line is: " + d.usage
	}
	if fault := d.lacksValue(word, value); fault != "" {
		return fault
	}
	did := false
	if word.shape == both {
		if did, fault = outcome(word, l.result); fault != "" {
			return fault
		}
	}
	d.whole = append(d.whole, interval{value, int32(min(d.lines.line, math.MaxInt32)), int8(w), did})
	d.starts, d.ends = append(d.starts, start), append(d.ends, end)
	if n := len(d.whole); n == sampled || n == 32*sampled {
		more := d.budget.expected(n) - n
		if n == sampled {
			more = min(more, 31*sampled) // the first lines are often short
		}
		more = max(0, more)
		d.whole, d.starts, d.ends = slices.Grow(d.whole, more), slices.Grow(d.starts, more), slices.Grow(d.ends, more)
	}
	return ""
}

// addOperations numbers the operations with stamps by these, since their order in the file has
// no meaning, and adds them to the history. Each is a process of its own.
func (d *lineDecoder) addOperations() {
	list := make([]int32, len(d.whole))
	for i := range list {
		list[i] = int32(i)
	}
	list, spare := history.SortByStamp(list, make([]int32, len(list)), d.ends)
	list, _ = history.SortByStamp(list, spare, d.starts)
	d.b.Expect(len(list))
	for i, k := range list {
		op, id := &d.whole[k], history.IntValue(int64(i))
		word, result := &d.object.words[op.word], op.value
		ev := history.Event{Process: id, Op: id, Method: word.method, At: d.starts[k], Line: int(op.line)}
		if !word.shape.asks() {
			ev.Args, result = d.pool.list([]history.Value{op.value}), history.NoValue
		}
		if word.shape == both {
			result = history.BoolValue(op.outcome)
		}
		d.b.Add(&ev)
		d.b.Add(&history.Event{Type: history.OK, Process: id, Op: id, Result: result, At: d.ends[k], Line: int(op.line)})
	}
	d.whole, d.starts, d.ends = nil, nil, nil // the memory is free for the rest of the work
}

// process returns the process with an identifier: an integer, or else a string.
func (d *lineDecoder) process(text []byte) history.Value {
	if n, ok := plainInt(text); ok {
		return history.IntValue(n)
	}
	return d.pool.text(text)
}

// call reads an invocation. A removal may have its result there already.
func (d *lineDecoder) call(l *line) (fault string) {
	i, fault := d.method(l.method)
	if fault != "" {
		return fault
	}
	w := &d.object.words[i]
	value, fault := d.value(w, l.value)
	if fault == "" {
		fault = d.lacksValue(w, value)
	}
	if fault != "" {
		return fault
	}
	ev := history.Event{Process: d.process(l.process), Method: w.method, Line: d.lines.line}
	if !w.shape.asks() {
		ev.Args = d.pool.list([]history.Value{value})
	}
	if _, open := d.open[idOf(ev.Process)]; !open {
		d.open[idOf(ev.Process)] = openCall{w, value, d.lines.line}
	}
	d.b.Add(&ev) // which refuses a process that is open
	return ""
}

// response reads the end of an operation. A removal that returns without a value found nothing,
// unless its call has the value.
func (d *lineDecoder) response(l *line) (fault string) {
	ev := history.Event{Type: l.typ, Process: d.process(l.process), Line: d.lines.line}
	call, open := d.open[idOf(ev.Process)]
	if !open {
		d.b.Add(&ev) // which reports it
		return ""
	}
	delete(d.open, idOf(ev.Process))
	if call.word.shape == both {
		did, fault := outcome(call.word, l.value)
		if fault == "" {
			ev.Result = history.BoolValue(did)
			d.b.Add(&ev)
		}
		return fault
	}
	value, fault := d.value(call.word, l.value)
	puts := !call.word.shape.asks()
	fixed := !puts && call.result.Kind() != history.None
	switch {
	case fault != "":
		return fault
	case puts && value.Kind() != history.None:
		return fmt.Sprintf("%s returns %v, but has no result", call.word.f, value)
	case fixed && value.Kind() != history.None && !value.Equal(call.result):
		return fmt.Sprintf("%s returns %v, but its call (line %d) has %v", call.word.f, value, call.line, call.result)
	case fixed:
		ev.Result = call.result
	case !puts && value.Kind() == history.None:
		ev.Result = history.NullValue
	default:
		ev.Result = value
	}
	d.b.Add(&ev)
	return ""
}

// crash leaves all open calls pending, and their processes go on as new ones.
func (d *lineDecoder) crash() {
	ids := slices.SortedFunc(maps.Keys(d.open), func(x, y identifier) int { return cmp.Compare(d.open[x].line, d.open[y].line) })
	for _, id := range ids {
		process := history.IntValue(id.number)
		if id.text != "" {
			process = history.StringValue(id.text)
		}
		d.b.Add(&history.Event{Type: history.Info, Process: process, Line: d.lines.line})
	}
	clear(d.open)
}

// word adds an event of a format without objects.
func (d *lineDecoder) word(l *line) (fault string) {
	d.noteMark(l)
	switch {
	case l.kind != eventLine || d.inLog && !l.hasPrefix:
		return ""
	case !utf8.Valid(l.method):
		return "invalid UTF-8"
	case l.hasPrefix && !d.inLog && d.words != nil && !d.ended:
		d.inLog = true
		return fmt.Sprintf("an event of a log (jepsen.util) after events without this prefix (from line %d on): write each history to a file of its own", d.words.line)
	}
	d.inLog = d.inLog || l.hasPrefix
	if d.words == nil || d.ended {
		d.ended = false
		d.words = &wordHistory{line: d.lines.line}
		d.begin(d.words.finish)
		d.words.b = d.b
	}
	ev := wordEvent{typ: l.typ, process: d.process(l.process), f: string(l.method), line: d.lines.line}
	if l.time != nil {
		ev.time = history.StringValue(string(l.time))
	}
	if ev.value, fault = d.ednValue(l.value, l.typ == history.Fail || l.typ == history.Info); fault != "" {
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

// ednValue reads the value at the end of a line. If the operation failed, its error may follow.
func (d *lineDecoder) ednValue(text []byte, isError bool) (v history.Value, fault string) {
	e := d.edn
	e.reset(bytes.NewReader(text), int64(len(text)))
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
