// Package report writes the verdict on a history, and the reason for it, as plain
// text, for terminals, logs and failing tests.
//
//   - Timeline draws operations over time.
//   - Explain writes the verdict and the reason for it in sentences.
//   - Reason returns the same sentences in passages, which pages show.
//   - Short writes the few lines that check prints for a history that is not
//     linearizable.
//   - Witness writes the witness of a linearizable history with the state after
//     each step.
//
// In a timeline, each operation has a line, and the lines of a process are together.
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
// An explanation has the parts of a replay.Explanation. It names each part that was not
// computed, with the cause. The report of a history and a verdict:
//
//   - is the same bytes each time;
//   - is at most Options.Width columns wide, except for names of files and histories;
//   - does not grow with the history: long values and states are cut in the middle;
//   - has non-printing characters escaped.
//
// To explain a verdict:
//
//	v, err := explain.Check(ctx, h, spec, replay.Options{})
//	...
//	err = report.Explain(os.Stdout, h, spec, &v, report.Options{})
package report
