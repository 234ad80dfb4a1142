package explore

import (
	"slices"

	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/stress"
)

// A watchedCall is what executions have shown of an invocation of a sequence.
type watchedCall struct {
	stepped       bool // it took a step, whether or not it returned
	before, after bool // other threads took steps before it, or after it
	exercised     bool // see stress.MethodAccount.Exercised
}

// watchedExecutions is how many executions of a program are watched: more than there are without
// preemption, and some with one.
const watchedExecutions = 512

// watch notes what an execution shows of calls.
func (x *explorer) watch(r *schedule.Result) {
	counts := !r.Diverged && r.Foreign == 0 && !r.Cut && r.Panic == nil
	begun := make([]*schedule.Event, len(x.program.Sequences))
	for i := range r.Events {
		switch e := &r.Events[i]; {
		case e.Sequence < 0:
		case !e.Return:
			begun[e.Sequence] = e
		default:
			x.watchCall(r, begun[e.Sequence], e.Stamp, counts)
			begun[e.Sequence] = nil
		}
	}
	for _, begin := range begun {
		if begin != nil {
			x.watchCall(r, begin, int32(len(r.Trace)), false)
		}
	}
}

// watchCall notes what an execution shows of a call that has ended at the given step; counts says
// that it returned, and that the execution is judged.
func (x *explorer) watchCall(r *schedule.Result, begin *schedule.Event, end int32, counts bool) {
	call := &x.watched[begin.Index]
	if call.exercised {
		return
	}
	isOwn := func(a schedule.Access) bool { return a.Thread == begin.Thread && a.Kind != schedule.Begin }
	isOther := func(a schedule.Access) bool { return a.Thread != begin.Thread && a.Kind != schedule.Begin }
	canStop := func(a schedule.Access) bool { return isOwn(a) && a.Flags&schedule.Follows == 0 }
	steps := r.Trace[begin.Stamp:end]
	stepped := slices.ContainsFunc(steps, isOwn)
	call.stepped = call.stepped || stepped
	if !counts {
		return
	}
	call.before = call.before || slices.ContainsFunc(r.Trace[r.From:begin.Stamp], isOther)
	call.after = call.after || slices.ContainsFunc(r.Trace[end:r.To], isOther)
	single := stepped && !slices.ContainsFunc(steps, canStop)
	call.exercised = single && call.before && call.after || slices.ContainsFunc(steps, isOther)
}

// exercised returns the methods that the executions have exercised, and what notes in the account
// that the program is complete to a bound: if no call took a step, schedules show nothing. The account
// also gets the methods that took one.
func (x *explorer) exercised(a *stress.Account) (methods []*stress.Method, complete func(bound int)) {
	stepped := false
	for i, call := range x.watched {
		m := x.all[i].Method
		if call.stepped {
			a.Method(m.Name).Instrumented, stepped = true, true
		}
		if call.exercised && !slices.Contains(methods, m) {
			methods = append(methods, m)
		}
	}
	return methods, func(bound int) {
		if stepped {
			a.Size(x.program).Completed(bound, 1)
		}
	}
}
