// Package explain finds out why a history is not linearizable: the shortest prefix
// that fails, the states before its last response, a minimal sub-history that
// fails, and the smallest groups of results to blame. Check decides and explains; Why explains
// a verdict of decide.Check:
//
//	v, err := explain.Check(ctx, h, spec, options)
//
// Every part of an explanation is decided by the engines of package decide, so it agrees
// with the verdicts of decide.Check.
//
//	A  |--enqueue(1)--|  |--enqueue(2)--|
//	B  |----enqueue(3)----|                |--dequeue: 2--|  |--dequeue: 1--|
//
// The prefix ends with the response of the first dequeue: until then, the queue
// holds 1, 2 and 3 in one of three orders, with 1 before 2, and perhaps without the
// first. The minimal sub-history has enqueue(1), enqueue(2) and that dequeue. The
// value 3 and all later operations are left out. The dequeue is to blame: if it had
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
// Suffix. All later events than a given one are left out; operations that are open then
// become pending. Take W up to the last operation that has returned by then. It has
// no operation that is invoked later, since such an operation comes after all that have
// returned. It lacks only operations that are pending now.
//
// Read-only. An operation is left out that leaves the state unchanged wherever it
// has its recorded result (replay.Facts.ReadOnly). In W without it, all other operations
// meet the same states. The same is true of a removal that found nothing
// (see concern), if null cannot have been inserted: then it found
// the collection empty.
//
// Parts. All operations on one part of a partitioned object are left out. The other
// operations do not concern this part, or are apart: they have the same result and the
// same effect on the other parts without it. So W without that part is a witness.
//
// Values of a collection. All operations about one value are left out: its
// insertions, the removals that returned it, the reads that found it. All other
// operations have to be apart. Map each state of W to the state without that value. An
// operation about the value does not change the mapped state: it changes only the
// presence of the value. For the other operations, compare a state with the mapped one:
//
//   - An insertion of another value has the same effect in both. Where it found
//     room, there is room with fewer values.
//   - A removal or read that returned another value met it at the end of the
//     queue, stack or deque where it acts, or as the smallest or largest value. The other
//     value is there in the mapped state as well.
//   - An operation that found the collection empty finds it empty. Clearing it empties it.
//   - A pending removal that took the value takes nothing. Because it is pending, it
//     need not have taken effect.
//
// An insertion that found no room, a size other than 0 and an unknown result are
// not apart: fewer values may change them.
//
// Spare removals. Let k be how many values can be left in a collection at most: those that are
// inserted, without those that completed removals returned. In W, at most k pending removals
// took a value. One of them changes places with an earlier invoked one at the same end that took
// nothing. So the first k pending removals at each end, by invocation, are enough, and the
// others are left out: they took nothing in W, and need not have taken effect. All operations
// that insert have to be known. If there are edges, the rule holds for k = 0 only.
//
// Projections. All operations on some parts are left out, and the parts are left out of the
// lists that other operations returned: see replay.Projectable. W without these parts is a
// witness of what remains. The same holds for elements of lists under keys. Pending operations
// without effect in W come last.
//
// A value that nothing puts into the object. If an operation found a value there that no other
// operation may put there, it fails by itself: the object lacks the value in every order, of
// whatever operations. So does an operation with a result that no state gives.
//
// Values of a register, or of a key. All operations about a group of values are left
// out: writes, reads, and compare-and-sets from one value to another. Two values are in
// the same group if a compare-and-set connects them. So are a value and the initial one,
// if a removal returned the value and restored the initial one. All other operations have
// to be apart, so no compare-and-set failed. Let an operation read or replace the value v,
// which is not in the group. In W, v was stored by the last operation before it that stored
// a value, or v is the initial value and there was no such operation. That operation is
// about v, so it is not left out, and still the last one. The remaining operations write
// in any state. A pending compare-and-set that met another value than it expected had no
// effect, and is left out of W.
//
// Loops. All operations between two moments are left out, if no operation is open at
// either, and if the object has the same state at both for every order of the operations
// before. In W, the operations before a moment without open operations come first. So W
// consists of three pieces, and the third begins in the state in which the second begins.
// One such moment is the beginning.
//
// A history is minimal if no rule can leave out more of it without ending the failure.
// Rules combine: each rule turns a linearizable history into a linearizable one, so if a
// history fails after several rules, it fails after each of them.
//
// # Blame
//
// Freeing a result means to replace it by an unknown one, which accepts every result of
// the object. A witness remains a witness if results are freed. Suppose
// that a history fails even if all results except a set K are free. Then a
// group that makes the history linearizable has a result of K: otherwise it frees
// only results that were free already. So it is enough to try the results of a
// minimal K. If freeing one of them is not enough, try the results of a minimal K of
// the history in which it is free. That finds all groups of the smallest size.
//
// Many unknown results make long histories hard. For these, operations of the core get
// other results, one at a time: first the values of the core. If none of them is enough,
// one is kept, and an operation of the core of that history gets a second one. At last,
// an operation of the core is pending. If the history fails even so, no result of it is
// enough. If not, the operation gets the result that it has in a witness. Each group found
// makes the whole history linearizable, but other groups may be overlooked. So
// Explanation.Missing has "blame" then. It also has "blame" if a shorter history is so hard
// that the search for all groups gave up.
package explain
