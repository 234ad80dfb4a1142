// Package inside runs in the instrumented program of a package's tests. It makes a test the body of an
// explore.Search:
//
//	func TestX(t *testing.T) { inside.Test(t, leadline__TestX) }    what the rewriter adds
//	   |
//	   v
//	Serve      answers a Job of package tests, which has started this process for one test
//	   |
//	   v
//	runner     one body: the test in thread 0, as the T of shim/testing; the oracle of tests
//	   |
//	   v
//	Report     what was explored; a Fault with its schedule; or why the test is refused
//
// The first execution of the process is repeated at once. If the second one differs, the test keeps state
// between executions, such as a variable that a closure has captured, and is refused: such state makes
// faults that no run of the test has. For the same reason the supervisor replays each fault as the first
// execution of new processes.
//
// The package is compiled into the code under test and imports the standard library and package explore
// with what that imports.
package inside
