package depth

import (
	"math/bits"
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

type sweep[M mask] struct {
	*Search
	chain       int32
	budget      int32
	open        []int32 // open elements by their calls
	ownRank     int     // rank of the open element of the chain, or -1
	words       words
	lettersKept int // letters after the last call of compact
	cur         layer[M]
	next        layer[M]
	parts       layer[M] // nodes while a response is processed
	more        layer[M]
	order       []int32
	none        M
}

func (s *sweep[M]) sweep(chain int32, budget int) (tuple []int32, found bool) {
	s.chain, s.budget = chain, int32(budget)
	s.open, s.ownRank, s.words, s.lettersKept = s.open[:0], -1, s.words[:0], 1<<10
	s.cur.clear()
	s.cur.nodes = append(s.cur.nodes, node[M]{state: s.machine.Start(), word: noWord})
	called := int32(0)
	plain := budget == 0 // there is always exactly one node
	for i := 0; ; i++ {
		y, end, ok := s.response(i)
		if !ok {
			return s.end(called)
		}
		from := len(s.open)
		called = s.call(called, end)
		if len(s.open) > s.width {
			s.cause = tooNarrow
			return nil, false
		}
		rank, _ := slices.BinarySearch(s.open, y)
		if plain {
			n := &s.cur.nodes[0]
			setFrom(&n.tail, from, len(s.open))
			if !s.advance(n, y, rank) || !s.spend(1) {
				return nil, false
			}
		} else {
			s.next.clear()
			for _, n := range s.cur.nodes {
				if !s.goOn(1) {
					return nil, false
				}
				setFrom(&n.tail, from, len(s.open))
				s.respond(n, y, rank)
			}
			if len(s.next.nodes) == 0 || s.cause != none || !s.hasRoom() {
				return nil, false
			}
			s.cur, s.next = s.next, s.cur
			if s.isHopeless(s.o.Responses - i - 1) {
				s.cause = stopped
				return nil, false
			}
		}
		s.open = slices.Delete(s.open, rank, rank+1)
		switch {
		case s.ownRank == rank:
			s.ownRank = -1
		case s.ownRank > rank:
			s.ownRank--
		}
	}
}

func (s *sweep[M]) isLarge() bool {
	return cap(s.cur.nodes)+cap(s.next.nodes)+cap(s.parts.nodes)+cap(s.more.nodes)+cap(s.words) > 1<<14
}

// end returns the best tuple after the last response.
func (s *sweep[M]) end(called int32) (tuple []int32, found bool) {
	from := len(s.open)
	s.call(called, int32(len(s.elements)))
	if len(s.open) > s.width {
		s.cause = tooNarrow
		return nil, false
	}
	s.next.clear()
	for _, n := range s.cur.nodes {
		setFrom(&n.tail, from, len(s.open))
		s.finish(n)
	}
	if len(s.next.nodes) == 0 || s.cause != none {
		return nil, false
	}
	best := s.next.nodes[0]
	for k := range s.next.nodes {
		improve(&s.words, &best, &s.next.nodes[k])
	}
	return s.words.elements(best.word), true
}

// call opens the elements from..to-1 and returns to.
func (s *sweep[M]) call(from, to int32) int32 {
	for e := from; e < to; e++ {
		if s.elements[e].Chain == s.chain {
			s.ownRank = len(s.open)
		}
		s.open = append(s.open, e)
	}
	return to
}

// hasRoom drops words and states that next does not need, and reports whether memory is
// within its bound.
func (s *sweep[M]) hasRoom() bool {
	if len(s.words) > 2*s.lettersKept {
		compact(&s.words, s.next.nodes)
		s.lettersKept = max(len(s.words), 1<<10)
	}
	if f, ok := s.machine.(Forgetter); ok && f.Crowded() {
		states := make([]int32, len(s.next.nodes))
		for k := range states {
			states[k] = s.next.nodes[k].state
		}
		f.Keep(states)
		for k := range states {
			s.next.nodes[k].state = states[k]
		}
	}
	return s.fits()
}

// fits reports whether memory is within its bound.
func (s *sweep[M]) fits() bool {
	if s.o.MaxBytes > 0 {
		size := int64(cap(s.words)) * 8
		for _, l := range []*layer[M]{&s.cur, &s.next, &s.parts, &s.more} {
			size += l.bytes()
		}
		if size > s.o.MaxBytes {
			s.cause = full
		}
	}
	return s.cause == none
}

// goOn counts work, and reports whether to continue. With many nodes, it also checks
// the memory.
func (s *sweep[M]) goOn(work int) bool {
	return s.spend(work) && (len(s.more.nodes)+len(s.next.nodes) < 1<<12 || s.fits())
}

// respond adds to next the successors of n when element y, of the given rank, returns.
func (s *sweep[M]) respond(n node[M], y int32, rank int) {
	switch {
	case has(&n.held, rank): // the last response at which y can be placed
		s.arrange(&n.tail, -1)
		reset(&n.held, rank)
		n.tail = s.none
		s.start(n)
		s.play(s.order)
		s.cut(y, rank)
	case !has(&n.tail, rank): // it is placed
		s.pass(n, rank)
	case n.cost == s.budget:
		if s.advance(&n, y, rank) {
			s.next.add(&s.words, &n)
		}
	default:
		before := s.arrange(&n.tail, rank)
		s.start(n)
		s.play(s.order[:before])
		for _, p := range s.parts.nodes {
			p.tail = n.tail
			for _, r := range s.order[:before] {
				reset(&p.tail, int(r))
			}
			reset(&p.tail, rank)
			if p.state = s.machine.Step(p.state, y); p.state >= 0 {
				s.pass(p, rank)
			}
		}
		if n.cost < s.budget {
			s.delay(y, rank, s.order[before:])
		}
	}
}

// advance is respond for a node that may delay no more elements: it changes n to its only
// successor, or reports false if there is none. Element y is not held.
func (s *sweep[M]) advance(n *node[M], y int32, rank int) bool {
	if has(&n.tail, rank) {
		before := s.arrange(&n.tail, rank)
		for _, r := range s.order[:before] {
			if n.state = s.machine.Step(n.state, s.open[r]); n.state < 0 {
				return false
			}
			reset(&n.tail, int(r))
		}
		if n.state = s.machine.Step(n.state, y); n.state < 0 {
			return false
		}
		reset(&n.tail, rank)
	}
	closeGap(&n.tail, rank)
	closeGap(&n.held, rank)
	return true
}

// delay is a cut at the return of y, which is in the tail; rest are the
// elements of the tail after y.
func (s *sweep[M]) delay(y int32, rank int, rest []int32) {
	k := 0
	for _, p := range s.parts.nodes {
		if p.cost < s.budget {
			p.cost++
			p.tail = s.none
			s.parts.nodes[k] = p
			k++
		}
	}
	s.parts.nodes = s.parts.nodes[:k]
	s.play(rest)
	s.cut(y, rank)
}

// arrange sets s.order to the ranks of the tail in the order of the segment, without rank
// y. It returns how many of them precede y.
func (s *sweep[M]) arrange(tail *M, y int) (before int) {
	s.order = s.order[:0]
	own := s.ownRank >= 0 && has(tail, s.ownRank)
	for w := len(*tail) - 1; w >= 0; w-- {
		for word := (*tail)[w]; word != 0; {
			b := 63 - bits.LeadingZeros64(word)
			word &^= 1 << b
			switch r := 64*w + b; r {
			case y:
				before = len(s.order)
			case s.ownRank:
			default:
				s.order = append(s.order, int32(r))
			}
		}
	}
	switch {
	case own && y == s.ownRank:
		before = len(s.order)
	case own:
		s.order = append(s.order, int32(s.ownRank))
	}
	return before
}

func (s *sweep[M]) start(n node[M]) {
	s.parts.clear()
	s.parts.nodes = append(s.parts.nodes, n)
}

// play plays or delays the open elements of the given ranks, one after another,
// from all parts.
func (s *sweep[M]) play(order []int32) {
	for _, r := range order {
		e := s.open[r]
		s.more.clear()
		for _, p := range s.parts.nodes {
			if !s.goOn(1) {
				s.parts.clear()
				return
			}
			before := p.state
			if p.state = s.machine.Step(before, e); p.state >= 0 {
				s.more.nodes = append(s.more.nodes, p)
			}
			if p.cost < s.budget {
				p.state = before
				p.cost++
				set(&p.held, int(r))
				s.more.nodes = append(s.more.nodes, p)
			}
		}
		s.parts, s.more = s.more, s.parts
	}
}

// cut adds to next the nodes that begin a segment with y, of the given rank: some of the
// held elements are placed before it, in some order.
func (s *sweep[M]) cut(y int32, rank int) {
	for len(s.parts.nodes) > 0 && s.cause == none {
		for _, p := range s.parts.nodes {
			if p.state = s.machine.Step(p.state, y); p.state >= 0 {
				p.word = s.words.append(p.word, y)
				s.pass(p, rank)
			}
		}
		s.placeOne()
	}
}

// placeOne replaces each part by its successors in which one more of its held elements is
// placed.
func (s *sweep[M]) placeOne() {
	s.more.clear()
	for i := range s.parts.nodes {
		p := &s.parts.nodes[i]
		if !s.goOn(1) {
			return
		}
		for w := range len(p.held) {
			for word := p.held[w]; word != 0 && s.spend(1); word &= word - 1 {
				r := 64*w + bits.TrailingZeros64(word)
				e := s.open[r]
				n := *p
				if n.state = s.machine.Step(p.state, e); n.state >= 0 {
					reset(&n.held, r)
					n.word = s.words.append(p.word, e)
					s.more.add(&s.words, &n)
				}
			}
		}
	}
	s.parts, s.more = s.more, s.parts
}

// pass adds n to next, without the rank of the element that has returned.
func (s *sweep[M]) pass(n node[M], rank int) {
	closeGap(&n.tail, rank)
	closeGap(&n.held, rank)
	s.next.add(&s.words, &n)
}

// finish adds to next the ends of n after the last event: the elements that are still open
// never return.
func (s *sweep[M]) finish(n node[M]) {
	s.arrange(&n.tail, -1)
	n.tail = s.none
	s.start(n)
	s.play(s.order)
	for len(s.parts.nodes) > 0 && s.cause == none {
		for i := range s.parts.nodes {
			if p := &s.parts.nodes[i]; isEmpty(&p.held) {
				s.next.add(&s.words, p)
			}
		}
		s.placeOne()
	}
}
