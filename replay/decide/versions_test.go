package decide_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/spec"
)

// TestVersionsRandom compares histories with versions with a search over all orders, which counts
// versions as it goes.
func TestVersionsRandom(t *testing.T) {
	n := 20_000
	if *full {
		n = 100_000
	}
	if testing.Short() {
		n /= 10
	}
	r := rand.New(rand.NewPCG(7, 7))
	kv, err := spec.Lookup("kv", nil)
	if err != nil {
		t.Fatal(err)
	}
	count := map[bool]int{}
	onlyVersions, crashed, onlyStrict := 0, 0, 0
	for range n {
		h := versionedHistory(t, r)
		v, err := decide.Check(context.Background(), h, kv, replay.Options{})
		if err != nil {
			t.Fatal(err)
		}
		want := hasVersionedOrder(h, kv)
		if (v.Answer == replay.Linearizable) != want || v.Answer == replay.Undecided {
			t.Fatalf("%v, want %v:\n%s", v.Answer, want, versionsText(h))
		}
		count[want]++
		isStrict := false
		pending := *h
		pending.Ops = append([]history.Operation(nil), h.Ops...)
		for i := range pending.Ops {
			if op := &pending.Ops[i]; op.MayNotHappen() {
				op.Crashed, op.Return, isStrict = false, history.NoReturn, true
			}
		}
		if isStrict {
			crashed++
			p, err := decide.Check(context.Background(), &pending, kv, replay.Options{})
			if err != nil || want && p.Answer != replay.Linearizable {
				t.Fatalf("strict and not durable (%v):\n%s", err, versionsText(h))
			}
			if !want && p.Answer == replay.Linearizable {
				onlyStrict++
			}
		}
		plain := *h
		plain.Ops = append([]history.Operation(nil), h.Ops...)
		for i := range plain.Ops {
			plain.Ops[i].Version = 0
		}
		if p, _ := decide.Check(context.Background(), &plain, kv, replay.Options{}); p.Answer == replay.Linearizable && !want {
			onlyVersions++
		} else if p.Answer != replay.Linearizable && want {
			t.Fatalf("versions make it linearizable:\n%s", versionsText(h))
		}
	}
	if t.Logf("%v, %d refuted by versions only; %d with strict crashes, %d refuted by these only", count, onlyVersions, crashed, onlyStrict); onlyStrict < n/10_000 || count[true] < n/20 || count[false] < n/20 || onlyVersions < n/20 {
		t.Error("too few to say much")
	}
}

// TestLargestVersions has a put of one version and then a get of another, where one of them is
// large.
func TestLargestVersions(t *testing.T) {
	for _, test := range []struct {
		put, get int64
		want     replay.Answer
	}{
		{math.MaxInt64/2 - 1, 1, replay.NotLinearizable},
		{math.MaxInt64 / 2, 1, replay.NotLinearizable},
		{math.MaxInt64/2 + 1, 1, replay.Linearizable}, // it orders nothing
		{math.MaxInt64 - 1, 1, replay.Linearizable},
		{1, math.MaxInt64/2 - 1, replay.Linearizable},
		{1, math.MaxInt64 / 2, replay.Linearizable},
		{1, math.MaxInt64/2 + 1, replay.Linearizable},
		{1, math.MaxInt64 - 1, replay.Linearizable},
	} {
		b := history.NewBuilder(history.Header{})
		k, p := history.IntValue(0), history.IntValue(1)
		b.Add(&history.Event{Process: p, Method: "put", Args: []history.Value{k, k}})
		b.Add(&history.Event{Type: history.OK, Process: p, Version: history.VersionOf(test.put)})
		b.Add(&history.Event{Process: p, Method: "get", Args: []history.Value{k}})
		b.Add(&history.Event{Type: history.OK, Process: p, Result: k, Version: history.VersionOf(test.get)})
		h, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		if v, err := decide.Check(context.Background(), h, model(t, "kv"), replay.Options{}); err != nil || v.Answer != test.want {
			t.Errorf("put of version %d, get of version %d: %v, %v, want %v", test.put, test.get, v.Answer, err, test.want)
		}
	}
}

func versionsText(h *history.History) (text string) {
	for i := range h.Ops {
		op := &h.Ops[i]
		n, ok := op.Version.Number()
		text += fmt.Sprintf("%d: %v version %d %v, from %d to %d\n", i, op, n, ok, op.Call, op.Return)
	}
	return text
}

