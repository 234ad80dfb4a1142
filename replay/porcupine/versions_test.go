package porcupine

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

// A versionedOutput is a response of a register that numbers its writes.
type versionedOutput struct {
	value    int
	revision int64
}

// versionedRegister is a model that does not know revisions. An input is a value to write, or -1
// for a read.
var versionedRegister = porcupine.Model{
	Init: func() any { return 0 },
	Step: func(state, input, output any) (bool, any) {
		if value := input.(int); value >= 0 {
			return true, value
		}
		return output.(versionedOutput).value == state.(int), state
	},
}

var revisions = Versions(func(op porcupine.Operation) int64 { return op.Output.(versionedOutput).revision })

// versionedOperations returns operations of a register by some clients, with the revision of each or
// -1.
func versionedOperations(r *rand.Rand, n int) []porcupine.Operation {
	var list []porcupine.Operation
	value, revision := 0, int64(1)
	for i := range n {
		at := int64(10 * i)
		op := porcupine.Operation{ClientId: i, Input: -1, Call: at - r.Int64N(40), Return: at + r.Int64N(40)}
		if r.IntN(2) == 0 {
			value, revision = r.IntN(3), revision+1+r.Int64N(2)
			op.Input = value
		}
		out := versionedOutput{value, revision}
		if r.IntN(8) == 0 {
			out.revision = -1
		}
		op.Output = out
		list = append(list, op)
	}
	return list
}

// TestVersions: what an object with revisions may record stays linearizable; an old value under an
// old revision is refuted by two operations, although the register alone explains it.
func TestVersions(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	refuted := 0
	for range 2000 {
		list := versionedOperations(r, 3+r.IntN(12))
		if !revisions.CheckOperations(versionedRegister, list) {
			t.Fatalf("not linearizable: %v", list)
		}
		i := r.IntN(len(list))
		out := list[i].Output.(versionedOutput)
		out.revision = max(1, out.revision-r.Int64N(4))
		list[i].Output = out
		with, info := revisions.CheckOperationsVerbose(versionedRegister, list, time.Minute)
		without := CheckOperations(versionedRegister, list)
		if with == porcupine.Ok && !without || with == porcupine.Unknown {
			t.Fatalf("%v with versions, %v without: %v", with, without, list)
		}
		if with == porcupine.Illegal && without {
			if refuted++; info.Verdict.Versions != "" && len(info.Verdict.Conflict) != 2 {
				t.Fatalf("%q: %v", info.Verdict.Versions, info.Verdict.Conflict)
			}
		}
	}
	if refuted < 100 {
		t.Errorf("only %d are refuted by versions alone", refuted)
	}
}
