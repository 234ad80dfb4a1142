package replay

import "github.com/leadline/leadline/history"

// A Described is a Spec that says more about its objects and operations than
// what they do. What it says has to be true: a wrong fact makes verdicts
// wrong. A Spec that is not a Described, or says nothing, is decided all the
// same, only slower.
type Described interface {
	Spec
	Traits() Traits
	// Facts returns what is known of op, an operation that Check accepts. It
	// is asked once per operation.
	Facts(op *history.Operation) Facts
}

// Traits are what is true of all objects of a specification. The zero value
// says nothing.
type Traits struct {
	// Discipline says which values the removals of a collection take;
	// NoDiscipline if no monitor decides its histories.
	Discipline Discipline
	// Partitioned says that an object consists of independent parts, as a map
	// does of its keys (P-compositionality: Horn and Kroening 2015). Then a
	// history of operations on one part each is linearizable if and only if
	// the operations of each part are (Herlihy and Wing 1990, Theorem 1).
	Partitioned bool
	// Key is a string that two specifications of one Go type share only if no
	// sequence of invocations tells their objects apart; "" if there is none.
	Key string
}

// Facts are what is known of an operation. The zero value says nothing.
type Facts struct {
	// Role says what the operation does to a collection if it has its
	// recorded result, and Value to which value.
	Role  Role
	Value history.Value
	// ReadOnly says that the operation leaves the state as it is in every
	// state in which it has its recorded result: a read, but also a removal
	// that found nothing to remove.
	ReadOnly bool
	// Part is the part of a partitioned object that the operation concerns;
	// HasPart is false if it concerns several, as the size of a map does.
	Part    history.Value
	HasPart bool
}

// TraitsOf returns the traits of a specification, or the zero value if it is
// not a Described.
func TraitsOf(spec Spec) Traits {
	if d, ok := spec.(Described); ok {
		return d.Traits()
	}
	return Traits{}
}

// FactsOf returns the facts of an operation, or the zero value if the
// specification is not a Described.
func FactsOf(spec Spec, op *history.Operation) Facts {
	if d, ok := spec.(Described); ok {
		return d.Facts(op)
	}
	return Facts{}
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
	// object, which has to be Partitioned.
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
