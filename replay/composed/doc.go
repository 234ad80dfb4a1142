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
// test runs the method many times in one goroutine. Before and after each
// operation of the method, the environment may run operations of the collection.
// This test fails with the run
//
//	the method                      the environment
//	Load(7): missing
//	                                LoadOrStore(7, 50): stored
//	LoadOrStore(7, 49): loaded 50
//	returns 49
//
// No atomic method explains it: before the environment, the method would store
// 49, and after it, the method would return 50. The history that is checked is
//
//	method       |-------------- getOrCompute: 49 --------------|
//	environment       |--LoadOrStore(7, 50): stored--|
//
// The failure ends with a string for Options.Replay, which repeats exactly this
// run, and before it with a repair:
//
//	Repair: LoadOrStore(7, 49), and return its value
//	    (as the method alone in 3 states; no violation in 385 runs)
//
// # Repairs
//
// A repair is an atomic method with the results and effects of the method alone. It is searched
// when a violation is found. The candidates are
//   - a single operation of the collection, with keys and values that the method uses. The
//     method returns its value, whether it succeeded, or a constant;
//   - for a method that uses a single key of a map, a loop as in Figure 1: it loads the key,
//     computes the new value, and writes it by LoadOrStore, CompareAndSwap or CompareAndDelete.
//     If that fails, another operation came between, and the loop tries again. A map with an
//     operation Compute does the same in one call.
//
// A candidate has to do the same as the method alone in all states with up to three values. It
// then has to pass the test of the method itself, with up to two operations of the environment.
// The report has the numbers of states and runs.
//
// A repair is a suggestion. It is tried with the arguments and values of the test only. Some
// methods need none, such as one that inserts a value for as long as it runs.
//
// # Which operations the environment runs
//
// An operation that commutes with all of the method's operations could as well
// run before or after the method. So the environment runs two kinds of operations,
// as COLT does:
//   - operations that do not commute with the method's next operation, in the present
//     state;
//   - operations that do not commute with its last operation, in the state in which that
//     one ran.
//
// Two operations commute if both orders give the same results and the same state. This is
// computed from the bundled specifications kv, set and queue. Figure 5 of the paper follows
// from it.
//
// All choices are explored depth first, first without operations of the
// environment, then with one, and so on up to Options.Ops. So no other violation has
// fewer than the first one.
//
// Unlike the paper, the environment may run several operations at one place. When
// the method has returned, it reads the whole collection. So a lost update shows even if
// no other operation observes it.
//
// # What is checked
//
// The history has the environment's operations, one after another. The method is a
// single operation that overlaps the ones before its return. So a linearization is a
// place of the method among the others. At each place, the method runs alone, and the
// others around it. If no place gives the results and the contents of the history, the
// run is a violation.
//
// The first mode of the paper enumerates linearizations, and its second mode
// enumerates candidates for the linearization point. Here they coincide. In the third
// mode the linearization points are given; [Point] marks them, and only the order with
// the method at that place is checked. If another order explains the run, the report says
// that the point is wrong. The paper's heuristics for guessing points are not needed.
//
// Often the environment of a program does less than it could: Options.Without
// names operations that it does not run, and Options.Values are the only values
// that it inserts. If a violation disappears, it needs an open environment (the
// class "Modular NL" of Figure 11). The directory benchdata/composed has 66 methods
// of open-source modules in the classes of that figure. The command leadline composed
// finds such methods.
//
// # The real package
//
// The command leadline composed --check does not need the collection as a parameter. It runs the functions
// of a package as they are, with its collections, in the scheduler of package history/explore:
//
//	extract.Programs   a Target for each function, in a file of the package
//	   |
//	   v
//	Serve              a body: the method in one thread, one or two calls of the environment,
//	   |               which schedule.Choose chooses, in another
//	   v
//	explore.Search     schedules with up to two preemptions; each execution is judged by what the
//	   |               method does when it runs alone at each place among the calls
//	   v
//	CheckAll           a Checked for each function: what was explored, a violation, or a reason
//
// There are four searches: one operation of the environment and then two, with one preemption and then
// with two. Each ends after 32,768 executions or 15 seconds. Checked.Ops and Preemptions are the bounds of the
// last one before which all were complete; without any, the function counts as not checked. The
// environment leaves out values with which the function panics alone: it does not expect them.
//
// A violation has the same results in replays, also if the clock advances faster. Executions that do not
// are undecided, and those that wait forever are not judged. If the function runs alone in a way that
// ends the process, or takes no step for 20 seconds, the reason says so, and the others are explored in a
// new process. Unlike Test, --check has no repairs, no linearization points, and no Options.
//
// # The effect of guidance
//
// The table has the runs up to the first violation. The first column is the
// exploration of all runs; the others are means of 20 seeds of random runs. A blind
// environment draws an operation and then its arguments, from ten values and the
// given number of keys. Here "2 of 20" means that two of 20 seeds found a violation within
// 400 runs.
//
//	method          all runs    guided    blind, 1 key  blind, 10 keys
//	Figure 2a             26      14.0            48.7         2 of 20
//	Figure 8               9       6.6             6.7            45.8
//	Figure 12 iii         19       4.7             3.3            47.1
//	Figure 12 iv          25       8.7             4.4            58.0
//	Figure 12 v           11      25.6             9.8            52.9
//
// Guidance finds the key and the values. An environment that knows the key often
// does as well without it in methods this short, since one operation at nearly any
// place is enough. A test compares the table with what it measures.
//
// # Promises
//
// A violation is a run of the real method that no atomic execution of it explains.
// Nothing is proved beyond the bounds: a method without a violation is atomic in
// all explored runs, which Report.Ops, Runs and States count.
//
// With guidance, a violation may need one more operation. An operation can commute with
// all operations of the method in a run, and yet change what an atomic method would do. In
// one measurement, 400 random methods were explored with up to two operations of the
// environment. A blind environment found violations of 366 methods, and guided ones of 365.
// For the remaining method, the guided ones need three operations.
//
// The following are limits:
//   - The method must do the same whenever the collection returns the same. It
//     must not start goroutines that use the collection.
//   - A Range is one Load for each key, in the order of the keys. It does not visit the keys in
//     other orders, as sync.Map may. The environment does not run Range and Clear.
//   - The collection is empty at first. All operations of the environment overlap the method,
//     so it may always have run on an empty collection.
//   - A run has one call of the method. Concurrent calls of it are covered only if
//     operations of the environment have the same effects.
//   - A run that exceeds Options.Steps is not judged.
//   - A method that never returns after a second operation is not exercised, and Test fails: the
//     keys and values have to lead there. Report.Exercised says so.
//   - The method must not wait for anything but the collection, such as a channel
//     without a receiver: Test waits, too, until the time limit of go test.
//   - If the method panics, the panic is its result. A panic that also occurs when the
//     method runs alone in the same state is not a violation; Report.Panics has its text.
//   - Values of types other than int, string and bool are compared by type and
//     content. Pointers that the method makes have no identity between runs. They
//     are compared by what they point to when the method has ended, if that is the
//     same in two runs. Pointers from Options.Values are compared by identity.
//   - Keys with pointers have to be in Options.Keys.
//
// # The figures of the paper
//
// The tests have the methods of Figures 1, 2, 8 and 12, with the paper's verdicts.
// Those that are not atomic take at most two operations of the environment. The
// others are atomic in all runs with up to three:
//
//	atomic                            runs   histories  states
//	Figure 1                         19423        8701       4
//	Figure 2c                         3055        2299       3
//	Figure 12 i                       5101        4781       3
//	Figure 12 ii                      6535        5177       3
//	Figure 12 vii, futures known     13401        1357       7
//
// Figure 12 vii keeps futures in the map. As in the paper, it is atomic only if a
// future without a result counts as missing (Options.Missing). Unlike the paper,
// the environment must also leave such futures in the map. If it removes one that
// is being computed, the method returns a result that is not in the map.
//
// A checker of conflict serializability rejects all of these methods that have several
// operations, as in Section 5.4. Report.NotSerializable counts the runs. With up to two
// operations of the environment, they are 396 of 811 runs of Figure 1, 54 of 211 of Figure 2c,
// and 162 of 487 of Figure 12 ii, and none of these is a violation.
//
// The ablation of Section 4.5, an environment that runs before operations only, finds the
// violation of Figure 8 only in the contents at the end, which the paper does not read.
package composed
