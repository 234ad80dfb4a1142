package porcupine

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/anishathalye/porcupine"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// A specification is a replay.Spec that behaves as a porcupine.Model on the
// operations of one history.
type specification struct {
	model  porcupine.Model
	judge  func(ctx context.Context, state, input, output any) (bool, any) // StepContext if the model has it, or Step
	ctx    context.Context                                                 // done when the time of the check is over
	states stateTable
	calls  map[string]*call // by callKey
	parts  []string         // names of the elements of the model's partition
}

// A call is an invocation of the history: operations with equal inputs share it, unless
// they belong to different parts.
type call struct {
	input   any
	part    int
	partArg int // number, from 1, of the argument that identifies the part; see replay.Facts.Part
	results []output
	byKey   map[string]int // key of a result's value -> index into results
}

// An output is one that the history has for an input, and the result that stands for it.
type output struct {
	value  history.Value
	output any
}

func newSpecification(model porcupine.Model) (*specification, error) {
	s := &specification{model: model, judge: model.StepContext, ctx: context.Background(), calls: map[string]*call{}}
	switch {
	case model.Init == nil:
		return nil, fmt.Errorf("the model has no Init")
	case model.Step == nil && model.StepContext == nil:
		return nil, fmt.Errorf("the model has neither Step nor StepContext")
	case model.StepContext == nil:
		s.judge = func(_ context.Context, state, input, output any) (bool, any) { return model.Step(state, input, output) }
	}
	if s.states.equal, s.states.hash = model.Equal, model.Hash; model.Equal == nil {
		s.states.equal = func(a, b any) bool { return a == b }
	}
	return s, nil
}

// Trusted exempts the specification from trials: a state that is not equal to itself
// gets a new key each time.
func (s *specification) Trusted() {}

// callKey appends the key of an invocation in specification.calls.
func callKey(dst []byte, method string, args []history.Value) []byte {
	dst = history.StringValue(method).AppendKey(dst)
	for _, a := range args {
		dst = a.AppendKey(dst)
	}
	return dst
}

func (s *specification) find(method string, args []history.Value) *call {
	var buffer [128]byte // most keys fit
	return s.calls[string(callKey(buffer[:0], method, args))]
}

// Name returns "porcupine".
func (s *specification) Name() string { return "porcupine" }

// Check accepts the invocations of the history, with any result.
func (s *specification) Check(op *history.Operation) error {
	if s.find(op.Method, op.Args) == nil {
		return fmt.Errorf("%s is not an invocation of the history that the specification was made for", op.Method)
	}
	return nil
}

// Traits returns that the object has parts, if the model has a partition.
func (s *specification) Traits() replay.Traits {
	return replay.Traits{Partitioned: len(s.parts) > 1}
}

// Facts returns the part of an operation.
func (s *specification) Facts(op *history.Operation) replay.Facts {
	return replay.Facts{Part: s.find(op.Method, op.Args).partArg}
}

// New returns the initial state.
func (s *specification) New() replay.Object {
	return &object{spec: s, initial: s.stateOf(-1, s.model.Init())}
}

var _ replay.Judge = (*object)(nil)

// An object is an immutable state of all parts.
type object struct {
	spec    *specification
	initial partState   // the state of each part that is not in touched
	touched []partState // sorted by part; parts in the initial state are left out
}

type partState struct {
	part   int
	value  any
	number int64  // see stateTable
	sum    uint64 // see stateTable.isAsNew
}

// stateOf wraps a state that the model returned.
func (s *specification) stateOf(part int, value any) partState {
	value = clip(value)
	number, sum := s.states.number(value)
	return partState{part, value, number, sum}
}

// step calls the model's Step. It panics if the state has changed since it was new: the
// engines keep states and transitions, so verdicts would be wrong. A Step on another state
// may have changed it by appending to a slice that the two states share.
func (s *specification) step(state *partState, input, output any) (bool, any) {
	before := s.states.isAsNew(state.value, state.sum)
	ok, next := s.judge(s.ctx, state.value, input, output)
	if s.ctx.Err() != nil {
		panic(s.ctx.Err()) // StepContext may have given up
	}
	if !before || !s.states.isAsNew(state.value, state.sum) {
		panic(fmt.Sprintf("a state changed after Init or Step returned it, and is now %v; Step must not change its argument, nor append to a part of it", state.value))
	}
	return ok, next
}

