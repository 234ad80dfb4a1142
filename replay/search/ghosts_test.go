package search_test

import (
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/search"
)

// TestGhostBounds: order that passes from many operations to many others through one that
// did not happen is within the bounds of time and memory.
func TestGhostBounds(t *testing.T) {
	const k = 1000
	h := &history.History{}
	write := func(process, call int32) history.Operation {
		return history.Operation{Process: process, Method: "write", Args: []history.Value{history.IntValue(1)}, Call: call, Return: 4*k + call}
	}
	for i := range int32(2 * k) {
		h.Processes = append(h.Processes, history.IntValue(int64(i)))
		h.Ops = append(h.Ops, write(i, i))
	}
	h.Processes = append(h.Processes, history.IntValue(2*k))
	h.Ghosts = []history.Operation{write(2*k, 2*k)}
	for i := range int32(k) {
		h.Edges = append(h.Edges, history.Edge{From: i, To: 2 * k}, history.Edge{From: 2 * k, To: k + i})
	}
	asked := 0
	stop := meter.New(func() bool { asked++; return asked > 4 })
	if cause := search.Arrange(h, 1<<30, stop); cause != replay.Time {
		t.Errorf("a meter that stops: %v", cause)
	}
	if spent := stop.Spent(); spent > 16*meter.AskEvery {
		t.Errorf("%d units of work until the stop", spent)
	}
	if cause := search.Arrange(h, 1<<20, nil); cause != replay.Memory {
		t.Errorf("1 MiB: %v", cause)
	}
	if cause := search.Arrange(h, 1<<30, nil); cause != replay.NoCause {
		t.Errorf("enough: %v", cause)
	}
}
