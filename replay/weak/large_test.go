package weak_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/visibility"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec"
	"github.com/leadline/leadline/replay/weak"
)

// A run of a map: threads call put, remove and get, and some size, or a get of another name
// that reads an old value.
type run struct {
	threads, ops, keys, values int
	slow                       int    // a size takes so many times as long as others
	weak                       int    // every so many operations is weak
	method                     string // of weak operations
	wrong                      int    // added to the results of the last sizes
}

type step struct {
	at   int
	do   int // 0: invoke; 1: take effect; 2: return; 3: read a key for size
	op   int
	argK int
}

// history simulates the run. A size reads the keys one after another.
func (u run) history(t *testing.T, seed uint64) *history.History {
	r := rand.New(rand.NewPCG(seed, 3))
	var steps []step
	free := make([]int, u.threads)
	process := make([]int, u.ops)
	invs := make([]replay.Invocation, u.ops)
	weakOp := make([]bool, u.ops)
	for i := range u.ops {
		p := slices.Index(free, slices.Min(free))
		process[i] = p
		call := free[p] + 1 + r.IntN(20)
		span := 10 + r.IntN(30)
		key := history.IntValue(int64(r.IntN(u.keys)))
		switch k := r.IntN(10); {
		case i%u.weak == u.weak-1:
			weakOp[i] = true
			invs[i] = replay.Invocation{Method: u.method}
			if u.method == "get" {
				invs[i].Args = []history.Value{key}
			} else {
				span *= u.slow
			}
		case k < 5:
			invs[i] = replay.Invocation{Method: "put", Args: []history.Value{key, history.IntValue(int64(r.IntN(u.values)))}}
		case k < 7:
			invs[i] = replay.Invocation{Method: "remove", Args: []history.Value{key}}
		default:
			invs[i] = replay.Invocation{Method: "contains", Args: []history.Value{key}}
		}
		steps = append(steps, step{call, 0, i, 0}, step{call + span, 2, i, 0})
		if weakOp[i] && u.method == "size" {
			for k := range u.keys {
				steps = append(steps, step{call + 1 + k*(span-1)/u.keys, 3, i, k})
			}
		} else {
			steps = append(steps, step{call + 1 + r.IntN(span-1), 1, i, 0})
		}
		free[p] = call + span
	}
	slices.SortStableFunc(steps, func(a, b step) int { return a.at - b.at })
	s, _ := spec.Parse("kv")
	object := s.New()
	sizes := make([]int64, u.ops)
	results := make([]history.Value, u.ops)
	b := history.NewBuilder(history.Header{Model: "kv"})
	for _, e := range steps {
		switch id := history.IntValue(int64(e.op)); e.do {
		case 0:
			b.Add(&history.Event{Process: history.IntValue(int64(process[e.op])), Op: id, Method: invs[e.op].Method, Args: invs[e.op].Args})
		case 1:
			results[e.op], _ = object.Apply(invs[e.op])
		case 3:
			has, _ := object.Apply(replay.Invocation{Method: "contains", Args: []history.Value{history.IntValue(int64(e.argK))}})
			if has.Bool() {
				sizes[e.op]++
			}
		case 2:
			if weakOp[e.op] && u.method == "size" {
				wrong := int64(0)
				if e.op > u.ops*9/10 {
					wrong = int64(u.wrong)
				}
				results[e.op] = history.IntValue(sizes[e.op] + wrong)
			}
			b.Add(&history.Event{Type: history.OK, Op: id, Result: results[e.op]})
		}
	}
	h, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestLarge: weak operations among a thousand others of a map are decided, with little work.
func TestLarge(t *testing.T) {
	s, err := spec.Parse("kv")
	if err != nil {
		t.Fatal(err)
	}
	most := []visibility.Level{visibility.Weak, visibility.Basic, visibility.Bundle}
	all := append(most, visibility.Monotonic)
	for _, test := range []struct {
		run
		levels []visibility.Level
		want   replay.Answer
	}{
		{run{4, 1030, 8, 3, 6, 34, "size", 0}, all, replay.Linearizable},
		{run{8, 1030, 16, 3, 6, 34, "size", 0}, most, replay.Linearizable},
		{run{4, 1030, 8, 3, 2, 34, "size", 3}, all[1:], replay.NotLinearizable},
		{run{4, 1030, 8, 3, 6, 34, "size", 3}, most[1:], replay.NotLinearizable},
		{run{4, 1030, 8, 1000, 6, 34, "size", 9}, most, replay.NotLinearizable},
		{run{4, 1030, 8, 3, 2, 34, "get", 0}, all, replay.Linearizable},
	} {
		h := test.history(t, 1)
		for _, level := range test.levels {
			v, err := weak.Check(context.Background(), h, s, weak.Levels{test.method: level}, replay.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%+v %v: %v, conflict %v, work %d, %v", test.run, level, v, v.Conflict, v.Work, v.Elapsed)
			if v.Answer != test.want || v.Work > 1<<23 {
				t.Errorf("%+v %v: %v, want %v; work %d", test.run, level, v, test.want, v.Work)
			}
		}
	}
}
