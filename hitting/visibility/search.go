package visibility

import (
	"cmp"
	"errors"
	"slices"

	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/hitting/table"
)

// An Object replays operations. States are small numbers.
type Object interface {
	// Start returns the state before any operation.
	Start() int32
	// Step returns the state after op, or a negative number if op does not give its recorded
	// result in this state. Run is Step for any result: it is negative if op cannot run.
	Step(state, op int32) int32
	Run(state, op int32) int32
	// ReadOnly reports whether op can run in every state and never changes it, whatever it
	// returns.
	ReadOnly(op int32) bool
	// Optional reports whether op may never take effect.
	Optional(op int32) bool
}

// Bounds of a search. The zero value has none.
type Bounds struct {
	Meter    *meter.Meter
	MaxBytes int64
}

// The errors of Search.
var (
	ErrStopped = errors.New("visibility: stopped")
	ErrMemory  = errors.New("visibility: out of memory")
	// ErrSeveral is the error for an object that can give several results in one state.
	ErrSeveral = errors.New("visibility: the object is not deterministic")
	// ErrMixed is the error for levels that are not defined together.
	ErrMixed = errors.New("the level bundle cannot be combined with monotonic, peer or causal")
)

// Search returns an execution that respects the levels and gives every recorded result, or
// nil if there is none. The package comment has the algorithm. An operation of level Bundle
// must be ReadOnly, and all others must concern one part each if they may change any.
func (o *Operations) Search(object Object, bounds Bounds) (*Execution, error) {
	s := newSearch(o, object, bounds)
	if s.bundle && s.closed {
		return nil, ErrMixed
	}
	found, err := s.explore(nil)
	if !found || err != nil {
		return nil, err
	}
	if s.track {
		return s.execution(), nil
	}
	// Only one order is left, so what each operation misses can be kept for it.
	kept := newSearch(o, object, bounds)
	kept.track = true
	if found, err = kept.explore(s.trail); err == nil && !found {
		panic("visibility: an execution cannot be replayed")
	}
	return kept.execution(), err
}

type search struct {
	*Operations
	*book
	object  Object
	bounds  Bounds
	only    []bool  // operation -> it is read-only
	lazy    []int32 // read-only operations of lower levels than Complete, in order
	slots   []int32 // view lists: an operation of each; slot 0 is that of all of level Weak
	slotOf  []int32 // operation -> slot, or -1
	bundle  bool    // there are operations of level Bundle
	closed  bool    // there are some of levels Monotonic, Peer or Causal
	literal bool    // there are some of Peer or Causal: it matters who sees read-only operations
	// track: views have the operations missed; distinct: views with the same state are kept.
	track, distinct bool

	order      []int32 // all operations, in a topological order
	next, prev []int32 // list of the places in order that have not been placed; n is its head
	at         []int32 // operation -> its place in order
	place      []int32 // operation -> place in trail, or -1
	left       int     // operations not placed that must be and are not lazy
	trail      []int32
	missedBy   []int32 // operation -> set
	stack      []frame
	failed     map[[2]uint64]bool
	steps      map[[3]int32]int32 // see after
	scratch    []view
	owed       int
	doubtful   int // work since views were dropped
	err        error
}

// mostDoubtful is the work after which a search that has dropped views gives up.
const mostDoubtful = 1 << 22

// A frame is a configuration, with the moves that have not been tried.
type frame struct {
	state  int32
	views  []int32   // slot -> list of views
	placed [2]uint64 // sum over the placed operations
	moves  []move
}

// A move places an operation, which misses a set.
type move struct{ op, missed int32 }

func newSearch(o *Operations, object Object, bounds Bounds) *search {
	n := o.Before.Len()
	s := &search{Operations: o, book: newBook(), object: object, bounds: bounds, order: o.Before.Order(), only: make([]bool, n),
		slots: []int32{-1}, slotOf: slices.Repeat([]int32{-1}, n), next: make([]int32, n+1), prev: make([]int32, n+1), at: make([]int32, n),
		place: slices.Repeat([]int32{-1}, n), missedBy: make([]int32, n), failed: map[[2]uint64]bool{}, steps: map[[3]int32]int32{}}
	last := int32(n)
	for k, i := range s.order {
		s.at[i], s.only[i] = int32(k), object.ReadOnly(i)
		if s.only[i] && object.Optional(i) {
			continue // it need not take effect, and nothing depends on it
		}
		s.next[last], s.prev[k] = int32(k), last
		last = int32(k)
		switch level := o.Level[i]; {
		case level == Weak:
			s.slotOf[i], s.slots[0] = 0, i
		case level != Complete:
			s.slotOf[i] = int32(len(s.slots))
			s.slots = append(s.slots, i)
		}
		s.bundle = s.bundle || o.Level[i] == Bundle
		s.closed = s.closed || o.Level[i].isAtLeast(Monotonic)
		s.literal = s.literal || o.Level[i].isAtLeast(Peer)
		if s.only[i] && o.Level[i] != Complete {
			s.lazy = append(s.lazy, i)
		} else if !object.Optional(i) {
			s.left++
		}
	}
	s.next[last], s.prev[n] = int32(n), last
	s.distinct = s.bundle || s.closed
	s.track = s.distinct
	return s
}

