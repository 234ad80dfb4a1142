package stress

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress/explore/schedule"
)

// Expected are the outcomes that a program can have if its invocations take
// effect one after another.
type Expected struct {
	set     tally
	class   *Class // whose objects were run
	program *Program
	// initial and final count the invocations of these parts that return in all
	// shuffles before one waits.
	initial, final int
	complete       bool // in some shuffle all invocations return
	waits          bool // in some shuffle an invocation waits forever
	waited         bool // in some order an invocation waits, but not forever
}

// Limits of a program whose shuffles are run.
const (
	maxShuffles    = 1 << 17
	maxSequences   = 8       // nine sequences have more shuffles
	maxInvocations = 1000    // of one program
	maxCalls       = 1 << 23 // of all shuffles together
)

// NewExpected finds the outcomes of a program as Violat does ("Generating
// Tests of Observational Refinement for Concurrent Objects", section 4): it
// runs each shuffle of the sequences that respects their order on a fresh
// object of the class, one invocation after another. For k sequences of m
// invocations that takes (km)!/(m!)^k runs; more than 131072 are an error, and
// so are more than 1000 invocations, or 8388608 of all runs together.
// Weak mutators may also fail in any run.
//
// An invocation that waits has no transition: another sequence comes first. If
// the next invocations of all sequences wait, the outcome is that these wait for
// ever, and that those after them are not called.
//
// Unlike linearizability, it does not know which invocation of one sequence
// ended before which of another began, and so allows more outcomes.
func NewExpected(c *Class, p *Program) (*Expected, error) { return newExpected(c, p, nil) }

// newExpected is NewExpected with the paths that are known to wait; see shuffler.
// It adds to them.
func newExpected(c *Class, p *Program, known map[string]bool) (*Expected, error) {
	e := &Expected{class: c, program: p, initial: len(p.Initial), final: len(p.Final)}
	s := newShuffler(c, p, &e.set)
	defer s.bench.close()
	if known != nil {
		s.known = known
	}
	if err := s.tooLarge(); err != nil {
		return nil, err
	}
	s.ran = func(order []int, _ Outcome, waiting int) { e.note(len(order)-waiting, waiting) }
	s.next()
	e.waited = s.waited
	switch {
	case s.failure != nil:
		return nil, s.failure
	case s.bench.spins:
		return nil, errSpins
	case s.bench.unclear:
		return nil, errors.New("an invocation waits, but goroutines that might wake it do not")
	}
	return e, nil
}

// note records a run by its numbers of invocations that return and that then wait
// forever.
func (e *Expected) note(returned, waiting int) {
	e.waits = e.waits || waiting > 0
	switch final := e.program.Len() - len(e.program.Final); {
	case waiting == 0:
		e.complete = true
	case returned < len(e.program.Initial):
		e.initial = min(e.initial, returned)
	case returned >= final:
		e.final = min(e.final, returned-final)
	}
}

// errSpins is the error for a program with a sequential run that does not end.
var errSpins = errors.New("an invocation of a sequential run neither returns nor waits")

// Contains reports whether the program can have the outcome.
func (e *Expected) Contains(o Outcome) bool { return e.set.has(o) }

// Outcomes returns them in a fixed order, with the number of shuffles that
// lead to each.
func (e *Expected) Outcomes() []Count { return e.set.counts() }

// A shuffler runs the shuffles of a program.
type shuffler struct {
	class    *Class
	program  *Program
	calls    []step
	names    []string // of each invocation
	sequence []int    // of each invocation, or -1
	begin    []int    // sequence -> its first invocation among calls
	at       []int    // sequence -> how many of its invocations are in order
	before   [][]int
	order    []int // invocations so far, in order
	failed   []bool
	seen     *tally
	// ran receives each run; it may be nil. The last waiting invocations of the
	// order wait forever.
	ran func(order []int, outcome Outcome, waiting int)

	bench  bench
	path   []byte          // the names of the invocations in order
	known  map[string]bool // paths whose last invocation waits
	waited bool            // an invocation waited in some order
	// stuck is the place in the order of one that was found to wait.
	stuck   int
	times   int  // how often each order is run
	differs bool // runs of one order had different results
	failure error
}

// nothingStuck is larger than any place in an order.
const nothingStuck = maxInvocations + 1

// A step is a prepared invocation.
type step struct {
	call   Call
	method *Method
}

func newShuffler(c *Class, p *Program, seen *tally) *shuffler {
	s := &shuffler{class: c, program: p, calls: steps(p), before: make([][]int, len(p.Sequences)), at: make([]int, len(p.Sequences)), seen: seen,
		bench: bench{class: c, limit: spinLimit}, known: map[string]bool{}, stuck: nothingStuck, times: 1}
	from := len(p.Initial)
	for _, sequence := range p.Sequences {
		s.begin = append(s.begin, from)
		from += len(sequence)
	}
	for _, o := range p.Order {
		s.before[o[1]] = append(s.before[o[1]], o[0])
	}
	s.failed = make([]bool, len(s.calls))
	for i, inv := range p.All() {
		s.names = append(s.names, inv.String())
		s.sequence = append(s.sequence, -1)
		for sequence, first := range s.begin {
			if i >= first && i < first+len(p.Sequences[sequence]) {
				s.sequence[i] = sequence
			}
		}
	}
	return s
}

