package jepsen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec/decode"
	"github.com/leadline/leadline/history/codec/scan"
)

// A wordEvent is an event as Jepsen and similar tools record it.
type wordEvent struct {
	typ     history.EventType
	process history.Value
	f       string
	value   history.Value
	key     history.Value // None without one
	paired  bool          // the value is the list [key value], without a key
	unknown bool          // of an OK: its result was not observed
	line    int
	// index and time order the events as well, if they have them; see wordHistory.order.
	index, time history.Value
}

// A wordHistory collects the events of one history. Their meaning depends on the words
// and values of all of them.
type wordHistory struct {
	b      *decode.History
	line   int
	events wordEvents
	keyed  bool      // events have keys of their own
	pool   scan.Pool // of arguments
	words  []*word   // by name; nil for a name that the dialect lacks; set by finish
}

// newWordHistory begins a history at a line.
func newWordHistory(s *decode.Stream, format string, line int) *wordHistory {
	w := &wordHistory{line: line, b: s.Begin(history.Header{Line: line, Format: format})}
	w.b.Kept = func() int64 { return int64(w.events.n) * decode.EventBytes }
	w.b.Finish, w.b.Check = w.finish, warnOfReads
	return w
}

// finish gives the events to the Builder.
func (w *wordHistory) finish() {
	isNumbered := w.events.isNumbered()
	if !w.order() {
		return
	}
	if r := &w.events.restart; r.fault != "" && !isNumbered {
		w.b.Errorf(r.line, "%s", r.fault)
		return
	}
	w.events.index, w.events.time = orderKey{}, orderKey{}
	d := w.choose()
	if d == nil {
		d = &dialect{}
	} else {
		w.b.SetModel(d.model, d.args)
	}
	if d.model == "multi-register" {
		if initial := initialOf(&w.events); initial.Kind() != history.None {
			w.b.SetModel(d.model, []history.Value{initial})
		}
	}
	w.words = make([]*word, len(w.events.names))
	for i, name := range w.events.names {
		w.words[i] = d.find(name)
	}
	w.b.Expect(w.events.invocations)
	for i := range w.events.n {
		if w.b.Failed() {
			return
		}
		w.add(d, i)
	}
	w.events, w.words = wordEvents{}, nil // the memory is free for the rest of the work
}

// choose returns the first dialect that has all the words, or nil.
func (w *wordHistory) choose() *dialect {
	for i := range dialects {
		d := &dialects[i]
		if d.keyed == w.keyed && d.covers(&w.events) && (d.when == nil || d.when(&w.events)) {
			return d
		}
	}
	return nil
}

// add gives one event to the Builder.
func (w *wordHistory) add(d *dialect, i int) {
	ev, other := w.events.packed(i), (*packedEvent)(nil)
	if ev.other >= 0 {
		other = w.events.packed(int(ev.other))
	}
	process, f := w.events.processes[ev.process], w.events.names[ev.f]
	out := history.Event{Type: ev.typ, Process: process, Line: int(ev.line)}
	if w.events.stamps != nil {
		out.Op, out.At = w.events.stamps[i].op, w.events.stamps[i].at
	}
	var fault string
	switch {
	case ev.typ == history.Invoke:
		fault = w.invocation(d, ev, other, &out)
	case other == nil: // the Builder reports it
	// An end may lack the method.
	case other.f != ev.f && f != "" && !isWord(f, w.events.names[other.f]):
		fault = fmt.Sprintf("process %v completes %s, but what it invoked is %s (line %d)", process, f, w.events.names[other.f], other.line)
	case w.keyed && !ev.key.Equal(other.key) && ev.key.Kind() != history.None:
		fault = fmt.Sprintf("process %v completes an operation on key %v, but invoked it on %v (line %d)", process, ev.key, other.key, other.line)
	case ev.typ == history.OK:
		out.Result, fault = w.result(d, ev, other)
	}
	if fault != "" {
		w.b.Errorf(int(ev.line), "%s", fault)
		return
	}
	w.b.Add(&out)
}

// invocation sets method and arguments. If the completion has a value, that replaces the value of the invocation.
func (w *wordHistory) invocation(d *dialect, ev, end *packedEvent, out *history.Event) (fault string) {
	from := ev
	done := end != nil && end.typ == history.OK
	if done && !end.isNull(d.pairs) {
		from = end
	}
	var room [3]history.Value
	args := room[:0]
	word, f := w.words[ev.f], w.events.names[ev.f]
	if word == nil { // of no dialect
		out.Method = f
		if w.keyed {
			args = append(args, ev.key)
		}
		if !ev.isNull(false) {
			args = append(args, ev.whole())
		}
		out.Args = w.pool.List(args)
		return ""
	}
	out.Method = word.method
	var key, value history.Value
	if d.pairs {
		var ok bool
		if key, value, ok = from.pair(); !ok {
			return fmt.Sprintf("the completion of %s on independent keys has a :value that is not [key value]", f)
		}
		if done {
			first, _, _ := ev.pair()
			if last, _, ok := end.pair(); ok && !first.Equal(last) {
				return fmt.Sprintf("%s is invoked on key %v but completes on key %v (line %d)",
					f, first, last, end.line)
			}
		}
	} else {
		if word.shape.asks() && ev.isNull(true) && !ev.isNull(false) && w.b.Header().Format != KVName {
			return fmt.Sprintf("%s is invoked with the :value [key nil], as in an independent test: "+
				"leadline reads those of registers, if all values have keys; "+
				"write the operations on each key to a file of their own", f)
		}
		if value = from.whole(); !ev.paired {
			key = ev.key
		}
	}
	if key.Kind() != history.None {
		args = append(args, key)
	}
	switch word.shape {
	case blind, silent:
		args = append(args, value)
	case compare:
		if value.Kind() != history.List || len(value.List()) != 2 {
			return fmt.Sprintf("%s needs a :value [old new], not %v", f, value)
		}
		args = append(args, value.List()...)
	case transact:
		asked, ok := transaction(value, false)
		if !ok {
			return fmt.Sprintf("%s needs a :value of [f key value], not %v", f, value)
		}
		args = append(args, asked)
	}
	out.Args = w.pool.List(args)
	return ""
}

