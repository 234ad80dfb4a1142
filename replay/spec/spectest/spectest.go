// Package spectest tests specifications: the bundled ones, and those that users write.
//
//	func TestSpec(t *testing.T) {
//		spectest.Run(t, mySpec, spectest.Calls{Invocations: []replay.Invocation{
//			{Method: "increment"}, {Method: "get"},
//		}})
//	}
//
// A wrong specification makes verdicts wrong: a key that leaves out a part of the state, a
// Clone that shares memory with the original, a transition that changes the state that it
// is applied to. Wrong facts (replay.Described) and wrong steps (replay.Stepped) do, too. Run
// performs random programs of the given calls and compares everything that the
// specification claims with what its objects do:
//   - Check accepts the invocations, and the results that the objects give;
//   - objects are deterministic, or as replay.Nondeterministic and replay.Judge say;
//   - transitions leave their arguments and all other states unchanged;
//   - states with equal keys have equal results and lead to states with equal keys;
//   - New and Clone return independent objects;
//   - operations that are said to be read-only, impossible, on one part or in some role are;
//   - the steps of an operation, or its division, do what the operation does.
//
// A nil error proves nothing, as in any test. The calls should make states that differ in
// everything that the object can show: draw arguments from few values, so that they meet.
package spectest

import (
	"math/rand/v2"

	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/internal/trial"
)

// Calls are the operations of the programs. There must be invocations or Draw.
type Calls struct {
	Invocations []replay.Invocation
	// Draw returns a random invocation.
	Draw func(r *rand.Rand) replay.Invocation

	Programs int    // how many to run; 0 stands for 500
	Seed     uint64 // 0 takes one from the clock; every error has it
}

// A T is what Run needs of a *testing.T or *testing.B.
type T interface {
	Helper()
	Error(args ...any)
}

// Run fails the test if Check returns an error.
func Run(t T, spec replay.Spec, calls Calls) {
	t.Helper()
	if err := Check(spec, calls); err != nil {
		t.Error(err)
	}
}

// Check returns the first fault that it finds in the specification.
func Check(spec replay.Spec, calls Calls) error { return trial.Check(spec, trial.Calls(calls)) }
