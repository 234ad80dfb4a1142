package codec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
)

// A wordEvent is an event as Jepsen and its kin record it.
type wordEvent struct {
	typ     history.EventType
	process history.Value
	f       string
	value   history.Value
	key     history.Value // None without one
	unknown bool          // of an OK: nobody saw what came back
	op      history.Value // identifier, None without one
	at      int64         // stamp, of a history that has them
	line    int
}

// A wordHistory collects the events of one history. What they mean is only
// known once all have been seen: by their words and values.
type wordHistory struct {
	b      *history.Builder
	line   int
	events []wordEvent
	keyed  bool // events have keys of their own
	idle   bool // there were events that are no operations
	// dialect is set where it is known from the beginning.
	dialect *dialect
}

func newWordHistory(file, format string, line int) *wordHistory {
	return &wordHistory{line: line, b: history.NewBuilder(history.Header{File: file, Line: line, Format: format})}
}

// bytes returns about how much memory the events will have taken when they
// have been given to the Builder, their values aside.
func (w *wordHistory) bytes() int64 { return int64(len(w.events)) * eventBytes }

// eventBytes is what an event takes: in a slice that grows, and half of an
// operation.
const eventBytes = 256

// finish gives the events to the Builder.
func (w *wordHistory) finish() {
	d := w.choose()
	if d == nil {
		d = &dialect{}
	} else {
		w.b.SetModel(d.model, d.args)
	}
	if d.model == "multi-register" {
		if initial := initialOf(w.events); initial.Kind() != history.None {
			w.b.SetModel(d.model, []history.Value{initial})
		}
	}
	ends := w.pair()
	for i := range w.events {
		if w.b.Failed() {
			return
		}
		var end *wordEvent
		if ends[i] >= 0 {
			end = &w.events[ends[i]]
		}
		w.add(d, &w.events[i], end)
	}
}

// choose returns the dialect, nil where none has all the words.
func (w *wordHistory) choose() *dialect {
	switch {
	case w.dialect != nil:
		return w.dialect
	case !w.keyed:
		return dialectOf(w.events)
	case !keyValueDialect.covers(w.events):
		return nil
	}
	for i := range w.events {
		ev := &w.events[i]
		if ev.typ == history.OK && ev.value.Kind() == history.Null && keyValueDialect.find(ev.f) == &keyValueWords[0] {
			return &dialect{model: "kv", words: keyValueWords} // which answers nil where a key is missing
		}
	}
	return &keyValueDialect
}

// pair returns for each invocation its completion and for each completion its
// invocation, -1 where there is none.
func (w *wordHistory) pair() []int {
	ends := make([]int, len(w.events))
	open := map[violatID]int{}
	for i := range w.events {
		ends[i] = -1
		id := idOf(w.events[i].process)
		if w.events[i].typ == history.Invoke {
			open[id] = i
		} else if call, ok := open[id]; ok {
			ends[i], ends[call] = call, i
			delete(open, id)
		}
	}
	return ends
}

// add gives one event to the Builder; other is the other half of its
// operation, or nil.
func (w *wordHistory) add(d *dialect, ev, other *wordEvent) {
	out := history.Event{Type: ev.typ, Process: ev.process, Op: ev.op, At: ev.at, Line: ev.line}
	var fault string
	switch {
	case ev.typ == history.Invoke:
		fault = w.invocation(d, ev, other, &out)
	case other == nil: // the Builder reports it
	case other.f != ev.f:
		fault = fmt.Sprintf("process %v completes %s, but what it invoked is %s (line %d)", ev.process, ev.f, other.f, other.line)
	case w.keyed && !ev.key.Equal(other.key):
		fault = fmt.Sprintf("process %v completes an operation on key %v, but invoked it on %v (line %d)", ev.process, ev.key, other.key, other.line)
	case ev.typ == history.OK:
		out.Result, fault = w.result(d, ev, other)
	}
	if fault != "" {
		w.b.Errorf(ev.line, "%s", fault)
		return
	}
	w.b.Add(&out)
}

