package monitor_test

import (
	"encoding/binary"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/monitor"
	"github.com/leadline/leadline/replay/ops"
	"github.com/leadline/leadline/replay/search"
	"github.com/leadline/leadline/replay/spec"
)

// The tests allocate much and keep little.
func init() { debug.SetGCPercent(400) }

var (
	full          = flag.Bool("full", false, "run the tests in full size, as .ci/run full does")
	seedFlag      = flag.Uint64("seed", 1, "seed of the random tests")
	historiesFlag = flag.Int("histories", 1250, "random small histories per type; more with -full")
)

// histories returns how many random small histories are tried per type.
func histories() int {
	if *full {
		return max(*historiesFlag, 7500)
	}
	return *historiesFlag
}

// newRand logs the seed first, so that a failure can be repeated by -seed.
func newRand(t testing.TB) *rand.Rand {
	t.Logf("-seed %d", *seedFlag)
	return rand.New(rand.NewPCG(*seedFlag, 0))
}

func collection(t testing.TB, model string) replay.Described {
	s, err := spec.Parse(model)
	if err != nil {
		t.Fatal(err)
	}
	return s.(replay.Described)
}

// TestSmallHistories compares the monitor of each type with brute force on small
// random histories, checks its witnesses with Verify, and its conflicts with
// brute force. Values are distinct except where the generator repeats one. The
// monitor must decide every history of distinct values that has no pending
// removal and no operation of an unclear role.
func TestSmallHistories(t *testing.T) {
	t.Parallel()
	for _, s := range subjects {
		t.Run(s.name, func(t *testing.T) {
			r := newRand(t)
			model := collection(t, s.model)
			counts := map[string]int{}
			for range histories() {
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
	v.Finding = monitor.Run(ops.New(h, model, 0), nil)
	declined := v.Reason
	distinct, removals, unclear := distinctness(h, model.(replay.Described))
	switch {
	case declined != "" && v.Answer != replay.Undecided:
		t.Errorf("declined (%s), but answered %v", declined, v.Answer)
		return ""
	case declined != "":
		deque := model.(replay.Described).Traits().Discipline == replay.BothEnds
		if distinct && !removals && !unclear && !deque {
			t.Errorf("declined: %s", declined)
		}
		return "declined: " + string(declined)
	case !distinct && v.Answer == replay.Linearizable:
		t.Error("a witness, although values are not distinct")
	}
	if want := oracle(t, h, model); v.Answer != want {
		t.Errorf("%v (conflict %v), want %v", v.Answer, v.Conflict, want)
		return ""
	}
	if v.Answer == replay.Linearizable {
		if err := replay.Verify(h, model, v.Witness, nil); err != nil {
			t.Errorf("witness %v: %v", v.Witness, err)
		}
		return v.Answer.String()
	}
	if part := restrict(h, v.Conflict); len(v.Conflict) == 0 || oracle(t, part, model) != replay.NotLinearizable {
		t.Errorf("there is a witness of the conflict %v", v.Conflict)
	}
	return v.Answer.String()
}

// bruteForce tries every order of the operations of a history of at most 64. It
// shares no code with the engines, not even the facts about methods.
func bruteForce(h *history.History, model replay.Spec) replay.Answer {
	failed := map[string]bool{}
	var extend func(placed uint64, state replay.State) bool
	extend = func(placed uint64, state replay.State) bool {
		complete, firstReturn := true, int32(history.NoReturn)
		for i := range h.Ops {
			if op := &h.Ops[i]; placed>>i&1 == 0 {
				complete = complete && op.Pending() && !op.Happened
				firstReturn = min(firstReturn, op.Return)
			}
		}
		if complete {
			return true
		}
		key := string(state.AppendKey(binary.LittleEndian.AppendUint64(nil, placed)))
		if failed[key] {
			return false
		}
		for i := range h.Ops {
			op := &h.Ops[i]
			if placed>>i&1 != 0 || op.Call > firstReturn {
				continue
			}
			next := state.Clone()
			result, ok := next.Apply(replay.Invocation{Method: op.Method, Args: op.Args})
			if ok && (op.Pending() || op.Result.Kind() == history.Unknown || op.Result.Equal(result)) && extend(placed|1<<i, next) {
				return true
			}
		}
		failed[key] = true
		return false
	}
	if extend(0, model.New().(replay.State)) {
		return replay.Linearizable
	}
	return replay.NotLinearizable
}

// oracle is brute force, or the search where many operations may overlap.
func oracle(t *testing.T, h *history.History, model replay.Spec) replay.Answer {
	if len(h.Ops) <= 12 {
		return bruteForce(h, model)
	}
	return searched(t, h, model)
}

func searched(t *testing.T, h *history.History, model replay.Spec) replay.Answer {
	var v replay.Verdict
	v.Finding = search.Run(ops.New(h, model, 1<<30), nil)
	return v.Answer
}

// distinctness reports whether no value is inserted twice (under one key; into
// a set, only where operations find nothing), whether there are pending
// removals, and whether the role of an operation is unclear: its result is
// unknown, or it inserts what an empty object returns (null, and -1 of kv:-1).
func distinctness(h *history.History, c replay.Described) (distinct, removals, unclear bool) {
	inserted := map[string]bool{}
	distinct = true
	empty := false
	for i := range h.Ops {
		op := &h.Ops[i]
		switch c.Facts(op).Role {
		case replay.Nothing:
			empty = true
		case replay.Insert, replay.InsertFront:
			what := string(history.ListValue(op.Args...).AppendKey(nil))
			distinct = distinct && !inserted[what]
			inserted[what] = true
		case replay.Remove, replay.RemoveFront:
			removals = removals || op.Pending()
		case replay.Other:
			unclear = unclear || op.Result.Kind() == history.Unknown
			if n := len(op.Args); n > 0 {
				unclear = unclear || op.Args[n-1].Kind() == history.Null || op.Args[n-1].Equal(history.IntValue(-1))
			}
		}
	}
	named := c.Traits().Discipline == replay.Named
	return distinct || named && !empty, removals && !named && c.Traits().Discipline != replay.Counted, unclear
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
