package replay

import "github.com/leadline/leadline/history"

// A Collection is a Spec of an object that holds values, for the monitors of
// replay/monitor.
type Collection interface {
	Spec
	// Discipline says which values its removals take; NoDiscipline if no
	// monitor can decide its histories.
	Discipline() Discipline
	// Role says what op does to the collection if it answers what it
	// recorded, and to which value.
	Role(op *history.Operation) (Role, history.Value)
}

// A Discipline says which value a removal takes.
type Discipline uint8

const (
	NoDiscipline Discipline = iota
	FirstIn                 // a queue: the one that is in it longest
	LastIn                  // a stack: the one that came last
	Smallest                // a priority queue: the first in the order of history.Value.Compare
	Largest                 // a priority queue: the last in that order
	BothEnds                // a deque
	Named                   // a set: the one that is asked for
	Counted                 // a multiset: as Named, but it may hold a value several times
	Overwritten             // a register: there is one, and each insertion removes it
	// OverwrittenByKey is a map: there is one value for each part of the
	// object, and the specification has to be Partitioned.
	OverwrittenByKey
)

// A Role is what an operation does to a collection.
type Role uint8

const (
	// Other is anything else, or an operation of which the recorded result
	// does not tell.
	Other Role = iota
	// Insert puts a value in; into a deque, at the back.
	Insert
	// Remove takes a value out and answers it; from a deque, at the back. A
	// pending removal has the value Unknown unless it names one.
	Remove
	// Look finds the value that Remove would take (or that a set holds) and
	// leaves it there.
	Look
	// InsertFront, RemoveFront and LookFront are for the front of a deque.
	InsertFront
	RemoveFront
	LookFront
	// Nothing finds the collection empty and leaves it so. In a register, or
	// under a key of a map, it reads the initial value.
	Nothing
	// Absent finds that a set does not hold the value, and leaves it so.
	Absent
	// Idle looks, and is pending: it does not matter.
	Idle
	// Never has a result that it cannot have in any state, or in any where
	// values are distinct.
	Never
)
