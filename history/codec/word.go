package codec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
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
	op      history.Value // identifier, None without one
	at      int64         // stamp, of a history that has them
	line    int
	// index and time order the events as well, if they have them; see wordHistory.order.
	index, time history.Value
}

// A wordHistory collects the events of one history. Their meaning depends on the words
// and values of all of them.
type wordHistory struct {
	b      *history.Builder
	line   int
	events wordEvents
	keyed  bool    // events have keys of their own
	idle   bool    // there were events of the nemesis
	pool   pool    // of arguments
	words  []*word // by name; nil for a name that the dialect lacks; set by finish
}

func newWordHistory(file, format string, line int) *wordHistory {
	return &wordHistory{line: line, b: history.NewBuilder(history.Header{File: file, Line: line, Format: format})}
}

// bytes returns about how much memory the events take, including that of the Builder
// after finish, without their values.
func (w *wordHistory) bytes() int64 { return int64(w.events.n) * eventBytes }

// eventBytes is the memory of an event, in a slice that grows, and of half an
// operation.
const eventBytes = 256

// finish gives the events to the Builder.
func (w *wordHistory) finish() {
	if !w.order() {
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
		out.Args = w.pool.list(args)
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
		if word.shape.asks() && ev.isNull(true) && !ev.isNull(false) && isJepsen(w.b.Header().Format) {
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
	out.Args = w.pool.list(args)
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

// A dialect translates between the operations of Jepsen and similar tools and the
// methods, arguments and results of one specification. Such an operation has a word
// :f and one :value, which is the argument in the invocation and the result in the
// completion.
type dialect struct {
	model string
	args  []history.Value
	words []word
	keyed bool // operations have a :key of their own
	pairs bool // :value is [key value]
	// when reports whether a history with these words has this dialect; nil
	// means that it always has.
	when func(events *wordEvents) bool
}

// A word is one :f of a dialect.
type word struct {
	f       string
	aliases []string // other spellings of f
	shape   shape
	method  string
}

// A shape says where the argument and the result of a method are.
type shape uint8

const (
	blind    shape = iota // :value is the argument; no result
	silent                // as blind, but the method has a result, which was not recorded
	both                  // :value is the argument; the completion has the result, in formats of lines
	plain                 // neither argument nor result
	answer                // no argument; :value of the completion is the result
	listing               // as answer, but the order of the list does not matter
	compare               // :value is [old new]; what completed was true
	transact              // :value is a list of [f key value]; that of the completion has the values read
)

// asks reports whether the method has no argument.
func (s shape) asks() bool { return s == plain || s == answer || s == listing }

var keyValueWords = []word{
	{f: "get", aliases: []string{"read"}, shape: answer, method: "get"},
	{f: "put", aliases: []string{"write"}, shape: blind, method: "put"},
	{f: "append", shape: blind, method: "append"},
	{f: "delete", shape: plain, method: "delete"},
	{f: "cas", shape: compare, method: "cas"},
}

var independentWords = []word{
	{f: "read", shape: answer, method: "get"},
	{f: "write", shape: blind, method: "put"},
	{f: "cas", shape: compare, method: "cas"},
}

var stackWords = []word{
	{f: "push", shape: blind, method: "push"},
	{f: "pop", shape: answer, method: "pop"},
	{f: "peek", shape: answer, method: "peek"},
}

var heapWords = []word{
	{f: "insert", shape: blind, method: "insert"},
	{f: "poll", shape: answer, method: "poll"},
	{f: "peek", shape: answer, method: "peek"},
}

var dequeWords = []word{
	{f: "push-front", aliases: []string{"push_front"}, shape: blind, method: "pushFront"},
	{f: "push-back", aliases: []string{"push_back"}, shape: blind, method: "pushBack"},
	{f: "pop-front", aliases: []string{"pop_front"}, shape: answer, method: "popFront"},
	{f: "pop-back", aliases: []string{"pop_back"}, shape: answer, method: "popBack"},
	{f: "peek-front", aliases: []string{"peek_front"}, shape: answer, method: "peekFront"},
	{f: "peek-back", aliases: []string{"peek_back"}, shape: answer, method: "peekBack"},
}

// dialects are tried in this order.
var dialects = []dialect{
	// Micro-operations, whatever the transactions are called.
	{model: "multi-register", when: transactions, words: []word{
		{f: "txn", aliases: []string{"read", "write", "append", "r", "w"}, shape: transact, method: "txn"}}},
	// The value of a missing key is nil, or else "".
	{model: "kv", keyed: true, words: keyValueWords, when: readsNull},
	{model: "kv", keyed: true, words: keyValueWords, args: []history.Value{history.StringValue("")}},
	// Jepsen's independent registers.
	{model: "kv", pairs: true, when: independent, words: independentWords},
	{model: "cas-register", words: []word{
		{f: "read", shape: answer, method: "read"},
		{f: "write", shape: blind, method: "write"},
		{f: "cas", shape: compare, method: "cas"},
	}},
	// Sets and counters both have add and read.
	{model: "counter", when: readsNumbers, words: []word{
		{f: "add", shape: blind, method: "add"},
		{f: "read", shape: answer, method: "read"},
	}},
	{model: "set", words: []word{
		{f: "add", shape: silent, method: "add"},
		{f: "remove", shape: silent, method: "remove"},
		{f: "read", shape: listing, method: "elements"},
	}},
	{model: "multi-register", words: []word{{f: "txn", shape: transact, method: "txn"}}},
	{model: "queue", words: []word{
		{f: "enqueue", aliases: []string{"enq"}, shape: blind, method: "enqueue"},
		{f: "dequeue", aliases: []string{"deq"}, shape: answer, method: "dequeue"},
	}},
	{model: "stack", words: stackWords},
	{model: "mutex", words: []word{
		{f: "acquire", aliases: []string{"lock"}, shape: plain, method: "lock"},
		{f: "release", aliases: []string{"unlock"}, shape: plain, method: "unlock"},
	}},
	{model: "priority-queue", words: heapWords},
	{model: "deque", words: dequeWords},
}

// find returns the word that is spelled f, or nil.
func (d *dialect) find(f string) *word { return findWord(d.words, f) }

func findWord(words []word, f string) *word {
	for i := range words {
		if w := &words[i]; isWord(f, w.f) || isWord(f, w.aliases...) {
			return w
		}
	}
	return nil
}

// isWord reports whether f is one of words, ignoring case.
func isWord(f string, words ...string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.EqualFold(word, f) })
}

// covers reports whether the dialect has all the words of events.
func (d *dialect) covers(events *wordEvents) bool {
	for name, n := range events.invoked {
		if n > 0 && d.find(events.names[name]) == nil {
			return false
		}
	}
	return true
}

// transactions reports whether the values of all invocations are lists of micro-operations.
func transactions(events *wordEvents) bool {
	for i := range events.n {
		ev := events.packed(i)
		if ev.typ != history.Invoke {
			continue
		}
		v, ok := transaction(ev.whole(), false)
		if !ok || len(v.List()) == 0 || slices.ContainsFunc(v.List(), func(micro history.Value) bool {
			return !isWord(micro.List()[0].Text(), "read", "write", "append")
		}) {
			return false
		}
	}
	return events.invocations > 0
}

// readsNull reports whether a get returns nil, or a cas expects it.
func readsNull(events *wordEvents) bool {
	if events.returns(history.Null, "get", "read") {
		return true
	}
	for i := range events.n {
		p := events.packed(i)
		if old, _, ok := p.pair(); ok && old.Kind() == history.Null && isWord(events.names[p.f], "cas") {
			return true
		}
	}
	return false
}

// readsNumbers reports whether a history with add and read is one of a counter and not
// of a set.
func readsNumbers(events *wordEvents) bool { return events.returns(history.Int, "read") }

// independent reports whether all values are pairs [key value] of independent
// registers. Only reads and cas distinguish them from registers that hold pairs: a
// read is invoked with [key nil], and a cas with [key [old new]]. On a register that
// holds pairs, a cas from one pair to another would have a key that is a pair.
func independent(events *wordEvents) bool {
	words := make([]*word, len(events.names))
	for i, name := range events.names {
		words[i] = findWord(independentWords, name)
	}
	sure := false
	for i := range events.n {
		ev := events.packed(i)
		if ev.typ != history.Invoke {
			continue
		}
		key, second, ok := ev.pair()
		if !ok || words[ev.f] == nil {
			return false
		}
		switch words[ev.f].shape {
		case answer:
			if second.Kind() != history.Null {
				return false
			}
			sure = true
		case compare:
			if second.Kind() != history.List || len(second.List()) != 2 || key.Kind() == history.List || key.Kind() == history.Null {
				return false
			}
			sure = true
		}
	}
	return sure
}
