// Package peers holds leadline against porcupine, the nearest relative
// (github.com/anishathalye/porcupine): the same histories, the same
// specifications, the same process. It is a module of its own, so that
// leadline itself does not depend on its peers.
//
//	history.History --+--> decide.Check (every engine) ----+
//	                  |                                     +--> same verdict?
//	                  +--> Operations, Model --> porcupine -+    at what cost?
//
// [Model] makes a porcupine.Model of any replay.Spec whose objects are
// replay.States, and [Check] asks porcupine. The tests compare verdicts on
// random histories of every bundled specification. The benchmarks compare
// CPU time: on histories of history/stress/simulate with porcupine models
// written by hand (see [Native]), as a user of porcupine would write them,
// and on recorded histories (see [Small], [Logs] and [Race]). Command table
// compares whole processes.
//
// # What porcupine cannot say
//
// These are its known faults, or rather what it leaves to its caller. The
// tests hold porcupine v1.3.1 to them, so that a newer version that mends one
// is noticed.
//
//   - A pending operation cannot be left out. A call event without a return
//     event makes every history illegal, whether the write is observed or not.
//     Given a return later than all others the operation has to take effect
//     some time, so that lock() pending behind a lock that is never released
//     makes a history illegal. Check therefore asks about each subset of the
//     pending operations, as if those had taken effect and the others had not.
//   - A reused identifier is not refused. The two operations share one bit of
//     the set of what was done, and the verdict is about another history:
//     write(1) twice, one after the other, is illegal.
//   - A response before its invocation is not refused: such a history is
//     illegal, whatever its results.
//   - There is no order but that of intervals: histories with edges are
//     refused by Check.
//
// history.New refuses the ill-formed ones of these, so that Check never meets
// them.
package peers
