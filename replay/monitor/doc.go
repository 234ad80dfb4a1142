// Package monitor decides histories of collections in which no value is
// inserted twice, in about the time that it takes to read them from a file.
//
// Deciding whether a history of a queue, or even of a register, is linearizable
// is NP-hard in general, because a removal may have taken any of several equal
// values. Tests rarely need equal values: a process can insert its name and a
// count. Then the insertion that belongs to each removal and each read is known, and
// for the usual collections a few sorted lists are enough. [Run] returns an order of
// the operations as a witness, or a conflict: a few operations that are not linearizable
// even without the rest of the history.
//
// # Terms
//
// The role of an operation (replay.Role) is what it does. It inserts a value, removes
// it, reads it and leaves it there, finds it absent, or finds nothing at all.
// An operation with the role Look is called a look.
//
// An operation that is invoked at position c among the events and returns at
// position r takes effect at some moment between them. All moments between two
// neighbouring events are equivalent. Together they are a slot, and slot i is right
// before event i. So the operation has the slots c+1 to r, and a pending
// operation has all slots from c+1 on.
//
// Consider the operations that insert, read and remove a value. Let first be
// the earliest response among them and last the latest invocation; last is
// infinite if the value is inserted and never removed. The value is in disorder
// if one of these holds, which no order explains:
//
//   - it was read or removed, and never inserted;
//   - it was read or removed by an operation that returned before its
//     insertion was invoked;
//   - it was read by an operation that was invoked after its removal had
//     returned.
//
// Otherwise the insertion takes effect before first, since some operation on the
// value has returned then, and the removal takes effect after last. If first is
// before last, the value is in the collection in the slots first+1 to last, which
// are its inner interval. If not, the inner interval is empty: all operations on
// the value share the slots last+1 to first, and the value can come and go at one
// moment in any of them.
//
//	A  |-- enqueue 1 --|         |-- dequeue: 1 --|
//	                   (= inner =)
//	B         |------ isEmpty: true ------|
//
// Here isEmpty has slots outside the inner interval, before it and after it.
//
// A pending insertion of a value that no operation read or removed is left out,
// as if it never took effect.
//
// # What it can decide
//
// Run decides a history if
//
//   - the specification is a replay.Described with a discipline;
//   - real time is the only order;
//   - no value is inserted twice, not even by a pending operation. It may be inserted
//     under different keys of a map, and also into a set again if no operation finds
//     nothing;
//   - every operation has a role. Operations that count the values or clear the
//     collection have none, unless they find nothing.
//
// Run declines other histories, with one exception. It refutes most wrong histories of a
// stack into which some values are inserted several times, or whose values are counted. It
// leaves out the operations on these values and the operations that count. A witness of
// the stack, restricted to the rest, is a witness of the rest. So a conflict among the
// remaining operations is a conflict of the history.
//
// A pending removal of a queue, a stack or a priority queue does not name the value that
// it took. Run first leaves it out; an order of the rest is a witness. If there is
// none, Run also leaves out the values that no other operation removed, since pending
// removals can only have taken these. A conflict among the remaining operations is
// a conflict of the history. If there is none either, Run declines. It is exact
// without pending removals, and always exact for sets, multisets, registers and
// maps.
//
// # Sets and multisets
//
// The operations of a set name their values, so that values only interact where an
// operation finds nothing.
//
// Theorem. A history of a set or multiset with distinct values is linearizable
// if and only if
//
//   - no value is in disorder,
//   - every operation that found a value absent has a slot outside that value's
//     inner interval, and
//   - every operation that found nothing has a slot outside the inner intervals of
//     all values.
//
// Proof. A value is in the set in all slots of its inner interval, so the
// conditions are necessary. Conversely, insert each value in slot first and remove
// it in slot last+1; if its inner interval is empty, do both in slot first. Looks
// take effect as soon as the value is there and they are invoked. Within each
// slot, order the operations as follows: reads of values that were inserted in
// earlier slots; removals of such values; operations that found a value absent or
// found nothing; insertions, reads of what they inserted, and removals of it. So
// operations of the third group see a value in its inner interval alone. A pending
// removal that names a value counts as one that happened: it can take effect as
// late as necessary, and no value stays longer with it than without it. ∎
//
// # Sets to which values are added again
//
// If no operation finds nothing, values do not interact, and each is present or
// absent. A sweep visits the events in order. An operation that finds a value
// present, or absent, takes effect when it is invoked if the value is present, or absent,
// at that moment. Otherwise it waits. When an operation returns that has not taken effect,
// it is forced. If it waits, it takes effect with the next change of its value. If it is
// an addition, it is itself that change, after one more change if the value is present.
// Removals are treated likewise. Among the additions (or removals) that are
// invoked and have not taken effect, the one with the earliest response makes the
// change; pending ones come last. All operations that wait for the change take
// effect right after it.
//
// Theorem. A history of a set in which no operation found nothing is
// linearizable if and only if the sweep never lacks an operation for a change
// that it has to make.
//
// Proof. If it never does, the order in which operations take effect is a
// witness. For the converse, take a witness and one value. We show that at every
// moment the witness has made at least as many changes as the sweep, including
// those that the sweep has to make. Assume that this holds until operation o is
// forced. If o waits, the sweep has made the same number of changes, k, ever since
// o was invoked. The witness had made at least k then, and not just k when o took
// effect, as the value is in the wrong state after k changes. So it has made k+1.
// If o is an addition, let x be the last change by an addition that responds later
// than o, or the beginning. The additions of the sweep after x respond before o.
// They and o were invoked after x, or one of them would have been taken in place
// of x. The witness has at least as many additions up to x as the sweep, and in
// the witness, too, these additions and o come between x and the response of o. So
// it has at least as many additions as the sweep has with o, and as additions and
// removals alternate, at least as many changes. Removals are treated the same way.
// Now if the sweep lacked an addition,
// all invoked additions would have taken effect, and the witness would have one
// more. ∎
//
// A pending operation that the sweep does not take goes to the end, where any
// result is allowed. The sweep takes linear time but for a logarithm to base 64.
//
// A conflict consists of the operation that could not be forced, the additions and
// removals of its value, and the other operations that forced one of them. At a moment when
// all invoked additions and removals have taken effect, their number is as certain
// as it is at the beginning. So the conflict need not reach back further.
//
// # Registers and maps
//
// A register holds a value from its write to the next one. A read of the initial
// value finds nothing.
//
// A map that is written and read by keys is a register for each key (Herlihy
// and Wing 1990, Theorem 1), and values only have to be distinct under one key.
// If the operations on each key take effect in slots of theirs, the operations of
// all keys in the order of their slots are a witness of the whole.
//
// Theorem (Gibbons and Korach 1997). Let last be finite here: a value goes
// when the next comes. A history of a register with distinct values is
// linearizable if and only if
//
//   - no value is in disorder,
//   - no two inner intervals overlap, and
//   - no value whose inner interval is empty has its slots, last+1 to first, all
//     inside the inner interval of another.
//
// The inner interval of the initial value goes from the beginning to the last
// invocation of a read of it.
//
// Proof. Value a has to come before value b if first(a) < last(b): some
// operation on a has returned when one on b is invoked. If no two values have
// to come before each other, order them by the lesser of first and last. Suppose
// that a is before b in this order and b has to come before a. Then first(b) <
// last(a), while the lesser of first(a) and last(a) is less than last(b). It
// cannot be last(a), as then last(a) < first(b). So it is first(a), and a has
// to come before b, too: a contradiction. In the order, each write followed by
// the reads of its value, by invocation, is a witness. The last two conditions
// hold exactly if no two values have to come before each other. ∎
//
// # Queues
//
// For each value, calledIn is the invocation of its insertion, and seen the
// earliest response of its looks and its removal, infinite if there are none.
// Value a has to come before value b if first(a) < calledIn(b), or seen(a) <
// last(b).
//
// Theorem. A history of a queue with distinct values is linearizable if and
// only if
//
//   - no value is in disorder,
//   - the relation "has to come before" has no cycle, and
//   - every operation that found nothing has a slot outside all inner intervals.
//
// Proof. In a witness, let b be inserted before a. If first(a) < calledIn(b),
// some operation on a returned before b was inserted, so a was inserted before.
// If seen(a) < last(b), some operation found a at the front when b was not yet
// removed. Both are contradictions. So the order of insertion respects the
// relation, which has no cycle; and inner intervals are as for sets.
//
// Conversely, assume first that no operation found nothing, and take the values in
// any order that respects the relation. A queue requires only this: insertions in
// this order; looks and removals in this order, the removal of each value after
// its looks; and the insertion of a value before its looks and removal. (A value
// that is never removed has an infinite last, so that no value that was seen comes
// after it.) Let each operation take effect as early as possible: in the first slot
// after its own invocation and the invocations of all operations that are
// required to come before it. If it had returned by then, some operation o would be
// required to come before an operation p that returned before o was invoked. They
// are on different values, a and b, or there is disorder; and a is before b. If o
// is an insertion, first(b) < calledIn(a). If o is not an insertion, neither is p, and
// seen(b) < last(a). Either way, b has to come before a, a contradiction.
//
// Now give each operation that found nothing a slot x outside all inner intervals.
// A value with first < x has last < x, too. No other value has to come before
// such a value: the other has first >= x, thus seen >= x, where this one has
// calledIn < x and last < x. So the order of the values may be changed such that,
// for every such x, those with first < x come before the others, and both groups
// keep their order. The operation comes between the two groups. All operations on
// the first group are invoked before x, and all on the second return after x, so
// that the slots found above stay on their sides. ∎
//
// A conflict is a value in disorder; or an operation that found nothing, with the least
// number of values that fill its slots; or a cycle. Cycles have two values, as in
//
//	A  |-- enqueue 1 --|                    |-- dequeue: 2 --|
//	B                    |-- enqueue 2 --|                     |-- dequeue: 1 --|
//
// where 1 has to come before 2 because it was inserted first, and 2 before 1
// because it was removed first. If one of them was read, they may have three.
//
// # Empty moments
//
// For stacks and priority queues, call a slot free of some values if it is in none
// of their inner intervals.
//
// Lemma. If the history of some values alone is linearizable, it has a witness
// in which the collection is empty at one moment of each slot that is free of
// them.
//
// Proof. A sequence that a stack or a priority queue allows stays allowed when
// all operations on a value are dropped, and when it is appended to a sequence
// that leaves nothing. Let slot x be free. Values with last < x are removed, and
// all operations on them are invoked before x: move those of them that come after
// x in the witness back to x. All operations on the other values return after x,
// as first >= x: move those of them that come before x forward to x, after the
// former. The collection is empty between the two. Free slots that were treated
// before stay empty. ∎
//
// So an operation that found nothing can be placed if and only if it has a slot
// that is free of all values. A conflict with it has the least number of values whose
// inner intervals fill its slots.
//
// # Priority queues
//
// Theorem. A history of a priority queue with distinct values is linearizable
// if and only if
//
//   - no value is in disorder,
//   - each read of a value and each removal has a slot, from the invocation of the
//     value's insertion on and not after the response to its removal, that is free
//     of all values that are served before it, and
//   - every operation that found nothing has a slot that is free of all values.
//
// Proof. This is necessary, since a value can only be served when the values that are
// served before it are not in the queue. Conversely, add value after value in the order
// of service. A value does not matter to the values served before it. By the lemma, these
// have a witness that is empty in all slots free of them. Put reads of the new value into
// their first free slots, its removal into the last of its free slots, and its insertion
// before these. ∎
//
// One pass over the values yields the order of all operations, if each value stays for as
// short a time as possible. Call a slot free if it is free of all values served before
// this one. Let a be the last free slot up to slot first, and b the first free slot from
// slot last+1 on. If a is not before b, both are among the slots that all operations on
// the value share, and all take effect there. If a is before b, the only free slots
// strictly between them are in the value's own inner interval, so that no later
// value will use them. Each look and removal that has a free slot at all has a, or
// b, or one between them. The insertion comes right before the first of them, or in
// its own last slot if that is earlier. So no later value is read or removed in
// a slot strictly inside those of this one. Within a slot, first come the values
// that leave in it, in the order of service; then reads of values that stay, and
// operations that find nothing; then the values that arrive in it, in the opposite
// order.
//
// A conflict is the look or removal, the insertion of its value, and the least number of
// values that are served before it and fill its slots.
//
// # Stacks
//
// All operations on a value whose inner interval is empty can take effect at
// one moment of any of their common slots, and the rest of the stack is not
// affected. The other values are blocks. A part is a largest group of blocks whose
// inner intervals fill the slots begin+1 to end without a gap, where begin is the
// least first and end the greatest last. A block fits under its part if
//
//   - its push is invoked before begin,
//   - its pop returns after end, or it has none, and
//   - each read of it is invoked before begin, or returns after end, or has a slot
//     that is free of all other blocks of the part.
//
// Theorem. A history of a stack with distinct values is linearizable if and
// only if
//
//   - no value is in disorder,
//   - every operation that found nothing has a slot that is free of all values, and
//   - each part has a block that fits under it such that the history without this block
//     is linearizable. It does not matter which of the blocks that fit is taken.
//
// Proof. By the lemma, parts are independent: witnesses of the parts, one after
// the other, are a witness of the whole. The witness of one part is empty in the
// slots begin and end+1 and never between, so that one block is at the bottom from
// begin to end+1. It can be read only while no other block is there. So it
// fits. Conversely, let any block fit. If the part is linearizable, so it is
// without the block; by the lemma, with a witness that is empty in all slots that
// are free of the others. Push the block in slot begin, before all others, pop it
// in slot end+1, after all others, and read it there or between, in the free
// slots. ∎
//
// Removing a block may split its part into several, and so on until no block is left.
// While blocks are removed, begin only grows for the remaining ones, end shrinks, and gaps
// between them open. So a condition that is met once stays met. It is found when it becomes
// true: a tree of least invocations and one of greatest responses have the conditions not yet
// met, and a tree of cover finds where one block is left alone. Each block is removed once
// and each condition met once, and each takes time O(log n).
//
// A part under which no block fits is a conflict by itself. So is a chain of its blocks
// that fills the slots begin+1 to end, unless only a look keeps one of them from fitting.
// Half of the values are left out, or a quarter, and so on, as long as the rest is a conflict.
//
// Lee and Mathur (Efficient decrease-and-conquer linearizability monitoring,
// OOPSLA 2025) decide priority queues and stacks in O(n log n), too, the latter
// in much the same way, with segment trees that count cover and find the only
// cover. Abdulla and others (Efficient linearizability monitoring, PLDI 2025)
// decide stacks in O(n^2), and sets and multisets in O(n), the latter without data
// independence. Unlike theirs, the monitors here allow pending insertions, and
// return witnesses and small conflicts.
//
// # Deques
//
// We know no polynomial monitor of deques. A deque that is used at one end is a
// stack, and one that is filled at one end and emptied at the other is a queue.
// Mixed use is neither a matter of pairs of values, as in queues, nor of a value
// that stays at the bottom, as in stacks. [Run] decides a deque that is used as a
// stack or as a queue, and declines others.
//
// # Lists and sets that grow
//
// [Lists] decides lists under keys to which operations append, such as the transactions of
// Elle's list-append and strings in a key-value store. It also decides sets to which
// operations add, such as the sets of Jepsen's tests. They are empty at first. An operation
// may read and append to several lists at once, step by step. Each list that was read shows
// the order of all appends to it so far:
//
//	A  |-- append(x, 1) --|
//	B     |-- append(x, 2) --|
//	C                           |-- read x: [2] --|
//
// C does not have 1, which A appended before.
//
// A list is unusable if an operation may change it in another way, or if a value is
// appended to it twice. A string is also unusable if a read can be divided into appended
// strings in several ways. A value of a set is unusable if it may be added twice, or if an
// operation does anything else to it. Lists and values are independent objects, so a
// conflict among the others is a conflict of the history.
//
// If an operation read a list before it appended to it, the list that it found is known, and
// also the list with all its appends. If it read a list after some of its own appends, the
// result shows the list before them.
//
// Theorem. A history of lists without an unusable one is linearizable if and only if
//
//   - all values that were read are appended, and own appends are read where they should be;
//   - for each two known lists under one key, one is a prefix of the other;
//   - the values that an operation appends to a list stand together in the longest known
//     list under that key, called the last list, or none of them is in it; and
//   - the following precedences and real time have no cycle. An operation that appends a
//     value of a last list comes before the one that appends the next value. An operation
//     that read a list comes after the one that appends the last value of that list, and
//     before the one that appends the next value in the last list. A value that is in no
//     known list is appended after all appends and reads of the last list.
//
// A pending operation counts if a known list has one of its values, or if it is marked as
// happened.
//
// Proof. Values never leave a list, so known lists are its states at different times, and
// the conditions are necessary. Conversely, take an order of the operations that respects
// the precedences and real time, with the pending operations that do not count at the end.
// The values of a last list are appended in its order. Before a read, all values of the
// list that it found have been appended, since each append comes before the next. No other
// value of the last list has been appended, since the next one comes later. Nor has a value
// been appended that is in no known list. ∎
//
// In a set, the known sets take the place of known lists: for each two of them, one is a
// subset of the other. A value is added after the last read of the largest set without it,
// and before the first read of the smallest set with it. The proof is the same.
//
// # Strings that are also written
//
// In a key-value store, operations also write strings as a whole, each string once. Every
// string that was read then begins with the value of the last write, or it has only values
// that were appended before all writes. So the write to which each known list belongs is known.
// An epoch has the operations of one write: the write, the reads of lists that belong to it,
// and the appends of their values. Its inner interval, from the earliest response to the latest
// invocation of these, is as in a register. Appends that were never read belong to no epoch.
//
//	A  |-- put(x, "a") --|                         |-- get(x): "ab" --|
//	B                       |-- append(x, "b") --|
//	C                         |-- append(x, "c") --|
//
// C returned before the read was invoked, and was invoked after the write returned. So it was
// neither before this epoch nor after its last read, and the history is not linearizable.
//
// Theorem. A history of one key is linearizable if and only if
//
//   - no value is in the lists of several writes, and a written value comes first in its lists;
//   - the operations of each epoch are linearizable as a list, by the theorem above;
//   - the epochs satisfy the conditions of the values of a register; and
//   - every append that was never read has a slot outside all inner intervals.
//
// Proof. An append that was never read comes before the write of an epoch, or after its last
// read and all appends that were read, so not in its inner interval. The other conditions are
// necessary as for lists and registers. Conversely, order the epochs as the values of a
// register, and the operations within each as in a list. Real time allows this order of
// operations of different epochs, since no epoch has to come before an earlier one. Give each
// other append the first slot x outside all inner intervals, and place it after the epochs for
// which the lesser of first and last is less than x. All their operations are invoked before x,
// since last < x: otherwise x would be in their inner interval, or last would be the lesser. All
// operations of the other epochs return after x. Two such appends have their slots in the order
// of real time, or share one. ∎
//
// The known lists under a key, and the known sets, are sorted by length. Those of one length
// are a level, with two moments: when all its values have been appended, and when the last
// of its lists has been read. So there are as many precedences as appends, reads and levels.
// The operations are placed by response, each after its predecessors. If a predecessor was
// invoked after the response, or waits for the operation itself, there is a cycle. The cycle
// is a conflict, together with the operations that read the lists.
//
// # Sources
//
//   - M. P. Herlihy and J. M. Wing, Linearizability: a correctness condition for
//     concurrent objects, TOPLAS 12(3), 1990: a history is linearizable if and only
//     if its part for each object is.
//   - P. B. Gibbons and E. Korach, Testing shared memories, SIAM Journal on
//     Computing 26(4), 1997: registers; their zones are the inner intervals here.
//   - T. A. Henzinger, A. Sezgin and V. Vafeiadis, Aspect-oriented linearizability
//     proofs, CONCUR 2013, and A. Bouajjani, M. Emmi, C. Enea and J. Hamza, On
//     reducing linearizability to state reachability, ICALP 2015: queues (the
//     latter stacks, too) have only violations of a few kinds.
//   - K. Kingsbury and P. Alvaro, Elle: inferring isolation anomalies from experimental
//     observations, PVLDB 14(3), 2020: lists that were read show the order of versions.
//   - M. Emmi and C. Enea, Sound, complete, and tractable linearizability
//     monitoring for concurrent collections, POPL 2018: distinct values make
//     collections tractable.
//
// The proofs above are our own, as they include looks, pending operations and
// witnesses.
package monitor
