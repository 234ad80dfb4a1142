package explain_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/explain"
	"github.com/leadline/leadline/replay/spec"
)

// TestRules applies each rule to random linearizable histories of all
// specifications: what remains is linearizable.
func TestRules(t *testing.T) {
	t.Parallel()
	r := newRand(t)
	rounds := 250
	if *full {
		rounds = 4000
	}
	applied := map[string]int{}
	for _, s := range subjects(t) {
		t.Run(s.name, func(t *testing.T) {
			for range rounds {
				d := newDrawer(r, s)
				h := d.history(t, 1+r.IntN(7))
				if len(h.Ops) > 1 && r.IntN(3) == 0 {
					if h = d.spoil(h); !isLinearizable(h, s.spec) {
						continue
					}
				}
				rest, rules := explain.Removals(h, s.spec, replay.NoOperation, nil)
				for i := range h.Ops {
					if why := explain.NeverPut(h, s.spec, int32(i)); why != "" {
						t.Fatalf("%v: %s in\n%s", &h.Ops[i], why, show(h))
					}
				}
				for k := range rest {
					applied[rules[k]]++
					if !isLinearizable(rest[k], s.spec) {
						t.Fatalf("rule %s makes\n%sof\n%s", rules[k], show(rest[k]), show(h))
					}
				}
			}
		})
	}
	t.Log(applied)
	for _, rule := range []string{"part", "value", "one", "loop", "projection", "spare"} {
		if applied[rule] < rounds/2 {
			t.Errorf("rule %s was applied %d times: too few to say much", rule, applied[rule])
		}
	}
}

// TestBrokenRules: what TestRules tests is seen to be wrong with wrong facts.
func TestBrokenRules(t *testing.T) {
	for name, broken := range map[string]struct {
		models []string
		spoil  func(explain.Fact)
	}{
		"every operation changes nothing":           {[]string{"queue", "set", "mutex", "counter", "kv"}, func(f explain.Fact) { f.SetReadOnly() }},
		"sizes and full queues are apart":           {[]string{"queue", "queue:2", "stack", "priority-queue", "deque"}, func(f explain.Fact) { f.SetApart() }},
		"a failed cas is apart":                     {[]string{"cas-register:0"}, func(f explain.Fact) { f.SetApart() }},
		"a cas does not connect values":             {[]string{"cas-register:0"}, func(f explain.Fact) { f.Separate() }},
		"appending is apart":                        {[]string{"kv"}, func(f explain.Fact) { f.SetApart() }},
		"null is never an element":                  {[]string{"queue", "stack", "deque"}, func(f explain.Fact) { nothingIsNull(f) }},
		"operations on several parts matter little": {[]string{"set", "ConcurrentHashMap", "kv"}, func(f explain.Fact) { f.SetApart() }},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRand(t)
			for _, s := range subjects(t) {
				isMeant := false
				for _, m := range broken.models {
					isMeant = isMeant || m == s.name
				}
				if isMeant && !isCaught(t, s, func() *drawer { return newDrawer(r, s) }, broken.spoil) {
					t.Errorf("%s: the mistake is not noticed", s.name)
				}
			}
		})
	}
}

func nothingIsNull(f explain.Fact) {
	if f.IsVacant() {
		f.SetReadOnly()
	}
}

func isCaught(t *testing.T, s subject, draw func() *drawer, spoil func(explain.Fact)) bool {
	for range 20000 {
		d := draw()
		h := d.history(t, 1+d.IntN(7))
		rest, _ := explain.Removals(h, s.spec, replay.NoOperation, spoil)
		for _, part := range rest {
			if !isLinearizable(part, s.spec) {
				return true
			}
		}
	}
	return false
}

// TestProjections applies the rule of projections to random linearizable histories of
// transactions on lists and registers.
func TestProjections(t *testing.T) {
	t.Parallel()
	r := newRand(t)
	s, err := spec.Parse("multi-register")
	if err != nil {
		t.Fatal(err)
	}
	applied := 0
	for range 400 {
		h := transactions(t, r, s, 1+r.IntN(6))
		for i := range h.Ops {
			if why := explain.NeverPut(h, s, int32(i)); why != "" {
				t.Fatalf("%v: %s in\n%s", &h.Ops[i], why, show(h))
			}
		}
		rest, rules := explain.Removals(h, s, replay.NoOperation, nil)
		for k := range rest {
			if rules[k] == "projection" {
				applied++
			}
			if !isLinearizable(rest[k], s) {
				t.Fatalf("rule %s makes\n%sof\n%s", rules[k], show(rest[k]), show(h))
			}
		}
	}
	if applied < 1000 {
		t.Errorf("%d projections: too few to say much", applied)
	}
}

// transactions returns a random linearizable history of n operations of a multi-register, some
// of them pending: each is open for a while around its place in one order.
func transactions(t *testing.T, r *rand.Rand, s replay.Spec, n int) *history.History {
	type event struct {
		at int
		history.Event
	}
	object := s.New()
	var events []event
	text, num := history.StringValue, func(n int) history.Value { return history.IntValue(int64(n)) }
	for i := range n {
		inv := replay.Invocation{Method: "txn"}
		var steps []history.Value
		for range 1 + r.IntN(3) {
			key := num(r.IntN(2))
			switch r.IntN(6) {
			case 0:
				lists := []history.Value{history.ListValue(), history.ListValue(num(r.IntN(3)), num(7)), num(5), history.NullValue}
				steps = append(steps, history.ListValue(text("write"), key, lists[r.IntN(len(lists))]))
			case 1, 2:
				steps = append(steps, history.ListValue(text("read"), key, history.NullValue))
			default:
				steps = append(steps, history.ListValue(text("append"), key, num(r.IntN(3))))
			}
		}
		inv.Args = []history.Value{history.ListValue(steps...)}
		if r.IntN(4) == 0 {
			inv = replay.Invocation{Method: "read", Args: []history.Value{num(r.IntN(2))}}
		}
		takesEffect, isPending := true, r.IntN(4) == 0
		result := history.UnknownValue
		if takesEffect = !isPending || r.IntN(2) == 0; takesEffect {
			var ok bool
			if result, ok = object.Apply(inv); !ok { // an append to what is no list
				isPending = true
			}
		}
		process := num(i)
		events = append(events, event{8*i - r.IntN(20), history.Event{Process: process, Op: process, Method: inv.Method, Args: inv.Args}})
		if !isPending {
			events = append(events, event{8*i + 1 + r.IntN(20), history.Event{Type: history.OK, Op: process, Result: result}})
		}
	}
	slices.SortStableFunc(events, func(a, b event) int { return a.at - b.at })
	b := history.NewBuilder(history.Header{})
	for i := range events {
		b.Add(&events[i].Event)
	}
	h, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if !isLinearizable(h, s) {
		t.Fatalf("not linearizable:\n%s", show(h))
	}
	return h
}
