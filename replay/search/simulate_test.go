package search_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
	"github.com/leadline/leadline/replay/search"
	"github.com/leadline/leadline/replay/spec"
)

// simulate records n operations of a correct object used by some processes.
// Each operation takes effect at one moment between its invocation and its
// response. next returns an invocation; lost is the percentage of operations
// without a response.
func simulate(t testing.TB, r *rand.Rand, s replay.Spec, processes, n, lost int, next func(r *rand.Rand, i int) replay.Invocation) *history.History {
	b, _ := simulation(r, s, processes, n, lost, next)
	h, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// simulation also returns which operations took effect, in order.
func simulation(r *rand.Rand, s replay.Spec, processes, n, lost int, next func(r *rand.Rand, i int) replay.Invocation) (*history.Builder, []int64) {
	b := history.NewBuilder(history.Header{})
	var effects []int64
	object := s.New()
	type call struct {
		id      int64
		inv     replay.Invocation
		took    bool
		never   bool
		process int64
		result  history.Value
	}
	open := make([]*call, processes)
	name := int64(processes) // of the process that replaces a retired one
	names := make([]int64, processes)
	for p := range names {
		names[p] = int64(p)
	}
	for begun := 0; begun < n; {
		p := r.IntN(processes)
		c := open[p]
		switch {
		case c == nil:
			c = &call{id: int64(begun), inv: next(r, begun), process: names[p], never: r.IntN(100) < lost}
			b.Add(&history.Event{Type: history.Invoke, Process: history.IntValue(c.process), Op: history.IntValue(c.id), Method: c.inv.Method, Args: c.inv.Args})
			open[p] = c
			begun++
		case c.never && r.IntN(2) == 0:
			b.Add(&history.Event{Type: history.Info, Process: history.IntValue(c.process)})
			names[p], open[p] = name, nil
			name++
		case !c.took:
			c.result, _ = object.Apply(c.inv)
			c.took = true
			effects = append(effects, c.id)
		case c.never:
			b.Add(&history.Event{Type: history.Info, Process: history.IntValue(c.process)})
			names[p], open[p] = name, nil
			name++
		default:
			b.Add(&history.Event{Type: history.OK, Process: history.IntValue(c.process), Result: c.result})
			open[p] = nil
		}
	}
	return b, effects
}

func queueCalls(r *rand.Rand, i int) replay.Invocation {
	if r.IntN(2) == 0 {
		return replay.Invocation{Method: "enqueue", Args: []history.Value{history.IntValue(int64(i))}}
	}
	return replay.Invocation{Method: "dequeue"}
}

func stackCalls(r *rand.Rand, i int) replay.Invocation {
	if r.IntN(2) == 0 {
		return replay.Invocation{Method: "push", Args: []history.Value{history.IntValue(int64(i))}}
	}
	return replay.Invocation{Method: "pop"}
}

// kvCalls uses five keys; values are distinct.
func kvCalls(r *rand.Rand, i int) replay.Invocation {
	key := history.IntValue(int64(r.IntN(5)))
	if r.IntN(2) == 0 {
		return replay.Invocation{Method: "put", Args: []history.Value{key, history.IntValue(int64(i))}}
	}
	return replay.Invocation{Method: "get", Args: []history.Value{key}}
}

func lookup(t testing.TB, text string) replay.Spec {
	s, err := spec.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// BenchmarkRun searches linearizable histories, and variants of them with a
// wrong result in the middle.
func BenchmarkRun(b *testing.B) {
	memory := int64(1 << 30)
	if testing.Short() {
		memory = 1 << 26
	}
	for _, c := range []struct {
		model      string
		next       func(*rand.Rand, int) replay.Invocation
		n, T, lost int
	}{
		{"queue", queueCalls, 1000, 3, 0}, {"queue", queueCalls, 1000, 4, 0},
		{"queue", queueCalls, 10000, 3, 0}, {"queue", queueCalls, 10000, 4, 0},
		{"stack", stackCalls, 1000, 4, 0},
		{"kv", kvCalls, 5000, 8, 0}, {"kv", kvCalls, 5000, 8, 4},
	} {
		b.Run(fmt.Sprintf("spec=%s/n=%d/T=%d/lost=%d", c.model, c.n, c.T, c.lost), func(b *testing.B) {
			s := lookup(b, c.model)
			h := simulate(b, rand.New(rand.NewPCG(1, 0)), s, c.T, c.n, c.lost, c.next)
			for b.Loop() {
				var v replay.Verdict
				v.Finding = search.Run(ops.New(h, s, memory), nil)
				if v.Answer != replay.Linearizable {
					b.Skipf("%v (%v)", v.Answer, v.Cause)
				}
			}
		})
	}
}
