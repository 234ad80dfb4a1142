package simulate

import (
	"math"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// A runner makes the events of one history.
type runner struct {
	Workload
	model  *model
	object replay.Object
	random random
	yield  func(history.Event) bool
	values
	steering
	faulty

	slots     []slot
	processes int64 // how many there are so far
	begun     int   // operations
	open      int   // of them, without the lost ones
	lost      int   // operations that are pending for ever
	size      int   // elements of a collection, those in live if it is a set
	owed      int   // operations that hold a mutex or may get it
	resting   bool  // only unlock may begin
	stopped   bool  // yield has returned false
	capacity  int   // of a queue; 0: no bound
}

// A slot is a thread: a process with its operation. After a lost operation it is
// another process.
type slot struct {
	process history.Value
	phase   phase
	fate    fate
	kind    kind
	which   int // of the methods of this kind
	inv     replay.Invocation
	result  history.Value
	holds   bool // the mutex; a new process takes it over from a lost one
}

type phase uint8

const (
	idle phase = iota
	invoked
	tookEffect
)

// A fate is what becomes of an operation.
type fate uint8

const (
	returns fate = iota
	lostBefore
	lostAfter // it took effect
)

func newRunner(w Workload, m *model, object replay.Object, yield func(history.Event) bool) *runner {
	r := &runner{
		Workload: w, model: m, object: object, yield: yield,
		random:   newRandom(w.Seed, 1),
		values:   values{scatter: newPermutation(w.Ops + 1<<10)},
		steering: steering{goal: w.Fill, rising: true, filling: w.Fill > shallow},
		faulty:   faulty{random: newRandom(w.Seed, 2), lostOn: map[int64]int{}},
		slots:    make([]slot, w.Threads),
	}
	for i := range r.slots {
		r.newProcess(&r.slots[i])
	}
	return r
}

// newProcess gives a slot a new process.
func (r *runner) newProcess(s *slot) {
	s.process, s.phase = history.IntValue(r.processes), idle
	r.processes++
}

func (r *runner) run() {
	for _, f := range r.Faults {
		at := int(math.Ceil(float64(r.Ops) * float64(f.Percent) / 100))
		r.until(func() bool { return r.begun >= at })
		r.inject(f)
	}
	r.until(func() bool { return false })
	r.rest()
}

// until runs the threads until done returns true, or no operation is left to
// begin.
func (r *runner) until(done func() bool) {
	for !r.stopped && r.begun < r.Ops && !done() {
		r.step(&r.slots[r.random.below(len(r.slots))])
	}
}

// rest runs the threads until all open operations have returned.
func (r *runner) rest() {
	r.resting = true
	for !r.stopped && (r.open > 0 || r.owed > 0) {
		r.step(&r.slots[r.random.below(len(r.slots))])
	}
	r.resting = false
}

func (r *runner) emit(ev history.Event) {
	if !r.stopped && !r.yield(ev) {
		r.stopped = true
	}
}

// step runs one step of a thread. Three times out of four, a thread whose operation
// returns begins the next one at once.
func (r *runner) step(s *slot) {
	switch {
	case s.phase == idle:
		r.begin(s)
	case s.fate == lostBefore:
		r.lose(s)
	case s.phase == invoked:
		r.takeEffect(s)
	case s.fate == lostAfter:
		r.lose(s)
	default:
		r.respond(s)
		if r.random.below(4) > 0 {
			r.begin(s)
		}
	}
}

func (r *runner) begin(s *slot) {
	if r.begun >= r.Ops && !s.holds || r.resting && r.model.shape != lock || !r.draw(s) {
		return
	}
	s.phase, s.fate = invoked, returns
	if r.Lost > 0 && r.random.below(1000) < r.Lost {
		// Others may be waiting for an unlock.
		if s.fate = lostAfter; r.random.below(2) == 0 && s.inv.Method != unlock {
			s.fate = lostBefore
		}
	}
	r.begun++
	r.open++
	r.emit(history.Event{Type: history.Invoke, Process: s.process, Method: s.inv.Method, Args: s.inv.Args})
}

func (r *runner) takeEffect(s *slot) {
	result, ok := r.object.Apply(s.inv)
	if !ok {
		return // it has to wait
	}
	s.result, s.phase = r.exchange(result), tookEffect
	switch r.model.shape {
	case ends:
		r.count(s.kind, s.which, result)
	case named:
		if s.kind == insert && r.Values == 0 {
			r.live = append(r.live, s.inv.Args[0].Int())
			r.size++
		}
	case lock:
		r.grab(s)
	}
}

// count updates the number of elements after an effect on a collection with ends.
func (r *runner) count(k kind, which int, result history.Value) {
	isBounded := k == insert && result.Kind() == history.Bool
	if result.Kind() == history.Null || k != insert && k != remove || isBounded && !result.Bool() {
		return
	}
	by := 1
	if k == remove {
		by = -1
	}
	r.size += by
	if r.model.atFront(k, which) {
		r.ahead += by
	} else {
		r.behind += by
	}
}

// grab updates who holds the mutex after an effect on it.
func (r *runner) grab(s *slot) {
	switch {
	case s.kind == remove:
		s.holds = false
		r.owed--
	case s.kind == insert, s.kind == update && s.result.Bool():
		s.holds = true
	case s.kind == update:
		r.owed--
	}
}

func (r *runner) respond(s *slot) {
	r.returned(s)
	s.phase = idle
	r.open--
	r.emit(history.Event{Type: history.OK, Process: s.process, Result: s.result})
}

// lose leaves an operation pending for ever.
func (r *runner) lose(s *slot) {
	if r.model.shape == lock && s.fate == lostBefore && (s.kind == insert || s.kind == update) {
		r.owed--
	}
	r.noteLost(s)
	r.lost++
	r.open--
	r.emit(history.Event{Type: history.Info, Process: s.process})
	r.newProcess(s)
}

// alone runs an operation while nothing else is open, and returns its result. If
// the given result is not Unknown, the operation has that one and leaves the object
// as it is.
func (r *runner) alone(k kind, which int, result history.Value, args ...history.Value) history.Value {
	if r.open > 0 && !r.stopped {
		panic("simulate: the object is not at rest")
	}
	inv := replay.Invocation{Method: r.model.methods[k][which], Args: r.args(args...)}
	process := r.slots[r.faulty.random.below(len(r.slots))].process
	r.begun++
	r.emit(history.Event{Type: history.Invoke, Process: process, Method: inv.Method, Args: inv.Args})
	if result.Kind() == history.Unknown {
		result = r.ask(inv)
		if r.model.shape == ends {
			r.count(k, which, result)
		}
		result = r.exchange(result)
	}
	r.emit(history.Event{Type: history.OK, Process: process, Result: result})
	return result
}
