// Package engine has the code that the engines of package replay share. That is the
// Machine, which replays by table, the parts of a history, its concurrency, the search of
// families of schedules, and the search for the depth without families.
//
//	machine := engine.NewMachine(h, spec)
//	defer machine.Release()
//	state := machine.Start()
//	for _, op := range schedule {
//		if state = machine.Step(state, op); state == engine.Fail {
//			break // not a witness
//		}
//	}
//
// Transitions are computed once and reused for the next history of the same
// specification, so replaying is a table lookup.
package engine
