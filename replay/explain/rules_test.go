package explain_test

import (
	"testing"

	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/explain"
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
	for _, rule := range []string{"part", "value", "one", "loop"} {
		if applied[rule] < 2*rounds {
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
