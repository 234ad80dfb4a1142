package depth

import (
	"math/bits"
	"slices"

	"github.com/leadline/leadline/hitting"
	"github.com/leadline/leadline/hitting/meter"
)

// Intervals are the elements of an interval order: x < y if x returns before y
// is called. Elements are numbered by their calls.
type Intervals struct {
	Call   []int32 // ascending
	Return []int32 // not before Call; Never if it does not return
	Chain  []int32 // element -> chain; the elements of a chain are ordered
}

// Never is the return of an element that has no greater ones.
const Never = 1<<31 - 1

// Options bound a Search. The zero value sets no bound.
type Options struct {
	// Meter counts the steps of the machine and the nodes.
	Meter *meter.Meter
	// MaxBytes bounds the memory of the nodes.
	MaxBytes int64
	// Optional are elements that a schedule may leave out, at no cost. They are
	// elements that never return.
	Optional []bool
}

// A Search looks for the first index of a strong d-hitting family whose
// schedule a machine replays to its end. It is not safe for concurrent use.
type Search struct {
	in       Intervals
	machine  hitting.Machine
	o        Options
	returns  []int32 // elements by their returns
	called   []int32 // response -> number of elements called before or with it
	open     int     // largest number of elements open at once
	chains   int32
	sweeper  sweeper
	stopped  bool
	full     bool
	farthest int // of all sweeps: the number of responses passed
}

// A sweeper looks for the best way through the events with one base chain.
type sweeper interface {
	sweep(chain int32, budget int) (tuple []int32, found bool)
}

// New returns a search. Of more than MaxOpen elements that are open at once, it is
// Full from the start. O(n log n).
func New(in Intervals, machine hitting.Machine, o Options) *Search {
	s := &Search{in: in, machine: machine, o: o}
	for e, r := range in.Return {
		if r != Never {
			s.returns = append(s.returns, int32(e))
		}
	}
	slices.SortStableFunc(s.returns, func(x, y int32) int { return int(in.Return[x] - in.Return[y]) })
	s.called = make([]int32, len(s.returns))
	called := 0
	for i, e := range s.returns {
		for called < len(in.Call) && in.Call[called] <= in.Return[e] {
			called++
		}
		s.called[i] = int32(called)
		s.open = max(s.open, called-i)
	}
	s.open = max(s.open, len(in.Call)-len(s.returns))
	for _, c := range in.Chain {
		s.chains = max(s.chains, c+1)
	}
	switch {
	case s.open <= 64:
		s.sweeper = &sweep[[1]uint64]{Search: s}
	case s.open <= 2*64:
		s.sweeper = &sweep[[2]uint64]{Search: s}
	case s.open <= 4*64:
		s.sweeper = &sweep[[4]uint64]{Search: s}
	case s.open <= MaxOpen:
		s.sweeper = &sweep[[16]uint64]{Search: s}
	}
	return s
}

// Intervals returns the elements.
func (s *Search) Intervals() Intervals { return s.in }

// Bound replaces Options.Meter.
func (s *Search) Bound(m *meter.Meter) { s.o.Meter, s.stopped, s.full = m, false, false }

// Try returns the first index of depth d, by chain and tuple, whose schedule the
// machine replays to its end. There must be none of a smaller depth: call Try
// for d = 1, 2, ... It reports false if there is none, or if the search gave up.
func (s *Search) Try(d int) (hitting.Index, bool) {
	if s.sweeper == nil {
		s.full = true
		return hitting.Index{}, false
	}
	for chain := range max(s.chains, 1) {
		if tuple, found := s.sweeper.sweep(chain, d-1); found {
			return hitting.Index{Chain: chain, Tuple: tuple}, true
		}
		if s.stopped || s.full {
			break
		}
	}
	return hitting.Index{}, false
}

// Stopped reports whether Options.Meter ended the search.
func (s *Search) Stopped() bool { return s.stopped }

// Full reports whether Options.MaxBytes ended the search.
func (s *Search) Full() bool { return s.full }

func (s *Search) spend(work int) (goOn bool) {
	s.stopped = s.stopped || s.o.Meter.MustStop(work)
	return !s.stopped
}

func (s *Search) isOptional(e int32) bool { return s.o.Optional != nil && s.o.Optional[e] }

type sweep[M mask] struct {
	*Search
	chain  int32
	budget int32
	list   []int32 // open elements by their calls
	own    int     // rank of the open element of the chain, or -1
	words  words
	live   int // letters after the last keep
	cur    layer[M]
	next   layer[M]
	parts  layer[M] // while a response is processed
	more   layer[M]
	order  []int32
	none   M
}

