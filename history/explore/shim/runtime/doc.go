// Package runtime replaces runtime in instrumented code. In an execution
// Gosched lets other threads go first, the number of processors is fixed, and
// finalizers do not run:
//
//	runtime.GOMAXPROCS(0)   4, on any machine
//
// MemProfileRate is a variable of this package, and has no effect.
package runtime
