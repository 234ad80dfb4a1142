package explore

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"time"

	"github.com/leadline/leadline/history"
	bodies "github.com/leadline/leadline/history/explore"
	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/stress"
)

// Limits of the sequential runs of a program, over all orders of its invocations
// and all choices of the object. The second is for one outcome.
var (
	maxSequential = 1 << 14
	maxExplaining = 1 << 17
)

// Limits for objects that start goroutines: of all sequential runs, of those with one
// outcome, of these within a bound of delays, and of those with random schedules.
const (
	threadedSequential = 500
	maxExact           = 60000
	maxThreaded        = 20000
	randomSequential   = 1000
)

// mostTicks bounds the ticks of sequential runs.
const mostTicks = 2 * schedule.Ticks

// mostPreempted is how many preemptions an execution may have if the sequential runs with
// which it is compared are only those within a bound of delays.
const mostPreempted = 2

// An oracle runs the invocations of a program one after another in the scheduler. It
// tries every order that stress.NewExpected tries, and for each of them every choice of the
// object, such as the order of a map. One thread makes all calls, so the order of the
// invocations is also a choice. An invocation waits if that thread is in a deadlock.
//
// An object may start goroutines. Then the runs range over some of their schedules,
// and search tries all, or all within a bound.
type oracle struct {
	*stress.Sequencer
	class     *stress.Class
	program   *stress.Program
	all       []stress.Invocation
	calls     []stress.Call // of them
	expected  *stress.Expected
	scheduled schedule.Program
	object    any
	outcome   stress.Outcome
	enabled   []int // before the last invocation

	runs   map[uint64][]*stress.SequentialRun // by the hash of the outcome
	places map[string]*waitingPlace
	// releases are, for each invocation, those after whose beginning it returned while it waited.
	releases [][]int
	threads  bool // the object starts goroutines
	allowance
	timed    bool // the object reads the clock
	sleeps   bool // its calls do
	diverged bool
	unsure   bool // there may be more results of calls below complete
	more     bool // the last strategy has more schedules

	// target is what is searched for. Runs with other results are abandoned, and none follows
	// when it is found. paused makes time pass between the calls. searched has the earlier
	// targets.
	target   *sought
	found    bool
	left     bool
	paused   bool
	searched []sought
	end      time.Time // of what the program may take, if not zero
	failure  error
}

// A waitingPlace has the calls made before an invocation that waits.
type waitingPlace struct {
	order   []int
	outcome stress.Outcome
	enabled []int
	waits   []int
}

// An allowance is how often and how far time may jump in sequential runs, if it does so in the
// executions that are compared with them. Otherwise an entry of a cache that expires in an hour
// might have done so in an execution of a millisecond.
type allowance struct {
	ticks   int
	elapsed int64 // nanoseconds
}

// plain is the allowance for executions without such jumps: the clock only advances as it is read.
var plain = allowance{elapsed: 1e6}

// allowanceOf returns the allowance for an execution. Calls one after another may need more
// ticks, because one tick may wake several calls in parallel. The time is rounded up to a
// power of two.
func allowanceOf(r *schedule.Result) allowance {
	if !r.Jumped {
		return plain
	}
	a := allowance{max(r.Ticks, schedule.Ticks), plain.elapsed}
	if r.Timed && r.Elapsed > a.elapsed {
		a.elapsed = 1 << min(bits.Len64(uint64(r.Elapsed-1)), 62)
	}
	return a
}

// A sought outcome is that of an execution with at most so many preemptions, which
// drew these numbers. If events is not nil, the runs have to explain that order of events.
type sought struct {
	outcome stress.Outcome
	events  []int16
	bound   int
	numbers []uint64
	sure    bool // a run was found, or certainly all
}

// covers reports whether a search for s has found what one for t would find.
func (s *sought) covers(t *sought) bool {
	return s.outcome.Equal(t.outcome) && slices.Equal(s.events, t.events) && s.bound >= t.bound && slices.Equal(s.numbers, t.numbers)
}

