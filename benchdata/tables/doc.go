// Package tables computes the tables and the figure of Section 6 of "Checking
// Linearizability Using Hitting Families" (PPoPP 2019) for any histories. It
// also computes tables of exact depths and of archives, which are not in
// the paper.
//
//   - Table 1: histories, operations, level of concurrency c, concurrent pairs
//     cp. Histories counts all of them; c and cp are over the non-sequential
//     ones (cp > 0), as in the paper's scripts.
//   - Table 2: distinct schedules of the strong d-hitting families, d = 1..5,
//     over the non-sequential histories.
//   - Table 3: the numbers of non-sequential histories, of linearizable ones
//     among them, and of those that a family of depth d proves to be
//     linearizable, d = 1..5. The complete search decides which are linearizable.
//   - Figure 4: the last numbers as percentages, for d = 1..7.
//   - Depths: the linearizability depth of Definition 4.2 beside the witness
//     depth. The latter is never larger, since a family may have a witness by
//     luck. A third row has the bound that the shape of the poset gives (hitting.Bound), and
//     two columns say how many exact depths are as large as that. Depths above 7 share a
//     column, and the means include them.
//
// Collection.MaxDepth replaces 5 and 7, except in Table 2. Standard deviations
// divide by n-1. Histories with pending operations, whose depth has a different
// meaning, are left out and counted.
//
// Archives is about all histories, including sequential ones and those with pending
// operations. It has the distributions of depths for each class in each archive. A
// pending operation that never took effect has to be delayed, so depth grows with lost
// operations.
//
//	measurer := tables.Measurer{}
//	measurement, err := measurer.Measure(ctx, h, specification) // per history, in parallel
//	collection.Add(measurement)                                 // in order
//	for _, t := range collection.Tables(true) { t.Write(os.Stdout, tables.Text) }
//
// Without Measurer.Timeout, the output depends only on the histories, byte for
// byte. It differs from the numbers of the paper, which had other histories.
package tables
