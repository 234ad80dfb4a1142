package stresstest

import (
	"context"
	"fmt"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/spec"
	"github.com/leadline/leadline/replay/spec/spectest"
)

// Checker returns the checker that stress.Search needs; it uses decide.Check. If
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
func (c *checker) Violates(ctx context.Context, h *history.History) (bool, error) {
	s, err := c.lookup(h.Model, h.ModelArgs)
	if err != nil {
		return false, err
	}
	if err := c.probe(s, h.Ops); err != nil {
		return false, err
	}
	v, err := decide.Check(ctx, h, s, replay.Options{Engine: replay.SearchEngine})
	return v.Answer == replay.NotLinearizable, err
}

// probe returns a fault of the specification, and keeps the first one in c.fault.
func (c *checker) probe(s replay.Spec, ops []history.Operation) error {
	err := spectest.Probe(context.Background(), s, ops)
	if c.fault == nil {
		c.fault = err
	}
	return err
}

// ObjectSpec returns a specification whose objects are objects of the class, run
// sequentially. Pass it to Check if the class has no other specification. It makes
// each state by repeating all calls, so it is for histories of tens of operations.
func ObjectSpec(c *stress.Class) replay.Spec { return objectSpec{c} }

// An objectSpec assumes that objects of the class are correct when they run sequentially.
type objectSpec struct{ class *stress.Class }

func (s objectSpec) Name() string { return s.class.Name }

// Check checks the method and the number of its arguments. Any arguments and results pass.
func (s objectSpec) Check(op *history.Operation) error {
	m := s.class.Method(op.Method)
	if m == nil {
		return fmt.Errorf("%s has no method %s", s.class.Name, op.Method)
	}
	if len(op.Args) != len(m.Params) {
		return fmt.Errorf("%s has %d arguments, %s takes %d", op.Method, len(op.Args), op.Method, len(m.Params))
	}
	return nil
}

// Trusted exempts the specification from spectest.Probe, which would repeat all calls for
// each state.
func (s objectSpec) Trusted() {}

func (s objectSpec) New() replay.Object { return &objectState{class: s.class} }

// An objectState is a state of an object, known only by the calls that led to
// it.
type objectState struct {
	class *stress.Class
	path  []stress.Invocation // all calls so far
	key   []byte
}

// Apply implements replay.Object. The result of a weak read-only method is
// unknown. A method that waits has no transition.
func (s *objectState) Apply(inv replay.Invocation) (history.Value, bool) {
	// The path includes read-only methods, because the class may be wrong about them.
	path := append(s.path[:len(s.path):len(s.path)], stress.Invocation{Method: s.class.Method(inv.Method), Args: inv.Args})
	results := stress.Sequential(s.class, path, 0)
	if len(results) < len(path) {
		return history.NoValue, false
	}
	s.path = path
	s.key = append(s.key[:len(s.key):len(s.key)], inv.Method...)
	for _, a := range inv.Args {
		s.key = a.AppendKey(append(s.key, ' '))
	}
	s.key = append(s.key, 0)
	return results[len(path)-1], true
}

// Clone implements replay.State.
func (s *objectState) Clone() replay.State {
	return &objectState{class: s.class, path: s.path, key: s.key}
}

// AppendKey implements replay.State. States with different calls have different
// keys, even if no later call distinguishes them.
func (s *objectState) AppendKey(dst []byte) []byte { return append(dst, s.key...) }

// String returns the calls that led to the state.
func (s *objectState) String() string {
	if len(s.path) == 0 {
		return "new"
	}
	calls := make([]string, len(s.path))
	for i, inv := range s.path {
		op := history.Operation{Method: inv.Method.Name, Args: inv.Args}
		calls[i] = op.String()
	}
	return "after " + strings.Join(calls, ", ")
}

// Outcomes implements replay.Nondeterministic: a weak mutator may fail.
func (s *objectState) Outcomes(inv replay.Invocation) []replay.Outcome {
	next := s.Clone()
	var outcomes []replay.Outcome
	if result, ok := next.Apply(inv); ok {
		outcomes = append(outcomes, replay.Outcome{Result: result, Next: next})
	}
	if m := s.class.Method(inv.Method); m.Weak && !m.ReadOnly {
		outcomes = append(outcomes, replay.Outcome{Result: m.Failure, Next: s.Clone()})
	}
	return outcomes
}
