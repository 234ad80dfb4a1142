package decide

import (
	"github.com/leadline/leadline/hitting"
	"github.com/leadline/leadline/hitting/depth"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
	"github.com/leadline/leadline/replay/state"
)

// Depths finds the witness depth of a history, its index and its witness, as
// Families does, but without replaying families: see package depth. Each call of Run
// continues where the last one stopped. Release it after use.
type Depths struct {
	p        *ops.Problem
	machine  *state.Machine
	rounds   []*depthRound
	maxBytes int64
	meter    *meter.Meter // of the current call
	pace     int64        // depth.Options.Pace
	isFull   bool         // the states take too much memory
	refuted  int          // families up to this depth have no witness
	bound    int          // families of this depth have all schedules
}

// A depthRound is the search for one set of operations; see rounds.
type depthRound struct {
	x      *Depths
	in     *replay.Instance
	search *depth.Search
	object replay.Object // replays depth 1 of a long history without interned states; or nil
	states int32         // how many steps object has made
}

// NewDepths returns a search for the depth of a history, of which whole has all operations.
// It returns nil if the search does not apply: the history has edges, or the objects of the
// specification are not States. The specification must accept all operations.
func NewDepths(p *ops.Problem, whole *replay.Instance, chains replay.ChainMode) *Depths {
	instances, err := rounds(whole, chains, nil)
	if err != nil || p.H.HasEdges() {
		return nil
	}
	machine := state.NewLazyMachine(p)
	if machine == nil {
		return nil
	}
	machine.UseCompact(p)
	x := &Depths{p: p, machine: machine, maxBytes: p.MaxBytes / 2, bound: hitting.Bound(whole.Poset)}
	for _, in := range instances {
		r := &depthRound{x: x, in: in}
		r.search = depth.New(in.Poset, in.Chains, r, depth.Options{MaxBytes: x.maxBytes})
		x.rounds = append(x.rounds, r)
	}
	return x
}

// Release returns tables to the pool, for other histories.
func (x *Depths) Release() { x.machine.Release() }

func (r *depthRound) Start() int32 {
	if r.object != nil {
		r.object, r.states = r.x.p.Spec.New(), 0
		return 0
	}
	return r.x.machine.Start()
}

func (r *depthRound) Step(from, element int32) int32 {
	op := r.in.Ops[element]
	if r.object == nil {
		return r.x.step(from, op)
	}
	if from != r.states {
		panic("engine: a replay in one line goes back")
	}
	o := &r.x.p.H.Ops[op]
	result, ok := r.object.Apply(replay.Invocation{Method: o.Method, Args: o.Args})
	replay.Calls(r.x.p.Spec, r.x.meter).Call()
	if !state.Accepted(o, result, ok) {
		return state.Fail
	}
	r.states++
	return r.states
}

// step returns the state after an operation. Computing a transition copies a state,
// which counts as work by its size.
func (x *Depths) step(from, op int32) int32 {
	if x.isFull {
		return state.Fail
	}
	m := x.machine
	computed, size := m.Computed(), -m.CompactBytes()
	next := m.Step(from, op)
	if m.Computed() == computed && !m.IsCompact() {
		return next
	}
	x.isFull = m.Bytes() > x.maxBytes
	if size += m.CompactBytes(); m.Computed() != computed {
		size += m.MeanState()
	}
	if size > 0 {
		x.meter.MustStop(int(size / bytesPerUnit)) // the search notices
	}
	return next
}

// bytesPerUnit is the size of a state whose copy counts as a unit of work. With a quarter, 12
// histories of BenchmarkPrices get a lower bound of the depth that is smaller by one. With
// four times as much, 6 get a larger one, in up to twice the time.
const bytesPerUnit = 16

// Crowded and Keep make room for further states: see depth.Forgetter.
func (r *depthRound) Crowded() bool { return r.object == nil && r.x.machine.Crowded() }

func (r *depthRound) Keep(states []int32) { r.x.machine.Keep(states) }

const (
	// depthBase is the binary logarithm of the share for depth 0. The default depth takes
	// some hundredths of a second. With a quarter of the work, 10 of 243 histories of
	// BenchmarkPrices have another depth, or lower bound of it. With four times as much 12 have,
	// and those that the monitor decides take three times as long.
	depthBase = 10
	// depthCrowded is subtracted from the logarithm for a crowded history of more than
	// depthShort operations. Without it, 9 of the 243 depths differ, and histories of queues
	// that take 1 to 6 ms take 40. With a quarter of depthShort 5 differ, and with four times
	// 6, where one queue takes 50 ms instead of none.
	depthCrowded = 8
	depthShort   = 768
	// A sweep that is stuck early may use one part in depthPace of the share. With half of that,
	// one log of etcd loses its depth. Without it, 100,000 operations of kv with cas take 1.3
	// times as long, and the depth stays unknown.
	depthPace = 4
)

