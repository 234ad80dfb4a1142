// Package replay has the words of checking histories against sequential
// specifications by replaying schedules: a Spec is what a specification has to
// offer, Options are what a user can ask for, a Verdict is what comes out. Use
// package decide to check a history; its Check is the one entry point.
//
// A schedule is a witness if the object, run sequentially in its order, gives
// every recorded result. A queue, and two processes:
//
//	A  |--enqueue(1)--|  |--dequeue: 2--|
//	B     |--enqueue(2)--|
//
// Of the schedules "enqueue 1, enqueue 2, dequeue" and "enqueue 2, enqueue 1,
// dequeue" the second is a witness. It is also the one that delays
// enqueue(1), so a strong 1-hitting family has it: witness depth 1.
//
// Specifications come in two kinds. A state model has objects that are
// States: they can be copied and have canonical keys, so that they are
// interned, each transition is computed once and replaying is looking up a
// table; Model makes one from functions on values, nondeterministic ones
// included. Any other Object is simply run, a fresh one per schedule.
//
// Pending operations may take effect at any time after their invocation, or
// never; they have no result to compare. A schedule that places one where the
// object has no transition leaves the state as it is: it never took effect.
//
// Promised: the same history and options give the same verdict, witness and
// counts, as long as no bound of time is reached. An Undecided verdict says
// why. Not promised: that Depth is the linearizability depth of Definition
// 4.2. A family may hold a witness by luck; ExactDepth is that depth, and is
// never smaller.
package replay
