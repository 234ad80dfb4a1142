package decide_test

import (
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/simulate"
)

// TestSwappedStacks: two values that are inserted once and removed in the wrong order are
// enough to refute a stack, whatever the others are.
func TestSwappedStacks(t *testing.T) {
	s := model(t, "stack")
	for _, n := range []int{300, 1000, 10000} {
		for _, threads := range []int{3, 8, 16} {
			for _, lost := range []int{0, 20} {
				w := simulate.Workload{Model: "stack", Ops: n, Threads: threads, Seed: uint64(n + threads), Values: 8, Lost: lost,
					Faults: []simulate.Fault{{Kind: simulate.Swap, Percent: 50}}}
				h, err := w.History()
				if err != nil {
					t.Fatal(err)
				}
				v := startRow(t, "monitor", h, s)
				if v.Answer != replay.NotLinearizable || len(v.Conflict) == 0 {
					t.Errorf("n=%d T=%d lost=%d: %v (%v), conflict %v", n, threads, lost, v.Answer, v.Cause, v.Conflict)
				}
			}
		}
	}
}

// TestUnknownRemoval: a removal with an unknown result takes a value that is inserted twice, so
// that it must not take part in the history of the values that are inserted once.
func TestUnknownRemoval(t *testing.T) {
	s := model(t, "stack")
	text := []string{"invoke A push 7", "ok A", "invoke A push 2", "ok A", "invoke A push 2", "ok A",
		"invoke A pop", "ok A", "invoke A pop", "ok A 2", "invoke A pop", "ok A 7"}
	h := newHistory(t, text...)
	h.Ops[3].Result = history.UnknownValue
	if v := startRow(t, "monitor", h, s); v.Answer == replay.NotLinearizable {
		t.Errorf("%v of a linearizable history:\n%s", v.Answer, show(h))
	}
}
