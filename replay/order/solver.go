package order

import (
	"math"
	"math/bits"
	"slices"

	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
)

// A literal is a variable or its negation: 2v or 2v+1.
type literal int32

func (l literal) not() literal       { return l ^ 1 }
func (l literal) variable() variable { return variable(l >> 1) }

// always and never are literals without a variable.
const (
	always literal = -2
	never  literal = -1 // always.not()
)

// A variable is a number from 0 on.
type variable int32

// A solver searches for values of variables that satisfy clauses. A clause is a disjunction
// of literals. The solver learns a clause from each conflict and backjumps (Marques-Silva
// and Sakallah 1999; it has the data structures of MiniSat, Eén and Sörensson 2003). It
// always finds an answer unless its meter or maxBytes stop it.
type solver struct {
	// arena has the clauses one after another. A clause is its length, its number of
	// decision levels, and its literals. The first two literals are watched.
	arena       []int32
	learnt      []int32     // where learnt clauses begin in arena
	watches     [][]watcher // literal -> clauses that watch its negation
	value       []int8      // literal -> 1: true, -1: false, 0: unassigned
	level       []int32     // variable -> the decision level at which it got its value
	why         []reason    // variable -> the reason for its value
	trail       []literal   // the true literals, in the order of their assignment
	levelStarts []int32     // decision -> length of the trail before the decision
	units       []literal   // learnt clauses of one literal that are not assigned at level 0 yet
	streak      int         // conflicts since the last decision
	clauseHead  int         // the clauses have been propagated for trail[:clauseHead]
	theoryHead  int         // theory has been called for trail[:theoryHead]
	// theory, if set, is called for each literal that becomes true. It calls imply for
	// the literals that follow, and returns false after a conflict.
	theory func(l literal) bool

	conflict     []literal // literals that are all false, although one of them must be true
	activity     []float32
	activityStep float32
	heap         []variable // all unassigned variables, and some others, by activity
	place        []int32    // variable -> index in heap, or -1
	phase        []bool     // variable -> the value to try first
	seen         []bool
	levelStamps  []int32 // decision level -> stamp; scratch of countLevels
	stamp        int32
	clause       []literal // the clause that is being learnt

	unsatisfiable bool         // the clauses have no solution
	cause         replay.Cause // why it gave up
	maxBytes      int64
	meter         *meter.Meter
}

// A watcher is a clause that watches a literal. The blocker is another literal of the
// clause: while it is true, the clause is satisfied.
type watcher struct {
	clause  int32
	blocker literal
}

// A reason says why a variable has its value. clause is a clause of the arena; or decided,
// if nothing implied the value; or implied, if the theory did, because the literals in
// others are false. The second of these may be never.
type reason struct {
	clause int32
	others [2]literal
}

const (
	decided = -1
	implied = -2
	// headWords are the words of a clause before its literals.
	headWords = 2
	// restartAfter is the unit of the number of conflicts between restarts.
	restartAfter = 64
	// longBackjump is the number of decisions that a backjump may undo. It may undo more
	// only after as many conflicts without a decision between them.
	longBackjump = 64
	// firstReduction is the number of learnt clauses above which reduceLearnt is first called.
	firstReduction = 4000
)

// newVariable returns a variable. Variables that have been in no conflict are decided in
// the order of decreasing weight. The decision first tries the value phase.
func (s *solver) newVariable(phase bool, weight float32) variable {
	v := variable(len(s.level))
	s.watches = append(s.watches, nil, nil)
	s.value = append(s.value, 0, 0)
	s.level = append(s.level, 0)
	s.why = append(s.why, reason{clause: decided})
	s.activity = append(s.activity, weight)
	s.place = append(s.place, -1)
	s.phase = append(s.phase, phase)
	s.seen = append(s.seen, false)
	s.insert(v)
	return v
}

func (s *solver) isTrue(l literal) bool  { return l == always || l >= 0 && s.value[l] > 0 }
func (s *solver) isFalse(l literal) bool { return l == never || l >= 0 && s.value[l] < 0 }

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

// attach adds a clause to the arena and watches its first two literals.
func (s *solver) attach(list []literal, levels int32) int32 {
	c := int32(len(s.arena))
	s.arena = append(s.arena, int32(len(list)), levels)
	for _, l := range list {
		s.arena = append(s.arena, int32(l))
	}
	s.watch(c, list[0], list[1])
	return c
}

