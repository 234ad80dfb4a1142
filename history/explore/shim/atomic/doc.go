// Package atomic replaces sync/atomic in instrumented code: each operation
// is a scheduling point and then the real operation.
//
//	thread 0   CompareAndSwap(0, 1) = true
//	thread 1                                 CompareAndSwap(0, 1) = false: a read
//
// The location of an operation is its address, so functions and types may be mixed, and
// pointers computed by package unsafe work like others.
package atomic
