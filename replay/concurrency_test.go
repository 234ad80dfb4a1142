package replay_test

import (
	"math/rand/v2"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// TestConcurrency holds Concurrency against that of the poset, with pending
// operations and with events that belong to no operation any more.
func TestConcurrency(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	for k := range 500 {
		var events []history.Event
		open := map[int]bool{}
		n := 1 + r.IntN(200)
		for begun := 0; begun < n; {
			p := r.IntN(1 + k%20)
			switch {
			case !open[p]:
				events = append(events, history.Event{Type: history.Invoke, Process: history.IntValue(int64(p)), Method: "read"})
				open[p] = true
				begun++
			case r.IntN(10) == 0:
				events = append(events, history.Event{Type: history.Fail, Process: history.IntValue(int64(p))})
				open[p] = false
			default:
				events = append(events, history.Event{Type: history.OK, Process: history.IntValue(int64(p)), Result: history.NullValue})
				open[p] = false
			}
		}
		h := build(t, events)
		in, err := replay.NewInstance(h, true, replay.ProcessChains)
		if err != nil {
			t.Fatal(err)
		}
		c, cp := replay.Concurrency(h)
		if wantC, wantCP := in.Poset.Concurrency(); c != wantC || cp != wantCP {
			t.Fatalf("c=%d cp=%d, the poset has c=%d cp=%d", c, cp, wantC, wantCP)
		}
	}
}
