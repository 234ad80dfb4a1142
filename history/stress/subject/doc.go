// Package subject has concurrent objects to try package stress on: some that
// are correct, and for most of them a twin that is deliberately broken.
//
// A broken subject answers what its twin answers as long as its methods are
// called one after another, and every broken one is a mistake that people
// make: an update lost between a load and a store, a size that is counted
// after the lock was given back, a queue that tells of an element before it
// is there. None is a data race: all that threads share is atomic or locked,
// in the wrong order, so that the race detector has nothing to say.
//
//	thread 0  |-- increment -- load 0 ------------ store 1 --|
//	thread 1         |-- increment -- load 0, store 1 --|        read: 1
//
// Between the two steps that ought to be one, the broken subjects work for
// about a hundred nanoseconds, as real ones do that compute or allocate there.
// They do not sleep and do not yield.
//
// A subject whose answers have the shape of a model has that model as its
// Spec and methods named like the model's; the others are their own
// specification. A broken subject and its twin have the same methods with the
// same designations, since both are given by one list.
package subject