func (o *object) place(part int) (i int, found bool) {
	return slices.BinarySearchFunc(o.touched, part, func(p partState, part int) int { return p.part - part })
}

// after returns the object with another state of a part.
func (o *object) after(part int, value any) *object {
	i, found := o.place(part)
	rest := o.touched[i:]
	if found {
		rest = rest[1:]
	}
	var changed []partState
	if next := o.spec.stateOf(part, value); next.number != o.initial.number {
		changed = []partState{next}
	}
	return &object{o.spec, o.initial, slices.Concat(o.touched[:i], changed, rest)}
}

// try appends the outcome of the call with the result, if the model accepts the result.
func (o *object) try(outcomes []replay.Outcome, c *call, r *output) []replay.Outcome {
	state := &o.initial
	if i, found := o.place(c.part); found {
		state = &o.touched[i]
	}
	ok, next := o.spec.step(state, c.input, r.output)
	if !ok {
		return outcomes
	}
	return append(outcomes, replay.Outcome{Result: r.value, Next: o.after(c.part, next)})
}

// Judge calls the model's Step with the recorded output.
func (o *object) Judge(inv replay.Invocation, value history.Value) []replay.Outcome {
	c := o.spec.find(inv.Method, inv.Args)
	var buffer [128]byte
	i, known := c.byKey[string(value.AppendKey(buffer[:0]))]
	if !known {
		return nil
	}
	return o.try(nil, c, &c.results[i])
}

// Outcomes calls the model's Step with each output that the history has for the input.
func (o *object) Outcomes(inv replay.Invocation) []replay.Outcome {
	c := o.spec.find(inv.Method, inv.Args)
	var outcomes []replay.Outcome
	for i := range c.results {
		outcomes = o.try(outcomes, c, &c.results[i])
	}
	return outcomes
}

// Apply returns the first outcome.
func (o *object) Apply(inv replay.Invocation) (history.Value, bool) {
	outcomes := o.Outcomes(inv)
	if len(outcomes) == 0 {
		return history.NoValue, false
	}
	*o = *outcomes[0].Next.(*object)
	return outcomes[0].Result, true
}

func (o *object) Clone() replay.State {
	clone := *o
	return &clone
}

func (o *object) AppendKey(dst []byte) []byte {
	for _, p := range o.touched {
		dst = binary.AppendUvarint(dst, uint64(p.part)+1)
		dst = binary.AppendVarint(dst, p.number)
	}
	return append(dst, 0)
}

// String returns the state as the model's DescribeState describes it. For an object with
// parts, it lists the parts that are not in the initial state, then the state of the others.
func (o *object) String() string {
	states := []string{}
	for _, p := range o.touched {
		states = append(states, o.spec.parts[p.part]+": "+o.spec.describe(p.value))
	}
	switch rest := o.spec.describe(o.initial.value); {
	case len(o.spec.parts) <= 1 && len(o.touched) == 1:
		return o.spec.describe(o.touched[0].value)
	case len(o.spec.parts) <= 1:
		return rest
	case len(states) == 0:
		return "{all: " + rest + "}"
	case len(o.touched) < len(o.spec.parts):
		states = append(states, "others: "+rest)
	}
	return "{" + strings.Join(states, ", ") + "}"
}

func (s *specification) describe(state any) string {
	return described(fmt.Sprintf("%v", state), s.model.DescribeState != nil, func() string { return s.model.DescribeState(state) })
}

// described returns what a function of the model says, or else the given text if there is
// no such function or if it panics. porcupine calls it for visualizations only.
func described(otherwise string, exists bool, describe func() string) (text string) {
	if !exists {
		return otherwise
	}
	defer func() {
		if recover() != nil {
			text = otherwise
		}
	}()
	return describe()
}
