package search

import (
	"slices"

	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay/internal/engine"
)

// Limits of guessing. They limit the effort and do not affect correctness: a
// guess is a witness or nothing.
const (
	guessAfter  = 1 << 15 // configurations searched before guessing
	guessWindow = 4096    // number of responses that a repair goes back
	guessWork   = 1 << 19 // units of work, and guessPerOp more per operation
	guessPerOp  = 64
	guessOpen   = 1 << 24 // total length of the lists of open operations
	guessExtra  = 2       // operations placed before the due one
)

// A guesser searches for a witness along the responses. At each response it
// places the due operation in the first way that works. If nothing works, it
// repairs its path: it goes back to find a response at which other operations,
// placed first, lead past the obstacle.
//
// A guesser does not remember failures, and proves nothing if it fails. It finds
// witnesses of histories in which the order of two operations, such as two
// enqueues, becomes visible only much later. There, the depth-first search tries all
// combinations of the operations in between, while a repair goes back once. (It is
// needed for queues with edges, which queueSearch and the monitors decline.)
type guesser struct {
	s     *sweep
	meter *meter.Meter
	open  [][]int32 // response -> open operations, pending ones last
	steps []guessStep
	state int32   // at the end of the path
	at    []int32 // operation -> response at which it was placed, or -1

	// A trial is an alternative end of the path, starting at response from.
	// While a trial is active, path and placed are those of the trial from
	// there on.
	trial  []guessStep // nil: none is active
	from   int32
	number int32   // of this trial; each has its own
	in     []int32 // operation -> number of the last trial that placed it
}

// A guessStep is what was placed at a response, and the state before it.
type guessStep struct {
	state  int32
	placed []int32
}

// guess returns a witness, or nil.
func guess(s *sweep) []int32 {
	n := len(s.ops)
	g := &guesser{s: s, meter: s.meter.Share(guessWork + guessPerOp*int64(n)),
		state: s.machine.Start(), at: slices.Repeat([]int32{-1}, n), in: make([]int32, n)}
	if !g.listOpen() {
		return nil
	}
	for k := range int32(len(s.order)) {
		if placed, after, ok := g.first(k, g.state); ok {
			g.commit(guessStep{g.state, placed}, after)
		} else if !g.repair(k) {
			return nil
		}
	}
	var trail []int32
	for _, step := range g.steps {
		trail = append(trail, step.placed...)
	}
	return engine.Complete(trail, n)
}

// listOpen lists, for each response, the operations that are open then: those
// that return, sorted by response, then the pending ones, the latest first.
func (g *guesser) listOpen() bool {
	s := g.s
	total, called := 0, int32(0)
	var open []int32
	for k, o := range s.order {
		for ; called < s.called[k]; called++ {
			if s.slot[called] >= 0 {
				open = append(open, called)
			}
		}
		slices.SortFunc(open, func(a, b int32) int { return int(s.ops[a].Return) - int(s.ops[b].Return) })
		list := slices.Clone(open)
		for p := s.pendUpTo[k] - 1; p >= 0; p-- {
			list = append(list, s.pendings[p])
		}
		if total += len(list); total > guessOpen || g.meter.MustStop(len(list)) {
			return false
		}
		g.open = append(g.open, list)
		open = slices.DeleteFunc(open, func(i int32) bool { return i == o })
	}
	return true
}

// isPlaced reports whether the operation has been placed. During a trial that
// means by the trial, or on the path before it.
func (g *guesser) isPlaced(op int32) bool {
	if g.trial == nil {
		return g.at[op] >= 0
	}
	return g.in[op] == g.number || g.at[op] >= 0 && g.at[op] < g.from
}

// isBlocked reports whether a predecessor by an edge is neither placed nor in
// first, the operations to be placed before this one. The due operation is
// never blocked: its predecessors were due before it (see arrange).
func (g *guesser) isBlocked(op int32, first []int32) bool {
	if g.s.before == nil {
		return false
	}
	return slices.ContainsFunc(g.s.before[op], func(b int32) bool { return !g.isPlaced(b) && !slices.Contains(first, b) })
}

