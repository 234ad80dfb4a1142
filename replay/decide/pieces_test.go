package decide_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
)

// dequeHistory is one of n operations with distinct values, of a deque that is
// often empty; some results are exchanged, if wrong.
func dequeHistory(t testing.TB, r *rand.Rand, n int, wrong bool) *history.History {
	t.Helper()
	object := model(t, "deque").New()
	var events []history.Event
	type call struct {
		history.Event
		done bool
	}
	var open []*call
	size := 0
	for begun := 0; begun < n || len(open) > 0; {
		if begun < n && len(open) < 4 && r.IntN(2) == 0 {
			method := []string{"pushFront", "pushBack", "popFront", "popBack", "peekFront", "peekBack"}[r.IntN(6)]
			if size > 3 {
				method = []string{"popFront", "popBack"}[r.IntN(2)]
			}
			c := &call{Event: history.Event{Type: history.Invoke, Process: history.IntValue(int64(begun)), Op: history.IntValue(int64(begun)), Method: method}}
			if method[:4] == "push" {
				c.Args = []history.Value{history.IntValue(int64(begun))}
			}
			open, events, begun = append(open, c), append(events, c.Event), begun+1
			continue
		}
		if len(open) == 0 {
			continue
		}
		k := r.IntN(len(open))
		c := open[k]
		if !c.done {
			c.Result, _ = object.Apply(replay.Invocation{Method: c.Method, Args: c.Args})
			c.done = true
			switch {
			case c.Method[:4] == "push":
				size++
			case c.Method[:3] == "pop" && c.Result.Kind() == history.Int:
				size--
			}
			continue
		}
		events = append(events, history.Event{Type: history.OK, Process: c.Process, Op: c.Op, Result: c.Result})
		open = slices.Delete(open, k, k+1)
	}
	if wrong { // two results of the same kind of operation change places
		a, b := r.IntN(len(events)), r.IntN(len(events))
		if x, y := &events[a], &events[b]; x.Type == history.OK && y.Type == history.OK && (x.Result.Kind() == history.None) == (y.Result.Kind() == history.None) {
			x.Result, y.Result = y.Result, x.Result
		}
	}
	h, err := history.New(history.Header{ID: "deque"}, events)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestPieces holds the pieces of deques against the complete search.
func TestPieces(t *testing.T) {
	r := newRand(t)
	deque := model(t, "deque")
	answers := map[replay.Answer]int{}
	for k := range 6000 {
		h := dequeHistory(t, r, 6+r.IntN(24), k%2 == 1)
		want, err := decide.Check(context.Background(), h, deque, replay.Options{Engine: replay.SearchEngine})
		if err != nil {
			t.Fatal(err)
		}
		got, err := decide.Check(context.Background(), h, deque, replay.Options{Engine: replay.MonitorEngine})
		if err != nil {
			t.Fatalf("%v:\n%s", err, show(h))
		}
		answers[got.Answer]++
		if got.Answer != replay.Undecided && got.Answer != want.Answer {
			t.Fatalf("pieces say %v, the search %v:\n%s", got.Answer, want.Answer, show(h))
		}
	}
	t.Log(answers)
	if answers[replay.Linearizable] < 1000 || answers[replay.NotLinearizable] < 100 {
		t.Errorf("too few answers: %v", answers)
	}
}
