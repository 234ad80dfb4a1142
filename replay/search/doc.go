// Package search decides histories that families leave open, by trying every
// order that could still matter.
//
// The search follows the responses of a history. An operation need not be
// placed before some response requires it, its own or that of an operation that
// has to follow it. So a configuration is: the response that is due, the state
// of the object, and which of the open operations have been placed. Take the
// schedules
//
//	add(1) add(2) contains(3) ...
//	add(2) add(1) contains(3) ...
//
// of a set. The second is abandoned as soon as both adds are placed: the first
// reached that configuration and failed. (Wing and Gong 1993, with the
// memory of Lowe 2017.) A failed configuration takes about 35 bytes, or about
// 70 in a history with pending operations, however long it is. Each state of
// the object is kept once.
//
// Pruning lists the rules that leave out more; the argument for each is at its
// code:
//
//   - operations that only read are placed at once;
//   - if two operations are alike, the one that must return first goes first;
//   - a configuration that failed covers those that differ by more pending
//     operations used;
//   - a pending operation stays out if it changes nothing, or if the next step
//     erases what it changed;
//   - independent parts of an object are searched separately.
//
// Tests compare the search without each of them with brute force.
//
// A long search is interrupted once to guess; see guesser. That finds witnesses
// of histories in which the order of two operations, such as two enqueues,
// becomes visible only much later. It proves nothing when it fails.
//
// Order beyond real time narrows the intervals; what is left of it blocks
// operations until others have been placed; see arrangement. The responses do
// not help where real time orders nothing, as in a history relaxed to program
// order, or where more than 64 operations that return are open at once. Then a
// configuration is the state and how many operations of each chain have been
// placed; see vectors.
//
// Two more searches have configurations of their own:
//
//   - Small decides histories of a few operations. The set of operations placed
//     is one word.
//   - QueueOrStack decides queues and stacks into which values are inserted more
//     than once. In a queue, a removal fixes the order of insertions, and
//     configurations differ in little but which removals have been placed. The
//     search of a stack finds the configurations that a pushdown system reaches,
//     and never keeps a whole stack. In long histories of stacks it is followed by
//     a beam search, which keeps sets of whole stacks; see stackBeam.
//
// The answer is definite, also with pending operations, edges, unknown results
// and nondeterministic specifications, unless memory or time run out. All
// searches check often enough whether to stop, which a test measures. The
// package computes no depth.
package search
