package order_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
	"github.com/leadline/leadline/replay/order"
)

// readWrites returns transactions that read and write some of five keys. No value is
// written twice under a key, and after 50 writes another key takes its place.
func readWrites(r *rand.Rand) func() replay.Invocation {
	keys, written := []int64{0, 1, 2, 3, 4}, map[int64]int64{}
	return func() replay.Invocation {
		var steps []history.Value
		for range 1 + r.IntN(4) {
			k := r.IntN(len(keys))
			step := []history.Value{history.StringValue("read"), history.IntValue(keys[k]), history.NullValue}
			if r.IntN(2) == 0 {
				written[keys[k]]++
				step[0], step[2] = history.StringValue("write"), history.IntValue(written[keys[k]])
				if written[keys[k]] == 50 {
					keys[k] += int64(len(keys))
				}
			}
			steps = append(steps, history.ListValue(step...))
		}
		return replay.Invocation{Method: "txn", Args: []history.Value{history.ListValue(steps...)}}
	}
}

// readStale lets the first step of an operation in the second half of the history find a
// value that was overwritten long before.
func readStale(t *testing.T, h *history.History) {
	t.Helper()
	for i := len(h.Ops) / 2; i < len(h.Ops); i++ {
		op := &h.Ops[i]
		steps := slices.Clone(op.Result.List())
		if op.Pending() || steps[0].List()[0].Text() != "read" || steps[0].List()[2].Kind() != history.Int || steps[0].List()[2].Int() < 45 {
			continue
		}
		step := slices.Clone(steps[0].List())
		step[2] = history.IntValue(step[2].Int() - 40)
		steps[0] = history.ListValue(step...)
		op.Result = history.ListValue(steps...)
		return
	}
	t.Fatal("no read to change")
}

// TestTransactions has transactions of many processes. A search would try the orders of
// their writes.
func TestTransactions(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(*seedFlag, 19))
	s := lookup(t, "multi-register")
	n := 1000
	if *full {
		n = 4000
	}
	for _, processes := range []int{4, 10, 20} {
		for _, lost := range []int{0, 1} {
			h := build(t, simulate(r, s, n, processes, lost, readWrites(r), func(result history.Value) history.Value { return result }))
			var m *meter.Meter
			last, longest := int64(0), int64(0)
			m = meter.New(func() bool {
				longest = max(longest, m.Spent()-last)
				last = m.Spent()
				return false
			})
			checkFinding(t, "transactions", h, s, order.Run(ops.New(h, s, 1<<30), m), replay.Linearizable)
			if longest > 1<<13 {
				t.Errorf("%d processes: %d units of work between two questions", processes, longest)
			}
			for k := range int64(4) { // it stops anywhere
				if f := order.Run(ops.New(h, s, 1<<30), meter.New(nil).Share(k*m.Spent()/4)); f.Answer != replay.Undecided || f.Cause != replay.Time {
					t.Errorf("%d processes, stopped: %v (%v)", processes, f.Answer, f.Cause)
				}
			}
			if f := order.Run(ops.New(h, s, 4*int64(n)), nil); f.Decided() {
				t.Errorf("without memory: %v", f.Answer)
			}
			if lost > 0 || processes == 20 { // a value may be written late
				continue
			}
			readStale(t, h)
			checkFinding(t, "a stale read", h, s, order.Run(ops.New(h, s, 1<<30), nil), replay.NotLinearizable)
		}
	}
}
