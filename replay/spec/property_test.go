package spec

import (
	"flag"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec/internal/table"
)

var seedFlag = flag.Uint64("seed", 0, "`seed` of the random tests; 0 takes one from the clock")

// newRandom logs the seed, so that go test -run NAME -seed SEED repeats a run.
func newRandom(t *testing.T) *rand.Rand {
	seed := *seedFlag
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

func key(s replay.State) string { return string(s.AppendKey(nil)) }

// answer is the result of one step of a state.
func answer(s replay.State, inv replay.Invocation) string {
	v, ok := s.Apply(inv)
	if !ok {
		return "no transition"
	}
	return string(v.AppendKey(nil))
}

// TestModelsComplete checks that these tests cover every specification.
func TestModelsComplete(t *testing.T) {
	for _, e := range entries {
		found := false
		for i := range models {
			s, _ := models[i].open(t)
			found = found || s.Name() == e.Name
		}
		if !found {
			t.Errorf("no model of %s", e.Name)
		}
	}
}

// TestKeys runs random programs. States with equal keys must have equal results
// for all further invocations, and keep equal keys. States with different keys
// must differ in the result of a probe.
func TestKeys(t *testing.T) {
	t.Parallel()
	rounds := 1500
	if *full {
		rounds = 3000
	}
	r := newRandom(t)
	for i := range models {
		m := &models[i]
		t.Run(m.text, func(t *testing.T) {
			s, methods := m.open(t)
			first := map[string]replay.State{} // by key
			equal := 0
			for range rounds {
				state := s.New().(replay.State)
				for range r.IntN(12) {
					state.Apply(m.invocation(r, methods))
				}
				if twin, ok := first[key(state)]; ok {
					equal++
					sameFromNowOn(t, r, m, methods, twin.Clone(), state)
				} else {
					first[key(state)] = state
				}
			}
			if equal < rounds/30 {
				t.Errorf("only %d pairs with equal keys", equal)
			}
			t.Logf("%d states, %d pairs with equal keys", len(first), equal)
			shown := map[string]string{} // what the probes show -> key
			for k, state := range first {
				p := m.probe(t, state)
				if other, ok := shown[p]; ok {
					t.Fatalf("keys %x and %x of states that no probe distinguishes", k, other)
				}
				shown[p] = k
			}
		})
	}
}

func sameFromNowOn(t *testing.T, r *rand.Rand, m *model, methods *table.Signatures, a, b replay.State) {
	for range 12 {
		inv := m.invocation(r, methods)
		if x, y := answer(a, inv), answer(b, inv); x != y {
			t.Fatalf("states with equal keys: %s%v returns %q and %q", inv.Method, inv.Args, x, y)
		}
		if key(a) != key(b) {
			t.Fatalf("keys were equal before %s%v and are not after", inv.Method, inv.Args)
		}
	}
}

func (m *model) probe(t *testing.T, state replay.State) string {
	shown := ""
	for _, probe := range m.probes {
		shown += run(t, state.Clone(), probe)
	}
	return shown
}
