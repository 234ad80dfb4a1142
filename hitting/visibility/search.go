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

// A Divided is an Object with independent parts. Search uses that if each operation that is
// not read-only concerns one part.
type Divided interface {
	Object
	// Parts returns the number of parts, or 0 if Fits does not apply to these operations.
	Parts() int
	// Fits returns, for each part, the index of one of the given states of that part alone,
	// so that op gives its result in all of these together. It returns nil if there are none.
	Fits(op int32, states [][]int32) []int
}

// Bounds of a search. The zero value has none.
type Bounds struct {
	Meter    *meter.Meter
	MaxBytes int64
	// First is a linearization to try first, or nil. Only the order of operations that are
	// complete or that change the object counts.
	First []int32
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
	switch {
	case s.bundle && s.closed:
		return nil, ErrMixed
	case bounds.First != nil:
		if x, err := o.along(object, bounds, bounds.First); x != nil || err != nil {
			return x, err
		}
	}
	found, err := s.explore(nil)
	switch {
	case !found || err != nil:
		return nil, err
	case s.track:
		return s.execution(), nil
	}
	return o.along(object, bounds, s.trail)
}

// along returns an execution in the given order, or nil. With one order, it takes little
// memory to keep what each operation misses.
func (o *Operations) along(object Object, bounds Bounds, order []int32) (*Execution, error) {
	s := newSearch(o, object, bounds)
	s.track = true
	order = slices.DeleteFunc(slices.Clone(order), func(i int32) bool { return s.isLazy(i) || s.only[i] && object.Optional(i) })
	found, err := s.explore(order)
	if errors.Is(err, ErrMemory) {
		err = nil // the views were too many for this order
	}
	if !found || err != nil {
		return nil, err
	}
	return s.execution(), nil
}

type search struct {
	*Operations
	*book
	object  Object
	bounds  Bounds
	only    []bool  // operation -> it is read-only
	lazy    []int32 // read-only operations of lower levels than Complete, in order
	divided Divided // nil: without parts
	slots   []slot  // the first ones are those of all operations of level Weak
	slotOf  []int32 // operation -> its first slot, or -1
	shared  int     // slots of level Weak
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
	owed       int
	doubtful   int // work since views were dropped
	err        error
}

// mostDoubtful is the work after which a search that has dropped views gives up.
const mostDoubtful = 1 << 22

// A frame is a configuration, with the moves that have not been tried.
type frame struct {
	state  int32
	parts  []int32   // part -> its state alone
	views  []int32   // slot -> list of views
	placed [2]uint64 // sum over the placed operations
	moves  []move
}

// explore searches depth first. If only is not nil, it is the only order to try.
func (s *search) explore(only []int32) (bool, error) {
	start := s.object.Start()
	f := frame{state: start, views: slices.Repeat([]int32{noViews}, len(s.slots))}
	for k := range s.shared {
		f.views[k] = s.list([]view{{state: start}}, true)
	}
	if s.divided != nil {
		f.parts = slices.Repeat([]int32{start}, s.divided.Parts())
	}
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
	} else if next := s.nextOf(only); next >= 0 {
		f.moves = s.choices(&f, next, nil)
	}
	s.stack = append(s.stack, f)
}

// nextOf returns the operation to place next in an order that has no lazy ones, or -1.
func (s *search) nextOf(order []int32) int32 {
	k := len(s.trail)
	for _, i := range s.lazy {
		if s.place[i] >= 0 {
			k--
		}
	}
	if k == len(order) {
		return s.lazyLeft()
	}
	if lazy := s.lazyBefore(order[k]); lazy >= 0 {
		return lazy
	}
	return order[k]
}

// key returns a number of 128 bits for a configuration: what is placed, the state, and the
// views. Nothing else decides what can follow, except for the order of changes from firstMissed.
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

// firstMissed returns the first place of an operation that some view misses, of a bundle that
// follows a lazy operation: what that sees may rule the view out, see leastFor.
func (s *search) firstMissed(f *frame) int {
	first := len(s.trail)
	for slot, views := range f.views {
		if of := s.slots[slot].op; slot < s.shared || views == noViews || s.Level[of] != Bundle || s.lazyBefore(of) < 0 {
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
	to = frame{state: state, parts: f.parts, views: slices.Clone(f.views), placed: f.placed}
	x := uint64(uint32(m.op))
	to.placed[0], to.placed[1] = to.placed[0]+table.Random(x), to.placed[1]+table.Random(^x)
	p := &placement{op: m.op, missed: m.missed, before: f, least: s.leastFor(m)}
	weakLeft := s.weakLeft(m.op)
	for k, of := range s.slots {
		if k < s.shared && !weakLeft || k >= s.shared && (of.op == m.op || s.place[of.op] >= 0) {
			to.views[k] = noViews // not needed any more
		} else {
			to.views[k] = s.after(k, p)
		}
	}
	if s.divided != nil && !s.only[m.op] {
		part := s.Part[m.op]
		to.parts = slices.Clone(f.parts)
		to.parts[part] = s.object.Run(f.parts[part], m.op)
	}
	return to, true
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
