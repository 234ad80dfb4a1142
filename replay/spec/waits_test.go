package spec

import (
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// TestMayWait: where a method has no transition, its row says that it may wait, so that a call
// that waits for ever is refused and not taken for a violation. The other methods accept one.
func TestMayWait(t *testing.T) {
	t.Parallel()
	r := newRandom(t)
	for i := range models {
		m := &models[i]
		s, methods := m.open(t)
		waits := func(inv replay.Invocation) error {
			return s.Check(&history.Operation{Method: inv.Method, Args: inv.Args, Result: history.WaitsForever, Waits: true})
		}
		accepted := 0
		for range 50 {
			walk := replay.NewWalk(s)
			for range 12 {
				inv := m.invocation(r, methods)
				op := &history.Operation{Method: inv.Method, Args: inv.Args, Result: history.UnknownValue, Return: history.NoReturn}
				results, ok := walk.Step(op)
				if !ok {
					t.Fatalf("%s: %v: no step", m.text, op)
				}
				switch err := waits(inv); {
				case err == nil && len(results) == 0:
					t.Errorf("%s: %v has no transition, but a call that waits for ever is accepted", m.text, op)
				case err == nil:
					accepted++
				}
			}
		}
		if accepted == 0 && m.text != "mutex" {
			t.Errorf("%s: no method accepts a call that waits for ever", m.text)
		}
	}
}
