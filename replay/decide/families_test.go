package decide_test

import (
	"encoding/binary"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
)

// TestLongSchedules replays the only schedule of a long history, whose last result is
// wrong. That is counted, and a history is not refuted by a replay that was stopped.
func TestLongSchedules(t *testing.T) {
	const n = 10 * meter.AskEvery
	tosses := []history.Operation{{Method: "toss"}}
	for len(tosses) < n {
		tosses = append(tosses, history.Operation{Method: "look", Result: history.IntValue(1)})
	}
	tosses[n-1].Result = history.IntValue(2)
	var numbers []history.Operation
	for i := range int64(n) {
		numbers = append(numbers, history.Operation{Method: "getAndIncrement", Result: history.IntValue(i)})
	}
	numbers[n-1].Result = history.IntValue(0)
	for _, c := range []struct {
		spec replay.Spec
		h    *history.History
	}{
		{coin(), sequence(tosses...)},
		{model(t, "counter"), sequence(numbers...)},
	} {
		o := replay.Options{}.WithDefaults(n)
		in, err := replay.NewInstance(c.h, true, o.Chains, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, trusted := c.spec.(replay.Trusted)
		const never = 1 << 30
		for _, stopAt := range []int{1, 2, 3, 9, 10, never} {
			asked := 0
			m := meter.New(func() bool { asked++; return asked >= stopAt })
			f, err := decide.Families(in, c.spec, o, m)
			want := replay.GaveUp(replay.Time)
			if stopAt == never {
				want = replay.Refuted(replay.FamiliesEngine)
			}
			if err != nil || f.Answer != want.Answer || f.Cause != want.Cause || stopAt < never && asked != stopAt || trusted && asked > 10 || asked < min(stopAt, 10) {
				t.Errorf("%s, stopped at question %d: %v (%v), %v, after %d questions", c.spec.Name(), stopAt, f.Answer, f.Cause, err, asked)
			}
		}
	}
}

// sequence returns a history of operations that follow one another. Those
// whose Return is set already stay open.
func sequence(ops ...history.Operation) *history.History {
	for i := range ops {
		ops[i].Call = int32(2 * i)
		if ops[i].Return == 0 {
			ops[i].Return = int32(2*i + 1)
		}
	}
	return &history.History{Ops: ops, Processes: []history.Value{history.IntValue(0)}}
}

// coin shows heads or tails, whatever it showed before; its Key has the whole
// state.
func coin() replay.Spec {
	return &replay.Model[int]{
		Label: "coin",
		Next: func(s int, inv replay.Invocation) []replay.Step[int] {
			if inv.Method == "look" {
				if s == 0 {
					return nil // not tossed yet: no transition
				}
				return []replay.Step[int]{{Result: history.IntValue(int64(s)), Next: s}}
			}
			return []replay.Step[int]{{Next: 1}, {Next: 2}}
		},
		Key: func(dst []byte, s int) []byte { return binary.AppendVarint(dst, int64(s)) },
	}
}
