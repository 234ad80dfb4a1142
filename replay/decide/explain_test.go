package decide_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec"
)

// upTo is the history as it was right after the event at the given position.
func upTo(h *history.History, position int32) *history.History {
	cut := &history.History{Header: h.Header, Processes: h.Processes}
	for _, op := range h.Ops {
		if op.Call > position {
			continue
		}
		if op.Return > position {
			op.Return, op.Result = history.NoReturn, history.UnknownValue
		}
		cut.Ops = append(cut.Ops, op)
	}
	return cut
}

// withResult is the history with another result of one operation.
func withResult(h *history.History, op int32, result history.Value) *history.History {
	changed := *h
	changed.Ops = slices.Clone(h.Ops)
	changed.Ops[op].Result = result
	return &changed
}

// TestExplanation holds explanations of random histories against brute force:
// the history is linearizable up to the response before the one named and not
// with it; each allowed result makes it linearizable; and where no single
// result is named, none would do.
func TestExplanation(t *testing.T) {
	t.Parallel()
	r := newRand(t)
	explained, single, groups := 0, 0, 0
	rounds := 300
	if *full {
		rounds = 600
	}
	for range rounds {
		for _, s := range subjects(t) {
			h := randomHistory(t, r, s, 1+r.IntN(6), r.IntN(2) == 0)
			v := withReason(t, h, s.spec, replay.Options{})
			e := v.Explanation
			if e == nil {
				continue
			}
			explained++
			if e.Unexplained == replay.NoOperation {
				t.Fatalf("no response is named:\n%s", show(h))
			}
			position := h.Ops[e.Unexplained].Return
			if bruteForce(upTo(h, position), s.spec) || !bruteForce(upTo(h, position-1), s.spec) {
				t.Fatalf("the response of %v is not the first without explanation:\n%s", h.Ops[e.Unexplained].ID(), show(h))
			}
			if len(e.Free) > 0 && len(e.Free[0]) > 1 {
				groups++
			}
			single += checkFreed(t, h, s.spec, e.Free)
		}
	}
	if explained < rounds*5/6 || single < rounds/2 || groups < rounds/30 {
		t.Errorf("%d explained, %d by single results, %d by groups: too few to say much", explained, single, groups)
	}
}

func checkFreed(t *testing.T, h *history.History, s replay.Spec, free [][]replay.FreedResult) int {
	t.Helper()
	named := map[int32]bool{}
	for _, group := range free {
		if len(group) != 1 {
			continue
		}
		named[group[0].Op] = true
		for _, a := range group[0].Allowed {
			if !bruteForce(withResult(h, group[0].Op, a), s) {
				t.Fatalf("%v is not allowed in %v:\n%s", a, h.Ops[group[0].Op].ID(), show(h))
			}
		}
	}
	for i := range h.Ops {
		op := &h.Ops[i]
		if op.Pending() || op.Result.Kind() == history.Unknown || op.Result.Kind() == history.None || named[int32(i)] {
			continue
		}
		if bruteForce(withResult(h, int32(i), history.UnknownValue), s) {
			t.Fatalf("freeing the result of %v would do, and is not named:\n%s", op.ID(), show(h))
		}
	}
	return len(named)
}

// TestReasons: where marks and edges leave no order, and real time does, an
// explanation names some that leave none together, and one without each.
func TestReasons(t *testing.T) {
	t.Parallel()
	r := newRand(t)
	byMarks, byEdges, several := 0, 0, 0
	rounds := 1000
	if *full {
		rounds = 4000
	}
	for range rounds {
		for _, s := range subjects(t) {
			x, ok := randomRaw(r, s, false)
			if !ok {
				continue
			}
			h := x.build(t, r)
			e := withReason(t, h, s.spec, replay.Options{}).Explanation
			if e == nil || e.Unexplained != replay.NoOperation || len(e.Marks)+len(e.Edges) == 0 && len(e.Missing) > 0 {
				continue
			}
			if isLinearizable(t, under(h, e.Marks, e.Edges), s.spec) || !isLinearizable(t, under(h, nil, nil), s.spec) {
				t.Fatalf("marks %v and edges %v are not the reason:\n%s", e.Marks, e.Edges, show(h))
			}
			for i := range e.Marks {
				if !isLinearizable(t, under(h, slices.Delete(slices.Clone(e.Marks), i, i+1), e.Edges), s.spec) {
					t.Fatalf("mark %d of %v can be missed, with edges %v:\n%s", i, e.Marks, e.Edges, show(h))
				}
			}
			for i := range e.Edges {
				if !isLinearizable(t, under(h, e.Marks, slices.Delete(slices.Clone(e.Edges), i, i+1)), s.spec) {
					t.Fatalf("edge %d of %v can be missed, with marks %v:\n%s", i, e.Edges, e.Marks, show(h))
				}
			}
			byMarks += min(len(e.Marks), 1)
			byEdges += min(len(e.Edges), 1)
			if len(e.Marks)+len(e.Edges) > 1 {
				several++
			}
		}
	}
	t.Logf("%d with marks, %d with edges, %d of several", byMarks, byEdges, several)
	if byMarks < rounds/100 || byEdges < rounds/40 || several < max(1, rounds/2000) {
		t.Errorf("%d with marks, %d with edges, %d of several: too few to say much", byMarks, byEdges, several)
	}
}

// under is the history with other marks and edges. An edge out of a pending
// operation says that it happened.
func under(h *history.History, marks []int32, edges []history.Edge) *history.History {
	changed := *h
	changed.Edges = edges
	changed.Ops = slices.Clone(h.Ops)
	for i := range changed.Ops {
		changed.Ops[i].Happened = slices.Contains(marks, int32(i)) || changed.Ops[i].Pending() &&
			slices.ContainsFunc(edges, func(e history.Edge) bool { return int(e.From) == i })
	}
	return &changed
}

func isLinearizable(t *testing.T, h *history.History, s replay.Spec) bool {
	t.Helper()
	v := check(t, h, s, replay.Options{})
	if v.Answer == replay.Undecided {
		t.Fatalf("undecided (%v)", v.Cause)
	}
	return v.Answer == replay.Linearizable
}

// A mute object panics when it is asked for its state in words, which no verdict needs.
type mute struct{ replay.State }

func (m mute) Clone() replay.State { return mute{m.State.Clone()} }

func (mute) String() string { panic(&struct{ at *int }{new(int)}) }

type muteSpec struct{ replay.Spec }

func (s muteSpec) New() replay.Object { return mute{s.Spec.New().(replay.State)} }

// TestFaultOfExplanation: a panic in an explanation costs the part in which it happens. Its
// cause is the same in every run.
func TestFaultOfExplanation(t *testing.T) {
	s, err := spec.Parse("register")
	if err != nil {
		t.Fatal(err)
	}
	h, err := history.New(history.Header{}, []history.Event{
		{Process: history.IntValue(0), Method: "read"},
		{Type: history.OK, Process: history.IntValue(0), Result: history.IntValue(7)},
	})
	if err != nil {
		t.Fatal(err)
	}
	v := withReason(t, h, muteSpec{s}, replay.Options{})
	e := v.Explanation
	if v.Answer != replay.NotLinearizable || len(e.Missing) != 1 || len(e.Core) != 1 || len(e.Free) != 1 {
		t.Fatalf("%v, %+v", v, e)
	}
	cause := regexp.MustCompile(`^the specification panicked at .*explain_test.go:\d+: a value of type \*struct { at \*int }$`)
	if m := e.Missing[0]; m.Part != "states" || !cause.MatchString(m.Cause) {
		t.Errorf("%+v", e.Missing)
	}
}
