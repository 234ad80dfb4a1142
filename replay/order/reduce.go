package order

import "slices"

// firstReduction is the number of learnt clauses above which reduceLearnt is first called.
// BenchmarkPigeons takes 0.8 of the work with a quarter, 2.2 with four times as many, and 2.6
// without calls, with 3 times the memory. Few histories of BenchmarkRun learn so much.
const firstReduction = 4000

// dropped is in place of the levels of a clause that compact leaves out.
const dropped = -1

// reduceLearnt drops the half of the learnt clauses with the most decision levels, but none
// with two levels or fewer (Audemard and Simon, 2009). It is called at level 0.
func (s *solver) reduceLearnt() {
	slices.SortStableFunc(s.learnt, func(a, b int32) int { return int(s.levels(a) - s.levels(b)) })
	keep := len(s.learnt) / 2
	for keep < len(s.learnt) && s.levels(s.learnt[keep]) <= 2 {
		keep++
	}
	for _, c := range s.learnt[keep:] {
		s.arena[c+1] = dropped
	}
	s.compact()
}

// compact moves the clauses to the front of the arena. It leaves out those that are dropped
// or true at level 0. Reasons at level 0 become wrong, but no analysis asks for them.
func (s *solver) compact() {
	s.learnt = s.learnt[:0]
	for l := range s.watches {
		s.watches[l] = s.watches[l][:0]
	}
	to := int32(0)
	for c, size := int32(0), int32(0); int(c) < len(s.arena); c += size {
		size = headWords + s.arena[c]
		if s.levels(c) == dropped || slices.ContainsFunc(s.literals(c), func(o int32) bool { return s.value[o] > 0 }) {
			continue
		}
		copy(s.arena[to:], s.arena[c:c+size])
		if s.levels(to) > 0 {
			s.learnt = append(s.learnt, to)
		}
		list := s.literals(to)
		s.watch(to, literal(list[0]), literal(list[1]))
		to += size
	}
	s.arena = s.arena[:to]
	s.meter.MustStop(int(to) / 16)
}
