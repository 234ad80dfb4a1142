package explain

import (
	"math/bits"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/hitting/table"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
	"github.com/leadline/leadline/replay/state"
)

// A configuration is a possible situation after the events so far: the state, and the
// open operations that have taken effect.
type configuration struct {
	effect uint64 // slots of the open operations that have taken effect
	state  int32
	result int32 // result of the operation watched: an index into walk.results + 1, or 0
}

// A walk follows a linearizable history event by event, with all configurations that are
// possible. An operation takes effect when a response requires it: its own response, or
// the response of an operation that depends on it. Operations that change nothing take
// effect as soon as they can, which keeps all other possibilities open.
type walk struct {
	*ops.Problem
	columns *ops.Columns
	machine *state.Machine
	meter   *meter.Meter
	most    int // bound of the configurations at one moment
	// watched is a pending operation whose results are collected, or NoOperation. If it
	// changes nothing, it still takes effect.
	watched int32
	results []history.Value // results that the operation watched may have got
	several bool            // in some state it may get one of several results

	open       *ops.Frontier // nil: too many operations are open at once
	invoked    int           // operations invoked before the due response
	reads      uint64        // slots of operations that change nothing
	current    configurations
	next       configurations
	seen       configurations
	stack      []configuration
	overflowed bool // there are too many configurations
}

// newWalk returns a walk at the beginning of a history, or nil if the objects of the
// specification are not States.
func newWalk(p *ops.Problem, m *meter.Meter) *walk {
	machine := state.NewLazyMachine(p)
	if machine == nil {
		return nil
	}
	machine.Bound(m, p.MaxBytes)
	intervals := make([]ops.Interval, len(p.H.Ops))
	for i := range p.H.Ops {
		intervals[i] = ops.Interval{Call: p.H.Ops[i].Call, Return: p.H.Ops[i].Return}
	}
	w := &walk{Problem: p, columns: p.Columns(nil), machine: machine, meter: m, most: limits.configurations, watched: replay.NoOperation, open: ops.NewFrontier(intervals)}
	w.overflowed = w.open == nil
	w.current.add(configuration{state: machine.Start()})
	return w
}

// stop reports whether the walk has to end.
func (w *walk) stop() bool { return w.meter.Stopped() || w.machine.GaveUp() != replay.NoCause }

// only returns the state if there is one configuration only.
func (w *walk) only() (int32, bool) {
	if w.overflowed || w.current.Len() != 1 {
		return 0, false
	}
	return w.current.At(0).state, true
}

// run handles all responses. It calls atRest at the beginning and whenever no operation is
// open, with the number of operations so far. It ends if there are too many
// configurations (overflowed). run returns false if the walk has to stop.
func (w *walk) run(atRest func(ops int)) bool {
	atRest(0)
	for w.invoke(); !w.overflowed && !w.open.AtEnd(); w.invoke() {
		due := &w.H.Ops[w.open.Order[w.open.Due]]
		if due.Pending() {
			break
		}
		w.respond()
		if w.stop() {
			return false
		}
		if w.current.Len() == 0 { // this response fails
			break
		}
		if next := int(w.open.Due); !w.overflowed && (next == len(w.H.Ops) || w.H.Ops[next].Call > due.Return) {
			atRest(next) // as many have returned as were invoked
		}
		w.shrink()
	}
	return true
}

// invoke lets the operations that are invoked before the due response take effect if they
// change nothing.
func (w *walk) invoke() {
	if w.overflowed || w.open.AtEnd() {
		return
	}
	due, before := w.H.Ops[w.open.Order[w.open.Due]].Return, w.reads
	for ; w.invoked < len(w.H.Ops) && w.H.Ops[w.invoked].Call < due; w.invoked++ {
		if op := int32(w.invoked); op != w.watched && w.columns.ReadOnly[op] {
			w.reads |= 1 << w.open.Slot[op]
		}
	}
	if w.reads != before {
		w.replace(w.read)
	}
}

// read lets the open operations that change nothing take effect if they can.
func (w *walk) read(c configuration) configuration {
	for left := w.reads &^ c.effect; left != 0; left &= left - 1 {
		slot := bits.TrailingZeros64(left)
		if w.machine.Step(c.state, w.open.Occupant[slot]) == c.state {
			c.effect |= 1 << slot
		}
	}
	return c
}

