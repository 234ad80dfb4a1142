package search

import (
	"slices"

	"github.com/leadline/leadline/replay"
)

// Bounds of guessing. They bound the effort, not what is right: a guess is a
// witness or nothing.
const (
	guessAfter  = 1 << 15 // configurations searched before
	guessWindow = 4096    // how many responses a repair goes back
	guessSteps  = 1 << 22 // operations applied for one repair
	guessOpen   = 1 << 24 // places in the lists of open operations
	guessExtra  = 2       // operations placed before the one whose response is due
	keepEvery   = 16      // of the states along the path one is kept
)

// guesser looks for a witness by running the object along the responses,
// each time placing what is due in the first way that works, and by repairing
// its path where nothing works: it looks, from there backwards, for a response
// at which placing other operations first gets it past the obstacle.
//
// It keeps no memory of what failed and decides nothing when it fails; but a
// path and its states are all it holds. Where the order of two operations
// shows only much later, as that of two enqueues does, it finds the pair by
// going back once, while the depth-first search tries all combinations of
// what lies between.
type guesser struct {
	s     *sweep
	open  [][]int32 // response -> open operations that return, and pending ones
	steps []guessStep
	at    []int32 // operation -> response at which it was placed, or -1
	trial trial
	spent int // operations applied for the present repair
}

// A guessStep is what was placed at a response, and, of every so many steps,
// the state before it.
type guessStep struct {
	before replay.State
	placed []int32
}

// A trial is a path that may take the place of the end of the present one.
type trial struct {
	active bool
	from   int32
	number int32   // of this one; each has its own
	in     []int32 // operation -> number of the last trial that placed it
	placed [][]int32
}

// guess returns a witness, or nil.
func guess(s *sweep, spec replay.Spec) []int32 {
	start, ok := spec.New().(replay.State)
	if !ok {
		return nil
	}
	if _, several := start.(replay.Nondeterministic); several {
		return nil
	}
	g := &guesser{s: s, at: slices.Repeat([]int32{-1}, len(s.ops))}
	g.trial.in = make([]int32, len(s.ops))
	if !g.listOpen() {
		return nil
	}
	c := newCursor(g, start)
	for k := int32(0); int(k) < len(s.order); k++ {
		before := c.stateAt(k)
		if placed, ok := g.first(k, c); ok {
			g.commit(k, before, placed)
			continue
		}
		if !g.repair(k) {
			return nil
		}
		c = g.cursorAt(k + 1)
	}
	if s.meter.Stopped() {
		return nil
	}
	return g.witness()
}

// listOpen lists, for each response, the operations that are open then:
// those that return by their responses, then the pending ones, the latest
// first.
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
		if total += len(list); total > guessOpen || s.meter.MustStop(len(list)) {
			return false
		}
		g.open = append(g.open, list)
		open = slices.DeleteFunc(open, func(i int32) bool { return i == o })
	}
	return true
}

// isPlaced reports whether the operation has been placed: on the path, or, in
// a trial, by it or on the path before it.
func (g *guesser) isPlaced(op int32) bool {
	if !g.trial.active {
		return g.at[op] >= 0
	}
	return g.trial.in[op] == g.trial.number || g.at[op] >= 0 && g.at[op] < g.trial.from
}

// isBlocked reports whether an operation before this one by an edge is neither
// placed nor among those that are to be placed first. The one whose response is
// due never is blocked: those before it were due before it (see arrange).
func (g *guesser) isBlocked(op int32, first []int32) bool {
	if g.s.before == nil {
		return false
	}
	for _, b := range g.s.before[op] {
		if !g.isPlaced(b) && !slices.Contains(first, b) {
			return true
		}
	}
	return false
}

// first finds the first way to place what is due at response k, and moves the
// cursor behind it.
func (g *guesser) first(k int32, c *cursor) (placed []int32, ok bool) {
	due := g.s.order[k]
	if g.isPlaced(due) {
		return nil, true
	}
	if c.step(due) {
		return g.s.order[k : k+1 : k+1], true
	}
	for extra := 1; extra <= guessExtra && !ok; extra++ {
		g.waysOf(extra, k, c, nil, func(way []int32) bool {
			placed, ok = slices.Clone(way), true
			return false
		})
	}
	c.run(placed)
	return placed, ok
}

