package leadline_test

import (
	"flag"
	"math/rand/v2"
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
