package decide_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/ops"
	"github.com/leadline/leadline/replay/search"
)

// An engine decides a history on its own; ok says whether it could.
type decider struct {
	name   string
	decide func(t *testing.T, h *history.History, s replay.Spec) (v replay.Verdict, ok bool)
}

// engines are all ways to decide, each by itself: families at d = n under
// both chain partitions, the complete search, and the portfolio.
var engines = []decider{
	{"families by process", familiesAlone(replay.ProcessChains)},
	{"families by minimum partition", familiesAlone(replay.MinimumChains)},
	{"search", searchAlone(search.Pruning{})},
	{"search without pruning", searchAlone(search.Pruning{NoReadsAtOnce: true, NoTwins: true, NoUseless: true, NoErased: true, NoParts: true})},
	{"search without reads at once", searchAlone(search.Pruning{NoReadsAtOnce: true})},
	{"search without twins", searchAlone(search.Pruning{NoTwins: true})},
	{"search with useless operations", searchAlone(search.Pruning{NoUseless: true})},
	{"search without parts", searchAlone(search.Pruning{NoParts: true})},
	{"window", rowAlone("window")},
	{"order", rowAlone("order")},
	{"monitor", forced(replay.MonitorEngine)},
	{"portfolio", func(t *testing.T, h *history.History, s replay.Spec) (replay.Verdict, bool) {
		v, err := decide.Check(context.Background(), h, s, replay.Options{MaxDepth: 2})
		if err != nil {
			t.Fatal(err)
		}
		return v, v.Answer != replay.Undecided
	}},
}

func forced(e replay.Engine) func(*testing.T, *history.History, replay.Spec) (replay.Verdict, bool) {
	return func(t *testing.T, h *history.History, s replay.Spec) (replay.Verdict, bool) {
		v, err := decide.Check(context.Background(), h, s, replay.Options{Engine: e})
		if err != nil {
			t.Fatal(err)
		}
		return v, v.Answer != replay.Undecided
	}
}

// rowAlone runs a row of the table of engines, for any number of operations.
func rowAlone(name string) func(*testing.T, *history.History, replay.Spec) (replay.Verdict, bool) {
	return func(t *testing.T, h *history.History, s replay.Spec) (v replay.Verdict, ok bool) {
		for _, row := range decide.Rows() {
			if row.Name != name {
				continue
			}
			var err error
			if v.Finding, err = row.Start(h, s); err != nil {
				t.Fatal(err)
			}
			return v, v.Decided()
		}
		t.Fatalf("no row %q", name)
		return v, false
	}
}

func searchAlone(prune search.Pruning) func(*testing.T, *history.History, replay.Spec) (replay.Verdict, bool) {
	return func(t *testing.T, h *history.History, s replay.Spec) (replay.Verdict, bool) {
		var v replay.Verdict
		v.Finding = search.RunPruned(ops.New(h, s, 1<<30), prune, nil)
		return v, v.Answer != replay.Undecided
	}
}

