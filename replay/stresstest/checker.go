package stresstest

import (
	"context"
	"fmt"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/hitting/visibility"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/internal/trial"
	"github.com/leadline/leadline/replay/spec"
	"github.com/leadline/leadline/replay/weak"
)

// Checker returns the checker that stress.Search needs; it uses weak.Check. If
// specification is nil, the checker uses the bundled one that the header of the history,
// or the class, names.
func Checker(specification replay.Spec) stress.Checker { return &checker{spec: specification} }

type checker struct {
	spec  replay.Spec
	fault error // the first fault of the specification
}

func (c *checker) lookup(model string, args []history.Value) (replay.Spec, error) {
	if c.spec != nil && model != spec.RunsName {
		return c.spec, nil
	}
	return spec.Lookup(model, args)
}

// Violates implements stress.Checker.
func (c *checker) Violates(ctx context.Context, h *history.History, levels map[string]visibility.Level) (bool, error) {
	s, err := c.lookup(h.Model, h.ModelArgs)
	if err != nil {
		return false, err
	}
	if err := c.probe(s, h.Ops); err != nil {
		return false, err
	}
	if h.Model == spec.RunsName {
		levels = nil
	}
	v, err := weak.Check(ctx, h, s, levels, replay.Options{Engine: replay.SearchEngine})
	return v.Answer == replay.NotLinearizable, err
}

// probe returns a fault of the specification, and keeps the first one in c.fault.
func (c *checker) probe(s replay.Spec, ops []history.Operation) error {
	err := trial.Probe(context.Background(), s, ops)
	if c.fault == nil {
		c.fault = err
	}
	return err
}

// ObjectSpec returns a specification whose objects are objects of the class, run
// sequentially. Pass it to Check if the class has no other specification. It makes
// each state by repeating all calls, so it is for histories of tens of operations. States
// with different calls have different keys, even if no later call distinguishes them.
func ObjectSpec(c *stress.Class) replay.Spec {
	return objectSpec{&replay.Model[[]stress.Invocation]{
		Label: c.Name,
		// The calls include read-only methods, because the class may be wrong about them. The
		// result of a weak read-only method is unknown. A method that waits has no transition,
		// and a weak mutator may fail.
		Next: func(calls []stress.Invocation, inv replay.Invocation) (steps []replay.Step[[]stress.Invocation]) {
			m := c.Method(inv.Method)
			next := append(slices.Clip(calls), stress.Invocation{Method: m, Args: inv.Args})
			if results := stress.Sequential(c, next, 0); len(results) == len(next) {
				steps = append(steps, replay.Step[[]stress.Invocation]{Result: results[len(calls)], Next: next})
			}
			if m.Weak && !m.ReadOnly {
				steps = append(steps, replay.Step[[]stress.Invocation]{Result: m.Failure, Next: calls})
			}
			return steps
		},
		Key: func(dst []byte, calls []stress.Invocation) []byte {
			for _, inv := range calls {
				dst = history.ListValue(inv.Args...).AppendKey(append(append(dst, inv.Method.Name...), 0))
			}
			return dst
		},
		Describe: func(calls []stress.Invocation) string {
			if len(calls) == 0 {
				return "new"
			}
			text := ""
			for _, inv := range calls {
				text += ", " + inv.String()
			}
			return "after" + text[1:]
		},
		// Any arguments and results pass.
		Valid: func(op *history.Operation) error {
			m := c.Method(op.Method)
			switch {
			case m == nil:
				return fmt.Errorf("%s has no method %s", c.Name, op.Method)
			case len(op.Args) != len(m.Params):
				return fmt.Errorf("%s has %d arguments, %s takes %d", op.Method, len(op.Args), op.Method, len(m.Params))
			}
			return nil
		},
	}}
}

// An objectSpec assumes that objects of the class are correct when they run sequentially. A
// state is the calls so far.
type objectSpec struct {
	*replay.Model[[]stress.Invocation]
}

// Trusted exempts the specification from trials, which would repeat all calls for
// each state.
func (objectSpec) Trusted() {}
