// Package corpora holds recorded histories, compressed, so that a program
// has them wherever it is installed.
//
// MANIFEST describes each corpus: what it is, how it was recorded and under
// which licence (CC0-1.0). It also has the SHA-256 of each file.
//
//   - juc: 10,464 histories of ten classes of java.util.concurrent, in the
//     native format, as many and about as concurrent as those of Table 1 of
//     the paper on hitting families.
//   - juc-labelled: 120 histories of ten classes of java.util.concurrent, in
//     Violat's format, with verdicts, depths and family sizes computed
//     independently of leadline (labels.jsonl).
//   - juc-mutated: those of juc-labelled with one result changed, with verdicts
//     by replay on the JDK's own objects (labels.jsonl), in the native format.
//   - juc-single: histories with exactly one call of one method that is not
//     core in Figure 6 of the paper on non-atomic methods. tried.tsv has the
//     numbers of programs and executions for each method.
//   - go: executions of generated programs on objects of Go libraries, each with
//     the sequential runs of its program as specification. violations.jsonl has
//     those that show that a method is not atomic, results.jsonl how often each
//     occurred.
package corpora

import "embed"

// FS holds the corpora, one directory each, and MANIFEST. Paths are those
// below benchdata/corpora.
//
//go:embed MANIFEST go juc juc-labelled juc-mutated juc-single
var FS embed.FS