// respond keeps the configurations in which the due operation takes effect before its
// response, and closes it.
func (w *walk) respond() {
	bit := uint64(1) << w.open.Slot[w.open.Order[w.open.Due]]
	w.next.Clear()
	w.explore(func(c configuration) bool {
		if c.effect&bit == 0 {
			return false
		}
		c.effect &^= bit
		w.next.add(c)
		return true
	})
	w.open.Advance()
	w.reads &^= bit
	w.current, w.next = w.next, w.current
}

// explore visits the configurations that open operations lead to. It does not continue
// from a configuration for which visit returns true.
func (w *walk) explore(visit func(configuration) bool) {
	w.seen.Clear()
	w.stack = w.stack[:0]
	for i := range w.current.Len() {
		w.stack = append(w.stack, *w.current.At(int32(i)))
	}
	for len(w.stack) > 0 && !w.overflowed {
		c := w.stack[len(w.stack)-1]
		w.stack = w.stack[:len(w.stack)-1]
		if !w.seen.add(c) || visit(c) {
			continue
		}
		if w.seen.Len() > w.most {
			w.overflowed = true
			return
		}
		for slot, op := range w.open.Occupant {
			if op == replay.NoOperation || c.effect>>slot&1 != 0 {
				continue
			}
			after := w.machine.Step(c.state, op)
			if w.meter.MustStop(1) || w.machine.GaveUp() != replay.NoCause {
				return
			}
			to := configuration{c.effect | 1<<slot, after, c.result}
			switch {
			case after == state.Fail:
			case op == w.watched:
				if to.result = w.resultIn(c.state); to.result > 0 {
					w.stack = append(w.stack, w.read(to))
				}
			case after != c.state || !w.H.Ops[op].Pending():
				// A pending operation that changes nothing need not have taken effect.
				w.stack = append(w.stack, w.read(to))
			}
		}
	}
}

// watch makes op the operation watched, unless the specification only judges results.
func (w *walk) watch(op int32) {
	if _, judges := w.Spec.New().(replay.Judge); !judges {
		w.watched = op
	}
}

// resultIn returns the result of the operation watched in a state, in the form of
// configuration.result. It returns 0 if the operation has to wait there. It sets several if
// there is more than one result.
func (w *walk) resultIn(state int32) int32 {
	if w.meter.MustStop(1) {
		return 0
	}
	op := &w.H.Ops[w.watched]
	objects := w.machine.Objects(state)
	outcomes := replay.Transitions(objects[0], replay.Invocation{Method: op.Method, Args: op.Args})
	w.meter.Call()
	w.several = w.several || len(objects) > 1 || len(outcomes) > 1
	if len(outcomes) == 0 {
		return 0
	}
	result := outcomes[0].Result
	at := slices.IndexFunc(w.results, result.Equal)
	if at < 0 {
		at = len(w.results)
		w.results = append(w.results, result)
	}
	return int32(at) + 1
}

// shrink frees the memory of states that no configuration has.
func (w *walk) shrink() {
	if !w.machine.Crowded() {
		return
	}
	states := make([]int32, w.current.Len())
	for i := range states {
		states[i] = w.current.At(int32(i)).state
	}
	w.machine.Keep(states)
	w.replace(func(c configuration) configuration {
		c.state, states = states[0], states[1:]
		return c
	})
}

// replace replaces each configuration by another one.
func (w *walk) replace(by func(configuration) configuration) {
	w.next.Clear()
	for i := range w.current.Len() {
		w.next.add(by(*w.current.At(int32(i))))
	}
	w.current, w.next = w.next, w.current
}

// configurations is a set.
type configurations struct{ table.Table[configuration] }

// add adds c and reports whether it was not in the set.
func (s *configurations) add(c configuration) bool {
	hash := table.Hash(c.effect, uint64(c.state)<<32|uint64(c.result))
	if s.Find(hash, func(d *configuration) bool { return *d == c }) >= 0 {
		return false
	}
	s.Add(hash, c)
	return true
}
