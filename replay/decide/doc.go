// Package decide checks whether a history is linearizable. Check gives the verdict;
// explain.Why gives the reason. Check runs the engines one after another within the
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
// operations for which its engine runs, and its share of the budget (limits.go). Each engine
// declines the histories that it cannot decide. In order:
//
//   - depth: histories of up to 24 operations, by the witness of least depth, in
//     microseconds; and longer histories in which no two operations overlap, by replaying
//     the only order;
//   - monitor: collections, registers and maps with distinct values, and sets, in
//     O(n log n), and lists to which operations append different values, such as those of
//     Elle's list-append (package monitor);
//   - short search: up to 5,000 configurations, and 30 more for each response that it
//     reaches, so that it gives up early where it is stuck. In a priority queue of few
//     priorities, it may take 64 times as long for each response. Before it, a read of a
//     value that nobody writes refutes the history of a register or a map. After it, a
//     monitor tries a history of up to 24 operations;
//   - window: queues with repeated values, from one response to the next;
//   - order: queues, stacks, priority queues and deques, also bounded, with sizes or with
//     pending removals, and registers, maps and transactions, by constraints on pairs of
//     operations;
//   - search: the complete search, part by part where objects have parts. Before it, a
//     result that no state gives refutes the history;
//   - depth and families: the depth of a linearizable history, up to Options.MaxDepth. Its
//     share of the work grows with MaxDepth. On long histories it is a small part
//     of the time to read and decide them. Their depth grows with their length, so
//     most small depths are refuted quickly. The share is smaller on long histories of
//     queues and stacks if many operations are concurrent. Families give the depth of
//     histories with edges, and of specifications whose objects are not States. Up to 24
//     operations, the budget bounds the families; up to 16,384, only few schedules are
//     replayed. Within the budget, families may also decide a history that the other rows
//     leave open.
//
// Monitor and window apply to histories with edges as well, if the edges hardly matter: see
// byIntervals. A history that is relaxed to program order is first decided in real time,
// because a linearizable history is sequentially consistent.
//
// # What each row is worth
//
// This is from "go test -run ^$ -bench Prices -benchtime 1x ./replay/decide", which takes about
// ten minutes: 20,284 histories, 504 of them simulated, with 2 seconds for each. For
// each row, the table has the number of histories that it decided, how many of these were recorded
// from real objects, and how many are undecided without the row. The last two columns are the
// processor time for the histories that it decided, in milliseconds, with the row and without it.
// Other programs ran beside it: of the histories that a search decided, 5 took more than 2 seconds
// when they were checked again without any change.
//
//	row                 decided   real   only it    CPU with   without
//	depth                19,535  19,535        0         643       818
//	monitor                 185      4        3         702     9,865
//	short search            405    241        2       1,101     4,023
//	window                   24      0        5       2,070     8,259
//	order                    92      0       59      13,558    73,931
//	search                   13      0       13       1,316    24,129
//	depth and families        0      0        0           -         -
//
// All rows together leave 30 undecided. Without a rule of the search, more are: 22 without reads at
// once, 17 without parts, 15 without twins, and 6 without useless pending operations or without
// erased effects (so that 5 of each may be due to the other programs). Without all rules but
// parts, there are 38 more.
//
// Who has such histories:
//
//   - depth: tests of concurrent objects with a few operations, such as those of
//     java.util.concurrent;
//   - monitor: recorders and stress tests of queues, sets and maps that write different values,
//     thousands of operations at once;
//   - short search: logs of etcd and of Jepsen's registers;
//   - window: queues of jobs whose values repeat;
//   - order: schedulers with few priorities, bounded queues, deques, and registers and
//     key-value stores of Jepsen's kind, with compare-and-set or transactions; all of these
//     where clients lose responses;
//   - search: counters, multisets, locks, and specifications of users;
//   - depth and families: users who need the depth of a longer history. Only histories of
//     objects that are not States need the row for their verdict.
//
// If a history is not linearizable, explain.Why finds out why. It runs the same engines,
// without depths, on other histories in one Session: prefixes, sub-histories, and histories
// with other results.
package decide
