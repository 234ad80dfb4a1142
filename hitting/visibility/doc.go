// Package visibility defines levels of consistency that are weaker than linearizability, and
// decides them for operations of different levels in one history. The levels are those of
// Emmi and Enea, "Weak-Consistency Specification via Visibility Relaxation" (POPL 2019), and
// bundle. Operations are the numbers 0..n-1; what happened before what is a poset.
//
// # Levels
//
// An execution is a linearization, a total order that respects what happened before, in
// which each operation sees a set of earlier operations. Its result is the one it returns
// after those that it sees, in the order of the linearization. The level of an operation
// says which operations it has to see. Each level from basic to causal has the rules of the
// one above it, too:
//
//	weak       none
//	basic      those that happened before it
//	monotonic  what operations that happened before it saw
//	peer       with an operation, those that happened before that one
//	causal     with an operation, what that one saw
//	complete   all earlier operations
//
// A history is linearizable if all its operations have the level complete. An operation of
// any level takes effect for others like any other: those that see it run it. A complete
// operation sees all earlier ones, so the state before it is that of the whole linearization
// up to there. Seen operations need not give their own results there. They must be able to
// run, and so must all operations of the linearization, in its order.
//
// The paper orders operations by the happens-before of the program; here the user passes any
// poset. In the paper, each level of a method is a predicate of its own, and a stronger level
// implies the weaker ones, as here.
//
// # Bundles
//
// An operation that reads all parts of an object, like the items of a map, has the level
// bundle if it consists of one read for each part, each of them anywhere within its interval.
// Seen as a set, a bundle sees
//
//   - what happened before it, and what precedes that in the linearization;
//   - with a change of a part, all earlier changes of the same part.
//
// The reads give such a set: each sees a prefix of the changes of its part. Conversely, the
// read of a part can be placed right before the first change of that part that is not seen,
// or else where the operation is. No operation that happened before the bundle comes later than
// that place. So bundle is between monotonic and complete, and has no order with peer and causal.
//
// # Between two levels
//
// These are smallest histories of a set of numbers that meet the first level, but not the
// second, found by enumeration. Operations of the level are marked by a star; the others are
// complete. weak, but not basic:
//
//	A  |-add(1)-|
//	B             |*read: {}|
//
// basic, but not monotonic:
//
//	A      |-------add(1)-------|
//	B  |*read: {1}|   |*read: {}|
//
// monotonic, but not peer; and bundle, but not complete:
//
//	A  |-add(2)-|  |-add(1)-|
//	B     |-*read: {1}-|
//
// Here add(2) happened before add(1), and the read overlaps both. Peer, but not causal, where
// all four overlap:
//
//	A  |-----add(2)-----|
//	B  |-----add(1)-----|
//	C  |---*read: {2}---|
//	D  |---*read: {1}---|
//
// causal, but not complete:
//
//	A  |*add(1): new|
//	B    |-add(1): new-|
//
// monotonic, but not bundle; here the complete read shows that add(1) precedes add(2):
//
//	A  |------------add(1)------------|
//	B  |------------add(2)------------|
//	C  |---------read: {1}------------|
//	D  |*read: {2}|       |*read: {2}|
//
// # Search
//
// Operations.Search is a depth-first search through linearizations that remembers which
// configurations have failed (Wing and Gong 1993; Lowe 2017). For each operation of a lower
// level that is not placed yet, it has the possible views: the sets of placed operations that
// the operation may see so far, each with the state that they lead to. Placing another
// operation adds it to some views and not to others. The views exist from the first placed
// operation that did not happen before; up to there, the operation sees all.
//
// For levels weak and basic, sets with the same state are the same view, and views do not
// depend on each other. For the others, a set restricts later ones. So the search tries each
// set that gives the result, and a configuration includes the sets.
//
// An operation of a lower level that only reads is placed as late as possible: right before
// the first one that has to follow it. This loses nothing. Those that it passes just no longer see
// it, no rule requires that they do, and it sees no less than before. A complete operation
// that only reads is placed as soon as it gives its result.
//
// If the object has independent parts, such as keys, and only weak, basic and bundle occur,
// the views of an operation are kept for each part by itself: seen sets of different parts
// can be combined in any way. Divided.Fits finds states of the parts that together give a
// result. So a list of views has at most as many as its part has states or changes, and given
// a linearization, bundles take polynomial time.
//
// Operations.Along enumerates by the definitions what the operations of one linearization can
// see. Package history/stress finds all outcomes of small programs with it.
//
// The number of linearizations that matter is exponential in the number of operations that are
// open at once. For coupled levels, the number of views is in that of the operations missed.
package visibility
