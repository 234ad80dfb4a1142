// Package engine has what the engines of package replay share: the Machine that
// replays by table, the parts and prefixes of a history, its concurrency, the
// families of schedules, and the depth without families.
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
