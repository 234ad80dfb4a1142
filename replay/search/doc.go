// Package search decides histories that families leave open, by trying every
// order that could still matter.
//
// The search handles the responses of a history one after another. No operation has to be
// placed before a response requires it: its own response, or the response of an operation
// that has to follow it. So a configuration consists of the response that is due, the state
// of the object, and the open operations that have been placed. Take the schedules
//
//	add(1) add(2) contains(3) ...
//	add(2) add(1) contains(3) ...
//
// of a set. The search abandons the second as soon as both adds are placed, because
// the first reached the same configuration and failed (Wing and Gong 1993, with the
// memory of Lowe 2017; see state.Walk). A failed configuration takes about 35 bytes, or about
// 45 in a history with pending operations, however long it is. Each state of
// the object is kept once.
//
// The fields of Pruning are the rules that prune the search further. The code of
// each has its proof:
//
//   - operations that only read are placed at once;
//   - of two operations that are alike, the one that must return first comes first;
//   - a pending operation is left out if it changes nothing, or if the next step erases
//     its effect;
//   - independent parts of an object are searched separately.
//
// Tests switch off each rule and compare the search with brute force.
//
// Edges narrow the intervals of the operations. Where that is not enough, an
// operation is blocked until its predecessors have been placed; see arrangement.
// The operations form chains. A configuration has, for each chain, how many of its
// operations have been placed although they return later than the due one. In real time
// that is at most one. In a history relaxed to program order, it may be many; see walk.
//
// The answer is definite unless memory or time run out, also with pending operations,
// edges, unknown results and nondeterministic specifications. All searches check often
// enough whether to stop, which a test measures. The package does not compute depths.
package search
