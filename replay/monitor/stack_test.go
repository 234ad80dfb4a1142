package monitor_test

import (
	"math/rand/v2"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/monitor"
	"github.com/leadline/leadline/replay/ops"
)

// checkNaive holds a monitor against naive, its witness against Verify, and
// its conflict against naive and itself.
func checkNaive(t *testing.T, h *history.History, c replay.Described) replay.Answer {
	t.Helper()
	var v replay.Verdict
	if v.Finding = monitor.Run(ops.New(h, c, 0), nil); v.Reason != "" {
		t.Fatalf("declined: %s", v.Reason)
	}
	if got := v.Answer == replay.Linearizable; got != naive(h, c) {
		t.Fatalf("%v, but not so in the naive way", v.Answer)
	}
	if v.Answer == replay.Linearizable {
		if err := replay.Verify(h, c, v.Witness, nil); err != nil {
			t.Fatal(err)
		}
	} else if part := restrict(h, v.Conflict); len(v.Conflict) == 0 || naive(part, c) {
		t.Fatalf("there is a witness of the conflict %v", v.Conflict)
	}
	return v.Answer
}

// TestAgainstNaive has larger histories than the search could do: correct
// ones in which events have changed places, and random intervals.
func TestAgainstNaive(t *testing.T) {
	for _, model := range []string{"stack", "priority-queue", "priority-queue:max"} {
		t.Run(model, func(t *testing.T) {
			c, r := collection(t, model), newRand(t)
			counts := map[replay.Answer]int{}
			for range histories() / 20 {
				w := workload{"random", r.IntN(2) * r.IntN(30), r.IntN(2) * r.IntN(40), 40 + r.IntN(20)}
				ops := w.operations(r, c, 1+r.IntN(100), 1+r.IntN(20))
				loosen(r, ops, r.ExpFloat64()*float64(r.IntN(30)), r.IntN(3)*r.IntN(2+len(ops)/8))
				counts[checkNaive(t, fromIntervals(t, ops, false), c)]++
			}
			t.Log(counts)
		})
	}
}

// loosen makes intervals longer, which can only make a history linearizable,
// and moves some of them.
func loosen(r *rand.Rand, ops []loose, by float64, moved int) {
	for i := range ops {
		o := &ops[i]
		o.from, o.to = o.from-r.ExpFloat64()*by, o.to+r.ExpFloat64()*by
	}
	for range moved {
		o := &ops[r.IntN(len(ops))]
		shift := r.NormFloat64() * (10 + by)
		o.from, o.to = o.from+shift, o.to+shift
	}
}

// TestWorkloads has histories of correct objects, and the same with
// a look at a value that is gone.
func TestWorkloads(t *testing.T) {
	t.Parallel()
	for _, model := range []string{"stack", "priority-queue", "priority-queue:max"} {
		t.Run(model, func(t *testing.T) {
			c, r := collection(t, model), newRand(t)
			n := 6000
			if *full {
				n = 20000
			}
			for _, w := range workloads {
				w.prefill /= 20
				for _, processes := range []int{1, 4, 64} {
					ops := w.operations(r, c, n, processes)
					checkVerdict(t, fromIntervals(t, ops, false), c, replay.Linearizable)
					a, b := &ops[r.IntN(len(ops))], &ops[r.IntN(len(ops))]
					for a.arg.Kind() != history.None || a.result.Kind() == history.Null || a.to > b.from {
						a, b = &ops[r.IntN(len(ops))], &ops[r.IntN(len(ops))]
					}
					b.method, b.arg, b.result = "peek", history.NoValue, a.result
					if a.method != "peek" { // it is gone
						checkVerdict(t, fromIntervals(t, ops, false), c, replay.NotLinearizable)
					}
				}
			}
		})
	}
}

func checkVerdict(t *testing.T, h *history.History, c replay.Described, want replay.Answer) {
	t.Helper()
	var v replay.Verdict
	if v.Finding = monitor.Run(ops.New(h, c, 0), nil); v.Reason != "" || v.Answer != want {
		t.Fatalf("%s%v, want %v", v.Reason, v.Answer, want)
	}
	if want == replay.Linearizable {
		if err := replay.Verify(h, c, v.Witness, nil); err != nil {
			t.Fatal(err)
		}
	} else if len(v.Conflict) == 0 || len(v.Conflict) > 100 || naive(restrict(h, v.Conflict), c) {
		t.Fatalf("there is a witness of the conflict %v, or it is long", v.Conflict)
	}
}
