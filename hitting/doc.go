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
//	        <1, ()>      0 2 1 3   delays the operations of chain 1: 1 and 3
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
//     Other tuples add no schedules, and on posets that are not interval orders they
//     can give a sequence that is not a linear extension.
//   - Line 25 inserts at the front if there is no predecessor.
//
// # Families by moves
//
// Family does not insert elements one by one for every index. For a feasible
// tuple, Algorithm 1 gives the schedule
//
//	L(F) L(S_1) ... L(S_{d-1})
//
// where S_j has the elements y for which j is the largest index with y >= x_j, F has
// the elements above no x, and L orders a set. L inserts its elements in the order of
// insertion: elements of the chain at the end of the set, any other element right after
// its last predecessor in the set, or at the front if it has none. Proof, by induction over
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
//   - An element that is concurrent with no other element never moves anything, so
//     families are generated on the other elements only.
//
// Promised: every distinct schedule of a family comes exactly once, in the
// order of indices, while Exact holds. Not promised: any bound on their number
// other than m n^(d-1) for m chains.
//
// # Exact depth on interval orders
//
// ExactDepth adds the parts x_j S_j of a tuple to a downset one by one. Let D be a
// downset that is reached with k elements of the tuple, and A the minimal elements
// outside D. On an interval order the sets of elements above x and above z are
// nested. Therefore:
//
//   - Each element of A is in the rest of the tuple, for outside D it is above
//     nothing. So the tuple has at least k + |A| elements.
//   - If x of A comes next, S has elements only if fewer elements are above each
//     other z of A than above x. Otherwise all y of S are above such a z, too. But z
//     is not in D, and not in S, as it is not above x.
//   - D has all elements whose call is before the call of one of its elements, except
//     for held elements: these are in A and open at the last of these calls. So a
//     downset is a position and a set of open elements, even in a long history.
//
// The search sweeps over downsets by their size and keeps two sizes. It has
//
//	labels  (D, states, k): the orders of D along some path end in these states
//	parts   (k, first, (D, states), ...): downsets of one size to which an S leads
//
// A part begins with x. It may have the elements that are above x, from first on.
// To grow it by one element, each of its downsets takes every minimal element that
// it may have. A result D counts if each maximal element of D that is in S was
// last in one of these steps, and the states allow all of them. Then all orders of
// S up to D give the recorded results. Each downset of a part is a label. Each
// minimal element that comes after a label begins another part. If the S of that part is
// empty, the part gives only a label.
//
// What can be left out:
//
//   - A label, if another label of D has no larger k and a subset of its states: each
//     path from the label to the end is also a path from the other one.
//   - A part, if another part has the same downsets with the same states, no larger
//     k, and no held or maximal element between the two first elements: each part
//     that grows from it also grows from the other one.
//   - A label with k + |A| above a limit, which begins at 1. If no tuple is found,
//     the limit is raised and the sweep repeated. The smallest k at the end is the
//     depth if it is within the limit, and there is none if this rule left nothing out.
//
// So there are at most 2^(c-1) downsets per position, for c elements open at once.
// The time is linear in n if the number of sets of states per downset is bounded.
//
// # Two bounds on depth
//
// Bound gives a depth at which every strong hitting family has all schedules. Let P
// be a poset of n elements, w one of its schedules, and G the graph of its concurrent
// pairs.
//
// Lemma. If the distinct elements of a tuple stand in the order of w, then every
// schedule s that strongly hits the tuple has them in that order, too. Proof:
// otherwise x_j comes before x_i in s for some i < j. The definition for x_j and
// y = x_i gives x_i >= x_k in P for some k >= j > i. But x_i comes before x_k in w.
//
// Theorem 1 (components). Let the connected components of G have k_1, ..., k_c
// elements. Then w is the only schedule that strongly hits some tuple of
// max(1, (k_1 - 1) + ... + (k_c - 1)) elements. Proof: elements of different
// components are comparable, and all elements of one component are below all of another.
// For if a < b, and a' is concurrent with a, then a' < b, since b < a' would give a < a'.
// So components are contiguous in every schedule. The tuple has all elements but the
// first of each component in w, in the order of w.
//
//   - w strongly hits it. Let y come at or after x_i in w. If y is in the tuple, y
//     is x_j for some j >= i. Otherwise y is the first of its component, x_i is of an
//     earlier one, and y >= x_i.
//   - No other schedule s does. By the lemma only the first element f of a component
//     could have another place, behind some x_i of its component. Then f >= x_j for
//     some j >= i. So x_j comes before f in w, but all x of this component come after f.
//
// If all components are single, P is a chain, which has one schedule.
//
// Theorem 2 (vertex cover). Let t be the least number of elements whose removal
// leaves a chain: the size of a smallest vertex cover of G. Then w is the only
// schedule that strongly hits some tuple of at most max(1, 2 t) elements. Proof: let V
// be such a set, and C the chain of the other elements. The tuple has, in the order of
// w, each element of V, and after each maximal run of elements of V the element of C
// that follows the run in w, if there is one.
//
//   - w strongly hits it. Let y come after x_i in w and not be in the tuple. Then y is
//     in C, and what comes right before y in w is in C. Going back from y through
//     elements of C, we meet x_i itself, or an element c of C that follows a run, is
//     in the tuple, and comes at or after x_i in w. Both are in C, so y >= c.
//   - No other schedule s does. By the lemma the tuple keeps its order, and P orders
//     C. It remains to consider an element c of C outside the tuple and a v in V. If
//     v comes before c in w, the element c' of C that follows the run of v is in the
//     tuple. Then v comes before c' in s, and c' before c. If c comes before
//     v = x_i in w but after it in s, then c >= x_j for some j >= i. So x_j comes
//     before c in w. But x_j comes at or after v in w, which comes after c.
//
// Corollary (families refute). For b = the smaller bound, every schedule has a tuple
// of exactly b elements that it alone strongly hits. For the proofs hold word for word
// when further elements of C, or first elements of components, are added in the order of
// w. So every strong b-hitting family has all schedules. If none of them is a witness, the
// history is not linearizable.
//
// Corollary (preemptions). In an execution of threads that run one at a time and
// neither block nor yield, an operation that overlaps another one and began first was
// preempted. So the preempted operations cover G, and an execution with p preemptions
// has depth at most max(1, 2 p). For p = 1 and p = 2, some executions have that depth:
// see benchdata/bench/subjects/README.md.
//
// A programming error, such as a chain out of range, is a panic whose message begins
// with "hitting: " or "poset: ".
package hitting
