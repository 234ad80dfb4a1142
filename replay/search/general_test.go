package search_test

import (
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
	"github.com/leadline/leadline/replay/search"
	"github.com/leadline/leadline/replay/spec"
)

// A line is an event of a small history: an invocation or a response.
type line struct {
	op     int64
	method string // "" for a response
	args   []int64
	result history.Value
}

func call(op int64, method string, args ...int64) line {
	return line{op: op, method: method, args: args}
}

func answer(op int64, result history.Value) line { return line{op: op, result: result} }

// smallHistory makes a history. An edge from an operation to itself marks the
// operation as happened.
func smallHistory(t testing.TB, lines []line, edges [][2]int64) *history.History {
	t.Helper()
	b := history.NewBuilder(history.Header{})
	for i, l := range lines {
		e := history.Event{Process: history.IntValue(l.op), Op: history.IntValue(l.op), Method: l.method, Result: l.result, Line: i + 1}
		if l.method == "" {
			e.Type = history.OK
		}
		for _, a := range l.args {
			e.Args = append(e.Args, history.IntValue(a))
		}
		b.Add(&e)
	}
	for _, e := range edges {
		if e[0] == e[1] {
			b.Mark(history.IntValue(e[0]), true, 1)
			continue
		}
		b.AddEdge(history.IntValue(e[0]), history.IntValue(e[1]), 1)
	}
	h, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestSmall has small histories, each for one rule of the search.
func TestSmall(t *testing.T) {
	none, one := history.NoValue, history.IntValue(1)
	for _, c := range []struct {
		why, model string
		lines      []line
		edges      [][2]int64
		prune      search.Pruning
		want       replay.Answer
	}{
		{"an edge puts the write before the read", "register",
			[]line{call(0, "write", 1), call(1, "read"), answer(1, history.NullValue)}, [][2]int64{{0, 1}}, search.Pruning{}, replay.NotLinearizable},
		{"what happened has to be placed", "mutex",
			[]line{call(0, "lock"), call(1, "lock"), call(2, "lock"), answer(0, none)}, [][2]int64{{1, 2}}, search.Pruning{}, replay.NotLinearizable},
		{"what happened has to be placed, without edges", "mutex",
			[]line{call(0, "lock"), call(1, "lock"), call(2, "lock"), answer(0, none)}, [][2]int64{{1, 1}}, search.Pruning{}, replay.NotLinearizable},
		{"what happened is placed after all that returned", "mutex",
			[]line{call(0, "lock"), call(1, "lock"), call(2, "unlock"), answer(0, none)}, [][2]int64{{1, 1}}, search.Pruning{}, replay.Linearizable},
		{"the second operation first", "register",
			[]line{call(0, "write", 1), call(1, "write", 2), call(2, "read"), answer(0, none), answer(1, none), answer(2, one)},
			[][2]int64{{0, 2}, {1, 2}}, search.Pruning{}, replay.Linearizable},
		{"the write(1) that was invoked first has to wait for a read of 2", "register",
			[]line{call(0, "write", 1), call(1, "write", 1), call(2, "read"), answer(2, one), call(3, "write", 2), answer(3, none), answer(1, none),
				call(4, "read"), answer(4, history.IntValue(2)), call(5, "read"), answer(5, one), answer(0, none)},
			nil, search.Pruning{}, replay.Linearizable},
		{"write(3), pending write(1), cas(1, 3) fails; cas(1, 3), write(3) leads to the same state with write(1) left", "cas-register:1",
			[]line{call(0, "write", 3), call(1, "cas", 1, 3), call(2, "write", 1), answer(0, none), answer(1, history.BoolValue(true)),
				call(3, "read"), answer(3, one)}, nil, search.Pruning{}, replay.Linearizable},
		{"write(1), pending cas(1, 0), cas(0, 1) fails; without the pending one it does not, and that is still left", "cas-register:0",
			[]line{call(0, "write", 1), call(1, "cas", 1, 0), call(2, "cas", 0, 1), answer(0, none), answer(2, history.BoolValue(true)),
				call(3, "read"), answer(3, history.IntValue(0))}, nil, search.Pruning{}, replay.Linearizable},
	} {
		h := smallHistory(t, c.lines, c.edges)
		s, err := spec.Parse(c.model)
		if err != nil {
			t.Fatal(err)
		}
		var v replay.Verdict
		v.Finding = search.RunPruned(ops.New(h, s, 1<<30), c.prune, nil)
		if v.Answer != c.want {
			t.Errorf("%s: %v, want %v", c.why, v.Answer, c.want)
		}
	}
}

// TestPartGivenUp: a part that takes too much memory leaves the history
// undecided, unless another part has no witness.
func TestPartGivenUp(t *testing.T) {
	kv, err := spec.Parse("kv")
	if err != nil {
		t.Fatal(err)
	}
	for read, want := range map[int64]replay.Answer{1: replay.Undecided, 2: replay.NotLinearizable} {
		const n = 24
		var lines []line
		for op := range int64(n) {
			lines = append(lines, call(op, "put", 0, op))
		}
		for op := range int64(n) {
			lines = append(lines, answer(op, history.NoValue))
		}
		lines = append(lines, call(n, "get", 0), answer(n, history.IntValue(n)), // never put
			call(n+1, "put", 1, 1), answer(n+1, history.NoValue), call(n+2, "get", 1), answer(n+2, history.IntValue(read)))
		var v replay.Verdict
		v.Finding = search.Run(ops.New(smallHistory(t, lines, nil), kv, 1<<20), nil)
		if v.Answer != want || want == replay.Undecided && v.Cause != replay.Memory {
			t.Errorf("key 1 reads %d: %v (%v), want %v", read, v.Answer, v.Cause, want)
		}
	}
}
