package lines

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec/scan"
)

// call reads an invocation. A removal may have its result there already.
func (d *reader) call(l *line) (fault string) {
	i, fault := d.find(l.method)
	if fault != "" {
		return fault
	}
	m := &d.object.methods[i]
	value, fault := d.value(m, l.value)
	if fault == "" {
		fault = d.lacksValue(m, value)
	}
	if fault != "" {
		return fault
	}
	ev := history.Event{Process: d.stream.Pool.Identifier(l.process), Method: m.model, Line: d.lines.Line}
	if m.values != answer {
		ev.Args = d.stream.Pool.List([]history.Value{value})
	}
	if _, open := d.open[scan.IDOf(ev.Process)]; !open {
		d.open[scan.IDOf(ev.Process)] = openCall{m, value, d.lines.Line}
	}
	d.b.Add(&ev) // which refuses a process that is open
	return ""
}

// response reads the end of an operation. A removal that returns without a value found nothing,
// unless its call has the value.
func (d *reader) response(l *line) (fault string) {
	ev := history.Event{Type: l.typ, Process: d.stream.Pool.Identifier(l.process), Line: d.lines.Line}
	call, open := d.open[scan.IDOf(ev.Process)]
	if !open {
		d.b.Add(&ev) // which reports it
		return ""
	}
	delete(d.open, scan.IDOf(ev.Process))
	if call.method.values == both {
		did, fault := outcome(call.method, l.value)
		if fault == "" {
			ev.Result = history.BoolValue(did)
			d.b.Add(&ev)
		}
		return fault
	}
	value, fault := d.value(call.method, l.value)
	puts := call.method.values != answer
	fixed := !puts && call.result.Kind() != history.None
	switch {
	case fault != "":
		return fault
	case puts && value.Kind() != history.None:
		return fmt.Sprintf("%s returns %v, but has no result", call.method.names[0], value)
	case fixed && value.Kind() != history.None && !value.Equal(call.result):
		return fmt.Sprintf("%s returns %v, but its call (line %d) has %v", call.method.names[0], value, call.line, call.result)
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
func (d *reader) crash() {
	ids := slices.SortedFunc(maps.Keys(d.open), func(x, y scan.ID) int { return cmp.Compare(d.open[x].line, d.open[y].line) })
	for _, id := range ids {
		process := history.IntValue(id.Number)
		if id.Text != "" {
			process = history.StringValue(id.Text)
		}
		d.b.Add(&history.Event{Type: history.Info, Process: process, Line: d.lines.Line})
	}
	clear(d.open)
}
