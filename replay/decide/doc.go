// Package decide checks whether a history is linearizable. Check is the entry
// point of the whole module: it asks the engines one after another, watches the
// budget and replays every witness once more before it is reported.
//
//	A  |--write(1)--|        |--read: 2--|
//	B     |--write(2)--|
//	C        |------read: 1------|
//
// C reads what A wrote and A reads what B wrote, so write(1), C's read,
// write(2), A's read is the only witness. It delays write(2) beyond C's read,
// which takes a family of d = 2.
//
// Families can show that there is a witness, and how deep it lies, but hardly
// ever that there is none. Package depth finds the first witness of a family
// without going through all its schedules. So short histories begin with the
// depth, and most of them are decided by it. For the others a monitor or a short
// search first finds out whether there is a witness, which takes microseconds to
// milliseconds on most histories; complete searches decide what is still open; and
// then the depth is looked for.
//
// The engines are rows of one table (engines.go). Each row says for how many
// operations it is asked and which share of the budget it gets; each engine
// declines the histories that it cannot decide. In their order:
//
//   - first depths: the depth of up to 24 operations, in microseconds;
//   - small search: up to 32 operations without edges, in microseconds;
//   - monitor: collections, registers and maps with distinct values, and sets,
//     in O(n log n) (package monitor);
//   - monitor of intervals: the same for histories with edges, where the edges
//     matter little;
//   - short search: up to 5,000 configurations;
//   - depths of the undecided: the depth, within a fraction of a millisecond;
//   - first families: the depth of histories with edges, and of specifications
//     whose objects are not States, by enumeration: with all of the budget up to 24
//     operations, and with few schedules up to 16,384;
//   - pieces: deques, between moments at which they can be empty;
//   - queue or stack search: queues and stacks with repeated values, also by
//     intervals;
//   - search: the complete search, part by part where objects have parts;
//   - depths: the depth of what is linearizable, up to Options.MaxDepth. Its share
//     of the work grows with MaxDepth, and shrinks on long histories to a small
//     part of what reading and deciding them takes: there, depth grows with the
//     length, so that most are refuted up to any small depth at once. On queues
//     and stacks of more than 256 operations, a depth is given up as soon as the
//     share is expected not to suffice, and the share is a fraction where many
//     operations are concurrent;
//   - families: what the budget still allows.
//
// If a history is not linearizable and Options.Explain is set, package
// replay/internal/explain finds out why. It asks the same engines, without depths,
// about other histories: beginnings, sub-histories, and histories with other
// results.
package decide
