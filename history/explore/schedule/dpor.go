package schedule

import "math/bits"

// A DPOR visits all executions that differ by more than the order of
// independent steps: dynamic partial order reduction with source sets and sleep sets. Threads that
// poll wait; Exhausted reports whether any did.
//
// Abdulla, Aronis, Jonsson, Sagonas: Optimal dynamic partial order reduction (POPL 2014),
// Algorithm 1. Unlike in the paper:
//   - a step may wait, choose and start threads. A step that waited races with every
//     conflicting step since the thread got there, not only with the last one. So does
//     a step before which a thread is blocked at the end;
//   - all numbers of a choice are tried;
//   - the beginning of an invocation conflicts with the last step of one of another
//     thread, so that all orders of invocations in real time are kept;
//   - the order between the start of a thread and its steps is not recorded: the sets of
//     enabled threads imply it;
//   - addresses mean nothing in another execution: a sleeping thread is identified by
//     its pending step in this one. If that is the start of an invocation, any step wakes it.
type DPOR struct {
	nodes   []choice
	at      int
	seen    int    // steps of the trace that wake has processed
	sleep   uint64 // threads whose next step was explored before, and nothing conflicted since
	feet    [MaxThreads]foot
	leftOut bool // a thread that polls had to wait
	repeats int  // the step of the trace that a thread in sleep took, or -1: nothing new follows
	branch  int  // the last decision between threads that the execution before had, too, or -1

	events []event
	taken  int // those that were executed
	width  int
	clocks []int32 // of each event: how many events of each thread happen before it, or are it
	before []int32
	racing []int32
}

// A choice is a node of a DPOR: a decision between threads, or of numbers.
type choice struct {
	numbers   int16
	chosen    int16
	enabled   uint64
	before    uint64 // the fingerprint of the steps before it
	backtrack uint64 // threads to explore
	done      uint64 // threads that were explored
	sleep     uint64 // threads that need not be
	feet      []foot // of the threads in sleep and done
}

// A foot describes a thread's next step, as seen when it was explored.
type foot struct {
	thread int8
	kind   Kind // Yield if it had no access
	flags  Flags
	begins bool
}

// An event is a step and those that Follow it.
type event struct {
	foot
	addr uintptr
	node int32
	seq  int32 // among those of its thread, from 1
}

// NewDPOR returns a DPOR.
func NewDPOR() *DPOR { return &DPOR{branch: -1} }

func (d *DPOR) Begin() { d.at, d.seen, d.sleep, d.repeats = 0, 0, 0, -1 }

// Exhausted reports, after Next returned false, whether no schedule was left out: no thread that
// polls had to wait while another could go on.
func (d *DPOR) Exhausted() bool { return !d.leftOut }

func (d *DPOR) Pick(decision *Decision) int {
	d.leftOut = d.leftOut || decision.Polls >= 0
	if d.at < len(d.nodes) {
		n := &d.nodes[d.at]
		if d.at++; n.numbers != 0 || n.enabled != decision.Enabled || n.before != decision.Before {
			return MaxThreads // diverged
		}
		if d.at-1 == d.branch {
			d.seen = len(the.trace)
			d.sleep = n.sleep | n.done
			if decision.End { // what follows may be another thing after a tick
				d.sleep &^= 1 << decision.Current
			}
			for m := n.done; m != 0; m &= m - 1 {
				t := bits.TrailingZeros64(m)
				d.feet[t] = foot{thread: int8(t), kind: Yield} // it blocked before its first step
			}
			for _, f := range n.feet {
				d.feet[f.thread] = f
			}
		}
		return int(n.chosen)
	}
	d.wake(decision.Trace())
	awake := decision.Enabled &^ d.sleep
	if awake == 0 || d.repeats >= 0 {
		return -1
	}
	chosen := bits.TrailingZeros64(awake)
	if work := awake & decision.working(); work != 0 {
		chosen = bits.TrailingZeros64(work)
	}
	if c := decision.Current; c >= 0 && awake>>c&1 != 0 {
		chosen = c
	}
	n := d.push()
	*n = choice{chosen: int16(chosen), enabled: decision.Enabled, before: decision.Before, backtrack: 1 << chosen, sleep: d.sleep, feet: n.feet[:0]}
	for m := d.sleep; m != 0; m &= m - 1 {
		n.feet = append(n.feet, d.feet[bits.TrailingZeros64(m)])
	}
	if decision.End {
		n.backtrack |= awake
	}
	return chosen
}

