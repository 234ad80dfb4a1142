// Package leadline checks histories of users of porcupine
// (github.com/anishathalye/porcupine) with leadline. The model stays as it is, and
// so do operations and events. Where there was
//
//	import "github.com/anishathalye/porcupine"
//	...
//	if !porcupine.CheckOperations(model, ops) { ... }
//
// there is
//
//	import leadline "github.com/leadline/leadline/replay/porcupine"
//	...
//	if !leadline.CheckOperations(model, ops) { ... }
//
// Each function that checks has the name, the parameters and the results of
// porcupine's, but CheckOperationsVerbose and CheckEventsVerbose return an Info, with
// the witness or the reason why there is none. Info.Explain writes it in sentences,
// and Visualize writes leadline's page about it. In a test, one line does it all: RequireOperations fails with the
// explanation and saves the history. Operations and Events give access to the rest
// of leadline.
//
// A history of a register, with time stamps below:
//
//	A  |--write(1)--|                  |--read: 0--|
//	B         |------read: 1------|
//	   0      5    10            20   25          30
//
// The model's Step accepts write(1), then a read of 1, and rejects a read of 0 in
// state 1. A's read follows both in real time, so no order explains it.
//
// # Semantics
//
// Verdicts are those of porcupine:
//
//   - Intervals are closed: an operation that returns at time 10 is concurrent with
//     one that is called at 10, also if both are of one client.
//   - Operations of one client may overlap. In reports, such a client has several
//     processes, named 3, "3#2" and so on.
//   - Partition and PartitionEvent are trusted: the history is linearizable if each
//     of their parts is. An operation that a partition leaves out is not checked.
//     One that it changes has an identifier beyond those of the others.
//   - Equal is trusted. Without it, states are compared by content, where porcupine
//     compares with == and panics if that is not possible. Pointers and channels in
//     a state are compared by address, so such models need an Equal.
//   - A NondeterministicModel is converted by its ToModel, as for porcupine.
//
// Some faults that porcupine does not report are errors: an operation that returns
// before its call, a call or a return without the other, an identifier that is used
// twice in one part, and a Step that panics.
//
// A model must be purely functional, as porcupine's documentation says: leadline
// keeps states and compares them. So a state that changes after Init or Step returned
// it is an error. Slices that are states may be given to append. The first 64 KiB
// that pointers lead to are compared; changes beyond that are not noticed.
//
// Steps are not interrupted. StepContext gets a context that is never cancelled, and
// a timeout counts between steps.
//
// # Explanations
//
// A model judges outputs and does not predict them. A result that is not known is
// therefore taken to be one that the history has for an equal input. Such results
// occur in explanations only, never in a verdict: operations that are still open at
// the end of a prefix, and results that are freed. So an allowed result is always
// one that the model accepts, and there may be more.
//
// The words for operations come from DescribeOperation. A description like
//
//	get('x') -> 'y'
//
// becomes the method get with an argument and a result. Any other description is one
// argument of the method step. Where descriptions do not distinguish operations, a
// number is added: get#2. States are described by DescribeState.
package leadline
