package search

import (
	"math/bits"
	"sync"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/internal/engine"
)

// MaxSmall is the largest number of operations of a history that Small decides.
const MaxSmall = 32

// Small is Run for histories of up to MaxSmall operations without edges, which
// often come by the thousand. It searches configurations like Run, without the
// rules that only pay off on longer histories. It declines if
//   - it does not apply,
//   - the specification rejects an operation, or
//   - it would take more than a few milliseconds.
func Small(h *history.History, spec replay.Spec, m *meter.Meter) replay.Finding {
	if len(h.Ops) > MaxSmall || h.HasEdges() {
		return replay.Declines("")
	}
	machine := engine.NewMachine(h, spec)
	if machine == nil {
		return replay.Declines("")
	}
	machine.Bound(m, smallBytes)
	defer machine.Release()
	if !machine.Valid() {
		return replay.Declines("")
	}
	s := smallPool.Get().(*small)
	defer smallPool.Put(s)
	s.prepare(h, machine)
	switch answer, last := s.run(); answer {
	case found:
		return replay.Found(replay.SearchEngine, s.witness(last))
	case refuted:
		if machine.GaveUp() == replay.NoCause {
			return replay.Refuted(replay.SearchEngine)
		}
	}
	return replay.Declines("")
}

type outcome uint8

const (
	undecided outcome = iota
	found
	refuted
)

const (
	smallWork  = 1 << 16 // bounds the configurations that Small visits
	smallBytes = 1 << 24 // bounds the sets of states that it computes
)

var smallPool = sync.Pool{New: func() any { return new(small) }}

// small is the state of one search. Sets of operations are bits of a word.
type small struct {
	n        int
	machine  *engine.Machine
	before   [MaxSmall]uint32 // operation -> operations that returned before it was invoked
	must     uint32           // operations that a witness has to place
	observes uint32           // completed operations that only read: see sweep.placeReads
	path     [MaxSmall + 1]smallFrame
	trail    [MaxSmall]int8 // operations in the order of placing
	failed   keySet         // configurations without a witness
}

// A smallFrame is a configuration with the candidates left to try.
type smallFrame struct {
	placed, left uint32
	state        int32
	trail        int8 // number of operations placed
}

func (f *smallFrame) key() []uint64 { return []uint64{uint64(f.placed)<<32 | uint64(f.state)} }

func (s *small) prepare(h *history.History, machine *engine.Machine) {
	s.n, s.machine, s.must, s.observes = len(h.Ops), machine, 0, 0
	before := uint32(0)
	for i := range h.Ops {
		op := &h.Ops[i]
		if !op.Pending() || op.Happened {
			s.must |= 1 << i
		}
		if !op.Pending() && machine.ReadOnly(int32(i)) {
			s.observes |= 1 << i
		}
		// Operations are in the order of their invocations: what is before one is
		// before all that follow.
		for open := uint32(1<<i-1) &^ before; open != 0; open &= open - 1 {
			if j := bits.TrailingZeros32(open); h.Ops[j].Return < op.Call {
				before |= 1 << j
			}
		}
		s.before[i] = before
	}
	if s.failed.words = 1; s.failed.index.Len() > 0 {
		s.failed.clear()
	}
}

// run searches depth first. It skips configurations that have failed before. Each
// step places an operation, so no configuration is reached from itself.
func (s *small) run() (outcome, *smallFrame) {
	depth := 0
	s.enter(&s.path[0], 0, s.machine.Start(), 0)
	for range smallWork {
		f := &s.path[depth]
		switch {
		case f.placed&s.must == s.must:
			return found, f
		case f.left == 0 && depth == 0:
			return refuted, nil
		case f.left == 0:
			s.failed.add(f.key())
			depth--
			continue
		}
		op := bits.TrailingZeros32(f.left)
		f.left &= f.left - 1
		if state := s.machine.Step(f.state, int32(op)); state != engine.Fail {
			s.trail[f.trail] = int8(op)
			next := &s.path[depth+1]
			s.enter(next, f.placed|1<<op, state, f.trail+1)
			if s.failed.index.Len() == 0 || s.failed.number(next.key()) < 0 {
				depth++
			}
		}
	}
	return undecided, nil
}

// enter makes f the frame of a configuration. It places operations that only
// read, have their recorded result here, and leave the state unchanged: see
// sweep.placeReads. The candidates are the operations that may come next.
func (s *small) enter(f *smallFrame, placed uint32, state int32, trail int8) {
	for again := true; again; {
		again = false
		for reads := s.observes &^ placed; reads != 0; reads &= reads - 1 {
			op := bits.TrailingZeros32(reads)
			if s.before[op]&^placed != 0 {
				break // later operations have all of that before them, too
			}
			if s.machine.Step(state, int32(op)) == state {
				s.trail[trail] = int8(op)
				placed |= 1 << op
				trail++
				again = true // operations after op may be possible now
			}
		}
	}
	*f = smallFrame{placed: placed, state: state, trail: trail}
	for rest := uint32(1<<s.n-1) &^ placed; rest != 0; rest &= rest - 1 {
		op := bits.TrailingZeros32(rest)
		if s.before[op]&^placed != 0 {
			break
		}
		f.left |= 1 << op
	}
}

// witness is the trail of the last frame, followed by what never took effect.
func (s *small) witness(last *smallFrame) []int32 {
	order := make([]int32, 0, s.n)
	for _, op := range s.trail[:last.trail] {
		order = append(order, int32(op))
	}
	for rest := uint32(1<<s.n-1) &^ last.placed; rest != 0; rest &= rest - 1 {
		order = append(order, int32(bits.TrailingZeros32(rest)))
	}
	return order
}
