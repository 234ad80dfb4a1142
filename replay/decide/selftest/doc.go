// Package selftest holds every engine against brute force: on all histories
// of a few operations of small types, and on random larger ones.
//
// A type is a specification of replay/spec with a handful of calls, each with
// every result that could be recorded, and beside it a model of its own,
// written down once more as a function on small numbers. A shape is an
// interval order, up to isomorphism, with the operations marked that never
// returned:
//
//	|--a--|   |--b--|
//	    |---c---|
//	  |--d-- ...            pending
//
// The histories of a type are all its shapes with all its calls at each
// operation. What an order leaves open (which of two neighbouring invocations
// came first, which process issued what) is drawn at random for each history,
// and so is which of the two values is which.
//
// Brute force is the definition: it places one operation after another, in
// every order that real time and edges allow, and asks the model. It shares
// nothing with the engines but the fields of the history.
//
// Promised: the same histories and the same report for a seed, whatever the
// number of jobs, unless time runs out. Not promised: that the models here are
// right; a disagreement says only that somebody is wrong.
package selftest
