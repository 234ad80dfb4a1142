// Package decide checks whether a history is linearizable. Check is the entry
// point of the whole module. It runs the engines one after another within the
// budget, and replays every witness once more before it reports it.
//
//	A  |--write(1)--|        |--read: 2--|
//	B     |--write(2)--|
//	C        |------read: 1------|
//
// C reads what A wrote and A reads what B wrote, so write(1), C's read,
// write(2), A's read is the only witness. It delays write(2) beyond C's read,
// which takes a family of d = 2.
//
// Families can show that there is a witness, and at which depth, but hardly ever
// that there is none. Package depth finds the first witness of a family without
// enumerating its schedules. So for short histories, Check computes the depth
// first, which decides most of them. For the others, a monitor or a short search
// looks for a witness, which takes microseconds to milliseconds on most histories.
// Complete searches decide the rest. The depth comes last.
//
// The engines are rows of one table (engines.go). A row has the numbers of
// operations for which its engine runs, and its share of the budget. Each engine
// declines the histories that it cannot decide. In order:
//
//   - first depths: the depth of up to 24 operations, in microseconds;
//   - monitor: collections, registers and maps with distinct values, and sets,
//     in O(n log n) (package monitor);
//   - monitor of intervals: the same for histories with edges, if the edges
//     hardly matter;
//   - serial: histories in which no two operations overlap, by replaying the only
//     order;
//   - short search: up to 5,000 configurations;
//   - real time: histories relaxed to program order, if they are linearizable, too;
//   - depths of the undecided: the depth, within a fraction of a millisecond;
//   - first families: the depth of histories with edges, and of specifications
//     whose objects are not States, by enumeration: with all of the budget up to 24
//     operations, and with few schedules up to 16,384;
//   - longer search: of stacks, priority queues, and histories with pending operations;
//   - few pairs: stacks, priority queues and deques of up to 16,384 operations, by
//     constraints on pairs of operations, where it is mostly clear what is removed;
//   - queue or stack search: queues and stacks with repeated values, also by
//     intervals;
//   - pairs: all of these collections, also with sizes and pending removals;
//   - impossible results: results that nothing can explain, whatever else happened, such as
//     a value that nobody was inserting;
//   - appended lists: lists to which operations append different values, such as those of
//     Elle's list-append, and sets to which they add, in the time that it takes to read
//     them; among other lists and values, it may refute;
//   - values overwritten: registers, maps and transactions in which most values are written
//     once, so that each read puts operations in order;
//   - without reads: collections, from the rest of the history, if other engines do not
//     know some of the operations that only read;
//   - search: the complete search, part by part where objects have parts, and on
//     states that share most of their memory where transactions concern several parts;
//   - depths: the depth of a linearizable history, up to Options.MaxDepth. Its
//     share of the work grows with MaxDepth. On long histories it is a small part
//     of the time to read and decide them. Their depth grows with their length, so
//     most small depths are refuted quickly. The search gives up early on long
//     histories of queues and stacks if the share is not expected to suffice, and
//     the share is smaller if many operations are concurrent;
//   - families: what the budget still allows.
//
// If a history is not linearizable and Options.Explain is set, package
// replay/internal/explain finds out why. It runs the same engines, without depths,
// on other histories: prefixes, sub-histories, and histories with other results.
package decide
