// Package explore is the Executor of package stress that controls schedules: New makes it.
// It runs a program of an instrumented object in package schedule, which runs one
// thread at a time, under one schedule after another:
//
//	e, err := explore.Schedules(ctx, class, program, checker, explore.Plan{Preemptions: 2})
//	for _, v := range e.Violations {
//		fmt.Println(v.Outcome, v.Schedule)
//	}
//
// The rooms below: package instrument copies the packages under test, with hooks where
// threads can influence each other; package shim has what replaces sync, time and others in the
// copies; package schedule has the hooks and the scheduler.
//
// Every execution is checked, including the order in which invocations begin and
// end. The sequential runs also happen in the scheduler. They try every choice of the
// object, such as the order of a map or a random number, so an outcome that only another
// choice explains is not a violation. If there are too many such runs, a search for the
// one outcome follows; if that takes too long, the execution is undecided.
//
// An invocation waits if the scheduler finds that no thread can go on. No time limit is
// involved.
//
// The clock of an execution is virtual: it jumps when no thread can go on, or as a decision
// of the strategy. Sequential runs may have such jumps, and time may pass between their
// calls, if it does so in the execution that is compared with them. So an entry that expires in
// an hour does not explain an execution of a microsecond.
//
// It also finds faults inside one call: stress.Finding.Fault names them. Each is certain by itself: a
// leaked goroutine has been replayed and its channel collected as garbage; see
// schedule.Forever.
//
// A violation has a schedule. stress.Search reduces the program, and then the schedule: first
// the preemptions, then the switches. The schedule is replayed 1000 times, and by
// stress.Supervise 10 times in another process. If a replay differs, the program depends on
// more than the schedule and is not reported as a violation. So every reported violation
// is an execution of the object's code that can be repeated.
//
// A search with schedules that finds no violation means more: stress.Explored.Complete
// counts the programs for which all schedules within a bound of preemptions were run.
// It says nothing about other programs, data races, or code that is not instrumented.
//
// For objects that start goroutines, the sequential runs try all schedules of these
// goroutines with up to one more delay than the violation has, and some random ones.
package explore
