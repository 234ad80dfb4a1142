package stress

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/leadline/leadline/history"
)

// Waiting is what a Call returns if its object is a specification and the invocation
// has no transition. In an Outcome it is the result of an invocation that waits forever.
var Waiting = history.ExceptionValue("waits for ever")

// notCalled is the result of an invocation that is not called because one before it
// waits forever.
var notCalled = history.ExceptionValue("is not called")

// waits reports whether an invocation of the outcome waits forever.
func (o Outcome) waits() bool {
	return slices.ContainsFunc(o, func(v history.Value) bool { return v == Waiting })
}

const (
	firstLook = 100 * time.Microsecond // how long a call may take before its goroutine is looked at
	lastLook  = 50 * time.Millisecond  // between two dumps of one that does not
	// unproven is how long to wait for goroutines that others might wake.
	unproven = time.Second
	// patience is how long goroutines have to wait until that counts as a
	// violation. It is for timers, which a dump of the goroutines does not show.
	patience = time.Second
)

// spinLimit is how long a call of a sequential run may take without waiting.
var spinLimit = 5 * time.Second

// A trial is a sequence of calls in a goroutine of its own.
type trial struct {
	object  any
	results []history.Value
	differs bool         // its runs have different results
	at      atomic.Int64 // 0 without an object, else 1 and the calls that have returned
	ended   atomic.Bool
	since   time.Time // of a trial that waits
	stuck   int64     // at, then
	unclear bool      // it may go on
}

// A bench runs trials, one after another. A trial that waits forever is abandoned
// with its goroutine.
type bench struct {
	class *Class
	work  *caller
	timer *time.Timer
	left  []*trial
	// limit is how long a trial may make no progress, if not 0.
	limit time.Duration
	// patience is how long a trial may wait, since a timer may wake it.
	patience time.Duration
	// unclear is set if an abandoned trial may still continue: its limit was over, or
	// goroutines of its object that might wake it do not wait.
	unclear bool
	spins   bool // it runs
}

// A caller is a goroutine that runs trials.
type caller struct {
	id    int64
	jobs  chan func()
	ended chan struct{}
}

func newCaller() *caller {
	w := &caller{jobs: make(chan func()), ended: make(chan struct{}, 1)}
	ready := make(chan struct{})
	go func() {
		w.id = goroutineID()
		close(ready)
		for job := range w.jobs {
			job()
			w.ended <- struct{}{}
		}
	}()
	<-ready
	return w
}

// run makes an object and calls it until a call waits. It returns the results of
// the calls that have returned.
func (b *bench) run(calls []Call) []history.Value {
	results, _ := b.repeat(calls, 1)
	return results
}

// repeat is run for several objects, one after another. It returns the results of the
// last one and whether all results were the same.
func (b *bench) repeat(calls []Call, times int) (results []history.Value, same bool) {
	if b.work == nil {
		b.work = newCaller()
	}
	t := &trial{results: make([]history.Value, len(calls))}
	b.work.jobs <- func() {
		defer t.ended.Store(true)
		for n := range times {
			object := b.class.New()
			t.object = object
			t.at.Store(1)
			for i, call := range calls {
				v := call(object)
				if v == Waiting { // a specification's
					break
				}
				t.differs = t.differs || n > 0 && !v.Equal(t.results[i])
				t.results[i] = v
				t.at.Store(int64(i) + 2)
			}
			b.class.close(object)
		}
	}
	b.follow(t)
	b.class.moved()
	n := max(0, int(t.at.Load())-1)
	return t.results[:n:n], t.ended.Load() && !t.differs
}

