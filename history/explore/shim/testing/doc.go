// Package testing replaces testing in instrumented code, for tests that run under schedules. The T of an
// execution runs its subtests in threads, and keeps what the test logs:
//
//	t.Run("sub", f)   f is a thread, for which the caller waits
//	t.Parallel()      the caller of Run goes on; this thread waits until its test has ended
//	t.FailNow()       runtime.Goexit, in any thread
//
// Outside of an execution, a T is the real one. Benchmarks and fuzz targets are the real ones, too.
package testing
