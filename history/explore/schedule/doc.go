// Package schedule runs the threads of a small program one at a time and
// explores the orders in which they can take their steps.
//
// The code under test calls Step before each access to shared memory, Wait before an
// operation that blocks, Go for a goroutine, and Choose for a nondeterministic choice.
// The packages in shim replace standard packages and make these calls; the hooks of this
// package do so for channels, maps and plain accesses. The threads are coroutines, so a
// switch costs about 0.2 microseconds. Before each step a [Strategy] decides which thread
// continues. An execution is determined by these decisions, its [Schedule].
//
// The package is compiled into the code under test and imports the standard library only.
//
// # An example
//
// Two threads add 1 to a counter by a load and a store:
//
//	thread 0   load 0                  store 1
//	thread 1            load 0   store 1
//
// The first execution has no preemption, and the counter is 2. Then the search
// preempts thread 0 between its two steps and the counter is 1. The schedule is "0 1^2":
// first thread 0, then, where both can go on, thread 1 twice. When it has ended, only thread 0
// is left, and there is nothing to decide. The Example runs this.
//
// # Decisions
//
// A decision is made before a step if several threads can continue, and for each Choose.
// Switching to another thread is a preemption, unless the current thread begins an
// invocation, ends, blocks or yields. So the schedules without preemptions are the
// shuffles of the invocations.
//
// No decision is made between the beginning of an invocation and its first step, unless that
// yields. A switch to another thread there is equivalent to a later beginning of the
// invocation: the results are the same, and more invocations return before it. An execution
// that is not linearizable remains so if more invocations precede others.
//
// Before and After run without decisions between threads, and without ticks. When Before, the threads or After have
// ended, the goroutines of the object run until they block.
//
// # Which schedules
//
//   - [DFS]: all, or all with up to n preemptions or delays, for n = 0, 1, 2, ...
//   - [DPOR]: all that differ by more than the order of independent steps
//   - [POS]: drawn at random
//   - [Replay]: one
//
// The filter of a DFS preempts a thread only before a step that conflicts with a step of
// another thread. The conflict has to occur in an execution with the same decisions before
// it and no preemption there. Two steps conflict if they use the same address and one of
// them writes.
//
// Without a bound, the filter loses no result. Suppose a thread is preempted before a step
// and others continue. If none of their steps until the thread returns conflicts with its
// step, the thread could have taken the step first: the results are the same, its invocation
// returns no later, and the preemption moves to a later step or disappears. Otherwise the
// search sees the conflict: the others' steps before the first conflicting one are possible
// after the step, too. With a bound, the filter is a heuristic, since that execution may have
// more preemptions than allowed.
//
// Others were tried on 53 known violations: PCT, a random walk and strong hitting families find
// fewer, or need more executions. See benchdata/bench/subjects/strategies.jsonl. Without a bound,
// DPOR ends where a DFS does not.
//
// # Waiting
//
// The scheduler assumes that a thread polls if it calls Gosched, reads one address 12 times
// in a row, or takes 150 steps without a write or 500 of any kind. The thread waits until
// another thread has written or no other can continue. If all threads poll and none writes,
// the clock advances. If the execution still does not end, or has more than [Limits].Steps
// steps, it is Cut, or it is a hang: a Deadlock with Result.Spins.
//
// It is a hang if each thread that can continue takes [Limits].Spin more steps in vain: it
// changes nothing, neither ends nor begins or returns from an invocation, reads no clock and
// makes no choice. Then all threads read the same values under any schedule, also a fair one:
//
//	thread 0   owner = 1                load 2   load 2   ...
//	thread 1               owner = 2                            load 2   n = 1
//
// Thread 1 has ended, and no thread will store 1 again. A thread that waits for a spin lock
// does not hang while the holder can continue: the holder unlocks it.
//
// A loop that gives up after more rounds than Limits.Spin seems to be a hang, too: the rounds
// are counted by a variable of the thread, which is not visible here.
//
// The loop of such a thread may end, and the thread may change something after it. So there
// is a decision where it begins to wait. If that decision picks the thread itself, it does
// not wait. This counts as a preemption, and an ordinary decision follows. A [DFS] tries this
// within its bound. Without a bound, the executions of a thread that polls forever would
// never end. Then the thread waits, as with [DPOR] and [POS], and Exhausted
// reports that schedules were left out.
//
// When all others are done, goroutines of the object that poll do not continue.
// Result.Withheld reports that one of them had not called Gosched: its later steps are
// not explored.
//
// # Time
//
// Each execution has a clock of its own. It advances a little when it is read, and not with
// steps: how many these are makes no difference. Time passes until the next sleeper wakes if no
// other thread can continue. It may also pass at any other decision between threads: such a
// tick is a choice of the strategy like that of a thread, see Decision.Tick. An execution has
// two at most, see Limits.Ticks. (With that limit, the reductions of [DPOR] and of the filter are
// heuristics: executions that are equivalent otherwise may need different numbers of ticks.) So a timeout may come early, or a goroutine that cleans up
// every hour may do so between two steps of a call.
//
// # Deadlocks
//
// In a deadlock, a thread of the program has not ended, and no thread can continue,
// including goroutines of the object. These may sleep and wake again and again, as tickers do.
// Once that was four times in vain, it is taken to be so forever. Result.Blocked has what each thread waits
// for, which thread holds it, and where. It is normal that goroutines wait when all threads
// of the program have ended.
//
// Forever finds the threads that nothing can wake any more.
//
// # Global variables
//
// Package-level variables of the copies, and what these refer to, are as after the start of the
// program when an execution begins; see Globals. Not restored are what unsafe pointers and
// closures refer to, and values of types of other packages behind pointers.
//
// # Maps
//
// If two threads are before an access of a map at the same time and one of them writes, the execution
// ends with a Crash, as the runtime would end the process. Only accesses that are steps are known,
// those of Target.Plain of package instrument.
//
// # The end
//
// When an execution ends, a panic ends the remaining threads at their current step; see
// [Aborted]. Deferred functions run, and their hooks panic, too. A thread that keeps
// recovering is ended by runtime.Goexit. If even that fails, the thread is abandoned with
// its memory and counted in Result.Lost.
//
// # What is not covered
//
//   - Memory is sequentially consistent, as Go's atomics and locks are. Data races may show less than
//     on real hardware.
//   - Between two hooks a thread runs alone: plain accesses without a hook are not points.
//     A loop without any hook never ends.
//   - A program that depends on more than its schedule: real time, addresses, the order of
//     uninstrumented map ranges, globals that are not registered. Result.Diverged
//     shows it when decisions repeat, Result.Fingerprint when schedules do.
//   - Goroutines that are not started by Go. Their hooks do nothing, and Result.Foreign counts
//     them: such an execution proves nothing. Those that Go started outside of any execution
//     do not count, since they belong to other objects. Foreign ones are recognised by the address of their stack,
//     so one that has just got the former stack of a thread may be missed.
//   - Run must not be called by a goroutine that is locked to its operating system thread, since
//     coroutines cannot be switched there.
package schedule
