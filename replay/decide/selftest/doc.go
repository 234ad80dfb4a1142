// Package selftest compares every engine with brute force: on all histories of
// a few operations of small types, and on random larger ones.
//
// A type is a specification of replay/spec with a few calls, each with every
// result that could be recorded. It also has a model of its own: the same type
// written a second time, as a function on small numbers. A shape is an interval
// order, up to isomorphism, in which the pending operations are marked:
//
//	|--a--|   |--b--|
//	    |---c---|
//	  |--d-- ...            pending
//
// The histories of a type are all shapes with all calls for each operation.
// What a shape leaves open is drawn at random for each history: which of two
// neighbouring invocations came first, which process issued what, and which
// value is which.
//
// Brute force follows the definition: it places one operation after another, in
// every order that real time and edges allow, and consults the model. It shares
// nothing with the engines except the fields of the history.
//
// Families are the oracle of depths: depth and index of a linearizable history
// are those of the first family that has a witness, and its free depth is that
// of families without some of its pending operations.
//
// A seed determines the histories and the report, whatever the number of jobs,
// unless time runs out. The models here may be wrong: a disagreement only shows
// that one side is.
package selftest
