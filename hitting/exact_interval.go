package hitting

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"
	"sort"

	"github.com/leadline/leadline/poset"
)

// A downset of an interval order has the elements below next, less those that are
// held. Element next-1 is in it. A held element has a slot, which no other element
// has while it is open.
type downset struct {
	next int32
	held uint64 // slots
}

// intervals are the elements of an interval order as downsets need them. Elements
// are in the order of their calls.
type intervals struct {
	n     int32
	after []int32  // element -> the first element above it, or n
	slot  []uint8  // element -> its slot
	width int32    // slots
	last  []int32  // next*width + slot -> the last element below next in that slot
	open  []uint64 // next -> slots of elements below next that element next-1 is not above

	tables int64 // bytes
}

// newIntervals returns ErrOpen if more than ExactMax elements are open at once, and
// ErrMemory if the tables take more than maxBytes.
func newIntervals(p *poset.Poset, maxBytes int64) (*intervals, error) {
	n := p.Len()
	v := &intervals{n: int32(n), after: make([]int32, n), slot: make([]uint8, n), open: make([]uint64, n+1)}
	var owner [ExactMax]int32 // element of the slot, while it is taken
	taken := uint64(0)
	for e := range int32(n) {
		v.after[e] = e + 1 + int32(sort.Search(n-int(e)-1, func(k int) bool { return p.Less(e, e+1+int32(k)) }))
		for left := taken; left != 0; left &= left - 1 {
			if s := bits.TrailingZeros64(left); v.after[owner[s]] <= e {
				taken &^= 1 << s
			}
		}
		s := bits.TrailingZeros64(^taken)
		if s >= ExactMax {
			return nil, ErrOpen
		}
		owner[s], v.slot[e] = e, uint8(s)
		taken |= 1 << s
		v.open[e+1] = taken
		v.width = max(v.width, int32(s)+1)
	}
	v.tables = int64(n+1) * int64(4*v.width+13)
	if maxBytes > 0 && v.tables > maxBytes {
		return nil, ErrMemory
	}
	width := int(v.width)
	v.last = make([]int32, (n+1)*width)
	for e := range int32(n) {
		row := v.last[int(e+1)*width : int(e+2)*width]
		copy(row, v.last[int(e)*width:])
		row[v.slot[e]] = e
	}
	return v, nil
}

// element returns the element in the slot at next.
func (v *intervals) element(next int32, slot int) int32 { return v.last[int(next)*int(v.width)+slot] }

// cut returns the first element that is above one outside set. The minimal elements
// outside set are those that are held and those from set.next to the cut.
func (v *intervals) cut(set downset) int32 {
	cut := v.n
	for left := set.held; left != 0; left &= left - 1 {
		cut = min(cut, v.after[v.element(set.next, bits.TrailingZeros64(left))])
	}
	for e := set.next; e < cut; e++ {
		cut = min(cut, v.after[e])
	}
	return cut
}

// appendMinimal appends to dst the minimal elements outside set.
func (v *intervals) appendMinimal(dst []int32, set downset, cut int32) []int32 {
	for left := set.held; left != 0; left &= left - 1 {
		dst = append(dst, v.element(set.next, bits.TrailingZeros64(left)))
	}
	for e := set.next; e < cut; e++ {
		dst = append(dst, e)
	}
	return dst
}

// with returns the downset that has e, a minimal element outside set, too.
func (v *intervals) with(set downset, e int32) downset {
	if e < set.next {
		set.held &^= 1 << v.slot[e]
		return set
	}
	for ; set.next < e; set.next++ {
		set.held |= 1 << v.slot[set.next]
	}
	set.next++
	return set
}

// maximal counts the maximal elements of set from first on.
func (v *intervals) maximal(set downset, first int32) int {
	count := 0
	for left := v.open[set.next] &^ set.held; left != 0; left &= left - 1 {
		if v.element(set.next, bits.TrailingZeros64(left)) >= first {
			count++
		}
	}
	return count
}