func instance(t *testing.T, h *history.History, mode replay.ChainMode) *replay.Instance {
	in, err := replay.NewInstance(h, true, mode, nil)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func familiesAlone(mode replay.ChainMode) func(*testing.T, *history.History, replay.Spec) (replay.Verdict, bool) {
	return func(t *testing.T, h *history.History, s replay.Spec) (replay.Verdict, bool) {
		o := replay.Options{MaxDepth: len(h.Ops) + 1, Chains: mode}.WithDefaults(len(h.Ops))
		f, err := decide.Families(instance(t, h, mode), s, o, nil)
		if err != nil {
			t.Fatal(err)
		}
		return replay.Verdict{Finding: f}, true
	}
}

// checkEngines holds every engine against brute force and every witness
// against Verify. It returns which engines decided.
func checkEngines(t *testing.T, h *history.History, s replay.Spec, decided map[string]int) {
	t.Helper()
	want := replay.NotLinearizable
	if bruteForce(h, s) {
		want = replay.Linearizable
	}
	decided[fmt.Sprint(s.Name(), " ", want)]++
	for _, e := range engines {
		v, ok := e.decide(t, h, s)
		if !ok {
			continue
		}
		decided[e.name]++
		if v.Answer != want {
			t.Fatalf("%s says %v of a history of %s that is %v:\n%s", e.name, v.Answer, s.Name(), want, show(h))
		}
		if v.Answer == replay.Linearizable {
			if err := replay.Verify(h, s, v.Witness, nil); err != nil {
				t.Fatalf("%s has a bad witness %v: %v\n%s", e.name, v.Witness, err, show(h))
			}
		}
	}
}

func show(h *history.History) string {
	text := ""
	for i := range h.Ops {
		op := &h.Ops[i]
		text += fmt.Sprintf("%3v: process %v, %d to %d, %v\n", op.ID(), h.Processes[op.Process], op.Call, op.Return, op)
	}
	return text
}

func TestEnginesAgree(t *testing.T) {
	t.Parallel()
	r := newRand(t)
	decided := map[string]int{}
	rounds := 150
	if *full {
		rounds = 1500
	}
	for k := range rounds {
		for _, s := range subjects(t) {
			checkEngines(t, randomHistory(t, r, s, 1+r.IntN(6), k%2 == 0), s.spec, decided)
		}
	}
	for _, s := range subjects(t) {
		for _, a := range []replay.Answer{replay.Linearizable, replay.NotLinearizable} {
			if key := fmt.Sprint(s.spec.Name(), " ", a); decided[key] == 0 {
				t.Errorf("no history was %q: %v", key, decided)
			}
		}
	}
	for _, e := range engines {
		least, ok := map[string]int{"monitor": rounds, "window": rounds / 4, "order": rounds}[e.name]
		if !ok {
			least = 8 * rounds
		}
		if decided[e.name] < least {
			t.Errorf("%s decided only %d histories", e.name, decided[e.name])
		}
	}
}

// TestMutexPending: lock() returned to A, B and C wait for ever.
func TestMutexPending(t *testing.T) {
	h := newHistory(t, "invoke A lock", "invoke B lock", "invoke C lock", "ok A")
	v := check(t, h, model(t, "mutex"), replay.Options{})
	if v.Answer != replay.Linearizable || v.Depth != 1 {
		t.Errorf("%+v, want linearizable at depth 1", v)
	}
}

// TestPendingWriteObserved: the pending write must have taken effect, though
// nothing says so but a read.
func TestPendingWriteObserved(t *testing.T) {
	h := newHistory(t, "invoke A write 1", "info A", "invoke B read", "ok B 1")
	if v := check(t, h, model(t, "register:0"), replay.Options{}); v.Answer != replay.Linearizable {
		t.Errorf("%+v, want linearizable", v)
	}
	h = newHistory(t, "invoke B read", "ok B 1", "invoke A write 1", "info A")
	if v := check(t, h, model(t, "register:0"), replay.Options{}); v.Answer != replay.NotLinearizable {
		t.Errorf("%+v, want not linearizable: the read came before the write began", v)
	}
}

// TestAnyResult: a specification that predicts an unknown result accepts any.
func TestAnyResult(t *testing.T) {
	die := &replay.Model[int64]{Label: "die",
		Next: func(rolls int64, inv replay.Invocation) []replay.Step[int64] {
			if inv.Method == "rolls" {
				return []replay.Step[int64]{{Result: history.IntValue(rolls), Next: rolls}}
			}
			return []replay.Step[int64]{{Result: history.UnknownValue, Next: rolls + 1}}
		},
		Key: binary.AppendVarint}
	for answer, want := range map[string]replay.Answer{"2": replay.Linearizable, "1": replay.NotLinearizable} {
		h := newHistory(t, "invoke A roll", "invoke B roll", "ok A 6", "ok B", "invoke A rolls", "ok A "+answer)
		for _, engine := range []replay.Engine{replay.AutoEngine, replay.FamiliesEngine, replay.SearchEngine} {
			v, err := decide.Check(context.Background(), h, die, replay.Options{Engine: engine})
			if err != nil || v.Answer != want {
				t.Errorf("%v: rolls returned %s: %v, %v", engine, answer, v.Answer, err)
			}
		}
	}
}
