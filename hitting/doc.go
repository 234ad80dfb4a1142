// Package hitting generates strong d-hitting families of schedules
// (Definition 4.4 of "Checking Linearizability Using Hitting Families",
// PPoPP 2019) for any finite poset, one schedule at a time.
//
// A schedule strongly hits a tuple of elements if it has them in that order
// and each as late as the poset allows. A family of schedules is strongly
// d-hitting if each d-tuple is strongly hit by one of them. Families of small
// d are small and still hold a witness of most linearizable histories.
//
// The poset of package poset's example (0 < 2, 0 < 3, 1 < 3, chains 0 2 and
// 1 3) has these families:
//
//	d = 1   <0, ()>      1 0 3 2   delays the operations of chain 0: 0 and 2
//	        <1, ()>      0 2 1 3   delays those of chain 1: 1 and 3
//	d = 2   <0, (3)>     1 0 2 3   delays 3 beyond chain 0
//	        <1, (2)>     0 1 3 2
//	d = 3   <1, (2, 3)>  0 1 2 3   with it the family has all 5 schedules
//
// where each depth also has the schedules of the smaller depths.
//
// # From the paper to the code
//
//	poset (Op, <=)                   *poset.Poset
//	chain partition, tid             chains []int32, element -> chain
//	schedule index <tid, (x1, ...)>  Index
//	generateIndices                  feasible tuples, in lexicographic order
//	topologicalSort                  poset.Order: smallest element first
//	Algorithm 1                      Schedule (one index), Family (all)
//	strongly hits (Def. 4.1)         Hits
//	linearizability depth (Def. 4.2) ExactDepth
//
// Where the paper leaves a choice:
//
//   - Tuples range over distinct elements without an element after a larger one.
//     Others add nothing, and on posets that are not interval orders they can give
//     a sequence that is not a linear extension.
//   - Line 25 inserts at the front if there is no predecessor.
//
// # Families by moves
//
// Family does not insert elements one by one for every index. For a feasible
// tuple, Algorithm 1 gives the schedule
//
//	L(F) L(S_1) ... L(S_{d-1})
//
// where S_j has the elements y whose largest j with y >= x_j is this one, F has
// those above no x, and L orders a set: it inserts the elements in the order of
// insertion, those of the chain at the end of the set, any other right after its
// last predecessor in the set, or at the front. Proof, by induction over
// insertions: all y of S_j are inserted after x_j, since y >= x_j. Line 14 or 17
// puts x_j right before the next x present, which begins a set, so at the end of
// the set before it. Lines 20 and 23 put an element of the chain right before
// the first x_i such that it is above no x from there on, so at the end of
// its set. Line 26 puts any other y right after its last predecessor. Predecessors
// are in the set of y or an earlier one, as y is above each x_i that one of them is
// above. If y is in S_j, the last one is in S_j, as x_j is. If y is in F, all are.
//
// Taking all elements >= x out of a set does not change how L orders the rest,
// since they are not predecessors of the rest. So appending x to a tuple moves
// all elements >= x to the end of the schedule, in the order L(>= x), and leaves
// the rest as it was. This is a move. It follows that:
//
//   - A node of the tree of tuples costs one move, and equal schedules have
//     equal subtrees.
//   - Families are nested, for d <= n: append to a set its last element as a
//     further x, which moves nothing.
//   - A tuple whose last element moves nothing, or undoes the move before it,
//     gives a schedule that a shorter tuple gives, and so do all its extensions.
//     They are left out before any schedule is built. Fingerprints recognise the
//     remaining duplicates.
//   - An element that is concurrent with no other never moves anything, so
//     families are generated on the others only.
//
// Promised: every distinct schedule of a family comes exactly once, in the
// order of indices, while Exact holds. Not promised: any bound on their number
// other than m n^(d-1) for m chains.
//
// Misuse that only a wrong program commits, such as a chain out of range, is a
// panic whose message begins with "hitting: " or "poset: ".
package hitting