// expectedOf runs the program sequentially. It returns an error if that is not
// possible within the limits of stress.NewExpected.
func expectedOf(c *stress.Class, p *stress.Program) (*stress.Expected, error) {
	return newOracle(c, p, plain).run()
}

// run makes the first runs of the program.
func (o *oracle) run() (*stress.Expected, error) {
	if err := o.TooLarge(); err != nil {
		return nil, err
	}
	first := sequentialStrategy(0, false)
	if o.explore(first, threadedSequential); o.more && o.failure == nil {
		if o.threads { // there are too many orders in which goroutines end
			o.explore(sequentialStrategy(1, true), threadedSequential)
		} else {
			o.explore(first, maxSequential)
		}
	}
	return o.concluded()
}

// newOracle returns an oracle that has run nothing yet.
func newOracle(c *stress.Class, p *stress.Program, a allowance) *oracle {
	o := &oracle{Sequencer: stress.NewSequencer(p), class: c, program: p, all: p.All(), calls: p.Calls(), runs: map[uint64][]*stress.SequentialRun{},
		allowance: a, places: map[string]*waitingPlace{}}
	o.expected = stress.ExpectedOf(c, p, o)
	o.outcome, o.releases = make(stress.Outcome, len(o.calls)), make([][]int, len(o.calls))
	o.scheduled = schedule.Program{
		Before:  func() { o.object = c.New() },
		Threads: []func(){o.drive},
		After:   func() { c.Release(o.object) },
	}
	return o
}

// concluded returns what is expected after all runs that are made at first.
func (o *oracle) concluded() (*stress.Expected, error) {
	if o.failure == nil && len(o.runs) == 0 {
		o.failure = errors.New("no order of its invocations could be run")
	}
	if o.failure == nil {
		o.failure = o.expected.Failure()
	}
	return o.expected, o.failure
}

// errSpins is the error for a program with a sequential run that does not end.
var errSpins = errors.New("an invocation of a sequential run neither returns nor waits")

// drive makes the calls of one run.
func (o *oracle) drive() {
	o.Restart()
	o.enabled, o.left = nil, false
	for i := range o.outcome {
		o.outcome[i] = stress.NotCalled
	}
	pause := pause{}
	if o.paused {
		pauses := o.pauses()
		pause = pauses[schedule.Choose(len(pauses))]
	}
	for {
		o.enabled = o.Enabled()
		list := o.inTime()
		if len(list) == 0 {
			return
		}
		i := list[schedule.Choose(len(list))]
		pause.pass()
		schedule.Invocation(0, len(o.Order))
		o.Take(i)
		o.outcome[i] = stress.Waiting
		var v history.Value
		if m := o.all[i].Method; m.MayFail() && schedule.Choose(2) == 1 {
			v = m.Failure
		} else {
			v = o.calls[i](o.object)
		}
		schedule.Returned() // it does not return if the execution is being ended
		o.outcome[i] = v
		if o.target != nil && !o.expected.IsBelow(i) && !v.Equal(o.target.outcome[i]) {
			o.left = true
			return
		}
	}
}

// inTime returns the invocations that can be next: those that did not begin after the end of
// another one that is still to come, if the order of events is to be explained.
func (o *oracle) inTime() []int {
	if o.target == nil || o.target.events == nil {
		return o.enabled
	}
	var list []int
	for _, e := range o.target.events {
		if e >= 0 && slices.Contains(o.enabled, int(e)) {
			list = append(list, int(e))
		} else if e < 0 && o.target.outcome[-1-e] != stress.Waiting && !slices.Contains(o.Order, int(-1-e)) {
			break
		}
	}
	if len(list) == 0 {
		return o.enabled // of the initial or the final part
	}
	return list
}

// A pause is a time in nanoseconds that passes before each call. If the thread sleeps,
// goroutines of the object go on until they block.
type pause struct {
	time   int64
	sleeps bool
}

func (p pause) pass() {
	if p.sleeps {
		schedule.Sleep(p.time, "a pause")
	} else if p.time > 0 {
		schedule.Pass(p.time)
	}
}

