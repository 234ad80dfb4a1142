package hitting

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/leadline/leadline/poset"
)

// A label says that the orders of a downset along some path of cost elements of
// the tuple end in these states.
type label struct {
	set  stateSet
	cost int32
}

// A part is a part S_j of a tuple, after some elements of S_j have been placed. It has all
// downsets of the level's size that can be reached in this way. S_j may have elements from
// first on.
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

// A level has the labels and parts of all downsets of one size.
type level struct {
	order  []downset // the keys of labels, in order of appearance
	labels map[downset][]label
	parts  []part
	known  map[string]int // key of a part -> its index
	bytes  int64          // an estimate
}

// Sizes in bytes, including a share of the maps.
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
	then   *level // downsets with one element more
	limit  int32  // no label may need a larger tuple
	beyond int32  // the smallest need of a label that exceeds limit
	err    error  // why the sweep stopped

	minimal []int32 // scratch
	from    []int32
	states  []int32
	key     []byte
	layer   layer
}

// layer collects the downsets of a part of the next level.
type layer struct {
	index  map[downset]int // downset -> index in sets
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
	}
}

// placeNext places each element that can come next after the labelled orders of set, as
// the next element of the tuple.
func (x *sweep) placeNext(set downset) {
	cut := x.cut(set)
	x.minimal = x.appendMinimal(x.minimal[:0], set, cut)
	for _, l := range x.now.labels[set] {
		x.from = x.sets.appendTo(x.from[:0], l.set)
		for _, e := range x.minimal {
			if !x.spend(len(x.from)) {
				return
			}
			var ok bool
			bigger := x.with(set, e)
			if x.states, ok = x.step(x.states[:0], x.from, e); !ok {
				continue
			}
			after := label{x.sets.intern(x.states), l.cost + 1}
			if cut < x.n && x.after[e] == cut { // otherwise its part has only e
				x.addPart(x.then, part{cut, after.cost, []reached{{bigger, after.set}}})
				continue
			}
			x.addLabel(x.then, bigger, after)
		}
	}
}

// grow adds one more element to a part. A downset counts only if each of its
// maximal elements that are in the part can be last, from every state.
func (x *sweep) grow(g part) {
	x.layer.sets, x.layer.ways = x.layer.sets[:0], x.layer.ways[:0]
	clear(x.layer.index)
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
			bigger := x.with(r.downset, e)
			at := x.layer.at(bigger)
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

// at returns the index of a downset in the layer, to which it adds the downset if needed.
func (l *layer) at(set downset) int {
	at, ok := l.index[set]
	if ok {
		return at
	}
	at = len(l.sets)
	l.index[set] = at
	l.sets, l.ways = append(l.sets, set), append(l.ways, 0)
	if at == len(l.states) {
		l.states = append(l.states, nil)
	}
	l.states[at] = l.states[at][:0]
	return at
}

// step appends to dst the states after e. It returns false if, in one of the states, e does
// not have its recorded result.
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

// addLabel adds a label of a downset, unless it needs a tuple above the limit, or another
// label covers it.
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

// addPart adds a part, or lowers the cost of a part with the same future.
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
