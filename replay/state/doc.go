// Package state replays operations on the states of a sequential object. Families, the
// search for the depth, the complete search and explanations share it.
//
//	machine := state.NewMachine(h, spec)
//	defer machine.Release()
//	at := machine.Start()
//	for _, op := range schedule {
//		if at = machine.Step(at, op); at == state.Fail {
//			break // not a witness
//		}
//	}
//
// A Machine numbers states by their canonical keys. It computes each transition once, and
// keeps it for the next history of the same specification. So replaying is a table lookup.
//
// In a long history of a collection, states are too large for that: each has all values.
// Then a machine has compact states instead: a tree of the states of the parts, or of the
// values of a queue or stack, of which a step copies a few words.
//
// A Walk is the depth-first search through configurations that the complete search and the
// search of a queue have in common.
package state
