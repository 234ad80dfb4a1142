package spec

import (
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// TestObserves runs random programs: what is said to look must leave the
// state as it is, and methods that only look must be known as such.
func TestObserves(t *testing.T) {
	r := newRandom(t)
	for i := range models {
		m := &models[i]
		t.Run(m.text, func(t *testing.T) {
			s, methods := m.open(t)
			observer := s.(replay.Observer)
			observed := 0
			for range 2000 {
				state := m.start(t, s)
				for range r.IntN(12) {
					before := key(state)
					inv := m.invocation(r, methods)
					result, ok := state.Apply(inv)
					op := history.Operation{Method: inv.Method, Args: inv.Args, Result: result}
					if !ok || !observer.Observes(&op) {
						continue
					}
					observed++
					if key(state) != before {
						t.Fatalf("%v is said to look, but changes the state", &op)
					}
				}
			}
			if observed == 0 {
				t.Error("nothing is said to look")
			}
		})
	}
}

// TestParts runs random programs of operations with parts on one object and,
// part by part, on objects of their own: the answers must be the same.
func TestParts(t *testing.T) {
	r := newRandom(t)
	tried := 0
	for i := range models {
		m := &models[i]
		s, methods := m.open(t)
		partitioned := s.(replay.Partitioned)
		if len(parted[s.Name()]) == 0 {
			continue
		}
		tried++
		calls := 0
		for range 2000 {
			whole := s.New()
			parts := map[string]replay.Object{}
			for range r.IntN(20) {
				inv := m.invocation(r, methods)
				part, ok := partitioned.Part(&history.Operation{Method: inv.Method, Args: inv.Args})
				if !ok {
					continue
				}
				calls++
				if parts[part.String()] == nil {
					parts[part.String()] = s.New()
				}
				a, okA := whole.Apply(inv)
				b, okB := parts[part.String()].Apply(inv)
				if okA != okB || okA && !a.Equal(b) {
					t.Fatalf("%s: %v answers %v on the whole and %v on its part", m.text, inv, a, b)
				}
			}
		}
		if calls < 2000 {
			t.Errorf("%s: only %d calls with a part", m.text, calls)
		}
	}
	if tried < len(parted) {
		t.Errorf("%d models with parts were tried, there are %d", tried, len(parted))
	}
}
