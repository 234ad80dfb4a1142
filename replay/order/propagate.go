package order

import "slices"

// propagate assigns all literals that the clauses and the theory imply. It returns false,
// and sets conflict, if a clause or the theory is violated. The theory comes after the
// clauses (Nieuwenhuis, Oliveras and Tinelli, "Solving SAT and SAT modulo theories", 2006).
func (s *solver) propagate() bool {
	for {
		for s.clauseHead < len(s.assigned) {
			l := s.assigned[s.clauseHead]
			s.clauseHead++
			if !s.propagateWatchers(l) {
				return false
			}
		}
		if s.theory == nil || s.theoryHead == len(s.assigned) {
			return true
		}
		l := s.assigned[s.theoryHead]
		s.theoryHead++
		if !s.theory(l) {
			return false
		}
	}
}

// propagateWatchers propagates l through the clauses that watch its negation. It returns
// false, and sets conflict, if all literals of a clause are false.
func (s *solver) propagateWatchers(l literal) bool {
	list := s.watches[l]
	s.meter.MustStop(1 + len(list)/4)
	kept := 0
	for i, w := range list {
		list[kept] = w
		kept++
		if s.value[w.blocker] > 0 {
			continue
		}
		c := s.literals(w.clause)
		if literal(c[0]) == l.not() {
			c[0], c[1] = c[1], c[0]
		}
		first := literal(c[0])
		list[kept-1].blocker = first
		if s.value[first] > 0 {
			continue
		}
		if k := slices.IndexFunc(c[2:], func(o int32) bool { return s.value[o] >= 0 }); k >= 0 {
			kept--
			c[1], c[k+2] = c[k+2], c[1]
			s.watches[literal(c[1]).not()] = append(s.watches[literal(c[1]).not()], watcher{w.clause, first})
			continue
		}
		if s.value[first] < 0 {
			s.conflict = s.conflict[:0]
			for _, o := range c {
				s.conflict = append(s.conflict, literal(o))
			}
			kept += copy(list[kept:], list[i+1:])
			s.watches[l] = list[:kept]
			return false
		}
		s.assign(first, reason{clause: w.clause})
	}
	s.watches[l] = list[:kept]
	return true
}

// imply makes l true because a and b are false. It returns false, and sets conflict, if l
// is false. b may be never.
func (s *solver) imply(l, a, b literal) bool {
	switch {
	case s.value[l] > 0:
		return true
	case s.value[l] < 0:
		s.conflict = append(s.conflict[:0], l, a)
		if b != never {
			s.conflict = append(s.conflict, b)
		}
		return false
	}
	s.assign(l, reason{implied, [2]literal{a, b}})
	return true
}