// follow waits until a trial ends or waits forever.
func (b *bench) follow(t *trial) {
	pause, since, begun := firstLook, time.Time{}, time.Now()
	if b.timer == nil {
		b.timer = time.NewTimer(pause)
	} else {
		b.timer.Reset(pause)
	}
	for at := int64(-1); ; {
		select {
		case <-b.work.ended:
			b.timer.Stop()
			return
		case <-b.timer.C:
		}
		before := t.at.Load()
		l, _ := lookAt([]int64{b.work.id})
		if before != at {
			b.class.moved()
		}
		if before != at || l == moves {
			at, since = before, time.Now()
		}
		late := l == mayMove && time.Since(since) > unproven || b.limit > 0 && l != waits && time.Since(begun) > b.limit
		// Without an object, it is unknown why the trial waits.
		if before > 0 && t.at.Load() == before && !t.ended.Load() && (l == waits && time.Since(begun) > b.patience || late) {
			t.since, t.stuck = time.Now(), before
			if b.left = append(b.left, t); l != waits {
				b.unclear, t.unclear, b.spins = true, true, b.spins || l == moves
			}
			close(b.work.jobs) // it ends if it wakes after all
			b.work = nil
			return
		}
		pause = min(2*pause, lastLook)
		b.timer.Reset(pause)
	}
}

// stayed reports whether all trials that waited still do, after patience.
func (b *bench) stayed() bool {
	for _, t := range b.left {
		time.Sleep(patience - time.Since(t.since))
		if t.ended.Load() || t.at.Load() != t.stuck {
			return false
		}
	}
	return true
}

// close ends the bench, and tries to end the trials that wait.
func (b *bench) close() {
	if b.work != nil {
		close(b.work.jobs)
		b.work = nil
	}
	for _, t := range b.left {
		if t.unclear {
			abandoned.Add(1)
		} else {
			b.class.release(t.object, t.ended.Load)
		}
	}
	b.left = nil
}

// Sequential calls methods of a fresh object, one after another, and returns the
// results. There are fewer than calls if one of them waits: its goroutine may stay.
func Sequential(c *Class, list []Invocation) []history.Value {
	b := bench{class: c}
	defer b.close()
	calls := make([]Call, len(list))
	for i, inv := range list {
		calls[i] = inv.Prepare()
	}
	return b.run(calls)
}

// abandoned is how many goroutines are known to wait forever.
var abandoned atomic.Int64

// rescues is how many calls release makes.
const rescues = 16

// release calls the methods of an object that is no longer used, to wake goroutines that
// wait in it. It does not call a method again that waits itself. Goroutines that still
// wait remain.
func (c *Class) release(object any, ended func() bool) {
	var calls []Call
	for _, m := range c.Methods {
		if !m.ReadOnly {
			calls = append(calls, sampleCall(m, 0))
		}
	}
	left := []func() bool{ended}
	for n := 0; n < rescues && len(calls) > 0; n++ {
		at, done := n%len(calls), new(atomic.Bool)
		call := calls[at]
		go func() {
			call(object)
			done.Store(true)
		}()
		for n := 0; n < 50 && (!done.Load() || !ended()); n++ {
			runtime.Gosched()
		}
		if !done.Load() {
			time.Sleep(firstLook)
		}
		if left = append(left, done.Load); !done.Load() {
			calls = slices.Delete(calls, at, at+1)
		}
		left = slices.DeleteFunc(left, func(ended func() bool) bool { return ended() })
		if len(left) == 0 {
			return
		}
	}
	time.Sleep(firstLook)
	left = slices.DeleteFunc(left, func(ended func() bool) bool { return ended() })
	abandoned.Add(int64(len(left)))
}

// A stuck is an execution in which invocations wait forever.
type stuck struct {
	outcome Outcome
	object  any
	lives   []*life  // that wait
	where   []string // the invocations that wait, and where
	since   time.Time
}

// ended reports whether a goroutine continued after all.
func (s *stuck) ended(all bool) bool {
	for _, l := range s.lives {
		if l.left.Load() != all {
			return !all
		}
	}
	return all
}

// stays reports whether the execution still waits, after patience.
func (s *stuck) stays() bool {
	time.Sleep(patience - time.Since(s.since))
	return !s.ended(false)
}

// release tries to end the goroutines that wait.
func (r *Run) release(c *Class) {
	for _, s := range r.stuck {
		c.release(s.object, func() bool { return s.ended(true) })
	}
	r.stuck = nil
}

// A group is the threads that wait in an execution, with their places.
type group struct {
	threads []*thread
	place
}

