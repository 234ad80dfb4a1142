package inside

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/leadline/leadline/history/explore"
	"github.com/leadline/leadline/history/explore/schedule"
)

// Limits of what is done with a fault.
const (
	leastExecutions = 20_000
	leastTime       = 5 * time.Second
	replays         = 1000
	replayTime      = 2 * time.Second
	randoms         = 100
	mostTraced      = 2000 // steps that the report has, the last ones
)

// found describes a fault: with the simplest schedule that is found, its replays and its steps.
func (x *runner) found(o *outcome, s schedule.Schedule, preemptions int, execution int64) {
	if x.report.Refused = x.unfit(o, execution); x.report.Refused != "" {
		return
	}
	f := &Fault{Kind: o.kind, Text: o.text, Stack: o.stack, Output: o.output, Bounds: x.job.Bounds, Execution: execution}
	x.report.Fault = f
	s, f.Preemptions = x.least(o, s, preemptions)
	r := schedule.Run(&x.search.Body, schedule.NewReplay(s), x.search.Limits)
	f.Schedule, f.Fingerprint, f.Length = s.String(), r.Fingerprint, r.Steps
	if p := x.outcome(r); o.kind == p.kind {
		f.Stack, f.Output = p.stack, p.output
	}
	end := time.Now().Add(replayTime)
	for ; f.Replays < replays && (f.Replays < 10 || time.Now().Before(end)); f.Replays++ {
		if r := schedule.Run(&x.search.Body, schedule.NewReplay(s), x.search.Limits); x.shows(r, o) && r.Fingerprint == f.Fingerprint {
			f.Replayed++
		}
		x.beat()
	}
	by := schedule.NewPOS(x.job.Seed)
	for end = time.Now().Add(replayTime); f.Randoms < randoms && time.Now().Before(end); f.Randoms++ {
		r := schedule.Run(&x.search.Body, by, x.search.Limits)
		if x.shows(r, o) {
			f.Random++
		}
		by.Next(r)
		x.beat()
	}
	x.trace(f, s, o)
}

// trace adds the steps of a schedule, and who waits at its end. Timers do not count.
func (x *runner) trace(f *Fault, s schedule.Schedule, o *outcome) {
	steps, blocked := x.search.Steps(s, o.left, func(int) string { return "" }, nil)
	f.Trace = steps[max(0, len(steps)-mostTraced):]
	for _, b := range blocked {
		if b.Where() != "" {
			f.Threads = append(f.Threads, b.Text)
		}
	}
}

// unfit returns why a fault may be one of leadline, or "".
func (x *runner) unfit(o *outcome, execution int64) string {
	what := o.kind + ": " + o.text
	places := schedule.Unfinished()
	if o.kind == deadlock || o.kind == leak || o.kind == Failed {
		if list := x.strangers(); len(list) > 0 {
			return what + ", which may need a goroutine that no schedule controls, of " + strings.Join(list, ", ")
		}
	}
	switch {
	case len(places) > 0 && (execution == 1 || o.kind == deadlock || o.kind == leak):
		return fmt.Sprintf("%s, which may need a goroutine that init or TestMain has started, at %s", what, strings.Join(places, ", "))
	case o.collected != "" && o.kind != panics && o.kind != fatal:
		return what + ", which may need what schedules do not control, since it calls " + o.collected
	case o.threads == 1 && (o.kind == Failed || o.kind == panics):
		return what + ", without any goroutine, so it is no matter of schedules: see go test"
	}
	return ""
}

func (x *runner) beat() {
	x.beats.Add(1)
	x.alive()
}

// shows reports whether an execution that has just ended seems to have the fault. A leak is not confirmed
// again.
func (x *runner) shows(r *schedule.Result, o *outcome) bool {
	switch {
	case r.Diverged:
		return false
	case len(o.left) == 0:
		return x.outcome(r).same(o)
	}
	for _, place := range o.places {
		if !slices.ContainsFunc(r.Blocked, func(b schedule.Blocked) bool { return b.Where() == place }) {
			return false
		}
	}
	return true
}

// least returns a schedule of the same fault with as few preemptions as possible, and then as few steps.
func (x *runner) least(o *outcome, s schedule.Schedule, preemptions int) (schedule.Schedule, int) {
	first := schedule.Run(&x.search.Body, schedule.NewReplay(s), x.search.Limits)
	steps, end := first.Steps, time.Now().Add(leastTime)
	original, before := s, preemptions
	within := schedule.NewDFS(schedule.DFSOptions{Bound: preemptions, Filter: true})
	bound := -1
	for n := 0; n < leastExecutions && time.Now().Before(end); n++ {
		at := within.Bound()
		if bound >= 0 && at > bound {
			break
		}
		r := schedule.Run(&x.search.Body, within, x.search.Limits)
		x.beat()
		better := r.Preemptions < preemptions || r.Preemptions == preemptions && r.Steps < steps
		candidate := slices.Clone(r.Schedule)
		if better = better && x.shows(r, o); better {
			steps, preemptions, bound = r.Steps, r.Preemptions, at
		}
		more := within.Next(r)
		if better {
			s = candidate
		}
		if !more {
			break
		}
	}
	if len(o.left) > 0 && x.job.Leaks == Forever {
		again := schedule.Forever(&x.search.Body, s, x.search.Limits)
		if len(again) == 0 {
			return original, before
		}
		o.left, o.places = nil, nil
		for _, b := range again {
			o.leaves(&b)
		}
	}
	return s, preemptions
}

// replay runs one schedule as the first execution of this process.
func (x *runner) replay(text string) error {
	s, err := schedule.ParseSchedule(text)
	if err != nil {
		return err
	}
	r := x.search.Execute(schedule.NewReplay(s))
	o, print, diverged, steps, preemptions := x.outcome(r), r.Fingerprint, r.Diverged, r.Steps, r.Preemptions
	x.confirm(o, s)
	x.count()
	if x.foreign {
		x.report.Refused = foreign
	} else if o.kind != noFault && !diverged {
		x.report.Refused = x.unfit(o, 2)
	}
	if o.kind != noFault && !diverged && x.report.Refused == "" {
		x.report.Fault = &Fault{Kind: o.kind, Text: o.text, Stack: o.stack, Output: o.output, Schedule: text, Bounds: x.job.Bounds, Fingerprint: print, Length: steps, Preemptions: preemptions}
		x.trace(x.report.Fault, s, o)
	}
	return nil
}

var _ explore.Oracle = (*runner)(nil)
