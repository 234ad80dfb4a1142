package order_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec"
)

var (
	seedFlag = flag.Uint64("seed", 1, "seed of the random histories")
	full     = flag.Bool("full", false, "more and longer histories")
)

func lookup(t testing.TB, text string) replay.Spec {
	t.Helper()
	s, err := spec.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func build(t testing.TB, events []history.Event) *history.History {
	t.Helper()
	h, err := history.New(history.Header{}, events)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// moved makes a history of events after some of them have changed places.
func moved(t testing.TB, r *rand.Rand, events []history.Event, times int) *history.History {
	t.Helper()
	for range times {
		i := r.IntN(len(events) - 1)
		if a, b := &events[i], &events[i+1]; !a.Process.Equal(b.Process) {
			*a, *b = *b, *a
		}
	}
	return build(t, events)
}

// checkFinding compares a finding, and replays its witness.
func checkFinding(t *testing.T, name string, h *history.History, s replay.Spec, f replay.Finding, want replay.Answer) {
	t.Helper()
	if f.Answer != want {
		t.Errorf("%s, %d operations of %s: %v (%v), want %v", name, len(h.Ops), s.Name(), f.Answer, f.Cause, want)
	}
	if f.Answer == replay.Linearizable {
		if err := replay.Verify(h, s, f.Witness, nil); err != nil {
			t.Errorf("%s, %d operations of %s: %v", name, len(h.Ops), s.Name(), err)
		}
	}
}

func show(h *history.History) string {
	text := ""
	for i := range h.Ops {
		op := &h.Ops[i]
		text += fmt.Sprintf("%3d: process %d, %d to %d, %v %v\n", i, op.Process, op.Call, op.Return, op, op.Happened)
	}
	return text + fmt.Sprintln(h.Edges)
}

func hasSizes(h *history.History) bool {
	return slices.ContainsFunc(h.Ops, func(op history.Operation) bool { return op.Method == "size" || op.Method == "isEmpty" })
}

// bruteForce tries all orders of a short history.
func bruteForce(h *history.History, s replay.Spec) bool {
	placed := make([]bool, len(h.Ops))
	comesFirst := func(i int) bool { // among those that are not placed
		for j := range h.Ops {
			if !placed[j] && h.Ops[j].Return < h.Ops[i].Call {
				return false
			}
		}
		for _, e := range h.Edges {
			if int(e.To) == i && !placed[e.From] {
				return false
			}
		}
		return true
	}
	var extend func(state replay.State) bool
	extend = func(state replay.State) bool {
		complete := true
		for i := range h.Ops {
			if placed[i] {
				continue
			}
			op := &h.Ops[i]
			complete = complete && op.Pending() && !op.Happened
			if !comesFirst(i) {
				continue
			}
			next := state.Clone()
			result, ok := next.Apply(replay.Invocation{Method: op.Method, Args: op.Args})
			if !ok || !replay.Accepts(op.Result, result) {
				continue
			}
			placed[i] = true
			found := extend(next)
			placed[i] = false
			if found {
				return true
			}
		}
		return complete
	}
	return extend(s.New().(replay.State))
}
