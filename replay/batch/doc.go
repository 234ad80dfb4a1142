// Package batch checks many histories and writes one line of JSON for each, in the
// order in which they are read. The command leadline check uses it, and so can
// programs that spread the same work over several machines.
//
// Its words:
//   - an Entry is one thing that was read: a history, or a fault of a history or a
//     file, with its place;
//   - a Checker turns an entry into a Result, which has the whole verdict;
//   - an Outcome is the part of a result that can be stored: enough for the line of the
//     entry.
//
// # Example
//
// A register is 0 at first. In the first history the read overlaps the write, so that
// it may return 0. In the second one it may not:
//
//	A  |--- write(1): ok ---|
//	B       |--- read(): 0 ---|
//
//	A  |--- write(1): ok ---|
//	B                          |--- read(): 0 ---|
//
// The example of this package reads both from a file, checks them and prints their
// outcomes. The line of the second one is, cut:
//
//	{"file":"a.jsonl","history":"stale","format":"native","model":"register","ops":2, ... "verdict":"not-linearizable", ...}
//
// # What is kept
//
// A Checker may have a Journal. Check looks for an outcome there first, and adds the
// outcomes that it computes. The journal is a file of lines with checksums, which belongs
// to one Plan. It has the outcomes of all checks that were not interrupted, by file,
// number and content of the history. Each line is written as soon as it is known. When the
// file is opened again, lines that a crash has damaged are removed, and their histories
// are checked again.
//
// An open Journal takes about 50 bytes of memory for each outcome that was there when it
// was opened.
//
// NewJUnit creates a report for other programs, and a Summary counts results. CheckOutputs
// keeps such files from replacing histories that are read.
//
// # Promises
//
// A line depends on the entry, the model, the options and the program only. This holds
// for outcomes, too, if Outcome.Final is true. A check that ended for lack of time or
// memory, or by an interrupt, may end differently the next time. So only final outcomes
// may take the place of another check.
//
// InOrder gives the same results in the same order for any number of workers. It
// holds a bounded number of entries.
package batch
