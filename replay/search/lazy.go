package search

import (
	"math/bits"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
)

// Lazy decides histories of a queue or a stack in which values are inserted
// several times. In a queue, it does not fix the order of insertions before a
// removal, or a look, forces it; see lazySearch. Nor does it in a stack if more
// than 64 operations are open at once; else it asks a pushdown. Lazy declines
// where it does not apply: there is order beyond real time, or there are
// operations that do more than insert, remove, look or find nothing, or returned
// ones of which the result is not known, or more than 64 of those that answer
// are open at once.
//
// The work is bounded by the number of configurations, the memory by maxBytes,
// beyond which the history is undecided.
func Lazy(h *history.History, spec replay.Spec, maxBytes int64, m *meter.Meter) replay.Finding {
	s, ok := newLazy(h, spec)
	if !ok {
		return replay.Declines("")
	}
	m = m.OrUnbounded()
	if replay.TraitsOf(spec).Discipline == replay.LastIn {
		if f := decideStack(&s.lazyHistory, maxBytes, m); f.Cause != replay.Declined {
			return f
		}
	}
	return s.decide(maxBytes, m)
}

func (s *lazySearch) decide(maxBytes int64, m *meter.Meter) replay.Finding {
	s.maxBytes, s.meter = maxBytes, m
	found, cause := s.run()
	return finding(found, cause, s.witness)
}

// finding returns the finding of a search that ended with a witness, or with a
// cause to give up, or else refuted the history.
func finding(found bool, cause replay.Cause, witness func() []int32) replay.Finding {
	switch {
	case found:
		return replay.Found(replay.SearchEngine, witness())
	case cause == replay.NoCause:
		return replay.Refuted(replay.SearchEngine)
	}
	return replay.GaveUp(cause)
}

// A lazySearch goes along the responses of those operations that answer
// something: removals, looks, and those that find nothing. Let these be the
// takers. As in a sweep, a taker need not be placed before its own response or
// that of one that comes later. Insertions are not placed: when a taker is
// placed, an insertion is chosen that it is about, and what has been chosen so
// far says how insertions lie among the takers.
//
// An order of operations respects real time if and only if no operation x
// stands behind some y with ret(x) < call(y). So it is enough to know, of what
// stands before a place, the latest invocation, and of what stands behind it,
// the earliest response. No operation needs a moment of its own.
//
// Of the takers due is the one with the earliest response among those that
// have not been placed; all placed before it have call < ret(due), and so do
// all insertions chosen. Insertions with call > ret(due) come behind all that
// has been placed, whatever happens. Those with call < ret(due) that have not
// been removed are the rest. reach is the latest invocation among all that has
// been placed and chosen, so that an operation may come behind it all if its
// response is later.
//
// These steps can be left out or taken at once, as a witness can be changed so
// that it has them:
//
//   - A taker that finds nothing is placed as soon as it can. Insertions of the
//     rest that the witness has before can come right behind, in their order.
//   - Of two open takers of the same role and value, the one with the earlier
//     response goes first, if it was also invoked first, or is harmless: no
//     insertion of the rest has its response between reach and the invocation.
//     The two change places; what stands between them stands behind an
//     operation invoked later than before, which only insertions of the rest
//     would notice.
//   - A look at what is known to be in front, or on top, is placed at once if it
//     is harmless.
//   - Of pending removals, those invoked first are used first.
//
// A queue and a stack differ in which insertions a taker may be about, and in
// what is kept of the choice: see lazyQueue and lazyStack.
type lazySearch struct {
	lazyHistory
	rule     lazyRule
	heedless bool // reach does not matter

	at       lazySpot
	occupant []int32 // slot -> open taker, or -1
	rest     restList
	trail    []lazyMove
	frames   []lazyFrame
	moves    []lazyMove // of the frames
	failed   lazyFailed
	key      []byte

	maxBytes int64
	meter    *meter.Meter
	gaveUp   replay.Cause
}

// A lazySpot is what of a configuration takes the same room in every
// discipline.
type lazySpot struct {
	due    int32
	reach  int32
	used   int32 // how many pending removals have been placed
	pinned int32 // the insertion that a look has found in front of the queue, or -1
	mask   uint64
}

// A lazyMove places a taker, about an insertion or none.
type lazyMove struct {
	taker  int32 // from len(takers) on, a pending removal
	insert int32 // or -1
	order  int32 // in which moves are tried
}

// A lazyFrame is a configuration with its moves.
type lazyFrame struct {
	lazySpot
	trail      int32
	from, next int32 // into moves, of which it has those up to the next frame's
	// floor is the stamp of the lowest place that the failure of all moves up
	// to now depends on; see lazyStack. A queue has none.
	floor int32
}

// A lazyRule is what a discipline says.
type lazyRule interface {
	// choices appends the ways to place a taker.
	choices(dst []lazyMove, taker int32) []lazyMove
	// atOnce returns whether the taker can be placed now without loss, about
	// the insertion returned.
	atOnce(taker int32) (int32, bool)
	// play enters a move; it reports false if it leads nowhere.
	play(m lazyMove) bool
	// appendKey appends the configuration, but for the lazySpot, down to a
	// depth.
	appendKey(dst []byte, depth int32) []byte
	// depth and floor tell how deep a floor is, and what lies that deep;
	// reaches, whether there is that much.
	depth(floor int32) int32
	floor(depth int32) int32
	reaches(depth int32) bool
	// save keeps what retreatTo cannot compute for the frame that comes next,
	// restore takes it back for the last one, drop forgets that.
	save()
	restore()
	drop()
	bytes() int64
	order() []int32
}

