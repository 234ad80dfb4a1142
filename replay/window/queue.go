package window

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/hitting/table"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
	"github.com/leadline/leadline/replay/state"
)

// A queueSearch searches a history of a queue along the responses of the consumers:
// removals, peeks, and operations that find nothing. (An operation that finds the queue not
// empty is a peek at any value.) As in package search, no consumer has to be placed before its own
// response or the response of a later consumer. The search does not place insertions. When
// it places a consumer, it chooses an insertion for it, and the choices so far determine
// how insertions lie among the consumers.
//
// An order of operations respects real time if and only if no operation x follows some y
// with ret(x) < call(y). So it is enough to know the latest invocation before a place and
// the earliest response after it. The search assigns no moments to operations.
//
// The due consumer is the one with the earliest response among those not
// placed. All consumers placed before it have call < ret(due), and so do all
// insertions chosen. Insertions with call > ret(due) follow everything that has
// been placed. The insertions with call < ret(due) that have not been removed are the
// rest. reach is the latest invocation among the consumers placed: an operation with a
// later response may follow them all.
//
// A consumer may take an insertion e under two conditions:
//
//   - no insertion of the rest returned before e was invoked;
//   - no peek has pinned another insertion.
//
// Then e may be the first of the rest. A consumer that finds nothing may be
// placed if no insertion of the rest returned before an operation that has been
// placed was invoked, or before this one was: then the rest may follow.
//
// These conditions suffice. The witness has the insertions in the order of their removals,
// and after them the insertions that are never removed. It has the consumers in the order
// in which they were placed. Each consumer follows its insertion, and insertions removed
// after a consumer that found nothing follow that consumer. All operations that precede an
// operation by these rules were invoked before its response. For two insertions, two
// consumers, or a consumer that found nothing, see above; and an insertion was invoked
// before the due response. Insertions do not count for reach, because the first condition
// already covers the insertions that they precede.
//
// Each of the following restrictions is sound, because every witness can be changed into
// one that keeps to it:
//
//   - A consumer that finds nothing is placed as soon as it can be. Insertions
//     of the rest that precede it in the witness can follow it, in the same order.
//   - Two open consumers may have the same role and value. The one with the earlier
//     response goes first if it was also invoked first or is harmless: no
//     insertion of the rest has its response between reach and the invocation.
//     The two change places. The operations between them then follow an operation
//     invoked later than before, which affects only insertions of the rest.
//   - A peek at the pinned insertion is placed at once if it is harmless.
//   - Pending removals are used in the order of their invocations. They leave enough
//     insertions of each value for the removals that returned; see collected.spare.
//   - A pending removal comes right before a consumer that needs it, or before another
//     pending removal. Otherwise it could come after the next operation. Without a
//     pin, that consumer requires that all insertions of the rest that returned before
//     some moment are gone. So the pending removals before it take these, by response.
//   - If a consumer may take two insertions of the same value, it takes the one
//     with the earlier response. In a witness with the other one they change
//     places. What comes between was invoked before the earlier response.
type queueSearch struct {
	state.Walk
	*ops.Frontier // of the consumers, which are sorted by response: Order is 0, 1, 2, ...
	*collected
	noEmpty bool // no consumer found the queue empty, so reach does not matter

	byReturn       []int32 // insertions, sorted by response
	inserted       []int32 // consumer -> how many insertions were invoked before its response
	pendingsOpened []int32 // consumer -> how many pending removals were invoked before its response

	at     queueSpot
	rest   restList
	fronts []int32 // insertions that may be the first of the rest
	trail  []queueMove
	frames []queueFrame
	moves  []queueMove // the moves of all frames, concatenated
	failed table.Words
	key    []uint64

	furthest int32 // the latest due response met
	maxBytes int64
}

// A queueSpot is a configuration without the rest.
type queueSpot struct {
	due    int32
	reach  int32
	used   int32 // how many pending removals have been placed
	pinned int32 // the insertion that a peek has found at the front of the queue, or -1
	mask   uint64
}

// A queueMove places a consumer, which takes or sees one insertion or none.
type queueMove struct {
	consumer int32 // from len(consumers) on, a pending removal
	insert   int32 // or -1
}

// A queueFrame is a configuration with its moves.
type queueFrame struct {
	queueSpot
	trail      int32
	from, next int32 // its first move and the next one to try; its moves end where those of the next frame begin
}

