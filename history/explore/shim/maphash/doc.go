// Package maphash replaces hash/maphash in instrumented code. There is one
// seed, and the hash of a value is the same in each process, so that a schedule can
// be replayed in another one:
//
//	maphash.String(maphash.MakeSeed(), "leadline")   always the same number
//
// The hash of a pointer is that of its address, which differs between executions.
package maphash
