// Package composed tests whether a method that calls several operations of a
// concurrent map, set or queue is atomic. It follows "Testing Atomicity of
// Composed Concurrent Operations" (Shacham, Bronson, Aiken, Sagiv, Vechev and
// Yahav, OOPSLA 2011), whose tool is COLT.
//
// The method under test receives the collection as a [Map], [Set] or [Queue]:
//
//	func getOrCompute(m composed.Map, key int) int {
//		if v, ok := m.Load(key); ok {
//			return v.(int)
//		}
//		v := key * key
//		m.LoadOrStore(key, v)
//		return v
//	}
//
//	func TestGetOrCompute(t *testing.T) {
//		composed.Test(t, func(m composed.Map) any { return getOrCompute(m, 7) }, composed.Options{})
//	}
//
// A *sync.Map is a Map, so the code of the program need not change otherwise. The
// test runs the method many times. Before and after each
// operation of the method, the environment may run operations of the collection.
// This test fails with the execution
//
//	the method                     the environment
//	Load(7): nil, false
//	                               LoadOrStore(7, 50): 50, false
//	LoadOrStore(7, 49): 50, true
//	returns 49
//	                               then the collection holds {7: 50}
//
// No atomic method explains it: before the environment, the method would store
// 49, and after it, the method would return 50. The history that is checked is
//
//	method       |-------------- getOrCompute: 49 --------------|
//	environment       |--LoadOrStore(7, 50): stored--|
//
// The failure ends with a string for Options.Replay, which repeats exactly this
// execution.
//
// # One explorer
//
// Test gives the method a collection that stands in for the real one. The command leadline composed --check
// needs no such parameter: it calls the functions of a package as they are, with their collections. Both are
// bodies of package history/explore:
//
//	Test, Explore                                  extract.Programs
//	   |   the method on a standIn, whose             |   a Target for each function, in a file
//	   |   operations are steps of the schedule       v   of an instrumented copy of the package
//	   |                                           CheckAll -> Serve -> Check, in a process of its own
//	   v                                              v
//	body            the method in one thread, and in another the calls of the environment,
//	   |            which schedule.Choose chooses
//	   v
//	explore.Search  schedules with few preemptions first, asks the oracle, which is
//	   v
//	checker         what the method does if it runs alone at each place among the calls
//	   v
//	Report          what was explored, a Violation, or the reason why it was not
//
// Test searches with one operation of the environment, then two, and so on up to Options.Ops, with as many
// preemptions. Each operation is one step, so more preemptions make no difference, and the first violation has the
// fewest operations. A test compares this with brute force on random methods. --check has four searches: one
// operation and then two, with one preemption and then with two. Each ends after 32,768 executions or 15 seconds.
// Report.Ops and Preemptions are the bounds of the last complete search, if those before it were complete, too.
//
// The environment has the keys and values that the method uses alone, constants, and different values. That of --check
// leaves out values with which the function panics alone: it does not expect them.
//
// # What is checked
//
// The history has the environment's operations, one after another. The method is a
// single operation, after those that return before it begins, and before those that begin when it has
// returned. So a linearization is a place of the method among the others that overlap it. At each place, the method runs alone, and the
// others around it. If no place gives the results and the contents of the history, the
// execution is a violation. Since the collection is read at the end, a lost update shows even if
// no other operation observes it.
//
// The first mode of the paper enumerates linearizations, and its second mode
// enumerates candidates for the linearization point. Here they coincide. In the third
// mode the linearization points are given; [Point] marks them, and only the order with
// the method at that place is checked. If another order explains the execution, the report says
// that the point is wrong. The paper's heuristics for guessing points are not needed.
//
// A violation has the same results in replays, also if the clock advances faster. Executions that do not
// are undecided, and those that wait forever are not judged. If a function of a program runs alone in a way that
// ends the process, or takes no step for 20 seconds, the reason says so, and the others are explored in a
// new process.
//
// Often the environment of a program does less than it could: Options.Without
// names operations that it does not run, and Options.Values are the only values
// that it inserts. If a violation disappears, it needs an open environment (the
// class "Modular NL" of Figure 11). The directory benchdata/composed has 66 methods
// of open-source modules in the classes of that figure. Explore finds all 42 violations, and --check all but
// one, which needs three operations.
//
// # Unlike the paper
//
// The adversary of the paper runs operations that do not commute with the one before or after. Here, the search
// preempts the method where an operation of the environment conflicts with its next one, and otherwise tries
// all operations. So it needs more executions, but also finds violations by operations that commute with all of
// the method, and yet change what an atomic method would do. It finds them with the fewest operations.
//
// The table has the executions up to the first violation. The first column is the
// search; the others are means of 20 seeds of random schedules and operations, with up to three of these. The
// last two have ten values and the given number of keys. Here "15 of 20" means that 15 of 20 seeds found a
// violation within 400 executions.
//
//	method            search    random   random, 1 key random, 10 keys
//	Figure 2a            427  19 of 20        15 of 20         0 of 20
//	Figure 8              42      21.1            17.6            99.0
//	Figure 12 iii         45       9.2            31.8        16 of 20
//	Figure 12 iv          45      12.4            52.2        16 of 20
//	Figure 12 v           44      37.8            20.6        18 of 20
//
// Package composed suggests no fixes. benchdata/composed has some, which were written by hand as in Section 5.3.
//
// # Promises
//
// A violation is an execution of the real method that no atomic execution of it explains.
// Nothing is proved beyond the bounds, Report.Ops and Executions.
//
// The following are limits of Test:
//   - The method must not start goroutines that use the collection, nor wait for anything but the collection,
//     such as a channel without a receiver: Test waits, too, until the time limit of go test.
//   - The environment does not run Range and Clear.
//   - The collection is empty at first. Operations of the environment before the method fill it.
//   - If the method does not do the same whenever the collection returns the same, executions are undecided,
//     and Test fails.
//   - An execution has one call of the method. Concurrent calls of it are covered only if
//     operations of the environment have the same effects.
//   - An execution with more than 100 operations of the method is not judged.
//   - A method that never returns after a second operation is not exercised, and Test fails: the
//     keys and values have to lead there. Report.Reason says so.
//   - If the method panics, the panic is its result. A panic that also occurs when the
//     method runs alone in the same state is not a violation; Report.Panics has its text.
//   - Values of types other than int, string and bool are compared by type and
//     content. Pointers that the method makes have no identity between executions. They
//     are compared by what they point to when the method has ended, if that is the
//     same in two replays. Pointers from Options.Values are compared by identity.
//   - The environment does not have pointers that the method makes, and does not compare with them. Keys with
//     pointers have to be in Options.Keys.
//
// # The figures of the paper
//
// The tests have the methods of Figures 1, 2, 8 and 12, with the paper's verdicts.
// Those that are not atomic take at most two operations of the environment. The
// others are atomic in all executions with up to three:
//
//	atomic                        executions
//	Figure 1                           73476
//	Figure 2c                          13312
//	Figure 12 i                         4953
//	Figure 12 ii                       18148
//	Figure 12 vii, futures known       76440
//
// Figure 12 vii keeps futures in the map. As in the paper, it is atomic only if a
// future without a result counts as missing (Options.Missing). Unlike the paper,
// the environment must also leave such futures in the map. If it removes one that
// is being computed, the method returns a result that is not in the map.
//
// A checker of conflict serializability rejects all of these methods that have several
// operations, as in Section 5.4.
//
// The ablation of Section 4.5, an environment that runs before operations only, finds the
// violation of Figure 8 only in the contents at the end, which the paper does not read.
package composed
