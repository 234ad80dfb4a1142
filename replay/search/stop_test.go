package search_test

import (
	"math/rand/v2"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
	"github.com/leadline/leadline/replay/search"
)

// A counting specification counts the calls of its objects. If fresh is set,
// every state has its own key, so that the search recognizes no state and
// computes every step.
type counting struct {
	replay.Spec
	steps int
	fresh bool
}

func (c *counting) New() replay.Object { return &countingState{c, c.Spec.New().(replay.State)} }

func (c *counting) Traits() replay.Traits {
	return replay.Traits{Partitioned: replay.TraitsOf(c.Spec).Partitioned}
}

func (c *counting) Facts(op *history.Operation) replay.Facts {
	return replay.Facts{Part: replay.FactsOf(c.Spec, op).Part}
}

type countingState struct {
	c *counting
	replay.State
}

func (s *countingState) Apply(inv replay.Invocation) (history.Value, bool) {
	s.c.steps++
	return s.State.Apply(inv)
}

func (s *countingState) Clone() replay.State { return &countingState{s.c, s.State.Clone()} }

func (s *countingState) AppendKey(dst []byte) []byte {
	dst = s.State.AppendKey(dst)
	if s.c.fresh {
		dst = history.IntValue(int64(s.c.steps)).AppendKey(dst)
	}
	return dst
}

// A stubborn history keeps some engine busy.
type stubborn struct {
	name  string
	model string
	h     *history.History
	prune search.Pruning
	fresh bool
	stops int // questions before it is stopped
}

// stubborns returns histories for all engines.
func stubborns(t testing.TB) []stubborn {
	r := rand.New(rand.NewPCG(1, 5))
	queue := lookup(t, "queue")
	long := simulate(t, r, queue, 4, 5000, 0, queueCalls)
	spoil(r, long, "dequeue")
	lost := simulate(t, r, queue, 4, 5000, 20, queueCalls)
	spoil(r, lost, "dequeue")
	many := simulate(t, r, queue, 100, 600, 0, queueCalls)
	spoil(r, many, "dequeue")
	keys := simulate(t, r, lookup(t, "kv"), 8, 20000, 0, func(r *rand.Rand, i int) replay.Invocation {
		inv := kvCalls(r, i)
		inv.Args[0] = history.IntValue(int64(i / 4))
		return inv
	})
	b, effects := simulation(r, lookup(t, "kv"), 8, 5000, 0, kvCalls)
	for i := 0; i+1 < len(effects); i += 2 {
		b.AddEdge(history.IntValue(effects[i]), history.IntValue(effects[i+1]), 1)
	}
	edges, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return []stubborn{
		{"search", "queue", long, search.Pruning{}, true, 30},
		{"search", "queue", long, search.Pruning{}, false, 300},
		{"many pending", "queue", lost, search.Pruning{}, true, 30},
		{"many pending", "queue", lost, search.Pruning{}, false, 300},
		{"many pending, without rules", "queue", lost,
			search.Pruning{NoTwins: true, NoUseless: true, NoErased: true}, false, 300},
		{"many open", "queue", many, search.Pruning{}, true, 30},
		{"many open", "queue", many, search.Pruning{}, false, 300},
		{"program order", "queue", long.ProgramOrder(), search.Pruning{}, true, 30},
		{"program order", "queue", long.ProgramOrder(), search.Pruning{}, false, 300},
		{"program order and pending", "queue", lost.ProgramOrder(), search.Pruning{}, false, 300},
		{"many reads", "register", manyReads(t), search.Pruning{}, false, 300},
		{"parts", "kv", keys, search.Pruning{}, false, 1 << 30},
		{"parts with edges", "kv", edges, search.Pruning{}, false, 1 << 30},
	}
}

// manyReads returns a history of two writes and their reads, all open at once.
// After a write, the search along chains places the reads without a choice.
func manyReads(t testing.TB) *history.History {
	const n = 4000
	var lines []line
	for i := range int64(n) {
		if i < 2 {
			lines = append(lines, call(i, "write", i))
		} else {
			lines = append(lines, call(i, "read"))
		}
	}
	for i := range int64(n) {
		if i < 2 {
			lines = append(lines, answer(i, history.NoValue))
		} else {
			lines = append(lines, answer(i, history.IntValue(i%2)))
		}
	}
	return smallHistory(t, lines, nil)
}

// TestWorkBetweenQuestions: engines do not save up work before they ask whether
// to stop.
func TestWorkBetweenQuestions(t *testing.T) {
	const most = 1 << 16 // when a table grows
	for _, c := range stubborns(t) {
		last, longest := int64(0), int64(0)
		if c.stops = min(c.stops, 300); !*full {
			c.stops = min(c.stops, 60)
		}
		var m *meter.Meter
		m = meter.New(func() bool {
			longest = max(longest, m.Spent()-last)
			last = m.Spent()
			c.stops--
			return c.stops == 0
		})
		search.RunPruned(ops.New(c.h, lookup(t, c.model), 1<<32), c.prune, m)
		if longest = max(longest, m.Spent()-last); longest > most {
			t.Errorf("%s: %d units of work between two questions, want at most %d", c.name, longest, most)
		}
	}
}

// TestStopIsAsked counts the operations applied to the object between two
// questions whether to stop. There is an upper limit for every engine, and
// almost none follow after the answer to stop. Every step is computed where the
// states are fresh.
func TestStopIsAsked(t *testing.T) {
	t.Parallel()
	const most = 1 << 11
	for _, c := range stubborns(t) {
		if !*full && c.stops < 1<<30 {
			c.stops = min(c.stops, 20)
		}
		counted := &counting{Spec: lookup(t, c.model), fresh: c.fresh}
		asked, last, longest := 0, 0, 0
		var v replay.Verdict
		v.Finding = search.RunPruned(ops.New(c.h, counted, 1<<32), c.prune, meter.New(func() bool {
			asked++
			longest = max(longest, counted.steps-last)
			last = counted.steps
			return asked >= c.stops
		}))
		after := counted.steps - last
		if c.stops == 1<<30 {
			longest, after = max(longest, after), 0 // it finished
		}
		t.Logf("%s: asked %d times, %d steps at most between, %d after; %v (%v)", c.name, asked, longest, after, v.Answer, v.Cause)
		if asked < 3 || longest > most || after > 64 {
			t.Errorf("%s: asked %d times, %d steps at most between, %d after", c.name, asked, longest, after)
		}
		if c.stops < 1<<30 && (v.Answer != replay.Undecided || v.Cause != replay.Time) {
			t.Errorf("%s: %v (%v), want unknown (time)", c.name, v.Answer, v.Cause)
		}
	}
}
