package search

import (
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// lazyStack is the rule of a stack.
//
// When a taker is about an insertion e, that gets its place in the order of
// what has been placed, and this is the last place that it can have. What
// remains of the rest cannot come between e and the taker: it would lie above
// e. So these places are lost to the rest, but those before e and the one
// behind the taker are not. That the last place is the best follows: it loses
// the fewest places. In a witness with e in an earlier one, nothing of the rest
// stands between that and the taker, so that e can be moved, and nothing that
// was placed before sees it, as the places between the life of those are lost.
//
// An insertion f of the rest may have a place if everything before it was
// invoked before ret(f), and everything behind it returns after call(f). Along
// the places, the latest invocation before and the earliest response behind
// only grow, so that f may have those of an interval. If that is empty, the
// configuration leads nowhere. At the end, every insertion that stays takes its
// last place: of two that do so in different places, the first one was invoked
// before the response of the second, or it would stand there as well.
//
// A looked-at insertion has its place for good, and is pinned there. Until it
// is removed, what is looked at or removed has to come behind the look; the
// places before the pinned one are for what lies below.
//
// What finds nothing loses all places but the last to the rest.
//
// A configuration that failed speaks for all that are the same from its floor
// up. What has high below the floor cannot be seen or removed without leaving
// something of the rest above the floor without a place, whatever it is; so a
// configuration with other insertions there has no other moves. Every frame
// lowers its floor to what its choices, failed moves, steps at once and later
// frames depend on. Places have stamps, as their numbers change.
//
// That does not keep the search from being exponential: values in the middle
// of the stack which may lie in one of several ways each are tried in all
// combinations where something below them fails.
type lazyStack struct {
	*lazySearch
	places []place // in order; the last one is the end
	isPin  []bool  // insertion -> is pinned

	anchors []int32 // insertion -> what stood behind its place when it came there

	saved   []place // of the frames
	savedAt []int32 // frame -> where its places begin
	ranges  []placeRange
	calls   []int32
	rets    []int32
	kinds   []lazyKind
	marks   []int32
	counts  []int32
}

// A place is one where an insertion can come.
type place struct {
	reach  int32 // the latest invocation before it
	due    int32 // the earliest response behind it, of what has been placed or is due
	pin    int32 // the insertion that is pinned right behind it, or -1
	stamp  int32 // grows along the places, and stays when places are left out
	before int32 // what stands right behind it, for the witness; see order
}

// A placeRange says which places an insertion of the rest can have.
type placeRange struct{ insert, low, high int32 }

func newLazyStack(s *lazySearch) *lazyStack {
	return &lazyStack{lazySearch: s, isPin: make([]bool, len(s.inserts)),
		anchors: make([]int32, len(s.inserts)), places: []place{{-1, history.NoReturn, -1, 0, atEnd}}}
}

// base returns the first place behind everything that is pinned.
func (k *lazyStack) base() int {
	i := len(k.places) - 1
	for i > 0 && k.places[i-1].pin < 0 {
		i--
	}
	return i
}

// top returns the insertion that was pinned last, or -1.
func (k *lazyStack) top() int32 {
	if i := k.base(); i > 0 {
		return k.places[i-1].pin
	}
	return -1
}

// high returns the last place that an insertion can have.
func (k *lazyStack) high(e int32) int {
	ret := k.inserts[e].ret
	for i := len(k.places) - 1; i > 0; i-- {
		if k.places[i].reach < ret {
			return i
		}
	}
	if k.places[0].reach < ret {
		return 0
	}
	return -1
}

// choices appends the ways to place a taker, for which save has found the
// ranges, and lowers the floor to what they depend on. An insertion of the rest
// that cannot come behind the taker keeps out all that lies below the first
// place that it can have; what is pinned keeps out what lies below.
func (k *lazyStack) choices(dst []lazyMove, taker int32) []lazyMove {
	t := k.taker(taker)
	reach, base := max(k.at.reach, t.call), k.base()
	bottom := base - 1
	for _, r := range k.ranges {
		if k.inserts[r.insert].ret <= reach {
			if t.role == replay.Nothing { // any insertion is enough
				bottom = max(bottom, int(r.high))
			} else {
				bottom = max(bottom, int(r.low))
			}
		}
	}
	if bottom < 0 {
		k.lower(0)
	} else {
		k.lower(k.places[bottom].stamp)
	}
	if t.role == replay.Nothing { // it would have been placed at once
		return dst
	}
	from := len(dst)
	if e := k.top(); e >= 0 && bottom == base-1 && (t.value < 0 || k.inserts[e].value == t.value) {
		dst = append(dst, lazyMove{taker, e, 1})
	}
	for _, r := range k.ranges {
		if (t.value < 0 || k.inserts[r.insert].value == t.value) && int(r.high) >= max(bottom, base) {
			dst = append(dst, lazyMove{taker, r.insert, -r.high})
		}
	}
	slices.SortStableFunc(dst[from:], func(a, b lazyMove) int { return int(a.order - b.order) })
	return dst
}

func (k *lazyStack) atOnce(taker int32) (int32, bool) {
	t := &k.takers[taker]
	last := len(k.places) - 1
	switch {
	case t.role == replay.Look && last > 0:
		e := k.places[last-1].pin
		if e < 0 || k.inserts[e].value != t.value || !k.isHarmless(t.call) {
			return -1, false
		}
		k.lower(k.places[last-1].stamp)
		return e, true
	case t.role == replay.Nothing && k.top() < 0 && k.leastReturn() > max(k.at.reach, t.call):
		k.lower(0)
		return -1, true
	}
	return -1, false
}

// leastReturn returns the earliest response of the rest.
func (k *lazyStack) leastReturn() int32 {
	least := int32(history.NoReturn)
	for e := k.rest.last(k.inserted[k.at.due]); e != k.rest.n; e = k.rest.prev[e] {
		least = min(least, k.inserts[e].ret)
	}
	return least
}

func (k *lazyStack) play(m lazyMove) bool {
	last := len(k.places) - 1
	k.places[last].due = k.takers[k.at.due].ret
	if k.places[last].before == atEnd {
		k.places[last].before = int32(len(k.trail)) // the taker
	}
	removes := k.removes(m.taker)
	switch {
	case m.insert < 0:
		k.places = k.places[:0]
	case k.isPin[m.insert]:
		base := k.base()
		k.places = k.places[:base]
		if removes {
			k.places[base-1].pin = -1
			k.isPin[m.insert] = false
		}
	default:
		i := k.high(m.insert)
		k.anchor(m.insert, i)
		k.places = k.places[:i+1]
		for j := i; j >= 0 && k.places[j].due > k.inserts[m.insert].ret; j-- {
			k.places[j].due = k.inserts[m.insert].ret
		}
		if !removes {
			k.places[i].pin = m.insert
			k.isPin[m.insert] = true
		}
	}
	k.placed(m)
	k.places = append(k.places, place{k.at.reach, history.NoReturn, -1, int32(len(k.trail)), atEnd})
	return k.tidy()
}

// findRanges fills in the ranges of the rest; it returns an insertion that has
// none, or -1.
func (k *lazyStack) findRanges() int32 {
	k.ranges = k.ranges[:0]
	for e := k.rest.last(k.inserted[k.at.due]); e != k.rest.n; e = k.rest.prev[e] {
		in := &k.inserts[e]
		if k.isPin[e] {
			continue
		}
		low, high := k.between(in)
		if low > high {
			return e
		}
		k.ranges = append(k.ranges, placeRange{e, int32(low), int32(high)})
	}
	return -1
}

// between returns the first and the last place that an insertion can have.
func (k *lazyStack) between(in *lazyInsert) (low, high int) {
	low, high = len(k.places)-1, len(k.places)-1
	for low > 0 && k.places[low-1].due > in.call {
		low--
	}
	for high >= 0 && k.places[high].reach >= in.ret {
		high--
	}
	return low, high
}

// tidy leaves places out that make no difference; it reports false if an
// insertion has none left.
func (k *lazyStack) tidy() bool {
	if e := k.findRanges(); e >= 0 {
		k.lower(k.wasHigh(e))
		return false
	}
	n := len(k.places)
	k.marks = slices.Grow(k.marks[:0], n+1)[:n+1]
	k.counts = slices.Grow(k.counts[:0], n+1)[:n+1]
	clear(k.marks)
	clear(k.counts)
	const begins, ends = 1, 2
	for _, r := range k.ranges {
		k.marks[r.low] |= begins
		k.marks[r.high] |= ends
		k.counts[r.low]++
		k.counts[r.high+1]--
	}
	kept, cover := 0, int32(0)
	for i := range k.places {
		cover += k.counts[i]
		p := k.places[i]
		useless := cover == 0 || k.marks[i]&ends == 0 && k.marks[i+1]&begins == 0
		if i < n-1 && p.pin < 0 && useless {
			continue
		}
		k.places[kept] = p
		kept++
	}
	k.places = k.places[:kept]
	return true
}

// wasHigh returns the stamp of the last place that an insertion could have in
// the last frame.
func (k *lazyStack) wasHigh(e int32) int32 {
	places := k.saved[k.savedAt[len(k.savedAt)-1]:]
	i := len(places) - 1
	for i > 0 && places[i].reach >= k.inserts[e].ret {
		i--
	}
	return places[i].stamp
}

func (k *lazyStack) save() {
	k.findRanges()
	k.savedAt = append(k.savedAt, int32(len(k.saved)))
	k.saved = append(k.saved, k.places...)
}

func (k *lazyStack) restore() {
	for _, p := range k.places {
		if p.pin >= 0 {
			k.isPin[p.pin] = false
		}
	}
	k.places = append(k.places[:0], k.saved[k.savedAt[len(k.savedAt)-1]:]...)
	for _, p := range k.places {
		if p.pin >= 0 {
			k.isPin[p.pin] = true
		}
	}
}

func (k *lazyStack) drop() {
	last := len(k.savedAt) - 1
	k.saved = k.saved[:k.savedAt[last]]
	k.savedAt = k.savedAt[:last]
}

func (k *lazyStack) bytes() int64 {
	return int64(cap(k.saved))*20 + int64(cap(k.savedAt))*4
}
