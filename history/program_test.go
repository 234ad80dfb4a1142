package history_test

import (
	"testing"

	"github.com/leadline/leadline/history"
)

// TestRealTimeOfPart: operations that were removed from a relaxed history take nothing from the
// intervals of the others.
func TestRealTimeOfPart(t *testing.T) {
	b := history.NewBuilder(history.Header{})
	for i := range int64(4) {
		b.Add(&history.Event{Type: history.Invoke, Process: history.IntValue(i % 2), Method: "read"})
		b.Add(&history.Event{Type: history.OK, Process: history.IntValue(i % 2), Result: history.IntValue(i)})
	}
	h, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	part := *h.ProgramOrder()
	part.Ghosts = part.Ops[1:2]
	part.Ops = []history.Operation{part.Ops[0], part.Ops[2], part.Ops[3]}
	part.Edges = []history.Edge{{From: 0, To: 1}, {From: 3, To: 2}}
	timed := part.RealTime()
	if timed == nil {
		t.Fatal("no real time")
	}
	for k, i := range []int{0, 2, 3} {
		if got, want := timed.Ops[k], h.Ops[i]; got.Call != want.Call || got.Return != want.Return {
			t.Errorf("operation %d: %d to %d, want %d to %d", i, got.Call, got.Return, want.Call, want.Return)
		}
	}
}
