package search

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/state"
)

// A sweep searches a history along its responses. No operation has to be placed before a
// response requires it: its own response, or the response of an operation that has to
// follow it. So a configuration consists of
//
//   - the next response (the due one),
//   - the state,
//   - the set of open operations that have been placed, and
//   - the set of pending operations that have been placed.
//
// All operations with an earlier response have been placed. No operation that was invoked
// later than the due response has been placed.
//
// An operation with predecessors by edges (arrangement.before) is blocked until all of them
// have been placed. The search still reaches every witness in the order of that witness,
// because what a witness places before the due operation was invoked before the due
// response. A configuration determines which operations have been placed, and hence which
// are blocked and what can follow. (The due operation is never blocked: intervals have been
// narrowed, so its predecessors were due before it.)
//
// A sweep is the space of a walk.
type sweep struct {
	state.Walk
	*arrangement
	ops      []history.Operation
	machine  *state.Machine
	prune    Pruning
	order    []int32 // operations that must be placed, sorted by response
	called   []int32 // response -> number of operations invoked before it
	slot     []int32 // operation -> bit of the mask; -1 for pending ones, or stayOut
	slots    int
	pendings []int32 // operations that may stay out, sorted by invocation
	pendUpTo []int32 // response -> number of pendings invoked before it
	observes []bool  // operation -> only reads
	rank     []int32 // operation that must be placed -> index into order; only with before
	earlier  []int32 // index into pendings -> the previous twin, or -1; see isSecondTwin

	at       spot
	occupant []int32 // slot -> open operation, or -1
	trail    []int32 // operations placed, in order
	stack    []frame
	failed   failedSet
	used     usedSets

	maxBytes int64
	grown    growth
	furthest int32 // the largest due that was reached
	pace     *Pace // or nil
	begun    int64 // what the meter had counted before
}

// A spot is a configuration.
type spot struct {
	due   int32  // index into order of the next response
	state int32  // of the machine
	used  int32  // set of pending operations placed
	mask  uint64 // slots of open operations placed
}

// A frame is a configuration with a choice: which operation to place next.
type frame struct {
	spot
	trail int32
	next  int32 // the first candidate that has not been tried
}

// stayOut is the slot of a pending operation that is never placed.
const stayOut = -2

// newSweep prepares the search. It reports false if more operations that must
// be placed are open at once than a mask has bits.
func newSweep(a *arrangement, machine *state.Machine, prune Pruning) (*sweep, bool) {
	ops := a.h.Ops
	s := &sweep{arrangement: a, ops: ops, machine: machine, prune: prune,
		slot: make([]int32, len(ops)), observes: observers(a, prune)}
	s.Fits = func() bool { return s.bytes() <= s.maxBytes || s.forget() }
	for i := range ops {
		if s.changesNothing(int32(i)) {
			s.slot[i] = stayOut
		} else if a.mayStayOut(int32(i)) {
			s.pendings = append(s.pendings, int32(i))
			s.slot[i] = -1
		} else {
			s.order = append(s.order, int32(i))
		}
	}
	slices.SortStableFunc(s.order, func(a, b int32) int { return cmp.Compare(ops[a].Return, ops[b].Return) })
	if !s.assignSlots() {
		return nil, false
	}
	if s.before != nil {
		s.rank = make([]int32, len(ops))
		for k, o := range s.order {
			s.rank[o] = int32(k)
		}
	}
	s.findEarlier()
	s.occupant = slices.Repeat([]int32{-1}, s.slots)
	s.used.init(len(s.pendings))
	s.failed.init(len(s.pendings) > 0, !prune.NoDominance)
	s.at.state = machine.Start()
	s.grown.work(machine.Bytes()) // not counted: another sweep may have used the machine
	if len(s.order) > 0 {
		s.invoke(0, s.called[0])
		s.placeReads()
	}
	return s, true
}

// assignSlots assigns to each operation that must be placed the lowest bit that is free
// while the operation is open. It reports false if all bits are taken.
func (s *sweep) assignSlots() bool {
	free := ^uint64(0)
	next, pend := 0, 0
	for _, o := range s.order {
		r := s.ops[o].Return
		for next < len(s.ops) && s.ops[next].Call < r {
			if s.slot[next] < 0 {
				if s.slot[next] != stayOut {
					pend++
				}
			} else {
				if free == 0 {
					return false
				}
				bit := bits.TrailingZeros64(free)
				free &^= 1 << bit
				s.slot[next] = int32(bit)
				s.slots = max(s.slots, bit+1)
			}
			next++
		}
		s.called = append(s.called, int32(next))
		s.pendUpTo = append(s.pendUpTo, int32(pend))
		free |= 1 << s.slot[o]
	}
	return true
}

// invoke marks the operations from..to-1 as open.
func (s *sweep) invoke(from, to int32) {
	for i := from; i < to; i++ {
		if s.slot[i] >= 0 {
			s.occupant[s.slot[i]] = i
		}
	}
}