func (inv Invocation) prepare() step { return step{inv.Method.Prepare(inv.Args), inv.Method} }

func steps(p *Program) []step {
	all := p.All()
	list := make([]step, len(all))
	for i, inv := range all {
		list[i] = inv.prepare()
	}
	return list
}

// tooLarge returns an error if running the shuffles would exceed a limit.
func (s *shuffler) tooLarge() error {
	n := len(s.calls)
	if n > maxInvocations {
		return fmt.Errorf("the program has %d invocations, but at most %d are possible", n, maxInvocations)
	}
	switch runs := s.count(map[string]int{}); {
	case runs > maxShuffles:
		return fmt.Errorf("the program has more than %d shuffles", maxShuffles)
	case runs*n > maxCalls:
		return fmt.Errorf("the shuffles of the program have more than %d invocations together", maxCalls)
	}
	return nil
}

// count returns the number of continuations of the current order, times 2^w for their w
// weak mutators, or a number above maxShuffles. The map has those it counted before.
func (s *shuffler) count(counted map[string]int) int {
	key := fmt.Sprint(s.at)
	if n, ok := counted[key]; ok {
		return n
	}
	runs, open := 0, false
	for i, sequence := range s.program.Sequences {
		if s.at[i] == len(sequence) || !s.ready(i) || runs > maxShuffles {
			continue
		}
		open = true
		m := sequence[s.at[i]].Method
		s.at[i]++
		n := s.count(counted)
		s.at[i]--
		if m.Weak && !m.ReadOnly {
			n *= 2
		}
		runs += n
	}
	if !open {
		runs = 1
	}
	counted[key] = min(runs, maxShuffles+1)
	return counted[key]
}

// ready reports whether the sequences before sequence i have ended.
func (s *shuffler) ready(i int) bool {
	for _, b := range s.before[i] {
		if s.at[b] < len(s.program.Sequences[b]) {
			return false
		}
	}
	return true
}

// next runs all continuations of the current order. If an invocation that is already in
// the order turns out to wait, next returns early. It also stops after a run that does
// not end for an unknown reason.
func (s *shuffler) next() {
	if s.bench.unclear {
		return
	}
	if s.program.together {
		s.runTogether()
		return
	}
	n := len(s.order)
	candidates := s.candidates()
	var waiting []int
	for _, i := range candidates {
		if m := s.calls[i].method; m.Weak && !m.ReadOnly {
			s.failed[i] = true
			s.with(i)
			s.failed[i] = false
		}
		if s.stuck == nothingStuck && s.with(i) {
			waiting = append(waiting, i)
		}
		if s.stuck < n {
			return
		}
	}
	if len(waiting) == len(candidates) { // or there are none
		s.run(waiting)
	}
}

// candidates returns the invocations that can be next, apart from whether they
// wait.
func (s *shuffler) candidates() []int {
	n := len(s.order)
	if n < len(s.program.Initial) {
		return []int{n}
	}
	var list []int
	for i, sequence := range s.program.Sequences {
		if s.at[i] < len(sequence) && s.ready(i) {
			list = append(list, s.begin[i]+s.at[i])
		}
	}
	if list == nil && n < len(s.calls) {
		return []int{n} // of the final part
	}
	return list
}

// with runs all orders in which invocation i is next, and reports whether it
// waits there.
func (s *shuffler) with(i int) (waits bool) {
	n, path := len(s.order), len(s.path)
	s.order = append(s.order, i)
	s.path = append(append(s.path, s.names[i]...), ';')
	if s.failed[i] {
		s.path = append(s.path, '!')
	}
	sequence := s.sequence[i]
	if sequence >= 0 {
		s.at[sequence]++
	}
	if len(s.known) > 0 && s.known[string(s.path)] {
		waits, s.waited = true, true
	} else if s.next(); s.stuck == n {
		s.known[string(s.path)] = true
		waits, s.stuck = true, nothingStuck
	}
	if sequence >= 0 {
		s.at[sequence]--
	}
	s.order, s.path = s.order[:n], s.path[:path]
	return waits
}

// run runs the order, after which the invocations in waiting wait forever.
func (s *shuffler) run(waiting []int) {
	if s.exhausted() {
		return
	}
	calls := make([]Call, len(s.order))
	for k, i := range s.order {
		if calls[k] = s.calls[i].run; s.failed[i] {
			failure := s.calls[i].method.Failure
			calls[k] = func(any) history.Value { return failure }
		}
	}
	results, same := s.bench.repeat(calls, s.times)
	if len(results) < len(calls) {
		s.stuck, s.waited = len(results), true
		return
	}
	s.differs = s.differs || !same
	outcome := make(Outcome, len(s.calls))
	if len(waiting) > 0 {
		for i := range outcome {
			outcome[i] = notCalled
		}
	}
	for k, i := range s.order {
		outcome[i] = results[k]
	}
	for _, i := range waiting {
		outcome[i] = Waiting
	}
	s.seen.add(outcome, 1)
	if s.ran != nil {
		s.ran(append(s.order[:len(s.order):len(s.order)], waiting...), outcome, len(waiting))
	}
}

