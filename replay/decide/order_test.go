package decide_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/simulate"
)

// isSequentiallyConsistent decides by the definition: some interleaving of
// the processes' sequences, with or without each pending operation.
func isSequentiallyConsistent(h *history.History, s replay.Spec) bool {
	placed := make([]bool, len(h.Ops))
	var extend func(order []int32) bool
	extend = func(order []int32) bool {
		complete := true
	next:
		for i := range h.Ops {
			if placed[i] {
				continue
			}
			complete = complete && h.Ops[i].Pending()
			for j := range i {
				if !placed[j] && h.Ops[j].Process == h.Ops[i].Process {
					continue next
				}
			}
			placed[i] = true
			found := extend(append(order, int32(i)))
			placed[i] = false
			if found {
				return true
			}
		}
		return complete && answersAsRecorded(h, s.New(), order)
	}
	return extend(nil)
}

// TestProgramOrder compares the verdicts on histories relaxed to program
// order with brute force; some must be sequentially consistent only.
func TestProgramOrder(t *testing.T) {
	r := newRand(t)
	weaker := 0
	rounds := 150
	if *full {
		rounds = 1200
	}
	for k := range rounds {
		for _, s := range subjects(t) {
			h := randomHistory(t, r, s, 1+r.IntN(6), k%2 == 0)
			want := replay.NotLinearizable
			if isSequentiallyConsistent(h, s.spec) {
				want = replay.Linearizable
			}
			v := check(t, h.ProgramOrder(), s.spec, replay.Options{MaxDepth: 6})
			if v.Answer == replay.Undecided && v.Cause == replay.Depth {
				continue // no search without States
			}
			if v.Answer != want {
				t.Fatalf("%v, want %v, in program order:\n%s", v.Answer, want, show(h))
			}
			if want == replay.Linearizable && check(t, h, s.spec, replay.Options{MaxDepth: 6}).Answer == replay.NotLinearizable {
				weaker++
			}
		}
	}
	if weaker < rounds/12 {
		t.Errorf("only %d histories are sequentially consistent and not linearizable", weaker)
	}
}

// A raw is an operation before history.New sees it. Those of a process are in
// its own order.
type raw struct {
	process   int
	call, ret int64
	end       history.EventType // Invoke: none
	dropped   bool
	happened  bool
	inv       history.Event
	result    history.Value
}

func (x *raw) pending() bool { return x.end == history.Invoke || x.end == history.Info }

// A rawHistory has the order of its operations by the definition.
type rawHistory struct {
	ops   []raw
	edges [][2]int
}

// order closes each process's own order, the edges and, if realTime, the order
// of stamps under the closed rule.
func (x *rawHistory) order(realTime bool) [][]bool {
	n := len(x.ops)
	less := make([][]bool, n)
	for i := range less {
		less[i] = make([]bool, n)
		for k := range less {
			a, b := &x.ops[i], &x.ops[k]
			less[i][k] = i < k && a.process == b.process || realTime && !a.pending() && a.ret < b.call
		}
	}
	for _, e := range x.edges {
		less[e[0]][e[1]] = true
	}
	for m := range n {
		for i := range n {
			for k := range n {
				less[i][k] = less[i][k] || less[i][m] && less[m][k]
			}
		}
	}
	return less
}

