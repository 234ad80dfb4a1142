package search

// Pruning switches off the rules by which the search prunes orders that cannot matter.
// Tests compare the search with and without each rule.
type Pruning struct {
	NoReadsAtOnce bool // see placeReads
	NoTwins       bool // see isSecondTwin
	NoDominance   bool // see failedSet
	NoUseless     bool // see isUseless
	NoErased      bool // see erases
	NoParts       bool // see ops.Problem.Split
	NoSweep       bool // search with vectors even where a sweep is possible
}

// observers reports which operations only read; see replay.Facts.
func observers(a *arrangement, prune Pruning) []bool {
	observes := make([]bool, len(a.h.Ops))
	if !prune.NoReadsAtOnce {
		for i, readOnly := range a.columns().ReadOnly {
			observes[i] = readOnly && !a.recorded.H.Ops[i].Pending()
		}
	}
	return observes
}

// placeReads places every open operation that only reads, has its recorded result in the
// current state, and is not blocked. That is sound: a witness that places the operation
// later can also place it now, because it changes no state. (It is not enough that an
// operation changes nothing in this state. It may change a later one: write(2) changes
// nothing in state 2, but does after another write.)
func (s *sweep) placeReads() {
	for placed := true; placed; {
		placed = false
		for slot, op := range s.occupant {
			if op >= 0 && s.observes[op] && s.at.mask>>slot&1 == 0 && s.machine.Step(s.at.state, op) == s.at.state && !s.isBlocked(op) {
				s.at.mask |= 1 << slot
				s.trail = append(s.trail, op)
				placed = placed || s.followed != nil && s.followed[op] // then others may be free now
			}
		}
	}
}

// isBlocked reports whether some predecessor of the operation by an edge has not been
// placed. All predecessors have been invoked; see arrange.
func (s *sweep) isBlocked(op int32) bool {
	if s.before == nil {
		return false
	}
	for _, b := range s.before[op] {
		if s.rank[b] >= s.at.due && s.at.mask>>s.slot[b]&1 == 0 {
			return true
		}
	}
	return false
}

// isUseless reports whether placing the operation here gains nothing. A pending operation
// that leaves the state as it is can stay out, because no operation has to follow it.
func (s *sweep) isUseless(op, state int32) bool {
	return s.slot[op] < 0 && state == s.at.state && !s.prune.NoUseless
}

// changesNothing reports whether the operation is useless in every state: it may stay out,
// and it only reads.
func (s *sweep) changesNothing(op int32) bool {
	return s.mayStayOut(op) && !s.prune.NoUseless && s.machine.ReadOnly(op)
}

// erases reports whether op erases the effect of the step before it:
//
//   - that step placed a pending operation and nothing else: it left due and mask as they
//     were;
//   - op leads to the same state without that step.
//
// Then the pending operation can stay out. The search also reaches the configuration without
// it, from the one before that step, and that configuration covers this one. (An operation
// that is blocked there is blocked here, too.)
func (s *sweep) erases(op, state int32) bool {
	if len(s.stack) < 2 || s.prune.NoErased {
		return false
	}
	from := &s.stack[len(s.stack)-2]
	return from.due == s.at.due && from.mask == s.at.mask && s.machine.Step(from.state, op) == state
}

// isSecondTwin reports whether the operation has a twin that must return first: another
// open operation with the same method, arguments and result that has not been placed. A
// witness with the later one first stays a witness when the two change places: both are
// open now, and the response of the earlier one comes first. With edges, the earlier one
// must not be blocked, and no operation may have to follow the later one.
func (s *sweep) isSecondTwin(op int32) bool {
	if s.prune.NoTwins || s.followed != nil && s.followed[op] {
		return false
	}
	for slot, other := range s.occupant {
		if other >= 0 && other != op && s.at.mask>>slot&1 == 0 && s.machine.Same(op, other) &&
			s.ops[other].Return < s.ops[op].Return && !s.isBlocked(other) {
			return true
		}
	}
	return false
}

// isSecondPendingTwin is isSecondTwin for pending operations: of twins, the one invoked
// first is placed first. It is enough to check the previous twin: if it has been placed and
// an earlier one has not, the earlier one was blocked.
func (s *sweep) isSecondPendingTwin(k int32) bool {
	j := s.earlier[k]
	return j >= 0 && !s.used.has(s.at.used, j) && !s.isBlocked(s.pendings[j]) && !s.prune.NoTwins
}

// findEarlier fills in s.earlier: twins have the same column of the machine.
func (s *sweep) findEarlier() {
	last := map[int32]int32{}
	s.earlier = make([]int32, len(s.pendings))
	for k, op := range s.pendings {
		column := s.machine.Column(op)
		s.earlier[k] = -1
		if j, ok := last[column]; ok {
			s.earlier[k] = j
		}
		last[column] = int32(k)
	}
}
