package lines

import (
	"math"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec/scan"
)

// sampled is how many operations there are when the length of a history is first estimated.
const sampled = 1000

// An interval is an operation with stamps, without these.
type interval struct {
	value   history.Value // the argument or else the result
	line    int32
	method  int8 // index into the methods of the object
	outcome bool // the result, of a method with an argument and a result
}

// operation reads an operation with its stamps.
func (d *reader) operation(l *line) (fault string) {
	i, fault := d.find(l.method)
	if fault != "" {
		return fault
	}
	m := &d.object.methods[i]
	value, fault := d.value(m, l.value)
	if fault != "" {
		return fault
	}
	start, okStart := scan.ParseInt(l.start)
	end, okEnd := scan.ParseInt(l.end)
	switch {
	case !okStart:
		return scan.Clip(l.start) + " is not a 64-bit integer"
	case !okEnd:
		return scan.Clip(l.end) + " is not a 64-bit integer"
	case (m.values == both) != (l.result != nil):
		return "a line is: " + d.usage
	}
	if fault := d.lacksValue(m, value); fault != "" {
		return fault
	}
	did := false
	if m.values == both {
		if did, fault = outcome(m, l.result); fault != "" {
			return fault
		}
	}
	d.whole = append(d.whole, interval{value, int32(min(d.lines.Line, math.MaxInt32)), int8(i), did})
	d.starts, d.ends = append(d.starts, start), append(d.ends, end)
	if n := len(d.whole); n == sampled || n == 32*sampled {
		more := d.stream.Expected(n) - n
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
func (d *reader) addOperations() {
	list := make([]int32, len(d.whole))
	for i := range list {
		list[i] = int32(i)
	}
	list, spare := history.SortByStamp(list, make([]int32, len(list)), d.ends)
	list, _ = history.SortByStamp(list, spare, d.starts)
	d.b.Expect(len(list))
	for i, k := range list {
		op, id := &d.whole[k], history.IntValue(int64(i))
		m, result := &d.object.methods[op.method], op.value
		ev := history.Event{Process: id, Op: id, Method: m.model, At: d.starts[k], Line: int(op.line)}
		if m.values != answer {
			ev.Args, result = d.stream.Pool.List([]history.Value{op.value}), history.NoValue
		}
		if m.values == both {
			result = history.BoolValue(op.outcome)
		}
		d.b.Add(&ev)
		d.b.Add(&history.Event{Type: history.OK, Process: id, Op: id, Result: result, At: d.ends[k], Line: int(op.line)})
	}
	d.whole, d.starts, d.ends = nil, nil, nil // the memory is free for the rest of the work
}
