package simulate

import (
	"math/bits"
	"math/rand/v2"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// A kind is a kind of operation, in the order of the fields of Mix.
type kind int

const (
	insert kind = iota
	remove
	look
	update
	kinds
)

// A shape is what a model's operations act on.
type shape int

const (
	ends   shape = iota // a collection whose ends elements are removed from
	named               // a collection whose named elements are removed
	cell                // one value
	keyed               // a value per key
	number              // a counter
	lock                // a mutex
)

// A model is an object that can be simulated.
type model struct {
	name    string
	shape   shape
	mix     Mix
	methods [kinds][]string // of which one is drawn
	// place is where the methods of a collection with ends act.
	place placing
}

// A placing is which elements are removed before a new one.
type placing int

const (
	lined   placing = iota // those that were there before it: a queue
	piled                  // those that come after it: a stack
	ranked                 // the smaller ones: a priority queue
	twoEnds                // either; the methods at even positions act at the front
)

// models are all models, in the order in which they are listed.
var models = []model{
	{name: "queue", shape: ends, mix: Mix{4, 4, 1, 0}, place: lined,
		methods: [kinds][]string{{"enqueue"}, {"dequeue"}, {"peek"}}},
	{name: "stack", shape: ends, mix: Mix{4, 4, 1, 0}, place: piled,
		methods: [kinds][]string{{"push"}, {"pop"}, {"peek"}}},
	{name: "priority-queue", shape: ends, mix: Mix{4, 4, 1, 0}, place: ranked,
		methods: [kinds][]string{{"insert"}, {"poll"}, {"peek"}}},
	{name: "deque", shape: ends, mix: Mix{4, 4, 1, 0}, place: twoEnds,
		methods: [kinds][]string{{"pushFront", "pushBack"}, {"popFront", "popBack"}, {"peekFront", "peekBack"}}},
	{name: "set", shape: named, mix: Mix{4, 4, 4, 0},
		methods: [kinds][]string{{"add"}, {"remove"}, {"contains"}}},
	{name: "multiset", shape: named, mix: Mix{4, 4, 4, 0},
		methods: [kinds][]string{{"add"}, {"remove"}, {"contains", "count"}}},
	{name: "register", shape: cell, mix: Mix{1, 0, 1, 0},
		methods: [kinds][]string{{"write"}, nil, {"read"}}},
	{name: "cas-register", shape: cell, mix: Mix{1, 0, 1, 1},
		methods: [kinds][]string{{"write"}, nil, {"read"}, {"cas"}}},
	{name: "kv", shape: keyed, mix: Mix{1, 0, 1, 0},
		methods: [kinds][]string{{"put"}, {"remove"}, {"get"}, {"cas"}}},
	{name: "counter", shape: number, mix: Mix{3, 2, 2, 1},
		methods: [kinds][]string{{"increment"}, {"decrement"}, {"read"}, {"getAndIncrement"}}},
	{name: "mutex", shape: lock, mix: Mix{2, 0, 1, 1},
		methods: [kinds][]string{{"lock"}, nil, {"isLocked"}, {"tryLock"}}},
}

// unlock is the one method that no mix draws: the holder of a mutex calls it.
const unlock = "unlock"

// Models returns the names of the models that can be simulated.
func Models() []string {
	var names []string
	for _, m := range models {
		names = append(names, m.name)
	}
	return names
}

// atFront reports whether a method of a collection with ends acts at the front,
// where a queue and a priority queue remove.
func (m *model) atFront(k kind, which int) bool {
	switch m.place {
	case lined:
		return k != insert
	case piled:
		return false
	case ranked:
		return true
	}
	return which == 0
}

// draw draws the next operation of a slot. It returns false if there is none now,
// as for a slot that leaves a mutex to others.
func (r *runner) draw(s *slot) bool {
	if r.model.shape == lock {
		return r.drawLock(s)
	}
	k := r.drawKind()
	methods := r.model.methods[k]
	s.kind, s.which = k, 0
	if len(methods) > 1 {
		s.which = r.random.below(len(methods))
	}
	s.inv = replay.Invocation{Method: methods[s.which]}
	switch r.model.shape {
	case ends:
		if k == insert {
			s.inv.Args = r.args(r.value())
		}
	case named:
		s.inv.Args = r.args(r.element(k))
	case cell:
		s.inv.Args = r.cellArgs(k)
	case keyed:
		s.inv.Args = r.keyedArgs(k)
	}
	return true
}

func (r *runner) cellArgs(k kind) []history.Value {
	switch k {
	case insert:
		return r.args(r.value())
	case update:
		current := r.ask(replay.Invocation{Method: "read"})
		return r.args(current, r.value())
	}
	return nil
}

func (r *runner) keyedArgs(k kind) []history.Value {
	key := history.IntValue(int64(r.random.below(r.Keys)))
	switch k {
	case insert:
		return r.args(key, r.value())
	case update:
		current := r.ask(replay.Invocation{Method: "get", Args: []history.Value{key}})
		return r.args(key, current, r.value())
	}
	return r.args(key)
}

// ask applies an invocation that leaves the object as it is.
func (r *runner) ask(inv replay.Invocation) history.Value {
	result, ok := r.object.Apply(inv)
	if !ok {
		panic("simulate: no result of " + inv.Method)
	}
	return result
}

// drawLock draws the next operation of a slot on a mutex: unlock, if the slot
// holds it. Each operation that may get the mutex reserves an unlock, so that no
// slot is left waiting when operations run out.
func (r *runner) drawLock(s *slot) bool {
	if s.holds {
		s.kind, s.inv = remove, replay.Invocation{Method: unlock}
		return true
	}
	if r.resting || r.begun+r.owed+2 > r.Ops {
		// The rest is for isLocked, and for slots that hold the mutex or will.
		if r.resting || r.begun+r.owed >= r.Ops {
			return false
		}
		s.kind = look
	} else {
		s.kind = r.drawKind()
	}
	if s.kind != look {
		r.owed++
	}
	s.inv = replay.Invocation{Method: r.model.methods[s.kind][0]}
	return true
}

// lookOf returns the invocation that reads the state, without arguments.
func lookOf(m *model) replay.Invocation {
	return replay.Invocation{Method: m.methods[look][0]}
}

// A steering keeps a collection about as full as Fill says. It has a goal for the
// number of elements. Some time after that is reached, it draws another.
type steering struct {
	goal    int
	rising  bool // towards the goal
	filling bool // nothing is removed before there are Fill elements
	// noRemovals and emptying are for faults.
	noRemovals, emptying bool
}

// drawKind draws the kind of the next operation.
func (r *runner) drawKind() kind {
	weights := [kinds]int{r.Mix.Insert, r.Mix.Remove, r.Mix.Look, r.Mix.Update}
	if r.steers() {
		r.steer(&weights)
	}
	total := 0
	for _, w := range weights {
		total += w
	}
	pick := r.random.below(total)
	for k := kind(0); ; k++ {
		if pick -= weights[k]; pick < 0 {
			return k
		}
	}
}

// steers reports whether there is a collection to keep full. A set of few values
// needs no steering.
func (r *runner) steers() bool {
	return r.model.shape == ends || r.model.shape == named && r.Values == 0
}

func (r *runner) steer(weights *[kinds]int) {
	if r.filling = r.filling && r.size < r.Fill; r.filling {
		*weights = [kinds]int{insert: 1}
		return
	}
	up := !r.emptying && r.climb()
	switch {
	case r.noRemovals:
		weights[insert], weights[remove] = max(1, weights[insert]), 0
		return
	case up:
		weights[insert] *= 3
	default:
		weights[remove] *= 3
	}
	if weights[look] *= 2; weights[update] > 0 {
		weights[update] *= 2
	}
}

// climb reports whether the collection should grow now. It keeps a goal for a
// while after reaching it, so that at the goal 0 removals find nothing.
func (r *runner) climb() bool {
	reached := r.size == r.goal || (r.size > r.goal) == r.rising
	if reached && r.random.below(8) == 0 {
		r.goal = r.newGoal()
		r.rising = r.goal > r.size
	}
	return r.rising
}

func (r *runner) newGoal() int {
	switch {
	case r.Fill > shallow:
		return r.Fill - r.Fill/8 + r.random.below(r.Fill/4+1)
	case r.random.below(4) == 0:
		return 0
	}
	return r.Fill/2 + r.random.below(r.Fill+1)
}

// values has the values that a runner draws.
type values struct {
	scatter permutation // of the values of a priority queue
	fresh   int64       // the last value that was used
	extra   int64       // how many other values unused has returned
	low     int64       // minus the smallest value

	live []int64   // elements that were added, without a removal drawn since
	gone [32]int64 // the last elements with a removal
	went int       // how many had one

	slab []history.Value
}

// value draws a value to insert or write.
func (r *runner) value() history.Value {
	if r.Values > 0 {
		return history.IntValue(int64(r.random.below(r.Values)))
	}
	r.fresh++
	if r.model.place == ranked {
		return history.IntValue(r.scatter.at(r.fresh))
	}
	return history.IntValue(r.fresh)
}

// unused returns a value that is used nowhere else. It is larger than all others
// if the collection orders values.
func (r *runner) unused() history.Value {
	switch {
	case r.Values > 0:
		r.extra++
		return history.IntValue(int64(r.Values) - 1 + r.extra)
	case r.model.place == ranked:
		r.extra++
		return history.IntValue(r.scatter.size() - 1 + r.extra)
	}
	r.fresh++
	return history.IntValue(r.fresh)
}

// smallest returns a value that is used nowhere else, smaller than all others.
func (r *runner) smallest() history.Value {
	r.low++
	return history.IntValue(-r.low)
}

// element draws the element of an operation on a set. If values are distinct, the
// element is probably in the set, or was, or soon will be.
func (r *runner) element(k kind) history.Value {
	if r.Values > 0 {
		return r.value()
	}
	if k == insert {
		r.fresh++
		return history.IntValue(r.fresh)
	}
	choice := r.random.below(8)
	switch {
	case k == look && choice < 4 && len(r.live) > 0:
		return history.IntValue(r.live[r.random.below(len(r.live))])
	case k == remove && choice < 6 && len(r.live) > 0:
		i, last := r.random.below(len(r.live)), len(r.live)-1
		v := r.live[i]
		r.live[i] = r.live[last]
		r.live = r.live[:last]
		r.size--
		r.gone[r.went%len(r.gone)] = v
		r.went++
		return history.IntValue(v)
	case choice < 7 && r.went > 0:
		return history.IntValue(r.gone[r.random.below(min(r.went, len(r.gone)))])
	}
	return history.IntValue(max(1, r.fresh-7+int64(r.random.below(16))))
}

// args returns a copy of the arguments for the history. One allocation serves
// many calls.
func (r *runner) args(vs ...history.Value) []history.Value {
	if len(r.slab) < len(vs) {
		r.slab = make([]history.Value, 512)
	}
	args := r.slab[:len(vs):len(vs)]
	r.slab = r.slab[len(vs):]
	copy(args, vs)
	return args
}

// A random draws numbers from rand.PCG, which is the same on all machines and in
// all versions of Go. It scales them itself for the same reason.
type random struct{ source *rand.PCG }

func newRandom(seed, stream uint64) random { return random{rand.NewPCG(seed, stream)} }

// below returns a number from 0 to n-1, for n >= 1. Its bias is n in 2^64.
func (r random) below(n int) int {
	high, _ := bits.Mul64(r.source.Uint64(), uint64(n))
	return int(high)
}

// A permutation permutes the numbers below 2^width.
type permutation struct {
	width int
	mask  uint64
}

func newPermutation(atLeast int) permutation {
	width := bits.Len(uint(atLeast))
	return permutation{width, 1<<width - 1}
}

// size returns one more than the largest number.
func (p permutation) size() int64 { return 1 << p.width }

// at returns the image of i. Each step has an inverse: addition, multiplication by
// an odd number, and xor with the number's own upper half.
func (p permutation) at(i int64) int64 {
	x := uint64(i)
	for _, factor := range [...]uint64{0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9, 0x94d049bb133111eb} {
		x = (x*factor + 0x2545f491) & p.mask
		x ^= x >> ((p.width + 1) / 2)
	}
	return int64(x)
}
