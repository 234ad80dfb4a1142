package jepsen

import (
	"math"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec/scan"
)

// wordEvents are the events of a wordHistory. There may be millions, so each is small.
// They are stored in pieces that do not move, and each has the index of the other half
// of its operation.
type wordEvents struct {
	n           int
	invocations int
	pieces      [][]packedEvent
	names       []string // the distinct words
	invoked     []int    // per name, how many events invoke it
	numberOf    map[string]int32
	processes   []history.Value
	small       []int32 // by number of a process that is a small integer: its index in processes + 1
	others      map[scan.ID]int32
	open        []int32     // per process, its last open invocation + 1
	stamps      []wordStamp // per event; nil unless stamps order the events
	index, time orderKey
	restart     restart
}

// A packedEvent is a wordEvent that takes less memory.
type packedEvent struct {
	value, key history.Value
	process    int32
	f          int32
	line       int32
	other      int32 // the other half of its operation, -1 without one
	typ        history.EventType
	unknown    bool
	paired     bool // see wordEvent
}

// A wordStamp is what an event has in addition where stamps order the events.
type wordStamp struct {
	op history.Value
	at int64
}

const (
	eventPiece     = 512  // packedEvents
	smallProcesses = 4096 // smaller numbers are found without a map
)

func (w *wordEvents) packed(i int) *packedEvent { return &w.pieces[i/eventPiece][i%eventPiece] }

// whole returns the value.
func (p *packedEvent) whole() history.Value {
	if p.paired {
		return history.ListValue(p.key, p.value)
	}
	return p.value
}

// pair returns the elements of a value [key value].
func (p *packedEvent) pair() (key, value history.Value, ok bool) {
	if p.paired {
		return p.key, p.value, true
	}
	if p.value.Kind() != history.List || len(p.value.List()) != 2 {
		return key, value, false
	}
	return p.value.List()[0], p.value.List()[1], true
}

// isNull reports whether the value is nil or, if values are pairs, [key nil].
func (p *packedEvent) isNull(pairs bool) bool {
	if _, value, ok := p.pair(); ok && pairs {
		return value.Kind() == history.Null
	}
	return !p.paired && p.value.Kind() == history.Null
}

// add adds an event and pairs it with the one that began its operation.
func (w *wordEvents) add(ev *wordEvent) {
	if w.n%eventPiece == 0 {
		w.pieces = append(w.pieces, make([]packedEvent, min(eventPiece, max(16, 2*w.n)))[:0])
	}
	i := int32(w.n)
	w.index.add(w.n, ev.index)
	w.time.add(w.n, ev.time)
	w.restart.note(ev)
	p := packedEvent{
		value: ev.value, key: ev.key, process: w.process(ev.process), f: w.name(ev.f), line: int32(min(ev.line, math.MaxInt32)),
		other: -1, typ: ev.typ, unknown: ev.unknown, paired: ev.paired,
	}
	if ev.typ == history.Invoke {
		w.invocations++
		w.invoked[p.f]++
	}
	if call := w.begin(ev, p.process); call >= 0 {
		p.other, w.packed(int(call)).other = call, i
	}
	last := &w.pieces[len(w.pieces)-1]
	*last = append(*last, p)
	w.n++
}

// begin returns the open invocation that the next event ends, or -1.
func (w *wordEvents) begin(ev *wordEvent, process int32) int32 {
	call := w.open[process] - 1
	w.open[process] = 0
	if ev.typ == history.Invoke {
		w.open[process], call = int32(w.n)+1, -1
	}
	return call
}

// name returns the number of a word.
func (w *wordEvents) name(f string) int32 {
	for i, name := range w.names[:min(8, len(w.names))] {
		if name == f {
			return int32(i)
		}
	}
	if n, ok := w.numberOf[f]; ok {
		return n
	}
	if w.numberOf == nil {
		w.numberOf = map[string]int32{}
	}
	n := int32(len(w.names))
	w.numberOf[f], w.names, w.invoked = n, append(w.names, f), append(w.invoked, 0)
	return n
}

// process returns the number of a process. A value that is neither an integer nor a
// string gets a number as well, for the message about it.
func (w *wordEvents) process(v history.Value) int32 {
	n := int32(len(w.processes))
	switch k := v.Int(); {
	case v.Kind() == history.Int && 0 <= k && k < smallProcesses:
		if k < int64(len(w.small)) && w.small[k] > 0 {
			return w.small[k] - 1
		}
		for int64(len(w.small)) <= k {
			w.small = append(w.small, 0)
		}
		w.small[k] = n + 1
	case v.Kind() == history.Int || v.Kind() == history.String:
		if known, ok := w.others[scan.IDOf(v)]; ok {
			return known
		}
		if w.others == nil {
			w.others = map[scan.ID]int32{}
		}
		w.others[scan.IDOf(v)] = n
	}
	w.processes, w.open = append(w.processes, v), append(w.open, 0)
	return n
}

// returns reports whether an operation with one of the words returns a value of the
// given kind.
func (w *wordEvents) returns(kind history.Kind, words ...string) bool {
	for i := range w.n {
		p := w.packed(i)
		if p.typ != history.OK || p.paired || p.unknown || p.value.Kind() != kind {
			continue
		}
		f := w.names[p.f]
		if f == "" && p.other >= 0 { // an end may lack the method
			f = w.names[w.packed(int(p.other)).f]
		}
		if isWord(f, words...) {
			return true
		}
	}
	return false
}