// randomRaw returns operations of few stamps with results of an order that is
// allowed, some of them then made wrong, and false if the edges close a cycle.
func randomRaw(r *rand.Rand, s subject, realTime bool) (*rawHistory, bool) {
	x := &rawHistory{}
	for p := range 2 + r.IntN(2) {
		now := r.Int64N(3)
		for range 1 + r.IntN(3) {
			c := s.calls[r.IntN(len(s.calls))]
			o := raw{process: p, call: now, ret: now + r.Int64N(3), end: history.OK}
			o.inv = history.Event{Type: history.Invoke, Method: c.method, Process: history.IntValue(int64(p)), Op: history.IntValue(int64(len(x.ops))), At: o.call}
			for range c.args {
				o.inv.Args = append(o.inv.Args, history.IntValue(int64(r.IntN(3))))
			}
			switch r.IntN(10) {
			case 0, 1, 2:
				o.end, o.dropped = history.Fail, true
			case 3:
				o.end = []history.EventType{history.Invoke, history.Info}[r.IntN(2)]
				o.dropped, o.happened = r.IntN(3) == 0, r.IntN(2) == 0
				o.happened = o.happened && !o.dropped
			}
			if len(c.wrong) > 0 && r.IntN(5) == 0 {
				o.result = parseResult(c.wrong[r.IntN(len(c.wrong))])
			} else {
				o.result = history.UnknownValue
			}
			x.ops = append(x.ops, o)
			now = o.ret + r.Int64N(2)
			if o.pending() {
				break
			}
		}
	}
	for range r.IntN(4) {
		if n := len(x.ops); n > 1 {
			if from, to := r.IntN(n), r.IntN(n); from != to {
				x.edges = append(x.edges, [2]int{from, to})
				x.ops[from].happened = x.ops[from].happened || x.ops[from].pending() && !x.ops[from].dropped
			}
		}
	}
	less := x.order(true)
	for i := range less {
		if less[i][i] {
			return nil, false
		}
	}
	x.observe(r, s, x.order(realTime))
	return x, true
}

// observe gives results to the operations without one, in a random order.
func (x *rawHistory) observe(r *rand.Rand, s subject, less [][]bool) {
	object := s.spec.New()
	if _, several := object.(replay.Nondeterministic); several {
		return // most results stay unknown
	}
	done := make([]bool, len(x.ops))
	for range x.ops {
		var next []int
		for i := range x.ops {
			first := !done[i]
			for k := range x.ops {
				first = first && (done[k] || !less[k][i])
			}
			if first {
				next = append(next, i)
			}
		}
		i := next[r.IntN(len(next))]
		done[i] = true
		if o := &x.ops[i]; !o.dropped {
			result, ok := object.Apply(replay.Invocation{Method: o.inv.Method, Args: o.inv.Args})
			if ok && o.result.Kind() == history.Unknown && r.IntN(8) > 0 {
				o.result = result
			}
		}
	}
}

