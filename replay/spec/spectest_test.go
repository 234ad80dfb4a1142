package spec

import (
	"math/rand/v2"
	"testing"

	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec/spectest"
)

// TestBundled: the bundled specifications keep what they promise.
func TestBundled(t *testing.T) {
	t.Parallel()
	for i := range models {
		m := &models[i]
		t.Run(m.text, func(t *testing.T) {
			s, methods := m.open(t)
			programs := 150
			if *full {
				programs = 3000
			}
			spectest.Run(t, s, spectest.Calls{Seed: *seedFlag, Programs: programs, Draw: func(r *rand.Rand) replay.Invocation { return m.invocation(r, methods) }})
		})
	}
}