// watch waits until the threads have ended. Whenever none of them has moved for a while,
// it searches for an execution that waits forever. It sets the outcome of that execution,
// and other goroutines take over the threads that wait in it.
func (r *runner) watch(ctx context.Context) {
	const glance = time.Millisecond
	done := make(chan struct{})
	go func() {
		r.ran.Wait()
		close(done)
	}()
	pause := glance
	timer := time.NewTimer(pause)
	defer timer.Stop()
	var last []int64
	since := time.Now()
	for {
		select {
		case <-done:
			return
		case <-timer.C:
		}
		if most := r.options.memory; most > 0 && memoryUsed() > most {
			r.enough.Store(true)
		}
		now := make([]int64, len(r.threads))
		for i, t := range r.threads {
			now[i] = t.at.Load()
		}
		if !slices.Equal(now, last) {
			last, since, pause = now, time.Now(), glance
			r.class.moved()
			r.cutShort(now)
		} else if r.free(ctx, now, r.unclear > 0 || time.Since(since) > unproven) {
			pause = glance
		} else {
			pause = min(2*pause, lastLook)
		}
		timer.Reset(pause)
	}
}

// free searches for executions that wait forever, given the places of the threads, and
// takes over their threads. It returns false if there are none.
func (r *runner) free(ctx context.Context, at []int64, late bool) bool {
	found := false
	for _, g := range r.groups(at) {
		var ids []int64
		for _, t := range g.threads {
			ids = append(ids, t.life.Load().id)
		}
		l, d := lookAt(ids)
		if l == moves || l == mayMove && !late {
			continue
		}
		found = true
		r.abandon(ctx, g, at, l == waits, d)
	}
	return found
}

// groups returns the threads whose current invocations block all other threads at the
// same object. In the parallel part, these are the threads that are furthest behind,
// unless they have not begun with the object.
func (r *runner) groups(at []int64) []group {
	var list []group
	least := r.batch
	for i := range r.threads {
		switch p := unpack(at[i]); {
		case p.phase == running:
			least = min(least, p.object)
		case p.call > 0:
			list = append(list, group{r.threads[i : i+1], p})
		}
	}
	g := group{place: place{phase: running, object: least}}
	for i, t := range r.threads {
		p := unpack(at[i])
		if p.phase != running {
			return list // it is about to begin, or all have ended
		}
		if p.object > least {
			continue
		}
		g.batch = p.batch
		if p.call > 0 {
			g.threads = append(g.threads, t)
		} else if !slices.ContainsFunc(t.waitFor, func(other int) bool { return unpack(at[other]).object == least }) {
			return list // it is about to begin
		}
	}
	if len(g.threads) > 0 {
		list = append(list, g)
	}
	return list
}

// abandon gives up an execution and has other goroutines take over the threads that wait
// in it. The execution has an outcome only if it certainly waits forever.
func (r *runner) abandon(ctx context.Context, g group, at []int64, certain bool, d dump) {
	s := &stuck{since: time.Now()}
	next := place{g.batch, g.phase, g.object + 1, 0}
	if g.phase != running {
		next.object = g.object + len(r.threads)
	}
	var taken []*thread
	for _, t := range g.threads {
		if !t.at.CompareAndSwap(at[t.number], next.pack()) {
			certain = false
			continue
		}
		taken = append(taken, t)
		s.lives = append(s.lives, t.life.Load())
	}
	if len(taken) == 0 {
		return
	}
	// Until the threads that go on have these, no other object takes its place.
	s.object, r.dead[g.object] = r.objects[g.object], true
	switch {
	case g.phase == running && int64(g.object) >= r.cut.Load(): // some thread has not run it
		abandoned.Add(int64(len(taken)))
	case certain:
		outcome, stamps := r.outcomeOf(g, at)
		s.outcome = outcome
		for i, v := range outcome {
			if v == Waiting {
				s.where = append(s.where, fmt.Sprint(r.program.All()[i]))
			}
		}
		for i, l := range s.lives {
			s.where[i] += ": " + d[l.id].where()
		}
		if r.addStuck(s, stamps) {
			r.end(g)
		}
	default:
		r.unclear++
		r.end(g)
		abandoned.Add(int64(len(taken)))
	}
	for _, t := range taken {
		l, p := t.life.Load(), unpack(at[t.number])
		after := &life{initial: make([]history.Value, len(l.initial)), results: make([]history.Value, len(l.results)),
			events: make([]int64, len(l.events)), recording: l.recording}
		// What l wrote after its last published place must not be read.
		initial, results := len(l.initial), len(l.results)
		switch p.phase {
		case preparing:
			initial = p.object*len(r.program.Initial) + p.call - 1
		case running:
			results = p.object*len(t.sequence) + p.call - 1
		}
		copy(after.initial, l.initial[:initial])
		copy(after.results, l.results[:results])
		copy(after.events, l.events[:2*results])
		t.progress.Store(g.batch*int64(r.batch) + int64(min(next.object, r.batch)))
		t.begin(ctx, next, after)
	}
}

