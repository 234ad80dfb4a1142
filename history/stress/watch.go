package stress

import (
	"cmp"
	"slices"
	"time"
)

const (
	// glance and lastLook are the least and the most time between two looks at the threads.
	glance   = time.Millisecond
	lastLook = 50 * time.Millisecond
	// lateCut is how long a batch may take beyond twice the time of the run.
	lateCut = 100 * time.Millisecond
	// leastCut is the number of executions that a batch has at least.
	leastCut = 8
)

// watch waits until the threads have ended. If none has moved for too long, it returns the
// methods that they are in.
func (r *runner) watch() (waits []string) {
	done := make(chan struct{})
	go func() {
		r.ran.Wait()
		close(done)
	}()
	pause := glance
	timer := time.NewTimer(pause)
	defer timer.Stop()
	last, now, seen := make([]int64, len(r.threads)), make([]int64, len(r.threads)), time.Duration(0)
	for {
		select {
		case <-done:
			return nil
		case <-timer.C:
		}
		if most := r.options.memory; most > 0 && memoryUsed() > most {
			r.enough.Store(true)
		}
		for i, t := range r.threads {
			now[i] = t.at.Load()
		}
		if !slices.Equal(now, last) {
			copy(last, now)
			seen, pause = 0, glance
			r.class.Moved()
			r.cutShort(now)
		} else if seen, pause = seen+pause, min(2*pause, lastLook); seen > cmp.Or(r.options.Wait, waitLimit) {
			if waits = r.openCalls(now); waits == nil && seen > constructorTime() {
				waits = []string{constructor}
			}
			if waits != nil {
				r.left.Store(true)
				return waits
			}
		}
		timer.Reset(pause)
	}
}

// openCalls returns the methods that the threads are in, given their places. There are none
// while an object is being made.
func (r *runner) openCalls(at []int64) []string {
	var names []string
	for i, t := range r.threads {
		switch p := unpack(at[i]); {
		case p.call == 0:
		case p.phase == running:
			names = append(names, t.sequence[p.call-1].method.Name)
		case p.phase == counting:
			names = append(names, r.program.Final[p.call-1].Method.Name)
		default:
			names = append(names, r.program.Initial[p.call-1].Method.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

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
