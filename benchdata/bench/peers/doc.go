// Package peers compares leadline with porcupine, the most similar tool
// (github.com/anishathalye/porcupine). Both check the same histories with the
// same specifications in the same process.
//
//	history.History --+--> decide.Check (every engine) ----+
//	                  |                                     +--> same verdict?
//	                  +--> Operations, Model --> porcupine -+    at what cost?
//
// [Model] makes a porcupine.Model of any replay.Spec whose objects are
// replay.States, and [Check] runs porcupine. The tests compare verdicts on
// random histories of every bundled specification. The benchmarks compare CPU
// time. They use histories of replay/simulate with hand-written
// porcupine models (see [Native]), such as a user of porcupine would write.
// They also use recorded histories (see [Small], [Logs] and [Race]).
// BenchmarkProcess compares whole processes that read a file, and BenchmarkRead
// the formats of other programs.
//
// # Limitations of porcupine
//
// The following are known faults of porcupine, or tasks that it leaves to its
// caller. The tests check them for porcupine v1.3.1, so that a fix in a newer
// version is noticed.
//
//   - A pending operation cannot be left out. A call event without a return
//     event makes every history illegal, whether the write is observed or not.
//     With a return after all others, the operation has to take effect some
//     time. So a pending lock() after a lock that is never released makes a
//     history illegal. Check therefore runs once for each subset of the pending
//     operations, as if those had taken effect and the others had not.
//   - A reused identifier is not rejected. The two operations share one bit of
//     the set of completed operations, and the verdict is about a different
//     history: write(1) twice, one after the other, is illegal.
//   - A response before its invocation is not rejected: such a history is
//     illegal, whatever its results.
//   - The only order is that of intervals: Check rejects histories with edges.
//
// history.New rejects the ill-formed histories among these, so Check never gets
// them.
package peers