// explore searches depth first. If only is not nil, it is the only order to try.
func (s *search) explore(only []int32) (bool, error) {
	start := s.object.Start()
	f := frame{state: start, views: slices.Repeat([]int32{noViews}, len(s.slots))}
	f.views[0] = s.list([]view{{state: start}}, true)
	s.push(f, only)
	for len(s.stack) > 0 && s.err == nil {
		f := &s.stack[len(s.stack)-1]
		if s.left == 0 && s.lazyLeft() < 0 {
			return true, nil
		}
		if len(f.moves) == 0 {
			s.failed[s.key(f)] = true
			s.stack = s.stack[:len(s.stack)-1]
			s.unplace()
			continue
		}
		m := f.moves[0]
		f.moves = f.moves[1:]
		if to, ok := s.try(f, m); ok {
			s.put(m)
			if s.failed[s.key(&to)] {
				s.unplace()
			} else {
				s.push(to, only)
			}
		}
		s.mustStop()
	}
	if s.dropped && s.err == nil {
		s.err = ErrMemory
	}
	return false, s.err
}

// mustStop spends the work that is owed, and sets the error if a bound is reached.
func (s *search) mustStop() {
	work := s.owed + 4
	s.owed = 0
	if s.dropped {
		s.doubtful += work
	}
	switch {
	case s.doubtful > mostDoubtful:
		s.err = cmp.Or(s.err, ErrMemory)
	case s.bounds.Meter.MustStop(work):
		s.err = cmp.Or(s.err, ErrStopped)
	case s.bounds.MaxBytes > 0 && s.bytes+int64(len(s.failed))*48+int64(len(s.stack)*len(s.slots))*4 > s.bounds.MaxBytes:
		s.err = cmp.Or(s.err, ErrMemory)
	}
}

func (s *search) push(f frame, only []int32) {
	if only == nil {
		f.moves = s.moves(&f)
	} else if k := len(s.trail); k < len(only) {
		f.moves = s.choices(&f, only[k], nil)
	}
	s.stack = append(s.stack, f)
}

// key returns a number of 128 bits for a configuration: what is placed, the state, and the
// views. Nothing else decides what can follow, except that a bundle depends on the order of
// the changes from the first one that is missed.
func (s *search) key(f *frame) [2]uint64 {
	key := f.placed
	add := func(x uint64) { key[0], key[1] = key[0]+table.Random(x), key[1]+table.Random(^x) }
	add(1<<62 | uint64(uint32(f.state)))
	for slot, views := range f.views {
		if views != noViews {
			add(1<<63 | uint64(slot)<<32 | uint64(uint32(views)))
		}
	}
	if s.bundle {
		for k := s.firstMissed(f); k < len(s.trail); k++ {
			if i := s.trail[k]; !s.only[i] {
				add(3<<61 | uint64(k)<<31 | uint64(i))
			}
		}
	}
	return key
}

// firstMissed returns the first place of an operation that some view of a bundle misses.
func (s *search) firstMissed(f *frame) int {
	first := len(s.trail)
	for slot, views := range f.views {
		if slot == 0 || views == noViews || s.Level[s.slots[slot]] != Bundle {
			continue
		}
		s.owed += len(s.views[views])
		for _, v := range s.views[views] {
			for _, u := range s.missed[v.missed] {
				first = min(first, int(s.place[u]))
			}
		}
	}
	return first
}

// put places the operation of a move.
func (s *search) put(m move) {
	s.place[m.op], s.missedBy[m.op] = int32(len(s.trail)), m.missed
	s.trail = append(s.trail, m.op)
	k := s.at[m.op]
	s.next[s.prev[k]], s.prev[s.next[k]] = s.next[k], s.prev[k]
	s.count(m.op, -1)
}

// unplace undoes the last put, if there is one.
func (s *search) unplace() {
	if len(s.trail) == 0 {
		return
	}
	op := s.trail[len(s.trail)-1]
	s.trail = s.trail[:len(s.trail)-1]
	s.place[op] = -1
	k := s.at[op]
	s.next[s.prev[k]], s.prev[s.next[k]] = k, k
	s.count(op, 1)
}

func (s *search) count(op int32, by int) {
	if !s.isLazy(op) && !s.object.Optional(op) {
		s.left += by
	}
}

func (s *search) isLazy(op int32) bool { return s.only[op] && s.Level[op] != Complete }

// lazyLeft returns the first lazy operation that has not been placed, or -1.
func (s *search) lazyLeft() int32 {
	for _, i := range s.lazy {
		if s.place[i] < 0 {
			return i
		}
	}
	return -1
}

