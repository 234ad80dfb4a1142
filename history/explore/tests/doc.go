// Package tests explores Go tests as they are: it runs each one under one schedule of its goroutines after
// another, until it fails, panics, deadlocks or leaves a goroutine that can never end.
//
//	Explore       instrument.Compile: the test program of each package, with stand-ins for sync, time, testing ...
//	   |          (a module that does not require leadline gets it from an overlay)
//	   v
//	one process for each test: package inside, an explore.Search with the test as body
//	   |
//	   v
//	a Fault       replayed as the first execution of new processes, saved in testdata/leadline
//	   |
//	   v
//	Result        explored, fault, cut, refused, ... with the reason
//
// All tests of a module:
//
//	options := tests.Options{Patterns: []string{"./..."}}
//	err := tests.Explore(ctx, options, func(r *tests.Result) { fmt.Println(r.Test, r.Status()) })
//
// What is explored are schedules: with two preemptions by default, at most 20,000 executions or ten seconds
// a test. Time is virtual. Results count only if the test asserts something about them. Data races are a
// matter of go test -race.
//
// A test is refused by the call that it reaches: if an execution waits for something outside, such as a
// network, the process ends, and the next test has a new one. So is a test whose second execution, with the
// same schedule, differs from its first one: it keeps state.
package tests
