package monitor_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/monitor"
	"github.com/leadline/leadline/replay/search"
	"github.com/leadline/leadline/replay/spec"
)

var (
	seedFlag      = flag.Uint64("seed", 1, "seed of the random tests")
	historiesFlag = flag.Int("histories", 15000, "random small histories per type")
)

// newRand logs the seed first, so that a failure can be repeated by -seed.
func newRand(t testing.TB) *rand.Rand {
	t.Logf("-seed %d", *seedFlag)
	return rand.New(rand.NewPCG(*seedFlag, 0))
}

func collection(t testing.TB, model string) replay.Collection {
	s, err := spec.Parse(model)
	if err != nil {
		t.Fatal(err)
	}
	return s.(replay.Collection)
}

// TestSmallHistories holds the monitor of each type against the complete
// search on small random histories, its witnesses against Verify and its
// conflicts against the search. Values are distinct except where the
// generator repeats one, and without pending removals every other history has
// to be decided.
func TestSmallHistories(t *testing.T) {
	for _, s := range subjects {
		t.Run(s.name, func(t *testing.T) {
			r := newRand(t)
			model := collection(t, s.model)
			counts := map[string]int{}
			for range *historiesFlag {
				g := generator{Rand: r, s: s, m: randomMix(r)}
				h := g.history(t)
				counts[checkSmall(t, h, model)]++
				if t.Failed() {
					t.Fatalf("the history is\n%s", picture(h))
				}
			}
			for _, what := range slices.Sorted(maps.Keys(counts)) {
				t.Logf("%8d %s", counts[what], what)
			}
		})
	}
}

// checkSmall checks one history and says what came out.
func checkSmall(t *testing.T, h *history.History, model replay.Spec) string {
	if err := replay.Check(h, model); err != nil {
		t.Fatal(err)
	}
	var v replay.Verdict
	declined := monitor.Run(h, model, nil, &v)
	distinct, removals := distinctness(h, model.(replay.Collection))
	switch {
	case declined != "" && v.Answer != replay.Undecided:
		t.Errorf("declined (%s), but answered %v", declined, v.Answer)
		return ""
	case declined != "":
		deque := model.(replay.Collection).Discipline() == replay.BothEnds
		if distinct && !removals && !deque {
			t.Errorf("declined: %s", declined)
		}
		return "declined: " + declined
	case !distinct:
		t.Error("decided, although values are not distinct")
	}
	if want := searched(t, h, model); v.Answer != want {
		t.Errorf("%v (conflict %v), but the search says %v", v.Answer, v.Conflict, want)
		return ""
	}
	if v.Answer == replay.Linearizable {
		if err := replay.Verify(h, model, v.Witness); err != nil {
			t.Errorf("witness %v: %v", v.Witness, err)
		}
		return v.Answer.String()
	}
	if part := restrict(h, v.Conflict); len(v.Conflict) == 0 || searched(t, part, model) != replay.NotLinearizable {
		t.Errorf("there is a witness of the conflict %v", v.Conflict)
	}
	return v.Answer.String()
}

func searched(t *testing.T, h *history.History, model replay.Spec) replay.Answer {
	var v replay.Verdict
	search.Run(h, model, 1<<30, func() bool { return false }, &v)
	return v.Answer
}

// distinctness reports whether no value is inserted twice (under one key; into
// a set, only where operations find nothing), and whether there are pending
// removals.
func distinctness(h *history.History, c replay.Collection) (distinct, removals bool) {
	inserted := map[string]bool{}
	distinct = true
	empty := false
	for i := range h.Ops {
		switch role, _ := c.Role(&h.Ops[i]); role {
		case replay.Nothing:
			empty = true
		case replay.Insert, replay.InsertFront:
			what := string(history.ListValue(h.Ops[i].Args...).AppendKey(nil))
			distinct = distinct && !inserted[what]
			inserted[what] = true
		case replay.Remove, replay.RemoveFront:
			removals = removals || h.Ops[i].Pending()
		}
	}
	named := c.Discipline() == replay.Named
	return distinct || named && !empty, removals && !named && c.Discipline() != replay.Counted
}

// picture draws one line per operation.
func picture(h *history.History) string {
	end := int32(0)
	for i := range h.Ops {
		end = max(end, h.Ops[i].Call+1)
		if !h.Ops[i].Pending() {
			end = max(end, h.Ops[i].Return+1)
		}
	}
	var b strings.Builder
	for i := range h.Ops {
		op := &h.Ops[i]
		last := min(op.Return, end)
		line := strings.Repeat(" ", int(op.Call)) + "|" + strings.Repeat("-", int(last-op.Call)-1)
		if !op.Pending() {
			line += "|"
		}
		fmt.Fprintf(&b, "%3d %-*s %v\n", i, end+1, line, op)
	}
	return b.String()
}