func (s *solver) watch(c int32, a, b literal) {
	s.watches[a.not()] = append(s.watches[a.not()], watcher{c, b})
	s.watches[b.not()] = append(s.watches[b.not()], watcher{c, a})
}

// literals returns the literals of a clause.
func (s *solver) literals(c int32) []int32 {
	return s.arena[c+headWords : c+headWords+s.arena[c]]
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

func (s *solver) assign(l literal, why reason) {
	v := l.variable()
	s.value[l], s.value[l.not()] = 1, -1
	s.level[v] = int32(len(s.levelStarts))
	s.why[v] = why
	s.trail = append(s.trail, l)
}

// propagate assigns all literals that the clauses and the theory imply. It returns false,
// and sets conflict, if a clause or the theory is violated.
func (s *solver) propagate() bool {
	for {
		for s.clauseHead < len(s.trail) {
			l := s.trail[s.clauseHead]
			s.clauseHead++
			if !s.propagateWatchers(l) {
				return false
			}
		}
		if s.theory == nil || s.theoryHead == len(s.trail) {
			return true
		}
		l := s.trail[s.theoryHead]
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
		if s.value[w.blocker] > 0 {
			list[kept] = w
			kept++
			continue
		}
		c := s.literals(w.clause)
		if literal(c[0]) == l.not() {
			c[0], c[1] = c[1], c[0]
		}
		first := literal(c[0])
		if s.value[first] > 0 {
			list[kept] = watcher{w.clause, first}
			kept++
			continue
		}
		if k := slices.IndexFunc(c[2:], func(o int32) bool { return s.value[o] >= 0 }); k >= 0 {
			c[1], c[k+2] = c[k+2], c[1]
			s.watches[literal(c[1]).not()] = append(s.watches[literal(c[1]).not()], watcher{w.clause, first})
			continue
		}
		list[kept] = watcher{w.clause, first}
		kept++
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

// solve reports whether it found a solution, which is in s.value. If not, the cause says
// why it gave up, or is NoCause if the clauses have no solution.
func (s *solver) solve() (bool, replay.Cause) {
	s.activityStep = 1
	limit := firstReduction
	for round := 1; ; round++ {
		for left := (restartAfter + len(s.level)/1024) * luby(round); ; {
			if s.unsatisfiable {
				return false, replay.NoCause
			}
			consistent := s.propagate()
			if !consistent && len(s.levelStarts) == 0 {
				return false, replay.NoCause
			}
			if s.gaveUp() {
				return false, s.cause
			}
			if !consistent {
				s.learn()
				left--
				continue
			}
			s.streak = 0
			if left <= 0 {
				break
			}
			v := s.pickVariable()
			if v < 0 {
				return true, replay.NoCause
			}
			s.levelStarts = append(s.levelStarts, int32(len(s.trail)))
			l := literal(2 * v)
			if !s.phase[v] {
				l++
			}
			s.assign(l, reason{clause: decided})
		}
		s.backjump(0)
		if len(s.learnt) > limit {
			s.reduceLearnt()
			limit += limit / 8
		}
	}
}

// gaveUp counts one unit of work, and reports whether the solver gave up; s.cause says why.
func (s *solver) gaveUp() bool {
	switch {
	case s.cause != replay.NoCause:
	case s.meter.MustStop(1):
		s.cause = replay.Time
	case s.bytes() > s.maxBytes || len(s.arena) > math.MaxInt32/2:
		s.cause = replay.Memory
	}
	return s.cause != replay.NoCause
}

// learn learns a clause from the conflict: the first unique implication point. It
// backjumps, and makes the only literal of the clause true that is not false then.
func (s *solver) learn() {
	current := int32(len(s.levelStarts))
	s.clause = append(s.clause[:0], 0)
	open, at := 0, len(s.trail)
	mark := func(l literal) {
		v := l.variable()
		if s.seen[v] || s.level[v] == 0 {
			return
		}
		s.seen[v] = true
		s.bumpActivity(v)
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
		for at--; !s.seen[s.trail[at].variable()]; at-- {
		}
		l := s.trail[at]
		v := l.variable()
		s.seen[v] = false
		if open--; open == 0 {
			s.clause[0] = l.not()
			break
		}
		s.eachReason(v, mark)
	}
	s.meter.MustStop((len(s.trail) - at) / 8)
	marked := slices.Clone(s.clause[1:])
	s.minimize()
	for _, l := range marked {
		s.seen[l.variable()] = false
	}
	if s.activityStep *= 1 / 0.95; s.activityStep > 1e30 {
		for v := range s.activity {
			s.activity[v] *= 1e-30
		}
		s.activityStep *= 1e-30
	}
	s.addLearnt()
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
// clause.
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
// returns the level before the current one (chronological backtracking, Nadel and Ryvchin
// 2018).
func (s *solver) backjumpLevel(lowest int) int {
	if last := len(s.levelStarts) - 1; last-lowest > longBackjump && s.streak < longBackjump {
		return last
	}
	return lowest
}

// countLevels returns the number of decision levels at which the literals got their values.
// A clause with few levels is often useful (Audemard and Simon 2009).
func (s *solver) countLevels(list []literal) int32 {
	for len(s.levelStamps) <= len(s.levelStarts) {
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

// backjump undoes the decisions above a level, and assigns the units that this left
// unassigned.
func (s *solver) backjump(level int) {
	if len(s.levelStarts) <= level {
		return
	}
	begin := int(s.levelStarts[level])
	for _, l := range s.trail[begin:] {
		v := l.variable()
		s.value[l], s.value[l.not()] = 0, 0
		s.phase[v] = l&1 == 0
		if s.place[v] < 0 {
			s.insert(v)
		}
	}
	s.trail, s.levelStarts = s.trail[:begin], s.levelStarts[:level]
	s.clauseHead, s.theoryHead = min(s.clauseHead, begin), min(s.theoryHead, begin)
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

// reduceLearnt drops the half of the learnt clauses with the most decision levels, but none
// with two levels or fewer. It is called after a restart. It moves the remaining clauses to
// the front of the arena.
func (s *solver) reduceLearnt() {
	slices.SortStableFunc(s.learnt, func(a, b int32) int { return int(s.arena[a+1] - s.arena[b+1]) })
	keep := len(s.learnt) / 2
	for keep < len(s.learnt) && s.arena[s.learnt[keep]+1] <= 2 {
		keep++
	}
	dropped := slices.Clone(s.learnt[keep:])
	slices.Sort(dropped)
	isLearnt := map[int32]bool{}
	for _, c := range s.learnt[:keep] {
		isLearnt[c] = true
	}
	s.learnt = s.learnt[:0]
	for l := range s.watches {
		s.watches[l] = s.watches[l][:0]
	}
	// A variable with a value at level 0 needs no reason.
	for _, l := range s.trail {
		s.why[l.variable()] = reason{clause: decided}
	}
	to := int32(0)
	for c := int32(0); int(c) < len(s.arena); {
		size := headWords + s.arena[c]
		if len(dropped) > 0 && dropped[0] == c {
			dropped = dropped[1:]
		} else {
			learnt := isLearnt[c]
			copy(s.arena[to:], s.arena[c:c+size])
			list := s.literals(to)
			if slices.ContainsFunc(list, func(o int32) bool { return s.value[o] > 0 }) {
				c += size
				continue // true at level 0
			}
			// Move two unassigned literals to the front. There are two, because all
			// clauses have been propagated.
			open := 0
			for k, o := range list {
				if s.value[o] == 0 && open < 2 {
					list[open], list[k] = list[k], list[open]
					open++
				}
			}
			s.watch(to, literal(list[0]), literal(list[1]))
			if learnt {
				s.learnt = append(s.learnt, to)
			}
			to += size
		}
		c += size
	}
	s.arena = s.arena[:to]
	s.meter.MustStop(int(to) / 16)
}

// bytes estimates the memory of the solver.
func (s *solver) bytes() int64 {
	return int64(cap(s.arena))*4 + int64(len(s.arena))*4 + int64(len(s.level))*80
}

// luby returns the i-th number of 1, 1, 2, 1, 1, 2, 4, 1, 1, 2, ..., from 1 on
// (Luby, Sinclair and Zuckerman 1993).
func luby(i int) int {
	for {
		n := bits.Len(uint(i + 1))
		if i+1 == 1<<(n-1) {
			return 1 << (n - 2)
		}
		i -= 1<<(n-1) - 1
	}
}