func (s *sweep[M]) sweep(chain int32, budget int) (tuple []int32, found bool) {
	s.chain, s.budget = chain, int32(budget)
	s.list, s.own, s.words, s.live = s.list[:0], -1, s.words[:0], 1<<10
	s.cur.clear()
	s.cur.nodes = append(s.cur.nodes, node[M]{state: s.machine.Start(), word: noWord})
	called := int32(0)
	for i, y := range s.returns {
		from := len(s.list)
		called = s.call(called, s.called[i])
		rank, _ := slices.BinarySearch(s.list, y)
		s.next.clear()
		for _, n := range s.cur.nodes {
			setFrom(&n.tail, from, len(s.list))
			s.respond(n, y, rank)
		}
		if len(s.next.nodes) == 0 || !s.spend(len(s.cur.nodes)) {
			return nil, false
		}
		s.farthest = max(s.farthest, i+1)
		s.cur, s.next = s.next, s.cur
		s.list = slices.Delete(s.list, rank, rank+1)
		switch {
		case s.own == rank:
			s.own = -1
		case s.own > rank:
			s.own--
		}
		if s.isFull() {
			return nil, false
		}
	}
	from := len(s.list)
	s.call(called, int32(len(s.in.Call)))
	s.next.clear()
	for _, n := range s.cur.nodes {
		setFrom(&n.tail, from, len(s.list))
		s.finish(n)
	}
	if len(s.next.nodes) == 0 || s.stopped {
		return nil, false
	}
	best := &s.next.nodes[0]
	for k := range s.next.nodes {
		improve(&s.words, best, &s.next.nodes[k])
	}
	return s.words.elements(best.word), true
}

// call opens the elements from..to-1 and returns to.
func (s *sweep[M]) call(from, to int32) int32 {
	for e := from; e < to; e++ {
		if s.in.Chain[e] == s.chain {
			s.own = len(s.list)
		}
		s.list = append(s.list, e)
	}
	return to
}

// isFull bounds the memory.
func (s *sweep[M]) isFull() bool {
	if len(s.words) > 2*s.live {
		keep(&s.words, s.cur.nodes)
		s.live = max(len(s.words), 1<<10)
	}
	if s.o.MaxBytes > 0 {
		nodes := cap(s.cur.nodes) + cap(s.next.nodes) + cap(s.parts.nodes) + cap(s.more.nodes)
		slots := cap(s.cur.slots) + cap(s.next.slots) + cap(s.parts.slots) + cap(s.more.slots)
		var n node[M]
		size := int64(nodes)*int64(16*len(n.tail)+16) + int64(slots)*4 + int64(cap(s.words))*8
		s.full = size > s.o.MaxBytes
	}
	return s.full
}

// respond adds to next what may become of n when element y, of the given rank,
// returns.
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

// delay is a cut at the return of y, which is in the tail; rest are the
// elements of the tail behind y.
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

// arrange sets s.order to the tail as the segment has it, without rank y. It
// returns how many of its elements precede y.
func (s *sweep[M]) arrange(tail *M, y int) (before int) {
	s.order = s.order[:0]
	own := s.own >= 0 && has(tail, s.own)
	for w := len(*tail) - 1; w >= 0; w-- {
		for word := (*tail)[w]; word != 0; {
			b := 63 - bits.LeadingZeros64(word)
			word &^= 1 << b
			switch r := 64*w + b; r {
			case y:
				before = len(s.order)
			case s.own:
			default:
				s.order = append(s.order, int32(r))
			}
		}
	}
	switch {
	case own && y == s.own:
		before = len(s.order)
	case own:
		s.order = append(s.order, int32(s.own))
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
		e := s.list[r]
		optional := s.isOptional(e)
		s.more.clear()
		if !s.spend(len(s.parts.nodes)) {
			s.parts.clear()
			return
		}
		for _, p := range s.parts.nodes {
			before := p.state
			if p.state = s.machine.Step(before, e); p.state >= 0 {
				s.keep(&p)
			}
			if optional && p.state != before {
				p.state = before
				s.keep(&p)
			}
			if p.cost < s.budget {
				p.state = before
				p.cost++
				set(&p.held, int(r))
				s.keep(&p)
			}
		}
		s.parts, s.more = s.more, s.parts
	}
}

// keep adds a node to more. Without optional elements, no two parts of a node
// that differ in how they came about are the same.
func (s *sweep[M]) keep(p *node[M]) {
	if s.o.Optional == nil {
		s.more.nodes = append(s.more.nodes, *p)
	} else {
		s.more.add(&s.words, p)
	}
}

// cut adds to next the nodes that begin a segment with y, of the given rank: some
// of the elements held are placed before it, in some order.
func (s *sweep[M]) cut(y int32, rank int) {
	for len(s.parts.nodes) > 0 && s.spend(len(s.parts.nodes)) {
		for _, p := range s.parts.nodes {
			if p.state = s.machine.Step(p.state, y); p.state >= 0 {
				p.word = s.words.append(p.word, y)
				s.pass(p, rank)
			}
		}
		s.placeOne()
	}
}

// placeOne replaces each part by those with one more of its held elements
// placed.
func (s *sweep[M]) placeOne() {
	s.more.clear()
	for i := range s.parts.nodes {
		p := &s.parts.nodes[i]
		for w := range len(p.held) {
			for word := p.held[w]; word != 0; word &= word - 1 {
				r := 64*w + bits.TrailingZeros64(word)
				e := s.list[r]
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

// pass adds n to next, where the open elements do without rank.
func (s *sweep[M]) pass(n node[M], rank int) {
	close(&n.tail, rank)
	close(&n.held, rank)
	s.next.add(&s.words, &n)
}

// finish adds to next what becomes of n after the last event: all that is open
// never returns.
func (s *sweep[M]) finish(n node[M]) {
	s.arrange(&n.tail, -1)
	n.tail = s.none
	s.start(n)
	s.play(s.order)
	for len(s.parts.nodes) > 0 && s.spend(len(s.parts.nodes)) {
		for i := range s.parts.nodes {
			if p := &s.parts.nodes[i]; isEmpty(&p.held) {
				s.next.add(&s.words, p)
			}
		}
		s.placeOne()
	}
}
