package depth

import (
	"github.com/leadline/leadline/hitting"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/poset"
)

// Never is the return of an element that does not return.
const Never = 1<<31 - 1

// Options bound a Search. The zero value sets no bound.
type Options struct {
	// Meter counts the steps of the machine and the nodes.
	Meter *meter.Meter
	// MaxBytes bounds the memory of the nodes.
	MaxBytes int64
	// Pace, if it is not 0, also bounds the work of one sweep through the events: Pace, and
	// eachCall for each element called so far. A sweep that is stuck early gives up early.
	Pace int64
}

const eachCall = 64

// A Forgetter is a machine whose states take memory.
type Forgetter interface {
	hitting.Machine
	// Crowded reports whether the machine needs a call of Keep.
	Crowded() bool
	// Keep forgets all states except the start and the given ones. It may renumber
	// these: it then replaces them in the list. A state may be in the list several times.
	Keep(states []int32)
}

// A Search looks for the first index of a strong d-hitting family whose
// schedule a machine replays to its end. It is not safe for concurrent use.
type Search struct {
	call, ret []int32 // of the elements
	chain     []int32 // element -> chain
	chains    int32   // how many there are
	called    int     // how many elements the sweep has called
	met       int32   // how many have an element that some sweep has called
	machine   hitting.Machine
	o         Options
	sweeper   sweeper
	width     int   // number of bits in the sweeper's masks
	work      int64 // of this sweep
	cause     cause
}

type cause uint8

const (
	none cause = iota
	stopped
	full
	tooNarrow // more open elements than the masks hold
)

// A sweeper searches for the best way through the events for some chains: the first index.
type sweeper interface {
	sweep(first, chains int32, budget int) (index hitting.Index, found bool)
}

// New returns a search in an interval order. Chains must be numbered by their first
// elements.
func New(p *poset.Poset, chains []int32, machine hitting.Machine, o Options) *Search {
	s := &Search{chain: chains, machine: machine, o: o}
	s.call, s.ret = p.Intervals()
	for _, chain := range chains {
		s.chains = max(s.chains, chain+1)
	}
	return s
}

// Try returns the first index of depth d, by chain and tuple, whose schedule the
// machine replays to its end. There must be none of a smaller depth: call Try
// for d = 1, 2, ... It reports false if there is none, or if the search gave up.
func (s *Search) Try(d int) (hitting.Index, bool) { return s.First(d, d) }

// First returns the first index of the smallest depth that has one. There must be
// none of a depth below from. It reports false if there is none up to depth to, or
// if the search gave up.
func (s *Search) First(from, to int) (first hitting.Index, found bool) {
	for chain := int32(0); to >= from && chain < max(s.chains, 1); {
		chains := int32(1)
		if to > 1 { // else there is one schedule for each chain, which needs no layers
			chains = max(1, min(chainsAtOnce, s.chains-chain))
		}
		index, ok := s.least(chain, chains, to-1)
		if s.cause != none {
			return hitting.Index{}, false
		}
		if ok {
			first, found = index, true
			to = first.Depth() - 1
		}
		if chain += chains; chain > s.met {
			// The search met no element of the last chain, nor of any greater one. So it
			// would take the same course for these.
			break
		}
	}
	return first, found
}

// chainsAtOnce is the largest number of chains of one sweep.
const chainsAtOnce = 64

// Least returns the shortest tuple of at most most elements, and among the shortest ones
// the first, whose schedule for the chain the machine replays to its end.
func (s *Search) Least(chain int32, most int) (tuple []int32, found bool) {
	index, found := s.least(chain, 1, most)
	return index.Tuple, found
}

// least returns the first index of several chains, from a first one on.
func (s *Search) least(first, chains int32, most int) (index hitting.Index, found bool) {
	if s.sweeper == nil {
		s.widen()
	}
	for s.cause == none {
		if index, found = s.sweeper.sweep(first, chains, most); s.cause != tooNarrow {
			return index, found
		}
		s.widen()
	}
	return index, false
}

// widen replaces the sweeper by one for more open elements.
func (s *Search) widen() {
	s.cause = none
	switch s.width {
	case 0:
		s.sweeper, s.width = newSweep[[1]uint64](s), 64
	case 64:
		s.sweeper, s.width = newSweep[[2]uint64](s), 2*64
	case 2 * 64:
		s.sweeper, s.width = newSweep[[4]uint64](s), 4*64
	case 4 * 64:
		s.sweeper, s.width = newSweep[[16]uint64](s), MaxOpen
	default:
		s.cause = full
	}
}

// Bound replaces Options.Meter and Options.Pace, and lets a search that gave up try again.
func (s *Search) Bound(m *meter.Meter, pace int64) { s.o.Meter, s.o.Pace, s.cause = m, pace, none }

// Stopped reports whether Options.Meter ended the search.
func (s *Search) Stopped() bool { return s.cause == stopped }

// Full reports whether Options.MaxBytes ended the search, or more than MaxOpen
// elements were open at once.
func (s *Search) Full() bool { return s.cause == full }

func (s *Search) spend(work int) (goOn bool) {
	s.work += int64(work)
	if s.o.Meter.MustStop(work) || s.o.Pace > 0 && s.work > s.o.Pace+eachCall*int64(s.called) {
		s.cause = stopped
	}
	return s.cause == none
}
