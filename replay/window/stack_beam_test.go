package window_test

import (
	"math"
	"testing"

	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
	"github.com/leadline/leadline/replay/order"
	"github.com/leadline/leadline/replay/window"
)

// TestBeams compares beams with the other search of a stack: a wide one, which leaves
// nothing out, a narrow one, which goes back until it does not either, and one that
// drops what is before the last few responses.
func TestBeams(t *testing.T) {
	t.Parallel()
	r, rounds := randomStacks(t, 82)
	s := lookup(t, "stack")
	count := map[string]int{}
	for k := range rounds {
		d := randomDuplicating(r, "stack")
		d.uncounted = true
		d.n, d.processes, d.values = 4+r.IntN(13), 2+r.IntN(6), 1+r.IntN(4)
		if k%2 == 0 {
			d.n, d.processes, d.values = 12+r.IntN(24), 3+r.IntN(4), 2+r.IntN(6)
			d.wrong, d.moved = r.IntN(2)*r.IntN(8), r.IntN(2)*r.IntN(60)
		}
		if r.IntN(4) == 0 {
			d.lost = 20 + r.IntN(60)
		}
		h := d.history(t, s)
		if h.Pending() > 16 {
			continue
		}
		want := order.Run(ops.New(h, s, 1<<30), nil).Answer
		check := func(name string, f replay.Finding) {
			if checkFinding(t, name, h, s, f, want); t.Failed() {
				t.Fatal(show(h))
			}
		}
		count[want.String()]++
		if k%2 != 0 { // others take long
			wide, tries := window.BeamOfWidth(ops.New(h, s, 0), math.MaxInt32, meter.New(nil))
			if check("wide beam", wide); tries > 0 {
				t.Fatalf("a beam that left nothing out went back:\n%s", show(h))
			}
		}
		width := 1 + r.IntN(3)
		narrow, tries := window.BeamOfWidth(ops.New(h, s, 0), width, meter.New(nil))
		if check("narrow beam", narrow); tries > 0 {
			count["went back, "+want.String()]++
		}
	}
	t.Log(count)
	for _, what := range []string{"linearizable", "not-linearizable", "went back, linearizable", "went back, not-linearizable"} {
		if count[what] == 0 {
			t.Errorf("none was %s", what)
		}
	}
}

// TestBeamsPassMany finds witnesses of histories in which a beam passes over a hundred
// responses at once.
func TestBeamsPassMany(t *testing.T) {
	r, _ := randomStacks(t, 83)
	s := lookup(t, "stack")
	rounds := 40
	if *full {
		rounds = 100
	}
	for k := range rounds {
		d := randomDuplicating(r, "stack")
		d.uncounted = true
		d.n, d.processes, d.values, d.looks, d.empties, d.lost, d.wrong, d.moved = 300, 2+r.IntN(2), 3, 0, 0, 0, 0, 0
		if k%2 == 0 {
			d.first = 100 + r.IntN(100)
		} else {
			d.looks = 96
		}
		h := d.history(t, s)
		f, _ := window.BeamOfWidth(ops.New(h, s, 0), 3, meter.New(nil))
		if checkFinding(t, "beam", h, s, f, replay.Linearizable); t.Failed() {
			t.Fatal(show(h))
		}
	}
}

// TestLongBeams finds witnesses of long histories. On some it goes back.
func TestLongBeams(t *testing.T) {
	t.Parallel()
	s := lookup(t, "stack")
	tried := 0
	for _, c := range []struct{ n, threads, width int }{{20000, 4, 80}, {4000, 8, 20}, {1500, 16, 60}} {
		if c.threads > 8 && !*full {
			continue
		}
		if c.threads == 4 && !*full {
			c.n /= 2
		}
		h, _ := large(t, "stack", c.n, c.threads, 8, 2)
		m := meter.New(nil)
		f, tries := window.BeamOfWidth(ops.New(h, s, 0), c.width, m)
		checkFinding(t, "beam", h, s, f, replay.Linearizable)
		t.Logf("T=%d: %d tries, %d units of work", c.threads, tries, m.Spent())
		tried += tries
	}
	if tried == 0 {
		t.Error("no beam went back")
	}
}
