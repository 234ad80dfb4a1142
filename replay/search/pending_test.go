package search_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/ops"
	"github.com/leadline/leadline/replay/search"
	workload "github.com/leadline/leadline/replay/simulate"
	"github.com/leadline/leadline/replay/spec"
)

// A caller makes calls for histories with pending operations. Values are from a source.
type caller struct {
	model string
	calls []maker
}

type maker = func(r *rand.Rand, value func() history.Value) (string, []history.Value)

// making returns a maker of a method with keys and values as arguments: 'k' is one of 2
// keys, 'K' of 10, and 'v' a value.
func making(method, args string) maker {
	return func(r *rand.Rand, value func() history.Value) (string, []history.Value) {
		var list []history.Value
		for _, a := range args {
			switch a {
			case 'k':
				list = append(list, history.IntValue(r.Int64N(2)))
			case 'K':
				list = append(list, history.IntValue(r.Int64N(10)))
			default:
				list = append(list, value())
			}
		}
		return method, list
	}
}

// appending appends a value and a comma to a string.
func appending(r *rand.Rand, value func() history.Value) (string, []history.Value) {
	return "append", []history.Value{history.IntValue(r.Int64N(2)), history.StringValue(value().String() + ",")}
}

// transacting returns a maker of transactions that read and write one or two of some
// registers.
func transacting(registers int64) maker {
	return func(r *rand.Rand, value func() history.Value) (string, []history.Value) {
		var steps []history.Value
		for range 1 + r.IntN(2) {
			key := history.IntValue(r.Int64N(registers))
			if r.IntN(2) == 0 {
				steps = append(steps, history.ListValue(history.StringValue("read"), key, history.NullValue))
			} else {
				steps = append(steps, history.ListValue(history.StringValue("write"), key, value()))
			}
		}
		return "txn", []history.Value{history.ListValue(steps...)}
	}
}

var callers = []caller{
	{"register", []maker{making("read", ""), making("write", "v")}},
	{"cas-register", []maker{making("read", ""), making("write", "v"), making("cas", "vv"), making("cas", "vv")}},
	{"queue", []maker{making("enqueue", "v"), making("dequeue", "")}},
	{"queue:2", []maker{making("enqueue", "v"), making("dequeue", "")}},
	{"stack", []maker{making("push", "v"), making("pop", "")}},
	{"set", []maker{making("add", "v"), making("remove", "v"), making("contains", "v"), making("size", "")}},
	{"kv", []maker{appending, appending, making("get", "k"), making("get", "k")}},
	{"kv", []maker{making("put", "kv"), making("get", "k"), making("remove", "k"), making("cas", "kvv"), making("size", "")}},
	{"multi-register", []maker{transacting(2)}},
	{"counter", []maker{making("get", ""), making("increment", "")}},
	{"mutex", []maker{making("lock", ""), making("unlock", "")}},
}

// spoiled returns another value of the same form, or null.
func spoiled(r *rand.Rand, v history.Value, value func() history.Value) history.Value {
	switch v.Kind() {
	case history.Bool:
		return history.BoolValue(!v.Bool())
	case history.String:
		return history.StringValue(v.Text() + value().String() + ",")
	case history.List:
		list := slices.Clone(v.List())
		k := r.IntN(len(list))
		if k == 2 && list[0].Text() == "write" {
			return v
		}
		if list[k].Kind() == history.List || k == 2 {
			list[k] = spoiled(r, list[k], value)
		}
		return history.ListValue(list...)
	case history.Null:
		return value()
	}
	if r.IntN(3) == 0 {
		return history.NullValue
	}
	return history.IntValue(max(0, v.Int()+r.Int64N(5)-2))
}

// manyPending returns a history of n operations of which about one in lost stays pending,
// and half of these take effect. Edges are random. Of values, some recent ones are repeated. With faults,
// some results are those of other operations.
func manyPending(r *rand.Rand, c caller, s replay.Spec, n, threads, lost, repeats, edges int, faults bool) (*history.History, error) {
	b := history.NewBuilder(history.Header{})
	object := s.New().(replay.State)
	last := int64(0)
	value := func() history.Value {
		if last > 0 && r.IntN(100) < repeats {
			return history.IntValue(max(1, last-r.Int64N(3)))
		}
		last++
		return history.IntValue(last)
	}
	type operation struct {
		process    int64
		inv        replay.Invocation
		took, gone bool
		result     history.Value
	}
	open := make([]*operation, threads)
	next, begun := int64(0), 0
	for range 20 * n {
		k := r.IntN(threads)
		o := open[k]
		switch {
		case o == nil && begun < n:
			begun++
			o = &operation{process: next, gone: r.IntN(lost) == 0}
			next++
			o.inv.Method, o.inv.Args = c.calls[r.IntN(len(c.calls))](r, value)
			b.Add(&history.Event{Type: history.Invoke, Process: history.IntValue(o.process), Op: history.IntValue(o.process), Method: o.inv.Method, Args: o.inv.Args})
			open[k] = o
			if o.gone && r.IntN(2) == 0 {
				open[k] = nil
			}
		case o == nil:
		case !o.took:
			outcomes := replay.Transitions(object, o.inv)
			if len(outcomes) == 0 {
				open[k] = nil // it waits for ever
				continue
			}
			chosen := outcomes[r.IntN(len(outcomes))]
			object, o.result, o.took = chosen.Next, chosen.Result, true
			if o.gone {
				open[k] = nil
			}
		default:
			if faults && r.IntN(3) == 0 {
				wrong := history.Operation{Method: o.inv.Method, Args: o.inv.Args, Result: spoiled(r, o.result, value)}
				if s.Check(&wrong) == nil {
					o.result = wrong.Result
				}
			}
			b.Add(&history.Event{Type: history.OK, Process: history.IntValue(o.process), Op: history.IntValue(o.process), Result: o.result})
			open[k] = nil
		}
	}
	for range edges {
		if from, to := r.Int64N(next), r.Int64N(next); from != to {
			b.AddEdge(history.IntValue(min(from, to)), history.IntValue(max(from, to)), 1)
		}
	}
	return b.Build()
}

