package decide_test

import (
	"context"
	"errors"
	"reflect"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting"
	"github.com/leadline/leadline/poset"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/explain"
	"github.com/leadline/leadline/replay/simulate"
)

// The tests allocate much and keep little.
func init() { debug.SetGCPercent(400) }

// newHistory reads events like "invoke A write 1", "ok A 1", "info A".
func newHistory(t testing.TB, lines ...string) *history.History {
	t.Helper()
	var events []history.Event
	for i, line := range lines {
		words := strings.Fields(line)
		e := history.Event{Process: history.StringValue(words[1]), Line: i + 1}
		switch words[0] {
		case "invoke":
			e.Type, e.Method = history.Invoke, words[2]
			for _, w := range words[3:] {
				e.Args = append(e.Args, parseResult(w))
			}
		case "ok":
			e.Type = history.OK
			if len(words) > 2 {
				e.Result = parseResult(words[2])
			}
		case "fail":
			e.Type = history.Fail
		case "info":
			e.Type = history.Info
		}
		events = append(events, e)
	}
	h, err := history.New(history.Header{File: "test", ID: t.Name()}, events)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func check(t testing.TB, h *history.History, s replay.Spec, o replay.Options) replay.Verdict {
	t.Helper()
	v, err := decide.Check(context.Background(), h, s, o)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// withReason is check, with an explanation.
func withReason(t testing.TB, h *history.History, s replay.Spec, o replay.Options) replay.Verdict {
	t.Helper()
	v := check(t, h, s, o)
	v.Explanation = explain.Why(context.Background(), h, s, v, o)
	return v
}

// manyWrites has n concurrent writes and then two reads that contradict each
// other: no order explains it, and there are n! to try.
func manyWrites(t testing.TB, n int) *history.History {
	var lines []string
	for p := range n {
		lines = append(lines, "invoke "+string(rune('A'+p))+" write 1")
	}
	for p := range n {
		lines = append(lines, "ok "+string(rune('A'+p)))
	}
	return newHistory(t, append(lines, "invoke A read", "ok A 1", "invoke A read", "ok A 2")...)
}

func TestCauses(t *testing.T) {
	register := model(t, "register:0")
	h := manyWrites(t, 9)
	if v := check(t, h, register, replay.Options{}); v.Answer != replay.NotLinearizable || v.Engine != replay.SearchEngine {
		t.Errorf("%v by %v, want not-linearizable by search", v.Answer, v.Engine)
	}
	// Without States there is no search, and what remains are the families.
	plain := objectOnly{register}
	for _, c := range []struct {
		cause   replay.Cause
		options replay.Options
		cancel  bool
	}{
		{replay.Depth, replay.Options{MaxDepth: 2}, false},
		{replay.Schedules, replay.Options{MaxDepth: 9, Budget: replay.Budget{Schedules: 10}}, false},
		{replay.Time, replay.Options{MaxDepth: 9, Budget: replay.Budget{Schedules: 1 << 40, Time: 20 * time.Millisecond}}, false},
		{replay.Cancelled, replay.Options{MaxDepth: 9, Budget: replay.Budget{Schedules: 1 << 40}}, true},
	} {
		ctx, cancel := context.WithCancel(context.Background())
		if c.cancel {
			cancel()
		}
		v, err := decide.Check(ctx, h, plain, c.options)
		if err != nil || v.Answer != replay.Undecided || v.Cause != c.cause {
			t.Errorf("%v (%v), %v; want unknown (%v)", v.Answer, v.Cause, err, c.cause)
		}
		cancel()
	}
	v := check(t, wideHistory(t), model(t, "LinkedBlockingDeque:32"), replay.Options{MaxDepth: 1, Budget: replay.Budget{Bytes: 1 << 20}})
	if v.Answer != replay.Undecided || v.Cause != replay.Memory {
		t.Errorf("%v (%v), want unknown (memory)", v.Answer, v.Cause)
	}
}

// wideHistory has 24 concurrent insertions into a bounded deque of Java, which no
// monitor takes, and a removal of what was never there: as many
// configurations as it takes to fill any memory.
func wideHistory(t testing.TB) *history.History {
	var events []history.Event
	for p := range int64(24) {
		events = append(events, history.Event{Type: history.Invoke, Process: history.IntValue(p), Method: "put", Args: []history.Value{history.IntValue(p % 23)}})
	}
	for p := range int64(24) {
		events = append(events, history.Event{Type: history.OK, Process: history.IntValue(p)})
	}
	events = append(events,
		history.Event{Type: history.Invoke, Process: history.IntValue(0), Method: "take"},
		history.Event{Type: history.OK, Process: history.IntValue(0), Result: history.IntValue(99)})
	h, err := history.New(history.Header{}, events)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestTimeIsKept(t *testing.T) {
	v := check(t, wideHistory(t), model(t, "LinkedBlockingDeque:32"),
		replay.Options{MaxDepth: 6, Budget: replay.Budget{Time: 50 * time.Millisecond, Schedules: 1 << 40, Bytes: 8 << 30}})
	if v.Answer != replay.Undecided || v.Cause != replay.Time {
		t.Fatalf("%v (%v), want unknown (time)", v.Answer, v.Cause)
	}
}

// countedQueue counts the operations that are applied to its objects.
type countedQueue struct {
	replay.Spec
	steps *int
}

func (s countedQueue) New() replay.Object { return countedState{s.Spec.New().(replay.State), s.steps} }

type countedState struct {
	replay.State
	steps *int
}

func (s countedState) Apply(inv replay.Invocation) (history.Value, bool) {
	*s.steps++
	return s.State.Apply(inv)
}

func (s countedState) Clone() replay.State { return countedState{s.State.Clone(), s.steps} }

// expiring is a context whose deadline passes when it was asked so many times.
type expiring struct {
	context.Context
	asked func() error
}

func (c expiring) Err() error { return c.asked() }

// TestTimeIsAsked: little is done between two questions whether time is up, and
// nothing after it is, whichever engine is at work.
func TestTimeIsAsked(t *testing.T) {
	const most = 1 << 16
	for _, questions := range []int{1, 10, 1000} {
		steps, last, longest, asked := 0, 0, 0, 0
		ctx := expiring{context.Background(), func() error {
			longest, last = max(longest, steps-last), steps
			if asked++; asked > questions {
				return context.DeadlineExceeded
			}
			return nil
		}}
		v, err := decide.Check(ctx, wideHistory(t), countedQueue{model(t, "LinkedBlockingDeque:32"), &steps},
			replay.Options{MaxDepth: 6, Budget: replay.Budget{Schedules: 1 << 40, Bytes: 8 << 30}})
		if err != nil || v.Answer != replay.Undecided || v.Cause != replay.Time {
			t.Fatalf("%v (%v), %v; want unknown (time)", v.Answer, v.Cause, err)
		}
		t.Logf("%d questions: %d steps, at most %d between two, %d after the last", questions, steps, longest, steps-last)
		if longest = max(longest, steps-last); longest > most {
			t.Errorf("%d questions: %d steps between two", questions, longest)
		}
	}
}

func TestBadOperationsAreErrors(t *testing.T) {
	h := newHistory(t, "invoke A fly", "ok A", "invoke A write", "ok A", "invoke A read", "ok A true")
	_, err := decide.Check(context.Background(), h, model(t, "counter"), replay.Options{})
	var errs *history.Errors
	if !errors.As(err, &errs) || len(errs.List) == 0 || !strings.HasPrefix(errs.List[0].Error(), "test:1: ") {
		t.Errorf("%v, want errors at test:1", err)
	}
}

// liar returns 1 three times: to the two runs of trial.Probe, and to an engine.
type liar struct{ asked *int }

func (l liar) Name() string                   { return "liar" }
func (l liar) Check(*history.Operation) error { return nil }
func (l liar) New() replay.Object             { return l }
func (l liar) Apply(replay.Invocation) (history.Value, bool) {
	*l.asked++
	return history.IntValue(int64(max(1, *l.asked-2))), true
}

func TestWitnessIsReplayedTwice(t *testing.T) {
	asked := 0
	h := newHistory(t, "invoke A read", "ok A 1")
	v, err := decide.Check(context.Background(), h, liar{&asked}, replay.Options{})
	if !errors.Is(err, decide.ErrWitness) || asked != 4 {
		t.Errorf("%v after %d replays, want ErrWitness after 4", err, asked)
	}
	if v.Elapsed = 0; !reflect.DeepEqual(v, replay.Verdict{}) {
		t.Errorf("with the error: %+v", v)
	}
}

// TestEdges: order beyond real time, also through what did not happen.
func TestEdges(t *testing.T) {
	build := func(edges ...[2]int64) *history.History {
		b := history.NewBuilder(history.Header{})
		for i, e := range []history.Event{
			{Type: history.Invoke, Method: "write", Args: []history.Value{history.IntValue(1)}},
			{Type: history.Invoke, Method: "read"},
			{Type: history.Invoke, Method: "write", Args: []history.Value{history.IntValue(2)}},
		} {
			e.Process, e.Op = history.IntValue(int64(i)), history.IntValue(int64(i))
			b.Add(&e)
		}
		for i, e := range []history.Event{{Type: history.OK}, {Type: history.OK, Result: history.IntValue(0)}, {Type: history.Fail}} {
			e.Process = history.IntValue(int64(i))
			b.Add(&e)
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
	register := model(t, "register:0")
	for _, c := range []struct {
		edges [][2]int64
		want  replay.Answer
	}{
		{nil, replay.Linearizable},
		{[][2]int64{{1, 0}}, replay.Linearizable},
		{[][2]int64{{0, 1}}, replay.NotLinearizable},
		{[][2]int64{{0, 2}, {2, 1}}, replay.NotLinearizable},
		{[][2]int64{{0, 2}}, replay.Linearizable},
	} {
		if v := check(t, build(c.edges...), register, replay.Options{}); v.Answer != c.want {
			t.Errorf("edges %v: %v, want %v", c.edges, v.Answer, c.want)
		}
	}
}

// TestEmptyHistory: what did not happen needs no explanation.
func TestEmptyHistory(t *testing.T) {
	h := newHistory(t, "invoke A write 1", "fail A")
	if v := check(t, h, model(t, "register:0"), replay.Options{ExactDepth: true}); v.Answer != replay.Linearizable {
		t.Errorf("%+v", v)
	}
}

// TestShortHistories: families decide a short history up to the bound of its depth, and
// the search decides one of a larger bound.
func TestShortHistories(t *testing.T) {
	register := model(t, "register:0")
	h := newHistory(t, "invoke A write 1", "invoke B read", "ok A", "ok B 1")
	if v := check(t, h, register, replay.Options{}); v.Engine != replay.FamiliesEngine || v.Depth != 1 {
		t.Errorf("%+v, want a witness at depth 1", v)
	}
	h = newHistory(t, "invoke A write 1", "invoke B read", "ok A", "ok B 2")
	if v := check(t, h, register, replay.Options{}); v.Answer != replay.NotLinearizable || v.Engine != replay.FamiliesEngine || v.Replayed != nil || v.Deeper != 0 {
		t.Errorf("%+v, want not-linearizable at depth 1", v)
	}
	h = newHistory(t, "invoke A write 1", "invoke B write 2", "invoke C read", "ok A", "ok B", "ok C 3")
	if v := check(t, h, register, replay.Options{MaxDepth: 1}); v.Answer != replay.NotLinearizable || v.Engine != replay.SearchEngine || v.Replayed != nil {
		t.Errorf("%+v, want not-linearizable by search alone", v)
	}
	h = newHistory(t, "invoke A write 1", "invoke B fly", "ok A", "ok B")
	if _, err := decide.Check(context.Background(), h, register, replay.Options{}); err == nil {
		t.Error("no error for a method that there is not")
	}
}

// TestExactDepthOfEveryEngine: it is computed whatever found the witness.
func TestExactDepthOfEveryEngine(t *testing.T) {
	h := newHistory(t, "invoke A write 1", "invoke B read", "ok A", "ok B 1")
	for _, e := range []replay.Engine{replay.AutoEngine, replay.FamiliesEngine, replay.SearchEngine} {
		if v := check(t, h, model(t, "register:0"), replay.Options{Engine: e, ExactDepth: true}); v.ExactDepth != 1 {
			t.Errorf("%v: exact depth %d, want 1", e, v.ExactDepth)
		}
	}
}

// TestExactDepthOfLongHistories: histories of any length have an exact depth, or a
// cause why it is unknown.
func TestExactDepthOfLongHistories(t *testing.T) {
	t.Parallel()
	register, stack := model(t, "register:0"), model(t, "stack")
	ops, little := 2000, int64(1<<18)
	if *full {
		ops, little = 5000, 1<<20
	}
	long, err := simulate.Workload{Model: "register", Threads: 4, Ops: ops, Values: 3}.History()
	if err != nil {
		t.Fatal(err)
	}
	// Any order of pending pushes is a witness. There are so many states that the
	// search must end at a bound.
	wide := func(n int, edge bool) *history.History {
		b := history.NewBuilder(history.Header{ID: "wide"})
		for i := range int64(n) {
			id := history.IntValue(i)
			b.Add(&history.Event{Type: history.Invoke, Process: id, Op: id, Method: "push", Args: []history.Value{id}})
		}
		if edge {
			b.AddEdge(history.IntValue(0), history.IntValue(1), 0)
		}
		h, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	for name, c := range map[string]struct {
		h    *history.History
		spec replay.Spec
		b    replay.Budget
		want string
	}{
		"long":                 {long, register, replay.Budget{}, ""},
		"little work":          {long, register, replay.Budget{ExactWork: 1 << 12}, "work"},
		"objects only":         {wide(3, false), objectOnly{stack}, replay.Budget{}, "engine"},
		"64 open":              {wide(64, false), stack, replay.Budget{ExactWork: 1 << 16}, "work"},
		"65 open":              {wide(65, false), stack, replay.Budget{}, "open"},
		"little memory":        {wide(64, false), stack, replay.Budget{Bytes: little}, "memory"},
		"64 open with an edge": {wide(64, true), stack, replay.Budget{ExactWork: 1 << 16}, "work"},
		"65 open with an edge": {wide(65, true), stack, replay.Budget{}, "open"},
	} {
		v := check(t, c.h, c.spec, replay.Options{ExactDepth: true, Budget: c.b})
		if v.Answer != replay.Linearizable || v.ExactCause != c.want || (v.ExactDepth > 0) != (c.want == "") {
			t.Errorf("%s: %v, exact depth %d (%s), want the cause %q", name, v.Answer, v.ExactDepth, v.ExactCause, c.want)
		}
	}
}

// TestEdgesOfLongHistory: a history with an edge and more operations than a
// poset may have is searched all the same.
func TestEdgesOfLongHistory(t *testing.T) {
	for _, want := range []replay.Answer{replay.Linearizable, replay.NotLinearizable} {
		b := history.NewBuilder(history.Header{ID: "long"})
		const n = poset.MaxGeneral + 2
		for i := range int64(n) {
			id := history.IntValue(i)
			b.Add(&history.Event{Type: history.Invoke, Process: history.IntValue(i % 2), Op: id, Method: "getAndIncrement"})
			if i%2 == 1 { // the earlier of two concurrent ones comes second
				answers := [2]int64{i, i - 1}
				if i == n-1 && want == replay.NotLinearizable {
					answers = [2]int64{i - 1, i}
				}
				for k := range int64(2) {
					b.Add(&history.Event{Type: history.OK, Process: history.IntValue(k), Op: history.IntValue(i - 1 + k), Result: history.IntValue(answers[k])})
				}
			}
		}
		b.AddEdge(history.IntValue(n-1), history.IntValue(n-2), 1)
		h, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		v := check(t, h, model(t, "counter"), replay.Options{})
		if v.Answer != want {
			t.Errorf("%v (%v), want %v", v.Answer, v.Cause, want)
		}
		if v.C != 0 || v.CP != 0 {
			t.Errorf("c=%d cp=%d of a history without a poset", v.C, v.CP)
		}
	}
}

// TestEdgesOfShortHistory: with an edge, too, the search decides a short history
// before families use up their work, and depths without a witness are reported.
func TestEdgesOfShortHistory(t *testing.T) {
	const n = 20
	h := func(other int64) *history.History {
		b := history.NewBuilder(history.Header{ID: "open"})
		for i := range int64(n) {
			b.Add(&history.Event{Process: history.IntValue(i), Op: history.IntValue(i), Method: "getAndIncrement"})
		}
		for i := range int64(n) {
			result := i * 7 % n
			if result == 7 {
				result = other
			}
			b.Add(&history.Event{Type: history.OK, Op: history.IntValue(i), Result: history.IntValue(result)})
		}
		b.AddEdge(history.IntValue(0), history.IntValue(3), 1)
		h, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	for other, want := range map[int64]replay.Answer{7: replay.Linearizable, 77: replay.NotLinearizable} {
		v := withReason(t, h(other), model(t, "counter"), replay.Options{})
		if v.Answer != want || v.Engine != replay.SearchEngine {
			t.Errorf("%v by %v, want %v by the search", v.Answer, v.Engine, want)
		}
		if want == replay.Linearizable {
			if v.Depth != 0 || v.Deeper < 2 || v.DepthCause != replay.Time {
				t.Errorf("depth %d, more than %d (%v), want an unknown one of more than 2", v.Depth, v.Deeper, v.DepthCause)
			}
		} else if e := v.Explanation; len(e.Free) != 1 || len(e.Free[0][0].Allowed) != 1 || e.Free[0][0].Allowed[0].Int() != 7 {
			t.Errorf("other results: %v, want 7", e.Free)
		}
	}
}

// TestEmptyWitness: the witness of a history without operations is empty, but not nil,
// by each engine.
func TestEmptyWitness(t *testing.T) {
	for e := range replay.MonitorEngine + 1 {
		v := check(t, newHistory(t), model(t, "register"), replay.Options{Engine: e})
		if v.Answer == replay.Linearizable && v.Witness == nil {
			t.Errorf("%v: no witness", v.Engine)
		}
	}
}

// TestDeeperOfPrograms: without real time, too, a depth that is too small is reported.
func TestDeeperOfPrograms(t *testing.T) {
	h := newHistory(t, "invoke A read", "invoke B increment", "ok A 1", "ok B", "invoke A read", "invoke B increment", "ok A 1", "ok B").ProgramOrder()
	for most, want := range map[int][2]int{1: {0, 1}, 2: {2, 0}} {
		v := check(t, h, model(t, "counter"), replay.Options{MaxDepth: most})
		if v.Depth != want[0] || v.Deeper != want[1] {
			t.Errorf("up to %d: depth %d, more than %d, want %v", most, v.Depth, v.Deeper, want)
		}
	}
}

// TestFalseAsElement: an element false that a method returns is not the false
// of a method that failed.
func TestFalseAsElement(t *testing.T) {
	for _, c := range []struct{ model, in, out string }{
		{"queue", "enqueue false", "dequeue"},
		{"stack", "push false", "pop"},
		{"deque", "pushFront false", "popBack"},
		{"queue:2", "offer false", "dequeue"},
		{"kv", "put 1 false", "remove 1"},
	} {
		added := "ok A"
		if strings.HasPrefix(c.in, "offer") {
			added = "ok A true"
		}
		for again, want := range map[string]replay.Answer{"null": replay.Linearizable, "false": replay.NotLinearizable} {
			h := newHistory(t, "invoke A "+c.in, added, "invoke A "+c.out, "ok A false", "invoke A "+c.out, "ok A "+again)
			for _, e := range []replay.Engine{replay.AutoEngine, replay.SearchEngine} {
				if v := check(t, h, model(t, c.model), replay.Options{Engine: e}); v.Answer != want {
					t.Errorf("%s: %s, %s: false, %s: %s: %v by %v, want %v", c.model, c.in, c.out, c.out, again, v.Answer, v.Engine, want)
				}
			}
		}
	}
}

// TestReplayedOnce: where every pending operation is known to have happened,
// there is one family to replay, and its schedules are counted once.
func TestReplayedOnce(t *testing.T) {
	h := newHistory(t, "invoke A write 1", "invoke B write 2", "invoke C read", "ok C 3")
	h.Ops[0].Happened, h.Ops[1].Happened = true, true
	v := check(t, h, model(t, "register:0"), replay.Options{Engine: replay.FamiliesEngine})
	in, err := replay.NewInstance(h, true, replay.AutoChains, nil)
	if err != nil {
		t.Fatal(err)
	}
	counts, ok := hitting.Counts(in.Poset, in.Chains, len(v.Replayed), hitting.Options{})
	total := int64(0)
	for _, n := range v.Replayed {
		total += n
	}
	if !ok || v.Answer != replay.NotLinearizable || total != counts[len(counts)-1] {
		t.Errorf("%v, replayed %v, the families have %v", v.Answer, v.Replayed, counts)
	}
}
