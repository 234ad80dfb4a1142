package spec

import (
	"bytes"
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

// TestClone modifies clones: neither is affected by changes of the other, and a
// clone behaves like the original.
func TestClone(t *testing.T) {
	t.Parallel()
	r := newRandom(t)
	for i := range models {
		m := &models[i]
		t.Run(m.text, func(t *testing.T) {
			s, methods := m.open(t)
			for range 300 {
				a := s.New().(replay.State)
				for range r.IntN(20) {
					a.Apply(m.invocation(r, methods))
				}
				before := key(a)
				b := a.Clone()
				if key(b) != before {
					t.Fatal("a clone has a different key")
				}
				for range 8 {
					b.Apply(m.invocation(r, methods))
				}
				if key(a) != before {
					t.Fatal("the original changes with its clone")
				}
				c, after := a.Clone(), key(b)
				for range 8 {
					a.Apply(m.invocation(r, methods))
				}
				if key(b) != after || key(c) != before {
					t.Fatal("a clone changes with the original")
				}
			}
		})
	}
}

// TestNoTransition: without a transition, nothing changes. AppendKey keeps its
// prefix.
func TestNoTransition(t *testing.T) {
	r := newRandom(t)
	refused := 0
	for i := range models {
		m := &models[i]
		s, methods := m.open(t)
		for range 50 {
			state := s.New().(replay.State)
			for range 20 {
				before, inv := key(state), m.invocation(r, methods)
				if _, ok := state.Apply(inv); !ok {
					refused++
					if key(state) != before {
						t.Fatalf("%s: %s%v has no transition but changes the state", m.text, inv.Method, inv.Args)
					}
				}
			}
			if !bytes.Equal(state.AppendKey([]byte("x")), []byte("x"+key(state))) {
				t.Fatalf("%s: AppendKey does not append", m.text)
			}
		}
	}
	if refused == 0 {
		t.Error("no invocation without transition")
	}
}
