// # Stress
//
// Stress finds methods of concurrent objects that are not atomic, as Violat does
// ("Violat: Generating Tests of Observational Refinement for Concurrent
// Objects", 2019). It generates small programs like
//
//	{ put(0,0); remove(1) } || { put(1,0); size() }
//
// It runs each program thousands of times on fresh objects, with a thread for
// each sequence, and counts the outcomes. An outcome is the results of all
// invocations together. Before that, it runs all shuffles of the sequences on the
// object, one invocation after another, to find the outcomes that are correct. It
// skips a program that has more than 131072 shuffles, or 8388608 invocations in all
// shuffles together. It is an error if no program can be run.
//
// Square brackets enclose an initial part, which fills the object, and a final part,
// which observes its last state. An outcome that no shuffle has is a violation. Some
// executions are recorded; one that is not linearizable is a violation, too. The checker
// confirms every violation. In an outcome, N is null, T and F are booleans, () is the empty
// result, and !"message" is an exception.
//
// --subject tests bundled objects, and some of these are broken on purpose; --new
// tests any type of a Go package that the module in the working directory
// requires, together with leadline itself:
//
//	leadline stress --new example.com/queue.New --core Enqueue,Dequeue
//	leadline stress --new 'example.com/lru.New[int,int](8)'
//	leadline stress --new 'example.com/lru.New[int,int](lru.WithSize(8))'
//
// Arguments are Go expressions; the package of the constructor has its own name there, and no other is
// imported. Reflection finds the methods. Left out and listed are methods with parameters for which
// stress has no values, generic methods, methods that are not in the interface that the constructor
// returns, and those of an embedded lock of package sync, unless a flag or --program names them. A
// program calls one method that is not in --core, which is to blame: once, or twice in a quarter of
// the programs, and in each if it has a level. The core methods are tested among themselves ("(core)"
// in the tables). A method that was to blame is reported at the end: if the core methods turn out not
// to be atomic themselves, it may be. Without --core, a program mixes all methods, and a violation is
// of all of them together. After that, they are no longer called in parallel, and half of the programs
// call none of a few methods that all violations have in parallel: a method that is wrong beside any
// other does not hide the rest. Methods in --weak are not called in generated programs, and the
// results of those that only read never count as violations.
//
// Where a parameter is of the object's type or an interface of it, stress passes the object itself
// (self) and others (new), and for other types of the package what its functions New... and Make...
// return:
//
//	leadline stress --new example.com/text.New --program '{ Append(self) } || { Delete(0) }'
//
// One in --weak with a level, as in Len=monotonic, is tested: it may miss effects of other calls as
// far as the level allows (see Weaker consistency), and any other result is a violation. A
// violation says which method and level would explain all outcomes that were seen: the
// strongest one, or several that have no order. That may be none: then some result, or a change of the
// object, is not one that calls of a part of the others lead to. Without --core, each method
// is tried in turn.
//
// Programs have two sequences and two values first. When they repeat, or after 1024 of them, those
// with three or four sequences, and those with three or four values, get a share of the executions:
// one in 16 each. A bound that --sequences or --values gives stays.
//
// A violation comes with its history: in the notation of explain, the operations that do
// not fit. At the end, a table lists the programs with violations: the number of
// invocations, sequences and values; how many programs ran before; the outcome; and how many
// of the program's executions had an outcome that no order explains. Another one lists the
// methods. An account of what was tried follows (see Account). Methods share the time: those whose
// programs take much longer than others get fewer.
//
// Methods may wait for one another, as those of a bounded queue do. In an outcome, W is an invocation
// that waits for ever, and - one that was not called. That is a violation unless some order of the
// invocations ends there, too: a lost wake-up, or a deadlock. Its history has a call that never
// returned, with the place where it waits, for what, and who holds that; check, explain and the page
// show these. Calls that can return only together, as those of a rendezvous, take effect together.
// Generated programs in which some call waits in every order are not run, and a line says how many.
//
// To unlock a lock that is not locked is a fault of the program, not of the lock. So a program is left
// out if some order of its calls ends in a fatal error of package sync or, by the names of the methods,
// unlocks what is not locked. A line has how many these are, and one of them with its reason.
//
// Each object has a process and a working directory of its own. If it crashes or hangs, stress reports
// the program, says if a sequential run of it was enough, and continues with the others. A program of
// --program that hangs, misuses a lock or cannot be run for another reason is a line, and the exit
// status is 3. A goroutine of the object that panics is reported with its trace, and methods that do
// not start it are tested. The sequences of --program may be put in order, as in
//
//	[ put(0,1) ] { get(0) } || { clear() } || { size() } order 0<2 [ size() ]
//
// With --exhaustive, the account has a line for each size: how many of all programs were run.
//
// Programs with violations are made smaller. The exit status is 1 if there are any, and
// 3 if a method that --core, --read-only, --weak (with a level) or --program names was not exercised,
// or no method was, or nothing could be judged, neither on threads nor in schedules: every program
// returned different results from one sequential run to the next, say.
//
// Then stress runs the program with other arguments for up to two seconds. A line has how many
// of these choices show a violation, too, and what exactly their arguments have in common, such as
// "argument 1 of call 2 (Put) < argument 1 of call 3 (Put)".
//
// The first violation of an object of --new also becomes a Go test, beside its history: the program, the
// expected outcomes, each with an order that has it, and a loop of ten seconds (one with -short).
// It imports nothing but the package and the standard library. Results are compared as fmt.Sprint writes
// them, so there is none if a result holds a pointer, a function, a channel, an interface other than error,
// an unexported field, or what a function in an argument is called with. Stress runs it up to three times,
// and keeps it if it fails. A violation that schedules have found has another test, which replays the
// schedule by stresstest.Replay. A line says which tests there are, or why there is none. Each other
// violation has a line with the command that makes its tests.
//
// A search is bounded by executions on threads, or by schedules and their steps: as many as an idle machine
// does in two minutes. A busy one takes longer for the same, up to eight minutes. --executions N bounds executions
// alone, without the clock, and --time alone the clock, without executions; both may be given. The last
// line says which bound ended the search, if one did. What follows a violation (its proof, reduction,
// replays, levels and the runs of its Go test) is within the time, or takes a tenth of it and some
// seconds more; builds are apart. What was cut is said: "cut short: not reduced further".
//
// While threads run, stress builds an instrumented copy of the packages under test, and then
// explores interleavings one by one; see Schedules. --threads runs threads alone.
//
// # Account
//
// The last lines of stress are an account of what was tried, for each object. It is "account" with
// --output json, and in the log of stresstest.Test:
//
//	example.com/queue.New: 812 programs, 40213 schedules, 512333 steps; 58.2s
//	  2 sequences of 3 to 6 calls: 700 programs, complete to 1 preemption, 320 to 2
//	  3 sequences of 3 to 6 calls: 112 programs, complete to 1 preemption
//	  method  programs  exercised in  steps  note
//	  Put     812       640           yes
//	  Run     12        0             yes    never returned
//	  bounds: at most 3 sequences, 6 calls in them, 2 values, 3 preemptions
//	  left out: Watch: parameter of type queue.watcher
//	  no violation in 812 programs and 40213 schedules
//
// A line for threads and for each pass over schedules has how many programs ran and how often. The
// lines below it have the sizes of these programs, and up to how many preemptions all their
// schedules were run (delays, for objects that start goroutines). That is said of programs whose
// calls took steps only: schedules cannot interrupt code that is not instrumented.
//
// The table has how many programs call a method in parallel, and how many of these have exercised it:
// a call began and returned, and another call or a goroutine of the object took a step between. A call
// of a single step cannot be interrupted, and is exercised if others take steps before it and, in
// another execution, after it. On threads, the call overlapped another one in time. The steps are "no"
// if no call took one in any schedule: the method is not instrumented, or shares nothing. A note says
// why the method is not among the atomic (?) ones. It may have never returned, not even if calls run
// one after another. "No result shows an order" if every order of the calls has the same results. It
// was "never beside itself" if no program calls it twice in parallel, and it is not read-only.
//
// The bounds are those of the largest programs: --sequences, --max-invocations, --values and
// --preemptions raise them. What was left out has a line each, with the reason, and what to do if
// there is something: methods without arguments to pass, weak methods without a level, packages that
// are not instrumented, programs or executions that could not be judged. The last line is the verdict,
// or says what was not exercised.
//
// # Safety
//
// Safety finds types that are not safe for concurrent use: calls that run in parallel end
// in a panic, a fatal error or a deadlock, and no order of the same calls does. It needs no
// specification. For each such type it writes a Go test that fails:
//
//	leadline safety --new 'example.com/set.New[int]()'
//	leadline safety --package example.com/set --declared types.txt
//
// Programs look like those of stress, but results do not count. So any method may be called, and an
// argument may be the result of an earlier call: the first call of the program returns $1. Half of
// the time is for threads, and half for schedules of an instrumented build; types of the standard
// library have threads alone. What fails is run again in another process. A failure that this process
// does not repeat is listed as seen, and the type is then neither safe nor unsafe.
//
// --package tests every exported type with methods, on objects of the first of its constructors that
// makes some with numbers, strings, structs and functions as arguments, or on the zero value of a
// struct. Type parameters are int, or string or a struct if the constraints ask for that. --declared
// names a file that lists which types are documented as safe, with a type and yes or no on each line:
//
//	set.Set yes
//	set.Iterator no
//
// The table at the end has, for each type, whether it is declared safe and was found unsafe, the reason,
// and whether the runtime rather than an explicit panic reports it. Below it are the failures that were
// only seen, and what was not tried.
//
// The exit status is 1 if there is such a type, and 3 if failures were seen and not confirmed, or no
// program of a type could be run in time. See go doc ./history/stress.
//
// # Schedules
//
// Threads that run freely leave interleavings to chance. So while they run, stress builds an
// instrumented copy of the packages under test. Then it runs one thread at a time, and tries schedules
// in order. Without the Go tool or the source of the package, a line says so, and threads go on alone;
// with --threads, they are alone from the start. What threads see is reported as seen and not proved: it
// came again, and not in twenty times as many sequential runs, but no schedule repeats it. A schedule says which thread continues at each use of
// package sync or sync/atomic, each channel operation, each select and each go statement. So stress
// finds interleavings that real threads take once in a million executions, and can repeat each of
// them:
//
//	leadline stress --new example.com/queue.New
//	leadline stress --new example.com/queue.New --program '{ Put(0) } || { Put(1) }' --preemptions 4
//
// A preemption is a switch from a thread that could continue. Between invocations, and
// where a thread ends or waits, switches are free. A thread that polls waits until another
// one writes; if it continues before, that counts as a preemption. Most violations need
// one preemption. Programs get all schedules with one preemption, then with two, and
// finally with three and, in a small share, four, or with as many as --preemptions says; after
// --preemptions -1, with any number: of schedules that differ only by the order of independent steps, one is run. The
// account says how many programs are complete up to which bound.
//
// For objects that start goroutines, delays are bounded instead: how often the scheduler
// passes over the thread whose turn it is. Some random schedules come first.
//
// In a first pass, only synchronization takes steps. If it finds no violation in half of the
// bounds, plain loads and stores are steps, too, in a second one. With --plain, they are steps
// at once. If no call has synchronized in the first pass, the object "has no synchronisation": the
// first violation of the second pass is an example, and the only one that is reported.
//
// By default, stress instruments the package of the constructor, what that imports from its module,
// and the packages of the types that the object consists of. It follows the code of these to other
// modules: where their functions or variables are used, and where types come from that an object may
// have. So a facade, an alias or an interface in front of another module's code hides nothing. It
// follows up to 64 packages. What cannot be instrumented is named beside the verdict: cgo, assembly,
// types of the standard library, and what lies beyond that bound. --instrument adds packages. The
// clock of an execution jumps when no thread can continue, so timeouts cost nothing. Up to twice in an
// execution, it also jumps while threads can continue: so a tick of a timer or ticker may come between
// any two steps. An execution with such a tick is compared with sequential runs that have ticks, too.
// Goroutines of the object that never end do not matter: an execution ends when its calls have
// returned.
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
// and does not count, if it has more than 5,000 steps and 16 for each goroutine beyond 64 threads, if more than
// 64 threads run at the same time, or if threads only spin but may
// stop: a loop may give up after many rounds, or use a mutex in each round.
//
// Some violations do not depend on results:
//
//   - A call deadlocks by itself: it waits forever for goroutines that it has started, which
//     wait for each other, or it is called alone, starts goroutines, and returns under some
//     schedules only. A method that waits under every schedule, such as Take of an empty
//     queue, waits by design.
//   - A call leaks a goroutine that it has started: nothing that the object, a global variable
//     or a goroutine that can continue refers to can wake it. The garbage collector decides
//     this, so closures and maps count. A worker that waits for a channel of the object is
//     not a leak, nor is anything that a timer may wake.
//   - Two accesses of a map are open at the same time, and one of them writes. The runtime would
//     end the process.
//
// Objects may share package-level variables. Each execution begins with their values at the start of
// the program. Threads do not judge programs whose results calls of other objects change.
//
// Where the result of a call that starts goroutines depends on the schedule, though nothing
// else is called, a line says so. It is a violation if --program has only that call.
//
// A violation is reduced: to a small program, then to few preemptions, then to few
// switches. Before stress reports it, it replays the schedule 1000 times in the same
// process and 10 times in another one. If a replay differs, the object depends on more
// than the schedule, such as real time or addresses, and stress
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
// -o html writes the table as a page.
//
// In a Go test, stresstest.Test does all that; a schedule that a failed test has saved is
// replayed first when the test runs again.
//
// Executions are sequentially consistent, as Go's atomic operations are, so effects of
// data races are not found. Assembly, cgo, finalizers, and code of the standard library
// without a stand-in are not covered.
package main
