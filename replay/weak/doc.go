// Package weak checks histories in which operations of some methods are weakly consistent:
// they may miss the effects of other operations, as far as the level of their method allows.
// Package visibility defines the levels.
//
//	A  |-put(1, x)-|  |-put(2, y)-|  |-remove(1)-|
//	B                |--------------size: 0--------------|
//
// This history is not linearizable, because the size is never 0 while size runs. But as a
// bundle of reads, one for each key, size may read key 2 before put(2, y), and key 1 at the end.
//
//	v, err := weak.Check(ctx, h, spec, weak.Levels{"size": visibility.Bundle}, replay.Options{})
//
// Check first decides the history with the engines of package decide: as it is, and without
// the results of weak operations. A linearizable history is consistent, and one that has no
// order even without these results is not. Otherwise visibility.Operations.Search tries the
// order that was found without them, and then others. Time and memory alone bound that. If all
// operations concern one part each, and no levels above basic occur, parts are searched one by
// one: a set of one part does not restrict those of another, and witnesses of parts make one of
// the whole.
//
// What Check finds is replayed once more by other code: the linearization on a fresh object,
// and each weak operation on another one after what it sees.
//
// Specifications must be deterministic. A pending operation that is weak may have any result.
package weak
