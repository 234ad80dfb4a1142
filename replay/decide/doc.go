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
// ever that there is none. So a monitor or a short search first finds out
// whether there is one, which takes microseconds to milliseconds on most
// histories. Then families look for the depth. Complete searches decide what is
// still open.
//
// The engines are rows of one table (engines.go). Each row says for how many
// operations it is asked and which share of the budget it gets; each engine
// declines the histories that it cannot decide. In their order:
//
//   - small search: up to 32 operations without edges, in microseconds;
//   - monitor: collections, registers and maps with distinct values, and sets,
//     in O(n log n) (package monitor);
//   - monitor of intervals: the same for histories with edges, where the edges
//     matter little;
//   - short search: up to 5,000 configurations;
//   - first families: the depth, with all of the budget up to 24 operations, and
//     with few schedules up to 16,384;
//   - pieces: deques, between moments at which they can be empty;
//   - queue or stack search: queues and stacks with repeated values, also by
//     intervals;
//   - search: the complete search, part by part where objects have parts;
//   - families: what the budget still allows.
package decide
