package explore

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/stress"
)

// Of a rendezvous, each call waits for another one: one after another, none returns. Such
// objects are atomic in the sense of set-linearizability (Neiger, "Set-linearizability",
// PODC 1994): calls that wait for one another take effect together. So the runs that an
// execution of such a program is compared with begin each call when every open one waits,
// and end when all have returned, or when those that are left wait:
//
//	0  |-------|   Send(1)
//	1       |--|   Recv(): 1
//
// Where the same calls can also return one after another, such a run does not count, nor
// does one in which a call waits that would return: that is what a faulty object may do.
//
// A call that waits may be released by either of two others that have both returned when it goes on.
// Then no order tells what it returns, and the execution is not judged: see releasedByEither.
//
// Unlike set-linearizability, the histories of such programs do not say that the calls
// overlapped: an execution in which they did not is taken to be correct.

// maxTogether bounds these runs of a program.
const maxTogether = 1 << 12

var errTogether = fmt.Errorf("its calls can wait for one another in more than %d orders", maxTogether)

// withTogether returns what is expected of a program if calls that wait for one another take
// effect together, if that makes a difference; else it returns e, what is expected of calls one
// after another.
func withTogether(e *stress.Expected) *stress.Expected {
	more, err := togetherOf(e)
	if err != nil || !more.Together {
		return e
	}
	return more
}

// togetherOf is withTogether, but an error says that the runs are not known.
func togetherOf(e *stress.Expected) (*stress.Expected, error) {
	if !e.Waited || e.Together {
		return e, nil
	}
	alone, o := e.Runs.(*oracle), newOracle(e.Class, e.Program, e.Runs.(*oracle).allowance)
	o.threads, o.timed, o.sleeps, o.diverged = alone.threads, alone.timed, alone.sleeps, alone.diverged
	o.failure = o.runTogether()
	alone.releases = o.releases
	more, err := o.concluded()
	if err != nil {
		return nil, err
	}
	jumps := newOracle(e.Class, e.Program, allowance{max(alone.ticks, schedule.Ticks), alone.elapsed}) // time passes in runTogether, too
	if late, err := jumps.run(); e.Class.Method(readLock) == nil && (err != nil ||
		!slices.ContainsFunc(more.Outcomes(), func(c stress.Count) bool { return !e.Contains(c.Outcome) && !late.Contains(c.Outcome) })) {
		return e, nil
	}
	more.Waited, more.Together = true, true
	return more, nil
}

// A togetherRun is a run in which calls were open at the same time.
type togetherRun struct {
	order   []int  // in which the invocations began
	closed  []bool // whether none was open after that
	outcome stress.Outcome
	waits   []int // those that are left
}

// together runs the program once. choose picks the next invocation, which begin begins.
func (o *oracle) together(choose func(int) int, begin func(i int), returned func(i int) bool) *togetherRun {
	r := &togetherRun{outcome: make(stress.Outcome, len(o.calls))}
	for i := range r.outcome {
		r.outcome[i] = stress.NotCalled
	}
	o.Restart()
	isOpen := func(i int) bool { return r.outcome[i] == stress.Waiting && !returned(i) }
	for {
		list := slices.DeleteFunc(o.Enabled(), func(i int) bool {
			return slices.ContainsFunc(o.Order, func(open int) bool { return isOpen(open) && o.follows(i, open) })
		})
		if len(list) == 0 {
			break
		}
		i := list[choose(len(list))]
		o.Take(i)
		if m := o.all[i].Method; m.MayFail() && choose(2) == 1 {
			r.outcome[i] = m.Failure
		} else {
			waiting := slices.DeleteFunc(slices.Clone(o.Order), func(w int) bool { return !isOpen(w) })
			r.outcome[i] = stress.Waiting
			begin(i)
			for _, w := range waiting {
				if !isOpen(w) && !slices.Contains(o.releases[w], i) {
					o.releases[w] = append(o.releases[w], i)
				}
			}
		}
		r.closed = append(r.closed, !slices.ContainsFunc(o.Order, isOpen))
	}
	r.order = slices.Clone(o.Order)
	for _, i := range r.order {
		if isOpen(i) {
			r.waits = append(r.waits, i)
		}
	}
	return r
}

// follows reports whether an invocation can begin only after the other one has returned.
func (o *oracle) follows(i, other int) bool {
	a, b := o.SequenceOf(i), o.SequenceOf(other)
	return a < 0 || b < 0 || a == b || slices.Contains(o.program.Order, [2]int{b, a})
}

// knownRuns says what other runs show about the start of a run. Keys are lists of
// invocations in the order in which they began, and sets of those that follow.
type knownRuns struct {
	alone    map[string]bool         // after a list, those of a set can return one after another
	ends     map[string]bool         // after a list, all of a set can return
	prefixes map[string]*togetherRun // a run that begins with a list, with none open after it
}

func keyOf(list, set []int) string { return fmt.Sprint(list, slices.Sorted(slices.Values(set))) }

func learn(runs []*togetherRun) *knownRuns {
	k := &knownRuns{map[string]bool{}, map[string]bool{}, map[string]*togetherRun{}}
	for _, r := range runs {
		for a := range len(r.order) + 1 {
			if a > 0 && !r.closed[a-1] {
				continue
			}
			k.prefixes[fmt.Sprint(r.order[:a])] = r
			inRow := true
			for b := a; b < len(r.order); b++ {
				inRow = inRow && r.closed[b]
				if key := keyOf(r.order[:a], r.order[a:b+1]); r.closed[b] {
					k.ends[key] = true
					k.alone[key] = k.alone[key] || inRow
				}
			}
		}
	}
	return k
}

