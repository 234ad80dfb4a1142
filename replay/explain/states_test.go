package explain_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/explain"
	"github.com/leadline/leadline/replay/spec"
)

// decode returns the only history of a text.
func decode(t testing.TB, text string) (*history.History, replay.Spec) {
	t.Helper()
	var only *history.History
	for h, err := range codec.Decode(strings.NewReader(text), "in", codec.Options{}) {
		if err != nil || only != nil {
			t.Fatal("not one history: ", err)
		}
		only = h
	}
	s, err := spec.Lookup(only.Model, only.ModelArgs)
	if err != nil {
		t.Fatal(err)
	}
	return only, s
}

func readFile(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// openQueue returns a history of a queue with n operations that are all open at once, of
// which two return something.
func openQueue(r *rand.Rand, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "{\"leadline\":1,\"model\":\"queue\",\"args\":[%d]}\n", 2+r.IntN(2))
	inserts := make([]bool, n)
	for i := range n {
		method := `"poll"`
		if inserts[i] = r.IntN(2) == 0; inserts[i] {
			method = fmt.Sprintf(`"offer","args":[%d]`, i)
		}
		fmt.Fprintf(&b, "{\"process\":%d,\"type\":\"invoke\",\"method\":%s}\n", i, method)
	}
	for _, i := range r.Perm(n)[:2] {
		result := []string{"null", fmt.Sprint(r.IntN(n))}[r.IntN(2)]
		if inserts[i] {
			result = []string{"true", "false", "false"}[r.IntN(3)]
		}
		fmt.Fprintf(&b, "{\"process\":%d,\"type\":\"ok\",\"result\":%s}\n", i, result)
	}
	return b.String()
}

// TestStatesOfUnexplained: states and results are those of the operation that no order
// explains, also if the minimal sub-history does not have it. The histories have more
// configurations than are followed at first.
func TestStatesOfUnexplained(t *testing.T) {
	t.Parallel()
	r := newRand(t)
	texts := []string{readFile(t, "core-without-it-short.jsonl"), readFile(t, "core-without-it-long.jsonl")}
	without, ofCore := 0, 0
	for round := 0; round < 2000 && (round < 50 || without < 3 || ofCore < 3); round++ {
		text := openQueue(r, 8)
		if round < len(texts) {
			text = texts[round]
		}
		h, s := decode(t, text)
		v := explained(t, h, s)
		if v.Answer != replay.NotLinearizable {
			continue
		}
		e := v.Explanation
		if isMissing(e, "states") {
			t.Fatalf("%v of\n%s", e.Missing, show(h))
		}
		inCore := slices.Contains(e.Core, e.Unexplained)
		before := h.UpTo(h.Ops[e.Unexplained].Return - 1)
		switch {
		case e.StatesOfCore && !inCore:
			t.Fatalf("states of the core %v, which does not have %d:\n%s", e.Core, e.Unexplained, show(h))
		case e.StatesOfCore:
			ofCore++
			before = part(before, func(i int32, _ *history.Operation) bool { return slices.Contains(e.Core, i) })
		case !inCore:
			without++
		}
		states := map[string]replay.State{}
		allOrders(before, s, func(state replay.State) { states[replay.StateText(state)] = state })
		if len(states) > replay.MaxStates != e.MoreStates || !e.MoreStates && len(states) != len(e.States) {
			t.Fatalf("states %q, more: %v, instead of %d of\n%s", e.States, e.MoreStates, len(states), show(h))
		}
		op := &h.Ops[e.Unexplained]
		for k, text := range e.States {
			state, ok := states[text]
			if !ok {
				t.Fatalf("state %q is impossible in\n%s", text, show(h))
			}
			result := replay.Transitions(state, replay.Invocation{Method: op.Method, Args: op.Args})[0].Result
			if of := e.Returns[k]; of != nil && !slices.EqualFunc(of, []history.Value{result}, history.Value.Equal) {
				t.Fatalf("in %s, %v returns %v, not %v:\n%s", text, op, result, of, show(h))
			}
		}
	}
	if without < 3 || ofCore < 3 {
		t.Errorf("%d cores without the operation, states of %d cores: too few to say much", without, ofCore)
	}
}

// A fragile specification panics in the n-th call of Apply.
type fragile struct {
	replay.Spec
	left *int
}

type fragileState struct {
	replay.State
	left *int
}

func (s fragile) New() replay.Object { return fragileState{s.Spec.New().(replay.State), s.left} }

func (o fragileState) Clone() replay.State { return fragileState{o.State.Clone(), o.left} }

func (o fragileState) String() string { return replay.StateText(o.State) }

func (o fragileState) Apply(inv replay.Invocation) (history.Value, bool) {
	if *o.left--; *o.left == 0 {
		panic("out of order")
	}
	return o.State.Apply(inv)
}

// TestFault: a panic costs the part of the explanation in which it happens, and what needs
// that part. The others are as they are without it.
func TestFault(t *testing.T) {
	h, s := decode(t, readFile(t, "core-without-it-short.jsonl"))
	refuted := replay.Verdict{Finding: replay.Refuted(replay.SearchEngine)}
	run := func(panicAt int) (e *replay.Explanation, applied int) {
		left := panicAt
		broken := fragile{s, &left}
		return explain.Why(context.Background(), h, broken, refuted, replay.Options{}), panicAt - left
	}
	whole, applied := run(1 << 30)
	if len(whole.Missing) > 0 {
		t.Fatalf("missing without a fault: %v", whole.Missing)
	}
	seen := map[string]bool{}
	for at := 1; at <= applied; at++ {
		if at > 20 && at < applied-20 && at%(applied/100+1) != 0 { // the first and the last part take few calls
			continue
		}
		e, _ := run(at)
		if len(e.Missing) == 0 || !strings.HasSuffix(e.Missing[0].Cause, ": out of order") {
			t.Fatalf("the panic at %d left no trace: %v", at, e.Missing)
		}
		faulty := e.Missing[0]
		seen[faulty.Part] = true
		if len(e.Core) == 0 != isMissing(e, "core") || (len(e.States) == 0) != isMissing(e, "states") ||
			len(e.Free) == 0 && !isMissing(e, "blame") || (e.Prefix == 0) != isMissing(e, "prefix") {
			t.Fatalf("a panic at %d: %+v", at, e)
		}
		if faulty.Part != "prefix" && (e.Prefix != whole.Prefix || e.Unexplained != whole.Unexplained) {
			t.Fatalf("a panic in %s changes the prefix: %+v", faulty.Part, e)
		}
	}
	for _, part := range []string{"prefix", "states", "core", "blame"} {
		if !seen[part] {
			t.Errorf("no panic in %s", part)
		}
	}
}