// pauses returns the pauses for objects that read the clock.
func (o *oracle) pauses() []pause {
	list := []pause{{}}
	for _, time := range []int64{50e3, 1e6, 1e9, 3600e9, o.elapsed} {
		if time < o.elapsed || len(list) == 1 || time == o.elapsed && list[len(list)-1].time < time {
			list = append(list, pause{time, true}, pause{time, false})
		}
	}
	return list
}

// explore runs the next schedules of a strategy. It reports whether these were all, and
// none was cut.
func (o *oracle) explore(s schedule.Strategy, limit int) bool {
	whole := true
	for n := 0; n < limit && o.failure == nil && !o.found; n++ {
		if n%256 == 255 {
			if o.class.Moved(); !o.end.IsZero() && time.Now().After(o.end) {
				break
			}
		}
		r := schedule.Run(&o.scheduled, s, o.limits())
		whole = o.note(r) && whole
		if o.more = s.Next(r); !o.more {
			o.conclude()
			return whole && o.failure == nil
		}
	}
	o.conclude()
	return false
}

// limits are those of sequential runs. They may have as many ticks as the execution, and more
// if calls sleep: there, one may have woken because all others waited.
func (o *oracle) limits() schedule.Limits {
	n := o.ticks
	if o.sleeps {
		n += schedule.Ticks
	}
	if n == 0 {
		n = -1
	}
	return schedule.Limits{Ticks: min(n, mostTicks)}
}

// note adds the run that has ended. It returns false if the run proves nothing.
func (o *oracle) note(r *schedule.Result) bool {
	o.threads = o.threads || r.Spawned > 0
	o.timed = o.timed || r.Timed
	o.sleeps = o.sleeps || r.Slept && !o.paused
	switch n := len(o.Order); {
	case r.Panic != nil:
		o.failure = &stress.FatalError{What: bodies.PanicText(r.Panic), Stack: r.Crash.Trace()}
	case r.Fatal != "":
		o.failure = &stress.FatalError{What: r.Fatal}
	case r.Diverged:
		o.diverged = true
		return false
	case r.Cut:
		if r.Crowded && len(o.runs) == 0 {
			o.failure = fmt.Errorf("an invocation starts too many goroutines: more than %d that run at the same time, or %d one after another",
				schedule.MaxThreads, schedule.MostSpawned)
		}
		if o.threads {
			return false
		}
		o.failure = errSpins
	case o.left, r.Pruned:
	case !r.Deadlock || n == len(o.calls) && o.outcome[o.Order[n-1]] != stress.Waiting: // only Close waits
		o.add(o.Order, o.outcome, 0)
	case n > 0 && o.outcome[o.Order[n-1]] == stress.Waiting:
		o.addPlace(o.Order[:n-1], o.Order[n-1])
	}
	return true
}

// add adds a run unless it is known.
func (o *oracle) add(order []int, outcome stress.Outcome, waiting int) {
	h := outcome.Hash()
	for _, r := range o.runs[h] {
		if slices.Equal(r.Order, order) && r.Outcome.Equal(outcome) {
			return
		}
	}
	r := &stress.SequentialRun{Order: slices.Clone(order), Outcome: slices.Clone(outcome), Waiting: waiting}
	o.runs[h] = append(o.runs[h], r)
	o.expected.Add(r)
	o.found = o.target != nil && (outcome.Equal(o.target.outcome) || o.expected.IsRelaxed()) && o.explains(o.target.outcome, o.target.events)
}

// addPlace notes that an invocation waits after the others.
func (o *oracle) addPlace(order []int, waits int) {
	o.expected.Waited = true
	var key []byte
	for _, i := range order {
		key = o.outcome[i].AppendKey(append(key, byte(i), byte(i>>8)))
	}
	w := o.places[string(key)]
	if w == nil {
		w = &waitingPlace{order: slices.Clone(order), outcome: slices.Clone(o.outcome), enabled: slices.Clone(o.enabled)}
		w.outcome[waits] = stress.NotCalled
		o.places[string(key)] = w
	}
	if !slices.Contains(w.waits, waits) {
		w.waits = append(w.waits, waits)
	}
}

