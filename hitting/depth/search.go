package depth

import (
	"slices"

	"github.com/leadline/leadline/hitting"
	"github.com/leadline/leadline/hitting/meter"
)

// An Element of an interval order: x < y if x returns before y is called.
type Element struct {
	Call, Return int32 // Never if it does not return
	Chain        int32
}

// Never is the return of an element that has no greater ones.
const Never = 1<<31 - 1

// Options bound a Search. The zero value sets no bound.
type Options struct {
	// Meter counts the steps of the machine and the nodes.
	Meter *meter.Meter
	// MaxBytes bounds the memory of the nodes.
	MaxBytes int64
	// Responses is the number of responses, or 0. If it is not 0, the search stops early,
	// after at least a unit of work per response, when it expects the rest to exceed the
	// meter.
	Responses int
}

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
	next        func() (Element, bool) // returns the next element; nil after the last one
	chains      int32                  // number of chains seen so far
	machine     hitting.Machine
	o           Options
	elements    []Element // seen so far
	returns     []int32   // elements that have returned, sorted by return
	called      []int32   // response -> number of elements called before or with it
	pending     []int32   // open elements that will return, sorted by return
	sweeper     sweeper
	width       int // number of bits in the sweeper's masks
	cause       cause
	leftAtStart int64 // work that the meter had left at the start
	leftAtLast  int64 // work that the meter had left after the last response
	expensive   int   // responses in a row that took too much; see isHopeless
}

type cause uint8

const (
	none cause = iota
	stopped
	full
	tooNarrow // more open elements than the masks hold
)

// A sweeper searches for the best way through the events for one chain.
type sweeper interface {
	isLarge() bool // it holds memory that few histories need
	sweep(chain int32, budget int) (tuple []int32, found bool)
}

// New returns a search in an interval order. It takes elements from next as far
// as it needs them. next must return them in the order of their calls, which are distinct.
// Chains must be numbered by their first elements.
func New(next func() (Element, bool), machine hitting.Machine, o Options) *Search {
	s := new(Search)
	s.Reset(next, machine, o)
	return s
}

// Reset makes s a search like New. It reuses the memory of s, unless that is large.
func (s *Search) Reset(next func() (Element, bool), machine hitting.Machine, o Options) {
	s.next, s.machine, s.o = next, machine, o
	s.elements, s.returns, s.called, s.pending = s.elements[:0], s.returns[:0], s.called[:0], s.pending[:0]
	s.chains, s.cause, s.leftAtStart = 0, none, o.Meter.Left()
	s.leftAtLast, s.expensive = s.leftAtStart, 0
	if s.sweeper != nil && s.sweeper.isLarge() {
		s.sweeper, s.width = nil, 0
	}
}

// Try returns the first index of depth d, by chain and tuple, whose schedule the
// machine replays to its end. There must be none of a smaller depth: call Try
// for d = 1, 2, ... It reports false if there is none, or if the search gave up.
func (s *Search) Try(d int) (hitting.Index, bool) { return s.First(d, d) }

// First returns the first index of the smallest depth that has one. There must be
// none of a depth below from. It reports false if there is none up to depth to, or
// if the search gave up.
func (s *Search) First(from, to int) (first hitting.Index, found bool) {
	for chain := int32(0); to >= from && s.mayExist(chain); chain++ {
		tuple, ok := s.Least(chain, to-1)
		if s.cause != none {
			return hitting.Index{}, false
		}
		if chain >= max(s.chains, 1) {
			// The search met no element of this chain, nor of any greater one. So it
			// would take the same course for these. If it met all elements, there is
			// no such chain.
			break
		}
		if ok {
			first, found = hitting.Index{Chain: chain, Tuple: tuple}, true
			to = first.Depth() - 1
		}
	}
	return first, found
}

// mayExist reports whether there may be such a chain. Without elements, chain 0 exists.
func (s *Search) mayExist(chain int32) bool { return chain < max(s.chains, 1) || s.next != nil }

