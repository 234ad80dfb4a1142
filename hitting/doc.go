// Package hitting generates strong d-hitting families of schedules
// (Definition 4.4 of "Checking Linearizability Using Hitting Families",
// PPoPP 2019) for any finite poset, one schedule at a time.
//
// A schedule strongly hits a tuple of elements if it has them in that order
// and each as late as the poset lets it come. A family of schedules is
// strongly d-hitting if every d-tuple is strongly hit by one of them. Families
// of small d are small and still hold a witness for most linearizable
// histories.
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
// where each depth has the schedules of those before it, too.
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
// Where the paper is open: tuples range over distinct elements without an
// element after a larger one (others can give what is no linear extension on
// posets that are no interval orders, and add nothing), and line 25 inserts
// at the front where there is no predecessor.
//
// # Families by moves
//
// Family does not insert elements one by one for every index. For a feasible
// tuple, Algorithm 1 gives the schedule
//
//	L(F) L(S_1) ... L(S_{d-1})
//
// where S_j has the elements y whose largest j with y >= x_j is this one, F
// has those above no x, and L puts a set in order: in the order of insertion,
// elements of the chain to the end of the set, any other right after its last
// predecessor in it, or to its front. Proof, by induction over insertions:
// all y of S_j are inserted after x_j, since y >= x_j. Line 14 or 17 puts x_j
// right before the next x that is there, which begins a set, so at the end of
// the set before. Lines 20 and 23 put an element of the chain right before
// the first x_i such that it is above no x from there on, so at the end of
// its set. Line 26 puts any other y right after its last predecessor; that
// one is in y's set, for a predecessor above x_i puts y above x_i too.
//
// Taking the greater elements out of a set does not change how L orders the
// rest, since they are nobody's predecessors. So appending x to a tuple moves
// what is >= x to the end of the schedule, in the order L(>= x), and leaves
// the rest as it was: a move. Everything follows from that:
//
//   - A node of the tree of tuples costs one move, and equal schedules have
//     equal subtrees.
//   - Families are nested, for d <= n: append to a set its last element as a
//     further x, which moves nothing.
//   - A tuple whose last element moves nothing, or undoes the move before it,
//     gives a schedule that a shorter tuple gives, and so do all extensions of
//     it; they are left out before any schedule is built. What duplicates are
//     left are recognised by fingerprints.
//   - An element that is concurrent with nothing never moves anything, so
//     families are generated on the others alone.
//
// Promised: every distinct schedule of a family comes exactly once, in the
// order of indices, while Exact holds. Not promised: any bound on how many
// there are, other than m n^(d-1) for m chains.
package hitting
