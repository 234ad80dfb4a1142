// Package tables computes the tables and the figure of Section 6 of "Checking
// Linearizability Using Hitting Families" (PPoPP 2019) for any histories. It
// also computes a table of exact depths, which is not in the paper.
//
//   - Table 1: histories, operations, level of concurrency c, concurrent pairs
//     cp. Histories counts all of them; c and cp are over the non-sequential
//     ones (cp > 0), as in the paper's scripts.
//   - Table 2: distinct schedules of the strong d-hitting families, d = 1..5,
//     over the non-sequential histories.
//   - Table 3: non-sequential histories, linearizable ones, and those of them
//     that a family of depth d shows to be, d = 1..5. Which are linearizable
//     is decided by the complete search.
//   - Figure 4: the last, as percentages, for d = 1..7.
//   - Depths: the linearizability depth of Definition 4.2 beside the witness
//     depth. A family may hold a witness by luck, so the second is never the
//     larger one. Depths above 7 share a column, and the means include them.
//
// Collection.MaxDepth replaces 5 and 7, except in Table 2. Standard deviations
// divide by n-1. Histories with pending operations, whose depth has a different
// meaning, are left out and counted.
//
//	measurer := tables.Measurer{}
//	measurement, err := measurer.Measure(ctx, h, specification)   // per history, in parallel
//	collection.Add(measurement)                            // in order
//	for _, t := range collection.Tables(true) { t.Write(os.Stdout, tables.Text) }
//
// Without Measurer.Timeout, the output depends only on the histories, byte for
// byte. It differs from the numbers of the paper, which had other histories.
package tables