// newQueueSearch returns nil if more than 64 consumers are open at once.
func newQueueSearch(c *collected, maxBytes int64, m *meter.Meter) *queueSearch {
	s := &queueSearch{collected: c, noEmpty: true, at: queueSpot{reach: -1, pinned: -1}, rest: newRestList(len(c.inserts)), maxBytes: maxBytes}
	s.Walk = state.Walk{Meter: m, Fits: func() bool { return s.bytes() <= s.maxBytes || s.forget() }}
	for i := range c.consumers {
		s.noEmpty = s.noEmpty && c.consumers[i].role != replay.Nothing
	}
	s.byReturn = ops.Indices(len(s.inserts))
	slices.SortStableFunc(s.byReturn, func(a, b int32) int { return cmp.Compare(s.inserts[a].ret, s.inserts[b].ret) })
	var list []ops.Interval
	for i := range c.consumers {
		t := &c.consumers[i]
		list = append(list, ops.Interval{Call: t.call, Return: t.ret})
	}
	if s.Frontier = ops.NewFrontier(list); s.Frontier == nil {
		return nil
	}
	s.countInvoked()
	return s
}

// countInvoked fills in inserted and pendingsOpened.
func (s *queueSearch) countInvoked() {
	inserted, pendings := 0, 0
	for i := range s.consumers {
		r := s.consumers[i].ret
		for inserted < len(s.inserts) && s.inserts[inserted].call < r {
			inserted++
		}
		for pendings < len(s.pendings) && s.pendings[pendings].call < r {
			pendings++
		}
		s.inserted = append(s.inserted, int32(inserted))
		s.pendingsOpened = append(s.pendingsOpened, int32(pendings))
	}
}

// run searches for an order of all consumers and leaves it in trail; see state.Walk.
func (s *queueSearch) run() (bool, replay.Cause) { return s.Explore(s) }

func (s *queueSearch) HasFailed() bool { return s.failed.Find(s.configuration()) >= 0 }

// advance passes the due response.
func (s *queueSearch) advance() {
	s.at.mask &^= 1 << s.Slot[s.at.due]
	s.Advance()
	s.at.due = s.Due
	s.furthest = max(s.furthest, s.at.due)
}

// retreatTo undoes all moves after the configuration of f.
func (s *queueSearch) retreatTo(f *queueFrame) {
	s.Retreat(f.due)
	for _, m := range slices.Backward(s.trail[f.trail:]) {
		if m.insert >= 0 && s.removes(m.consumer) {
			s.rest.restore(m.insert)
			s.count(m, -1)
		}
	}
	s.trail = s.trail[:f.trail]
	s.at = f.queueSpot
}

// consumer returns the consumer, or pending removal, of a move.
func (s *queueSearch) consumer(c int32) *consumer {
	if int(c) < len(s.consumers) {
		return &s.consumers[c]
	}
	return &s.pendings[int(c)-len(s.consumers)]
}

// removes reports whether the consumer takes a value out.
func (s *queueSearch) removes(c int32) bool { return s.consumer(c).role == replay.Remove }

func (s *queueSearch) isPlaced(c int32) bool { return s.at.mask>>s.Slot[c]&1 != 0 }

// settle passes responses of placed consumers and places those that can be
// placed at once.
func (s *queueSearch) Settle() bool {
	for again := true; again; {
		again = false
		for !s.AtEnd() && s.isPlaced(s.at.due) {
			s.advance()
		}
		for _, c := range s.Occupant {
			if c < 0 || s.isPlaced(c) {
				continue
			}
			if e, ok := s.atOnce(c); ok {
				s.place(queueMove{c, e})
				again = true
			}
		}
	}
	return s.AtEnd()
}

// atOnce returns the insertion that a consumer takes or sees, or -1, and whether the
// consumer can be placed now without losing a witness.
func (s *queueSearch) atOnce(c int32) (int32, bool) {
	switch t := &s.consumers[c]; {
	case t.role == replay.Look && s.at.pinned >= 0 && s.fits(t, s.at.pinned):
		return s.at.pinned, s.isHarmless(t.call)
	case t.role == replay.Nothing && s.at.pinned < 0:
		return -1, s.findFronts() > max(s.at.reach, t.call)
	}
	return -1, false
}

func (s *queueSearch) Back() bool {
	if len(s.frames) == 0 {
		return false
	}
	s.retreatTo(&s.frames[len(s.frames)-1])
	s.Spend(1 + len(s.key) + bits.OnesCount64(s.at.mask))
	return true
}

func (s *queueSearch) Move() bool {
	f := &s.frames[len(s.frames)-1]
	if int(f.next) == len(s.moves) {
		return false
	}
	f.next++
	s.place(s.moves[f.next-1])
	return true
}

