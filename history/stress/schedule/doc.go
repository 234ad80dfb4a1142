// Package schedule runs the threads of a small program one at a time and
// explores the orders in which they can take their steps.
//
// The code under test calls Step before each access to shared memory, Wait before
// an operation that blocks, Choose where it may take any of several ways, and Spawn
// for a goroutine. Threads are coroutines. Before each step a Strategy decides which thread
// goes on, so an execution is a function of its decisions: its Schedule.
//
// The package is compiled into the code under test and imports the standard library only.
package schedule
