package decide_test

import (
	"testing"

	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
	"github.com/leadline/leadline/replay/state"
)

// TestCountSchedules compares both numbers with those of all schedules, one by one: of
// objects of all kinds, with pending operations and without.
func TestCountSchedules(t *testing.T) {
	t.Parallel()
	r := newRand(t)
	all := subjects(t)
	linearizable := 0
	for i := range 40 * len(all) {
		s := all[i%len(all)]
		h := randomHistory(t, r, s, r.IntN(7), i%2 == 0)
		v := check(t, h, s.spec, replay.Options{CountSchedules: true})
		m := state.NewMachine(ops.New(h, s.spec, 1<<30))
		if m == nil {
			if v.Witnesses != 0 || v.Schedules == 0 {
				t.Errorf("without states: %d schedules, %d witnesses", v.Schedules, v.Witnesses)
			}
			continue
		}
		schedules, witnesses := countSchedules(h, m)
		if v.Schedules != uint64(schedules) || v.Witnesses != uint64(witnesses) {
			t.Errorf("%s: %d schedules, %d witnesses; want %d and %d", s.spec.Name(), v.Schedules, v.Witnesses, schedules, witnesses)
		}
		if (witnesses > 0) != (v.Answer == replay.Linearizable) {
			t.Errorf("%s: %v with %d witnesses", s.spec.Name(), v.Answer, witnesses)
		}
		if witnesses > 0 {
			linearizable++
		}
	}
	if linearizable < 10*len(all) {
		t.Errorf("only %d histories are linearizable", linearizable)
	}
}

// TestCountBounds: a number that a bound keeps from being counted is 0.
func TestCountBounds(t *testing.T) {
	var lines []string
	for p := range 12 {
		lines = append(lines, "invoke "+string(rune('A'+p))+" write 1")
	}
	for p := range 12 {
		lines = append(lines, "ok "+string(rune('A'+p)))
	}
	h, register := newHistory(t, lines...), model(t, "register:0")
	for bytes, want := range map[int64]uint64{1 << 16: 0, 1 << 26: 479001600} { // 12!
		v := check(t, h, register, replay.Options{CountSchedules: true, MaxDepth: 1, Budget: replay.Budget{Bytes: bytes}})
		if v.Schedules != want || v.Witnesses != want {
			t.Errorf("in %d bytes: %d schedules, %d witnesses; want %d", bytes, v.Schedules, v.Witnesses, want)
		}
	}
}