func newLazy(h *history.History, spec replay.Spec) (*lazySearch, bool) {
	d, ok := spec.(replay.Described)
	if !ok || h.HasEdges() || len(h.Ghosts) > 0 {
		return nil, false
	}
	s := &lazySearch{}
	if !s.read(h, d) || !s.assignSlots() {
		return nil, false
	}
	s.rest = newRestList(len(s.inserts))
	s.occupant = make([]int32, s.slots)
	for i := range s.occupant {
		s.occupant[i] = -1
	}
	switch d.Traits().Discipline {
	case replay.FirstIn:
		s.rule, s.heedless = &lazyQueue{lazySearch: s}, !s.nothings
	case replay.LastIn:
		s.rule = newLazyStack(s)
	default:
		return nil, false
	}
	s.at = lazySpot{reach: -1, pinned: -1}
	return s, true
}

// run looks for a way to place all takers and leaves it in trail.
func (s *lazySearch) run() (bool, replay.Cause) {
	if s.impossible {
		return false, replay.NoCause
	}
	if len(s.takers) > 0 {
		s.open(0, s.opened[0])
	}
	for {
		s.settle()
		if int(s.at.due) == len(s.takers) {
			return true, replay.NoCause
		}
		if !s.hasFailed() {
			s.pushFrame()
		}
		if !s.choose() {
			return false, s.gaveUp
		}
	}
}

// hasFailed reports whether the configuration is one that failed, as far as
// that mattered.
func (s *lazySearch) hasFailed() bool {
	for _, depth := range s.failed.depths[lazyDepth{s.at.due, s.at.mask}] {
		if !s.rule.reaches(depth) {
			continue
		}
		if s.key = s.appendKey(s.key[:0], depth); s.failed.has(s.at.due, s.key) {
			s.lower(s.rule.floor(depth))
			return true
		}
	}
	return false
}

// lower notes that for the last frame everything from floor on matters.
func (s *lazySearch) lower(floor int32) {
	if len(s.frames) > 0 {
		f := &s.frames[len(s.frames)-1]
		f.floor = min(f.floor, floor)
	}
}

// settle passes responses of placed takers and places those that can be
// placed at once.
func (s *lazySearch) settle() {
	for again := true; again; {
		again = false
		for int(s.at.due) < len(s.takers) && s.at.mask>>s.slot[s.at.due]&1 != 0 {
			s.advance()
		}
		for _, t := range s.occupant {
			if t < 0 || s.at.mask>>s.slot[t]&1 != 0 {
				continue
			}
			if e, ok := s.rule.atOnce(t); ok {
				s.rule.play(lazyMove{taker: t, insert: e})
				again = true
			}
		}
	}
}

// choose goes back to the last configuration with a move left and plays it;
// it reports false if there is none or a bound is reached.
func (s *lazySearch) choose() bool {
	for len(s.frames) > 0 {
		f := &s.frames[len(s.frames)-1]
		s.retreatTo(f)
		for int(f.next) < len(s.moves) {
			if s.meter.Spend(configurationWork+s.work()) && s.atBound() {
				return false
			}
			m := s.moves[f.next]
			f.next++
			if s.rule.play(m) {
				return true
			}
			s.retreatTo(f)
		}
		floor, depth := f.floor, s.rule.depth(f.floor)
		s.key = s.appendKey(s.key[:0], depth)
		s.failed.add(lazyDepth{f.due, f.mask}, depth, s.key)
		s.moves = s.moves[:f.from]
		s.frames = s.frames[:len(s.frames)-1]
		s.rule.drop()
		s.lower(floor)
	}
	return false
}

// work is about what a move costs.
func (s *lazySearch) work() int { return len(s.key)/8 + bits.OnesCount64(s.at.mask) }

func (s *lazySearch) atBound() bool {
	s.gaveUp = giveUp(s.meter, func() bool { return s.bytes() <= s.maxBytes || s.forget() })
	return s.gaveUp != replay.NoCause
}

func (s *lazySearch) bytes() int64 {
	return s.failed.bytes + int64(cap(s.frames))*48 + int64(cap(s.moves)+cap(s.trail))*12 + s.rule.bytes()
}

// forget drops the failed configurations that cannot be met again; see
// sweep.forget.
func (s *lazySearch) forget() bool {
	for i := range s.frames {
		end := int32(len(s.moves))
		if i+1 < len(s.frames) {
			end = s.frames[i+1].from
		}
		if s.frames[i].next < end {
			s.failed.dropBefore(s.frames[i].due)
			break
		}
	}
	return s.bytes() <= s.maxBytes-s.maxBytes/8
}

// placed enters that a taker has been placed about an insertion, or -1.
func (s *lazySearch) placed(m lazyMove) {
	s.trail = append(s.trail, m)
	if int(m.taker) < len(s.takers) {
		s.at.mask |= 1 << s.slot[m.taker]
		s.at.reach = max(s.at.reach, s.takers[m.taker].call)
	} else {
		s.at.used++
		s.at.reach = max(s.at.reach, s.pendings[int(m.taker)-len(s.takers)].call)
	}
	if m.insert >= 0 {
		s.at.reach = max(s.at.reach, s.inserts[m.insert].call)
		if s.removes(m.taker) {
			s.rest.remove(m.insert)
		}
	}
}

// witness returns all operations in order: those that the search has placed,
// and then what need not take effect.
func (s *lazySearch) witness() []int32 {
	order := s.rule.order()
	for i := int(s.at.used); i < len(s.pendings); i++ {
		order = append(order, s.pendings[i].op)
	}
	return append(order, s.idle...)
}
