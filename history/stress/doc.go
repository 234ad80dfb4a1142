// Package stress finds methods of concurrent objects that are not atomic: it
// generates small test programs, runs each millions of times on fresh objects,
// and compares what the invocations answer with what they can answer one
// after another.
package stress