func (s *queueSearch) Fail() {
	s.failed.Add(s.configuration())
	s.moves = s.moves[:s.frames[len(s.frames)-1].from]
	s.frames = s.frames[:len(s.frames)-1]
}

func (s *queueSearch) bytes() int64 {
	return s.failed.Bytes() + int64(cap(s.frames))*40 + int64(cap(s.moves)+cap(s.trail))*8
}

// forget drops the failed configurations that cannot occur again; see walk.forget in package search.
func (s *queueSearch) forget() bool {
	for i := range s.frames {
		end := int32(len(s.moves))
		if i+1 < len(s.frames) {
			end = s.frames[i+1].from
		}
		if s.frames[i].next < end {
			due := s.frames[i].due
			s.failed.Keep(func(_ int32, key []uint64) bool { return int32(key[1]>>32) >= due })
			break
		}
	}
	return s.bytes() <= s.maxBytes-s.maxBytes/8
}

// place plays a move.
func (s *queueSearch) place(m queueMove) {
	s.trail = append(s.trail, m)
	if int(m.consumer) < len(s.consumers) {
		s.at.mask |= 1 << s.Slot[m.consumer]
	} else {
		s.at.used++
	}
	s.at.reach = max(s.at.reach, s.consumer(m.consumer).call)
	switch {
	case s.removes(m.consumer):
		s.rest.remove(m.insert)
		s.count(m, 1)
		s.at.pinned = -1
	case m.insert >= 0:
		s.at.pinned = m.insert
	}
}

// count updates spare if the move places a pending removal. n is 1 to count the move and -1
// to undo that. The configuration determines spare, so the key does not contain it.
func (s *queueSearch) count(m queueMove, n int32) {
	if int(m.consumer) >= len(s.consumers) {
		s.spare[s.inserts[m.insert].value] -= n
	}
}

// push adds a frame for the configuration and lists its moves.
func (s *queueSearch) Push() {
	s.frames = append(s.frames, queueFrame{s.at, int32(len(s.trail)), int32(len(s.moves)), int32(len(s.moves))})
	least := s.findFronts()
	s.addMoves(s.at.due)
	for _, c := range s.Occupant {
		if c >= 0 && c != s.at.due && !s.isPlaced(c) && !s.isSecond(c) {
			s.addMoves(c)
		}
	}
	if s.at.used < s.pendingsOpened[s.at.due] {
		s.addPending(least)
	}
}

// addPending adds the move of the next pending removal. The removal takes the pinned
// insertion, or else the insertion of the rest with the earliest response, which is least.
func (s *queueSearch) addPending(least int32) {
	e := s.at.pinned
	if e < 0 && least != history.NoReturn {
		e = s.fronts[slices.IndexFunc(s.fronts, func(e int32) bool { return s.inserts[e].ret == least })]
	}
	if e >= 0 && s.spare[s.inserts[e].value] > 0 {
		s.moves = append(s.moves, queueMove{int32(len(s.consumers)) + s.at.used, e})
	}
}

// addMoves adds the moves that place a consumer. A consumer that finds nothing has no move:
// settle places it as soon as that is possible.
func (s *queueSearch) addMoves(c int32) {
	t := &s.consumers[c]
	switch p := s.at.pinned; {
	case t.role == replay.Nothing:
	case p >= 0 && s.fits(t, p):
		s.moves = append(s.moves, queueMove{c, p})
	case p < 0:
		for i, e := range s.fronts {
			if s.fits(t, e) && !s.hasEarlier(i) {
				s.moves = append(s.moves, queueMove{c, e})
			}
		}
	}
}

// fits reports whether a consumer may find an insertion in front of the queue.
func (s *queueSearch) fits(t *consumer, e int32) bool {
	return t.value == s.inserts[e].value || t.value < 0 && t.role == replay.Look
}

// findFronts fills in fronts and returns the earliest response of the rest.
func (s *queueSearch) findFronts() int32 {
	s.fronts = s.fronts[:0]
	limit := s.inserted[s.at.due]
	least := int32(history.NoReturn)
	for e := s.rest.first(); e < limit && s.inserts[e].call < least; e = s.rest.next[e] {
		least = min(least, s.inserts[e].ret)
		s.fronts = append(s.fronts, e)
	}
	s.fronts = slices.DeleteFunc(s.fronts, func(e int32) bool { return s.inserts[e].call >= least })
	return least
}

