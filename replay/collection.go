package replay

import "github.com/leadline/leadline/history"

// A Described is a Spec with additional facts about its objects and operations.
// The facts have to be true: a wrong fact makes verdicts wrong. A Spec that is
// not a Described, or gives no facts, is decided too, only more slowly.
type Described interface {
	Spec
	Traits() Traits
	// Facts returns what is known of op, an operation that Check accepts. It is
	// called once per operation.
	Facts(op *history.Operation) Facts
}

// Traits are facts about all objects of a specification. The zero value claims
// nothing.
type Traits struct {
	// Discipline determines which values the removals of a collection take. It
	// is NoDiscipline if no monitor decides its histories.
	Discipline Discipline
	// Partitioned is true if an object consists of independent parts, such as
	// the keys of a map (P-compositionality: Horn and Kroening 2015). Then a
	// history whose operations concern one part each is linearizable if and
	// only if the operations of each part are (Herlihy and Wing 1990, Theorem
	// 1).
	Partitioned bool
	// Capacity is the number of values that a bounded collection can hold.
	Capacity int
	// Key is a string that two specifications of one Go type share only if no
	// sequence of invocations distinguishes their objects; "" if there is none.
	Key string
}

// Facts are facts about an operation. The zero value claims nothing. Engines read
// them once per operation, so they are small enough to be passed in registers.
type Facts struct {
	// Role is what the operation does to a collection if it has its recorded
	// result. Value is the value that it inserts, removes, reads or counts; also
	// if the role is Other.
	Role Role
	// ReadOnly is true if the operation leaves the state unchanged in every
	// state in which it has its recorded result. Examples are a read and a
	// removal that found nothing to remove.
	ReadOnly bool
	// Apart is true if the operation does not depend on the presence or absence of
	// other values than the one that it inserts, removes, reads or replaces. A removal
	// that returned a value is an example. A size that is not 0 is a counterexample, and
	// so is an insertion that found no room. A pending removal is apart, too: it may have
	// no effect. If the object has parts, it is about the values within the part. An
	// operation that concerns several parts is apart if it does not depend on the presence
	// or absence of any part. An example is one that found a map empty.
	Apart bool
	// Part is the number, from 1, of the argument that names the part of a
	// partitioned object that the operation concerns. It is 0 if the operation
	// concerns several parts, like the size of a map.
	Part  int
	Value history.Value
	// Impossible is why no state gives the recorded result, in words for people, or "".
	Impossible string
}

// PartOf returns the part that op concerns, given the facts of op. It returns
// false if op concerns several parts.
func (f Facts) PartOf(op *history.Operation) (history.Value, bool) {
	if f.Part == 0 {
		return history.Value{}, false
	}
	return op.Args[f.Part-1], true
}

// A Divisible is a Spec whose objects have independent parts, and whose operations are
// sequences of steps that concern one part each. An example are transactions.
type Divisible interface {
	Spec
	// Divide returns steps that together are the same as op, an operation that Check
	// accepts, if they run one after another without other operations between them. That
	// is, op has its recorded result in exactly the states in which each step has its own,
	// and leads to the same state. If a step has no transition, op has none. Each step is an
	// operation of the specification that concerns one part alone, which Divide returns
	// in parts. Steps on different parts are independent: the order of two of them does
	// not matter.
	//
	// Divide returns false if op cannot be divided. Only method, arguments and result of
	// the steps count.
	Divide(op *history.Operation) (steps []history.Operation, parts []history.Value, ok bool)
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

// A Discipline determines which value a removal takes.
type Discipline uint8

const (
	NoDiscipline Discipline = iota
	FirstIn                 // a queue: the oldest value
	LastIn                  // a stack: the newest value
	Smallest                // a priority queue: the first in the order of history.Value.Compare
	Largest                 // a priority queue: the last in that order
	BothEnds                // a deque
	Named                   // a set: the value given as argument
	Counted                 // a multiset: like Named, but with repeated values
	Overwritten             // a register: it holds one value, replaced by each insertion
	// OverwrittenByKey is a map: it holds one value for each part of the
	// object, which has to be Partitioned.
	OverwrittenByKey
	// FirstInBounded is a queue that holds at most Traits.Capacity values.
	FirstInBounded
)

// A Role is what an operation does to a collection.
type Role uint8

const (
	// Other is any other effect, or an effect that the recorded result does not
	// determine.
	Other Role = iota
	// Insert puts a value in; into a deque, at the back.
	Insert
	// Remove takes a value out and returns it; from a deque, at the back. A
	// pending removal has the value Unknown unless it names one.
	Remove
	// Look reads the value that Remove would take (or that a set holds) and
	// leaves it there.
	Look
	// InsertFront, RemoveFront and LookFront are for the front of a deque.
	InsertFront
	RemoveFront
	LookFront
	// Nothing finds the collection empty and leaves it empty. In a register, or
	// under a key of a map, it reads the initial value.
	Nothing
	// Size finds that the number of values in the collection is Value, an integer above
	// 0. If Value is Unknown, it finds at least one value. It changes nothing.
	Size
	// Clear takes all values out.
	Clear
	// Absent finds that a set does not hold the value, and changes nothing.
	Absent
	// Idle is a pending read: it does not matter.
	Idle
	// Full finds a bounded collection full, and changes nothing.
	Full
	// Never has a result that is impossible in every state, or in every state
	// whose values are distinct.
	Never
)

// Impossible returns why no state gives the recorded result of op, or "" if that
// is not known. Such an operation is never linearizable.
func Impossible(spec Spec, op *history.Operation) string {
	if op.Pending() {
		return ""
	}
	return FactsOf(spec, op).Impossible
}
