package porcupine_test

import (
	"flag"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/anishathalye/porcupine"

	leadline "github.com/leadline/leadline/replay/porcupine"
)

var seed = flag.Uint64("seed", 1, "seed of random histories")

// TestDifferential: leadline and porcupine agree on random histories.
func TestDifferential(t *testing.T) {
	t.Logf("-seed %d", *seed)
	rounds := 400
	if testing.Short() {
		rounds = 100
	}
	for _, s := range subjects() {
		t.Run(s.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(*seed, uint64(len(s.name))))
			count := map[porcupine.CheckResult]int{}
			for round := range rounds {
				ops := s.history(r, r.IntN(14)+round%2*r.IntN(30), 1+r.IntN(5), []float64{0, 0.1}[r.IntN(2)])
				want := porcupine.CheckOperationsTimeout(s.model, ops, 0)
				got, info := leadline.CheckOperationsVerbose(s.model, ops, 0)
				if got != want || info.Err != nil {
					t.Fatalf("round %d: %v (%v), porcupine: %v\n%v", round, got, info.Err, want, ops)
				}
				if v := info.Verdict; want == porcupine.Ok && len(v.Witness) != len(ops) || want == porcupine.Illegal && v.Explanation == nil {
					t.Fatalf("round %d: the engines find %v, porcupine: %v\n%v", round, v.Answer, want, ops)
				}
				if quick := leadline.CheckOperations(s.model, ops); quick != (want == porcupine.Ok) {
					t.Fatalf("round %d: CheckOperations returns %v, porcupine: %v\n%v", round, quick, want, ops)
				}
				list := events(ops)
				wantEvents := porcupine.CheckEvents(s.model, list)
				if got := leadline.CheckEvents(s.model, list); got != wantEvents {
					t.Fatalf("round %d: CheckEvents returns %v, porcupine: %v\n%v", round, got, wantEvents, list)
				}
				count[want]++
			}
			if count[porcupine.Ok] < rounds/5 || count[porcupine.Illegal] < rounds/10 {
				t.Errorf("%d histories are linearizable and %d are not: too few of one kind", count[porcupine.Ok], count[porcupine.Illegal])
			}
			t.Logf("%d linearizable, %d not", count[porcupine.Ok], count[porcupine.Illegal])
		})
	}
}

// impure returns models of a queue whose Step does what a model must not do.
func impure() map[string]porcupine.Model {
	take := func(q []int, out any) (bool, []int) {
		if len(q) == 0 {
			return out == -1, q
		}
		return out == q[0], q[1:]
	}
	type wrapped struct{ q []int }
	appending := queue
	appending.Step = func(state, in, out any) (bool, any) {
		if i := in.(input); i.op == "put" {
			return true, append(state.([]int), i.value)
		}
		return take(state.([]int), out)
	}
	inStruct := porcupine.Model{
		Init: func() any { return wrapped{} },
		Step: func(state, in, out any) (bool, any) {
			ok, next := appending.Step(state.(wrapped).q, in, out)
			return ok, wrapped{next.([]int)}
		},
		Equal: func(a, b any) bool { return slices.Equal(a.(wrapped).q, b.(wrapped).q) },
	}
	byPointer := porcupine.Model{
		Init: func() any { return &wrapped{} },
		Step: func(state, in, out any) (bool, any) {
			ok, next := appending.Step(state.(*wrapped).q, in, out)
			return ok, &wrapped{next.([]int)}
		},
		Equal: func(a, b any) bool { return slices.Equal(a.(*wrapped).q, b.(*wrapped).q) },
	}
	inPlace := porcupine.Model{
		Init: func() any { return &wrapped{} },
		Step: func(state, in, out any) (bool, any) {
			w := state.(*wrapped)
			ok, next := queue.Step(w.q, in, out)
			w.q = next.([]int)
			return ok, w
		},
	}
	return map[string]porcupine.Model{"appending": appending, "in a struct": inStruct, "by a pointer": byPointer, "in place": inPlace}
}

// TestImpure: a model that changes its states gets a verdict, as from porcupine. It is
// right if the model only appends to a state that is a slice.
func TestImpure(t *testing.T) {
	t.Logf("-seed %d", *seed)
	all := subjects()
	s := all[slices.IndexFunc(all, func(s subject) bool { return s.name == "queue" })]
	for name, model := range impure() {
		r := rand.New(rand.NewPCG(*seed, 7))
		for range 100 {
			n := 2 + r.IntN(30)
			if name == "in place" { // a search for nothing may be long
				n = 2 + r.IntN(8)
			}
			ops := s.history(r, n, 2+r.IntN(4), []float64{0, 0.1}[r.IntN(2)])
			want := porcupine.CheckOperationsTimeout(queue, ops, 0)
			got, info := leadline.CheckOperationsVerbose(model, ops, 0)
			if name != "appending" {
				want = got // whatever it is
			}
			if info.Err != nil || got == porcupine.Unknown || got != want {
				t.Errorf("%s: %v (%v), want %v\n%v", name, got, info.Err, want, ops)
			}
			if err := leadline.Visualize(model, info, io.Discard); err != nil {
				t.Errorf("%s: a page: %v", name, err)
			}
			if err := info.Explain(io.Discard); err != nil {
				t.Errorf("%s: an explanation: %v", name, err)
			}
		}
	}
}
