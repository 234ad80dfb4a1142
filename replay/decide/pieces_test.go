package decide_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
)

// dequeHistory is one of n operations with distinct values, of a deque that is
// often empty; some results are exchanged, if wrong.
func dequeHistory(t testing.TB, r *rand.Rand, n int, wrong bool) *history.History {
	t.Helper()
	size := 0
	w := workload{object: model(t, "deque").New(), next: func(i int) history.Event {
		methods := []string{"pushFront", "pushBack", "popFront", "popBack", "peekFront", "peekBack"}
		if size > 3 {
			methods = []string{"popFront", "popBack"}
		}
		e := history.Event{Method: methods[r.IntN(len(methods))]}
		if strings.HasPrefix(e.Method, "push") {
			e.Args = []history.Value{history.IntValue(int64(i))}
		}
		return e
	}, effect: func(e *history.Event) {
		switch {
		case strings.HasPrefix(e.Method, "push"):
			size++
		case strings.HasPrefix(e.Method, "pop") && e.Result.Kind() == history.Int:
			size--
		}
	}}
	events := w.record(r, n)
	if wrong { // two results of the same kind of operation change places
		a, b := r.IntN(len(events)), r.IntN(len(events))
		if x, y := &events[a], &events[b]; x.Type == history.OK && y.Type == history.OK && (x.Result.Kind() == history.None) == (y.Result.Kind() == history.None) {
			x.Result, y.Result = y.Result, x.Result
		}
	}
	return built(t, events)
}

// TestPieces holds the pieces of deques against the complete search.
func TestPieces(t *testing.T) {
	r := newRand(t)
	deque := model(t, "deque")
	answers := map[replay.Answer]int{}
	rounds := 1000
	if *full {
		rounds = 6000
	}
	for k := range rounds {
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
	if answers[replay.Linearizable] < rounds/6 || answers[replay.NotLinearizable] < rounds/60 {
		t.Errorf("too few answers: %v", answers)
	}
}
