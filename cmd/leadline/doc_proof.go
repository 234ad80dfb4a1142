// # Certificates
//
// A linearizable history has a witness, which anybody can replay. For one that is not linearizable,
// check writes a certificate into a new directory, which a small program can check, that shares
// nothing with the checker:
//
//	leadline check --proof certificates lost.jsonl
//	leadline verify certificates/lost.jsonl.proof lost.jsonl
//
// A certificate has operations that fail together, and a set of configurations (which of them are
// done, and the state) that has the start, no end, and each configuration that follows one in it. The
// documentation of package replay/proof shows that then no order explains the history, and why the
// other operations may be left out. Its code is to be read in an hour by who doubts our verdicts.
//
//	$ leadline verify cmd/leadline/testdata/proof/lost.proof cmd/leadline/testdata/proof/lost.jsonl
//	cmd/leadline/testdata/proof/lost.proof: accepted: history "" is not linearizable as a queue: 2 of its 3 operations have no linearization (2 configurations), and the others may be left out
//
// verify reads histories in leadline's own format itself, as leadline convert writes them. Of other files, it
// says that their conversion was trusted. Without the history, it checks the operations of the certificate
// alone, and says so. Its exit status is 1 if it rejects a certificate. That proves nothing: the
// history may or may not be linearizable. If check was given --model, verify needs it, too.
//
// A line "certificate":1 with "witness" in place of until is a certificate that a history is linearizable: the
// numbers of all operations, by invocation from 0, in their order.
//
// If there is no certificate, check prints "no certificate" and the reason, which is one of these:
//   - The model has no certificates. These models have them: register, cas-register, kv, set, multiset,
//     queue, stack, deque, priority-queue, counter, mutex, and multi-register with lists.
//   - A value is a map or a number with a fraction, or null is an element of a collection.
//   - The history has a crash.
//   - The set of configurations would be larger than 4 MiB.
package main
