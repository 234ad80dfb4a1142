package replay

import "github.com/leadline/leadline/history"

// A Holder is a Spec whose objects hold values that operations put there.
type Holder interface {
	Spec
	// AppendHeld appends to dst the values that op, an operation that Check accepts, may put
	// into the object, and those that it found there if it has its recorded result. Values that
	// the object holds initially are not among those that it found. So an operation that found
	// a value which no other operation puts there is never linearizable.
	AppendHeld(dst []Held, op *history.Operation) []Held
}

// Held is a value that an operation puts into an object or finds there.
type Held struct {
	// Value is Unknown if the operation may put any value there.
	Value history.Value
	// Part is the key under which the object holds the value, or None if it has no keys.
	Part history.Value
	Puts bool
	// Verb says how values get there, as in "enqueued".
	Verb string
}

// A Projectable is a Spec whose objects consist of independent parts, and whose operations
// may concern several of them at once. Examples are a set, whose parts are its elements, and
// lists under keys. Project returns op without all other parts, and without all other elements
// of lists. If an order of operations is a witness, it is one of their projections, too.
type Projectable interface {
	Spec
	// AppendParts appends to parts those that op, an operation that Check accepts, concerns or
	// lists, and to elements the elements of lists in it. It returns false if op has no
	// projections.
	AppendParts(parts, elements []history.Value, op *history.Operation) (p, e []history.Value, ok bool)
	// Project returns false if nothing is left of op. Of values that mean the same, such as
	// null and an empty list under a key, the projection has the one that the objects give.
	Project(op *history.Operation, hasPart, hasElement func(history.Value) bool) (history.Operation, bool)
}
