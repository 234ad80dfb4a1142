package search

import (
	"math/bits"

	"github.com/leadline/leadline/replay"
)

// MaxGeneral is the largest number of operations of a history with edges.
const MaxGeneral = 64

// A configuration is a set of placed operations and the state after them.
type configuration struct {
	placed uint64
	state  int32
}

// bytesPerEntry is what a failed configuration costs in a Go map.
const bytesPerEntry = 40

// masks searches a history of up to 64 operations whose order need not be an
// interval order: depth first over the configurations that its schedules go
// through. One that failed is not tried again, so that the work is bounded by
// the number of configurations, not of schedules (Wing and Gong 1993, with
// the memory of Lowe 2017).
//
// Pending operations need not be placed: one that never is stands at the end
// of the witness.
type masks struct {
	n       int
	machine *replay.Machine
	below   []uint64 // predecessors of each operation
	must    uint64   // operations that a witness has to place
	path    []step
	failed  map[configuration]bool
}

// A step of the path: the configuration it left, and the operation it placed.
type step struct {
	from configuration
	op   int
}

func newMasks(in *replay.Instance, machine *replay.Machine) *masks {
	s := &masks{n: len(in.Ops), machine: machine, failed: map[configuration]bool{}}
	s.below = make([]uint64, s.n)
	for i := range s.n {
		op := &in.History.Ops[i]
		if !op.Pending() || op.Happened {
			s.must |= 1 << i
		}
		for j := range s.n {
			if in.Poset.Less(int32(j), int32(i)) {
				s.below[i] |= 1 << j
			}
		}
	}
	return s
}

// run returns whether there is a witness, left in s.path; a cause if it had
// to give up.
func (s *masks) run(maxBytes int64, stop func() bool) (bool, replay.Cause) {
	at := configuration{0, s.machine.Start()}
	next := 0 // the first operation to try
	for work := 0; at.placed&s.must != s.must; work++ {
		if work&0xfff == 0xfff {
			if stop() {
				return false, replay.Time
			}
			if int64(len(s.failed))*bytesPerEntry+s.machine.Bytes() > maxBytes {
				return false, replay.Memory
			}
		}
		if op, state := s.candidate(at, next); op >= 0 {
			s.path = append(s.path, step{at, op})
			at = configuration{at.placed | 1<<op, state}
			next = 0
			continue
		}
		s.failed[at] = true
		if len(s.path) == 0 {
			return false, replay.NoCause
		}
		last := s.path[len(s.path)-1]
		s.path = s.path[:len(s.path)-1]
		at, next = last.from, last.op+1
	}
	return true, replay.NoCause
}

// candidate returns the first operation from next on that can be placed and
// leads to a configuration that has not failed, with the state it leads to.
func (s *masks) candidate(at configuration, next int) (int, int32) {
	for left := ^at.placed >> next << next; left != 0; left &= left - 1 {
		op := bits.TrailingZeros64(left)
		if op >= s.n {
			break
		}
		if s.below[op]&^at.placed != 0 {
			continue
		}
		state := s.machine.Step(at.state, int32(op))
		if state != replay.Fail && !s.failed[configuration{at.placed | 1<<op, state}] {
			return op, state
		}
	}
	return -1, 0
}

func (s *masks) witness() []int32 {
	var placed uint64
	witness := make([]int32, 0, s.n)
	for _, step := range s.path {
		placed |= 1 << step.op
		witness = append(witness, int32(step.op))
	}
	for op := range s.n {
		if placed>>op&1 == 0 {
			witness = append(witness, int32(op))
		}
	}
	return witness
}
