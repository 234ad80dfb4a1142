package replay_test

import (
	"fmt"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec"
)

// coin has n sides; after a toss, see returns the side that is up.
func coin(n int) replay.Spec {
	return &replay.Model[int]{
		Label: "coin",
		Next: func(s int, inv replay.Invocation) (steps []replay.Step[int]) {
			switch {
			case inv.Method == "toss":
				for side := 1; side <= n; side++ {
					steps = append(steps, replay.Step[int]{Next: side})
				}
			case s > 0:
				steps = append(steps, replay.Step[int]{Result: history.IntValue(int64(s)), Next: s})
			}
			return steps
		},
		Key: func(dst []byte, s int) []byte { return append(dst, byte(s)) },
	}
}

func TestWalk(t *testing.T) {
	mutex, err := spec.Parse("mutex")
	if err != nil {
		t.Fatal(err)
	}
	see := func(result history.Value) history.Operation { return history.Operation{Method: "see", Result: result} }
	toss := history.Operation{Method: "toss"}
	pending := history.Operation{Return: history.NoReturn, Result: history.UnknownValue}
	pendingSee, pendingLock := pending, pending
	pendingSee.Method, pendingLock.Method = "see", "lock"
	happened := pendingLock
	happened.Happened = true
	for _, c := range []struct {
		spec replay.Spec
		ops  []history.Operation
		want string // results and state after each step
	}{
		{coin(2), []history.Operation{toss, see(history.IntValue(2)), see(history.IntValue(2))}, "[] 1 or 2, [2] 2, [2] 2, "},
		{coin(2), []history.Operation{toss, see(history.UnknownValue)}, "[] 1 or 2, [1 2] 1 or 2, "},
		{coin(2), []history.Operation{pendingSee, toss, pendingSee}, "[] 0, [] 1 or 2, [1 2] 1 or 2, "},
		{coin(2), []history.Operation{toss, see(history.IntValue(3)), toss}, "[] 1 or 2, over, over, "},
		{coin(64), []history.Operation{toss, see(history.IntValue(64))}, ""},
		{coin(65), []history.Operation{toss, see(history.IntValue(64))}, "over, over, "},
		{mutex, []history.Operation{{Method: "lock"}, pendingLock, {Method: "unlock"}}, "[] held, [] held, [] free, "},
		{mutex, []history.Operation{{Method: "lock"}, happened}, "[] held, over, "},
		{nil, []history.Operation{toss}, "over, "},
	} {
		w := replay.NewWalk(c.spec)
		got := ""
		for i := range c.ops {
			results, ok := w.Step(&c.ops[i])
			if !ok {
				if w.State() != "" || results != nil {
					t.Errorf("a walk that is over has the state %q and results %v", w.State(), results)
				}
				got += "over, "
				continue
			}
			got += fmt.Sprintf("%v %s, ", results, w.State())
		}
		if c.want == "" { // as many states as can be followed
			c.want = got
			if results, ok := w.Step(&c.ops[1]); !ok || w.State() != "64" || len(results) != 1 {
				t.Errorf("with 64 states, %v and %q follow", results, w.State())
			}
		}
		if got != c.want {
			t.Errorf("%v: got %q, want %q", c.ops, got, c.want)
		}
	}
}
