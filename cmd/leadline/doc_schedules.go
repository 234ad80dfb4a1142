// # Schedules
//
// With --schedules, stress does not run threads. It builds an instrumented copy of the
// packages under test, runs one thread at a time, and tries schedules in order: which
// thread goes on at each access to package sync or sync/atomic, at each operation of a
// channel, select or go statement. So it finds interleavings that real threads
// take once in a million executions, and it repeats each of them at will:
//
//	leadline stress --new example.com/queue.New --schedules
//	leadline stress --new example.com/queue.New --schedules --program '{ Put(0) } || { Put(1) }' --preemptions 4
//
// A preemption is a switch from a thread that could go on. Between invocations, and
// where a thread ends or waits, switches are free. A thread that polls waits until another
// writes; to go on all the same counts as a preemption. Most violations need one
// preemption. Programs get all schedules with one preemption, then with two, and at
// last with three, or with --preemptions. The final line says how many programs are
// complete to which bound. For objects that start goroutines, delays are
// bounded instead: how often the scheduler does not take the thread whose turn it is.
// Some random schedules precede them. --delays sets that bound for all objects, and
// --strategy takes only these schedules: dfs, or random ones, pct, pos, walk, or family, which
// is a strong hitting family of the steps. --plain makes steps of plain loads and stores, too. By
// default, the package of the constructor is instrumented with what it imports of its module,
// and so are the packages of the types that the object consists of; --instrument adds packages.
// The clock of an execution jumps when no thread can go on, so timeouts cost nothing. Methods
// that wait are left out, unless a timer of their own ends them within 200 ms.
//
// Every execution is compared with the sequential runs of the program, and checked for the
// order of its invocations and responses. Sequential runs take every order of the
// invocations, and every choice of the object: the order of a map, a random level, the case of a select.
// If they are too many, an unexpected execution is counted as undecided, and is not reported.
// A deadlock is a violation unless some sequential run ends there, too.
//
// A violation is reduced: to a small program, then to few preemptions, then to few
// switches. Before stress reports it, it replays the schedule 1000 times in the
// process and 10 times in another. Where a replay differs, the object depends on more
// than the schedule, such as a global variable, real time or addresses. Stress then names
// the program as one that depends on more than the schedule. Then stress runs the
// program on real threads without instrumentation, and reports how often they
// have the outcome. That may be never: the schedule still is one that
// Go permits.
//
// The schedule is saved with the history, and --replay shows it step by step:
//
//	leadline stress --replay leadline-violations/example.com_queue.New-1.jsonl
//	leadline stress --new example.com/queue.New --program '{ Put(0) } || { Put(1) }' --replay '0^4 1 0'
//
// The flags are for --schedules only:
//
//	$ leadline stress --subject all --delays 2
//	leadline stress: --preemptions, --delays, --strategy, --plain and --instrument need --schedules; see leadline stress --help
//
// Each thread has a column, and each step has file and line. The exit status is 1 if the
// execution is a violation. The page of leadline view has the steps below the picture.
// In a Go test, stresstest.Options{Schedules: true} does all that; a schedule that
// a failed test has saved is replayed first when the test runs again. Where methods were
// not exercised, the test explores plain loads and stores, too.
//
// Executions are sequentially consistent, so that effects of data races are not
// found. Go's atomic operations are sequentially consistent, too. Not covered are assembly,
// cgo, finalizers, and code of the standard library other than its stand-ins.
package main
