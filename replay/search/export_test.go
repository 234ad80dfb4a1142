package search

import (
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
	"github.com/leadline/leadline/replay/state"
)

// ReadsAtOnce returns what a walk has placed after it has passed all responses
// of reads placed at the start and has placed op, in the numbers of h.
func ReadsAtOnce(h *history.History, spec replay.Spec, op int32) []int32 {
	a, _ := arrange(ops.New(h, spec, 1<<30), nil)
	machine := state.NewMachine(a.recorded)
	defer machine.Release()
	s := newWalk(a, machine, &runner{maxBytes: 1 << 30, meter: (*meter.Meter)(nil).OrUnbounded()})
	for k := range int32(len(a.number)) {
		if a.number[k] == op {
			s.put(k)
			s.state = machine.Step(s.state, k)
			s.placeReads()
		}
	}
	return a.original(s.trail)
}

// Arrange returns why the order of a history was not arranged within bounds.
func Arrange(h *history.History, maxBytes int64, m *meter.Meter) replay.Cause {
	_, cause := arrange(ops.New(h, anySpec{}, maxBytes), m)
	return cause
}

// anySpec stands for any specification: arranging does not ask it.
type anySpec struct{ replay.Spec }
