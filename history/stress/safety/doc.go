// Package safety finds types that are not safe for concurrent use, without a
// specification. It generates tests for any Go type, runs each many times, and
// reports an execution that fails as no sequential execution of the same calls does.
// The algorithms are those of Pradel and Gross, "Fully Automatic and Precise
// Detection of Thread Safety Violations" (PLDI 2012).
//
// A Library has the functions of a package and the types to test, its Targets. Search
// tests a target. A Test has a prefix, which makes an instance and calls a few of its
// methods, and two to four suffixes, which then call methods of the instance in
// parallel:
//
//	s := set.New(); s.Add(1)
//	0  |--------------|   s.Equal(s)      reads under a lock, and then again
//	1      |----------->  s.Add(2)        waits for the first lock
//
// Here both wait for ever: the second lock of Equal comes after the one of Add. In
// neither order of the two calls does a call wait. So this is a finding.
//
// # Words
//
// A linearization of a test is a sequence of all calls of its suffixes that keeps the
// order within each. An execution fails if a call panics; if the runtime ends the
// process, as after concurrent writes of a map; or if it does not return, that is, if no
// goroutine of the test ends a call within twenty seconds. Whether such a call waits or
// computes is not distinguished. Two executions fail for the same reason if their kinds are
// equal, and their texts are except for numbers.
//
// Parallel executions are those of stress.RunProgram, in batches: a hundred instances are made
// first, and the threads then run their calls on one after the other. Linearizations also run
// in batches, in case instances share state.
//
// # Parameters
//
// A parameter is an earlier result, a literal (see package values), or the result of another function of
// the library or of a method; where its type allows, it is often the instance itself.
// Every call sequence first runs sequentially and is left out if it fails. Suffixes
// share only what the instance's methods may share: a plain map that both of them
// change would be the test's fault and not the type's.
//
// # What is promised
//
// An Exposure is a fault of the type: all linearizations have run several times, together
// three times as often as the test, and each of them ended without failing for the same
// reason. In some of these runs there are pauses between the calls, so that goroutines
// started by earlier calls can run. Not reported are:
//
//   - calls that also wait or panic sequentially
//   - processes that use more than 512 MiB of memory or are ended by a signal
//   - calls that return after less than twenty seconds
//   - calls that do not return, if some linearization takes half a second
//
// Search does not support objects that fail rarely at random or wait for longer timers.
//
// No finding means little: interleavings are left to chance. Wrong results are not
// detected; package stress finds these. A seed fixes the choices of the generator if
// sequential executions are deterministic.
//
// Executions run in separate processes, in a temporary directory. Search starts its own
// program again for that, so the program has to call Serve first.
//
// # The command
//
// The command tests the types of any package that the module in the working directory
// requires. The module has to require leadline, too:
//
//	leadline safety --new 'example.com/set.New[int]()'
//	leadline safety --package example.com/set --declared types.txt
//
// The report has the stacks and a Go test that needs nothing but the package. It is
// compiled and run first, and scaled up from 1,000 executions until most of its runs
// fail; the report has how many. That takes at most 10,000,000 executions, 20 seconds of processor
// time and three minutes. A failure whose test never fails is not a finding, nor is one that could
// not be judged in a minute, or before the search was stopped. It is listed as seen, not confirmed,
// and the search continues until there are five.
// --save names the directory of these tests. Keep it in the module, so that go test
// runs them there.
//
// --package tests every exported type with methods. Functions that return the type
// make the objects; without such a function, the zero value of a struct does. Type
// parameters are int, then string, and then a struct, as far as the constraints allow;
// the time is divided among these. --declared names a file that lists which types are
// documented as safe, with a type and yes or no on each line:
//
//	set.Set yes
//	set.Iterator no
//
// The table at the end has, for each type, whether it is declared safe and was found
// unsafe, the reason, whether the runtime rather than an explicit panic reports it,
// and the tests, executions and time until then. A type without a single test is not
// tested, and one with failures that were not confirmed is neither safe nor unsafe, but "seen": the
// exit status is 3 for both. With --race, it also counts tests in
// which the race detector found something; these are not failures.
//
// --time is a minute by default. A search has rounds, with seeds derived from --seed. The
// first round tries ten suffixes, which are the calls of one goroutine, for one prefix.
// Later rounds try up to 500 for up to 25 prefixes. A test runs 100 times. Flags change
// these numbers; see leadline stress --help. --exclude names methods not to call.
package safety
