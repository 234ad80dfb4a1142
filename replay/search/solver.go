package search

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

// A solver looks for values of variables that satisfy clauses, each of which is a
// disjunction of literals. It learns a clause from each conflict and goes back to where
// that clause has an effect (Marques-Silva and Sakallah 1999; the data structures are
// those of MiniSat, Eén and Sörensson 2003). It never stops without an answer unless its
// meter or maxBytes stop it.
type solver struct {
	// arena has the clauses one after the other: the length, the number of levels, and
	// the literals, of which the first two are watched.
	arena   []int32
	learnt  []int32     // beginnings of learnt clauses in arena
	watches [][]watcher // literal -> clauses that watch its negation
	value   []int8      // literal -> 1: true, -1: false, 0: open
	level   []int32     // variable -> the decision after which it got its value
	why     []reason    // variable -> what implied it
	trail   []literal   // those that are true, in order
	begins  []int32     // decision -> length of the trail before it
	units   []literal   // learnt literals that are not at level 0 yet
	streak  int         // conflicts since the last decision
	done    int         // trail up to which everything has been propagated
	told    int         // trail up to which theory was called
	// theory, if set, is called for each literal that becomes true. It implies
	// others, and returns false after a conflict.
	theory func(l literal) bool

	conflict []literal // literals that cannot all be false, and are
	activity []float32
	bump     float32
	heap     []variable // open variables, and some others, by activity
	place    []int32    // variable -> index in heap, or -1
	phase    []bool     // variable -> the value to try first
	seen     []bool
	levels   []int32 // decision -> stamp, of countLevels
	stamp    int32
	clause   []literal // that is being learnt

	broken   bool         // the clauses have no solution
	cause    replay.Cause // why it gave up
	maxBytes int64
	meter    *meter.Meter
}

// A watcher is a clause that watches a literal, and another literal of it.
type watcher struct {
	clause  int32
	blocker literal
}

// A reason is a clause of the arena, or two other literals (or one and never) that are
// false, if clause is implied; none has decided.
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
	// farBack is how many decisions are undone at most, unless as many conflicts follow
	// each other.
	farBack = 64
	// fewLearnt is the number of learnt clauses from which on some are dropped.
	fewLearnt = 4000
)

// newVariable returns a variable. Of variables that are in no conflict, those with
// greater weight are decided first, and phase is tried first.
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

// add adds a clause before the search. It sorts and keeps nothing of literals. It adds
// nothing after it gave up.
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
		s.broken = true
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

// literals returns those of a clause.
func (s *solver) literals(c int32) []int32 {
	return s.arena[c+headWords : c+headWords+s.arena[c]]
}

// imply makes l true because others are false. It returns false, and sets conflict, if l
// is false. The second of the others may be never.
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
	s.level[v] = int32(len(s.begins))
	s.why[v] = why
	s.trail = append(s.trail, l)
}

// propagate finds what follows. It returns false, and sets conflict, if something is
// contradictory.
func (s *solver) propagate() bool {
	for {
		for s.done < len(s.trail) {
			l := s.trail[s.done]
			s.done++
			if !s.visit(l) {
				return false
			}
		}
		if s.theory == nil || s.told == len(s.trail) {
			return true
		}
		l := s.trail[s.told]
		s.told++
		if !s.theory(l) {
			return false
		}
	}
}

// visit looks at the clauses that watch the negation of l.
func (s *solver) visit(l literal) bool {
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

// solve reports whether there is a solution, which value has then. Otherwise the cause
// says why it gave up, or NoCause if there is none.
func (s *solver) solve() (bool, replay.Cause) {
	s.bump = 1
	limit := fewLearnt
	for round := 1; ; round++ {
		for left := (restartAfter + len(s.level)/1024) * luby(round); ; {
			if s.broken {
				return false, replay.NoCause
			}
			consistent := s.propagate()
			if !consistent && len(s.begins) == 0 {
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
			v := s.choose()
			if v < 0 {
				return true, replay.NoCause
			}
			s.begins = append(s.begins, int32(len(s.trail)))
			l := literal(2 * v)
			if !s.phase[v] {
				l++
			}
			s.assign(l, reason{clause: decided})
		}
		s.goBack(0)
		if len(s.learnt) > limit {
			s.forget()
			limit += limit / 8
		}
	}
}

// gaveUp counts one unit of work, and reports whether the solver gives up; cause says why.
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

// learn learns a clause from the conflict, goes back to where all but one of its literals
// are false, and makes that one true.
func (s *solver) learn() {
	current := int32(len(s.begins))
	s.clause = append(s.clause[:0], 0)
	open, at := 0, len(s.trail)
	mark := func(l literal) {
		v := l.variable()
		if s.seen[v] || s.level[v] == 0 {
			return
		}
		s.seen[v] = true
		s.raise(v)
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
	s.shorten()
	for _, l := range marked {
		s.seen[l.variable()] = false
	}
	if s.bump *= 1 / 0.95; s.bump > 1e30 {
		for v := range s.activity {
			s.activity[v] *= 1e-30
		}
		s.bump *= 1e-30
	}
	s.use()
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

// shorten leaves out literals that others of the clause imply.
func (s *solver) shorten() {
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

// use goes back and adds the clause that was learnt.
func (s *solver) use() {
	list := s.clause
	s.streak++
	if len(list) == 1 {
		s.units = append(s.units, list[0])
		s.goBack(s.target(0))
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
	s.goBack(s.target(int(s.level[list[1].variable()])))
	c := s.attach(list, levels)
	s.learnt = append(s.learnt, c)
	s.assign(list[0], reason{clause: c})
}

// target returns how many decisions to keep after a conflict, where so many are enough:
// all but the last, if many would be undone and few conflicts came right before.
func (s *solver) target(decisions int) int {
	if last := len(s.begins) - 1; last-decisions > farBack && s.streak < farBack {
		return last
	}
	return decisions
}

// countLevels returns at how many levels literals got their values: a clause with few is
// useful often (Audemard and Simon 2009).
func (s *solver) countLevels(list []literal) int32 {
	for len(s.levels) <= len(s.begins) {
		s.levels = append(s.levels, 0)
	}
	s.stamp++
	n := int32(0)
	for _, l := range list {
		if at := &s.levels[s.level[l.variable()]]; *at != s.stamp {
			*at = s.stamp
			n++
		}
	}
	return n
}

// goBack undoes all but so many decisions.
func (s *solver) goBack(decisions int) {
	if len(s.begins) <= decisions {
		return
	}
	begin := int(s.begins[decisions])
	for _, l := range s.trail[begin:] {
		v := l.variable()
		s.value[l], s.value[l.not()] = 0, 0
		s.phase[v] = l&1 == 0
		if s.place[v] < 0 {
			s.insert(v)
		}
	}
	s.trail, s.begins = s.trail[:begin], s.begins[:decisions]
	s.done, s.told = min(s.done, begin), min(s.told, begin)
	for _, l := range s.units {
		switch {
		case s.value[l] == 0:
			s.assign(l, reason{implied, [2]literal{never, never}})
		case s.value[l] < 0 && decisions == 0:
			s.broken = true
		}
	}
	if decisions == 0 {
		s.units = s.units[:0]
	}
}

// forget drops half of the learnt clauses, those of most levels, after a restart. It
// moves all other clauses together.
func (s *solver) forget() {
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
	// What has a value at level 0 needs no reason.
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
			// The first two are open: everything has been propagated.
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

// bytes is about the memory that the solver takes.
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
