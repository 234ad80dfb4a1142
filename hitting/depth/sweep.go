package depth

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/leadline/leadline/hitting"
)

// A sweep goes through the events with masks of one size; see the package comment.
type sweep[M mask] struct {
	*Search
	first       int32 // the chain of the lowest bit in node.chains
	budget      int32
	open        []int32 // open elements by their calls
	due         []int32 // open elements that will return, the first to return last
	own         int     // rank of the open element of the chain that is delayed, or -1
	words       words
	lettersKept int // letters after the last call of compact
	cur, next   *layer[M]
	parts, more *layer[M] // nodes while a response is processed
	order       []int32
	none        M
}

func newSweep[M mask](s *Search) *sweep[M] {
	return &sweep[M]{Search: s, cur: new(layer[M]), next: new(layer[M]), parts: new(layer[M]), more: new(layer[M])}
}

func (s *sweep[M]) sweep(first, chains int32, budget int) (index hitting.Index, found bool) {
	s.first, s.budget = first, int32(budget)
	s.open, s.due, s.words, s.lettersKept = s.open[:0], s.due[:0], s.words[:0], 1<<10
	s.called, s.work = 0, 0
	s.cur.clear()
	s.cur.nodes = append(s.cur.nodes, node[M]{chains: uint64(1)<<chains - 1, state: s.machine.Start(), word: noWord})
	plain := budget == 0 && chains == 1 // there is always exactly one node
	for {
		from := len(s.open)
		y, ok := s.response()
		switch {
		case len(s.open) > s.width:
			s.cause = tooNarrow
			return index, false
		case !ok:
			return s.end(from)
		}
		rank, _ := slices.BinarySearch(s.open, y)
		if plain {
			n := &s.cur.nodes[0]
			setFrom(&n.tail, from, len(s.open))
			s.part(*n, rank, func(node[M]) { ok = s.advance(n, y, rank) })
			if !ok || s.cause != none {
				return index, false
			}
		} else {
			s.next.clear()
			for _, n := range s.cur.nodes {
				setFrom(&n.tail, from, len(s.open))
				s.respond(n, y, rank)
			}
			if len(s.next.nodes) == 0 || s.cause != none || !s.hasRoom() {
				return index, false
			}
			s.cur, s.next = s.next, s.cur
		}
		s.open = slices.Delete(s.open, rank, rank+1)
	}
}

// part divides the chains of n by the order that they give the tail, and calls f for each
// part. A chain with an element in the tail moves it to the end, which changes nothing if
// it is the last anyway. Moving elements of ranks below least makes no difference to f.
func (s *sweep[M]) part(n node[M], least int, f func(n node[M])) {
	all := n.chains
	for r := next(&n.tail, max(least, next(&n.tail, 0)+1)); r >= 0; r = next(&n.tail, r+1) {
		if n.chains = all & (1 << uint32(s.chain[s.open[r]]-s.first)); n.chains != 0 && s.goOn(1) {
			all &^= n.chains
			s.own = r
			f(n)
		}
	}
	if n.chains, s.own = all, -1; all != 0 && s.goOn(1) {
		f(n)
	}
}

// end returns the best index after the last response. Elements from rank from on have been
// called since.
func (s *sweep[M]) end(from int) (index hitting.Index, found bool) {
	s.next.clear()
	for _, n := range s.cur.nodes {
		setFrom(&n.tail, from, len(s.open))
		s.part(n, 0, s.finish)
	}
	if len(s.next.nodes) == 0 || s.cause != none {
		return index, false
	}
	best := &s.next.nodes[0]
	for k := range s.next.nodes {
		if n := &s.next.nodes[k]; s.isBefore(n, best) {
			best = n
		}
	}
	return hitting.Index{Chain: s.first + int32(bits.TrailingZeros64(best.chains)), Tuple: s.words.elements(best.word)}, true
}

// isBefore reports whether end n has an earlier index than end o.
func (s *sweep[M]) isBefore(n, o *node[M]) bool {
	order := cmp.Or(cmp.Compare(n.cost, o.cost), cmp.Compare(bits.TrailingZeros64(n.chains), bits.TrailingZeros64(o.chains)))
	return order < 0 || order == 0 && s.words.compare(n.word, o.word) < 0
}

// response returns the next element that returns, after it has opened the elements called
// before that. It returns false after the last response, or if too many elements are open.
func (s *sweep[M]) response() (y int32, ok bool) {
	for s.called < len(s.call) && (len(s.due) == 0 || s.call[s.called] < s.ret[s.due[len(s.due)-1]]) {
		e := int32(s.called)
		s.met = max(s.met, s.chain[e]+1)
		s.open = append(s.open, e)
		if len(s.open) > s.width {
			return 0, false
		}
		if s.ret[e] != Never {
			place, _ := slices.BinarySearchFunc(s.due, s.ret[e], func(x, r int32) int { return cmp.Compare(r, s.ret[x]) })
			s.due = slices.Insert(s.due, place, e)
		}
		s.called++
	}
	last := len(s.due) - 1
	if last < 0 {
		return 0, false
	}
	y = s.due[last]
	s.due = s.due[:last]
	return y, true
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
		for _, l := range []*layer[M]{s.cur, s.next, s.parts, s.more} {
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
	switch isOpen := has(&n.tail, rank); {
	case has(&n.held, rank): // the last response at which y can be placed
		s.part(n, 0, func(n node[M]) {
			s.arrange(&n.tail, -1)
			reset(&n.held, rank)
			n.tail = s.none
			s.start(n)
			s.play(s.order)
			s.cut(y, rank)
		})
	case isOpen && n.cost == s.budget:
		s.part(n, rank, func(n node[M]) {
			if s.advance(&n, y, rank) {
				s.next.add(&s.words, n)
			}
		})
	case isOpen:
		s.part(n, 0, func(n node[M]) { s.settle(n, y, rank) })
	case s.goOn(1): // y is placed
		s.pass(n, rank)
	}
}

// settle is respond for a node that has y in its tail and may delay more elements.
func (s *sweep[M]) settle(n node[M], y int32, rank int) {
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
	s.delay(y, rank, s.order[before:])
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
	own := s.own >= 0
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
					s.more.add(&s.words, n)
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
	s.next.add(&s.words, n)
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
				s.next.add(&s.words, *p)
			}
		}
		s.placeOne()
	}
}
