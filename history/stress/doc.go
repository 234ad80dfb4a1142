// Package stress finds methods of concurrent objects that are not atomic. It
// generates small test programs, runs each millions of times on fresh objects,
// and compares the results of the invocations with those that they have one
// after another.
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
// Search does all that for one generated program after another, and Supervise
// starts a process that does it. This package imports no checker: a Checker is an
// option. Package replay/stresstest has leadline's, and what Go tests call.
//
// # What is promised
//
// Every violation is real: no shuffle has its outcome, though each ran many
// times, and the checker has found its history not linearizable. It does so with
// respect to the model of the Class or, without one, to the results of the
// shuffles. So objects have to return the same results whenever they are run the
// same way sequentially. Before it reports a violation, Search measures how often it
// comes, and runs the shuffles ten times as often, so that a result of chance would
// show. It also runs them with pauses between the calls, as objects may read the
// clock. It leaves out programs with such results.
//
// A search without violations means little: interleavings are left to chance. A
// seed fixes the programs, not how their threads interleave. Some faults show
// only in the order in which invocations of different sequences begin and end.
// Search finds these only in the executions that are recorded, about one in
// twenty.
//
// Without core methods, no single method is to blame for a violation. With
// Options.GoOn, a search then goes on, but no program calls the methods of the
// violation in parallel; a method that is in several violations is left out. With core
// methods, the core is to blame if a program has a violation without its other method.
// From then on, every second program of another method does not call the core methods
// of that violation in parallel, if possible.
//
// A method counts as Atomic if it was exercised: invocations of a program overlapped,
// and different orders had different results.
//
// A search may need a gigabyte of memory. If objects that are not used keep it, the
// search ends, and Supervise replaces its process.
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
// An execution that waits for ever has such an outcome, too. It is right if some
// shuffle ends there. Otherwise it is a violation, a lost wake-up or a deadlock:
//
//	0  |----->   Put(0): W       Put(0); Get() = 0; Put(1) would be possible
//	1  |-|       Put(1)
//	2     |-|    Get(): 1
//
// Its history has the result "waits for ever", which the sequential runs in its
// header have only where nothing else is possible. So the checker finds it not
// linearizable.
//
// An invocation waits if its goroutine does, by the runtime's dump: in a channel
// operation, a select, or package sync. Nothing can wake it if that is so of all
// threads that have not ended, and of all goroutines that objects started, in two
// dumps. The fast path does none of that: a dump is taken when no thread has
// moved for a millisecond. A dump does not show timers. So what waits does so for
// another second, and sequential runs as well, before a violation is reported.
// An object with timers longer than that is not for Search, and neither is one in
// which a waiting call holds up others that could go on, as a fair lock does.
// If goroutines of an object sleep, whether a call waits for ever is unknown.
// Programs in which one waits sequentially are then left out.
//
// Goroutines that wait for ever stay, unless later calls of the object's methods
// wake them. A search ends when 1000 of them are left, and Supervise replaces its
// process.
//
// # Schedules
//
// Explore runs a program of an instrumented object in package schedule: one thread
// at a time, with each schedule in turn. Options.Schedules makes Search do that. Each
// execution is judged, also by the order in which invocations begin and end. The
// sequential runs are made in the scheduler, too. They take every choice of the
// object: the order of a map, or a random number. So an outcome that only another
// choice explains is not a violation. Where the runs are too many, a search for
// the one outcome follows, and if that is too long, the execution is undecided.
//
// An invocation waits if the scheduler finds that no thread can go on. Limits of time
// do not matter there.
//
// A violation has a schedule. Search reduces the program, and then the schedule: to
// few preemptions first, and then to few switches. It replays the schedule 1000
// times, and Supervise 10 times in another process. What differs then depends on more
// than the schedule, and is not reported as a violation. So the promise above
// is kept: every violation is an execution of the object's code that can be repeated.
//
// A search with schedules that ends without violations means more: Explored.Complete
// counts the programs of which all schedules within a bound of preemptions were run.
// It still means nothing for other programs, for data races, and for code that is not
// instrumented.
//
// For objects that start goroutines, sequential runs range over the schedules of these
// goroutines with one more delay than the violation has, and over some random ones.
//
// # Speed
//
// Threads are pinned, where the system supports it, and go through batches of
// objects side by side. BenchmarkRunProgram, with programs of four invocations on
// two cores: 4.6 to 9.4 million executions a second on an atomic counter, 1.4 to
// 2.0 million on a map under a lock. 80 to 85 % and 44 % of the
// recorded ones overlapped.
package stress
