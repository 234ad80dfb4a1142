package monitor_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// A subject is a type of object with the calls that random histories make.
type subject struct {
	name  string
	model string // for spec.Parse
	calls []call
	few   int // how many values there are; 0 means as many as insertions
	keys  int // first arguments of all calls, if they have one that is a key
}

// A call is a method with how often it is drawn and what it is given.
type call struct {
	method string
	weight int
	arg    argument
	wrong  wrongness
}

type argument uint8

const (
	noArgument argument = iota
	fresh               // a value that was not inserted before
	used                // a value that was, or will soon be
)

// A wrongness says what a wrong result is like.
type wrongness uint8

const (
	neverWrong wrongness = iota
	wrongValue           // another value, or null
	wrongBool
	wrongCount
)

var subjects = []subject{
	{name: "queue", model: "queue", calls: []call{{"enqueue", 8, fresh, neverWrong}, {"dequeue", 7, noArgument, wrongValue},
		{"peek", 2, noArgument, wrongValue}, {"isEmpty", 1, noArgument, wrongBool}}},
	{name: "queue-waits", model: "queue", calls: []call{{"enqueue", 3, fresh, neverWrong}, {"offer", 3, fresh, wrongBool}, {"put", 2, fresh, neverWrong},
		{"take", 5, noArgument, wrongValue}, {"dequeue", 2, noArgument, wrongValue}, {"peek", 1, noArgument, wrongValue}, {"size", 1, noArgument, wrongCount}}},
	{name: "stack", model: "stack", calls: []call{{"push", 8, fresh, neverWrong}, {"pop", 7, noArgument, wrongValue}, {"peek", 2, noArgument, wrongValue}}},
	{name: "pqueue", model: "priority-queue", calls: []call{{"insert", 8, fresh, neverWrong}, {"poll", 7, noArgument, wrongValue}, {"peek", 2, noArgument, wrongValue}}},
	{name: "pqueue-max", model: "priority-queue:max", calls: []call{{"insert", 8, fresh, neverWrong}, {"poll", 7, noArgument, wrongValue}, {"peek", 2, noArgument, wrongValue}}},
	{name: "deque", model: "deque", calls: []call{{"pushBack", 4, fresh, neverWrong}, {"pushFront", 4, fresh, neverWrong},
		{"popBack", 3, noArgument, wrongValue}, {"popFront", 3, noArgument, wrongValue},
		{"peekBack", 1, noArgument, wrongValue}, {"peekFront", 1, noArgument, wrongValue}}},
	{name: "set", model: "set", calls: []call{{"add", 6, fresh, neverWrong}, {"add", 1, used, neverWrong}, {"remove", 5, used, wrongBool},
		{"contains", 4, used, wrongBool}, {"isEmpty", 1, noArgument, wrongBool}}},
	{name: "multiset", model: "multiset", calls: []call{{"add", 6, fresh, neverWrong}, {"remove", 5, used, wrongBool},
		{"contains", 3, used, wrongBool}, {"count", 2, used, wrongCount}, {"isEmpty", 1, noArgument, wrongBool}}},
	{name: "register", model: "register", calls: []call{{"write", 5, fresh, neverWrong}, {"read", 7, noArgument, wrongValue}}},
	{name: "set-again", model: "set", few: 2, calls: []call{{"add", 4, fresh, wrongBool}, {"remove", 4, used, wrongBool}, {"contains", 3, used, wrongBool}}},
	{name: "kv", model: "kv", keys: 2, calls: []call{{"put", 5, fresh, neverWrong}, {"get", 7, noArgument, wrongValue}}},
	{name: "kv-pairs", model: "kv:-1", few: 6, keys: 3, calls: []call{{"put", 3, fresh, neverWrong}, {"get", 7, noArgument, wrongValue}}},
}

// correct is the subject without calls that insert values a second time,
// which long histories would surely have.
func (s subject) correct() subject {
	s.calls = slices.DeleteFunc(slices.Clone(s.calls), func(c call) bool { return c.method == "add" && c.arg == used })
	return s
}

// A mix says what a random history is like. Chances are in a hundred.
type mix struct {
	n, processes int
	lost         int                     // operations whose response never comes
	wrong        int                     // results that are replaced
	moved        int                     // events that change places with the next one; may be more than all
	exchanged    int                     // pairs of results that are exchanged
	again        int                     // insertions of a value that was inserted before
	values       func(int) history.Value // awkward ones where it is nil
}