// depthShare returns how much work Depths.Run should do. Each further depth gets four times
// as much. In most long histories, the first operations already refute the small depths, at
// almost no cost.
//
// A crowded history is a history of a queue or stack with many concurrent operations. If it
// is not short, it gets only a fraction: its depth is rarely small, and each further depth
// takes about five times as long.
func (t *task) depthShare() int64 {
	n := int64(len(t.H.Ops))
	base := depthBase + 2*min(t.o.MaxDepth, 20)
	if d := t.Traits().Discipline; n > depthShort && (d == replay.FirstIn || d == replay.LastIn) {
		if _, pairs := t.concurrency(); pairs > n/4 {
			base -= depthCrowded
		}
	}
	return int64(1)<<base + n
}

// Run searches for a witness of depth up to maxDepth, from the smallest depth that has not
// been refuted. If no depth up to hitting.Bound has a witness, it refutes the history: the
// last round has all operations, so families of that depth have all its schedules.
// Otherwise it gives up: with Depth if no depth up to maxDepth has a witness, with Time or
// Memory if a bound is reached first. Deeper is set for every undecided finding.
func (x *Depths) Run(maxDepth int, m *meter.Meter) replay.Finding {
	r, index, cause := x.deepen(min(maxDepth, x.bound), m)
	switch {
	case r == nil && cause == replay.Depth && x.refuted >= x.bound:
		return replay.Refuted(replay.FamiliesEngine)
	case r == nil:
		return replay.Finding{Cause: cause, Deeper: x.refuted}
	}
	f := replay.Found(replay.FamiliesEngine, nil)
	f.Depth = index.Depth()
	f.Index, f.Witness = inOperations(r.in, index, depth.Schedule(r.in.Poset, r.in.Chains, index))
	return f
}

const (
	// small is the depth up to which each depth is tried by itself. With a quarter, one of 243
	// histories of BenchmarkPrices has a worse depth. Four times change nothing.
	small = 8
	// jumpWork bounds the work for several depths at once: that many times the work for
	// the last ones. With a quarter, BenchmarkDeepen finds 7 of 12 depths instead of 9,
	// with four times as much 10, and one depth at a time 6.
	jumpWork = 8
)

// deepen finds the first index, by depth and round, that is deeper than refuted. A search
// for depths up to d finds an index of the smallest one. So if deeper searches take little
// more work than the last one, deepen tries 2, 4, 8, ... depths at once. It goes back to
// one depth at a time if that takes too much.
func (x *Depths) deepen(maxDepth int, m *meter.Meter) (*depthRound, hitting.Index, replay.Cause) {
	m = m.OrUnbounded()
	step, last, single := 1, int64(meter.AskEvery), small
	for x.refuted < maxDepth {
		to := min(x.refuted+step, maxDepth)
		part, before := m, m.Spent()
		if step > 1 {
			part = m.Share(jumpWork * last)
		}
		r, index, cause := x.first(x.refuted+1, to, part)
		spent := m.Spent() - before
		switch {
		case cause != replay.NoCause && step > 1 && !m.Stopped():
			step, single = 1, x.refuted+small
		case cause != replay.NoCause || r != nil:
			return r, index, cause
		default:
			x.refuted = to
			if to >= single {
				step *= 2
			}
			last = max(spent, meter.AskEvery)
		}
	}
	return nil, hitting.Index{}, replay.Depth
}

// first returns the first index of a depth from..to, by depth and round.
func (x *Depths) first(from, to int, m *meter.Meter) (best *depthRound, index hitting.Index, cause replay.Cause) {
	for _, r := range x.rounds {
		i, found, cause := r.first(from, to, m)
		if cause != replay.NoCause {
			return nil, index, cause
		}
		if found {
			best, index = r, i
			to = i.Depth() - 1
		}
	}
	return best, index, replay.NoCause
}

// first searches the round for the first index of a depth from..to.
func (r *depthRound) first(from, to int, m *meter.Meter) (hitting.Index, bool, replay.Cause) {
	if to < from {
		return hitting.Index{}, false, replay.NoCause
	}
	r.bound(m)
	// At depth 1 there is one schedule for each chain. If it is long, the object itself
	// replays it: states that occur once are not worth keeping.
	r.object = nil
	if _, set := r.x.machine.Objects(0)[0].(replay.Nondeterministic); to == 1 && len(r.x.p.H.Ops) > state.SharedOps && !set {
		r.object = r.x.p.Spec.New()
	}
	index, found := r.search.First(from, to)
	return index, found, r.cause()
}

func (r *depthRound) bound(m *meter.Meter) {
	if r.x.isFull { // this search may need less
		r.x.isFull = false
		r.x.machine.Forget()
	}
	r.x.meter = m
	r.x.machine.Bound(m, r.x.maxBytes)
	r.search.Bound(m, r.x.pace)
}

// cause returns why the search gave up, or NoCause.
func (r *depthRound) cause() replay.Cause {
	switch {
	case r.x.machine.GaveUp() != replay.NoCause:
		return r.x.machine.GaveUp()
	case r.search.Stopped():
		return replay.Time
	case r.search.Full(), r.x.isFull:
		return replay.Memory
	}
	return replay.NoCause
}