// versionedHistory returns a history of a kv that an object with versions may have, with some
// versions and results changed.
func versionedHistory(t *testing.T, r *rand.Rand) *history.History {
	b := history.NewBuilder(history.Header{Durability: history.Strict + history.Durability(r.IntN(2)), Order: history.Order(r.IntN(2))})
	at := int64(0)
	add := func(ev *history.Event) {
		at++
		ev.At = at
		b.Add(ev)
	}
	type cell struct {
		value   history.Value
		version int64
	}
	cells := map[int64]cell{}
	type open struct {
		event         history.Event // the response
		process, key  int64
		before, after cell
	}
	var running []open
	var zombie *open // a write that is lost in a crash, and may come back
	for step, next := 0, int64(0); step < 4+r.IntN(10) || len(running) > 0; step++ {
		if len(running) > 0 && r.IntN(10) == 0 {
			crash := history.Event{Type: history.Crash}
			if lost := running[0]; r.IntN(2) == 0 {
				cells[lost.key], zombie = lost.before, &lost
			}
			if r.IntN(3) == 0 {
				crash.Args = []history.Value{history.IntValue(running[0].process)}
				running = running[1:]
			} else {
				running = nil
			}
			add(&crash)
			continue
		}
		if zombie != nil && r.IntN(4) == 0 {
			cells[zombie.key], zombie = zombie.after, nil
		}
		if len(running) < 3 && step < 10 && r.IntN(2) == 0 {
			key, value := int64(r.IntN(2)), history.IntValue(int64(r.IntN(3)))
			k := history.IntValue(key)
			c, known := cells[key]
			if !known {
				c.value = history.NullValue
			}
			call := history.Event{Process: history.IntValue(next), Args: []history.Value{k}}
			end := history.Event{Type: history.OK, Process: call.Process}
			switch r.IntN(5) {
			case 0, 1:
				call.Method, end.Result = "get", c.value
			case 2, 3:
				call.Method, call.Args = "put", append(call.Args, value)
				c = cell{value, c.version + 1 + int64(r.IntN(2))}
			default:
				if call.Method = "delete"; known {
					c.version++
				}
				c.value = history.NullValue
			}
			before := cells[key]
			if !known {
				before.value = history.NullValue
			}
			cells[key] = c
			end.Version = history.VersionOf(c.version)
			switch r.IntN(12) {
			case 0:
				end.Version = 0
			case 1:
				end.Version = history.VersionOf(int64(r.IntN(4)))
			case 2:
				end.Type, end.Version, end.Result = history.Info, 0, history.Value{}
			case 3:
				if end.Type == history.OK && call.Method == "get" {
					end.Result = value
				}
			}
			call.Op, end.Op = call.Process, call.Process
			add(&call)
			running = append(running, open{end, next, key, before, c})
			next++
			continue
		}
		if len(running) > 0 {
			i := r.IntN(len(running))
			add(&running[i].event)
			running = append(running[:i], running[i+1:]...)
		}
	}
	if b.Events() == 0 {
		return versionedHistory(t, r)
	}
	h, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// hasVersionedOrder reports whether some order of the operations has the recorded results and
// versions.
func hasVersionedOrder(h *history.History, s replay.Spec) bool {
	values := map[string]history.Value{} // of a key at a version
	for i := range h.Ops {
		op := &h.Ops[i]
		n, ok := op.Version.Number()
		v := op.Result
		if op.Method == "put" {
			v = op.Args[1]
		}
		if !ok || op.Method == "delete" || op.Pending() {
			continue
		}
		at := fmt.Sprint(op.Args[0], n)
		if other, known := values[at]; known && !other.Equal(v) {
			return false
		}
		values[at] = v
	}
	made := map[string]bool{}
	for i := range h.Ops {
		op := &h.Ops[i]
		if n, ok := op.Version.Number(); ok && op.Method == "put" {
			made[fmt.Sprint(op.Args[0], n)] = true
		}
	}
	done := make([]bool, len(h.Ops))
	var search func(state replay.State, at map[string]int64, left int) bool
	search = func(state replay.State, at map[string]int64, left int) bool {
		if left == 0 {
			return true
		}
		for i := range h.Ops {
			op := &h.Ops[i]
			if done[i] || !isMinimal(h, done, i) {
				continue
			}
			next := state.Clone()
			result, ok := next.Apply(replay.Invocation{Method: op.Method, Args: op.Args})
			key := op.Args[0].String()
			instants := map[string]int64{}
			for k, v := range at {
				instants[k] = v
			}
			if n, has := op.Version.Number(); has {
				switch isMade := made[fmt.Sprint(op.Args[0], n)]; {
				case op.Method == "put":
					ok = ok && instants[key] < 2*n+1
					instants[key] = 2*n + 1
				case op.Method == "delete" && !isMade:
					ok = ok && instants[key] <= 2*n+2
					instants[key] = max(instants[key], 2*n+1)
				default:
					ok = ok && instants[key] <= 2*n+2
					instants[key] = 2*n + 2
				}
			}
			if ok && (op.Pending() || op.MayNotHappen() || replay.Accepts(op.Result, result)) {
				done[i] = true
				if search(next, instants, left-1) {
					return true
				}
				done[i] = false
			}
			if op.Pending() || op.MayNotHappen() { // it never took effect
				done[i] = true
				if search(state, at, left-1) {
					return true
				}
				done[i] = false
			}
		}
		return false
	}
	return search(s.New().(replay.State), map[string]int64{}, len(h.Ops))
}

// isMinimal reports whether no operation that is left returned before operation i was invoked.
func isMinimal(h *history.History, done []bool, i int) bool {
	for k := range h.Ops {
		if !done[k] && h.Ops[k].Return < h.Ops[i].Call {
			return false
		}
	}
	return true
}
