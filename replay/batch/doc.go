// Package batch checks many histories and writes one line of JSON for each, in the
// order in which they are read. It is what leadline check does on archives, and
// what programs need that spread the same work over machines.
//
// Its words:
//   - an Entry is one thing that was read: a history, or a fault of a history or a
//     file, with its place;
//   - a Checker turns an entry into a Result, which has the whole verdict;
//   - an Outcome is what is kept of a result: enough for the line of the entry;
//   - a Key identifies a check by its content: two checks with the same key have
//     the same outcome, wherever the histories were read.
//
// # Example
//
// Two processes, each with one operation on a register that is 0 at first:
//
//	A  |--- write(1): ok ---|
//	B       |--- read(): 0 ---|
//
// These are the lines that the example of this package prints for it, cut:
//
//	{"file":"a.jsonl","history":"stale","format":"native","model":"register","ops":2, ... "verdict":"linearizable", ...}
//
// # Promises
//
// A line depends on the entry, the model, the options and the program, and on
// nothing else. Outcome.Final says whether this holds of an outcome as well: a check
// that ended for lack of time or memory, or by an interrupt, may end otherwise the
// next time. Only final outcomes may take the place of another check.
//
// Key covers the content of the history, including the identifiers of its
// operations, the model, the options, and the program itself by a hash of its
// executable file. It does not cover the name of the file and of the history.
//
// InOrder gives the same results in the same order for any number of workers. It
// holds a bounded number of entries.
package batch
