package order

import "slices"

// clauses has clauses, one after another in an arena. A clause is its length, its number
// of decision levels, and its literals. The first two literals are watched: a clause needs
// attention only when one of them becomes false (Moskewicz et al., "Chaff", 2001).
type clauses struct {
	arena   []int32
	learnt  []int32     // where learnt clauses begin in arena
	watches [][]watcher // literal -> clauses that watch its negation
}

// A watcher is a clause that watches a literal. The blocker is another literal of the
// clause: while it is true, the clause is satisfied.
type watcher struct {
	clause  int32
	blocker literal
}

// headWords are the words of a clause before its literals. A clause that was not learnt
// has 0 levels.
const headWords = 2

// attach adds a clause and watches its first two literals.
func (s *clauses) attach(list []literal, levels int32) int32 {
	c := int32(len(s.arena))
	s.arena = append(s.arena, int32(len(list)), levels)
	for _, l := range list {
		s.arena = append(s.arena, int32(l))
	}
	s.watch(c, list[0], list[1])
	return c
}

func (s *clauses) watch(c int32, a, b literal) {
	s.watches[a.not()] = append(s.watches[a.not()], watcher{c, b})
	s.watches[b.not()] = append(s.watches[b.not()], watcher{c, a})
}

// literals returns the literals of a clause.
func (s *clauses) literals(c int32) []int32 {
	return s.arena[c+headWords : c+headWords+s.arena[c]]
}

// levels returns the number of decision levels of a clause.
func (s *clauses) levels(c int32) int32 { return s.arena[c+1] }

// add adds a clause before the search. It adds nothing after the solver gave up.
func (s *solver) add(literals ...literal) {
	if s.gaveUp() {
		return
	}
	list := s.clause[:0]
	for _, l := range literals {
		if s.isTrue(l) {
			return
		}
		if !s.isFalse(l) && !slices.Contains(list, l) {
			list = append(list, l)
		}
	}
	for _, l := range list {
		if slices.Contains(list, l.not()) {
			return
		}
	}
	switch s.clause = list; len(list) {
	case 0:
		s.unsatisfiable = true
	case 1:
		s.assign(list[0], reason{clause: decided})
	default:
		s.attach(list, 0)
	}
}
