package search_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/search"
	"github.com/leadline/leadline/replay/spec"
)

// bruteForce decides by the definition. It tries all orders of the operations
// that took effect for certain and any of the others, and has no memory. The
// order is closed under transitivity step by step, also through operations that
// did not happen.
func bruteForce(h *history.History, s replay.Spec) bool {
	n := len(h.Ops)
	before := closure(h)
	must := func(i int) bool {
		for j := range n {
			if before[i][j] {
				return true
			}
		}
		return !h.Ops[i].Pending() || h.Ops[i].Happened
	}
	placed := make([]bool, n)
	var extend func(state replay.State) bool
	extend = func(state replay.State) bool {
		complete := true
	next:
		for i := range n {
			if placed[i] {
				continue
			}
			complete = complete && !must(i)
			for j := range n {
				if before[j][i] && !placed[j] {
					continue next
				}
			}
			outcomes := replay.Transitions(state, replay.Invocation{Method: h.Ops[i].Method, Args: h.Ops[i].Args})
			if len(outcomes) == 0 && h.Ops[i].Pending() && !h.Ops[i].Happened {
				outcomes = []replay.Outcome{{Result: history.UnknownValue, Next: state}} // it has no effect
			}
			for _, o := range outcomes {
				if !replay.Accepts(h.Ops[i].Result, o.Result) {
					continue
				}
				placed[i] = true
				found := extend(o.Next)
				placed[i] = false
				if found {
					return true
				}
			}
		}
		return complete
	}
	return extend(s.New().(replay.State))
}

// closure returns which operation or ghost is before which; ghosts follow the
// operations.
func closure(h *history.History) [][]bool {
	all := append(append([]history.Operation{}, h.Ops...), h.Ghosts...)
	before := make([][]bool, len(all))
	for i := range all {
		before[i] = make([]bool, len(all))
		for j := range all {
			before[i][j] = all[i].Return < all[j].Call
		}
	}
	for _, e := range h.Edges {
		before[e.From][e.To] = true
	}
	for k := range all {
		for i := range all {
			for j := range all {
				before[i][j] = before[i][j] || before[i][k] && before[k][j]
			}
		}
	}
	return before
}

// A subject is a specification with the calls that random histories make.
type subject struct {
	spec  replay.Spec
	calls []callKind
}

type callKind struct {
	method string
	args   int // each 0 or 1
	wrong  []history.Value
}