// exhausted reports whether the process must make no more objects. Then it ends the shuffles.
func (s *shuffler) exhausted() bool {
	if s.class.exhausted() {
		s.failure, s.bench.unclear = errCrowded, true
	}
	return s.failure != nil
}

// Prepare returns a call of the invocation. A panic is an exception, and the
// result of a weak read-only method is unknown.
func (inv Invocation) Prepare() Call {
	s := inv.prepare()
	return s.run
}

// run calls the method; see Invocation.Prepare.
func (s *step) run(object any) (v history.Value) {
	defer func() {
		if p := recover(); p != nil {
			if schedule.Aborted(p) {
				panic(p)
			}
			v = history.ExceptionValue(fmt.Sprintf("panic: %v", p))
		}
	}()
	v = s.call(object)
	if s.method.Weak && s.method.ReadOnly {
		v = history.UnknownValue
	}
	return v
}

// An Outcome has the results of the invocations of a program, in the order of
// Program.All. Results that never count as a violation are Unknown.
type Outcome []history.Value

// String returns the outcome in the notation of the papers: N for null, T and F for
// booleans, () for no result. W is for an invocation that waits forever, and - for one
// that is not called. Unlike in the papers, an exception has its message, cut after 60
// characters.
func (o Outcome) String() string {
	parts := make([]string, len(o))
	for i, v := range o {
		parts[i] = short(v)
	}
	return strings.Join(parts, ",")
}

func short(v history.Value) string {
	switch v.Kind() {
	case history.None:
		return "()"
	case history.Null:
		return "N"
	case history.Bool:
		if v.Bool() {
			return "T"
		}
		return "F"
	case history.Exception:
		switch v {
		case Waiting:
			return "W"
		case notCalled:
			return "-"
		}
		if text := []rune(v.String()); len(text) > 60 {
			return string(text[:60]) + "..."
		}
	case history.Unknown:
		return "?"
	case history.List:
		parts := make([]string, 0, 4)
		for _, e := range v.List() {
			parts = append(parts, short(e))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case history.Map:
		var parts []string
		pairs := v.List()
		for i := 0; i+1 < len(pairs); i += 2 {
			parts = append(parts, short(pairs[i])+"="+short(pairs[i+1]))
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	return v.String()
}

func (o Outcome) equal(p Outcome) bool { return slices.EqualFunc(o, p, history.Value.Equal) }

func (o Outcome) compare(p Outcome) int { return slices.CompareFunc(o, p, history.Value.Compare) }

func (o Outcome) hash() uint64 {
	h := uint64(len(o))
	for _, v := range o {
		h = v.Hash(h)
	}
	return h
}

// A Count is how often an outcome was seen.
type Count struct {
	Outcome Outcome
	Times   int64
}

// A tally counts outcomes. It allocates only for new ones.
type tally struct {
	slots []tallySlot // a power of two of them, open addressing
	n     int
}

type tallySlot struct {
	hash uint64
	Count
}

// add counts an outcome.
func (t *tally) add(o Outcome, times int64) { t.find(o).Times += times }

// find returns the count of an outcome, which is 0 if it is new.
func (t *tally) find(o Outcome) *Count {
	if 2*t.n >= len(t.slots) {
		old := t.slots
		t.slots = make([]tallySlot, max(16, 2*len(old)))
		for _, s := range old {
			if s.hash != 0 {
				*t.slot(s.Outcome, s.hash) = s
			}
		}
	}
	h := o.hash() | 1 // 0 is a free slot
	s := t.slot(o, h)
	if s.hash == 0 {
		t.n++
		s.hash, s.Outcome = h, slices.Clone(o)
	}
	return &s.Count
}

// slot returns the slot of an outcome, or the free one for it.
func (t *tally) slot(o Outcome, h uint64) *tallySlot {
	mask := uint64(len(t.slots) - 1)
	for at := h >> 7 & mask; ; at = (at + 1) & mask {
		if s := &t.slots[at]; s.hash == 0 || s.hash == h && s.Outcome.equal(o) {
			return s
		}
	}
}

// has reports whether the outcome was counted.
func (t *tally) has(o Outcome) bool { return t.n > 0 && t.slot(o, o.hash()|1).hash != 0 }

// counts returns all in the order of their outcomes.
func (t *tally) counts() []Count {
	var all []Count
	for _, s := range t.slots {
		if s.hash != 0 {
			all = append(all, s.Count)
		}
	}
	slices.SortFunc(all, func(a, b Count) int { return a.Outcome.compare(b.Outcome) })
	return all
}