// advance moves past the due response, whose operation has been placed.
func (s *sweep) advance() {
	o := s.order[s.at.due]
	s.at.mask &^= 1 << s.slot[o]
	s.occupant[s.slot[o]] = -1
	s.at.due++
	if int(s.at.due) < len(s.order) {
		s.invoke(s.called[s.at.due-1], s.called[s.at.due])
		s.placeReads()
	}
}

// retreatTo undoes advance until the given response is due.
func (s *sweep) retreatTo(due int32) {
	for s.at.due > due {
		if int(s.at.due) < len(s.order) {
			for i := s.called[s.at.due] - 1; i >= s.called[s.at.due-1]; i-- {
				if s.slot[i] >= 0 {
					s.occupant[s.slot[i]] = -1
				}
			}
		}
		s.at.due--
		o := s.order[s.at.due]
		s.occupant[s.slot[o]] = o
	}
}

// place appends an operation to the trail.
func (s *sweep) place(op, state int32) {
	s.trail = append(s.trail, op)
	s.at.state = state
	if slot := s.slot[op]; slot >= 0 {
		s.at.mask |= 1 << slot
	} else {
		p, _ := slices.BinarySearch(s.pendings, op)
		s.at.used = s.used.with(s.at.used, int32(p))
	}
	s.placeReads()
}

// run searches for a witness and leaves it in s.trail; see state.Walk.
func (s *sweep) run() (bool, replay.Cause) { return s.Explore(s) }

func (s *sweep) Settle() bool {
	for int(s.at.due) < len(s.order) && s.at.mask>>s.slot[s.order[s.at.due]]&1 != 0 {
		s.advance()
	}
	s.furthest = max(s.furthest, s.at.due)
	return int(s.at.due) == len(s.order)
}

func (s *sweep) HasFailed() bool { return s.failed.has(s.at, &s.used) }

func (s *sweep) Push() { s.stack = append(s.stack, frame{s.at, int32(len(s.trail)), 0}) }

func (s *sweep) Back() bool {
	if len(s.stack) == 0 {
		return false
	}
	s.Spend(state.ConfigurationWork + s.failed.compared + s.grown.work(s.machine.Bytes()))
	if s.isBehind() {
		s.GaveUp = replay.Time
	}
	s.failed.compared = 0
	f := &s.stack[len(s.stack)-1]
	s.retreatTo(f.due)
	s.at = f.spot
	s.trail = s.trail[:f.trail]
	return true
}

// isBehind reports whether the search is behind its pace.
func (s *sweep) isBehind() bool {
	return s.pace != nil && s.Meter.Spent()-s.begun > s.pace.Least+s.pace.Each*int64(s.furthest)
}

func (s *sweep) Move() bool {
	f := &s.stack[len(s.stack)-1]
	for {
		op, more := s.candidate(f.next)
		if !more || s.Spend(1) {
			return false
		}
		f.next++
		if op >= 0 && s.try(op) {
			return true
		}
	}
}

func (s *sweep) Fail() {
	s.failed.add(s.stack[len(s.stack)-1].spot, &s.used)
	s.stack = s.stack[:len(s.stack)-1]
}

// try places the operation if that may lead to a witness.
func (s *sweep) try(op int32) bool {
	next := s.machine.Step(s.at.state, op)
	if next == state.Fail || s.isBlocked(op) || s.isUseless(op, next) || s.erases(op, next) {
		return false
	}
	s.place(op, next)
	return true
}

// candidate returns the k-th operation to try here, or -1 if there is none at
// index k. The order is: the due operation, the other open ones, the pending
// ones. It reports false after the last.
func (s *sweep) candidate(k int32) (int32, bool) {
	due := s.order[s.at.due]
	if k == 0 {
		return due, true
	}
	if k--; int(k) < s.slots {
		op := s.occupant[k]
		if op < 0 || op == due || s.at.mask>>k&1 != 0 || s.isSecondTwin(op) {
			return -1, true
		}
		return op, true
	}
	k -= int32(s.slots)
	if k >= s.pendUpTo[s.at.due] {
		return -1, false
	}
	if s.used.has(s.at.used, k) || s.isSecondPendingTwin(k) {
		return -1, true
	}
	return s.pendings[k], true
}

// bytes estimates the memory in use.
func (s *sweep) bytes() int64 {
	return s.failed.bytes() + s.used.Bytes() + s.machine.Bytes() + int64(cap(s.stack))*32 + int64(cap(s.trail))*4
}

// forget drops the failed configurations that cannot occur again: those whose due response
// is before the due response of the first frame on the path with a candidate left. It reports whether
// enough memory is free afterwards.
func (s *sweep) forget() bool {
	for i := range s.stack {
		// The remaining indices may have no candidate. Then fewer configurations are
		// dropped than possible.
		if f := &s.stack[i]; f.next < 1+int32(s.slots)+s.pendUpTo[f.due] {
			s.failed.dropBefore(f.due)
			break
		}
	}
	return s.bytes() <= s.maxBytes-s.maxBytes/8
}