// step returns the state after op, or engine.Fail. After a bound on time or
// memory is reached, it returns Fail, which ends the guess.
func (g *guesser) step(state, op int32) int32 {
	if g.meter.MustStop(1+g.s.grown.work(g.s.machine.Bytes())) || g.s.machine.Bytes() > g.s.maxBytes {
		return engine.Fail
	}
	return g.s.machine.Step(state, op)
}

// first returns the first way to place what is due at response k, and the state
// after it.
func (g *guesser) first(k, state int32) (placed []int32, after int32, ok bool) {
	if g.isPlaced(g.s.order[k]) {
		return nil, state, true
	}
	g.ways(k, state, func(way []int32, end int32) bool {
		placed, after, ok = slices.Clone(way), end, true
		return false
	})
	return placed, after, ok
}

// ways calls try with each sequence of at most guessExtra open operations and the
// due one that has the recorded results, and with the state after it. Short
// sequences come first. It stops when try returns false.
func (g *guesser) ways(k, state int32, try func(way []int32, after int32) bool) {
	for extra := range guessExtra + 1 {
		if !g.waysOf(extra, k, state, nil, try) {
			return
		}
	}
}

func (g *guesser) waysOf(extra int, k, state int32, before []int32, try func(way []int32, after int32) bool) bool {
	due := g.s.order[k]
	if extra == 0 {
		after := g.step(state, due)
		return after == engine.Fail || try(append(before, due), after)
	}
	for _, op := range g.open[k] {
		if g.meter.MustStop(1) {
			return false
		}
		if op == due || slices.Contains(before, op) || g.isPlaced(op) || g.isBlocked(op, before) {
			continue
		}
		if after := g.step(state, op); after != engine.Fail && !g.waysOf(extra-1, k, after, append(before, op), try) {
			return false
		}
	}
	return true
}

// commit extends the path by a step.
func (g *guesser) commit(step guessStep, after int32) {
	for _, op := range step.placed {
		g.at[op] = int32(len(g.steps))
	}
	g.steps = append(g.steps, step)
	g.state = after
}

// repair changes the path before response k, where nothing works, so that
// something does, and extends it past k.
func (g *guesser) repair(k int32) bool {
	for j := k - 1; j >= 0 && j > k-guessWindow && !g.meter.Stopped(); j-- {
		if len(g.steps[j].placed) > 0 && g.repairAt(j, k) {
			return true
		}
	}
	return false
}

// repairAt tries other operations at response j.
func (g *guesser) repairAt(j, k int32) bool {
	repaired := false
	g.from, g.trial = j, []guessStep{}
	defer func() { g.trial = nil }()
	g.number++
	g.ways(j, g.steps[j].state, func(way []int32, after int32) bool {
		if !slices.Equal(way, g.steps[j].placed) {
			repaired = g.follow(k, slices.Clone(way), after)
		}
		return !repaired
	})
	return repaired
}

// follow continues from another way at response from, up to and past k. If that
// succeeds, it is the new end of the path.
func (g *guesser) follow(k int32, way []int32, after int32) bool {
	state := g.steps[g.from].state
	g.trial = g.trial[:0]
	for m := g.from; ; m++ {
		g.trial = append(g.trial, guessStep{state, way})
		for _, op := range way {
			g.in[op] = g.number
		}
		state = after
		if m == k {
			break
		}
		var ok bool
		if way, after, ok = g.first(m+1, state); !ok {
			g.number++
			return false
		}
	}
	for _, step := range g.steps[g.from:] {
		for _, op := range step.placed {
			g.at[op] = -1
		}
	}
	g.steps = g.steps[:g.from]
	for _, step := range g.trial {
		g.commit(step, state)
	}
	return true
}