// invocation sets method and arguments. A completion that carries a value
// says what was done; until then the invocation's has to do.
func (w *wordHistory) invocation(d *dialect, ev, end *wordEvent, out *history.Event) (fault string) {
	value := ev.value
	if end != nil && end.typ == history.OK && end.value.Kind() != history.Null {
		value = end.value
	}
	word := d.find(ev.f)
	if word == nil { // of no dialect
		out.Method = ev.f
		if w.keyed {
			out.Args = []history.Value{ev.key}
		}
		if ev.value.Kind() != history.Null {
			out.Args = append(out.Args, ev.value)
		}
		return ""
	}
	out.Method = word.method
	key := ev.key
	if d == &independentDialect {
		var ok bool
		if key, value, ok = splitPair(value); !ok {
			return fmt.Sprintf("the completion of %s on independent keys has a :value that is no [key value]", ev.f)
		}
		if first, _, _ := splitPair(ev.value); !first.Equal(key) {
			return fmt.Sprintf("%s is invoked on key %v but completes on key %v (line %d)", ev.f, first, key, end.line)
		}
	}
	if key.Kind() != history.None {
		out.Args = []history.Value{key}
	}
	switch word.shape {
	case blind, silent:
		out.Args = append(out.Args, value)
	case compare:
		if value.Kind() != history.List || len(value.List()) != 2 {
			return fmt.Sprintf("%s wants a :value [old new], not %v", ev.f, value)
		}
		out.Args = append(out.Args, value.List()...)
	case transact:
		asked, ok := transaction(value, false)
		if !ok {
			return fmt.Sprintf("%s wants a :value of [f key value], not %v", ev.f, value)
		}
		out.Args = append(out.Args, asked)
	}
	return ""
}

func splitPair(v history.Value) (key, value history.Value, ok bool) {
	if v.Kind() != history.List || len(v.List()) != 2 {
		return key, value, false
	}
	return v.List()[0], v.List()[1], true
}

// result returns what an operation answered.
func (w *wordHistory) result(d *dialect, ev, call *wordEvent) (v history.Value, fault string) {
	word := d.find(call.f)
	switch {
	case ev.unknown:
		return history.UnknownValue, ""
	case word == nil:
		return ev.value, ""
	}
	v = ev.value
	switch word.shape {
	case blind, plain:
		return history.NoValue, ""
	case silent:
		return history.UnknownValue, ""
	case compare:
		return history.BoolValue(true), ""
	case listing:
		if v.Kind() != history.List {
			return v, fmt.Sprintf("%s wants a collection, not %v", ev.f, v)
		}
		sorted := slices.Clone(v.List())
		slices.SortFunc(sorted, history.Value.Compare)
		return history.ListValue(sorted...), ""
	case transact:
		done, ok := transaction(v, true)
		if !ok {
			return v, fmt.Sprintf("%s wants a :value of [f key value], not %v", ev.f, v)
		}
		return done, ""
	}
	if d == &independentDialect {
		if _, second, ok := splitPair(v); ok {
			return second, ""
		}
		return v, fmt.Sprintf("the completion of %s on independent keys has a :value that is no [key value]", ev.f)
	}
	return v, ""
}

// transaction returns a list of micro-operations [f key value] with plain
// words for f, and without what reads answered unless done is set.
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

// initialOf returns what the registers of a multi-register held at first, as
// far as that shows: what a read answers before any write of that value to
// its key is invoked. Jepsen's tests construct the model with it, and do not
// record it. If all registers that show it agree, the others are taken to
// begin with the same; otherwise it is a map from keys to values. None, where
// it does not show, leaves them nil.
func initialOf(events []wordEvent) history.Value {
	written := map[string]bool{} // by key and value, and by key if anything is appended
	seen := map[string]bool{}
	var pairs []history.Value
	for i := range events {
		ev := &events[i]
		if ev.typ != history.Invoke && ev.typ != history.OK {
			continue
		}
		for _, micro := range ev.value.List() {
			m := micro.List()
			if len(m) != 3 {
				continue
			}
			key := string(m[1].AppendKey(nil))
			both := string(m[2].AppendKey([]byte(key)))
			switch f := strings.TrimPrefix(m[0].Text(), ":"); {
			case f == "append":
				written[key] = true
			case f != "r" && f != "read":
				written[both] = true
			case ev.typ == history.OK && !written[key] && !written[both] && !seen[key]:
				seen[key] = true
				pairs = append(pairs, m[1], m[2])
			}
		}
	}
	return initialFrom(pairs)
}

// initialFrom returns the one value of all pairs, or else a map of them.
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
