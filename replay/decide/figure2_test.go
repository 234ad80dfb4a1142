package decide_test

import (
	"os"
	"slices"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/hitting"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
	"github.com/leadline/leadline/replay/state"
)

// figure2 returns the two histories of testdata/figure2.jsonl.
func figure2(t *testing.T) (three, all *history.History) {
	file, err := os.Open("testdata/figure2.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var histories []*history.History
	for h, err := range codec.Decode(file, file.Name(), codec.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		histories = append(histories, h)
	}
	if len(histories) != 2 {
		t.Fatalf("%d histories instead of 2", len(histories))
	}
	return histories[0], histories[1]
}

// countSchedules counts the linear extensions and the witnesses among them,
// one by one.
func countSchedules(h *history.History, m *state.Machine) (schedules, witnesses int) {
	placed := make([]bool, len(h.Ops))
	var extend func(left int, state int32)
	extend = func(left int, at int32) {
		if left == 0 {
			schedules++
			if at != state.Fail {
				witnesses++
			}
			return
		}
	candidates:
		for i := range h.Ops {
			if placed[i] {
				continue
			}
			for j := range h.Ops {
				if !placed[j] && h.Ops[j].Return < h.Ops[i].Call {
					continue candidates
				}
			}
			next := at
			if at != state.Fail {
				next = m.Step(at, int32(i))
			}
			placed[i] = true
			extend(left-1, next)
			placed[i] = false
		}
	}
	extend(len(h.Ops), m.Start())
	return schedules, witnesses
}

// TestFigure2 checks every count that the paper gives of its example, but for
// the 48 concurrent pairs: see the comment in testdata/figure2.jsonl.
func TestFigure2(t *testing.T) {
	_, h := figure2(t)
	queue := model(t, "ConcurrentLinkedQueue")
	in := instance(t, h, replay.AutoChains)
	c, cp := in.Poset.Concurrency()
	if c != 7 || cp != 47 {
		t.Errorf("c = %d, cp = %d; want 7 and 47", c, cp)
	}
	if n, ok := in.Poset.LinearExtensions(1 << 20); n != 1004640 || !ok {
		t.Errorf("%d linear extensions, want 1,004,640", n)
	}
	schedules, witnesses := countSchedules(h, state.NewMachine(ops.New(h, queue, 1<<30)))
	if schedules != 1004640 || witnesses != 134400 {
		t.Errorf("%d schedules, %d witnesses; want 1,004,640 and 134,400", schedules, witnesses)
	}
	if counts, ok := hitting.Counts(in.Poset, in.Chains, 1, hitting.Options{}); !ok || counts[0] != 7 {
		t.Errorf("%v schedules at d = 1, want 7", counts)
	}
	v := check(t, h, queue, replay.Options{ExactDepth: true, CountSchedules: true})
	if v.Schedules != 1004640 || v.Witnesses != 134400 {
		t.Errorf("%d schedules, %d witnesses; want 1,004,640 and 134,400", v.Schedules, v.Witnesses)
	}
	if v.Answer != replay.Linearizable || v.Depth != 1 || v.ExactDepth != 1 {
		t.Errorf("%v at depth %d, exact depth %d; want linearizable at 1 and 1", v.Answer, v.Depth, v.ExactDepth)
	}
	// The witness comes from the chain of 5-addAll.
	for e, i := range in.Ops {
		if h.Ops[i].ID().Int() == 5 && in.Chains[e] != v.Index.Chain {
			t.Errorf("the witness delays chain %d, not that of addAll", v.Index.Chain)
		}
	}
	checkMaximal(t, h)
}

// checkMaximal: 11 is maximal, and without it 7, 10 and 13 (Definition 3.6).
func checkMaximal(t *testing.T, h *history.History) {
	t.Helper()
	maximal := func(without int64) []int64 {
		var ids []int64
		for i := range h.Ops {
			above := slices.ContainsFunc(h.Ops, func(o history.Operation) bool {
				return o.ID().Int() != without && h.Ops[i].Return < o.Call
			})
			if id := h.Ops[i].ID().Int(); !above && id != without {
				ids = append(ids, id)
			}
		}
		slices.Sort(ids)
		return ids
	}
	if got := maximal(-1); !slices.Equal(got, []int64{11}) {
		t.Errorf("maximal elements %v, want 11", got)
	}
	if got := maximal(11); !slices.Equal(got, []int64{7, 10, 13}) {
		t.Errorf("maximal elements without 11: %v, want 7, 10, 13", got)
	}
}

// TestFigure2Printed: the part of the example whose events the paper prints,
// and what Definition 3.4 says of it.
func TestFigure2Printed(t *testing.T) {
	h, _ := figure2(t)
	byID := map[int64]*history.Operation{}
	for i := range h.Ops {
		byID[h.Ops[i].ID().Int()] = &h.Ops[i]
	}
	if byID[0].Return >= byID[1].Call {
		t.Error("0-toString is not executed before 1-poll")
	}
	for _, pair := range [][2]int64{{0, 2}, {0, 4}, {2, 4}} {
		x, y := byID[pair[0]], byID[pair[1]]
		if x.Return < y.Call || y.Return < x.Call {
			t.Errorf("%d and %d are not concurrent", pair[0], pair[1])
		}
	}
	v := check(t, h, model(t, "ConcurrentLinkedQueue"), replay.Options{})
	if v.Answer != replay.Linearizable || v.Depth != 1 {
		t.Errorf("%v at depth %d, want linearizable at 1", v.Answer, v.Depth)
	}
}