// conclude adds the runs in which all that could be next wait.
func (o *oracle) conclude() {
	for _, w := range o.places {
		if len(w.waits) < len(w.enabled) {
			continue
		}
		outcome := slices.Clone(w.outcome)
		for _, i := range w.enabled {
			outcome[i] = stress.Waiting
		}
		o.add(slices.Concat(w.order, w.enabled), outcome, len(w.enabled))
	}
}

// explains reports whether a known run has the outcome, and an order in which no
// invocation comes before one that had ended when it began.
func (o *oracle) explains(outcome stress.Outcome, events []int16) bool {
	x := &stress.Execution{Outcome: outcome, Events: events}
	for _, r := range o.runs[outcome.Hash()] {
		if r.Outcome.Equal(outcome) && x.Respects(r) {
			return true
		}
	}
	return o.allows(outcome, events)
}

// search searches for a run that explains an execution: with all choices, with pauses if the
// object reads the clock, and with the random numbers of the execution in any order. It
// reports whether it has found one, or certainly all runs with the outcome.
func (o *oracle) search(t sought) bool {
	if o.expected.IsRelaxed() && (o.unsure || len(t.numbers) > 0) {
		return false
	}
	if o.expected.Together { // all runs are known, apart from the schedules of goroutines
		return !o.threads
	}
	for i := range o.searched {
		if o.searched[i].covers(&t) {
			return o.searched[i].sure
		}
	}
	o.target = &t
	sure := o.searchPauses(t.bound)
	if len(t.numbers) > 0 && !o.found {
		schedule.Redraw(t.numbers)
		sure = o.searchPauses(t.bound) && sure
		schedule.Redraw(nil)
	}
	sure = sure && o.failure == nil && (!o.expected.IsRelaxed() || o.expected.Failure() == nil)
	t.outcome, t.sure = slices.Clone(t.outcome), o.found || sure && o.ticks <= mostTicks
	if !o.found { // with another order of events it may be needed again
		o.searched = append(o.searched, t)
	}
	o.target, o.found = nil, false
	return t.sure
}

// searchPauses is search with one way to draw random numbers.
func (o *oracle) searchPauses(bound int) bool {
	sure := o.searchSchedules(bound)
	if o.timed && !o.found {
		o.paused = true
		sure = o.searchSchedules(bound) && sure
		o.paused = false
	}
	return sure
}

// searchSchedules is search with or without pauses. Without goroutines, the choices are all
// that differs from run to run. A run may start goroutines only after a pause, so this is
// known afterwards. With goroutines, the runs may be too many; then runs with few delays
// prove nothing about executions with more preemptions.
func (o *oracle) searchSchedules(bound int) bool {
	if !o.threads {
		if sure := o.explore(sequentialStrategy(0, false), maxExplaining); !o.threads {
			return sure
		}
	}
	o.explore(schedule.NewPOS(1), randomSequential)
	all := schedule.NewDPOR()
	if o.explore(all, maxExact) && all.Exhausted() {
		return true
	}
	most := min(bound, mostPreempted)
	sure := o.explore(sequentialStrategy(most+1, true), maxThreaded)
	o.explore(sequentialStrategy(most, false), randomSequential)
	return sure && bound <= mostPreempted
}

// sequentialStrategy returns all schedules within a bound of preemptions or delays.
func sequentialStrategy(bound int, byDelays bool) schedule.Strategy {
	return schedule.NewDFS(schedule.DFSOptions{Bound: bound, Delays: byDelays, Filter: true})
}

// All implements stress.SequentialRuns.
func (o *oracle) All() ([]stress.SequentialRun, error) {
	var all []stress.SequentialRun
	for _, list := range o.runs {
		for _, r := range list {
			all = append(all, *r)
		}
	}
	slices.SortFunc(all, compareRuns)
	return all, nil
}

func compareRuns(a, b stress.SequentialRun) int {
	return cmp.Or(slices.Compare(a.Order, b.Order), a.Outcome.Compare(b.Outcome))
}
