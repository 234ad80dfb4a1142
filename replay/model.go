package replay

import (
	"cmp"
	"fmt"

	"github.com/leadline/leadline/history"
)

// A Model is a specification given by functions on values, the shortest way to
// write one. S is the type of the states, which must not be modified.
type Model[S any] struct {
	Label   string // its name
	Initial S
	// Next returns every possible result of the invocation in state s, with the
	// resulting state. A deterministic object has one result, or none where it has no
	// transition.
	Next func(s S, inv Invocation) []Step[S]
	// Key appends the canonical key of s to dst; see State.
	Key func(dst []byte, s S) []byte
	// Describe returns s in words for people; nil stands for fmt.Sprint, with "" in
	// quotes. See StateText.
	Describe func(s S) string
	// Valid is Spec.Check; nil accepts everything.
	Valid func(op *history.Operation) error
}

// A Step is one transition of a Model.
type Step[S any] struct {
	Result history.Value
	Next   S
}

// validate implements Validate.
func (m *Model[S]) validate() error {
	switch {
	case m.Next == nil:
		return fmt.Errorf("the specification %s is a replay.Model without Next", m.Label)
	case m.Key == nil:
		return fmt.Errorf("the specification %s is a replay.Model without Key", m.Label)
	}
	return nil
}

// Name returns m.Label.
func (m *Model[S]) Name() string { return m.Label }

// Check is m.Valid.
func (m *Model[S]) Check(op *history.Operation) error {
	if m.Valid == nil {
		return nil
	}
	return m.Valid(op)
}

// New returns the initial state.
func (m *Model[S]) New() Object { return &modelState[S]{m, m.Initial} }

type modelState[S any] struct {
	model *Model[S]
	value S
}

// Apply takes the first outcome.
func (s *modelState[S]) Apply(inv Invocation) (history.Value, bool) {
	steps := s.model.Next(s.value, inv)
	if len(steps) == 0 {
		return history.NoValue, false
	}
	s.value = steps[0].Next
	return steps[0].Result, true
}

func (s *modelState[S]) Clone() State { return &modelState[S]{s.model, s.value} }

func (s *modelState[S]) AppendKey(dst []byte) []byte { return s.model.Key(dst, s.value) }

// String implements fmt.Stringer.
func (s *modelState[S]) String() string {
	if s.model.Describe == nil {
		return cmp.Or(fmt.Sprint(s.value), `""`) // "" would mean that the state has no description
	}
	return s.model.Describe(s.value)
}

func (s *modelState[S]) Outcomes(inv Invocation) []Outcome {
	var outcomes []Outcome
	for _, step := range s.model.Next(s.value, inv) {
		outcomes = append(outcomes, Outcome{step.Result, &modelState[S]{s.model, step.Next}})
	}
	return outcomes
}
