// Package weak checks histories in which operations of some methods are weakly consistent:
// they may miss the effects of other operations, as far as the level of their method allows.
// Package visibility defines the levels.
//
//	A  |-put(1, x)-|  |-put(2, y)-|
//	B      |-----size: 1-----|
//
// This history is linearizable, and so it is for any levels. If size returned 1 only after
// put(2, y), it would have missed put(1, x), which happened before it. That is
// level weak, but not basic.
//
//	v, err := weak.Check(ctx, h, spec, weak.Levels{"size": visibility.Basic}, replay.Options{})
//
// Check first decides the history with the engines of package decide: as it is, and without the results
// of weak operations. A linearizable history is consistent, and one that has no order even
// without these results is not. Only the rest is searched. Then the work is bounded by time
// and memory alone. Where the object has parts, all operations concern one
// part each, and the levels are weak and basic, parts are searched one by one: a set of one part
// does not restrict those of another, and witnesses of parts make one of the whole.
//
// What Check finds is replayed once more by other code: the linearization on a fresh object,
// and each weak operation on another one after what it sees.
//
// Specifications must be deterministic. A pending operation that is weak may have any result.
package weak
