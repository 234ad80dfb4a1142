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
//     luck. Depths above 7 share a column, and the means include them.
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
// # Study
//
// What does depth depend on? This command prints the figures below, which are about the
// bundled corpora; study.csv in this directory has them, too (--output csv):
//
//	leadline tables --study
//
// They cover 9,179 histories of java.util.concurrent (JDK) and 6,409 of Go libraries:
// those that are linearizable and not sequential, with up to 18 operations.
//
// Distribution. The mean witness depth is 1.30 (JDK) and 1.07 (Go). The mean exact
// depth is 1.50 and 1.07; it is larger than the witness depth in 16.6 % of the JDK's
// histories (leadline tables). The table has the depths that suffice for a share of the
// histories. A family of depth d has at most m n^(d-1) schedules, for m chains and n
// operations; the table has the quantiles of this bound, computed for each history:
//
//	share       50 %    90 %    99 %      99.9 %         100 %
//	JDK, d         1       2       4           6             8
//	JDK, bound     7      98  16,875  11,337,408   737,894,528
//	Go, d          1       1       2           3             5
//	Go, bound      4       4      40         484        40,000
//
// For a tester: trying all schedules of d <= 2 covers 90 %, and d <= 4 covers 99 %,
// of what these programs did on the JDK. A stress tool that tries about 100
// schedules of a program reaches the former; the rest takes many more. This says
// what occurred under the recorders' load, not how likely each schedule is.
//
// Predictors. Rho is the rank correlation with witness depth. Explained is the share of
// the variance between groups with the same value. It is adjusted for the number of
// groups, so it is about 0 if there is no influence:
//
//	                      JDK: rho  explained    Go: rho  explained
//	cp                        0.46     33.6 %       0.27      9.0 %
//	overlapping mutators      0.37     17.0 %       0.26      8.6 %
//	c                         0.34     21.8 %       0.09      0.8 %
//	ops                      -0.08      1.0 %       0.06      0.3 %
//	processes                -0.22      2.9 %       0.00      0.0 %
//	class                        -      3.3 %          -      2.9 %
//	class and cp                 -     40.7 %          -     21.1 %
//
// The number of concurrent pairs predicts best, but more than half of the variance
// remains. Exact depth is easier to predict: cp explains 44.9 % (JDK) and 12.0 %
// (Go). Length alone says nothing in this range. With c = 2, 3, ..., 7 the mean
// depth of the JDK's is 1.19, 1.50, 1.89, 2.70, 3.12 and 3.72. 98 % of the Go
// histories have c = 2, where their mean is 1.06: recorder and programs matter, too,
// and these figures cannot tell the two apart. The classes of the Go libraries do
// not say which methods are mutators, so all of their operations count.
//
// Public archives. Figures of histories that are not bundled: 7 linearizable logs
// of etcd by Jepsen (57 to 71 operations, of which 11 to 18 are pending, c = 12 to
// 19) have depths 3 to 10, with mean 7.00. Of 36 logs of Jepsen's own tests, 17 have
// a depth of at most 10, and their mean is 3.47. Of 85
// histories of the LiMo repository, 83 have one, with mean 1.34, and cp explains
// 51.0 %. The command, for an archive in DIR:
//
//	leadline tables --study --max-depth 10 DIR
//
// Cost, in seconds of processor time. With --max-depth 5, check refutes all depths
// of a long random history within its first operations, and does not read the
// rest. For a queue at T = 4, 100 histories of 100 operations take 0.72 s (three of
// them exhaust their share of the work), 10 of 1,000 take 0.06 s, one of 10,000
// takes 0.06 s, and one of 100,000 takes 0.09 s, of which 0.04 s are for decoding
// and verdict. One of a million takes 0.7 to 0.8 s and 234 to 276 MB (register, kv,
// queue, stack). So there the cost does not grow with n, but for the verdict.
//
// Without Measurer.Timeout, the output depends only on the histories, byte for
// byte. It differs from the numbers of the paper, which had other histories.
package tables
