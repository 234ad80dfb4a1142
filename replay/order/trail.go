package order

// A trail has the values of variables, in the order of their assignment. A decision begins
// a new decision level.
type trail struct {
	value    []int8    // literal -> 1: true, -1: false, 0: unassigned
	level    []int32   // variable -> the decision level at which it got its value
	why      []reason  // variable -> the reason for its value
	assigned []literal // the true literals
	starts   []int32   // decision -> length of assigned before the decision

	clauseHead int // the clauses have been propagated for assigned[:clauseHead]
	theoryHead int // theory has been called for assigned[:theoryHead]
}

// A reason says why a variable has its value. clause is a clause of the arena; or decided,
// if nothing implied the value; or implied, if the theory did, because the literals in
// others are false. Each of these may be never.
type reason struct {
	clause int32
	others [2]literal
}

const (
	decided = -1
	implied = -2
)

func (s *trail) isTrue(l literal) bool  { return l == always || l >= 0 && s.value[l] > 0 }
func (s *trail) isFalse(l literal) bool { return l == never || l >= 0 && s.value[l] < 0 }

// currentLevel returns the decision level, which is 0 before the first decision.
func (s *trail) currentLevel() int { return len(s.starts) }

func (s *trail) assign(l literal, why reason) {
	v := l.variable()
	s.value[l], s.value[l.not()] = 1, -1
	s.level[v] = int32(len(s.starts))
	s.why[v] = why
	s.assigned = append(s.assigned, l)
}

// decide makes a literal true on a new level.
func (s *trail) decide(l literal) {
	s.starts = append(s.starts, int32(len(s.assigned)))
	s.assign(l, reason{clause: decided})
}

// undo takes the values back that were assigned above a level. It returns their literals,
// which are valid until the next assignment.
func (s *trail) undo(level int) []literal {
	begin := int(s.starts[level])
	undone := s.assigned[begin:]
	for _, l := range undone {
		s.value[l], s.value[l.not()] = 0, 0
	}
	s.assigned, s.starts = s.assigned[:begin], s.starts[:level]
	s.clauseHead, s.theoryHead = min(s.clauseHead, begin), min(s.theoryHead, begin)
	return undone
}
