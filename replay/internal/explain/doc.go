// Package explain finds out why a history is not linearizable: the shortest prefix
// that fails, the states before its last response, a minimal sub-history that
// fails, and the smallest groups of results to blame. Every part of an explanation is
// decided by Problem.Decide, so it agrees with the verdicts of the checker.
//
//	A  |--enqueue(1)--|  |--enqueue(2)--|
//	B  |----enqueue(3)----|                |--dequeue: 2--|  |--dequeue: 1--|
//
// The prefix ends with the response of the first dequeue: until then, the queue
// holds 1, 2 and 3 in one of three orders, with 1 before 2, and perhaps without the
// first. The minimal sub-history has enqueue(1), enqueue(2) and that dequeue. The
// value 3 is left out, and so is what comes later. The dequeue is to blame: if it had
// returned 3, the history would be linearizable.
//
// "Fails" means "is not linearizable", here and in the code.
//
// # Rules
//
// A sub-history is evidence only if leaving out operations cannot create a
// failure. Leaving out an enqueue would. Each rule below turns a linearizable
// history into a linearizable one. So if what remains fails, the history failed.
// Let W be a witness of the history: an order of its completed operations and some
// of the pending ones. Each proof gives a witness of what remains. It has the
// order of W, so it respects real time, and edges.
//
// Suffix. What comes after an event is left out; operations that are open then
// become pending. Take W up to the last operation that has returned by then. It has
// no operation that is invoked later, since that comes after all that have
// returned. It lacks only operations that are pending now.
//
// Read-only. An operation is left out that leaves the state unchanged wherever it
// has its recorded result (replay.Facts.ReadOnly). In W without it, all others meet
// the same states. The same is true of a removal that found nothing
// (replay.Concern.Vacant), if null cannot have been inserted: then it found
// the collection empty.
//
// Parts. All operations on one part of a partitioned object are left out. The
// others do not concern it, or are apart: they have the same result and the same
// effect on the other parts without it. So they do in W without that part.
//
// Values of a collection. All operations about one value are left out: its
// insertions, the removals that returned it, the reads that found it. All others
// have to be apart. Map each state of W to the one without that value. An operation
// about the value maps to none: it changes nothing but the value's presence.
// For the others, compare the state with the one that it is mapped to:
//
//   - An insertion of another value has the same effect in both. Where it found
//     room, there is room with fewer values.
//   - A removal or read that returned another value met it at the end of the
//     queue, stack or deque where it acts, or as the smallest or largest value. It
//     is there without the value as well.
//   - What found the collection empty finds it empty. Clearing it empties it.
//   - A pending removal that took the value takes nothing. As it is pending, it
//     need not have taken effect.
//
// An insertion that found no room, a size other than 0 and an unknown result are
// not apart: fewer values may change them.
//
// Values of a register, or of a key. All operations about some values are left
// out: writes, reads, and compare-and-sets from one to another. A value belongs to
// the same group as those that a compare-and-set connects with it, or a removal
// that returned it and made it the initial one. All others have to be apart, so no
// compare-and-set failed. Let an operation read or replace the value v, which is
// not in the group. In W, v was stored by the last operation that stored any, or it
// is the initial value and there was none. That operation is about v, so it is not
// left out, and still the last one. Others write whatever they meet. A pending
// compare-and-set that met another value than it expected had no effect, and is
// left out of W.
//
// Loops. What lies between two moments is left out, if no operation is open at
// either, and if the object has the same state at both, whatever the order of the
// operations before. In W, what precedes a moment without open operations comes
// first. So W consists of three pieces, and the third begins in the state in which
// the second begins. One such moment is the beginning. In a collection from which
// as many of each value were removed as were inserted, nothing is left.
//
// A history is minimal if no rule can leave out anything more without ending the
// failure. Rules combine: what a rule leaves of a linearizable history is
// linearizable, so if a history fails after several rules, it fails after each of
// them.
//
// # Blame
//
// Freeing a result means to replace it by an unknown one, which accepts whatever
// the object returns. A witness remains a witness if results are freed. Suppose
// that a history fails even if all results but those of a set K are free. Then a
// group that makes the history linearizable has a result of K: otherwise it frees
// some of those that were free already. So it is enough to try the results of a
// minimal K. If freeing one of them is not enough, try the results of a minimal K of
// the history in which it is free. That finds all groups of the smallest size.
//
// Many unknown results make long histories hard. For these, operations of the core get
// other results, one at a time: first the values of the core. If none of them is enough,
// one is kept, and an operation of the core of that history gets a second one. At last,
// an operation of the core is pending. If the history fails even so, no result of it is
// enough. If not, the operation gets the result that it has in a witness. What is found
// makes the whole history linearizable, but other groups may be overlooked. So
// Explanation.Missing has "blame" then. It has it, too, if a shorter history is so hard
// that the search for all groups gave up.
package explain