// A stateSet is a set of states: a state, or a number below 0 of a larger set.
type stateSet int32

// stateSets are the sets of more than one state.
type stateSets struct {
	list  [][]int32 // ascending
	index map[string]stateSet
	key   []byte
	bytes int64
}

func newStateSets() stateSets { return stateSets{index: map[string]stateSet{}} }

// intern returns the set of the given states, which it sorts. It keeps a copy.
func (t *stateSets) intern(states []int32) stateSet {
	slices.Sort(states)
	states = slices.Compact(states)
	if len(states) == 1 {
		return stateSet(states[0])
	}
	t.key = t.key[:0]
	for _, s := range states {
		t.key = binary.LittleEndian.AppendUint32(t.key, uint32(s))
	}
	id, ok := t.index[string(t.key)]
	if !ok {
		id = -1 - stateSet(len(t.list))
		t.index[string(t.key)] = id
		t.list = append(t.list, slices.Clone(states))
		t.bytes += stateSetBytes + 8*int64(len(states))
	}
	return id
}

// appendTo appends the states of the set to dst.
func (t *stateSets) appendTo(dst []int32, set stateSet) []int32 {
	if set >= 0 {
		return append(dst, int32(set))
	}
	return append(dst, t.list[-1-set]...)
}

// contains reports whether each state of small is in large.
func (t *stateSets) contains(large, small stateSet) bool {
	switch {
	case large == small:
		return true
	case large >= 0:
		return false
	case small >= 0:
		_, ok := slices.BinarySearch(t.list[-1-large], int32(small))
		return ok
	}
	l := t.list[-1-large]
	for _, s := range t.list[-1-small] {
		k, ok := slices.BinarySearch(l, s)
		if !ok {
			return false
		}
		l = l[k:]
	}
	return true
}

// A label says that the orders of a downset along some path of cost elements of
// the tuple end in these states.
type label struct {
	set  stateSet
	cost int32
}

// A part is what one part S_j may hold after as many elements as its level has: all
// downsets of that size that it leads to. It may have elements from first on.
type part struct {
	first int32
	cost  int32
	sets  []reached
}

type reached struct {
	downset
	set stateSet
}

func (a reached) compare(b reached) int {
	return cmp.Or(cmp.Compare(a.next, b.next), cmp.Compare(a.held, b.held))
}

// A level has all that is known of the downsets of one size.
type level struct {
	order  []downset // the keys of labels, in order of appearance
	labels map[downset][]label
	parts  []part
	known  map[string]int // key of a part -> its index
	bytes  int64          // an estimate
}

// Sizes in bytes, with their share of the maps.
const (
	downsetBytes  = 100
	labelBytes    = 16
	partBytes     = 100
	stateSetBytes = 100
)

func newLevel() *level { return &level{labels: map[downset][]label{}, known: map[string]int{}} }

func (l *level) clear() {
	l.order, l.parts, l.bytes = l.order[:0], l.parts[:0], 0
	clear(l.labels)
	clear(l.known)
}

// sweep computes exact depth on an interval order. See ExactDepth.
type sweep struct {
	*intervals
	m      Machine
	opt    Options
	sets   stateSets
	now    *level // downsets of the current size
	then   *level // of one element more
	limit  int32  // no label may need a larger tuple
	beyond int32  // the smallest need of a label that exceeds limit
	err    error  // why the sweep stopped

	sorted int64 // bytes of sets after the last sorting out

	minimal []int32 // scratch
	from    []int32
	states  []int32
	key     []byte
	layer   layer
}

// layer collects the downsets of a part of the next level.
type layer struct {
	index  map[downset]int
	sets   []downset
	states [][]int32
	ways   []int // number of last elements that lead to it
}

