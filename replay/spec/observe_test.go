package spec

import (
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// TestObserves calls every method in random states. If its facts claim that an
// operation changes nothing, it must leave the key of the state unchanged. That
// holds for every result, or for the results given in the facts.
func TestObserves(t *testing.T) {
	r := newRandom(t)
	for i := range models {
		m := &models[i]
		t.Run(m.text, func(t *testing.T) {
			s, methods := m.open(t)
			described := s.(replay.Described)
			observed := 0
			for range 400 {
				state := s.New().(replay.State)
				for range r.IntN(12) {
					state.Apply(m.invocation(r, methods))
				}
				before := key(state)
				for j := range methods.List {
					inv := m.call(r, methods, j)
					after := state.Clone()
					result, ok := after.Apply(inv)
					if !ok {
						continue
					}
					for _, recorded := range []history.Value{result, history.UnknownValue} {
						op := history.Operation{Method: inv.Method, Args: inv.Args, Result: recorded}
						if !described.Facts(&op).ReadOnly {
							continue
						}
						observed++
						if key(after) != before {
							t.Fatalf("the facts of %v claim no change, but it changes the state", &op)
						}
					}
				}
			}
			if observed == 0 {
				t.Error("no operation with facts that claim no change")
			}
		})
	}
}

// TestParts runs random programs of operations with parts on one object and,
// part by part, on one object per part. The results must be the same.
func TestParts(t *testing.T) {
	r := newRandom(t)
	tried := 0
	for i := range models {
		m := &models[i]
		s, methods := m.open(t)
		described := s.(replay.Described)
		if !described.Traits().Partitioned {
			continue
		}
		tried++
		calls := 0
		for programs := 0; calls < 2000 && programs < 20000; programs++ {
			whole := s.New()
			parts := map[string]replay.Object{}
			for range r.IntN(20) {
				inv := m.invocation(r, methods)
				op := &history.Operation{Method: inv.Method, Args: inv.Args}
				part, ok := described.Facts(op).PartOf(op)
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
					t.Fatalf("%s: %v returns %v on the whole and %v on its part", m.text, inv, a, b)
				}
			}
		}
		if calls < 1000 {
			t.Errorf("%s: only %d calls with a part", m.text, calls)
		}
	}
	if tried < 6 {
		t.Errorf("only %d models with parts were tried", tried)
	}
}
