package weak

import (
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/visibility"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
	"github.com/leadline/leadline/replay/state"
)

// An object replays operations on a machine whose operations are those of the history, and
// then the same with any result. It implements visibility.Divided.
type object struct {
	machine *state.Machine
	h       *history.History
	columns *ops.Columns // of the operations with any result
	parts   int          // 0 if Fits does not apply
}

// newObject returns nil if the specification's objects are not States.
func (c *checker) newObject(h *history.History) *object {
	free := anyResult(h)
	both := *h
	both.Ops = slices.Concat(h.Ops, free.Ops)
	machine := state.NewMachine(ops.New(&both, c.spec, c.bytes))
	if machine == nil {
		return nil
	}
	machine.Bound(c.meter, c.bytes/2)
	o := &object{machine: machine, h: h, columns: ops.New(free, c.spec, 0).Columns(nil)}
	roles := ops.New(h, c.spec, 0).Columns(nil).Role
	isCounted := func(i int, op *history.Operation) bool {
		kind := op.Result.Kind()
		return kind == history.Unknown || (kind == history.Int || kind == history.Bool) && (roles[i] == replay.Size || roles[i] == replay.Nothing)
	}
	o.parts = int(o.columns.Parts)
	for i := range h.Ops {
		if op := &h.Ops[i]; c.levels[op.Method] != visibility.Complete && o.columns.Part[i] == ops.None && !isCounted(i, op) {
			o.parts = 0
		}
	}
	return o
}

func (o *object) Start() int32               { return o.machine.Start() }
func (o *object) Step(state, op int32) int32 { return o.machine.Step(state, op) }
func (o *object) Run(state, op int32) int32 {
	return o.machine.Step(state, op+int32(len(o.h.Ops)))
}
func (o *object) ReadOnly(op int32) bool { return o.columns.ReadOnly[op] }
func (o *object) Optional(op int32) bool { return o.h.Ops[op].Pending() && !o.h.Ops[op].Happened }
func (o *object) Parts() int             { return o.parts }

// Fits implements visibility.Divided. An operation on one part needs a state of that part. Any
// other counts the values in the object: all of them, or whether there is one. These are the
// sum of what the parts have.
func (o *object) Fits(op int32, states [][]int32) []int {
	choice := make([]int, len(states))
	if part := o.columns.Part[op]; part != ops.None {
		choice[part] = slices.IndexFunc(states[part], func(s int32) bool { return o.Step(s, op) >= 0 })
		if choice[part] < 0 {
			return nil
		}
		return choice
	}
	reached := [][]int32{{1}} // after so many parts, sum -> the index of the last state + 1
	for _, list := range states {
		before := reached[len(reached)-1]
		var next []int32
		for k, s := range list {
			n := o.count(s, op)
			next = append(next, make([]int32, max(0, len(before)+n-len(next)))...)
			for sum, at := range before {
				if at > 0 && next[sum+n] == 0 {
					next[sum+n] = int32(k + 1)
				}
			}
		}
		reached = append(reached, next)
	}
	all, result, sum := reached[len(states)], o.h.Ops[op].Result, 0
	for sum < len(all) && (all[sum] == 0 || !counts(result, sum)) {
		sum++
	}
	if sum == len(all) {
		return nil
	}
	for part := len(states) - 1; part >= 0; part-- {
		choice[part] = int(reached[part+1][sum] - 1)
		sum -= o.count(states[part][choice[part]], op)
	}
	return choice
}

// counts reports whether an operation that counts n values may return result.
func counts(result history.Value, n int) bool {
	switch result.Kind() {
	case history.Int:
		return result.Int() == int64(n)
	case history.Bool:
		return result.Bool() == (n == 0)
	}
	return true // unknown
}

// count returns what the method of op, which counts values, returns in a state: the number, or
// whether there are none.
func (o *object) count(state, op int32) int {
	recorded := &o.h.Ops[op]
	result, _ := o.machine.Objects(state)[0].Clone().Apply(replay.Invocation{Method: recorded.Method, Args: recorded.Args})
	switch {
	case result.Kind() == history.Int:
		return int(result.Int())
	case result.Bool():
		return 0
	}
	return 1
}
