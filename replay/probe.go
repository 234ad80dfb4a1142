package replay

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"

	"github.com/leadline/leadline/history"
)

// A Trusted specification has tests of its own, so that Probe leaves it out. The
// bundled ones are.
type Trusted interface{ Trusted() }

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

// Probe looks for faults of a specification that lead to wrong verdicts: it makes
// some steps with the given operations, as far as Check accepts them, and tests
// that
//   - no transition changes a state other than the one that it returns;
//   - an invocation has the same results each time in the same state, and in all
//     states with the same key.
//
// The error is about the specification. That Probe finds nothing proves nothing.
// Objects that are not States and Trusted specifications pass. If the
// specification panics, Probe ends, as a check may not reach such a state. It also
// ends when ctx is done. The number of steps has a constant bound.
func Probe(ctx context.Context, s Spec, ops []history.Operation) (err error) {
	if err := Validate(s); err != nil {
		return err
	}
	if _, ok := s.(Trusted); ok {
		return nil
	}
	p := &probe{context: ctx, spec: s, seen: map[string]string{}}
	defer func() { _ = recover() }()
	p.choose(ops)
	if _, ok := s.New().(State); !ok {
		return nil
	}
	return p.walk()
}

// A probe is a walk through the states of a specification.
type probe struct {
	context     context.Context
	spec        Spec
	invocations []Invocation
	seen        map[string]string // key and number of an invocation -> results
}

func (p *probe) errorf(format string, args ...any) error {
	return fmt.Errorf("the specification %s is wrong: %s", p.spec.Name(), fmt.Sprintf(format, args...))
}

// choose takes the first different invocations.
func (p *probe) choose(ops []history.Operation) {
	seen := map[string]bool{}
	for i := 0; i < len(ops) && len(p.invocations) < probeInvocations; i++ {
		op := &ops[i]
		inv := Invocation{op.Method, op.Args}
		if text := inv.String(); !seen[text] && p.spec.Check(op) == nil {
			seen[text] = true
			p.invocations = append(p.invocations, inv)
		}
	}
}

func (p *probe) walk() error {
	random := rand.New(rand.NewPCG(1, 1)) // the same walk each time
	first := p.spec.New().(State)
	initial := keyOf(first)
	state := first
	for step := range probeSteps {
		next, err := p.visit(state)
		switch {
		case err != nil:
			return err
		case keyOf(first) != initial:
			return p.errorf("a transition changed the initial state, which New had returned")
		case len(next) == 0:
			return nil
		}
		if state = next[random.IntN(len(next))].state; step%probeRestart == probeRestart-1 {
			state = p.spec.New().(State)
		}
	}
	return nil
}

// A probed is a state that an invocation led to.
type probed struct {
	by    Invocation
	state State
	key   string
}

// visit performs each invocation in a state and returns where they lead.
func (p *probe) visit(state State) ([]probed, error) {
	key := keyOf(state)
	var reached []probed
	for i, inv := range p.invocations {
		if p.context.Err() != nil {
			return nil, nil // as where nothing can be invoked
		}
		var results string
		for again := range 2 {
			list := Transitions(state, inv)
			if keyOf(state) != key {
				return nil, p.errorf("%v changes the state that it is applied to; a transition has to copy what it changes", inv)
			}
			text := ""
			for _, o := range list {
				text += " or " + resultText(o.Result)
				reached = append(reached, probed{inv, o.Next, keyOf(o.Next)})
			}
			if again > 0 && text != results {
				return nil, p.errorf("%v returns %s and then %s in the same state", inv, orNone(results), orNone(text))
			}
			results = text
		}
		which := fmt.Sprintf("%d %s", i, key)
		if before, ok := p.seen[which]; ok && before != results {
			return nil, p.errorf("states with the same key %q differ: %v returns %s in one and %s in another", key, inv, orNone(before), orNone(results))
		}
		p.seen[which] = results
	}
	for _, r := range reached {
		if keyOf(r.state) != r.key {
			return nil, p.errorf("the state after %v changed when another invocation was applied to the state before it; they share memory", r.by)
		}
	}
	return reached, nil
}

func keyOf(s State) string { return string(s.AppendKey(nil)) }

func resultText(v history.Value) string {
	if v.Kind() == history.None {
		return "no value"
	}
	return v.String()
}

func orNone(results string) string {
	if results == "" {
		return "nothing, as it has no transition,"
	}
	return strings.TrimPrefix(results, " or ")
}