func (x *rawHistory) build(t *testing.T, r *rand.Rand) *history.History {
	t.Helper()
	var events []history.Event
	for _, o := range x.ops {
		events = append(events, o.inv)
		if o.end != history.Invoke {
			e := history.Event{Type: o.end, Op: o.inv.Op, At: o.ret}
			if o.end == history.OK {
				e.Result = o.result
			}
			events = append(events, e)
		}
	}
	r.Shuffle(len(events), func(i, k int) { events[i], events[k] = events[k], events[i] })
	slots := map[int][]int{} // of the invocations of a process, whose order counts where stamps are equal
	for k, e := range events {
		if e.Type == history.Invoke {
			p := x.ops[e.Op.Int()].process
			slots[p] = append(slots[p], k)
		}
	}
	for _, o := range x.ops {
		events[slots[o.process][0]] = o.inv
		slots[o.process] = slots[o.process][1:]
	}
	b := history.NewBuilder(history.Header{ID: "random", Order: history.StampOrder})
	for i := range events {
		events[i].Line = i + 1
		b.Add(&events[i])
	}
	for _, e := range x.edges {
		b.AddEdge(history.IntValue(int64(e[0])), history.IntValue(int64(e[1])), 1)
	}
	for i, o := range x.ops {
		if o.pending() && (o.dropped || o.happened) {
			b.Mark(history.IntValue(int64(i)), o.happened, 1)
		}
	}
	h, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// explains decides by the definition: some order of the operations that took
// effect, with or without each that may have.
func (x *rawHistory) explains(s replay.Spec, less [][]bool) bool {
	placed := make([]bool, len(x.ops))
	var extend func(order []int) bool
	extend = func(order []int) bool {
		complete := true
		for i := range x.ops {
			o := &x.ops[i]
			if placed[i] || o.dropped {
				continue
			}
			complete = complete && o.pending() && !o.happened
			first := true
			for k := range x.ops {
				first = first && (placed[k] || x.ops[k].dropped || !less[k][i])
			}
			if first {
				placed[i] = true
				if extend(append(order, i)) {
					return true
				}
				placed[i] = false
			}
		}
		return complete && x.replays(s.New(), order)
	}
	return extend(nil)
}

func (x *rawHistory) replays(object replay.Object, order []int) bool {
	for k, i := range order {
		o := &x.ops[i]
		inv := replay.Invocation{Method: o.inv.Method, Args: o.inv.Args}
		recorded := o.result
		if o.pending() {
			recorded = history.UnknownValue
		}
		if n, ok := object.(replay.Nondeterministic); ok {
			for _, out := range n.Outcomes(inv) {
				if replay.Accepts(recorded, out.Result) && x.replays(out.Next, order[k+1:]) {
					return true
				}
			}
			return false
		}
		if result, ok := object.Apply(inv); !ok || !replay.Accepts(recorded, result) {
			return false
		}
	}
	return true
}

// TestRawOrder compares verdicts with brute force on what was recorded: stamps
// with many ties, operations of no length, operations that did not happen,
// edges through them, marks; in real time and in program order.
func TestRawOrder(t *testing.T) {
	t.Parallel()
	r := newRand(t)
	counts := map[string]int{}
	rounds := 200
	if *full {
		rounds = 3000
	}
	for k := range rounds {
		for _, s := range subjects(t) {
			realTime := k%2 == 0
			x, ok := randomRaw(r, s, realTime)
			if !ok {
				continue
			}
			h := x.build(t, r)
			want := replay.NotLinearizable
			if x.explains(s.spec, x.order(realTime)) {
				want = replay.Linearizable
			}
			relaxed := h
			if !realTime {
				relaxed = h.ProgramOrder()
			}
			v := check(t, relaxed, s.spec, replay.Options{MaxDepth: 6})
			if v.Answer == replay.Undecided && v.Cause == replay.Depth {
				continue // no search without States
			}
			if v.Answer != want {
				t.Fatalf("%v, want %v, real time %v, edges %v, %+v:\n%s", v.Answer, want, realTime, x.edges, x.ops, show(h))
			}
			if v := decide.InRealTime(relaxed, s.spec); v.Decided() {
				counts["real time"]++
				if v.Answer != want || replay.Verify(relaxed, s.spec, v.Witness, nil) != nil {
					t.Fatalf("by real time: %v, want %v, witness %v, edges %v, %+v:\n%s", v.Answer, want, v.Witness, x.edges, x.ops, show(h))
				}
			}
			counts[want.String()]++
			if len(h.Ghosts) > 0 {
				counts["with ghosts"]++
			}
		}
	}
	for _, what := range []string{"linearizable", "not-linearizable", "with ghosts", "real time"} {
		if counts[what] < rounds/3 {
			t.Errorf("only %v", counts)
		}
	}
}

// stamped builds a history of lines such as "A 1 10 20 write 1" (process,
// identifier, stamps of invocation and response, method, arguments, and a
// result after a colon) and "1 < 2", an edge; "fail" instead of a result.
func stamped(t *testing.T, lines ...string) *history.History {
	t.Helper()
	b := history.NewBuilder(history.Header{Order: history.StampOrder})
	for i, line := range lines {
		f := strings.Fields(line)
		id := func(text string) history.Value { return history.StringValue(text) }
		if f[1] == "<" {
			b.AddEdge(id(f[0]), id(f[2]), i+1)
			continue
		}
		number := func(text string) int64 {
			n, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		call := history.Event{Type: history.Invoke, Process: id(f[0]), Op: id(f[1]), At: number(f[2]), Method: f[4], Line: i + 1}
		ret := history.Event{Type: history.OK, Op: id(f[1]), At: number(f[3]), Line: i + 1}
		for k, text := range f[5:] {
			switch {
			case text == "fail":
				ret.Type = history.Fail
			case text == ":":
				ret.Result = parseResult(f[5+k+1])
			case f[5+k-1] != ":":
				call.Args = append(call.Args, history.IntValue(number(text)))
			}
		}
		b.Add(&call)
		b.Add(&ret)
	}
	h, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestProgramOrderThroughGhosts: the order of a process passes through its
// operations that did not happen, also of a process that has no others.
func TestProgramOrderThroughGhosts(t *testing.T) {
	for _, lines := range [][]string{
		{"A w1 1 2 write 1", "A w2 3 4 write 2 fail", "B r 1 9 read : null", "w2 < r"},
		{"A w1 1 9 write 1", "B f1 1 2 write 2 fail", "B f2 3 4 write 2 fail", "C r 1 9 read : null", "w1 < f1", "f2 < r"},
	} {
		v := check(t, stamped(t, lines...).ProgramOrder(), model(t, "register"), replay.Options{})
		if v.Answer != replay.NotLinearizable {
			t.Errorf("%v: %v", lines, v.Answer)
		}
	}
}

// TestProgramOrderOfOneStamp: of two operations invoked at one stamp, the one
// of no length is the first, also if it is the second in the file.
func TestProgramOrderOfOneStamp(t *testing.T) {
	for first, want := range map[string]replay.Answer{"null": replay.Linearizable, "1": replay.NotLinearizable} {
		h := stamped(t, "A w 5 9 write 1", "A r 5 5 read : "+first, "B x 0 9 read : 1")
		for _, h := range []*history.History{h, h.ProgramOrder()} {
			if v := check(t, h, model(t, "register"), replay.Options{}); v.Answer != want {
				t.Errorf("first read %s: %v, want %v", first, v.Answer, want)
			}
		}
	}
	var lines []string
	for i := range 8500 {
		lines = append(lines, fmt.Sprintf("A p%d %d %d put 1 %d", i, 2*i, 2*i+1, i%3), fmt.Sprintf("A g%d %d %d get 1 : %s", i, 2*i, 2*i, []string{"2", "0", "1"}[i%3]))
	}
	lines[1] = "A g0 0 0 get 1 : null"
	h := stamped(t, lines...).ProgramOrder()
	if v := check(t, h, model(t, "kv"), replay.Options{}); v.Answer != replay.Linearizable {
		t.Errorf("%d operations: %v (%v)", len(h.Ops), v.Answer, v.Cause)
	}
}

// TestRealTime relaxes linearizable histories of repeated values, which are
// sequentially consistent, but hard to decide in program order alone.
func TestRealTime(t *testing.T) {
	t.Parallel()
	for _, w := range []simulate.Workload{
		{Model: "queue", Threads: 4, Values: 8, Ops: 20000},
		{Model: "queue", Threads: 16, Values: 8, Ops: 2000},
		{Model: "stack", Threads: 4, Values: 8, Ops: 300},
		{Model: "kv", Threads: 8, Values: 4, Keys: 3, Ops: 20000},
		{Model: "register", Threads: 8, Values: 4, Ops: 2000},
		{Model: "counter", Threads: 4, Ops: 2000},
	} {
		w.Seed = 1
		h, err := w.History()
		if err != nil {
			t.Fatal(err)
		}
		h, s := h.ProgramOrder(), model(t, w.Model)
		if v := decide.InRealTime(h, s); !v.Decided() || replay.Verify(h, s, v.Witness, nil) != nil {
			t.Errorf("%s, %d operations, %d threads: %v (%v %s)", w.Model, w.Ops, w.Threads, v.Answer, v.Cause, v.Reason)
		}
	}
	stale := stamped(t, "A w 1 2 write 1", "B r 3 4 read : null").ProgramOrder()
	if v := decide.InRealTime(stale, model(t, "register")); v.Decided() {
		t.Errorf("a read that is stale in real time alone: %v", v.Answer)
	}
}
