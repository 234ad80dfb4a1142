// Package corpora holds recorded histories, compressed, so that a program
// has them wherever it is installed.
//
// MANIFEST says of each corpus what it is, how it was recorded and under
// which licence (CC0-1.0), and has the SHA-256 of each file.
//
//   - juc-labelled: 120 histories of ten classes of java.util.concurrent, in
//     Violat's format, with verdicts, depths and family sizes computed
//     independently of leadline (labels.jsonl).
package corpora

import "embed"

// FS holds the corpora, one directory each, and MANIFEST. Paths are those
// below benchdata/corpora.
//
//go:embed MANIFEST juc-labelled
var FS embed.FS
