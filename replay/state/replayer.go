package state

import (
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
)

// A Replayer distinguishes witnesses from other schedules of an instance.
type Replayer struct {
	in       *replay.Instance
	spec     replay.Spec
	machine  *Machine // nil: run the object
	maxBytes int64
	meter    *meter.Meter
	stopped  bool // the meter has ended the work
}

// NewReplayer returns a Replayer for the schedules of an instance. The machine is the one
// that TableFor returned, with tables of at most maxBytes.
func NewReplayer(in *replay.Instance, spec replay.Spec, machine *Machine, maxBytes int64, m *meter.Meter) *Replayer {
	return &Replayer{in: in, spec: spec, machine: machine, maxBytes: maxBytes, meter: m}
}

// TableFor returns the Machine for replaying schedules of p, or nil if they run on the
// object itself: a long history has many states that occur once.
func TableFor(p *ops.Problem) *Machine {
	if len(p.H.Ops) > SharedOps {
		if _, set := p.Spec.New().(replay.Nondeterministic); !set {
			return nil
		}
	}
	return NewMachine(p)
}

// IsWitness reports whether the replay of the schedule gives every recorded
// result.
func (r *Replayer) IsWitness(schedule []int32) bool {
	if r.machine == nil {
		return r.run(schedule)
	}
	if r.machine.Bytes() > r.maxBytes {
		// Start over with empty tables to stay within the bound.
		full := r.machine
		r.machine = NewMachine(ops.New(r.in.History, r.spec, r.maxBytes))
		r.machine.Bound(full.meter, full.maxBytes)
		r.machine.gaveUp = full.gaveUp
	}
	state := r.machine.Start()
	for k, e := range schedule {
		if r.mustStop(k) {
			return false
		}
		if state = r.machine.Step(state, r.in.Ops[e]); state == Fail {
			return false
		}
	}
	return true
}

// run replays the schedule on a fresh object.
func (r *Replayer) run(schedule []int32) bool {
	object, calls := r.spec.New(), replay.Calls(r.spec, r.meter)
	for k, e := range schedule {
		if r.mustStop(k) {
			return false
		}
		op := &r.in.History.Ops[r.in.Ops[e]]
		result, ok := object.Apply(replay.Invocation{Method: op.Method, Args: op.Args})
		if r.stopped = r.stopped || calls.Call(); !Accepted(op, result, ok) {
			return false
		}
	}
	return true
}

// mustStop reports whether to stop after k operations of a schedule. It counts operations
// only in long schedules.
func (r *Replayer) mustStop(k int) bool {
	if k%meter.AskEvery == meter.AskEvery-1 {
		r.stopped = r.meter.MustStop(meter.AskEvery)
	}
	return r.stopped
}

// Accepted reports whether a recorded operation is consistent with the replay,
// where ok reports whether there was a transition.
func Accepted(op *history.Operation, result history.Value, ok bool) bool {
	if !ok {
		return op.Pending() && !op.Happened
	}
	return replay.Accepts(op.Result, result)
}

// GaveUp returns why some schedules were not replayed to their end.
func (r *Replayer) GaveUp() replay.Cause {
	switch {
	case r.stopped:
		return replay.Time
	case r.machine == nil:
		return replay.NoCause
	}
	return r.machine.GaveUp()
}
