package search

// Pruning switches off the rules by which the search prunes orders that cannot matter.
// Tests compare the search with and without each rule.
type Pruning struct {
	NoReadsAtOnce bool // see placeReads
	NoTwins       bool // see isSecondTwin
	NoUseless     bool // see isUseless
	NoErased      bool // see erases
	NoParts       bool // see ops.Problem.Split
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
func (s *walk) placeReads() {
	for again := true; again; {
		again = false
		for k := 0; k < len(s.heads); k++ {
			op := s.heads[k]
			if !s.observes[op] || !s.isOpen(op) || s.machine.Step(s.state, op) != s.state {
				continue
			}
			s.put(op)
			k--                                                  // s.heads[k] is another operation now
			again = again || s.followed != nil && s.followed[op] // then others may be free now
			if s.owed++; s.isOver() {
				return
			}
		}
	}
}

// isUseless reports whether placing the operation here gains nothing. A pending operation
// that leaves the state as it is can stay out, because no operation has to follow it.
func (s *walk) isUseless(op, next int32) bool {
	return s.of[op] < 0 && next == s.state && !s.prune.NoUseless
}

// erases reports whether op erases the effect of the step before it:
//
//   - that step placed a pending operation and nothing else;
//   - op leads to the same state without that step.
//
// Then the pending operation can stay out. The search also reaches the configuration without
// it, from the one before that step, and that configuration covers this one. (An operation
// that is blocked there is blocked here, too.)
func (s *walk) erases(op, next int32) bool {
	if len(s.stack) < 2 || s.prune.NoErased {
		return false
	}
	from := &s.stack[len(s.stack)-2]
	return len(s.trail) == int(from.trail)+1 && s.of[s.trail[from.trail]] < 0 && s.machine.Step(from.state, op) == next
}

// isSecondTwin reports whether an open operation need not be tried because it has a twin
// that must return first: another open operation with the same method, arguments and result.
// A witness with the later one first stays a witness when the two change places: both are
// open now, and the response of the earlier one comes first. With edges, the earlier one
// must not be blocked, and no operation may have to follow the later one.
func (s *walk) isSecondTwin(op int32, hasTwin bool) bool {
	return hasTwin && !s.prune.NoTwins && (s.followed == nil || !s.followed[op])
}

// isSecondPendingTwin is isSecondTwin for pending operations: of twins, the one invoked
// first is placed first. It is enough to check the previous twin: if it has been placed and
// an earlier one has not, the earlier one was blocked.
func (s *walk) isSecondPendingTwin(k int32) bool {
	j := s.earlier[k]
	return j >= 0 && !s.sets.has(s.used, j) && !s.isBlocked(s.pendings[j]) && !s.prune.NoTwins
}