// exactOnIntervals returns ExactDepth of an interval order.
func exactOnIntervals(p *poset.Poset, machine Machine, opt Options) (int, error) {
	v, err := newIntervals(p, opt.MaxBytes)
	if err != nil {
		return 0, err
	}
	x := &sweep{intervals: v, m: machine, opt: opt, now: newLevel(), then: newLevel()}
	x.layer.index = map[downset]int{}
	for x.limit = 1; ; x.limit = max(x.beyond, x.limit+x.limit/2) {
		x.beyond = v.n + 1
		depth := x.run()
		if depth > 0 || x.err != nil || x.beyond > v.n {
			return depth, x.err
		}
	}
}

// run returns the smallest depth that is at most x.limit. It returns 0 if there is
// none or x.err is set.
func (x *sweep) run() int {
	x.now.clear()
	x.then.clear()
	x.sets = newStateSets()
	x.addPart(x.now, part{sets: []reached{{downset{}, stateSet(x.m.Start())}}})
	for size := int32(0); ; size++ {
		for _, g := range x.now.parts {
			for _, r := range g.sets {
				x.addLabel(x.now, r.downset, label{r.set, g.cost})
			}
		}
		if len(x.now.labels) == 0 {
			return 0
		}
		if size == x.n {
			best := x.n
			for _, l := range x.now.labels[x.now.order[0]] {
				best = min(best, l.cost)
			}
			return int(max(best, 1)) // F alone may reach the whole poset
		}
		for _, set := range x.now.order {
			x.placeNext(set)
		}
		for _, g := range x.now.parts {
			x.grow(g)
		}
		if x.err != nil {
			return 0
		}
		x.now, x.then = x.then, x.now
		x.then.clear()
		x.sortOut()
	}
}

// sortOut forgets the sets of states that the level does not use, when they may be
// half of all.
func (x *sweep) sortOut() {
	if x.sets.bytes < 2*x.sorted+1<<20 {
		return
	}
	old := x.sets
	x.sets = newStateSets()
	move := func(set *stateSet) {
		x.states = old.appendTo(x.states[:0], *set)
		*set = x.sets.intern(x.states)
	}
	for _, set := range x.now.order {
		labels := x.now.labels[set]
		for i := range labels {
			move(&labels[i].set)
		}
	}
	for _, g := range x.now.parts {
		for i := range g.sets {
			move(&g.sets[i].set)
		}
	}
	x.sorted = x.sets.bytes
}

// placeNext puts each element that can come next after the labelled orders of set,
// as an element of the tuple.
func (x *sweep) placeNext(set downset) {
	cut := x.cut(set)
	x.minimal = x.appendMinimal(x.minimal[:0], set, cut)
	alone := cut < x.n && x.isAlone(cut)
	for _, l := range x.now.labels[set] {
		x.from = x.sets.appendTo(x.from[:0], l.set)
		for _, e := range x.minimal {
			if !x.spend(len(x.from)) {
				return
			}
			var ok bool
			if x.states, ok = x.step(x.states[:0], x.from, e); !ok {
				continue
			}
			bigger := x.with(set, e)
			after := label{x.sets.intern(x.states), l.cost + 1}
			if alone && x.after[e] == cut {
				x.addPart(x.then, part{cut, after.cost, []reached{{bigger, after.set}}})
				continue
			}
			x.addLabel(x.then, bigger, after)
		}
	}
}

// isAlone reports whether only one of x.minimal has its first successor at cut.
func (x *sweep) isAlone(cut int32) bool {
	count := 0
	for _, e := range x.minimal {
		if x.after[e] == cut {
			count++
		}
	}
	return count == 1
}

// grow adds one element more to a part. A downset counts only if each of its
// maximal elements that the part has can be last, from every state.
func (x *sweep) grow(g part) {
	clear(x.layer.index)
	x.layer.sets, x.layer.ways = x.layer.sets[:0], x.layer.ways[:0]
	for _, r := range g.sets {
		x.minimal = x.appendMinimal(x.minimal[:0], r.downset, x.cut(r.downset))
		x.from = x.sets.appendTo(x.from[:0], r.set)
		for _, e := range x.minimal {
			if e < g.first {
				continue
			}
			if !x.spend(len(x.from)) {
				return
			}
			at := x.layer.at(x.with(r.downset, e))
			var ok bool
			if x.layer.states[at], ok = x.step(x.layer.states[at], x.from, e); ok {
				x.layer.ways[at]++
			}
		}
	}
	bigger := part{first: g.first, cost: g.cost}
	for at, set := range x.layer.sets {
		if x.layer.ways[at] == x.maximal(set, g.first) {
			bigger.sets = append(bigger.sets, reached{set, x.sets.intern(x.layer.states[at])})
		}
	}
	if len(bigger.sets) > 0 {
		x.addPart(x.then, bigger)
	}
}

