package order_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
	"github.com/leadline/leadline/replay/order"
	"github.com/leadline/leadline/replay/search"
)

// TestWindows compares small windows with the general search.
func TestWindows(t *testing.T) {
	t.Logf("-seed %d", *seedFlag)
	r := rand.New(rand.NewPCG(*seedFlag, 94))
	rounds := *rounds
	if *full {
		rounds = max(rounds, 10_000)
	}
	for _, model := range slices.Sorted(maps.Keys(collectionMethods)) {
		s, count := lookup(t, model), map[string]int{}
		others := collectionMethods[model][1]
		for round := range rounds {
			methods := others
			if round%3 == 0 {
				methods = append(others[:len(others):len(others)], "isEmpty", "size")
			}
			c := collecting{r, collectionMethods[model][0], methods, 12 + r.IntN(32), 2 + r.IntN(4), 100, 0, r.IntN(6)}
			h := moved(t, r, c.events(s), r.IntN(2)*r.IntN(c.n))
			f := order.DecideInWindows(ops.New(h, s, 1<<30), 2+r.IntN(12), nil)
			if f.Answer == replay.Undecided {
				count["undecided"]++
				continue
			}
			count[f.Answer.String()]++
			want := search.Run(ops.New(h, s, 1<<22), nil).Answer
			if want == replay.Undecided {
				count["left out"]++
				continue
			}
			if checkFinding(t, "windows", h, s, f, want); t.Failed() {
				t.Fatal(show(h))
			}
		}
		t.Log(model, count)
		if min(count["linearizable"], count["not-linearizable"]) < rounds/20 {
			t.Fatalf("%s: %v of %d", model, count, rounds)
		}
	}
}
