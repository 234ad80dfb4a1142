// Package porcupine checks histories with leadline that were made for porcupine
// (github.com/anishathalye/porcupine). Change the import
//
//	import "github.com/anishathalye/porcupine"
//
// to
//
//	import "github.com/leadline/leadline/replay/porcupine"
//
// and the rest of the program stays as it is. The types of models, operations, events and
// results are those of porcupine, by other names. So a file may also import both packages,
// for example to compare their results.
//
// Each function has the name, the parameters and the results of porcupine's, except that
// LinearizationInfo is another type: it has the witness or the reason why there is none.
// Its method Explain writes them in sentences, and Visualize writes leadline's page. In a
// test, pass it to stresstest.Check, which fails with the explanation and saves the history:
//
//	stresstest.Check(t, info.History, info.Spec, stresstest.CheckOptions{Verdict: &info.Verdict})
//
// Three things of porcupine are missing, so that programs that use them do not compile:
// annotations, because the page does not draw them, and the methods PartialLinearizations and
// PartialLinearizationsOperations. A Verdict has the whole witness.
//
// Operations and Events give access to the rest of leadline.
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
// Verdicts are the same as porcupine's:
//
//   - Intervals are closed: an operation that returns at time 10 is concurrent with
//     one that is called at 10, also if both are of one client.
//   - Operations of one client may overlap. In reports, such a client has several
//     processes, named 3, "3#2" and so on.
//   - Partition and PartitionEvent are trusted: the history is linearizable if each
//     of their parts is. An operation that a partition leaves out is not checked. An
//     operation that it changes gets an identifier larger than all others.
//   - Equal is trusted, and may sort parts of the states that it compares. Without it,
//     states are compared by ==, as in porcupine.
//   - A NondeterministicModel is converted by its ToModel, as for porcupine.
//
// Some faults that porcupine does not report are errors:
//
//   - an operation that returns before its call;
//   - a call or a return without the other;
//   - an identifier that is used twice in one part;
//   - a function of the model that panics;
//   - states that == cannot compare, in a model without Equal. Porcupine panics there.
//
// # How it decides
//
// Porcupine's own search comes first, for up to 64 steps an operation. Then the engines of
// leadline decide. They take less time and memory for hard histories, and find depths and
// explanations.
//
// A Hash helps, as in porcupine. The engines compare a state with the states of the same
// hash or, without a Hash, of the same content in the first 64 KiB or so. An equal state
// that is missed costs time, but never changes a verdict.
//
// A model must be purely functional, as porcupine's documentation says. A Step may append to
// a state that is a slice, because that copies it. The engines give up if a state has
// changed after Init or Step returned it. Then porcupine's search decides alone, and its
// verdict is meaningless.
//
// The engines give up if they have taken 8 GiB of memory, or if the process is above the
// limit of debug.SetMemoryLimit.
//
// Steps are not interrupted, and a timeout is checked between them. StepContext gets a
// context that is done when the time is over, so that a step that waits can return.
// Parts are checked one after another: a step must not wait for a step of another part.
//
// # Explanations
//
// A model judges outputs and does not predict them. So a result that is not known is
// taken from the outputs that the history has for an equal input. This matters only in
// explanations, never in a verdict: for operations that are still open at the end of a
// prefix, and for results that may be replaced. The model accepts each allowed result, but
// it may accept others, too.
//
// The words for operations come from DescribeOperation. A description like
//
//	get('x') -> 'y'
//
// becomes the method get with an argument and a result. Any other description is one
// argument of the method step. If descriptions do not distinguish operations, a number is
// added: get#2. States are described by DescribeState.
package porcupine