// result returns the result of an operation.
func (w *wordHistory) result(d *dialect, ev, call *packedEvent) (v history.Value, fault string) {
	word, f := w.words[call.f], w.events.names[ev.f]
	switch {
	case ev.unknown:
		return history.UnknownValue, ""
	case word == nil:
		return ev.whole(), ""
	}
	switch word.shape {
	case blind, plain:
		return history.NoValue, ""
	case silent:
		return history.UnknownValue, ""
	case compare:
		return history.BoolValue(true), ""
	case listing:
		if v = ev.whole(); v.Kind() != history.List {
			return v, fmt.Sprintf("%s needs a collection, not %v", f, v)
		}
		sorted := slices.Clone(v.List())
		slices.SortFunc(sorted, history.Value.Compare)
		return history.ListValue(sorted...), ""
	case transact:
		v = ev.whole()
		done, ok := transaction(v, true)
		if !ok {
			return v, fmt.Sprintf("%s needs a :value of [f key value], not %v", f, v)
		}
		return done, ""
	}
	if d.pairs {
		_, second, ok := ev.pair()
		if !ok {
			fault = fmt.Sprintf("the completion of %s on independent keys has a :value that is not [key value]", f)
		}
		return second, fault
	}
	return ev.whole(), ""
}

// transaction returns a list of micro-operations [f key value] with plain words for f.
// Unless done is set, it leaves out what reads returned.
func transaction(v history.Value, done bool) (history.Value, bool) {
	if v.Kind() != history.List {
		return v, false
	}
	list := make([]history.Value, len(v.List()))
	for i, micro := range v.List() {
		m := micro.List()
		if micro.Kind() != history.List || len(m) < 2 || len(m) > 3 || m[0].Kind() != history.String {
			return v, false
		}
		f, value := strings.TrimPrefix(m[0].Text(), ":"), history.NullValue
		switch f {
		case "r":
			f = "read"
		case "w":
			f = "write"
		}
		if len(m) == 3 && (done || f != "read") {
			value = m[2]
		}
		list[i] = history.ListValue(history.StringValue(f), m[1], value)
	}
	return history.ListValue(list...), true
}

// initialOf infers the initial values of a multi-register, which Jepsen's tests do not
// record: the initial value of a key is what a read returns before any write of that
// value to the key is invoked. If all inferred values are equal, initialOf returns that
// value, for all registers; otherwise it returns a map from keys to values. It returns
// None, which means nil, if nothing can be inferred. In tests that append, lists are empty
// at first; some databases return [] for them, and others nil.
func initialOf(events *wordEvents) history.Value {
	written := map[string]bool{} // by key and value
	seen, empty := map[string]bool{}, map[string]bool{}
	var pairs, lists []history.Value
	appends := false
	for i := range events.n {
		ev := events.packed(i)
		if ev.typ != history.Invoke && ev.typ != history.OK {
			continue
		}
		for _, micro := range ev.whole().List() {
			m := micro.List()
			if len(m) != 3 {
				continue
			}
			key := string(m[1].AppendKey(nil))
			both := string(m[2].AppendKey([]byte(key)))
			switch f := strings.TrimPrefix(m[0].Text(), ":"); {
			case f == "append":
				appends = true
			case f != "r" && f != "read":
				written[both] = true
			case ev.typ == history.OK:
				if k := m[2].Kind(); !empty[key] && (k == history.Null || k == history.List && len(m[2].List()) == 0) {
					empty[key] = true
					lists = append(lists, m[1], m[2])
				}
				if !written[both] && !seen[key] {
					seen[key] = true
					pairs = append(pairs, m[1], m[2])
				}
			}
		}
	}
	if appends {
		return initialFrom(lists)
	}
	return initialFrom(pairs)
}

// initialFrom returns the value of all pairs if it is the same, or else a map of them.
func initialFrom(pairs []history.Value) history.Value {
	same := true
	for i := 1; i < len(pairs); i += 2 {
		same = same && pairs[i].Equal(pairs[1])
	}
	switch {
	case len(pairs) == 0 || same && pairs[1].Kind() == history.Null:
		return history.NoValue
	case same && pairs[1].Kind() != history.Map:
		return pairs[1]
	}
	m, _ := history.MapValue(pairs...) // whose keys differ
	return m
}

// warnOfReads warns if the model was inferred from reads alone.
func warnOfReads(h *history.History) error {
	if fromReadsAlone(h) {
		h.Warning = strings.TrimPrefix(h.Warning+"; "+readsWarning, "; ")
	}
	return nil
}

// fromReadsAlone reports whether the model of a Jepsen history was inferred from reads
// only, although these returned values: then operations of another model are missing.
func fromReadsAlone(h *history.History) bool {
	if h.Format == KVName || h.Model != "cas-register" {
		return false
	}
	found := false
	for i := range h.Ops {
		if h.Ops[i].Method != "read" {
			return false
		}
		k := h.Ops[i].Result.Kind()
		found = found || k != history.Null && k != history.Unknown
	}
	return found
}

const readsWarning = "the model cas-register was inferred from reads alone, which return values: " +
	"choose the model if writes are missing, or if it is a counter or a set"
