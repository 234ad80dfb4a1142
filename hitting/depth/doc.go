// Package depth finds the smallest depth of a strong d-hitting family that has a
// schedule of a given kind, without generating families. On an interval order of n
// elements and m chains, families have up to m n^(d-1) schedules. Most of the work of
// replaying them is repeated, since two of them differ only near the elements that
// they delay. This package goes through the events in order of time, and treats
// schedules as one if they agree so far and have the same open elements.
//
// It searches for schedules that a machine replays to their end. For a
// history and a sequential object these are the witnesses, and the smallest depth is
// the witness depth. The result is the same as with package hitting: the same depth, and
// the same index, the first by chain and tuple.
//
//	s := depth.New(p, chains, machine, depth.Options{})
//	for d := 1; d <= 5; d++ {
//		if index, found := s.Try(d); found {
//			return index, depth.Schedule(p, chains, index)
//		}
//	}
//
// An example with four elements: 0 and 2 are chain 0, 1 and 3 are chain 1.
//
//	chain 0   |--0--|     |--2--|
//	chain 1      |----1----| |----3----|
//
// Depth 1 has two schedules: 1 0 3 2, of <0, ()>, which delays chain 0, and 0 2 1 3, of
// <1, ()>. A machine that rejects 3 before 2 accepts the second. If it also rejects
// 0 before 1, only depth 2 has a schedule: 1 0 2 3, of <0, (3)>. The search finds it as
// follows. When 0 returns, 0 and 1 are open, and 1 0 is settled. When 1 returns,
// nothing happens. When 2 returns, 3 2 would be settled. The machine rejects that, so 3
// is delayed, and 2 is settled alone. When 3 returns, it is placed.
//
// # Terms
//
// Elements are intervals: x < y if x returns before y is called. An element is
// open from its call to its return. The other terms are as in package hitting. The
// schedule of an index <c, (x_1, ..., x_k)>, of depth k+1, is
//
//	L(F) L(S_1) ... L(S_k)
//
// where S_j has the elements y for which j is the largest index with y >= x_j, F has
// the elements above no x, and L orders a set. L inserts its elements in the order of
// their calls: elements of chain c at the end, any other element right after its last
// predecessor, or at the front if it has none.
//
// # Segments
//
// Call x_j a record if it returns before all later x of the tuple; the last one is a
// record. Let x_j be a record, r its return, and r' the return of the next record
// (infinite if there is none).
//
//   - If x_j is not a record, S_j = {x_j}. Some later x_i does not return after x_j,
//     so the elements above x_j are above x_i.
//   - If x_j is a record, S_j has x_j and the elements called after r and not after
//     r', except elements of the tuple. All elements called after r are above x_j. No
//     later x_i returns before the next record. So elements called after r' are above the
//     next record, and the others are above no x_i. An element of the tuple, x_i, is in
//     S_i: a feasible tuple has no x_i > x_j with i < j.
//
// So the schedule is a sequence of segments, in order of time. A segment begins with
// a record. Then comes L of the elements that are called between the return of this
// record and the return of the next one, except elements of the tuple. Then come, one by
// one, the x between the two records. F is a segment that does not begin with a record.
//
// An x that is not a record comes before the next record x_b and is called
// before r', since otherwise it would be above x_b. It does not return before r',
// since x_b is the next record. So it is open at r', and so is x_b. The
// same holds at the returns of earlier records, if it is called before them.
// Conversely, if all x of a tuple are placed where they are open in this sense, the
// tuple is feasible.
//
// # Within a segment
//
// Removing elements of the tuple from a set does not change how L orders the rest: an x
// that is called in a segment is open at its end, so it precedes no element of the segment.
//
// Suppose some elements of the segment have been inserted, in the order of their
// calls, and one is called next. If it is not of chain c, it is inserted right after
// the last element that has returned. All elements after that one are open. If it is of
// chain c, it is appended. So the elements up to the last one that has returned are
// settled: no element is inserted between them any more. The elements after it are the
// tail. They are open, and in the reverse order of their calls, except that the open
// element of chain c is the last. (There is at most one.) So the set of its elements
// determines the tail. (At the front of F no element has returned, and the tail is the
// whole segment. The record that begins another segment has returned.)
//
// # The search
//
// A node, after some response, has
//
//   - the tail, a set of open elements,
//   - the held elements: elements of the tuple that are open and not placed yet,
//   - the state of the machine after all other elements called so far, in their
//     order, and
//   - its cost, the number of elements of the tuple met so far.
//
// An element that is called joins the tail. When y returns, a node has these
// successors:
//
//   - y was placed: the node does not change.
//   - y is in the tail: it is settled now. The elements of the tail before y are
//     played, or held at a cost of 1 each, y is played, and the elements after it
//     remain as the tail.
//   - y is in the tail, and becomes a record, at a cost of 1: all other elements of
//     the tail are played, or held at a cost of 1 each. Then some of the held elements
//     are played, in some order. Then y is played. The tail is empty.
//   - y is held: it becomes a record in the same way, at no further cost. A held
//     element has to be placed before it returns, so this is its last moment.
//
// A step that the machine rejects ends a way (a path of nodes). After the last response,
// the open elements never return. The elements of the tail are played or held, and the
// held elements are played in some order.
//
// Theorem. The tuples of chain c whose schedule the machine replays to its end are the
// ways from the start to the end, and the cost of a way is the length of its tuple.
// Proof. The order in which a way plays the elements is the schedule of the tuple
// of the elements that it holds or makes records, in the order in which it plays
// them: by the above, segment by segment. The first record after a cut is the next
// element of the tuple that returns, as all held elements have to be placed by then. A
// tuple determines its records, hence which of its elements are placed where, and
// so a way.
//
// The successors of a node depend on tail, held and state alone. So among all ways to a
// node, only one of least cost is needed, and among these the one with the
// lexicographically least word: the elements of the tuple that were played. Words of
// equal cost at one node have equal length. So the first way that is found by
// increasing cost belongs to the first tuple of the least depth. If no node is left
// after some response, no schedule of this depth explains the responses so far. This
// proves that families of this depth have no witness.
//
// # Several chains
//
// Chain c matters only for the order of a tail that has its open element, and not as the
// last one anyway. So one search is for up to 64 chains. A node has the set of the chains
// whose ways lead to it. When an element of the tail returns, or a tail is cut, the node is
// divided: one part for each chain that orders the tail in its own way, and one for the
// others. Of several nodes that differ only in chains, cost and word, each chain keeps the
// best. The best end is the first by cost, chain and word.
//
// # Cost
//
// The cost of a response is the number of nodes times the choices in one tail. At most c
// elements are open, and at most d-1 of these are held. So a search takes n times a factor
// that depends on c, d and the number of states that can occur at one moment, while
// families take n^d. For registers and maps the number of states is small. Even the depth
// of 10,000 operations, in the thousands, is found in less than a second. The states of
// queues and stacks depend on the order of concurrent insertions until the values are
// removed, so nodes multiply with the depth. A search needs memory for the nodes after
// one response, and for the machine.
//
// # Other posets
//
// Segments are intervals of time exactly on interval orders. Say that S_j is local if
// the elements have ranks such that, with U(x) for the elements above x and records
// by rank instead of return: S_j = {x_j} if x_j is not a record; S_j is {x_j} and
// U(x_j) - U(x_b), except elements of the tuple, if x_b is the next record; and the same
// without U(x_b) if x_j is the last record.
//
// Theorem. S_j is local for all feasible tuples exactly on interval orders.
// Proof. A poset is an interval order exactly if the sets U(x) are nested. If they are,
// take as rank the number of elements that are not above x; the proof is the one
// under Segments. If they are not, there are x < y and z < w such that y is not
// above z and w is not above x. Both (x, z) and (z, x) are feasible. In the first,
// S_1 has y, so x is a record and its rank is below the rank of z. In the second, S_1
// has w, so the rank of z is below the rank of x. That is a contradiction.
//
// The smallest counterexample has four elements: 0 < 1 and 2 < 3. Its tuple (0, 2)
// gives S_1 = {0, 1}, and (2, 0) gives S_1 = {2, 3}. Two processes of two
// operations each, in program order alone, are this poset. So histories with extra
// order edges are left to families. A shortest path over pairs of downset and state
// would work on any poset, since L(F) ... L(S_j) is a downset, but the downsets of k
// processes of m operations number (m+1)^k, and all are met.
package depth
