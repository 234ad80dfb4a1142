package monitor_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/monitor"
	"github.com/leadline/leadline/replay/ops"
)

// TestLargeHistories gives the monitors histories of correct objects, and the
// same with one wrong result each that no order explains.
func TestLargeHistories(t *testing.T) {
	t.Parallel()
	r := newRand(t)
	rounds := 8
	if *full {
		rounds = 20
	}
	for _, s := range subjects {
		t.Run(s.name, func(t *testing.T) {
			model := collection(t, s.model)
			if model.Traits().Discipline == replay.BothEnds {
				t.Skip("what a deque's monitor declines is not known here")
			}
			if s.few > 0 {
				t.Skip("long histories would surely write a pair again, or are in TestLives")
			}
			s := s.correct()
			spoilt := 0
			for k := range rounds {
				g := generator{Rand: r, s: s, m: mix{n: 2000, processes: []int{4, 16}[k%2], values: smallInt}}
				if d := model.Traits().Discipline; named(d) || d == replay.Overwritten || d == replay.OverwrittenByKey {
					g.m.lost = 2 * k / rounds // else too little would be known
				}
				h := g.history(t)
				checkLarge(t, h, model, replay.Linearizable)
				for _, spoil := range []func(*rand.Rand, *history.History, replay.Described) bool{tooEarly, overlooked} {
					wrong := *h
					wrong.Ops = slices.Clone(h.Ops)
					if spoil(r, &wrong, model) {
						checkLarge(t, &wrong, model, replay.NotLinearizable)
						spoilt++
					}
				}
			}
			if spoilt < rounds/2 {
				t.Errorf("only %d histories were spoilt", spoilt)
			}
		})
	}
}

func checkLarge(t *testing.T, h *history.History, model replay.Spec, want replay.Answer) {
	t.Helper()
	var v replay.Verdict
	if v.Finding = monitor.Run(ops.New(h, model, 0), nil); v.Reason != "" {
		t.Fatalf("declined: %s", v.Reason)
	}
	if v.Answer != want {
		t.Fatalf("%v, want %v", v.Answer, want)
	}
	if want == replay.Linearizable {
		if err := replay.Verify(h, model, v.Witness, nil); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got := searched(t, restrict(h, v.Conflict), model); got != replay.NotLinearizable {
		t.Fatalf("of the conflict %v, the search says %v", v.Conflict, got)
	}
}

// named reports whether operations say which value they are about.
func named(d replay.Discipline) bool { return d == replay.Named || d == replay.Counted }

// A known is what a history says of a value: when it was inserted and
// removed. The zero value's invocation counts as never.
type known struct{ insert, remove *history.Operation }

func lives(h *history.History, c replay.Described) map[history.Value]*known {
	all := map[history.Value]*known{}
	for i := range h.Ops {
		op := &h.Ops[i]
		facts := c.Facts(op)
		role, v := facts.Role, facts.Value
		if all[v] == nil {
			all[v] = &known{}
		}
		switch role {
		case replay.Insert:
			all[v].insert = op
		case replay.Remove:
			all[v].remove = op
		}
	}
	return all
}

// takers returns the operations that returned a value, or true for it.
func takers(h *history.History, c replay.Described) []int {
	var list []int
	for i := range h.Ops {
		op := &h.Ops[i]
		if role := c.Facts(op).Role; (role == replay.Remove || role == replay.Look) && !op.Pending() {
			list = append(list, i)
		}
	}
	return list
}

// tooEarly exchanges two answers so that one comes before the insertion of
// what it answers.
func tooEarly(r *rand.Rand, h *history.History, c replay.Described) bool {
	if named(c.Traits().Discipline) {
		return false
	}
	all, list := lives(h, c), takers(h, c)
	for range 1000 {
		a, b := &h.Ops[list[r.IntN(len(list))]], &h.Ops[list[r.IntN(len(list))]]
		if all[b.Result].insert.Call > a.Return {
			a.Result, b.Result = b.Result, a.Result
			return true
		}
	}
	return false
}

// overlooked makes an operation find nothing although something is there.
func overlooked(r *rand.Rand, h *history.History, c replay.Described) bool {
	all, list := lives(h, c), takers(h, c)
	for range 1000 {
		op := &h.Ops[list[r.IntN(len(list))]]
		there := c.Facts(op).Value
		if d := c.Traits().Discipline; !named(d) && d != replay.OverwrittenByKey {
			there = c.Facts(&h.Ops[list[r.IntN(len(list))]]).Value // any value will do
		}
		k := all[there]
		if k.insert.Return > op.Call || k.remove != nil && k.remove != op && k.remove.Call < op.Return {
			continue
		}
		switch op.Result.Kind() {
		case history.Bool:
			op.Result = history.BoolValue(false)
		default:
			op.Result = history.NullValue
			if op.Method == "count" {
				op.Result = history.IntValue(0)
			}
		}
		return true
	}
	return false
}