// needed reports whether the first n invocations of a run were open together only where
// that is the only way for them to return.
func (k *knownRuns) needed(r *togetherRun, n int) bool {
	from := 0
	for i := range n {
		if !r.closed[i] {
			continue
		}
		if i > from && k.alone[keyOf(r.order[:from], r.order[from:i+1])] {
			return false
		}
		from = i + 1
	}
	return true
}

// mayWait reports whether no nonempty set of the invocations can return after the others.
func (k *knownRuns) mayWait(others, waits []int) bool {
	for n := 1; n < 1<<len(waits); n++ {
		var some []int
		for bit, i := range waits {
			if n>>bit&1 != 0 {
				some = append(some, i)
			}
		}
		if k.ends[keyOf(others, some)] {
			return false
		}
	}
	return true
}

// legal returns the runs that count. The invocations that still wait come last in order.
func legal(runs []*togetherRun) []*togetherRun {
	known := learn(runs)
	var list []*togetherRun
	for _, r := range runs {
		rest := slices.DeleteFunc(slices.Clone(r.order), func(i int) bool { return slices.Contains(r.waits, i) })
		like := known.prefixes[fmt.Sprint(rest)]
		if like != nil && known.needed(like, len(rest)) && known.mayWait(rest, r.waits) {
			list = append(list, &togetherRun{order: append(rest, r.waits...), outcome: r.outcome, waits: r.waits})
		}
	}
	return list
}

// readLock is a method of a lock for readers, who may hold it together, and writers.
const readLock = "RLock"

// queued returns the runs of a lock for readers and writers in which the calls that are left wait, too,
// if they begin, in the same order, when all others have returned. A writer that waits may keep readers
// out, which no order of calls one after another shows.
func queued(runs []*togetherRun) (list []*togetherRun) {
	waits := map[string][]int{}
	for _, r := range runs {
		if rest := len(r.order) - len(r.waits); rest == 0 || r.closed[rest-1] {
			waits[fmt.Sprint(r.order)] = r.waits
		}
	}
	for _, r := range runs {
		rest := slices.DeleteFunc(slices.Clone(r.order), func(i int) bool { return slices.Contains(r.waits, i) })
		if order := append(rest, r.waits...); len(r.waits) == 0 || slices.Equal(waits[fmt.Sprint(order)], r.waits) {
			list = append(list, &togetherRun{order: order, outcome: r.outcome, waits: r.waits})
		}
	}
	return list
}

// quiet is a time that passes only when no thread can go on.
const quiet = int64(time.Hour)

// runTogether runs the program in every order in the scheduler, with every choice of the
// object, and replaces the sequential runs. One thread begins the calls, each in a goroutine.
func (o *oracle) runTogether() error {
	var r *togetherRun
	results, done := make(stress.Outcome, len(o.calls)), make([]bool, len(o.calls))
	p := o.scheduled
	p.Threads = []func(){func() {
		r = o.together(schedule.Choose, func(i int) {
			schedule.Go(func() {
				results[i] = o.calls[i](o.object)
				done[i] = true
			})
			schedule.Sleep(quiet, "until no call goes on")
		}, func(i int) bool { return done[i] })
	}}
	var runs []*togetherRun
	strategy := sequentialStrategy(0, false)
	for more := true; more; {
		if len(runs) == maxTogether {
			return errTogether
		}
		clear(done)
		r = nil
		result := schedule.Run(&p, strategy, schedule.Limits{Ticks: -1}) // it wakes when no call goes on
		switch {
		case result.Panic != nil:
			return fmt.Errorf("a goroutine of the object panics in a sequential run: %v", result.Panic)
		case result.Cut:
			return errSpins
		case result.Diverged || r == nil:
			o.diverged = true
			return errors.New("its sequential runs depend on more than the order of its invocations")
		}
		for i := range r.outcome {
			if done[i] {
				r.outcome[i] = results[i]
			}
		}
		runs = append(runs, r)
		more = strategy.Next(result)
	}
	list := legal(runs)
	if o.class.Method(readLock) != nil {
		list = append(list, queued(runs)...)
	}
	for _, r := range list {
		o.add(r.order, r.outcome, len(r.waits))
	}
	return nil
}

// releasedByEither reports whether it is open which of two calls has released a third one that waited:
// both returned while that one was open, and each can release it. The execution is then
// ambiguous if only the result of the third call is unexplained, and it has that result in some run.
func (x *explorer) releasedByEither(e *stress.Expected, rec *executed) bool {
	o := e.Runs.(*oracle)
	at := func(event int) int { return slices.Index(rec.Events, int16(event)) }
	for w, by := range o.releases {
		by = slices.DeleteFunc(slices.Clone(by), func(i int) bool { return at(-1-i) < at(w) || at(-1-i) > at(-1-w) })
		if len(by) < 2 || rec.Outcome[w] == stress.Waiting {
			continue
		}
		runs, _ := o.All()
		if t := x.togethers[e].expected; t != nil && t != e {
			more, _ := t.Runs.All()
			runs = append(runs, more...)
		}
		rest := &stress.Execution{Events: slices.DeleteFunc(slices.Clone(rec.Events), func(e int16) bool { return int(e) == w || int(e) == -1-w })}
		possible, explained := false, false
		for i := range runs {
			r := &runs[i]
			possible = possible || r.Outcome[w].Equal(rec.Outcome[w])
			rest.Outcome = slices.Clone(rec.Outcome)
			rest.Outcome[w] = r.Outcome[w]
			explained = explained || rest.Outcome.Equal(r.Outcome) && rest.Respects(r)
		}
		if possible && explained {
			return true
		}
	}
	return false
}