// TestPendingBrute compares the search with brute force on small histories with many
// pending operations.
func TestPendingBrute(t *testing.T) {
	t.Parallel()
	t.Logf("-seed %d", *seedFlag)
	r := rand.New(rand.NewPCG(*seedFlag, 3))
	rounds := 200
	if *full {
		rounds = 4000
	}
	count := map[string]int{}
	for k := range rounds {
		for _, c := range callers {
			s, err := spec.Parse(c.model)
			if err != nil {
				t.Fatal(err)
			}
			h, err := manyPending(r, c, s, 4+k%6, 2+k%3, 1+r.IntN(3), 50*r.IntN(3), max(0, k%9-5), k%2 == 0)
			if err != nil {
				continue // edges against real time
			}
			want := replay.NotLinearizable
			if bruteForce(h, s) {
				want = replay.Linearizable
			}
			count[fmt.Sprint(c.model, want)]++
			for _, prune := range []search.Pruning{{}, {NoParts: true}, {NoParts: true, NoUseless: true}, {NoParts: true, NoErased: true}} {
				v := run(t, h, s, prune)
				if v.Answer != want {
					t.Fatalf("%s: %v, want %v (%+v):\n%s", c.model, v.Answer, want, prune, show(h))
				}
				if v.Answer != replay.Linearizable {
					continue
				}
				if err := replay.Verify(h, s, v.Witness, nil); err != nil {
					t.Fatalf("%s: %v: %v (%+v):\n%s", c.model, v.Witness, err, prune, show(h))
				}
			}
		}
	}
	t.Log(count)
}

// TestPendingLong: long histories with pending operations whose values tell which of them
// took effect are decided, though not by Run alone.
func TestPendingLong(t *testing.T) {
	t.Parallel()
	seeds := 3
	if testing.Short() {
		seeds = 1
	}
	for _, c := range []struct {
		caller
		n, lost int
	}{
		{caller{"kv", []maker{appending, making("get", "k")}}, 1000, 10},
		{caller{"multi-register", []maker{transacting(10)}}, 1000, 20},
		{caller{"cas-register", []maker{making("write", "v"), making("read", ""), making("cas", "vv")}}, 5000, 10},
	} {
		s, err := spec.Parse(c.model)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(seeds) {
			h, err := manyPending(rand.New(rand.NewPCG(seed, 0)), c.caller, s, c.n, 4, c.lost, 0, 0, false)
			if err != nil {
				t.Fatal(err)
			}
			if v, err := decide.Check(t.Context(), h, s, replay.Options{}); err != nil || v.Answer != replay.Linearizable {
				t.Errorf("%s, seed %d: %v (%v), %v", c.model, seed, v.Answer, v.Cause, err)
			}
		}
	}
}

// TestErased: in histories of a register with compare-and-set whose clients lose responses,
// the rule for erased effects saves work.
func TestErased(t *testing.T) {
	s := lookup(t, "cas-register")
	work := func(h *history.History, p search.Pruning) int64 {
		m := meter.New(nil).Share(1 << 24)
		f := search.RunPruned(ops.New(h, s, 1<<30), p, m)
		if p == (search.Pruning{}) && f.Answer != replay.Linearizable {
			t.Errorf("%v (%v) after %d units", f.Answer, f.Cause, m.Spent())
		}
		return m.Spent()
	}
	with, without := int64(0), int64(0)
	for seed := range uint64(5) {
		h, err := workload.Workload{Model: "cas-register", Ops: 1000, Threads: 16, Seed: seed, Lost: 20}.History()
		if err != nil {
			t.Fatal(err)
		}
		with += work(h, search.Pruning{})
		without += work(h, search.Pruning{NoErased: true})
	}
	if t.Logf("work of %d, and %d without the rule", with, without); 2*without < 3*with {
		t.Errorf("work of %d, and only %d without the rule", with, without)
	}
}
