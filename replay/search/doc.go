// Package search decides histories that families leave open, by trying every
// order that could still matter.
//
// It goes along the responses of a history. An operation need not be placed
// before some response forces it, its own or that of one that has to come
// later, so a configuration is: the response that is due, the state of the
// object, and which of the open operations have been placed. Of the schedules
//
//	add(1) add(2) contains(3) ...
//	add(2) add(1) contains(3) ...
//
// of a set the second is given up as soon as both adds are placed: the first
// has been in that configuration and failed. (Wing and Gong 1993, with the
// memory of Lowe 2017.) What is kept of a configuration takes 24 bytes, or
// some 70 in a history with pending operations, however long it is; the states
// of the object are kept besides, once each.
//
// Pruning lists the rules by which more is left out, each with its argument
// where it is written: operations that only look are placed at once; of two
// that look alike the one that must return first goes first; a configuration
// that failed speaks for those that differ by more pending operations used; a
// pending operation stays out if it changes nothing or the next step erases
// what it changed; independent parts of an object are searched apart. Tests
// hold the search without each of them against brute force.
//
// A search that takes long is interrupted once to guess: the object runs along
// the responses, and where nothing works the path is repaired, by going back to
// a response at which placing other operations first gets past the obstacle.
// That finds witnesses of histories in which the order of two operations shows
// only much later, as that of two enqueues does; it proves nothing when it
// fails.
//
// Order beyond real time narrows the intervals, and what it says besides
// blocks operations until others have been placed; see arrangement. Where real
// time says nothing at all, as in a history relaxed to program order, or more
// than 64 operations that return are open at once, the responses are no guide.
// Then a configuration is the state and how many operations of each chain have
// been placed; see vectors.
//
// Two more searches have a configuration of their own: Small, of a few
// operations at once, is Wing and Gong's with the set of operations placed in a
// word; Lazy, of queues and stacks into which values come more than once, fixes
// the order of insertions only when a removal shows it, so that configurations
// differ by little but which removals have been placed. Of a stack it asks which
// configurations a pushdown system reaches, and never keeps a whole stack.
//
// Promised: a definite answer, pending operations, edges, unknown results and
// nondeterministic specifications included, unless memory or time run out. All
// engines ask whether to stop in time, which a test measures. Not promised:
// anything about depth.
package search