func subjects(t testing.TB) []subject {
	no, yes := history.BoolValue(false), history.BoolValue(true)
	numbers := []history.Value{history.IntValue(0), history.IntValue(1)}
	orNull := append([]history.Value{history.NullValue}, numbers...)
	parse := func(text string) replay.Spec {
		s, err := spec.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	return []subject{
		{parse("register:0"), []callKind{{"read", 0, numbers}, {"write", 1, nil}}},
		{parse("cas-register:0"), []callKind{{"read", 0, numbers}, {"write", 1, nil}, {"cas", 2, []history.Value{no, yes}}}},
		{parse("queue"), []callKind{{"enqueue", 1, nil}, {"dequeue", 0, orNull}}},
		{parse("stack"), []callKind{{"push", 1, nil}, {"pop", 0, orNull}}},
		{parse("set"), []callKind{{"add", 1, []history.Value{no, yes}}, {"remove", 1, []history.Value{no, yes}}, {"contains", 1, []history.Value{no, yes}}}},
		{parse("kv"), []callKind{{"get", 1, orNull}, {"put", 2, nil}, {"remove", 1, orNull}}},
		{parse("counter"), []callKind{{"get", 0, numbers}, {"increment", 0, nil}}},
		{parse("mutex"), []callKind{{"lock", 0, nil}, {"unlock", 0, nil}}},
		{flakyBag(), []callKind{{"put", 1, []history.Value{no, yes}}, {"take", 0, orNull}}},
	}
}

// flakyBag returns any of the values that it holds, may reject one, and may
// return "empty" although it is not. It is nondeterministic.
func flakyBag() replay.Spec {
	return &replay.Model[[2]int]{
		Label: "flaky-bag",
		Next: func(bag [2]int, inv replay.Invocation) []replay.Step[[2]int] {
			if inv.Method == "put" {
				more := bag
				more[inv.Args[0].Int()]++
				return []replay.Step[[2]int]{{Result: history.BoolValue(true), Next: more}, {Result: history.BoolValue(false), Next: bag}}
			}
			steps := []replay.Step[[2]int]{{Result: history.NullValue, Next: bag}}
			for v := range bag {
				if bag[v] > 0 {
					less := bag
					less[v]--
					steps = append(steps, replay.Step[[2]int]{Result: history.IntValue(int64(v)), Next: less})
				}
			}
			return steps
		},
		Key: func(dst []byte, bag [2]int) []byte {
			return binary.AppendVarint(binary.AppendVarint(dst, int64(bag[0])), int64(bag[1]))
		},
	}
}

// awkward are elements and results that resemble special results: "empty",
// "failed", or one another. Histories draw neighbours in this list.
var awkward = []history.Value{
	history.NullValue, history.BoolValue(false), history.BoolValue(true), history.IntValue(0), history.BoolValue(false), history.IntValue(-1),
	history.StringValue(""), history.BoolValue(false), history.ListValue(), history.StringValue("a"), history.NullValue, history.ListValue(history.IntValue(1)),
}

// takes reports whether the specification is a bundled one that accepts the
// operation.
func (s subject) takes(inv replay.Invocation, result history.Value) bool {
	_, bundled := s.spec.(fmt.Stringer)
	return bundled && s.spec.Check(&history.Operation{Method: inv.Method, Args: inv.Args, Result: result}) == nil
}

// elements returns the values for the arguments of one history: two awkward
// values that every method accepts, or 0 and 1.
func (s subject) elements(r *rand.Rand) []history.Value {
	at := r.IntN(len(awkward) + 2)
	if at+2 > len(awkward) {
		return []history.Value{history.IntValue(0), history.IntValue(1)}
	}
	some := awkward[at : at+2]
	for _, c := range s.calls {
		for i := range some {
			if !s.takes(replay.Invocation{Method: c.method, Args: slices.Repeat(some[i:i+1], c.args)}, history.UnknownValue) {
				return []history.Value{history.IntValue(0), history.IntValue(1)}
			}
		}
	}
	return some
}

// randomHistory returns a history of at most most operations and edges edges.
// Some operations are pending, some are marked as happened or as not happened.
// Results are those of some order; a few are replaced by others or left out.
func randomHistory(t testing.TB, r *rand.Rand, s subject, most, edges int) *history.History {
	for {
		h, err := tryHistory(r, s, 1+r.IntN(most), r.IntN(edges+1))
		if err == nil {
			return h
		}
		if _, isCycle := err.(*history.Errors); !isCycle {
			t.Fatal(err)
		}
	}
}

func tryHistory(r *rand.Rand, s subject, n, edges int) (*history.History, error) {
	b := history.NewBuilder(history.Header{})
	object := s.spec.New().(replay.State)
	elements := s.elements(r)
	processes := 1 + r.IntN(5)
	lost := r.IntN(5)
	type operation struct {
		kind        callKind
		inv         replay.Invocation
		took, never bool
		result      history.Value
	}
	open := make([]int, processes) // +1
	ops := make([]operation, 0, n)
	for range 10 * n {
		p := r.IntN(processes)
		process, id := history.IntValue(int64(p)), open[p]-1
		if id < 0 {
			if len(ops) == n {
				continue
			}
			o := operation{kind: s.calls[r.IntN(len(s.calls))], never: r.IntN(8) < lost}
			o.inv.Method = o.kind.method
			for range o.kind.args {
				o.inv.Args = append(o.inv.Args, elements[r.IntN(2)])
			}
			b.Add(&history.Event{Type: history.Invoke, Process: process, Op: history.IntValue(int64(len(ops))), Method: o.inv.Method, Args: o.inv.Args})
			if mark := r.IntN(6); o.never && mark < 2 {
				b.Mark(history.IntValue(int64(len(ops))), mark == 0, 1)
				o.took = mark == 1 // never
			}
			ops = append(ops, o)
			open[p] = len(ops)
			continue
		}
		switch o := &ops[id]; {
		case r.IntN(2) == 0:
		case !o.took:
			outcomes := replay.Transitions(object, o.inv)
			if len(outcomes) == 0 {
				continue
			}
			chosen := outcomes[r.IntN(len(outcomes))]
			object, o.result, o.took = chosen.Next, chosen.Result, true
			switch x := r.IntN(12); {
			case x == 0:
				o.result = history.UnknownValue
			case x < 5 && len(o.kind.wrong) > 0:
				o.result = o.kind.wrong[r.IntN(len(o.kind.wrong))]
			case x == 5:
				if v := awkward[r.IntN(len(awkward))]; s.takes(o.inv, v) {
					o.result = v
				}
			}
		case !o.never:
			b.Add(&history.Event{Type: history.OK, Process: process, Result: o.result})
			open[p] = 0
		}
	}
	for range edges {
		if i, j := r.IntN(len(ops)), r.IntN(len(ops)); i != j {
			if r.IntN(3) > 0 {
				i, j = min(i, j), max(i, j)
			}
			b.AddEdge(history.IntValue(int64(i)), history.IntValue(int64(j)), 1)
		}
	}
	return b.Build()
}

// prunings are variants of the search that must have equal findings.
var prunings = []search.Pruning{
	{},
	{NoParts: true},
	{NoParts: true, NoReadsAtOnce: true, NoTwins: true, NoUseless: true, NoErased: true},
	{NoParts: true, NoReadsAtOnce: true},
	{NoParts: true, NoReadsAtOnce: true, NoErased: true},
	{NoParts: true, NoTwins: true},
	{NoParts: true, NoUseless: true},
	{NoParts: true, NoErased: true},
	{NoParts: true, NoReadsAtOnce: true, NoTwins: true, NoUseless: true},
}

// TestBruteForce compares the search, with and without each rule, with brute
// force. It uses small histories with and without edges, unchanged and relaxed
// to program order.
func TestBruteForce(t *testing.T) {
	t.Parallel()
	t.Logf("-seed %d", *seedFlag)
	r := rand.New(rand.NewPCG(*seedFlag, 2))
	rounds := 250
	if *full {
		rounds = 2500
	}
	count := map[string]int{}
	for k := range rounds {
		for _, s := range subjects(t) {
			h := randomHistory(t, r, s, 4+k%5, k%5)
			if k%3 == 0 {
				h = h.ProgramOrder()
			}
			if k%7 == 0 {
				forgetHappened(h)
			}
			want := replay.NotLinearizable
			if bruteForce(h, s.spec) {
				want = replay.Linearizable
			}
			count[fmt.Sprint(s.spec.Name(), want)]++
			if len(h.Ghosts) > 0 {
				count["ghosts"]++
			}
			for _, prune := range prunings {
				v := run(t, h, s.spec, prune)
				if v.Answer != want {
					t.Fatalf("%v, want %v (%+v):\n%s", v.Answer, want, prune, show(h))
				}
				if v.Answer != replay.Linearizable {
					continue
				}
				if err := replay.Verify(h, s.spec, v.Witness, nil); err != nil {
					t.Fatalf("%v: %v (%+v):\n%s", v.Witness, err, prune, show(h))
				}
			}
		}
	}
	for _, s := range subjects(t) {
		for _, a := range []replay.Answer{replay.Linearizable, replay.NotLinearizable} {
			if count[fmt.Sprint(s.spec.Name(), a)] < rounds/12 {
				t.Errorf("few histories of %s are %v: %v", s.spec.Name(), a, count)
			}
		}
	}
	if count["ghosts"] < rounds/12 {
		t.Errorf("few histories with order through what did not happen: %v", count)
	}
}

// forgetHappened removes the marks of pending operations, including those set
// by edges. A pending operation may then be before others although it has no
// effect. A Builder makes no such history, but a search of a part does.
func forgetHappened(h *history.History) {
	for i := range h.Ops {
		h.Ops[i].Happened = false
	}
}

func show(h *history.History) string {
	text := ""
	for i := range h.Ops {
		op := &h.Ops[i]
		text += fmt.Sprintf("%3d: process %d, %d to %d, %v %v\n", i, op.Process, op.Call, op.Return, op, op.Happened)
	}
	for i := range h.Ghosts {
		op := &h.Ghosts[i]
		text += fmt.Sprintf("%3d: %d to %d, did not happen\n", len(h.Ops)+i, op.Call, op.Return)
	}
	return text + fmt.Sprintln(h.Edges)
}
