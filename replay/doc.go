// Package replay defines the types for checking histories against sequential
// specifications by replaying schedules. A Spec is a sequential specification,
// Options are what a user can ask for, and a Verdict is the result. There are two
// entry points: decide.Check gives the verdict on a history, and explain.Why gives the
// reason why it is not linearizable.
//
// A schedule is a witness if the object, run sequentially in its order, gives
// every recorded result. An example is a queue with two processes:
//
//	A  |--enqueue(1)--|  |--dequeue: 2--|
//	B     |--enqueue(2)--|
//
// The schedule "enqueue 2, enqueue 1, dequeue" is a witness; "enqueue 1,
// enqueue 2, dequeue" is not. The witness is also the schedule that delays
// enqueue(1), so a strong 1-hitting family has it: witness depth 1.
//
// Specifications come in two kinds. The objects of a state model are States:
// they can be copied and have canonical keys. They are interned and each
// transition is computed once, so replaying is a table lookup. Model makes one
// from functions on values, including nondeterministic ones. Any other Object
// is simply run, with a fresh one per schedule. Package replay/porcupine is for
// models written for porcupine.
//
// # What is optional
//
// A Spec has three methods, and its objects one, Apply. Everything else is optional: a
// check works without it, but more slowly, or says less. Each is decided by the method set
// of a specification or of an object.
//
//	of a Spec          what it gives
//	Described          facts about operations: roles, parts, what is read-only or impossible
//	Stepped            what operations do to registers, to the cells of a map, or to a set
//	Divisible          operations on several parts as steps on one part each
//	Versioned          what the versions of operations order
//	Revealing          what operations show of the parts of an object at a version
//	Trusted            no trial of the specification at each check
//
//	of an Object       what it gives
//	State              states that are interned, and transitions that are computed once
//	Nondeterministic   several outcomes of an invocation; it is a State
//	Judge              outcomes for a result, where all outcomes are too many
//	Numbered           the version of the object, which bounds what pending operations did
//	fmt.Stringer       the state in words (see StateText)
//
// # Testing a specification
//
// A wrong specification makes verdicts wrong. Package replay/spec/spectest tests one, also
// your own, in a single call; see its Example.
//
// # Pending operations
//
// Pending operations may take effect at any time after their invocation, or
// never; they have no result to compare. Where a schedule places one and the
// object has no transition, it did not take effect, and the state stays the
// same.
//
// # Versions
//
// An operation may have a version of the object, such as a revision of a store: see
// history.Version and Versioned. Versions only grow, so an operation with a smaller version takes effect
// first; ByVersion has the theorem. What contradicts that is found without a search.
// Versions can only refute.
//
// # Crashes
//
// An operation that is open at a crash is pending if its object is to be durable. If it is to
// be strict, the operation takes effect before the crash or never: its interval ends there, and it has
// its effect or none; see WithCrashes and history.Durability.
//
// # Promises
//
// The same history and options give the same verdict, witness and counts, as
// long as no time limit is reached. An Undecided verdict gives the cause. Depth
// need not be the linearizability depth of Definition 4.2, since a smaller family
// may happen to hold a witness. ExactDepth is that depth, and is never smaller.
package replay

import "fmt"

// The objects of a Model have what is optional for objects. Package replay/spec has
// specifications with the rest.
var (
	_ State            = (*modelState[int])(nil)
	_ Nondeterministic = (*modelState[int])(nil)
	_ fmt.Stringer     = (*modelState[int])(nil)
)
