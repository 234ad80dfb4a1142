package depth

import (
	"cmp"
	"math/bits"
	"slices"
)

// A sweep goes through the events with masks of one size; see the package comment.
type sweep[M mask] struct {
	*Search
	own         int32 // the chain that is delayed
	budget      int32
	called      int     // how many elements have been called
	open        []int32 // open elements by their calls
	due         []int32 // open elements that will return, the first to return last
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
	s.own, s.budget = chain, int32(budget)
	s.open, s.due, s.ownRank, s.words, s.lettersKept = s.open[:0], s.due[:0], -1, s.words[:0], 1<<10
	s.called = 0
	s.cur.clear()
	s.cur.nodes = append(s.cur.nodes, node[M]{state: s.machine.Start(), word: noWord})
	plain := budget == 0 // there is always exactly one node
	for {
		from := len(s.open)
		y, ok := s.response()
		switch {
		case len(s.open) > s.width:
			s.cause = tooNarrow
			return nil, false
		case !ok:
			return s.end(from)
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

// end returns the best tuple after the last response. Elements from rank from on have been
// called since.
func (s *sweep[M]) end(from int) (tuple []int32, found bool) {
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

// response returns the next element that returns, after it has opened the elements called
// before that. It returns false after the last response, or if too many elements are open.
func (s *sweep[M]) response() (y int32, ok bool) {
	for s.called < len(s.call) && (len(s.due) == 0 || s.call[s.called] < s.ret[s.due[len(s.due)-1]]) {
		e := int32(s.called)
		if s.met = max(s.met, s.chain[e]+1); s.chain[e] == s.own {
			s.ownRank = len(s.open)
		}
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
