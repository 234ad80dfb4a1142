package decide_test

import (
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
)

// TestTighten: the tightened history has no edges, all operations, and every
// order that the history has.
func TestTighten(t *testing.T) {
	r := newRand(t)
	tried := 0
	for range 2000 {
		x, ok := randomRaw(r, subjects(t)[0], true)
		if !ok {
			continue
		}
		h := x.build(t, r)
		tight, number := decide.Tighten(h)
		if len(tight.Ops) != len(h.Ops) || len(tight.Edges) > 0 {
			t.Fatalf("%d operations of %d, %d edges", len(tight.Ops), len(h.Ops), len(tight.Edges))
		}
		in, p := instance(t, h, replay.AutoChains), instance(t, tight, replay.AutoChains)
		for a := range tight.Ops {
			if op := &tight.Ops[a]; op.Return <= op.Call {
				t.Fatalf("operation %v ends before it begins:\n%s", op.ID(), show(h))
			}
			for b := range tight.Ops {
				if in.Poset.Less(number[a], number[b]) {
					tried++
					if !p.Poset.Less(int32(a), int32(b)) {
						t.Fatalf("order of %v and %v is lost:\n%s", tight.Ops[a].ID(), tight.Ops[b].ID(), show(h))
					}
				}
			}
		}
	}
	if tried < 1000 {
		t.Errorf("only %d pairs in order", tried)
	}
}

// TestIntervals holds the engines that go by intervals against brute force, on
// histories with edges and operations that did not happen.
func TestIntervals(t *testing.T) {
	t.Parallel()
	r := newRand(t)
	decided := map[string]int{}
	rounds := 500
	if *full {
		rounds = 4000
	}
	for range rounds {
		for _, s := range subjects(t) {
			x, ok := randomRaw(r, s, true)
			if !ok {
				continue
			}
			h := x.build(t, r)
			for _, row := range decide.Rows() {
				if row.Name != "monitor" && row.Name != "window" {
					continue
				}
				f, err := row.Start(h, s.spec)
				if err != nil {
					t.Fatal(err)
				}
				if !f.Decided() {
					continue
				}
				want := x.explains(s.spec, x.order(true))
				if (f.Answer == replay.Linearizable) != want {
					t.Fatalf("%s: %v of a history of %s, want %v:\n%s", row.Name, f.Answer, s.spec.Name(), want, show(h))
				}
				if want && replay.Verify(h, s.spec, f.Witness, nil) != nil {
					t.Fatalf("%s: a bad witness %v:\n%s", row.Name, f.Witness, show(h))
				}
				decided[row.Name+": "+f.Answer.String()]++
			}
		}
	}
	t.Log(decided)
	if len(decided) < 4 {
		t.Errorf("decided %v", decided)
	}
}

// TestTouchingStamps: operations that touch at a stamp in several processes
// need edges, and a long history of them is decided all the same.
func TestTouchingStamps(t *testing.T) {
	for _, model1 := range []string{"queue", "kv"} {
		for _, wrong := range []bool{false, true} {
			const n, processes = 20_000, 4
			b := history.NewBuilder(history.Header{Order: history.StampOrder, Tie: history.Closed})
			object := model(t, model1).New()
			for i := range n {
				// Each process calls at a stamp of a coarse clock, and returns at the
				// next, at which it calls again.
				p, at := history.IntValue(int64(i%processes)), int64(i/processes)
				inv := touching(model1, i)
				result, _ := object.Apply(inv)
				if wrong && i == n/2+1 {
					result = history.IntValue(-5)
				}
				id := history.IntValue(int64(i))
				b.Add(&history.Event{Type: history.Invoke, Process: p, Op: id, Method: inv.Method, Args: inv.Args, At: at})
				b.Add(&history.Event{Type: history.OK, Op: id, Result: result, At: at + 1})
			}
			h, err := b.Build()
			if err != nil {
				t.Fatal(err)
			}
			if len(h.Edges) < n/2 {
				t.Errorf("%s: only %d edges", model1, len(h.Edges))
			}
			want := replay.Linearizable
			if wrong {
				want = replay.NotLinearizable
			}
			v := check(t, h, model(t, model1), replay.Options{Budget: replay.Budget{Bytes: 1 << 28}})
			if v.Answer != want || v.Engine != replay.MonitorEngine {
				t.Errorf("%s, wrong %v: %v (%v) by %v", model1, wrong, v.Answer, v.Cause, v.Engine)
			}
		}
	}
}

// touching is the i-th call of TestTouchingStamps: the odd ones read, or
// remove, what the even ones insert.
func touching(model string, i int) replay.Invocation {
	v := history.IntValue(int64(i))
	key := history.IntValue(int64(i / 2 % 10))
	switch {
	case model == "kv" && i%2 == 0:
		return replay.Invocation{Method: "put", Args: []history.Value{key, v}}
	case model == "kv":
		return replay.Invocation{Method: "get", Args: []history.Value{key}}
	case i%2 == 0:
		return replay.Invocation{Method: "enqueue", Args: []history.Value{v}}
	}
	return replay.Invocation{Method: "dequeue"}
}
