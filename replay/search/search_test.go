package search_test

import (
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
	"github.com/leadline/leadline/replay/search"
	"github.com/leadline/leadline/replay/spec"
)

// concurrentAdds has n concurrent adds of different values, and a contains of
// the first with the given result.
func concurrentAdds(t testing.TB, n int, contains bool) *history.History {
	var events []history.Event
	value := func(i int) []history.Value { return []history.Value{history.IntValue(int64(i))} }
	for i := range n - 1 {
		events = append(events, history.Event{Type: history.Invoke, Process: history.IntValue(int64(i)), Method: "add", Args: value(i)})
	}
	for i := range n - 1 {
		events = append(events, history.Event{Type: history.OK, Process: history.IntValue(int64(i)), Result: history.BoolValue(true)})
	}
	events = append(events,
		history.Event{Type: history.Invoke, Process: history.IntValue(0), Method: "contains", Args: value(0)},
		history.Event{Type: history.OK, Process: history.IntValue(0), Result: history.BoolValue(contains)})
	h, err := history.New(history.Header{}, events)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestRun(t *testing.T) {
	t.Parallel()
	set, err := spec.Lookup("set", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		n        int
		contains bool
		want     replay.Answer
	}{
		{16, true, replay.Linearizable},
		{16, false, replay.NotLinearizable}, // 2^15 configurations, 15! orders
		{63, true, replay.Linearizable},
		{64, true, replay.Linearizable},
		{65, true, replay.Linearizable},
		{66, true, replay.Linearizable}, // 65 open at once: more than a word has bits
	} {
		if !c.contains && !*full {
			c.n = 14
		}
		h := concurrentAdds(t, c.n, c.contains)
		var v replay.Verdict
		v.Finding = search.RunPruned(ops.New(h, set, 1<<30), search.Pruning{NoParts: true}, nil)
		if v.Answer != c.want {
			t.Errorf("%d operations, contains %v: %v, want %v", c.n, c.contains, v.Answer, c.want)
		}
		if v.Answer == replay.Linearizable {
			if err := replay.Verify(h, set, v.Witness, nil); err != nil {
				t.Errorf("%d operations: %v", c.n, err)
			}
		}
	}
}

func TestBounds(t *testing.T) {
	set, err := spec.Lookup("set", nil)
	if err != nil {
		t.Fatal(err)
	}
	h := concurrentAdds(t, 30, false)
	var v replay.Verdict
	whole := search.Pruning{NoParts: true}
	v.Finding = search.RunPruned(ops.New(h, set, 1<<20), whole, nil)
	if v.Answer != replay.Undecided || v.Cause != replay.Memory {
		t.Errorf("%v (%v) within 1 MiB", v.Answer, v.Cause)
	}
	v = replay.Verdict{}
	v.Finding = search.RunPruned(ops.New(h, set, 1<<40), whole, meter.New(func() bool { return true }))
	if v.Answer != replay.Undecided {
		t.Errorf("%v although stopped", v.Answer)
	}
	v.Finding = search.Run(ops.New(h, set, 1<<20), nil) // easy part by part
	if v.Answer != replay.NotLinearizable {
		t.Errorf("%v (%v) in parts", v.Answer, v.Cause)
	}
}

// TestLooksAcrossParts: 40 puts to different keys can occur in any order. So
// the search of the whole fails because of the size read in their middle. But
// the one get that no order explains is found in its own part.
func TestLooksAcrossParts(t *testing.T) {
	var events []history.Event
	add := func(typ history.EventType, process int64, method string, result history.Value, args ...int64) {
		e := history.Event{Type: typ, Process: history.IntValue(process), Method: method, Result: result}
		for _, a := range args {
			e.Args = append(e.Args, history.IntValue(a))
		}
		events = append(events, e)
	}
	for p := range int64(40) {
		add(history.Invoke, p, "put", history.NoValue, p, 1)
	}
	add(history.Invoke, 40, "size", history.NoValue)
	add(history.OK, 40, "", history.IntValue(20))
	for p := range int64(40) {
		add(history.OK, p, "", history.NullValue)
	}
	add(history.Invoke, 0, "get", history.NoValue, 7)
	add(history.OK, 0, "", history.IntValue(2))
	h, err := history.New(history.Header{}, events)
	if err != nil {
		t.Fatal(err)
	}
	s, err := spec.Lookup("ConcurrentHashMap", nil)
	if err != nil {
		t.Fatal(err)
	}
	var v replay.Verdict
	if v.Finding = search.Run(ops.New(h, s, 1<<20), nil); v.Answer != replay.NotLinearizable {
		t.Errorf("%v (%v), want not-linearizable", v.Answer, v.Cause)
	}
	v = replay.Verdict{}
	if v.Finding = search.RunPruned(ops.New(h, s, 1<<20), search.Pruning{NoParts: true}, nil); v.Cause != replay.Memory {
		t.Errorf("%v (%v) without parts, want unknown (memory)", v.Answer, v.Cause)
	}
}

// TestHardPart: a part that is easy to refute does not wait for those before it, which
// would take millions of configurations.
func TestHardPart(t *testing.T) {
	t.Parallel()
	kv, err := spec.Lookup("kv", nil)
	if err != nil {
		t.Fatal(err)
	}
	var events []history.Event
	call := func(process int64, method string, args ...string) {
		e := history.Event{Type: history.Invoke, Process: history.IntValue(process), Method: method}
		for _, a := range args {
			e.Args = append(e.Args, history.StringValue(a))
		}
		events = append(events, e)
	}
	answer := func(process int64, result history.Value) {
		events = append(events, history.Event{Type: history.OK, Process: history.IntValue(process), Result: result})
	}
	const appends = 11
	most := 1 << 21
	if *full {
		most = 1 << 22
	}
	hard := []string{"hard", "hard too"}
	for k, key := range hard {
		for p := range int64(appends) {
			call(appends*int64(k)+p, "append", key, string(rune('a'+p)))
		}
	}
	for p := range int64(appends * len(hard)) {
		answer(p, history.NoValue)
	}
	for _, key := range hard {
		call(0, "get", key)
		answer(0, history.StringValue(strings.Repeat("a", appends)))
	}
	call(0, "get", "easy")
	answer(0, history.StringValue("a"))
	h, err := history.New(history.Header{}, events)
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	m := meter.New(func() bool { asked++; return asked > most/meter.AskEvery })
	if f := search.Run(ops.New(h, kv, 1<<40), m); f.Answer != replay.NotLinearizable {
		t.Errorf("%v (%v) after %d units of work", f.Answer, f.Cause, m.Spent())
	}
	f := search.RunPruned(ops.New(h, kv, 1<<40), search.Pruning{NoParts: true}, m)
	if f.Answer != replay.Undecided || f.Cause != replay.Time {
		t.Errorf("as a whole: %v (%v): the test is too easy", f.Answer, f.Cause)
	}
}

// TestReachedPending: a pending operation that happened has no response that could be
// reached.
func TestReachedPending(t *testing.T) {
	h := &history.History{Processes: []history.Value{history.IntValue(0), history.IntValue(1)}, Ops: []history.Operation{
		{Method: "lock", Call: 0, Return: 1},
		{Method: "lock", Call: 2, Return: history.NoReturn, Result: history.UnknownValue, Process: 1, Happened: true},
	}}
	if f := search.Run(ops.New(h, lookup(t, "mutex"), 1<<20), nil); f.Answer != replay.NotLinearizable || f.Reached != 0 {
		t.Errorf("%v, reached %d", f.Answer, f.Reached)
	}
}