// moves returns the moves from a configuration, the operation that must return first in
// front. A lazy operation is placed right before one that it happened before, or at the end.
func (s *search) moves(f *frame) []move {
	var ready []int32
	n := int32(len(s.order))
	for k := s.next[n]; k != n; k = s.next[k] {
		i := s.order[k]
		s.owed++
		if s.isLazy(i) {
			continue
		}
		if slices.ContainsFunc(ready, func(r int32) bool { return s.Before.Less(r, i) }) {
			if s.Before.IsInterval() {
				break // and so are all later ones
			}
			continue
		}
		ready = append(ready, i)
	}
	if _, ret := s.Before.Intervals(); ret != nil {
		slices.SortStableFunc(ready, func(i, j int32) int { return cmp.Compare(ret[i], ret[j]) })
	}
	var list []int32
	for _, i := range ready {
		lazy := s.lazyBefore(i)
		switch {
		case lazy < 0 && s.only[i] && !s.object.Optional(i) && s.object.Step(f.state, i) == f.state:
			return []move{{op: i}}
		case lazy < 0:
			list = append(list, i)
		case !slices.Contains(list, lazy):
			list = append(list, lazy)
		}
	}
	if lazy := s.lazyLeft(); s.left == 0 && lazy >= 0 && !slices.Contains(list, lazy) {
		list = append(list, lazy)
	}
	var moves []move
	for _, i := range list {
		moves = s.choices(f, i, moves)
	}
	return moves
}

// lazyBefore returns the first lazy operation that happened before i and has not been placed,
// or -1.
func (s *search) lazyBefore(i int32) int32 {
	for _, lazy := range s.lazy {
		if s.place[lazy] < 0 && s.Before.Less(lazy, i) {
			return lazy
		}
	}
	return -1
}

// choices appends the moves that place an operation: one for each set that it may miss, if
// that matters to other operations.
func (s *search) choices(f *frame, i int32, moves []move) []move {
	if s.Level[i] == Complete {
		return append(moves, move{op: i})
	}
	views := []view{{state: f.state}}
	if list := f.views[s.slotOf[i]]; list != noViews {
		views = s.views[list]
	}
	s.owed += len(views)
	first := len(moves)
	for _, v := range views {
		if s.object.Step(v.state, i) >= 0 {
			moves = append(moves, move{i, v.missed})
		}
	}
	slices.SortStableFunc(moves[first:], func(m, n move) int { return len(s.missed[m.missed]) - len(s.missed[n.missed]) })
	if !s.distinct && len(moves) > first {
		moves = moves[:first+1]
	}
	return moves
}

// try returns the configuration after a move, unless its operation cannot give its result.
func (s *search) try(f *frame, m move) (to frame, ok bool) {
	state := s.object.Run(f.state, m.op)
	if s.Level[m.op] == Complete && state >= 0 {
		switch step := s.object.Step(f.state, m.op); {
		case step < 0:
			return to, false
		case step != state:
			s.err = ErrSeveral
		}
	}
	if state < 0 {
		return to, false
	}
	to = frame{state: state, views: slices.Clone(f.views), placed: f.placed}
	x := uint64(uint32(m.op))
	to.placed[0], to.placed[1] = to.placed[0]+table.Random(x), to.placed[1]+table.Random(^x)
	p := &placement{op: m.op, missed: m.missed, before: f.state, least: s.leastFor(m)}
	for slot, o := range s.slots {
		switch {
		case o < 0 || slot == 0 && !s.weakLeft(m.op) || slot > 0 && (o == m.op || s.place[o] >= 0):
			to.views[slot] = noViews // not needed any more
		default:
			to.views[slot] = s.after(to.views[slot], o, p)
		}
	}
	return to, true
}

// weakLeft reports whether operations of level Weak have not been placed, besides op.
func (s *search) weakLeft(op int32) bool {
	for i, slot := range s.slotOf {
		if slot == 0 && s.place[i] < 0 && int32(i) != op {
			return true
		}
	}
	return false
}

// leastFor returns the place from which a Bundle that follows the operation of m may miss
// others: the place of the operation or, if that can be moved forward because it only reads,
// the one after the last change that it sees.
func (s *search) leastFor(m move) int {
	k := len(s.trail)
	if !s.bundle || !s.isLazy(m.op) {
		return k
	}
	for k > 0 && (s.only[s.trail[k-1]] || isIn(s.missed[m.missed], s.trail[k-1])) {
		k--
	}
	return k
}

// execution returns what the search found. Operations of bundles that were placed late move
// forward, to the place right after what they see, because bundles that follow see what
// precedes them.
func (s *search) execution() *Execution {
	x := &Execution{Unseen: make([][]int32, len(s.order))}
	for _, i := range s.trail {
		x.Unseen[i] = slices.Clone(s.missed[s.missedBy[i]])
		k := len(x.Order)
		for s.bundle && s.isLazy(i) && k > 0 && s.mayPass(i, x.Order[k-1], x.Unseen[i]) {
			k--
			x.Unseen[i] = slices.DeleteFunc(x.Unseen[i], func(u int32) bool { return u == x.Order[k] })
		}
		x.Order = slices.Insert(x.Order, k, i)
	}
	return x
}

// mayPass reports whether the lazy operation i, which misses some operations, can move to the
// place before w.
func (s *search) mayPass(i, w int32, missed []int32) bool {
	return !s.Before.Less(w, i) && (s.only[w] || isIn(missed, w))
}