// at returns the place of a downset in the layer.
func (l *layer) at(set downset) int {
	at, ok := l.index[set]
	if !ok {
		at = len(l.sets)
		l.index[set] = at
		l.sets, l.ways = append(l.sets, set), append(l.ways, 0)
		if at == len(l.states) {
			l.states = append(l.states, nil)
		}
		l.states[at] = l.states[at][:0]
	}
	return at
}

// step appends the states after e to dst. It returns false if e does not have its
// recorded result in one of the states.
func (x *sweep) step(dst, states []int32, e int32) ([]int32, bool) {
	for _, s := range states {
		t := x.m.Step(s, e)
		if t < 0 {
			return dst, false
		}
		dst = append(dst, t)
	}
	return dst, true
}

// addLabel adds a label of a downset, unless it is of no use.
func (x *sweep) addLabel(l *level, set downset, add label) {
	if need := add.cost + int32(bits.OnesCount64(set.held)) + x.cut(set) - set.next; need > x.limit {
		x.beyond = min(x.beyond, need)
		return
	}
	old, ok := l.labels[set]
	x.spend(len(old))
	for _, o := range old {
		if o.cost <= add.cost && x.sets.contains(add.set, o.set) {
			return
		}
	}
	if !ok {
		l.order = append(l.order, set)
		l.bytes += downsetBytes
	}
	l.bytes += labelBytes
	old = slices.DeleteFunc(old, func(o label) bool { return add.cost <= o.cost && x.sets.contains(o.set, add.set) })
	l.labels[set] = append(old, add)
}

// addPart adds a part, or lowers the cost of one with the same future.
func (x *sweep) addPart(l *level, g part) {
	slices.SortFunc(g.sets, reached.compare)
	g.first = x.normalFirst(&g)
	x.key = binary.LittleEndian.AppendUint32(x.key[:0], uint32(g.first))
	for _, r := range g.sets {
		x.key = binary.LittleEndian.AppendUint32(x.key, uint32(r.next))
		x.key = binary.LittleEndian.AppendUint64(x.key, r.held)
		x.key = binary.LittleEndian.AppendUint32(x.key, uint32(r.set))
	}
	if i, ok := l.known[string(x.key)]; ok {
		l.parts[i].cost = min(l.parts[i].cost, g.cost)
		return
	}
	l.known[string(x.key)] = len(l.parts)
	l.bytes += partBytes + 2*int64(len(x.key))
	l.parts = append(l.parts, g)
}

// normalFirst returns the smallest first element that gives the part the same
// future: no element between it and g.first is held or maximal in one of the
// downsets.
func (x *sweep) normalFirst(g *part) int32 {
	first := int32(0)
	for _, r := range g.sets {
		if r.next < g.first {
			return g.first
		}
		for left := x.open[r.next]; left != 0; left &= left - 1 {
			if e := x.element(r.next, bits.TrailingZeros64(left)); e < g.first {
				first = max(first, e+1)
			}
		}
	}
	return first
}

// spend counts work and reports whether to go on.
func (x *sweep) spend(work int) bool {
	switch {
	case x.err != nil:
	case x.opt.Meter.MustStop(work):
		x.err = ErrStopped
	case x.opt.MaxBytes > 0 && x.tables+x.now.bytes+x.then.bytes+x.sets.bytes > x.opt.MaxBytes:
		x.err = ErrMemory
	}
	return x.err == nil
}
