package simulate

import (
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

// A shape says what a model's operations are about.
type shape int

const (
	ends   shape = iota // a collection that removes what stands at an end
	named               // a collection that removes what it is told to
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
	// place says where the methods of a collection with ends act.
	place placing
}

// A placing says which elements are removed before a new one is.
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

// unlock is the one method that no mix draws: whoever holds a mutex calls it.
const unlock = "unlock"

// Models returns the names of the models that can be simulated.
func Models() []string {
	var names []string
	for _, m := range models {
		names = append(names, m.name)
	}
	return names
}

// atFront reports whether a method of a collection with ends acts at the
// front, where a priority queue serves and a queue is removed from.
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

// draw draws the next operation of a slot, or reports that there is none for
// it now, as for those who do without a mutex that others wait for.
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

// ask asks the object for something that leaves it as it is.
func (r *runner) ask(inv replay.Invocation) history.Value {
	result, ok := r.object.Apply(inv)
	if !ok {
		panic("simulate: no answer to " + inv.Method)
	}
	return result
}

// drawLock lets a slot that holds the mutex unlock it. Each operation that
// may come to hold it has an unlock set aside for it, so that when operations
// run out nobody is left waiting.
func (r *runner) drawLock(s *slot) bool {
	if s.holds {
		s.kind, s.inv = remove, replay.Invocation{Method: unlock}
		return true
	}
	if r.resting || r.begun+r.owed+2 > r.Ops {
		// What is left is for looking, and for those who hold or will.
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

// lookOf is the invocation that looks, without arguments.
func lookOf(m *model) replay.Invocation {
	return replay.Invocation{Method: m.methods[look][0]}
}
