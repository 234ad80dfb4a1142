package decide_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// blockHistory is one of n operations, with a quiescent cut after every few;
// one result of them all may be wrong.
func blockHistory(t testing.TB, r *rand.Rand, s subject, n, lost int, wrong bool) *history.History {
	t.Helper()
	calls := make([]randomCall, n)
	w := workload{object: s.spec.New(), rest: 6, lost: lost, next: func(i int) history.Event {
		calls[i] = s.calls[r.IntN(len(s.calls))]
		e := history.Event{Method: calls[i].method}
		for range calls[i].args {
			e.Args = append(e.Args, history.IntValue(int64(r.IntN(3))))
		}
		return e
	}}
	events := w.record(r, n)
	spoilt := r.IntN(n)
	for i := range events {
		e := &events[i]
		if c := calls[e.Op.Int()]; wrong && e.Type == history.OK && int(e.Op.Int()) >= spoilt && len(c.wrong) > 0 {
			e.Result, wrong = parseResult(c.wrong[r.IntN(len(c.wrong))]), false
		}
	}
	return built(t, events)
}

// A workload is what four processes do to an object, each operation taking
// effect at some moment while it is open.
type workload struct {
	object replay.Object
	next   func(i int) history.Event // method and arguments of operation i
	rest   int                       // all operations end before every so many begin; 0 for never
	lost   int                       // one in so many waits for ever, or its response is lost; 0 for none
	effect func(e *history.Event)    // told of what took effect, if not nil
}

func (w *workload) record(r *rand.Rand, n int) []history.Event {
	var events []history.Event
	type running struct {
		history.Event
		done bool
	}
	var open []*running
	for begun := 0; begun < n || len(open) > 0; {
		closing := w.rest > 0 && begun%w.rest == 0 && len(open) > 0 || begun == n
		if !closing && len(open) < 4 && r.IntN(2) == 0 {
			e := &running{Event: w.next(begun)}
			e.Type, e.Process, e.Op = history.Invoke, history.IntValue(int64(begun)), history.IntValue(int64(begun))
			open, events, begun = append(open, e), append(events, e.Event), begun+1
			continue
		}
		if len(open) == 0 {
			continue
		}
		k := r.IntN(len(open))
		e := open[k]
		if e.done {
			events = append(events, history.Event{Type: history.OK, Process: e.Process, Op: e.Op, Result: e.Result})
			open = slices.Delete(open, k, k+1)
			continue
		}
		if w.lost > 0 && r.IntN(2*w.lost) == 0 {
			open = slices.Delete(open, k, k+1) // never took effect
			continue
		}
		result, ok := w.object.Apply(replay.Invocation{Method: e.Method, Args: e.Args})
		if !ok || w.lost > 0 && r.IntN(w.lost) == 0 {
			open = slices.Delete(open, k, k+1) // waits for ever, or its response is lost
			continue
		}
		if e.done, e.Result = true, result; w.effect != nil {
			w.effect(&e.Event)
		}
	}
	return events
}

func built(t testing.TB, events []history.Event) *history.History {
	t.Helper()
	h, err := history.New(history.Header{ID: t.Name()}, events)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestQuiescentCuts holds the engines together against the search alone, on
// histories with moments at which nothing is open but what is lost.
func TestQuiescentCuts(t *testing.T) {
	r := newRand(t)
	answers := map[replay.Answer]int{}
	rounds := 45
	if *full {
		rounds = 300
	}
	for k := range rounds {
		for _, s := range subjects(t) {
			if _, ok := s.spec.New().(replay.State); !ok || s.spec.Name() == "flaky-queue" {
				continue
			}
			h := blockHistory(t, r, s, 20+r.IntN(40), []int{0, 30, 60}[k%3], k%4 == 3)
			want := check(t, h, s.spec, replay.Options{Engine: replay.SearchEngine})
			got := check(t, h, s.spec, replay.Options{MaxDepth: 2})
			if got.Answer != want.Answer || got.Answer == replay.Undecided {
				t.Fatalf("all engines: %v, the search: %v:\n%s", got.Answer, want.Answer, show(h))
			}
			answers[got.Answer]++
		}
	}
	if answers[replay.Linearizable] < rounds || answers[replay.NotLinearizable] < rounds/10 {
		t.Errorf("only %v", answers)
	}
}

// TestPendingAcrossCuts: the pending write is not needed before the first
// quiescent cut, nor before the second, but later; and only once.
func TestPendingAcrossCuts(t *testing.T) {
	lines := []string{"invoke P write 7", "invoke A write 1", "ok A", "invoke B read", "ok B 1",
		"invoke A write 2", "ok A", "invoke B read", "ok B 7"}
	if v := check(t, newHistory(t, lines...), model(t, "register:0"), replay.Options{}); v.Answer != replay.Linearizable {
		t.Errorf("%+v, want linearizable", v)
	}
	h := newHistory(t, append(lines, "invoke A write 2", "ok A", "invoke B read", "ok B 7")...)
	if v := check(t, h, model(t, "register:0"), replay.Options{}); v.Answer != replay.NotLinearizable {
		t.Errorf("%+v, want not linearizable: the write is used up", v)
	}
}
