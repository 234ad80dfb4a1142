// # Schedules
//
// Threads that run freely leave interleavings to chance. So while they run, stress builds an
// instrumented copy of the packages under test. Then it runs one thread at a time, and tries
// schedules in order. If there is no Go tool or no source to build the copy, a line
// says so, and threads go on alone; with --threads, they are alone from the start. A schedule says which thread continues at each use of package sync or
// sync/atomic, each channel operation, each select and each go statement. So stress
// finds interleavings that real threads take once in a million executions, and can
// repeat each of them:
//
//	leadline stress --new example.com/queue.New
//	leadline stress --new example.com/queue.New --program '{ Put(0) } || { Put(1) }' --preemptions 4
//
// A preemption is a switch from a thread that could continue. Between invocations, and
// where a thread ends or waits, switches are free. A thread that polls waits until another
// one writes; if it continues before, that counts as a preemption. Most violations need
// one preemption. Programs get all schedules with one preemption, then with two, and
// finally with three, or with as many as --preemptions says; after --preemptions -1, with any
// number: of schedules that differ only by the order of independent steps, one is run. The
// final line says how many programs are complete up to which bound.
//
// For objects that start goroutines, delays are bounded instead: how often the scheduler
// passes over the thread whose turn it is. Some random schedules come first.
//
// In a first pass, only synchronization takes steps. If it finds no violation in half of the
// time, plain loads and stores are steps, too, in a second one. With --plain, they are steps
// at once.
//
// By default, stress instruments the package of the constructor, what that imports from
// its module, and the packages of the types that the object consists of; --instrument
// adds packages. The clock of an execution jumps when no thread can continue, so timeouts
// cost nothing. Up to twice in an execution, it also jumps while threads can continue: so a
// tick of a timer or ticker may come between any two steps. An execution with such a tick is
// compared with sequential runs that have ticks, too. Goroutines of the object that never end do not matter: an execution ends when
// its calls have returned.
//
// Every execution is compared with the sequential runs of the program, and the order of
// its invocations and responses is checked. Sequential runs cover every order of the
// invocations, and every choice of the object: the order of a map, a random level, the
// case of a select. If there are too many, an unexpected execution is counted as
// undecided, and is not reported. A deadlock is a violation unless some sequential run
// ends there, too.
//
// Threads that spin forever are a deadlock, too. Stress gives every thread that is left and
// not blocked 1,048,576 more steps. If none of them changes a value, returns, reads the
// clock or makes a choice, no fair schedule can end their loops. A thread that waits for a
// spin lock does not hang while the holder can continue. An execution has too many steps,
// and does not count, if it has more than 5,000 steps, or if threads only spin but may
// stop: a loop may give up after many rounds, or use a mutex in each round.
//
// Some violations are inside one call, whatever its result:
//
//   - A call deadlocks by itself: it waits forever for goroutines that it has started, which
//     wait for each other, or it is called alone, starts goroutines, and returns under some
//     schedules only. A method that waits under every schedule, such as Take of an empty
//     queue, waits by design.
//   - A call leaks a goroutine that it has started: nothing that the object, a global variable
//     or a goroutine that can continue refers to can wake it. The garbage collector decides
//     this, so closures and maps count. A worker that waits for a channel of the object is
//     not a leak, nor is anything that a timer may wake.
//
// Where the result of a call that starts goroutines depends on the schedule, though nothing
// else is called, a line says so. It is a violation if --program has only that call.
//
// A violation is reduced: to a small program, then to few preemptions, then to few
// switches. Before stress reports it, it replays the schedule 1000 times in the same
// process and 10 times in another one. If a replay differs, the object depends on more
// than the schedule, such as a global variable, real time or addresses, and stress
// reports the program as such. Then stress runs the program on real threads without
// instrumentation, and reports how often they have the outcome. That may be never: Go
// permits the schedule all the same. If threads spin, that process may not end either.
//
// The schedule is saved with the history, and leadline replay shows it step by step. A saved file
// is data only: what is built and run is the object on the command line, which must be the
// one that the file names, with the same flags:
//
//	leadline replay --new example.com/queue.New leadline-violations/example.com_queue.New-1.jsonl
//	leadline replay --new example.com/queue.New --program '{ Put(0) } || { Put(1) }' '0^4 1 0'
//
// Each thread has a column, and each step has its file and line. The exit status is 1 if
// the execution is a violation. The page of leadline view has the steps below the picture.
// With --outcomes, each --program is run to the end instead: a table has every outcome, how
// often it was seen on threads and in schedules, and an order of the calls one after another
// that has it. An outcome that is possible one after another and never came is a line, too.
//
// In a Go test, stresstest.Test does all that; a schedule that a failed test has saved is
// replayed first when the test runs again.
//
// Executions are sequentially consistent, as Go's atomic operations are, so effects of
// data races are not found. Assembly, cgo, finalizers, and code of the standard library
// without a stand-in are not covered.
package main
