// Package stress finds methods of concurrent objects that are not atomic. It
// generates small test programs, runs each millions of times on fresh objects,
// and compares the results of the invocations with those of sequential runs.
//
// A Class describes the objects and the methods that can be called; Reflect
// derives it from any Go type. A Program is a few sequences of invocations that
// run in parallel, with literal arguments, in the notation of Violat:
//
//	{ enqueue(1); dequeue() } || { dequeue() }
//
// An initial part in square brackets may precede them, and a final part may
// follow when all have ended. The Outcome of an execution has the results of its
// invocations, in textual order. NewExpected finds the outcomes that are possible
// if invocations take effect one after another, by running every shuffle of the
// sequences. Here there are three:
//
//	enqueue(1); dequeue() = 1; dequeue() = null      outcome (),1,N
//	enqueue(1); dequeue() = 1; dequeue() = null      outcome (),N,1
//	dequeue() = null; enqueue(1); dequeue() = 1      outcome (),1,N
//
// RunProgram runs the program on fresh objects, with a thread for each sequence.
// A queue that reads its head and then moves it sometimes has the outcome (),1,1:
//
//	0  |--|          enqueue(1)
//	0       |---|    dequeue(): 1
//	1         |---|  dequeue(): 1
//
// Search does this for generated programs, with an Executor that runs them:
//
//	Generate ──> Program ──> Executor ─────────────> Outcome ──> is it Expected? ──no──> Finding ──> history file
//	                            │                                   ▲                      │
//	                            │ NewThreads: on threads             │ sequential runs      │ reduce: a smaller
//	                            └ explore.New: in schedules ─────────┘                      └ Program, again
//
// Threads run any code millions of times a second. Package explore controls which thread
// continues at each step of an instrumented object, so that nothing is left to chance. Both
// runs threads at once, and schedules as soon as the instrumented program is built. Supervise runs
// Search in a process of its own. This package imports no checker: the Checker is an option.
// Package replay/stresstest has leadline's checker and the functions for Go tests.
//
// # What is promised
//
// Every violation is real: no shuffle has its outcome, though each ran many
// times, and the checker has found its history not linearizable. It does so with
// respect to the model of the Class or, without one, to the results of the
// shuffles. So the same sequential calls must always return the same results. Before
// Search reports a violation, it measures how often the violation occurs, and runs the
// shuffles ten times as often to detect random results. It also runs them with pauses
// between the calls, to detect results that depend on the clock, and after random calls of other
// objects, to detect state that objects share, such as a global map. Programs with such
// results are skipped. Schedules judge the latter, as each begins with the global variables of a new
// process.
//
// A search on threads without violations means little: interleavings are left to chance. A
// seed fixes the programs, not how their threads interleave, nor how many there are. If the
// programs of some methods take much longer than those of others, some of them are skipped:
// the methods share the time. Some faults show
// only in the order in which invocations of different sequences begin and end.
// Search finds these only in the executions that are recorded, about one in
// twenty.
//
// A violation names the smallest program that was found to show it, and the methods that its
// sequences call. If all of these but one are core, that one is to blame. Otherwise they are
// not atomic together, or the core is not. The search goes on with programs that do not call
// all of these methods in parallel; see Options.GoOn.
//
// A method with a Level below complete may miss what the level allows; see package visibility.
// Expected outcomes then include those. What happened before an invocation is what the
// program puts in order or, in a recorded execution, what had ended. Finding.Weak names levels
// that would explain the outcomes of a violation. The search for these is bounded: see
// NewExpected.
//
// Report.Account has what was tried and what was not. A method counts as Atomic if it was exercised
// (see MethodAccount), if different orders had different results, and if a program calls it twice in
// parallel, unless it is read-only.
//
// Objects may leave goroutines that nothing stops and that wake again and again, such as the
// janitor of a cache. On threads, these may change results at any time, so threads do not judge
// such objects: Report.OnlySchedules says so. With schedules, no goroutine is left behind.
//
// A search may need 256 MiB of memory. If unused objects hold on to it, the search ends, and
// Supervise starts a new process; so it does if a process needs 512 MiB.
//
// # Methods that wait
//
// A method may wait for other calls, as Put and Get of a bounded queue do. An
// invocation that waits when called sequentially has no transition there: another
// sequence comes first. If the next invocations of all sequences wait, the outcome
// has W for each of them, and - for those that are not called. With room for one
// value,
//
//	{ Put(0) } || { Put(1) } || { Get() }      has the outcomes (),(),0 and (),(),1
//	{ Put(0) } || { Put(1) }                   has the outcomes (),W and W,()
//
// Of a rendezvous or a barrier, each call waits for another one, so no order lets all
// return. Then runs count in which calls that wait for one another are open together:
//
//	{ Send(0) } || { Recv() }                  has the outcome (),0
//
// Each call begins when every open one waits. Where the same calls can also return one
// after another, such a run does not count. Report.Together is the number of programs that
// need such runs. Report.Hopeless is the number of programs in which some call waits in every
// run. Search runs these only if Options.Programs has them.
//
// An execution that waits forever also has such an outcome. It is correct if some
// shuffle ends the same way. Otherwise it is a violation: a lost wake-up or a deadlock.
//
//	0  |----->   Put(0): W       Put(0); Get() = 0; Put(1) would be possible
//	1  |-|       Put(1)
//	2     |-|    Get(): 1
//
// In its history the call never returned; see history.Operation.Waits. The sequential runs in
// its header wait only where nothing else is possible, so the checker finds the history not
// linearizable.
//
// All this is known of schedules only, where the scheduler sees what each thread waits for. A
// call on threads that does not return within two seconds may wait for ever, or only take long.
// Report.MayWait names its method, and threads run no other program that calls it.
//
// # Failures
//
// With Options.Failures, Search looks for types that are not safe for concurrent use, without a
// specification: a call panics, the runtime ends the process, or a call does not return, and no
// sequential run of the program has that failure in any of its calls. This is the oracle of Pradel
// and Gross, "Fully Automatic and Precise Detection of Thread Safety Violations" (PLDI 2012):
//
//	s := set.New(); s.Add(1)
//	0  |--------------|   s.Equal(s)      reads under a lock, and then again
//	1      |----------->  s.Add(2)        waits for the first lock
//
// Results are not compared. So all methods are alike, none is to blame, and an argument can be the
// result of an earlier call, of a type of the object's package: in
//
//	[ PushFront(0) ] { Remove($1) } || { InsertAfter(1,$1) }
//
// $1 is what the first call of the program returns. Calls that fail sequentially are removed from a
// program before it runs in parallel, if they do so in one of two orders. After a failure, no other call
// of the object begins. If a sequential run fails, a call that waits is not a failure: it may wait for a
// lock that the failed call has kept. Two failures are the same if their texts are, but for numbers.
//
// Supervise reports a failure only if another process repeats it. There, the program first runs
// sequentially in every order, again and again: with pauses, so that goroutines that calls have
// started go on, and beside other objects, on which the same calls were made. On threads, it then has ten
// seconds to fail, and runs sequentially three times as often as it took; a schedule is replayed. What
// was not repeated is in Report.Unconfirmed, and means that the object is neither safe nor unsafe.
// Threads see what schedules cannot, such as a slice that has the length of another one, and schedules
// see deadlocks that threads meet once in a million executions; Both runs both.
//
//	Supervise ──> process: Search ──> fails, ends or hangs ──> another process: Replay ──> Finding
//	                                                                │ not again
//	                                                                └──> Unconfirmed
//
// No finding means little, as everywhere on threads. Objects that fail rarely at random, or wait for
// timers of seconds, are not supported.
//
// # What each way of finding is worth
//
// BenchmarkPrices in benchdata/bench/subjects gives each way alone the programs of 53 violations of
// libraries and of seven controls, and types of libraries that are not safe for concurrent use. On
// threads, a program gets two seconds and the proof; a type gets 20 seconds. The processor time of
// types includes builds, and two other programs ran beside it.
//
//	way                       violations    CPU s executions controls    types    CPU s  only it
//	schedules, no preemption     4 of 53      0.2       1105   0 of 7        -        -        3
//	schedules, 1 preemption     53 of 53      0.3       2438   0 of 7 12 of 13      210       14
//	schedules, 2 preemptions    53 of 53      0.3       3444   0 of 7        -        -       14
//	schedules, 3 preemptions    53 of 53      0.4       7884   0 of 7 11 of 13      181       14
//	schedules, no bound         50 of 53      8.1      94981   0 of 7        -        -       13
//	schedules, random           53 of 53      3.0     143366   0 of 7        -        -       14
//	threads                     39 of 53    163.5   10786891   0 of 7 12 of 13      152        0
//	safety                             -        -          -        - 12 of 13      168        0
//
// For a type, schedules means leadline stress, which runs threads while it builds: threads find the six
// types of the standard library, which is not instrumented. Only schedules find 14 of the 53, and they
// prove what they find. Threads propose, and are there for what cannot be instrumented.
// Pinned threads find 24 and 32 of the 53 in 0.3 s each, and 14 and 23 without. The row safety is
// leadline safety, a search with Options.Failures. An engine of its own, which it replaced, found 12 of
// these 13 types, too, in 225 s.
//
// What else stays, and what only it decides (a patch each, in the tests of package explore and of the
// 53):
//
//   - random schedules before those with delays, for objects that start goroutines: a leak that waits
//     for a timer, and eight programs of TestTicks have no finding without them;
//   - partial-order reduction (schedule.DPOR), for the sequential runs of such objects: without it,
//     six programs of TestTicks are undecided, and the levels of the 53 are not known of all;
//   - calls that wait for one another (see Methods that wait): without them, an exchanger that lets
//     one of two go too early has no finding;
//   - what levels allow, decided here from the sequential runs. Asking the Checker instead has the same
//     verdicts, in 0.94 to 1.02 times the processor time, but it has 27 lines more, and Go tests and
//     Finding.Expected no longer know the outcomes.
//
// # Speed
//
// Threads are pinned, where the system supports it, and go through batches of
// objects side by side. BenchmarkRunProgram, with programs of four invocations on
// two processors of a virtual machine (AMD EPYC, November 2026): 4.2 million executions a
// second on an atomic counter, 0.66 million on a map under a lock. 64 % and 45 % of the
// recorded ones overlapped. Elsewhere it was up to 9.4 and 2.0 million. These call methods directly.
// Classes of Reflect call theirs by reflection, which takes about 0.6 microseconds (BenchmarkReflect).
package stress
