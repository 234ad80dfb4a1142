// Package explore searches the executions of a body for one that violates what an oracle stands for.
//
// A body is a schedule.Program: functions that run in threads of the scheduler, on code with its
// hooks. It has choices: which thread goes on, and what schedule.Choose and random numbers return. A
// schedule is a list of choices and names an execution, which can be repeated. The package knows
// neither programs nor histories; package stress, for instance, makes bodies of the calls of a class, and judges by
// their results:
//
//	stress          Program, Class: calls of an object     replay/composed: a method    tests: a Go test
//	   |                 body, Oracle                           |  beside an environment    |  as it is
//	   v                                                        v                           v
//	explore         Search: deepen -> execute -> Record -> Judge -> Found -> Replay
//	   |                      (bounds 0, 1, 2, ...)
//	   v
//	schedule        Run: one execution under a Strategy; hooks for steps, choices, waiting
//	   ^
//	shim            sync, atomic, time and others, with the hooks
//	   ^
//	instrument      copies of packages that import these instead, from golist's packages
//
//	worker          the process in which all of this runs
//
// Search.Explore runs all schedules without preemption, then those with one, and so on. Executions
// that the oracle does not distinguish are a Seen, and judged once:
//
//	s := &explore.Search{Ctx: ctx, Body: body, Oracle: oracle}
//	err := s.Explore(explore.Plan{Preemptions: 2})
//	for _, f := range s.Result.Found {
//		fmt.Println(f.Schedule, f.Preemptions)
//	}
//
// A search that finds nothing means more: Exploration.Complete is the bound of preemptions up to which
// all schedules were run. It says nothing about data races, or code without hooks.
package explore
