package order

import "slices"

// An analysis learns clauses from conflicts.
type analysis struct {
	conflict    []literal // literals that are all false, although one of them must be true
	clause      []literal // the clause that is being learnt
	seen        []bool    // variable -> it is in the clause, or was resolved away
	levelStamps []int32   // decision level -> stamp; scratch of countLevels
	stamp       int32
	units       []literal // learnt clauses of one literal that are not assigned at level 0 yet
	streak      int       // conflicts since the last decision
}

// longBackjump is the number of decisions that a backjump may undo. It may undo more only
// after as many conflicts without a decision between them. Without a limit, deques of 3,000
// operations by 16 clients that lose 2 % of the responses take four times as long. With a
// quarter, deques of BenchmarkRun take 2 and 3 times the work. Four times change little.
const longBackjump = 64

// learn learns a clause from the conflict. It backjumps, and makes the only literal of the
// clause true that is not false then (Marques-Silva and Sakallah, "GRASP", 1999).
func (s *solver) learn() {
	s.clause = append(s.clause[:0], 0)
	s.clause[0] = s.resolve()
	marked := slices.Clone(s.clause[1:])
	s.minimize()
	for _, l := range marked {
		s.seen[l.variable()] = false
	}
	s.decay()
	s.addLearnt()
}

// resolve appends to the clause what implied the conflict at lower levels, and returns the
// negation of the first unique implication point (Zhang et al., "Efficient conflict driven
// learning", 2001).
func (s *solver) resolve() literal {
	current := int32(s.currentLevel())
	open, at := 0, len(s.assigned)
	mark := func(l literal) {
		v := l.variable()
		if s.seen[v] || s.level[v] == 0 {
			return
		}
		s.seen[v] = true
		s.bump(v)
		if s.level[v] == current {
			open++
		} else {
			s.clause = append(s.clause, l)
		}
	}
	for _, l := range s.conflict {
		mark(l)
	}
	for {
		for at--; !s.seen[s.assigned[at].variable()]; at-- {
		}
		l := s.assigned[at]
		v := l.variable()
		s.seen[v] = false
		if open--; open == 0 {
			s.meter.MustStop((len(s.assigned) - at) / 8)
			return l.not()
		}
		s.eachReason(v, mark)
	}
}

// eachReason calls f for the false literals that implied v.
func (s *solver) eachReason(v variable, f func(literal)) {
	switch why := &s.why[v]; why.clause {
	case decided:
	case implied:
		for _, o := range why.others {
			if o != never {
				f(o)
			}
		}
	default:
		for _, o := range s.literals(why.clause) {
			if literal(o).variable() != v {
				f(literal(o))
			}
		}
	}
}

// minimize drops the literals of the clause that are implied by other literals of the
// clause (local minimization: Sörensson and Biere, "Minimizing learned clauses", 2009).
func (s *solver) minimize() {
	kept := 1
	for _, l := range s.clause[1:] {
		v, needed := l.variable(), false
		if s.why[v].clause == decided {
			needed = true
		} else {
			s.eachReason(v, func(o literal) { needed = needed || !s.seen[o.variable()] && s.level[o.variable()] > 0 })
		}
		if needed {
			s.clause[kept] = l
			kept++
		}
	}
	s.clause = s.clause[:kept]
}

// addLearnt backjumps and adds the clause that was learnt.
func (s *solver) addLearnt() {
	list := s.clause
	s.streak++
	if len(list) == 1 {
		s.units = append(s.units, list[0])
		s.backjump(s.backjumpLevel(0))
		return
	}
	latest := 1
	for i := range list[1:] {
		if s.level[list[i+1].variable()] > s.level[list[latest].variable()] {
			latest = i + 1
		}
	}
	list[1], list[latest] = list[latest], list[1]
	levels := s.countLevels(list)
	s.backjump(s.backjumpLevel(int(s.level[list[1].variable()])))
	c := s.attach(list, levels)
	s.learnt = append(s.learnt, c)
	s.assign(list[0], reason{clause: c})
}

// backjumpLevel returns the decision level to which to backjump after a conflict, given the
// lowest possible one. If that would undo many decisions after few conflicts in a row, it
// returns the level before the current one (Nadel and Ryvchin, "Chronological
// backtracking", 2018).
func (s *solver) backjumpLevel(lowest int) int {
	if last := s.currentLevel() - 1; last-lowest > longBackjump && s.streak < longBackjump {
		return last
	}
	return lowest
}

// backjump undoes the decisions above a level, and assigns the units that this left
// unassigned.
func (s *solver) backjump(level int) {
	if s.currentLevel() <= level {
		return
	}
	for _, l := range s.undo(level) {
		s.release(l)
	}
	for _, l := range s.units {
		switch {
		case s.value[l] == 0:
			s.assign(l, reason{implied, [2]literal{never, never}})
		case s.value[l] < 0 && level == 0:
			s.unsatisfiable = true
		}
	}
	if level == 0 {
		s.units = s.units[:0]
	}
}

// countLevels returns the number of decision levels at which the literals got their values.
// A clause with few levels is often useful (Audemard and Simon, "Predicting learnt clauses
// quality", 2009).
func (s *solver) countLevels(list []literal) int32 {
	for len(s.levelStamps) <= s.currentLevel() {
		s.levelStamps = append(s.levelStamps, 0)
	}
	s.stamp++
	n := int32(0)
	for _, l := range list {
		if at := &s.levelStamps[s.level[l.variable()]]; *at != s.stamp {
			*at = s.stamp
			n++
		}
	}
	return n
}
