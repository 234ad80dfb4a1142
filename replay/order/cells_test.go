package order_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
	"github.com/leadline/leadline/replay/order"
	"github.com/leadline/leadline/replay/search"
)

// awkward are values that are easily confused.
var awkward = []history.Value{
	history.NullValue, history.IntValue(0), history.StringValue(""), history.BoolValue(false), history.IntValue(-1), history.ListValue(),
}

// A cellWorkload draws invocations of a model whose objects hold values.
type cellWorkload struct {
	model   string
	methods []string
	keys    int
	values  int // the first ones of awkward, and then ints
}

func (w *cellWorkload) value(r *rand.Rand) history.Value {
	if k := r.IntN(w.values); k >= len(awkward) {
		return history.IntValue(int64(k))
	} else {
		return awkward[k]
	}
}

func (w *cellWorkload) key(r *rand.Rand) history.Value {
	return []history.Value{history.StringValue("0"), history.IntValue(0), history.NullValue, history.IntValue(1)}[r.IntN(w.keys)]
}

func (w *cellWorkload) invocation(r *rand.Rand) replay.Invocation {
	inv := replay.Invocation{Method: w.methods[r.IntN(len(w.methods))]}
	if strings.HasPrefix(w.model, "kv") {
		inv.Args = append(inv.Args, w.key(r))
	}
	switch inv.Method {
	case "write", "put":
		inv.Args = append(inv.Args, w.value(r))
	case "cas":
		inv.Args = append(inv.Args, w.value(r), w.value(r))
	case "txn":
		var steps []history.Value
		for range 1 + r.IntN(3) {
			step := []history.Value{history.StringValue("read"), w.key(r), history.NullValue}
			if r.IntN(2) == 0 {
				step[0], step[2] = history.StringValue("write"), w.value(r)
			}
			steps = append(steps, history.ListValue(step...))
		}
		inv.Args = append(inv.Args, history.ListValue(steps...))
	case "size":
		inv.Args = nil
	}
	return inv
}

// spoil returns another result.
func (w *cellWorkload) spoil(r *rand.Rand, result history.Value) history.Value {
	switch result.Kind() {
	case history.None:
		return result
	case history.List:
		steps := slices.Clone(result.List())
		for k, step := range steps {
			if s := slices.Clone(step.List()); len(s) == 3 && s[0].Text() == "read" && r.IntN(2) == 0 {
				s[2] = w.value(r)
				steps[k] = history.ListValue(s...)
			}
		}
		return history.ListValue(steps...)
	case history.Bool:
		if len(w.methods) > 1 && slices.Contains(w.methods, "cas") && r.IntN(2) == 0 {
			return history.BoolValue(!result.Bool())
		}
	}
	return w.value(r)
}

// simulate draws events. Each operation takes effect at once, between its invocation and its
// response. About lost of 200 operations have no response. spoil changes results.
func simulate(r *rand.Rand, s replay.Spec, n, processes, lost int, next func() replay.Invocation, spoil func(history.Value) history.Value) []history.Event {
	type running struct {
		event  history.Event
		result history.Value
		done   bool
	}
	object := s.New()
	var events []history.Event
	open, name := make([]*running, processes), make([]int64, processes)
	for busy, begun := 0, 0; busy > 0 || begun < n; {
		p := r.IntN(processes)
		switch o := open[p]; {
		case o == nil && begun == n:
		case o == nil:
			inv := next()
			open[p] = &running{event: history.Event{Process: history.IntValue(name[p]*100 + int64(p)), Op: history.IntValue(int64(begun)), Method: inv.Method, Args: inv.Args}}
			events = append(events, open[p].event)
			begun++
			busy++
		case r.IntN(200) < lost:
			open[p] = nil
			name[p]++
			busy--
		case !o.done:
			o.result, o.done = object.Apply(replay.Invocation{Method: o.event.Method, Args: o.event.Args})
		default:
			events = append(events, history.Event{Type: history.OK, Process: o.event.Process, Op: o.event.Op, Result: spoil(o.result)})
			open[p] = nil
			busy--
		}
	}
	return events
}

// isExact reports whether reads and writes say all about a history.
func (w *cellWorkload) isExact(h *history.History) bool {
	return !slices.Contains(w.methods, "size") && !slices.ContainsFunc(h.Ops, func(op history.Operation) bool {
		return !op.Pending() && (op.Result.Kind() == history.Unknown || op.Method == "cas" && op.Result.Kind() != history.Bool)
	}) && h.Pending() == 0
}

// TestCells compares Run with the search and with brute force.
func TestCells(t *testing.T) {
	t.Logf("-seed %d", *seedFlag)
	r := rand.New(rand.NewPCG(*seedFlag, 94))
	rounds := *rounds
	if *full {
		rounds *= 10
	}
	for _, w := range []cellWorkload{
		{model: "register", methods: []string{"read", "write"}},
		{model: "register:0", methods: []string{"read", "read", "write"}},
		{model: "cas-register", methods: []string{"read", "write", "cas", "cas"}},
		{model: "cas-register:false", methods: []string{"read", "cas"}},
		{model: "kv", methods: []string{"get", "put", "cas"}},
		{model: "kv", methods: []string{"get", "put", "cas", "size", "contains"}},
		{model: "multi-register", methods: []string{"txn"}},
	} {
		s, count := lookup(t, w.model), map[string]int{}
		for range rounds {
			w.keys, w.values = 1+r.IntN(3), 2+r.IntN(20)
			n, processes := 4+r.IntN(12), 2+r.IntN(4)
			wrong := r.IntN(3) * 10
			events := simulate(r, s, n, processes, r.IntN(3)*10, func() replay.Invocation { return w.invocation(r) }, func(result history.Value) history.Value {
				switch {
				case r.IntN(100) < wrong:
					return w.spoil(r, result)
				case r.IntN(50) == 0 && result.Kind() != history.None:
					return history.UnknownValue
				}
				return result
			})
			h := moved(t, r, events, r.IntN(2)*r.IntN(2*n))
			if addOrder(r, h); r.IntN(4) > 0 {
				h.Edges = nil
			}
			f := order.Run(ops.New(h, s, 1<<30), nil)
			if f.Cause == replay.Declined {
				if count["declined"]++; w.isExact(h) {
					t.Fatalf("declined\n%s", show(h))
				}
				continue
			}
			count[f.Answer.String()]++
			if h.Pending() > 0 {
				count["pending "+f.Answer.String()]++
			}
			want := search.Run(ops.New(h, s, 1<<26), nil).Answer
			if len(h.Ops) <= 8 && bruteForce(h, s) != (want == replay.Linearizable) {
				t.Fatalf("search says %v\n%s", want, show(h))
			}
			if checkFinding(t, "cells", h, s, f, want); t.Failed() {
				t.Fatal(show(h))
			}
		}
		t.Log(w.model, w.methods, count)
		for _, what := range []string{"linearizable", "not-linearizable", "pending linearizable", "pending not-linearizable"} {
			if count[what] < rounds/20 {
				t.Errorf("%s: %s: %d of %d", w.model, what, count[what], rounds)
			}
		}
		if count["declined"] > rounds/2 {
			t.Errorf("%s: %d of %d declined", w.model, count["declined"], rounds)
		}
	}
}
