package search

import (
	"encoding/binary"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// lazyQueue is the rule of a queue. A taker may be about an insertion e if no
// insertion of the rest returned before e was invoked, and if no look has
// pinned another one: then e may be the first of them. One that finds nothing
// may be placed if no insertion of the rest returned before something was
// invoked that was placed, or before itself: then all of them may come behind.
//
// That is all that a queue asks for. In a witness, insertions come in the order
// in which they are removed, those that stay last; takers come in their order;
// each taker comes behind the insertion that it is about, and insertions that
// are removed behind a taker that found nothing come behind it, too. Whatever
// comes before something by these rules was invoked before the response of the
// other: for two insertions or two takers, or where nothing was found, see
// above; and an insertion was invoked before the due response.
//
// Of two insertions of the same value that a taker may be about, it is the one
// with the earlier response. In a witness with the other one they change
// places, the other being removed later, or staying: what comes between was
// invoked before the earlier response, thus before the later.
//
// The latest invocation follows from what has been placed, for insertions do
// not count: what they precede they precede by the first rule.
type lazyQueue struct {
	*lazySearch
	fronts []int32 // insertions that may be the first of the rest
}

// findFronts fills in fronts and returns the first response of the rest.
func (q *lazyQueue) findFronts() int32 {
	q.fronts = q.fronts[:0]
	limit := q.inserted[q.at.due]
	least := int32(history.NoReturn)
	for e := q.rest.first(); e < limit && q.inserts[e].call < least; e = q.rest.next[e] {
		least = min(least, q.inserts[e].ret)
		q.fronts = append(q.fronts, e)
	}
	n := 0
	for _, e := range q.fronts {
		if q.inserts[e].call < least {
			q.fronts[n] = e
			n++
		}
	}
	q.fronts = q.fronts[:n]
	return least
}

func (q *lazyQueue) choices(dst []lazyMove, taker int32) []lazyMove {
	t := q.taker(taker)
	if t.role == replay.Nothing { // it would have been placed at once
		return dst
	}
	if p := q.at.pinned; p >= 0 {
		if t.value < 0 || q.inserts[p].value == t.value {
			dst = append(dst, lazyMove{taker: taker, insert: p})
		}
		return dst
	}
	q.findFronts()
	for i, e := range q.fronts {
		if t.value >= 0 && q.inserts[e].value != t.value {
			continue
		}
		if !q.hasEarlier(i) {
			dst = append(dst, lazyMove{taker: taker, insert: e})
		}
	}
	return dst
}

// hasEarlier reports whether another insertion of the same value returned
// before the i-th.
func (q *lazyQueue) hasEarlier(i int) bool {
	a := &q.inserts[q.fronts[i]]
	for j, e := range q.fronts {
		b := &q.inserts[e]
		if b.value == a.value && (b.ret < a.ret || b.ret == a.ret && j < i) {
			return true
		}
	}
	return false
}

func (q *lazyQueue) atOnce(taker int32) (int32, bool) {
	switch t := &q.takers[taker]; {
	case t.role == replay.Look && q.at.pinned >= 0 && q.inserts[q.at.pinned].value == t.value:
		return q.at.pinned, q.isHarmless(t.call)
	case t.role == replay.Nothing && q.at.pinned < 0:
		return -1, q.findFronts() > max(q.at.reach, t.call)
	}
	return -1, false
}

func (q *lazyQueue) play(m lazyMove) bool {
	reach := q.at.reach
	q.placed(m)
	q.at.reach = max(reach, q.taker(m.taker).call)
	switch {
	case q.removes(m.taker):
		q.at.pinned = -1
	case m.insert >= 0:
		q.at.pinned = m.insert
	}
	return true
}

// appendKey appends which insertions of those that may be among the rest are
// not, and which is pinned.
func (q *lazyQueue) appendKey(dst []byte, _ int32) []byte {
	dst = binary.AppendVarint(dst, int64(q.at.pinned))
	limit := q.inserted[q.at.due]
	first := min(q.rest.first(), limit)
	dst = binary.AppendUvarint(dst, uint64(first))
	// What has been removed lies before the first response of the rest.
	least := int32(history.NoReturn)
	last := first
	for e := first; e < limit && q.inserts[e].call < least; e++ {
		if q.rest.gone[e] {
			dst = binary.AppendUvarint(dst, uint64(e-last))
			last = e
		} else {
			least = min(least, q.inserts[e].ret)
		}
	}
	return dst
}

func (q *lazyQueue) depth(int32) int32  { return 0 }
func (q *lazyQueue) floor(int32) int32  { return 0 }
func (q *lazyQueue) reaches(int32) bool { return true }

func (q *lazyQueue) save()    {}
func (q *lazyQueue) restore() {}
func (q *lazyQueue) drop()    {}

func (q *lazyQueue) bytes() int64 { return 0 }

// order returns all operations but the idle and pending ones in the order of a
// witness: takers and insertions, each as early as can be, merged.
func (q *lazyQueue) order() []int32 {
	insertions, behind := q.insertions()
	place := make([]int32, len(q.inserts)) // insertion -> where it is among them
	for k, e := range insertions {
		place[e] = int32(k)
	}
	var order []int32
	insert := func(k int) { order = append(order, q.inserts[insertions[k]].op) }
	k, moment := 0, int32(-1) // the latest invocation so far
	for j, m := range q.trail {
		t := q.taker(m.taker)
		for ; k < len(insertions); k++ {
			call := q.inserts[insertions[k]].call
			needed := m.insert >= 0 && int(place[m.insert]) >= k
			if !needed && (int(behind[k]) > j || call > max(moment, t.call)) {
				break
			}
			insert(k)
			moment = max(moment, call)
		}
		order = append(order, t.op)
		moment = max(moment, t.call)
	}
	for ; k < len(insertions); k++ {
		insert(k)
	}
	return order
}

// insertions returns the insertions as the queue gets them, and of each how
// many takers come before, as the last of these found nothing.
func (q *lazyQueue) insertions() (list, behind []int32) {
	after := int32(0)
	listed := make([]bool, len(q.inserts))
	enter := func(e int32) {
		if e >= 0 && !listed[e] {
			list, behind = append(list, e), append(behind, after)
			listed[e] = true
		}
	}
	for j, m := range q.trail {
		if enter(m.insert); m.insert < 0 {
			after = int32(j + 1)
		}
	}
	for _, must := range []bool{true, false} {
		for e := range q.inserts {
			if q.inserts[e].must == must {
				enter(int32(e))
			}
		}
	}
	return list, behind
}