// Least returns the shortest tuple of at most most elements, and among the shortest ones
// the first, whose schedule for the chain the machine replays to its end.
func (s *Search) Least(chain int32, most int) (tuple []int32, found bool) {
	if s.sweeper == nil {
		s.widen()
	}
	for s.cause == none {
		if tuple, found = s.sweeper.sweep(chain, most); s.cause != tooNarrow {
			return tuple, found
		}
		s.widen()
	}
	return nil, false
}

// widen replaces the sweeper by one for more open elements.
func (s *Search) widen() {
	s.cause = none
	switch s.width {
	case 0:
		s.sweeper, s.width = &sweep[[1]uint64]{Search: s}, 64
	case 64:
		s.sweeper, s.width = &sweep[[2]uint64]{Search: s}, 2*64
	case 2 * 64:
		s.sweeper, s.width = &sweep[[4]uint64]{Search: s}, 4*64
	case 4 * 64:
		s.sweeper, s.width = &sweep[[16]uint64]{Search: s}, MaxOpen
	default:
		s.cause = full
	}
}

// Elements returns all elements.
func (s *Search) Elements() []Element {
	for s.load() {
	}
	return s.elements
}

// Bound replaces Options.Meter and Options.Responses, and lets a search that gave
// up try again.
func (s *Search) Bound(m *meter.Meter, responses int) {
	s.o.Meter, s.o.Responses, s.leftAtStart, s.cause = m, responses, m.Left(), none
	s.leftAtLast, s.expensive = s.leftAtStart, 0
}

// Stopped reports whether Options.Meter ended the search.
func (s *Search) Stopped() bool { return s.cause == stopped }

// Full reports whether Options.MaxBytes ended the search, or more than MaxOpen
// elements were open at once.
func (s *Search) Full() bool { return s.cause == full }

func (s *Search) spend(work int) (goOn bool) {
	if s.o.Meter.MustStop(work) {
		s.cause = stopped
	}
	return s.cause == none
}

// load takes the next element.
func (s *Search) load() bool {
	if s.next == nil {
		return false
	}
	e, ok := s.next()
	if !ok {
		s.next = nil
		s.enterResponses(Never)
		return false
	}
	s.enterResponses(e.Call)
	if e.Return != Never {
		at, _ := slices.BinarySearchFunc(s.pending, e.Return+1, func(x, r int32) int { return int(s.elements[x].Return - r) })
		s.pending = slices.Insert(s.pending, at, int32(len(s.elements)))
	}
	s.elements = append(s.elements, e)
	s.chains = max(s.chains, e.Chain+1)
	return true
}

// enterResponses enters the responses before a call.
func (s *Search) enterResponses(call int32) {
	k := 0
	for ; k < len(s.pending) && s.elements[s.pending[k]].Return < call; k++ {
		s.returns = append(s.returns, s.pending[k])
		s.called = append(s.called, int32(len(s.elements)))
	}
	s.pending = slices.Delete(s.pending, 0, k)
}

// response returns the element of the i-th response and the number of elements
// called before or with it. It reports false after the last one.
func (s *Search) response(i int) (e, called int32, ok bool) {
	for i >= len(s.returns) && s.load() {
	}
	if i >= len(s.returns) {
		return 0, int32(len(s.elements)), false
	}
	return s.returns[i], s.called[i], true
}

// steady is how many responses in a row must be as expensive before the rest is
// expected to be so: a burst of concurrent elements costs much for a while.
const steadyResponses = 128

// isHopeless is called after each response. It reports whether the meter would stop before
// the end at the rate of each of the last steadyResponses responses.
func (s *Search) isHopeless(responses int) bool {
	left := s.o.Meter.Left()
	took := s.leftAtLast - left
	s.leftAtLast = left
	if s.o.Responses == 0 || float64(took)*float64(responses) <= float64(left) {
		s.expensive = 0
		return false
	}
	s.expensive++
	return s.expensive >= steadyResponses && s.leftAtStart-left >= int64(s.o.Responses)
}