// awkward values are easily confused with each other, or with the result of an
// operation that found nothing or failed.
var awkward = func() []history.Value {
	pair, _ := history.MapValue(history.NullValue, history.IntValue(0))
	empty, _ := history.MapValue()
	return []history.Value{
		history.BoolValue(false), history.BoolValue(true), history.NullValue,
		history.IntValue(0), history.IntValue(-1), history.IntValue(1), history.IntValue(2),
		history.IntValue(math.MaxInt64), history.IntValue(math.MinInt64), history.IntValue(1 << 32),
		history.FloatValue(0), history.FloatValue(1), history.FloatValue(-0.5), history.FloatValue(math.Inf(1)),
		history.StringValue(""), history.StringValue("a"), history.StringValue("false"), history.StringValue("null"),
		history.StringValue("0"), history.StringValue("-1"), history.StringValue(" "), history.IntValue(-2), history.IntValue(-3),
		history.ListValue(), history.ListValue(history.NullValue), history.ListValue(history.IntValue(0)),
		history.ListValue(history.IntValue(0), history.BoolValue(false)),
		empty, pair,
	}
}()

// awkwardValues returns in a random order the awkward values that the model can
// hold, and after them ints.
func awkwardValues(r *rand.Rand, s subject, model replay.Spec) func(int) history.Value {
	insert := s.calls[slices.IndexFunc(s.calls, func(c call) bool { return c.arg == fresh })]
	var list []history.Value
	for _, i := range r.Perm(len(awkward)) {
		args := []history.Value{awkward[i]}
		if s.keys > 0 {
			args = []history.Value{smallInt(0), awkward[i]}
		}
		if model.Check(&history.Operation{Method: insert.method, Args: args, Return: history.NoReturn, Result: history.UnknownValue}) == nil {
			list = append(list, awkward[i])
		}
	}
	return func(i int) history.Value {
		if i < len(list) {
			return list[i]
		}
		return smallInt(100 + i)
	}
}

func smallInt(i int) history.Value { return history.IntValue(int64(i)) }

// randomMix is that of a small history: one of eight has nothing wrong on purpose, and
// about half of all turn out linearizable.
func randomMix(r *rand.Rand) mix {
	m := mix{n: 12 - r.IntN(12)*r.IntN(12)/11, processes: 1 + r.IntN(4), values: smallInt}
	if r.IntN(2) == 0 {
		m.values = nil
	}
	if r.IntN(3) == 0 {
		m.lost = 5 + r.IntN(20)
	}
	switch r.IntN(8) {
	case 0, 1, 2:
		m.wrong = 5 + r.IntN(40)
	case 3, 4, 5:
		m.moved = 10 + r.IntN(300)
	case 6:
		m.exchanged = 1 + r.IntN(3)
	}
	if r.IntN(50) == 0 {
		m.again = 20
	}
	return m
}

// A generator draws one history of an object that takes each operation at one
// moment of its interval, and then spoils it.
type generator struct {
	*rand.Rand
	s       subject
	m       mix
	model   replay.Spec
	awkward bool    // results look as if there were nothing, or as if the operation failed
	values  []int   // in the order in which they are inserted
	used    int     // of them
	calls   []*call // of the operations
	events  []history.Event
}

// An open operation, which may have been taken.
type running struct {
	event  history.Event
	op     int
	taken  bool
	result history.Value
}

