// Package subject has concurrent objects to test with package stress: correct
// ones, and for most of them a twin that is deliberately broken.
//
// Called one after another, the methods of a broken subject return what those of
// its twin return. Each has a common mistake: an update lost between a load and a
// store, a size that is counted after the lock was released, a queue that shows an
// element before it is there. None is a data race: all shared data are atomic or
// locked, in the wrong order, so the race detector reports nothing.
//
//	thread 0  |-- increment -- load 0 ------------ store 1 --|
//	thread 1         |-- increment -- load 0, store 1 --|        read: 1
//
// Between the two steps that should be one, a broken subject works for about 100
// ns, as real objects do that compute or allocate there. It does not sleep or
// yield.
//
// The methods of a blocking queue wait while it is full, or empty. Its twins lose
// wake-ups.
//
// A subject whose results have the form of a model names that model and has its
// methods; the others are their own specification. A broken subject and its twin
// have the same methods with the same designations.
package subject
