package monitor_test

import (
	"testing"

	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/monitor"
	"github.com/leadline/leadline/replay/search"
)

// TestUnexplained holds the first response without an explanation against the
// one that the search finds by bisection. Monitors may not find it: often a
// removal that is open at the last response of the conflict may still take what
// is in the way, and the first one without an explanation comes later.
func TestUnexplained(t *testing.T) {
	for _, s := range subjects {
		t.Run(s.name, func(t *testing.T) {
			r := newRand(t)
			model := collection(t, s.model)
			refuted, found := 0, 0
			for range *historiesFlag / 10 {
				g := generator{Rand: r, s: s, m: randomMix(r)}
				h := g.history(t)
				var v replay.Verdict
				if v.Finding = monitor.Run(h, model, nil); v.Reason != "" || v.Answer != replay.NotLinearizable {
					continue
				}
				refuted++
				op, ok := monitor.Unexplained(h, model, v.Conflict, nil)
				if !ok {
					continue
				}
				found++
				want, ok := search.Unexplained(h, model, 1<<30, nil)
				if !ok || op != want {
					t.Fatalf("%v, but the search says %v (%v):\n%s", op, want, ok, picture(h))
				}
			}
			t.Logf("found %d of %d", found, refuted)
			if deque := model.Traits().Discipline == replay.BothEnds; !deque && 4*found < refuted {
				t.Errorf("found only %d of %d", found, refuted)
			}
		})
	}
}
