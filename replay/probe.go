package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
)

// A Trusted specification has tests of its own, so Probe does not test it. The bundled
// specifications are Trusted.
type Trusted interface{ Trusted() }

// Calls returns the meter for calls of the objects of a specification: m, because such
// calls may take long, or nil if the specification is trusted. See meter.Meter.Call.
func Calls(s Spec, m *meter.Meter) *meter.Meter {
	if _, trusted := s.(Trusted); trusted {
		return nil
	}
	return m
}

// Validate returns an error if a specification is nil, or a Model without one of
// the functions that it needs.
func Validate(s Spec) error {
	if s == nil {
		return errors.New("the specification is nil")
	}
	if v := reflect.ValueOf(s); v.Kind() == reflect.Pointer && v.IsNil() {
		return fmt.Errorf("the specification is a nil %T", s)
	}
	if m, ok := s.(interface{ validate() error }); ok {
		return m.validate()
	}
	return nil
}

const (
	probeInvocations = 16 // different ones
	probeSteps       = 32
	probeRestart     = 8 // steps from one initial state
)

// Probe looks for faults of a specification that lead to wrong verdicts, at the beginning of
// a check. It tries the first of the given operations, as far as Check accepts them, and
// tests that
//   - no transition changes its arguments, or a state other than the one that it returns;
//   - an invocation has the same results in all states with the same key;
//   - New returns a new object each time, two objects return the same results, and there is
//     a next state and a clone.
//
// The error is about the specification. A nil error proves little: package
// replay/spec/spectest tests a specification thoroughly. Trusted specifications are not
// probed. If the specification panics, Probe ends without an error, because a check may not
// reach such a state. It also ends when ctx is done.
func Probe(ctx context.Context, s Spec, ops []history.Operation) (err error) {
	if err := Validate(s); err != nil {
		return err
	}
	if _, ok := s.(Trusted); ok {
		return nil
	}
	p := &probe{context: ctx, spec: s, seen: map[string][]string{}}
	defer func() { _ = recover() }()
	p.choose(ops)
	first := s.New()
	if first == nil {
		return p.errorf("New returns nil")
	}
	if state, ok := first.(State); ok {
		return p.walk(state)
	}
	return p.runTwice(ops)
}

// A probe tries a specification.
type probe struct {
	context     context.Context
	spec        Spec
	invocations []Invocation
	texts       []string            // of the invocations
	seen        map[string][]string // key -> results of each invocation
}

func (p *probe) errorf(format string, args ...any) error {
	return fmt.Errorf("the specification %s is wrong: %s", p.spec.Name(), fmt.Sprintf(format, args...))
}

// choose takes the first distinct invocations of ops, with copies of their arguments.
func (p *probe) choose(ops []history.Operation) {
	for i := 0; i < len(ops) && len(p.invocations) < probeInvocations; i++ {
		inv := Invocation{ops[i].Method, slices.Clone(ops[i].Args)}
		if text := inv.String(); !slices.Contains(p.texts, text) && p.spec.Check(&ops[i]) == nil {
			p.invocations, p.texts = append(p.invocations, inv), append(p.texts, text)
		}
	}
}

// runTwice compares the results of two new objects.
func (p *probe) runTwice(ops []history.Operation) error {
	first, err := p.run(ops)
	if err != nil {
		return err
	}
	second, err := p.run(ops)
	for i := range min(len(first), len(second)) {
		if a, b := first[i], second[i]; a != b {
			return p.errorf("after the same operations, %s returns %s from one new object and %s from another; New has to return a new object, and the object has to be deterministic",
				Invocation{ops[i].Method, ops[i].Args}, a, b)
		}
	}
	return err
}

// run performs the first operations on a new object until a result is not the recorded one.
// It returns the results.
func (p *probe) run(ops []history.Operation) (results []string, err error) {
	object := p.spec.New()
	for i := range ops[:min(len(ops), probeSteps)] {
		if p.context.Err() != nil || p.spec.Check(&ops[i]) != nil {
			break
		}
		inv := Invocation{ops[i].Method, slices.Clone(ops[i].Args)}
		text := inv.String()
		result, ok := object.Apply(inv)
		if inv.String() != text {
			return nil, p.errorf("%s changes its arguments to those of %v", text, inv)
		}
		if results = append(results, resultText(result, ok)); !accepted(&ops[i], result, ok) {
			break
		}
	}
	return results, nil
}

// walk visits some states from the first one, each twice, as itself and as a clone.
func (p *probe) walk(first State) error {
	initial, state := keyOf(first), first
	for step := range probeSteps {
		clone := state.Clone()
		if clone == nil {
			return p.errorf("Clone returns nil")
		}
		next, err := p.visit(state)
		if err == nil {
			_, err = p.visit(clone)
		}
		switch {
		case err != nil:
			return err
		case keyOf(first) != initial:
			return p.errorf("a transition changed the initial state, which New had returned")
		case len(next) == 0:
			return nil
		}
		if state = next[(step+step/probeRestart)%len(next)]; step%probeRestart == probeRestart-1 {
			state = first
		}
	}
	if _, ok := first.(Nondeterministic); ok {
		return nil // Apply is not called
	}
	for _, inv := range p.invocations {
		p.spec.New().Apply(inv)
		if keyOf(p.spec.New().(State)) != initial {
			return p.errorf("New does not return a new object; %v changed the one that it returns next", inv)
		}
	}
	return nil
}

// visit performs each invocation in a state and returns the states reached, or none when the
// context is done.
func (p *probe) visit(state State) (reached []State, err error) {
	key := keyOf(state)
	var keys, all []string // the keys of the states reached, and the results
	before := p.seen[key]
	for i, inv := range p.invocations {
		if p.context.Err() != nil {
			return nil, nil
		}
		results := ""
		for _, o := range Transitions(state, inv) {
			if o.Next == nil {
				return nil, p.errorf("an outcome of %v has no next state", inv)
			}
			results += " or " + resultText(o.Result, true)
			reached, keys = append(reached, o.Next), append(keys, keyOf(o.Next))
		}
		results = cmp.Or(strings.TrimPrefix(results, " or "), resultText(history.NoValue, false))
		all = append(all, results)
		switch {
		case inv.String() != p.texts[i]:
			return nil, p.errorf("%s changes its arguments to those of %v", p.texts[i], inv)
		case keyOf(state) != key:
			return nil, p.errorf("%v changes the state that it is applied to, or its key; a transition has to copy what it changes", inv)
		case before != nil && before[i] != results:
			return nil, p.errorf("states with the same key %q differ: %v returns %s in one and %s in another", key, inv, before[i], results)
		}
	}
	p.seen[key] = all
	for i, s := range reached {
		if keyOf(s) != keys[i] {
			return nil, p.errorf("a state changed when another invocation was applied to the state before it; they share memory")
		}
	}
	return reached, nil
}

func keyOf(s State) string { return string(s.AppendKey(nil)) }

// resultText returns a result in words.
func resultText(v history.Value, ok bool) string {
	switch {
	case !ok:
		return "nothing, as it has no transition,"
	case v.Kind() == history.None:
		return "no value"
	}
	return v.String()
}
