package monitor_test

import (
	"slices"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/monitor"
	"github.com/leadline/leadline/replay/ops"
)

// TestLives has sets to which a few values are added over and over: of correct
// objects and with spoilt answers, in sizes that the search can still do part
// by part, and larger ones of correct objects.
func TestLives(t *testing.T) {
	r := newRand(t)
	s := subjects[slices.IndexFunc(subjects, func(s subject) bool { return s.name == "set-again" })]
	c := collection(t, s.model)
	counts, longest := map[replay.Answer]int{}, 0
	for range histories() / 20 {
		s.few = 1 + r.IntN(4)
		m := mix{n: 20 + r.IntN(60), processes: 1 + r.IntN(8), values: smallInt}
		switch r.IntN(4) {
		case 0:
			m.lost = r.IntN(10)
		case 1:
			m.wrong = r.IntN(10)
		case 2:
			m.moved = r.IntN(400)
		}
		g := generator{Rand: r, s: s, m: m}
		h := g.history(t)
		var v replay.Verdict
		if v.Finding = monitor.Run(ops.New(h, c, 0), nil); v.Reason != "" {
			t.Fatalf("declined: %s", v.Reason)
		}
		counts[v.Answer]++
		longest = max(longest, len(v.Conflict))
		if want := searched(t, h, c); v.Answer != want {
			t.Fatalf("%v, but the search says %v, of\n%s", v.Answer, want, picture(h))
		}
		checkLarge(t, h, c, v.Answer)
	}
	t.Log(counts, "longest conflict", longest)
	for k := range 10 {
		s.few = 1 + k*k*10
		g := generator{Rand: r, s: s, m: mix{n: 5000, processes: 16, lost: k / 5, values: smallInt}}
		checkLarge(t, g.history(t), c, replay.Linearizable)
	}
}

// TestLivesAtOnce: additions that are all open at once, to be taken in the
// order of their responses, which is that of invocations or the opposite.
func TestLivesAtOnce(t *testing.T) {
	c := collection(t, "set")
	yes := history.BoolValue(true)
	for _, n := range sizes {
		for _, backward := range []bool{false, true} {
			for _, removals := range []int{n - 1, max(0, n-2)} {
				var list []loose
				for i := range n {
					at := float64(i)
					if backward {
						at = float64(n - 1 - i)
					}
					list = append(list, loose{"add", smallInt(1), yes, -float64(i), at + 1})
				}
				for i := range removals {
					list = append(list, loose{"remove", smallInt(1), yes, float64(i) + 1.5, float64(n) + 1})
				}
				want := replay.Linearizable
				if removals < n-1 {
					want = replay.NotLinearizable
				}
				var v replay.Verdict
				h := fromIntervals(t, list, false)
				if v.Finding = monitor.Run(ops.New(h, c, 0), nil); v.Reason != "" && n > 1 || v.Reason == "" && v.Answer != want {
					t.Fatalf("%d additions, %d removals: %s%v, want %v", n, removals, v.Reason, v.Answer, want)
				}
				if v.Answer == replay.Linearizable {
					if err := replay.Verify(h, c, v.Witness, nil); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
}