func (g *generator) history(t testing.TB) *history.History {
	g.model = collection(t, g.s.model)
	if g.m.values == nil {
		g.m.values, g.awkward = awkwardValues(g.Rand, g.s, g.model), true
	}
	g.values = g.Perm(g.m.n + 1)
	if g.s.few > 0 {
		for i := range g.values {
			g.values[i] %= g.s.few
		}
	}
	g.run(g.model.New())
	g.exchange()
	g.move()
	h, err := history.New(history.Header{ID: "random"}, g.events)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// run lets the processes take random steps: invoke, take effect, return.
func (g *generator) run(object replay.Object) {
	open := make([]*running, g.m.processes)
	name := make([]int, g.m.processes) // a process that lost an operation gets another
	for p := range name {
		name[p] = p
	}
	for left, busy := g.m.n, 0; left > 0 || busy > 0; {
		p := g.IntN(g.m.processes)
		switch o := open[p]; {
		case o == nil && left > 0:
			o = &running{event: g.invocation(name[p]), op: len(g.calls) - 1}
			g.events = append(g.events, o.event)
			open[p] = o
			left--
			busy++
		case o == nil:
		case g.IntN(200) < g.m.lost, o.event.Method == "take" && !o.taken && g.IntN(20) == 0: // it may wait for ever
			g.events = append(g.events, history.Event{Type: history.Info, Process: o.event.Process, Op: o.event.Op})
			open[p] = nil
			name[p] += g.m.processes
			busy--
		case !o.taken:
			o.result, o.taken = object.Apply(replay.Invocation{Method: o.event.Method, Args: o.event.Args})
		default:
			e := history.Event{Type: history.OK, Process: o.event.Process, Op: o.event.Op, Result: g.result(o)}
			if o.event.Method == "isEmpty" && !e.Result.Bool() || o.event.Method == "size" && !e.Result.Equal(smallInt(0)) { // no monitor knows it
				e.Type, e.Result = history.Info, history.Value{}
				name[p] += g.m.processes
			}
			g.events = append(g.events, e)
			open[p] = nil
			busy--
		}
	}
}

func (g *generator) invocation(process int) history.Event {
	total := 0
	for i := range g.s.calls {
		total += g.s.calls[i].weight
	}
	at := g.IntN(total)
	i := 0
	for ; at >= g.s.calls[i].weight; i++ {
		at -= g.s.calls[i].weight
	}
	c := &g.s.calls[i]
	e := history.Event{Type: history.Invoke, Process: history.IntValue(int64(process)), Op: history.IntValue(int64(len(g.calls))), Method: c.method}
	g.calls = append(g.calls, c)
	if g.s.keys > 0 {
		key := smallInt(g.IntN(g.s.keys))
		if g.awkward {
			key = awkward[key.Int()] // false, true, null
		}
		e.Args = append(e.Args, key)
	}
	switch {
	case c.arg == fresh && g.used > 0 && g.IntN(100) < g.m.again:
		e.Args = append(e.Args, g.m.values(g.values[g.IntN(g.used)]))
	case c.arg == fresh:
		e.Args = append(e.Args, g.m.values(g.values[g.used]))
		g.used++
	case c.arg == used:
		e.Args = append(e.Args, g.value())
	}
	return e
}

// value is one that was inserted, one of the last more often, or the next.
func (g *generator) value() history.Value {
	i := g.IntN(g.used + 1)
	if g.IntN(2) == 0 {
		i = max(0, g.used-g.IntN(4))
	}
	return g.m.values(g.values[i])
}

func (g *generator) result(o *running) history.Value {
	if g.IntN(100) >= g.m.wrong {
		return o.result
	}
	wrong := o.result
	switch g.calls[o.op].wrong {
	case wrongValue:
		if wrong = g.value(); g.IntN(4) == 0 {
			wrong = history.NullValue
		}
	case wrongBool:
		wrong = history.BoolValue(!o.result.Bool())
	case wrongCount:
		wrong = history.IntValue(int64(g.IntN(3)))
	}
	if g.IntN(4) == 0 && g.awkward {
		wrong = []history.Value{history.NullValue, history.BoolValue(false), history.IntValue(0), history.IntValue(-1),
			history.StringValue(""), history.ListValue(), history.NoValue, history.UnknownValue, history.ExceptionValue("e")}[g.IntN(9)]
	}
	e := o.event
	if g.model.Check(&history.Operation{Method: e.Method, Args: e.Args, Result: wrong}) != nil {
		return o.result // the codecs let no such result through
	}
	return wrong
}

// exchange exchanges results of calls of one kind.
func (g *generator) exchange() {
	for range g.m.exchanged {
		var answers []int
		kind := wrongValue
		for i := range g.events {
			e := &g.events[i]
			if e.Type == history.OK && g.calls[e.Op.Int()].wrong == kind {
				answers = append(answers, i)
			}
		}
		if len(answers) > 1 {
			i, j := answers[g.IntN(len(answers))], answers[g.IntN(len(answers))]
			g.events[i].Result, g.events[j].Result = g.events[j].Result, g.events[i].Result
		}
	}
}

// move lets neighbouring events of different processes change places.
func (g *generator) move() {
	for range len(g.events) * g.m.moved / 100 {
		i := g.IntN(len(g.events) - 1)
		a, b := &g.events[i], &g.events[i+1]
		if !a.Process.Equal(b.Process) {
			*a, *b = *b, *a
		}
	}
}

// restrict returns the history of some operations.
func restrict(h *history.History, ops []int32) *history.History {
	part := &history.History{Header: h.Header, Processes: h.Processes}
	for _, i := range slices.Sorted(slices.Values(ops)) {
		part.Ops = append(part.Ops, h.Ops[i])
	}
	return part
}
