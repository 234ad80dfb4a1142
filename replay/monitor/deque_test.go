package monitor_test

import (
	"slices"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/monitor"
	"github.com/leadline/leadline/replay/ops"
)

// TestDequeAsOther: a deque that is used as a stack or a queue is decided, and
// as one.
func TestDequeAsOther(t *testing.T) {
	deque := collection(t, "deque")
	rounds := 1000
	if *full {
		rounds = 2000
	}
	for _, c := range []struct {
		subject string
		methods map[string]string
	}{
		{"stack", map[string]string{"push": "pushFront", "pop": "popFront", "peek": "peekFront"}},
		{"stack", map[string]string{"push": "pushBack", "pop": "popBack", "peek": "peekBack"}},
		{"queue", map[string]string{"enqueue": "pushBack", "dequeue": "popFront", "peek": "peekFront"}},
		{"queue", map[string]string{"enqueue": "pushFront", "dequeue": "popBack", "peek": "peekBack"}},
	} {
		r := newRand(t)
		s := subjects[slices.IndexFunc(subjects, func(s subject) bool { return s.name == c.subject })]
		other := collection(t, s.model)
		counts := map[replay.Answer]int{}
		for range rounds {
			g := generator{Rand: r, s: s, m: randomMix(r)}
			h := g.history(t)
			renamed := *h
			renamed.Ops = slices.Clone(h.Ops)
			for i := range renamed.Ops {
				op := &renamed.Ops[i]
				if name, ok := c.methods[op.Method]; ok {
					op.Method = name
				}
			}
			if replay.Check(&renamed, deque) != nil || h.Pending() > 0 && pendingRemoval(h, other) {
				continue
			}
			var want, got replay.Verdict
			want.Finding = monitor.Run(ops.New(h, other, 0), nil)
			got.Finding = monitor.Run(ops.New(&renamed, deque, 0), nil)
			if c.subject == "stack" && want.Answer == replay.NotLinearizable && got.Answer == replay.Undecided {
				continue // refuted by the values that are inserted once
			}
			if want.Answer != got.Answer {
				t.Fatalf("as a %s %v, as a deque %v:\n%s", c.subject, want.Answer, got.Answer, picture(&renamed))
			}
			if got.Answer == replay.Linearizable {
				if err := replay.Verify(&renamed, deque, got.Witness, nil); err != nil {
					t.Fatal(err)
				}
			}
			counts[got.Answer]++
		}
		t.Log(c.subject, counts)
		if counts[replay.Linearizable] < rounds/10 || counts[replay.NotLinearizable] < rounds/40 {
			t.Errorf("too few answers: %v", counts)
		}
	}
}

func pendingRemoval(h *history.History, s replay.Spec) bool {
	for i := range h.Ops {
		if role := s.(replay.Described).Facts(&h.Ops[i]).Role; role == replay.Remove && h.Ops[i].Pending() {
			return true
		}
	}
	return false
}