// push adds a node, with the memory of one that was there before.
func (d *DPOR) push() *choice {
	if len(d.nodes) < cap(d.nodes) {
		d.nodes = d.nodes[:len(d.nodes)+1]
	} else {
		d.nodes = append(d.nodes, choice{})
	}
	d.at++
	return &d.nodes[d.at-1]
}

func (d *DPOR) Choose(n int) int {
	if d.at == len(d.nodes) {
		x := d.push()
		*x = choice{numbers: int16(n), feet: x.feet[:0]}
		return 0
	}
	d.at++
	if x := &d.nodes[d.at-1]; int(x.numbers) == n {
		return int(x.chosen)
	}
	return -1 // diverged
}

// wake removes the threads from sleep whose next step conflicts with a step taken since.
func (d *DPOR) wake(trace []Access) {
	for ; d.seen < len(trace) && d.sleep != 0 && d.repeats < 0; d.seen++ {
		a := &trace[d.seen]
		for m := d.sleep; m != 0; m &= m - 1 {
			u := bits.TrailingZeros64(m)
			if int(a.Thread) == u {
				d.repeats = d.seen // no other could run
			} else if d.feet[u].wakes(a, pendingAt(trace, d.seen, u)) {
				d.sleep &^= 1 << u
			}
		}
	}
	d.seen = len(trace)
}

// pendingAt returns the pending step of a thread when step i of the trace was taken.
func pendingAt(trace []Access, i, thread int) *Access {
	for i++; i < len(trace); i++ {
		if int(trace[i].Thread) == thread {
			return &trace[i]
		}
	}
	return &the.threads[thread].pend
}

// wakes reports whether the step a conflicts with the next step of a sleeping thread, which is pending.
func (f *foot) wakes(a, pending *Access) bool {
	e, o := event{foot: *f, addr: pending.Addr}, event{foot: foot{kind: Yield}}
	o.add(a)
	if pending.Kind == Begin { // its access is not known
		e.addr = o.addr
	}
	return e.conflicts(&o)
}

// left reports whether the execution still has decisions to repeat.
func (d *DPOR) left() bool { return d.at < len(d.nodes) }

func (d *DPOR) Next(r *Result) bool {
	d.nodes = d.nodes[:min(d.at, len(d.nodes))]
	d.leftOut = d.leftOut || r.Withheld || r.Reused
	to := r.To
	if d.wake(r.Trace[:to]); d.repeats >= 0 {
		to = d.repeats
	}
	d.gather(r, to)
	d.order()
	for ; len(d.nodes) > 0; d.nodes = d.nodes[:len(d.nodes)-1] {
		if d.nodes[len(d.nodes)-1].advance() {
			d.branch = len(d.nodes) - 1
			for d.branch >= 0 && d.nodes[d.branch].numbers > 0 {
				d.branch--
			}
			return true
		}
	}
	return false
}

// advance sets the next thread or number to explore.
func (n *choice) advance() bool {
	if n.numbers > 0 {
		n.chosen++
		return n.chosen < n.numbers
	}
	n.done |= 1 << n.chosen
	left := n.backtrack &^ (n.done | n.sleep)
	if left == 0 {
		return false
	}
	n.chosen = int16(bits.TrailingZeros64(left))
	return true
}

// gather converts the trace up to a step into events, and records the step of each node.
// The last events are the steps that threads are waiting to take.
func (d *DPOR) gather(r *Result, to int) {
	d.events, d.width = d.events[:0], 0
	var count [MaxThreads]int32
	add := func(a *Access) *event {
		d.width = max(d.width, int(a.Thread)+1)
		d.events = append(d.events, event{foot: foot{thread: a.Thread, kind: Yield}, node: a.Node, seq: count[a.Thread] + 1})
		return &d.events[len(d.events)-1]
	}
	for i := r.From; i < to; i++ {
		a := &r.Trace[i]
		if a.Flags&Follows == 0 || len(d.events) == 0 {
			add(a)
			count[a.Thread]++
		}
		d.events[len(d.events)-1].add(a)
	}
	for i := range d.events {
		if e := &d.events[i]; e.node >= 0 && int(e.node) < len(d.nodes) {
			d.nodes[e.node].note(e)
		}
	}
	d.taken = len(d.events)
	var listed uint64
	waits := func(a *Access) {
		if bit := uint64(1) << a.Thread; listed&bit == 0 {
			if listed |= bit; a.Flags&Waits != 0 {
				e := add(a)
				e.node = -1
				e.add(a)
			}
		}
	}
	for i := to; i < r.To; i++ {
		waits(&r.Trace[i])
	}
	for i := range r.Pending {
		waits(&r.Pending[i])
	}
}