// ways calls try with each sequence of at most guessExtra open operations
// and then the one that is due at k, in which all have their recorded
// results, short ones first, until it answers false.
func (g *guesser) ways(k int32, c *cursor, try func(way []int32) bool) {
	for extra := range guessExtra + 1 {
		if !g.waysOf(extra, k, c, nil, try) {
			return
		}
	}
}

func (g *guesser) waysOf(extra int, k int32, c *cursor, before []int32, try func(way []int32) bool) bool {
	due := g.s.order[k]
	if extra == 0 {
		way := append(before, due)
		return !c.accepts(way) || try(way)
	}
	for _, op := range g.open[k] {
		if g.s.meter.MustStop(1) {
			return false
		}
		if op == due || slices.Contains(before, op) || g.isPlaced(op) || g.isBlocked(op, before) {
			continue
		}
		if longer := append(before, op); c.accepts(longer) && !g.waysOf(extra-1, k, c, longer, try) {
			return false
		}
	}
	return true
}

// commit puts what was placed at response k on the path.
func (g *guesser) commit(k int32, before replay.State, placed []int32) {
	g.steps = append(g.steps[:k], guessStep{before, placed})
	for _, op := range placed {
		g.at[op] = k
	}
}

// cursorAt returns a cursor that stands before response k of the path.
func (g *guesser) cursorAt(k int32) *cursor {
	from := min(k, int32(len(g.steps))-1)
	from -= from % keepEvery
	c := newCursor(g, g.steps[from].before.Clone())
	for _, step := range g.steps[from:k] {
		c.run(step.placed)
	}
	return c
}

// repair changes the path before response k, at which nothing works, so that
// something does, and puts it on the path.
func (g *guesser) repair(k int32) bool {
	g.spent = 0
	g.trial.active = true
	defer func() { g.trial.active = false }()
	for j := k - 1; j >= 0 && j > k-guessWindow; j-- {
		if len(g.steps[j].placed) == 0 {
			continue
		}
		if g.spent > guessSteps || g.s.meter.Stopped() {
			break
		}
		if g.repairAt(j, k) {
			return true
		}
	}
	return false
}

// repairAt tries what else could be placed at response j.
func (g *guesser) repairAt(j, k int32) bool {
	g.trial.from = j
	g.trial.number++
	c := g.cursorAt(j)
	repaired := false
	g.ways(j, c, func(way []int32) bool {
		if !slices.Equal(way, g.steps[j].placed) {
			g.trial.number++
			repaired = g.follow(j, k, slices.Clone(way), c.state.Clone())
			g.trial.number++
		}
		return !repaired && g.spent <= guessSteps
	})
	if repaired {
		g.adopt(j)
	}
	return repaired
}

// follow goes on from another way at j, up to and past k.
func (g *guesser) follow(j, k int32, way []int32, state replay.State) bool {
	c := newCursor(g, state)
	g.trial.placed = g.trial.placed[:0]
	for m := j; m <= k; m++ {
		if m == j {
			c.run(way)
		} else {
			var ok bool
			if way, ok = g.first(m, c); !ok {
				return false
			}
		}
		for _, op := range way {
			g.trial.in[op] = g.trial.number
		}
		g.trial.placed = append(g.trial.placed, way)
	}
	return true
}

// adopt makes the trial the end of the path.
func (g *guesser) adopt(j int32) {
	c := g.cursorAt(j)
	for _, step := range g.steps[j:] {
		for _, op := range step.placed {
			g.at[op] = -1
		}
	}
	for i, placed := range g.trial.placed {
		g.commit(j+int32(i), c.stateAt(j+int32(i)), placed)
		c.run(placed)
	}
}

// witness is the path, and at its end what never took effect.
func (g *guesser) witness() []int32 {
	var trail []int32
	for _, step := range g.steps {
		trail = append(trail, step.placed...)
	}
	return g.s.complete(trail)
}
