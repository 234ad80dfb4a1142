package explain_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/benchdata/corpora"
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/explain"
	"github.com/leadline/leadline/replay/simulate"
	"github.com/leadline/leadline/replay/spec"
)

func check(t testing.TB, h *history.History, s replay.Spec, o replay.Options) replay.Verdict {
	t.Helper()
	v, err := decide.Check(context.Background(), h, s, o)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// explained decides a history and explains the verdict. For some histories, it also does so in
// two steps.
func explained(t testing.TB, h *history.History, s replay.Spec) replay.Verdict {
	t.Helper()
	v, err := explain.Check(context.Background(), h, s, replay.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(h.Ops)%8 == 0 {
		w := check(t, h, s, replay.Options{})
		w.Explanation = explain.Why(context.Background(), h, s, w, replay.Options{})
		if w.Answer != v.Answer || !reflect.DeepEqual(w.Explanation, v.Explanation) {
			t.Fatalf("Check: %v, %+v; Why: %v, %+v", v, v.Explanation, w, w.Explanation)
		}
	}
	return v
}

// byChecker decides by the checker itself.
func byChecker(t testing.TB) func(*history.History, replay.Spec) bool {
	return func(h *history.History, s replay.Spec) bool {
		t.Helper()
		v := check(t, h, s, replay.Options{})
		if v.Answer == replay.Undecided {
			t.Fatalf("undecided (%v)", v.Cause)
		}
		return v.Answer == replay.Linearizable
	}
}

func part(h *history.History, keep func(i int32, op *history.Operation) bool) *history.History {
	p := &history.History{Header: h.Header, Processes: h.Processes}
	for i := range h.Ops {
		if keep(int32(i), &h.Ops[i]) {
			p.Ops = append(p.Ops, h.Ops[i])
		} else {
			p.Dropped++ // the others keep their positions
		}
	}
	return p
}

func withResults(h *history.History, ops []int32, results []history.Value) *history.History {
	changed := *h
	changed.Ops = slices.Clone(h.Ops)
	for k, i := range ops {
		changed.Ops[i].Result = results[k]
	}
	return &changed
}

func unknowns(n int) []history.Value { return slices.Repeat([]history.Value{history.UnknownValue}, n) }

func isMissing(e *replay.Explanation, name string) bool {
	return slices.ContainsFunc(e.Missing, func(m replay.MissingPart) bool { return m.Part == name })
}

// verify holds an explanation of a history without edges and marks against a way
// to decide histories.
func verify(t *testing.T, h *history.History, s replay.Spec, e *replay.Explanation, linearizable func(*history.History, replay.Spec) bool) {
	t.Helper()
	if e == nil {
		t.Fatalf("no explanation of\n%s", show(h))
	}
	if e.Unexplained == replay.NoOperation {
		t.Fatalf("no prefix (%v) of\n%s", e.Missing, show(h))
	}
	last := h.Ops[e.Unexplained].Return
	prefix := h.UpTo(last)
	if linearizable(prefix, s) || !linearizable(h.UpTo(last-1), s) {
		t.Fatalf("the response of %v is not the first that nothing explains:\n%s", &h.Ops[e.Unexplained], show(h))
	}
	if events := 2*len(prefix.Ops) - prefix.Pending(); e.Prefix != events {
		t.Fatalf("prefix of %d events instead of %d", e.Prefix, events)
	}
	core := part(prefix, func(i int32, _ *history.Operation) bool { return slices.Contains(e.Core, i) })
	restrict(core, h, e)
	if linearizable(core, s) {
		t.Fatalf("the core %v is linearizable:\n%s", e.Core, show(h))
	}
	if _, c := replay.ByVersion(h, s); !isMissing(e, "core") && (c == nil || !slices.Equal(c.Ops, e.Core)) {
		at := int32(slices.Index(e.Core, e.Unexplained))
		rest, rules := explain.Removals(core, s, at, nil)
		for k := range rest {
			if !linearizable(rest[k], s) {
				t.Fatalf("rule %s leaves out more of the core %v: %sof\n%s", rules[k], e.Core, show(rest[k]), show(h))
			}
		}
	}
	if len(e.States) == 0 && !isMissing(e, "states") {
		t.Fatalf("no states and no cause:\n%s", show(h))
	}
	_, judges := s.New().(replay.Judge) // its results are not listed
	for _, group := range e.Free {
		ops := make([]int32, len(group))
		for k, f := range group {
			ops[k] = f.Op
		}
		if len(h.Ops) <= 64 && !linearizable(withResults(h, ops, unknowns(len(ops))), s) {
			t.Fatalf("without the results of %v it is not linearizable:\n%s", ops, show(h))
		}
		for k, f := range group {
			if len(f.Allowed) == 0 && !judges {
				t.Errorf("no allowed results of %v", &h.Ops[f.Op])
			}
			for _, a := range f.Allowed {
				results := unknowns(len(ops))
				results[k] = a
				if len(h.Ops) > 256 { // unknown results make long histories hard
					for j, g := range group {
						if j != k {
							results[j] = g.Allowed[0]
						}
					}
				}
				if !linearizable(withResults(h, ops, results), s) {
					t.Fatalf("%v is not allowed in %v:\n%s", a, &h.Ops[f.Op], show(h))
				}
			}
		}
	}
}

// verifyBlame tries all groups of up to three results.
func verifyBlame(t *testing.T, h *history.History, s replay.Spec, e *replay.Explanation) {
	t.Helper()
	if isMissing(e, "blame") {
		t.Fatalf("blame is missing (%v) of\n%s", e.Missing, show(h))
	}
	var freeable []int32
	for i := range h.Ops {
		if op := &h.Ops[i]; !op.Pending() && op.Result.Kind() != history.Unknown {
			freeable = append(freeable, int32(i))
		}
	}
	var want [][]int32
	for size := 1; size <= 3 && len(want) == 0; size++ {
		var choose func(from int, chosen []int32)
		choose = func(from int, chosen []int32) {
			if len(chosen) == size {
				if isLinearizable(withResults(h, chosen, unknowns(size)), s) {
					want = append(want, slices.Clone(chosen))
				}
				return
			}
			for k := from; k < len(freeable); k++ {
				choose(k+1, append(chosen, freeable[k]))
			}
		}
		choose(0, nil)
	}
	var got [][]int32
	for _, group := range e.Free {
		var ops []int32
		for _, f := range group {
			ops = append(ops, f.Op)
		}
		got = append(got, ops)
	}
	if !slices.EqualFunc(got, want, slices.Equal[[]int32]) {
		t.Fatalf("groups %v instead of %v of\n%s", got, want, show(h))
	}
}

// TestBlameIsWhole: where an explanation does not say that its list of single results may be
// incomplete, no other result would do. The first history was listed incompletely.
func TestBlameIsWhole(t *testing.T) {
	t.Parallel()
	h, s := decode(t, readFile(t, "blame-incomplete.jsonl"))
	if n := len(singles(t, h, s, true)); n != 6 {
		t.Errorf("%d single results would do, not 6", n)
	}
	whole, incomplete := 0, 0
	for seed := range map[bool]uint64{false: 1, true: 2}[*full] {
		for _, model := range []string{"queue", "stack"} {
			for _, n := range []int{16, 40} {
				w := simulate.Workload{Model: model, Ops: n, Values: 6, Threads: 14, Seed: seed, Faults: []simulate.Fault{{Kind: simulate.Wrong, Percent: 50}}}
				h, err := w.History()
				if err != nil {
					t.Fatal(err)
				}
				if s, err = w.Spec(); err != nil {
					t.Fatal(err)
				}
				if singles(t, h, s, false) != nil {
					whole++
				} else {
					incomplete++
				}
			}
		}
	}
	if whole < 2 || incomplete < 1 {
		t.Errorf("%d lists are whole, %d may be incomplete: too few to say much", whole, incomplete)
	}
}

// singles returns the single results to blame, after freeing each result of h. It returns
// nil if the explanation says that the list may be incomplete.
func singles(t *testing.T, h *history.History, s replay.Spec, mustBeWhole bool) map[int32]bool {
	t.Helper()
	e := explained(t, h, s).Explanation
	if isMissing(e, "blame") {
		if mustBeWhole {
			t.Fatalf("blame is incomplete: %v", e.Missing)
		}
		return nil
	}
	named := map[int32]bool{}
	for _, group := range e.Free {
		if len(group) == 1 {
			named[group[0].Op] = true
		}
	}
	for i := range h.Ops {
		if op := &h.Ops[i]; op.Pending() || op.Result.Kind() == history.None {
			continue
		}
		freed := withResults(h, []int32{int32(i)}, unknowns(1))
		if byChecker(t)(freed, s) != named[int32(i)] {
			t.Fatalf("freeing %v would do: %v, and not as the explanation says, of\n%s", &h.Ops[i], !named[int32(i)], show(h))
		}
	}
	return named
}

// verifyStates enumerates all orders of the events before the last response of the
// prefix.
func verifyStates(t *testing.T, h *history.History, s replay.Spec, e *replay.Explanation) {
	t.Helper()
	if replay.TraitsOf(s).Partitioned || isMissing(e, "states") {
		return
	}
	want := map[string]bool{}
	before := h.UpTo(h.Ops[e.Unexplained].Return - 1)
	allOrders(before, s, func(state replay.State) { want[replay.StateText(state)] = true })
	if len(want) > replay.MaxStates {
		return
	}
	if e.MoreStates || len(e.States) != len(want) {
		t.Fatalf("states %q instead of %v of\n%s", e.States, want, show(before))
	}
	for _, text := range e.States {
		if !want[text] {
			t.Fatalf("state %q is not among %v of\n%s", text, want, show(before))
		}
	}
}

// allOrders calls f with the state after each order of the completed operations and
// some pending ones.
func allOrders(h *history.History, s replay.Spec, f func(replay.State)) {
	placed := make([]bool, len(h.Ops))
	var extend func(state replay.State)
	extend = func(state replay.State) {
		first := int32(history.NoReturn)
		for i := range h.Ops {
			if !placed[i] {
				first = min(first, h.Ops[i].Return)
			}
		}
		if first == history.NoReturn {
			f(state)
		}
		for i := range h.Ops {
			if op := &h.Ops[i]; !placed[i] && op.Call <= first {
				placed[i] = true
				for _, o := range replay.OutcomesOf(state, op) {
					if replay.Accepts(op.Result, o.Result) {
						extend(o.Next)
					}
				}
				placed[i] = false
			}
		}
	}
	extend(s.New().(replay.State))
}

// TestExplanations holds explanations of random histories of all specifications
// against brute force.
func TestExplanations(t *testing.T) {
	t.Parallel()
	r := newRand(t)
	rounds, failed := 100, 0
	if *full {
		rounds = 1200
	}
	for _, s := range subjects(t) {
		t.Run(s.name, func(t *testing.T) {
			for range rounds {
				d := newDrawer(r, s)
				h := d.history(t, 2+r.IntN(6))
				if len(h.Ops) == 0 {
					continue
				}
				h = d.spoil(h)
				v := explained(t, h, s.spec)
				if v.Answer != replay.NotLinearizable {
					continue
				}
				failed++
				verify(t, h, s.spec, v.Explanation, isLinearizable)
				verifyBlame(t, h, s.spec, v.Explanation)
				verifyStates(t, h, s.spec, v.Explanation)
			}
		})
	}
	t.Logf("%d explained", failed)
	if failed < 10*rounds/4 {
		t.Errorf("%d explained: too few to say much", failed)
	}
}

// TestCorpora verifies the explanations of recorded histories that are not
// linearizable by the checker itself: of all with -full, else of some among the first
// of each file. None lacks a part, but for the blame of long ones.
func TestCorpora(t *testing.T) {
	t.Parallel()
	files := fs.FS(corpora.FS)
	each, atLeast := 6, 80
	if *full {
		each, atLeast = 1, 714
	}
	explainSome(t, files, each, atLeast)
	shared := "../../../../shared/histories"
	if _, err := os.Stat(shared); err != nil {
		t.Log("without the histories of ../shared, which are not here")
		return
	}
	if *full {
		explainSome(t, os.DirFS(shared), 1, 1)
	}
}

func explainSome(t *testing.T, files fs.FS, each, atLeast int) {
	n, explained := 0, 0
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasSuffix(name, "labels.jsonl") || filepath.Ext(name) == ".tsv" {
			return err
		}
		f, err := files.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		first := n
		for h, err := range codec.Decode(f, name, codec.Options{}) {
			if each > 1 && n-first == 100 {
				break // what is not looked at is not decoded either
			}
			if n++; err != nil || h.Model == "" || n%each != 0 {
				continue
			}
			s, err := spec.Lookup(h.Model, h.ModelArgs)
			if err != nil {
				continue
			}
			v, err := decide.Check(context.Background(), h, s, replay.Options{})
			if err != nil || v.Answer != replay.NotLinearizable {
				continue
			}
			explained++
			e := explain.Why(context.Background(), h, s, v, replay.Options{})
			for _, m := range e.Missing {
				// Some long histories have many faults.
				if m.Part != "blame" || len(h.Ops) <= 256 {
					t.Errorf("%s#%s lacks %s: %s", name, h.ID, m.Part, m.Cause)
				}
			}
			if len(e.Edges)+len(e.Marks) == 0 {
				verify(t, h, s, e, byChecker(t))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d explained", explained)
	if explained < atLeast {
		t.Errorf("%d histories explained instead of %d", explained, atLeast)
	}
}

// TestLong verifies explanations of long histories: of each part there is one.
func TestLong(t *testing.T) {
	t.Parallel()
	models := []string{"queue", "kv", "cas-register"}
	if *full {
		models = append(models, "stack", "set", "register", "priority-queue", "counter", "mutex")
	}
	for _, model := range models {
		for _, values := range []int{0, 8} {
			for _, fault := range []string{"wrong@10", "wrong@90", "swap@50"} {
				f, err := simulate.ParseFault(fault)
				if err != nil {
					t.Fatal(err)
				}
				w := simulate.Workload{Model: model, Ops: 2000, Values: values, Seed: 1, Faults: []simulate.Fault{f}}
				h, err := w.History()
				if err != nil {
					continue // some models have no order of values
				}
				s, err := w.Spec()
				if err != nil {
					t.Fatal(err)
				}
				t.Run(model+"/"+fault, func(t *testing.T) {
					e := explained(t, h, s).Explanation
					verify(t, h, s, e, byChecker(t))
					for _, m := range e.Missing {
						// The stack with few values needs more than two other results, if two were swapped.
						none := model == "stack" && values > 0 && f.Kind == simulate.Swap
						if m.Part != "blame" || len(e.Free) == 0 && !none {
							t.Errorf("%d values: %s is missing: %s", values, m.Part, m.Cause)
						}
					}
				})
			}
		}
	}
}

// TestMinimizeStops: a search for a minimal set asks nothing more once it is
// stopped, and what it returns fails.
func TestMinimizeStops(t *testing.T) {
	const n = 10000
	needed := []int32{7, 5000, 9000, 9999}
	for most := range 80 {
		asked := 0
		kept, isMinimal := explain.Minimize(n, func() bool { return asked >= most }, func(kept []int32) replay.Answer {
			if asked++; asked > most {
				t.Fatalf("asked %d times, stopped after %d", asked, most)
			}
			for _, i := range needed {
				if !slices.Contains(kept, i) {
					return replay.Linearizable
				}
			}
			return replay.NotLinearizable
		})
		for _, i := range needed {
			if !slices.Contains(kept, i) {
				t.Fatalf("%d is not in the set that is left after %d questions", i, most)
			}
		}
		if isMinimal && len(kept) > len(needed) {
			t.Errorf("%d of %d are left after %d questions and said to be minimal", len(kept), len(needed), most)
		}
	}
}

// TestBounded: an explanation does as little work as its meter allows, and says what it
// lacks. What it has fails.
func TestBounded(t *testing.T) {
	w := simulate.Workload{Model: "stack", Ops: 300, Values: 8, Threads: 4, Seed: 3, Faults: []simulate.Fault{{Kind: simulate.Wrong, Percent: 50}}}
	h, err := w.History()
	if err != nil {
		t.Fatal(err)
	}
	s, err := w.Spec()
	if err != nil {
		t.Fatal(err)
	}
	v := check(t, h, s, replay.Options{})
	for _, work := range []int64{0, 1 << 10, 1 << 13, 1 << 16, 1 << 19} {
		e, spent := explain.Within(h, s, v, work)
		t.Logf("work %d: spent %d, missing %v", work, spent, e.Missing)
		if spent > work+32*meter.AskEvery { // each part may find out that its share is used up
			t.Errorf("work of %d, where %d is allowed", spent, work)
		}
		if e.Prefix == 0 && !slices.ContainsFunc(e.Missing, func(m replay.MissingPart) bool { return m.Part == "prefix" }) {
			t.Errorf("work %d: no prefix, and none is missing: %v", work, e.Missing)
		}
		core := part(h, func(i int32, _ *history.Operation) bool { return slices.Contains(e.Core, i) })
		if check(t, core, s, replay.Options{}).Answer != replay.NotLinearizable {
			t.Errorf("work %d: the core of %d operations does not fail", work, len(e.Core))
		}
	}
}

// TestVoid: a method that returns nothing may have had to throw an exception.
func TestVoid(t *testing.T) {
	for _, events := range []string{
		`{"leadline":1,"model":"LinkedBlockingDeque","args":[1]}
{"process":1,"type":"invoke","method":"addFirst","args":[1]}
{"process":1,"type":"ok"}
{"process":1,"type":"invoke","method":"addFirst","args":[1]}
{"process":1,"type":"ok"}
`,
		`{"leadline":1,"model":"LinkedBlockingDeque","args":[2]}
{"process":1,"type":"invoke","method":"putFirst","args":[null]}
{"process":1,"type":"ok"}
`,
	} {
		for h, err := range codec.Decode(strings.NewReader(events), "in", codec.Options{}) {
			if err != nil {
				t.Fatal(err)
			}
			s, err := spec.Lookup(h.Model, h.ModelArgs)
			if err != nil {
				t.Fatal(err)
			}
			e := explained(t, h, s).Explanation
			verifyBlame(t, h, s, e)
			if len(e.Free) == 0 || e.Free[0][0].Allowed[0].Kind() != history.Exception {
				t.Errorf("%v instead of an exception of\n%s", e.Free, show(h))
			}
		}
	}
}

// TestEmptyText: a state that prints as "" is described, too.
func TestEmptyText(t *testing.T) {
	h, err := history.New(history.Header{}, []history.Event{
		{Type: history.Invoke, Process: history.IntValue(0), Method: "read"},
		{Type: history.OK, Process: history.IntValue(0), Result: history.StringValue("a")},
	})
	if err != nil {
		t.Fatal(err)
	}
	s := &replay.Model[string]{
		Label: "text",
		Next: func(s string, _ replay.Invocation) []replay.Step[string] {
			return []replay.Step[string]{{Result: history.StringValue(s), Next: s}}
		},
		Key: func(dst []byte, s string) []byte { return append(dst, s...) },
	}
	e := explained(t, h, s).Explanation
	if !slices.Equal(e.States, []string{`""`}) || len(e.Missing) > 0 {
		t.Errorf("states %q, missing %v", e.States, e.Missing)
	}
}

// TestReturnsOfModel: the results of a Model are explained where each state gives one.
func TestReturnsOfModel(t *testing.T) {
	events := []history.Event{
		{Type: history.Invoke, Process: history.IntValue(0), Method: "next"},
		{Type: history.OK, Process: history.IntValue(0), Result: history.IntValue(7)},
	}
	h, err := history.New(history.Header{}, events)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		results []int64
		want    [][]history.Value
	}{
		{[]int64{1}, [][]history.Value{{history.IntValue(1)}}},
		{[]int64{1, 2}, nil},
	} {
		s := &replay.Model[int]{
			Label: "numbers",
			Next: func(int, replay.Invocation) (steps []replay.Step[int]) {
				for _, n := range c.results {
					steps = append(steps, replay.Step[int]{Result: history.IntValue(n)})
				}
				return steps
			},
			Key: func(dst []byte, _ int) []byte { return dst },
		}
		e := explained(t, h, s).Explanation
		if len(e.States) != 1 || !reflect.DeepEqual(e.Returns, c.want) {
			t.Errorf("results %v: states %q, returns %v, want %v", c.results, e.States, e.Returns, c.want)
		}
	}
}