func (e *event) add(a *Access) {
	e.flags |= a.Flags &^ Follows
	switch a.Kind {
	case Begin:
		e.begins = true
	case Read, Write:
		e.kind, e.addr = a.Kind, a.Addr
	}
}

// note adds to the foot of the thread that the node chose.
func (n *choice) note(e *event) {
	if int16(e.thread) != n.chosen {
		return
	}
	for i := range n.feet {
		if f := &n.feet[i]; f.thread == e.thread && n.sleep>>e.thread&1 == 0 {
			f.merge(&e.foot)
			return
		}
	}
	f := foot{thread: e.thread, kind: Yield}
	f.merge(&e.foot)
	n.feet = append(n.feet, f)
}

func (f *foot) merge(e *foot) {
	if e.kind == Write || e.kind == Read && f.kind == Yield {
		f.kind = e.kind
	}
	f.flags |= e.flags
	f.begins = f.begins || e.begins
}

// conflicts reports whether two events of different threads do not commute.
func (e *event) conflicts(o *event) bool {
	if e.begins && o.flags&Returns != 0 || o.begins && e.flags&Returns != 0 {
		return true
	}
	a, b := Access{Kind: e.kind, Flags: e.flags, Addr: e.addr}, Access{Kind: o.kind, Flags: o.flags, Addr: o.addr}
	return a.conflicts(&b)
}

func (d *DPOR) clock(i int) []int32 { return d.clocks[i*d.width : (i+1)*d.width] }

// order computes which events happen before others, and finds the races of events that
// are new in this execution.
func (d *DPOR) order() {
	if need := len(d.events) * d.width; cap(d.clocks) < need {
		d.clocks = make([]int32, 2*need)
	}
	d.clocks = d.clocks[:len(d.events)*d.width]
	d.before = append(d.before[:0], d.clocks[:min(d.width, len(d.clocks))]...)
	var last [MaxThreads]int // 1 + index of the last event of each thread
	isNew := false
	for i := range d.events {
		e := &d.events[i]
		isNew = isNew || d.branch < 0 || int(e.node) >= d.branch || i >= d.taken
		c := d.clock(i)
		if clear(c); last[e.thread] > 0 {
			copy(c, d.clock(last[e.thread]-1))
		}
		copy(d.before, c)
		d.racing = d.racing[:0]
		for j := min(i, d.taken) - 1; j >= 0; j-- {
			o := &d.events[j]
			if o.thread == e.thread {
				continue
			}
			covered := o.seq <= c[o.thread]
			if covered && (!isNew || e.flags&Waits == 0 || o.seq <= d.before[o.thread]) || !e.conflicts(o) {
				continue
			}
			if isNew && o.node >= 0 {
				d.racing = append(d.racing, int32(j))
			}
			if !covered {
				for t, n := range d.clock(j) {
					c[t] = max(c[t], n)
				}
			}
		}
		c[e.thread] = e.seq
		if i < d.taken {
			last[e.thread] = i + 1
		}
		for _, j := range d.racing {
			d.race(int(j), i)
		}
	}
}

// race adds a thread to explore at the node before event j, so that event i, which conflicts,
// comes before it.
func (d *DPOR) race(j, i int) {
	n, e := &d.nodes[d.events[j].node], &d.events[j]
	var first [MaxThreads]int32 // of each thread in v: the number of its first event there
	var threads, initials uint64
	for k := j + 1; k <= i; k++ {
		if k >= d.taken {
			k = i
		}
		o, c := &d.events[k], d.clock(k)
		if k < i && c[e.thread] >= e.seq || threads>>o.thread&1 != 0 {
			continue
		}
		isFirst := true
		for m := threads; m != 0 && isFirst; m &= m - 1 {
			t := bits.TrailingZeros64(m)
			isFirst = c[t] < first[t]
		}
		if isFirst {
			initials |= 1 << o.thread
		}
		threads |= 1 << o.thread
		first[o.thread] = o.seq
	}
	p := uint64(1) << d.events[i].thread
	if initials &= n.enabled; initials == 0 {
		// The threads that come first in v were started after the node. Then the thread of
		// event i may come first without them, as in Flanagan and Godefroid (POPL 2005).
		if initials = p & n.enabled; initials == 0 {
			n.backtrack |= n.enabled
			return
		}
	}
	switch {
	case initials&(n.backtrack|n.sleep) != 0:
	case initials&p != 0:
		n.backtrack |= p
	default:
		n.backtrack |= initials & -initials
	}
}
