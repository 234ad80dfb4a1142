// Package monitor decides histories of collections in which no value is
// inserted twice, in about the time that it takes to read them.
//
// In general it is NP-hard to say whether a history of a queue, or even of a
// register, is linearizable. What makes it hard is that a removal may have
// taken any of several equal values. Tests rarely need equal values: a process
// can insert its name and a count. Then it is known which insertion each
// removal and each look is about, and for the usual collections a few sorted
// lists decide. A [Run] gives an order of the operations as a witness, or
// operations that are in conflict: a few out of a long history which no order
// explains, whatever the others did.
//
// # Words
//
// What an operation does is its role (replay.Role): it inserts a value,
// removes it, looks at it and leaves it there, finds it absent, or finds
// nothing at all. An operation that is invoked at position c among the events
// and returns at position r takes effect at some moment between, and of the
// moments between two neighbouring events all are alike: they are a slot, slot
// i being right before event i. So the operation has the slots c+1 to r, and a
// pending one all slots from c+1 on.
//
// Of the operations that insert, look at and remove a value, let first be the
// earliest response and last the latest invocation; last is infinite if the
// value is inserted and never removed. The value is in disorder if it was
// looked at or removed and never inserted, or by an operation that returned
// before its insertion was invoked, or if it was looked at by an operation
// that was invoked after its removal had returned. No order explains that. In
// order, the insertion takes effect before first, since some operation on the
// value has returned then, and the removal after last. If first is before
// last, the value is there in the slots first+1 to last, which are its inner
// interval. If not, the interval is empty: there are slots that all its
// operations have, last+1 to first, and a moment in one of these is enough for
// the whole life of the value.
//
//	A  |-- enqueue 1 --|         |-- dequeue: 1 --|
//	                   (= inner =)
//	B         |------ isEmpty: true ------|
//
// Here isEmpty has slots outside the inner interval, before it and after it.
//
// A pending insertion of a value that nobody looked at or removed is left out,
// as if it never took effect.
//
// # What it can decide
//
// The specification has to be a replay.Collection, the order that of real
// time, and no value may be inserted twice, not even by a pending operation;
// under different keys of a map it may, and into a set, too, if no operation
// finds nothing. Operations that find how much there is, or clear, have no role
// unless they find nothing. Run declines histories of other kinds.
//
// A pending removal of a queue, a stack or a priority queue does not say what
// it took. It is left out; if there is an order, that is a witness. If there is
// none, the values that nothing else removed are left out as well, since
// pending removals can only have taken these. A conflict among the rest is
// one. If there is none, Run declines. It is exact without pending removals,
// and for sets, multisets, registers and maps always.
//
// # Sets and multisets
//
// Here operations name their values, so that these only meet where an
// operation finds nothing.
//
// Theorem. A history of a set or multiset with distinct values is linearizable
// if and only if no value is in disorder, every operation that found a value
// absent has a slot outside that value's inner interval, and every operation
// that found nothing has a slot outside the inner intervals of all values.
//
// Proof. A value is there in all slots of its inner interval, so all this is
// necessary. For the rest, insert each value in slot first and remove it in
// slot last+1, or, if its inner interval is empty, do both in slot first; looks
// take effect as early as the value is there and they are invoked. In each
// slot, first those look that look at what was inserted in earlier slots; then
// come removals of such values; then the operations that found a value absent
// or found nothing; then insertions, looks at what they inserted, and removals
// of it. So a value is seen by the third of these in its inner interval alone.
// A pending removal that names a value counts as one that happened: it can
// take effect as late as need be, and nothing is there any longer than without
// it. ∎
//
// # Sets to which values are added again
//
// If no operation finds nothing, values do not meet, and each is there or not.
// A sweep comes by the events. Whatever finds a value there, or absent, takes
// effect when it is invoked, if that is so, or else waits. When an operation is
// to return that has not taken effect, it is forced to: if it waits, by the
// next change of the value; an addition by being that change, after one more
// if the value is there; a removal likewise. A change is made by the addition,
// or removal, with the earliest response among those that are invoked and have
// not taken effect; one that is pending comes last. All that wait for the
// change take effect right after it.
//
// Theorem. A history of a set in which no operation found nothing is
// linearizable if and only if the sweep never lacks an operation for a change
// that it has to make.
//
// Proof. If it does not, the order in which operations take effect is a
// witness. For the converse, take a witness and one value: at every moment at
// least as many changes have been made in the witness as in the sweep, those
// that it has to make included. Let this be so until operation o is forced. If o
// waits, the sweep has made the same number of changes, k, ever since o was
// invoked. In the witness there were at least k then, and not just k when o
// took effect, as the value is in the wrong state after k changes. So there are
// k+1. If o is an addition, let x be the last change by an addition that
// responds later than o, or the beginning. The additions of the sweep after x
// respond before o. They, and o, were invoked after x, or one of them would
// have been taken in its place. In the witness, too, there are as many additions
// up to x as in the sweep, or more, and all of these come between x and the
// response of o. So there are as many as the sweep has with o, and as additions
// and removals alternate, as many changes. Removals are the same. Now if the
// sweep lacked an addition, all that are invoked would have taken effect, and
// the witness would have one more. ∎
//
// A pending operation that the sweep does not take goes to the end, where it may
// answer anything. With heaps, the sweep takes O(n log n).
//
// A conflict is the operation that could not be forced, the additions and
// removals of its value, and what else forced one of them. Where all those that
// were invoked have taken effect, their number is as certain as it is in the
// beginning, so that the conflict need not reach back further.
//
// # Registers and maps
//
// A register holds a value from its write to the next. A read of the initial
// value finds nothing.
//
// A map that is written and read by keys is a register for each key (Herlihy
// and Wing 1990, Theorem 1), and values only have to be distinct under one key.
// If the operations on each key take effect in slots of theirs, one order of
// all slots is a witness of the whole.
//
// Theorem (Gibbons and Korach 1997). Let last be finite here: a value goes
// when the next comes. A history of a register with distinct values is
// linearizable if and only if no value is in disorder, no two inner intervals
// overlap, and no value whose inner interval is empty has its slots, last+1 to
// first, all inside the inner interval of another. The inner interval of the
// initial value goes from the beginning to the last invocation of a read of it.
//
// Proof. Value a has to come before value b if first(a) < last(b): some
// operation on a has returned when one on b is invoked. If no two values have
// to come before each other, order them by the lesser of first and last. If a
// stands before b in this order and b has to come before a, then first(b) <
// last(a), while the lesser of first(a) and last(a) is less than last(b). It
// cannot be last(a), as then last(a) < first(b). So it is first(a), and a has
// to come before b, too. In an order without such pairs, each write followed by
// the reads of its value in the order of their invocations is a witness. That
// two values have to come before each other is what the theorem excludes. ∎
//
// # Queues
//
// For each value, calledIn is the invocation of its insertion, and seen the
// earliest response of its looks and its removal, infinite if there are none.
// Value a has to come before value b if first(a) < calledIn(b), or seen(a) <
// last(b).
//
// Theorem. A history of a queue with distinct values is linearizable if and
// only if no value is in disorder, the relation of what has to come before
// what has no cycle, and every operation that found nothing has a slot outside
// all inner intervals.
//
// Proof. In a witness, let b be inserted before a. If first(a) < calledIn(b),
// some operation on a returned before b was inserted, so a was. If seen(a) <
// last(b), some operation found a at the front when b was not yet removed.
// Both contradict. So values have to be inserted in an order without cycles;
// and the inner intervals are as for sets.
//
// If there are no operations that found nothing, take values in any order
// that respects the relation. A queue asks for this and no more: insertions in
// this order; looks and removals in this order, the removal of each value after
// its looks; the insertion of a value before its looks and removal. (A value
// that is never removed has an infinite last, so that no value that was seen
// stands after it.) Let each operation take effect as early as possible: in
// the slot after the latest invocation of those that this order puts before
// it, or its own. If it had returned by then, some operation o would have to
// come before an operation p, with p returning before o is invoked. They are on
// different values, a and b, or there is disorder; a stands before b. If o is
// an insertion, first(b) < calledIn(a). If not, neither is p, and seen(b) <
// last(a). Either way, b has to come before a, which it does not.
//
// Now give an operation that found nothing a slot x outside all inner
// intervals. A value with first < x has last < x, too. None of the others has
// to come before such a value: it has first >= x, thus seen >= x, where the
// other has calledIn < x and last < x. So the order of the values may be
// changed so that those with first < x stand before the others, both groups as
// they stood, for every such x. The operation comes between the two groups. All
// operations on the first are invoked before x, all on the second return
// after x, so that the slots found as above stay on their sides. ∎
//
// It would not do to treat an operation that found nothing as a value that it
// inserts and removes at once. Where it stands between two values, the removal
// of the first has to come before the insertion of the second, which is a rule
// about three, and the relation is about two.
//
// A conflict is a value in disorder, or an operation that found nothing with
// as few values as fill its slots, or a cycle. Cycles have two values, as in
//
//	A  |-- enqueue 1 --|                    |-- dequeue: 2 --|
//	B                    |-- enqueue 2 --|                     |-- dequeue: 1 --|
//
// where 1 has to come before 2 because it was inserted first, and 2 before 1
// because it was removed first; or three, if one of them was looked at.
//
// # Empty moments
//
// For stacks and priority queues, let a slot be free of some values if it is
// in none of their inner intervals.
//
// Lemma. If the history of some values alone is linearizable, it has a witness
// in which the collection is empty at one moment of each slot that is free of
// them.
//
// Proof. The sequences that a stack or a priority queue allows stay so when
// all operations on a value are dropped, and when one is put behind another
// that leaves nothing. Let slot x be free. Values with last < x are removed,
// and all operations on them are invoked before x: take those of them from the
// witness that come behind x back to x. All operations on the others return
// after x, as first >= x: move those of them that come before x forward to x.
// What was there of the former goes first. Free slots of which this was done
// before stay empty. ∎
//
// So an operation that found nothing has a place if and only if it has a slot
// that is free of all values. A conflict with it has as few values as fill its
// slots.
//
// # Priority queues
//
// Theorem. A history of a priority queue with distinct values is linearizable
// if and only if no value is in disorder, each look and each removal has a
// slot, from the invocation of the value's insertion on and not after the
// response to its removal, that is free of all values to be served before, and
// every operation that found nothing has one that is free of all.
//
// Proof. It is necessary, as a value can only be served when those to be
// served before are not there. For the rest, add value after value in the order
// in which they are to be served. To the values before it, a value does not
// matter. They have a witness that is empty in all slots free of them: put
// looks at the new value into the first of its free slots, its removal into
// the last, and its insertion before. ∎
//
// The order of all operations comes from one pass over the values if each is
// there for as short a time as can be. Let free slots be those free of the
// values before; let a be the last one up to slot first, and b the first from
// slot last+1 on. If a is not before b, both are in the slots that all
// operations on the value have, which take effect there. If it is, the only
// free slots strictly between a and b are in the value's own inner interval, so
// that no later value will use them. Each look and removal that has a free slot
// at all has a, or b, or one between; the insertion comes right before the
// first of them, or in its own last slot if that is earlier. So no later value
// is looked at or removed in a slot strictly inside of those of this one. In
// a slot, first those values go that go there, in the order in which they are
// to be served; then come looks at values that stay, and operations that find
// nothing; then values come, in the opposite order.
//
// Free slots are a set of bits with bits for its words above, which takes the
// place of a search tree. Sorting ints takes linear time.
//
// A conflict is the look or removal, the insertion of its value, and as few
// values to be served before as fill its slots.
//
// # Stacks
//
// All operations on a value whose inner interval is empty can take effect at
// one moment of any of their common slots, and a stack never notices. Let the
// others be the blocks. A part is a largest group of blocks whose inner
// intervals fill the slots begin+1 to end without a gap, begin being the least
// first and end the greatest last. A block fits under its part if its
// push is invoked before begin, its pop returns after end (or it has none), and
// each look at it is invoked before begin, or returns after end, or has a slot
// that is free of all other blocks of the part.
//
// Theorem. A history of a stack with distinct values is linearizable if and
// only if no value is in disorder, every operation that found nothing has a
// slot that is free of all values, and each part has a block that fits under
// it, such that the history without this block is linearizable. It does not
// matter which of the blocks that fit is taken.
//
// Proof. By the lemma, parts can be told apart: a witness of the whole is one
// of each part after the other. That of one part is empty in the slots begin
// and end+1 and never between, so that one block is at the bottom from begin
// to end+1. It can be looked at only while no other is there. So it fits.
// Conversely, let any block fit. If the part is linearizable, so it is without
// the block; by the lemma, with a witness that is empty in all slots that are
// free of the others. Push the block in slot begin, before all others, pop it
// in slot end+1, after all others, and look at it there or between in the free
// slots. ∎
//
// Taking a block away may leave several parts, and so on until nothing is
// left. What has to be known for that is kept in a few lists and trees. Only
// gaps matter: groups of slots without an end of an inner interval among them
// that fewer blocks cover than the slots around, and those where a look begins
// or ends. A tree over the gaps counts the blocks that cover each, and adds up
// their numbers by exclusive or, so that a gap with one block left tells which
// it is: from then on, looks at this block may use the gap, and when the block
// goes, parts end there. While blocks are taken away, begin only grows for
// those that remain, end shrinks, and gaps lose cover. So a condition that is
// met once remains so. It is found when it is met: in a list of what is not
// yet met, sorted by first, a tree of least invocations and greatest responses
// leads to those of a part that begin and end now let pass. Each block is
// taken away once and each condition met once, and each takes time O(log n).
//
// A part under which no block fits is in conflict by itself. So is a chain of
// its blocks that fills the slots begin+1 to end, unless one of them would
// fit but for a look, which wants a chain of others over its slots. Of these,
// blocks are left out from both ends for as long as the rest is in conflict.
//
// Lee and Mathur (Efficient decrease-and-conquer linearizability monitoring,
// OOPSLA 2025) decide priority queues and stacks in O(n log n), too, the latter
// in much the same way, with segment trees that count cover and tell who is
// alone; Abdulla and others (Efficient linearizability monitoring, PLDI 2025)
// decide stacks in O(n^2), and sets and multisets in O(n), for which they do not
// ask for data independence. Unlike theirs, the monitors here know pending
// insertions, and give witnesses and small conflicts.
//
// # Deques
//
// Of a deque no polynomial monitor is known to us: one that is used at one end
// is a stack, one that is filled at one end and emptied at the other is a
// queue, and what mixes them is neither a matter of pairs of values, as queues
// are, nor of a value that stays at the bottom, as stacks are. Empty moments
// hold for deques as well, though: their sequences, too, stay legal when values
// are dropped and when one that ends empty is followed by another. So [Pieces]
// cuts a history wherever no inner interval lies, in O(n log n), and leaves the
// pieces to a search that is exponential in the worst case in how many
// insertions of a piece overlap. [Run] decides a deque that is used as a stack or
// as a queue, and declines others.
//
// # Sources
//
// M. P. Herlihy and J. M. Wing, Linearizability: a correctness condition for
// concurrent objects, TOPLAS 12(3), 1990: objects can be looked at one by one.
// P. B. Gibbons and E. Korach, Testing shared memories, SIAM Journal on
// Computing 26(4), 1997: registers; zones are what inner intervals are here.
// T. A. Henzinger, A. Sezgin and V. Vafeiadis, Aspect-oriented linearizability
// proofs, CONCUR 2013, and A. Bouajjani, M. Emmi, C. Enea and J. Hamza, On
// reducing linearizability to state reachability, ICALP 2015: queues (the
// latter stacks, too) have only violations of a few kinds. M. Emmi and C.
// Enea, Sound, complete, and tractable linearizability monitoring for
// concurrent collections, POPL 2018: distinct values make collections
// tractable. The proofs above are not theirs, as they have to include looks,
// pending operations and witnesses.
package monitor
