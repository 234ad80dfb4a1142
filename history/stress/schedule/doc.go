// Package schedule runs the threads of a small program one at a time and
// explores the orders in which they can take their steps.
//
// The code under test calls Step before each access to shared memory, Wait before
// an operation that blocks, and Spawn for a goroutine. It calls Choose where it may take any of
// several ways. Package shim has stand-ins of the standard packages that do, and
// the hooks of this package do so for channels, maps and plain accesses. The threads are
// coroutines, so a switch costs about 0.2 microseconds. Before each step a [Strategy] decides
// which thread goes on. An execution is a function of these decisions: its [Schedule].
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
// A decision is made before a step if several threads can take theirs, and for each
// Choose. To go on with another thread than the current one is a preemption, except
// where the current one begins an invocation, ends, blocks or yields. So the
// schedules without preemptions are the shuffles of the invocations.
//
// No decision is made between the beginning of an invocation and its first step, unless that
// yields. If another thread went on there, the invocation could as well begin later: the
// results are the same, and more invocations return before it. An execution that is not
// linearizable stays so if more invocations precede others.
//
// Before and After run without decisions between threads. When Before, the threads or After have
// ended, the goroutines of the object run until they block.
//
// # Which schedules
//
//   - [DFS]: all, or all with up to n preemptions or delays, for n = 0, 1, 2, ...
//   - [DPOR]: all that differ by more than the order of independent steps
//   - [NewPCT], [NewPOS], [NewWalk]: drawn at random
//   - [Family]: strong hitting families, which are PCT without chance
//   - [Replay]: one
//
// The filter of a DFS preempts a thread only before a step that conflicts with a step of another
// thread. The conflict must show in an execution with the same decisions before it and no preemption there. Two
// steps conflict if they use the same address and one of them writes. If no bound leaves
// schedules out, that loses no result. Suppose the thread is preempted before a step and the others go on. If
// none of their steps up to its return conflicts with its step, it could have taken the step
// first. The results are the same, its invocation may only return earlier, and the
// preemption comes at a later step, if at all. Otherwise the search sees the conflict: the others' steps
// before the first one that conflicts are possible after the step, too. Under a bound the filter is a
// heuristic, since that execution may have more preemptions than allowed.
//
// The families are explained at [Family], the reduction at [DPOR].
//
// # Waiting
//
// A thread polls, as far as the scheduler knows, if it calls Gosched, reads one address 12 times in
// a row, or takes 150 steps without a write or 500 of any kind. It waits until another thread has
// written, or no other can go on. If all threads poll and none writes, time passes for them; an
// execution that does not end so is Cut, as one of more than [Limits].Steps steps is.
//
// Such a thread may be in a loop that ends, and change something after it. So there is a decision
// where it begins to wait. If its number is taken there, it does not wait: that counts as
// a preemption, and a second decision follows, which is as usual. A [DFS] tries this
// within its bound. Without a bound a thread that polls for ever would never end so. Then, as with [DPOR] and
// random strategies, it waits, and Exhausted reports that schedules were left out.
//
// When all others are done, goroutines of the object that poll do not go on. Result.Withheld
// reports that one did not call Gosched: what it does later is left out.
//
// A deadlock is proved: a thread of the program has not ended, and no thread can go on or
// sleeps, goroutines of the object included. Result.Blocked has what each of them waits
// for, who holds it, and where. Goroutines that wait when all threads of the
// program have ended are normal.
//
// # The end
//
// Threads that are left when an execution ends are ended by a panic at their present step; see
// [Aborted]. Deferred functions run, and each of their hooks panics likewise. A thread that
// recovers again and again is ended by runtime.Goexit. One that resists even that is given up and
// keeps its memory: Result.Lost.
//
// # What is not covered
//
//   - Memory is sequentially consistent, as Go's atomics and locks are. Data races may show less than
//     on real hardware.
//   - Between two hooks a thread runs alone: plain accesses without a hook are not points.
//     A loop without any hook never ends.
//   - A program that depends on more than its schedule: real time, addresses, the order of
//     uninstrumented map ranges, globals that executions change. Result.Diverged
//     shows it when decisions repeat, Result.Fingerprint when schedules do.
//   - Goroutines that are not started by Spawn. Their hooks do nothing, and Result.Foreign counts
//     them: such an execution proves nothing. They are recognised by the address of their stack, so a
//     goroutine whose stack was the thread's a moment ago is not always.
//   - Run must not be called by a goroutine that is locked to its operating system thread, since
//     coroutines cannot be switched there.
package schedule
