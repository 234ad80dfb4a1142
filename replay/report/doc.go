// Package report writes what is known of a history as plain text, for terminals,
// logs and failing tests.
//
//   - Timeline draws operations over time.
//   - Explain writes the verdict and the reason for it in sentences.
//   - Short writes the few lines that check prints for a history that is not
//     linearizable.
//   - Witness writes the witness of a linearizable history with the state after
//     each step.
//
// In a timeline, each operation has a line, and each process its lines together.
// Only the order of events counts, not the time between them. This queue loses 1:
//
//	    process  id
//	    A         0  |-------|                           enqueue(1)
//	!*  A         3                          |---|       dequeue(): null
//	    B         1      |-------|                       enqueue(2)
//	    B         2                  |---|               dequeue(): 2
//	 ! no order explains its response
//	 * with another result, the history would be linearizable
//
// The parts of an explanation are those of replay.Explanation. A part that was not
// computed is named with the cause. Reports of a history and verdict are the same
// bytes each time, at most Options.Width columns wide (names of files and
// histories excepted), and have a length that does not depend on that of the
// history. Long values and states are cut in the middle. Characters that do not
// print are escaped.
//
//	v, err := decide.Check(ctx, h, spec, replay.Options{Explain: true})
//	...
//	err = report.Explain(os.Stdout, h, spec, &v, report.Options{})
package report
