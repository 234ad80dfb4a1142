// Package shim holds the stand-ins that instrumented code imports in place of
// packages of the standard library:
//
//	sync             shim/sync
//	sync/atomic      shim/atomic
//	hash/maphash     shim/maphash
//	math/rand        shim/rand
//	math/rand/v2     shim/randv2
//	time             shim/time
//	runtime          shim/runtime
//	maps             shim/maps
//	context          shim/context
//
// and for tests as they are, with Target.Explore of package instrument:
//
//	testing          shim/testing
//	testing/synctest shim/synctest
//	io               shim/io
//	net.Pipe         shim/net
//
// Each exports exactly what its package exports; a test compares them. In a
// scheduled execution each access is a scheduling point, waiting is seen by the
// scheduler, and clocks and random numbers are functions of the schedule:
//
//	var n atomic.Int64                    thread 0   Load = 0
//	n.Store(n.Load() + 1) in two threads  thread 1              Load = 0   Store <- 1
//	                                      thread 0                                     Store <- 1
//
// Outside of an execution the real primitives do the work. They also back
// the stand-ins in an execution: a Mutex that a thread locks is locked for
// code outside, too. An execution that ends, or is aborted, leaves nothing locked:
// locks, counters of wait groups, pools and Onces are as they were.
//
// Package maps, package context and sync.Map could be instrumented copies of the standard
// library. They are not, because
//   - a copy needs a place that instrumented packages can import. The Go tool refuses overlays
//     beneath the module cache, where this package is for users. A module of its own has to be
//     required in each go.mod and go.work, and a directory of the main module makes the copies
//     of its dependencies differ from those of others;
//   - Context, CancelFunc and the errors have to be those of the standard library, whose
//     contexts have to be canceled with their parents of the copy. So a copy of context needs
//     edits that fit one version of Go;
//   - an operation of sync.Map is one step here, and many in a copy.
//
// What is not covered:
//   - A fatal error of the real ones, such as the unlock of an unlocked mutex, is a
//     panic with the same text in an execution.
//   - Other standard code uses the real clock, as net.Conn.SetDeadline does.
//   - Goroutines outside of the execution that wait in Cond.Wait are woken only
//     if no thread waits.
//   - Operations of sync.Map are atomic steps.
//   - Memory is sequentially consistent.
package shim