// outcomeOf returns the outcome of an execution that waits forever, and the
// stamps of its parallel part. An invocation that waits has the stamp of the
// response before it.
func (r *runner) outcomeOf(g group, at []int64) (Outcome, []int64) {
	o, stamps := make(Outcome, len(r.calls)), make([]int64, 2*len(r.calls))
	for i := range o {
		o[i] = notCalled
	}
	k, n, final := g.object, len(r.program.Initial), len(o)-len(r.program.Final)
	switch l := g.threads[0].life.Load(); g.phase {
	case preparing:
		copy(o, l.initial[k*n:k*n+g.call-1])
		o[g.call-1] = Waiting
		return o, stamps
	case counting:
		copy(o, l.outcome[:final+g.call-1])
		o[final+g.call-1] = Waiting
		copy(stamps, l.stamps[:2*final])
		return o, stamps
	}
	copy(o, r.threads[k%len(r.threads)].life.Load().initial[k*n:(k+1)*n])
	for i, t := range r.threads {
		l, m := t.life.Load(), len(t.sequence)
		ended, p := m, unpack(at[i])
		if p.object == k {
			ended = max(p.call-1, 0)
		}
		copy(o[t.offset:], l.results[k*m:k*m+ended])
		copy(stamps[2*t.offset:], l.events[2*k*m:2*(k*m+ended)])
		if p.object == k && p.call > 0 {
			waits := t.offset + ended
			o[waits], stamps[2*waits], stamps[2*waits+1] = Waiting, 1, math.MaxInt64
			if ended > 0 {
				stamps[2*waits] = stamps[2*waits-1]
			}
		}
	}
	return o, stamps
}

const (
	// lateCut is how long a batch may take beyond twice the time of the run.
	lateCut = 100 * time.Millisecond
	// leastCut is the number of executions that a batch has at least.
	leastCut = 8
)

// cutShort ends a run whose invocations are slow within a batch, given the places of the
// threads: the objects that no thread has come to are left out.
func (r *runner) cutShort(at []int64) {
	o := &r.options
	spent := time.Since(r.start)
	if r.enough.Load() || spent < 2*o.Time+lateCut || o.least > 0 && spent < 10*o.Time {
		return
	}
	furthest := 0
	for _, n := range at {
		p := unpack(n)
		if p.phase != running {
			return
		}
		furthest = max(furthest, p.object)
	}
	if furthest+1 < min(leastCut, r.batch) {
		return
	}
	r.enough.Store(true)
	r.cut.Store(int64(furthest) + 1)
}

// end ends the run, and the batch after the object of the group.
func (r *runner) end(g group) {
	r.enough.Store(true)
	if g.phase == running {
		r.cut.Store(int64(g.object) + 1)
	} else {
		r.cut.Store(0)
	}
}

// addStuck counts an execution that waits forever, and reports whether the run should
// end.
func (r *runner) addStuck(s *stuck, stamps []int64) bool {
	r.stuck = append(r.stuck, s)
	r.waited.add(s.outcome, 1)
	if s.lives[0].recording {
		r.recorded++
		if r.histories.add(r.program, s.outcome, stamps) {
			r.overlapping++
		}
	}
	o := &r.options
	return len(r.stuck) >= o.Waits || o.Stop != nil && !o.Stop.Contains(s.outcome)
}
