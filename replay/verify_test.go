package replay_test

import (
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec"
)

func lookup(t testing.TB, name string, args ...history.Value) replay.Spec {
	t.Helper()
	s, err := spec.Lookup(name, args)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// invoke and ok are events of the process and operation with one number.
func invoke(op int64, method string, args ...int64) history.Event {
	e := history.Event{Type: history.Invoke, Process: history.IntValue(op), Op: history.IntValue(op), Method: method}
	for _, a := range args {
		e.Args = append(e.Args, history.IntValue(a))
	}
	return e
}

func ok(op int64, result history.Value) history.Event {
	return history.Event{Type: history.OK, Op: history.IntValue(op), Result: result}
}

func build(t testing.TB, events []history.Event, edges ...[2]int64) *history.History {
	t.Helper()
	b := history.NewBuilder(history.Header{})
	for i := range events {
		b.Add(&events[i])
	}
	for _, e := range edges {
		b.AddEdge(history.IntValue(e[0]), history.IntValue(e[1]), 1)
	}
	h, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestVerify(t *testing.T) {
	one, two := history.IntValue(1), history.IntValue(2)
	h := build(t, []history.Event{
		invoke(0, "write", 1), invoke(1, "write", 2), ok(0, history.NoValue), invoke(2, "read"),
		ok(1, history.NoValue), ok(2, one), invoke(3, "read"), ok(3, two), invoke(4, "write", 5),
	})
	register := lookup(t, "register")
	// 1 must come after 2, or the last read fails.
	for _, c := range []struct {
		witness []int32
		fault   string
	}{
		{[]int32{0, 2, 1, 3, 4}, ""},
		{[]int32{0, 1, 2, 3, 4}, "cannot follow"},
		{[]int32{1, 0, 2, 3, 4}, "cannot follow"},
		{[]int32{2, 0, 1, 3, 4}, "stands behind"},
		{[]int32{0, 2, 3, 1, 4}, "stands behind"},
		{[]int32{0, 2, 1, 3}, "instead of"},
		{[]int32{0, 2, 1, 3, 3}, "repeats"},
		{[]int32{0, 2, 1, 3, 7}, "repeats"},
		{[]int32{0, 2, 1, 4, 3}, "stands behind"},
	} {
		err := replay.Verify(h, register, c.witness)
		if c.fault == "" && err != nil || c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)) {
			t.Errorf("%v: %v, want %q", c.witness, err, c.fault)
		}
	}
}

func TestVerifyEdges(t *testing.T) {
	// 2 did not happen, yet passes on order: by edges and by its interval.
	events := []history.Event{
		invoke(0, "write", 1), invoke(1, "write", 2), ok(1, history.NoValue), invoke(2, "write", 3),
		invoke(3, "write", 4), {Type: history.Fail, Op: history.IntValue(2)},
		ok(3, history.NoValue), ok(0, history.NoValue),
	}
	register := lookup(t, "register")
	for _, c := range []struct {
		edges   [][2]int64
		witness []int32
		good    bool
	}{
		{nil, []int32{2, 1, 0}, false}, // 1 returned before 3 began
		{nil, []int32{1, 0, 2}, true},
		{[][2]int64{{3, 0}}, []int32{1, 0, 2}, false},
		{[][2]int64{{3, 0}}, []int32{1, 2, 0}, true},
		{[][2]int64{{0, 2}, {2, 3}}, []int32{1, 2, 0}, false},
		{[][2]int64{{0, 2}, {2, 3}}, []int32{1, 0, 2}, true},
		{[][2]int64{{2, 0}}, []int32{0, 1, 2}, false}, // 1 before 2 before 0
		{[][2]int64{{2, 0}}, []int32{1, 0, 2}, true},
	} {
		h := build(t, events, c.edges...)
		if err := replay.Verify(h, register, c.witness); (err == nil) != c.good {
			t.Errorf("edges %v, witness %v: %v", c.edges, c.witness, err)
		}
		in, err := replay.NewInstance(h, true, replay.AutoChains)
		if err != nil {
			t.Fatal(err)
		}
		if in.Poset.IsSchedule(c.witness) != c.good {
			t.Errorf("edges %v: poset and Verify differ on %v", c.edges, c.witness)
		}
	}
}
