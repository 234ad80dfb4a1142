package decide_test

import (
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// isSequentiallyConsistent decides by the definition: some interleaving of
// the processes' sequences, with or without each pending operation.
func isSequentiallyConsistent(h *history.History, s replay.Spec) bool {
	placed := make([]bool, len(h.Ops))
	var extend func(order []int32) bool
	extend = func(order []int32) bool {
		complete := true
	next:
		for i := range h.Ops {
			if placed[i] {
				continue
			}
			complete = complete && h.Ops[i].Pending()
			for j := range i {
				if !placed[j] && h.Ops[j].Process == h.Ops[i].Process {
					continue next
				}
			}
			placed[i] = true
			found := extend(append(order, int32(i)))
			placed[i] = false
			if found {
				return true
			}
		}
		return complete && answersAsRecorded(h, s.New(), order)
	}
	return extend(nil)
}

// TestProgramOrder compares the verdicts on histories relaxed to program
// order with brute force; some must be sequentially consistent only.
func TestProgramOrder(t *testing.T) {
	r := newRand(t)
	weaker := 0
	for k := range 1200 {
		for _, s := range subjects(t) {
			h := randomHistory(t, r, s, 1+r.IntN(6), k%2 == 0)
			want := replay.NotLinearizable
			if isSequentiallyConsistent(h, s.spec) {
				want = replay.Linearizable
			}
			v := check(t, h.ProgramOrder(), s.spec, replay.Options{MaxDepth: 6})
			if v.Answer == replay.Undecided && v.Cause == replay.Depth {
				continue // no search without States
			}
			if v.Answer != want {
				t.Fatalf("%v, want %v, in program order:\n%s", v.Answer, want, show(h))
			}
			if want == replay.Linearizable && check(t, h, s.spec, replay.Options{MaxDepth: 6}).Answer == replay.NotLinearizable {
				weaker++
			}
		}
	}
	if weaker < 100 {
		t.Errorf("only %d histories are sequentially consistent and not linearizable", weaker)
	}
}