// hasEarlier reports whether another insertion of the same value returned
// before the i-th front.
func (s *queueSearch) hasEarlier(i int) bool {
	a := &s.inserts[s.fronts[i]]
	for j, e := range s.fronts {
		b := &s.inserts[e]
		if b.value == a.value && (b.ret < a.ret || b.ret == a.ret && j < i) {
			return true
		}
	}
	return false
}

// isSecond reports whether another open consumer with the same role and value has to be
// placed before this one.
func (s *queueSearch) isSecond(c int32) bool {
	a := &s.consumers[c]
	for _, o := range s.Occupant {
		if o < 0 || o >= c || s.isPlaced(o) {
			continue
		}
		b := &s.consumers[o]
		if a.role == b.role && a.value == b.value && (b.call < a.call || s.isHarmless(b.call)) {
			return true
		}
	}
	return false
}

// isHarmless reports whether placing an operation invoked at call would not rule
// out a later position for any insertion of the rest.
func (s *queueSearch) isHarmless(call int32) bool {
	return s.noEmpty || call < s.at.reach || call < s.firstReturn(s.at.reach)
}

// firstReturn returns the earliest response of an insertion of the rest that
// is later than the given position.
func (s *queueSearch) firstReturn(after int32) int32 {
	i, _ := slices.BinarySearchFunc(s.byReturn, after+1, func(e, p int32) int { return cmp.Compare(s.inserts[e].ret, p) })
	for _, e := range s.byReturn[i:] {
		if !s.rest.gone[e] {
			return s.inserts[e].ret
		}
	}
	return history.NoReturn
}

// configuration returns the key of the current configuration, valid until the next
// call. It has the due response, the placed consumers and pending removals, the pinned
// insertion, and the first insertion of the rest. It also has a bit for each later
// insertion that has been removed. These determine reach.
func (s *queueSearch) configuration() []uint64 {
	limit := s.inserted[s.at.due]
	first := min(s.rest.first(), limit)
	s.key = append(s.key[:0], 0, uint64(s.at.due)<<32|uint64(s.at.used), s.at.mask, uint64(s.at.pinned+1)<<32|uint64(first))
	// Everything removed was invoked before the first response of the rest.
	least := int32(history.NoReturn)
	for e := first; e < limit && s.inserts[e].call < least; e++ {
		if !s.rest.gone[e] {
			least = min(least, s.inserts[e].ret)
			continue
		}
		word, bit := queueKeyWords+int(e-first)/64, (e-first)%64
		for len(s.key) <= word {
			s.key = append(s.key, 0)
		}
		s.key[word] |= 1 << bit
	}
	s.key[0] = uint64(len(s.key))
	return s.key
}

const queueKeyWords = 4 // without the bits

// witness merges the consumers of the trail and the insertions, each as early as
// possible.
func (s *queueSearch) witness() []int32 {
	insertions, after := s.insertions()
	place := make([]int32, len(s.inserts)) // insertion -> index in insertions
	for k, e := range insertions {
		place[e] = int32(k)
	}
	order := make([]int32, 0, len(s.trail)+len(s.inserts))
	k, moment := 0, int32(-1) // the latest invocation so far
	for j, m := range s.trail {
		t := s.consumer(m.consumer)
		for ; k < len(insertions); k++ {
			in := &s.inserts[insertions[k]]
			needed := m.insert >= 0 && int(place[m.insert]) >= k
			if !needed && (int(after[k]) > j || in.call > max(moment, t.call)) {
				break
			}
			order = append(order, in.op)
			moment = max(moment, in.call)
		}
		order = append(order, t.op)
		moment = max(moment, t.call)
	}
	for ; k < len(insertions); k++ {
		order = append(order, s.inserts[insertions[k]].op)
	}
	return order
}

// insertions returns the insertions in the order in which they enter the queue. The first
// after[k] moves of the trail precede list[k]: those up to the last consumer that found
// nothing.
func (s *queueSearch) insertions() (list, after []int32) {
	consumers := int32(0)
	listed := make([]bool, len(s.inserts))
	enter := func(e int32) {
		if e >= 0 && !listed[e] {
			list, after = append(list, e), append(after, consumers)
			listed[e] = true
		}
	}
	for j, m := range s.trail {
		if enter(m.insert); m.insert < 0 {
			consumers = int32(j + 1)
		}
	}
	for _, must := range []bool{true, false} {
		for e := range s.inserts {
			if s.inserts[e].must == must {
				enter(int32(e))
			}
		}
	}
	return list, after
}
