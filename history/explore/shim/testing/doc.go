// Package testing replaces testing in instrumented code, for tests that run under schedules:
//
//	t.Run("sub", f)   f is a thread, for which the caller waits
//	t.Parallel()      the caller of Run goes on; this thread waits until the body of its parent has ended
//	t.FailNow()       runtime.Goexit, in any thread
//	t.Log("...")      is kept
//
// Outside of an execution, subtests are goroutines that run one after another. Benchmarks and fuzz targets
// are the real ones.
package testing
