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

// blockHistory is one of n operations, with a quiescent cut after every few;
// one result of them all may be wrong.
func blockHistory(t testing.TB, r *rand.Rand, s subject, n, lost int, wrong bool) *history.History {
	t.Helper()
	calls := make([]call, n)
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

// TestBlocks holds the blocks against the complete search: an answer of theirs
// is its answer, and they have one for most histories.
func TestBlocks(t *testing.T) {
	r := newRand(t)
	positive, mixed := 0, 0
	const rounds = 300
	for k := range rounds {
		for _, s := range subjects(t) {
			if _, ok := s.spec.New().(replay.State); !ok || s.spec.Name() == "flaky-queue" {
				continue
			}
			lost := []int{0, 30, 60}[k%3]
			h := blockHistory(t, r, s, 20+r.IntN(40), lost, k%4 == 3)
			want, err := decide.Check(context.Background(), h, s.spec, replay.Options{Engine: replay.SearchEngine})
			if err != nil {
				t.Fatal(err)
			}
			got, err := decide.Check(context.Background(), h, s.spec, replay.Options{Engine: replay.BlocksEngine})
			if err != nil {
				t.Fatal(err)
			}
			if got.Answer == replay.Undecided {
				continue
			}
			if got.Answer != want.Answer {
				t.Fatalf("blocks say %v, the search %v:\n%s", got.Answer, want.Answer, show(h))
			}
			if got.Answer != replay.Linearizable {
				continue
			}
			positive++
			if len(got.BlockDepths) < 2 || got.Depth != 0 || got.Engine != replay.BlocksEngine {
				t.Fatalf("%+v: want depths of blocks and none of the whole", got)
			}
			ops := 0
			for _, c := range got.Contributions {
				ops += c.Ops
			}
			if ops != len(h.Ops) {
				t.Fatalf("contributions of %d operations, want %d: %v", ops, len(h.Ops), got.Contributions)
			}
			if len(got.Contributions) > 1 {
				mixed++
			}
		}
	}
	t.Logf("%d witnesses by blocks, %d of them with several engines", positive, mixed)
	if positive < 3*rounds {
		t.Errorf("only %d witnesses", positive)
	}
}

// TestBlocksCarry: the pending write is not needed in the first block, nor the
// second, but in the third; and only once.
func TestBlocksCarry(t *testing.T) {
	lines := []string{"invoke P write 7", "invoke A write 1", "ok A", "invoke B read", "ok B 1",
		"invoke A write 2", "ok A", "invoke B read", "ok B 7"}
	h := newHistory(t, lines...)
	o := replay.Options{Engine: replay.BlocksEngine}
	if v := check(t, h, model(t, "register:0"), o); v.Answer != replay.Linearizable || !slices.Equal(v.BlockDepths, []int{1, 1, 1, 1}) {
		t.Errorf("%+v, want linearizable with four blocks of depth 1", v)
	}
	h = newHistory(t, append(lines, "invoke A write 2", "ok A", "invoke B read", "ok B 7")...)
	if v := check(t, h, model(t, "register:0"), o); v.Answer != replay.Undecided || v.Cause != replay.Declined {
		t.Errorf("%+v, want no answer: the write is used up", v)
	}
	if v := check(t, h, model(t, "register:0"), replay.Options{}); v.Answer != replay.NotLinearizable {
		t.Errorf("%+v, want not linearizable", v)
	}
}

// TestBlocksHappened: an operation that must happen, some time, may do so in
// a later block; so there are no blocks.
func TestBlocksHappened(t *testing.T) {
	events := []history.Event{
		{Type: history.Invoke, Process: history.IntValue(0), Op: history.IntValue(0), Method: "write", Args: []history.Value{history.IntValue(7)}},
		{Type: history.Invoke, Process: history.IntValue(1), Op: history.IntValue(1), Method: "read"},
		{Type: history.OK, Process: history.IntValue(1), Op: history.IntValue(1), Result: history.IntValue(0)},
		{Type: history.Invoke, Process: history.IntValue(1), Op: history.IntValue(2), Method: "read"},
		{Type: history.OK, Process: history.IntValue(1), Op: history.IntValue(2), Result: history.IntValue(7)},
	}
	h, err := history.New(history.Header{ID: "happened"}, events)
	if err != nil {
		t.Fatal(err)
	}
	h.Ops[0].Happened = true
	if v := check(t, h, model(t, "register:0"), replay.Options{Engine: replay.BlocksEngine}); v.Cause != replay.Declined {
		t.Errorf("%+v, want that the blocks decline", v)
	}
	if v := check(t, h, model(t, "register:0"), replay.Options{}); v.Answer != replay.Linearizable {
		t.Errorf("%+v, want linearizable", v)
	}
}
