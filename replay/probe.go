package replay

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
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

// Probe looks for faults of a specification that lead to wrong verdicts. It makes
// some steps with the given operations, as far as Check accepts them, and tests
// that
//   - no transition changes its arguments, or a state other than the one that it
//     returns;
//   - an invocation has the same results each time in the same state, and in all
//     states with the same key;
//   - AppendKey appends, and returns the same key each time;
//   - New returns a new object each time. If objects are not States, two new ones must
//     return the same results;
//   - New and Clone return an object, and outcomes have a next state.
//
// The error is about the specification. A nil error proves nothing. Trusted
// specifications are not probed. If the specification panics, Probe ends without an
// error, because a check may not reach such a state. It also ends when ctx is done. The
// number of steps has a constant bound.
func Probe(ctx context.Context, s Spec, ops []history.Operation) (err error) {
	if err := Validate(s); err != nil {
		return err
	}
	if _, ok := s.(Trusted); ok {
		return nil
	}
	p := &probe{context: ctx, spec: s, seen: map[[sha256.Size]byte]string{}}
	defer func() { _ = recover() }()
	p.choose(ops)
	first := s.New()
	if first == nil {
		return p.errorf("New returns nil")
	}
	if _, ok := first.(State); !ok {
		if same(first, s.New()) {
			return p.errorf("New returns the same object each time")
		}
		return p.runTwice(ops)
	}
	if err := p.walk(); err != nil {
		return err
	}
	return p.renew()
}

// same reports whether two objects are the same object. Pointers to types of size 0 may be
// equal, so they do not count.
func same(a, b Object) bool {
	v, w := reflect.ValueOf(a), reflect.ValueOf(b)
	switch {
	case v.Type() != w.Type():
		return false
	case v.Kind() == reflect.Pointer:
		return v.Type().Elem().Size() > 0 && v.Pointer() == w.Pointer()
	}
	return v.Kind() == reflect.Map && v.Pointer() == w.Pointer()
}

// A probe is a walk through the states of a specification.
type probe struct {
	context     context.Context
	spec        Spec
	invocations []Invocation
	texts       []string                     // of the invocations
	seen        map[[sha256.Size]byte]string // key and number of an invocation -> results
}

func (p *probe) errorf(format string, args ...any) error {
	return fmt.Errorf("the specification %s is wrong: %s", p.spec.Name(), fmt.Sprintf(format, args...))
}

// choose takes the first distinct invocations of ops.
func (p *probe) choose(ops []history.Operation) {
	seen := map[string]bool{}
	for i := 0; i < len(ops) && len(p.invocations) < probeInvocations; i++ {
		op := &ops[i]
		inv := ownInvocation(op)
		if text := inv.String(); !seen[text] && p.spec.Check(op) == nil {
			seen[text] = true
			p.invocations, p.texts = append(p.invocations, inv), append(p.texts, text)
		}
	}
}

// ownInvocation returns the invocation of op with a copy of its arguments.
func ownInvocation(op *history.Operation) Invocation {
	return Invocation{op.Method, slices.Clone(op.Args)}
}

// runTwice compares the results of two new objects.
func (p *probe) runTwice(ops []history.Operation) error {
	first, err := p.run(ops)
	if err != nil {
		return err
	}
	second, err := p.run(ops)
	if err != nil {
		return err
	}
	for i := range min(len(first), len(second)) {
		if a, b := first[i], second[i]; a != b {
			return p.errorf("after the same operations, %s returns %s from one new object and %s from another; New has to return a new object, and the object has to be deterministic",
				Invocation{ops[i].Method, ops[i].Args}, orNone(a), orNone(b))
		}
	}
	return nil
}

// run performs the first operations on a new object, in the order of their invocations,
// until a result is not the recorded one. It returns the results.
func (p *probe) run(ops []history.Operation) (results []string, err error) {
	object := p.spec.New()
	for i := range ops[:min(len(ops), probeSteps)] {
		op := &ops[i]
		if p.context.Err() != nil || p.spec.Check(op) != nil {
			break
		}
		inv := ownInvocation(op)
		text := inv.String()
		result, ok := object.Apply(inv)
		if inv.String() != text {
			return nil, p.errorf("%s changes its arguments to those of %v", text, inv)
		}
		if ok {
			results = append(results, resultText(result))
		} else {
			results = append(results, "")
		}
		if !accepted(op, result, ok) {
			break
		}
	}
	return results, nil
}

// renew performs operations on an object that New returned. That must not change the next
// object that New returns.
func (p *probe) renew() error {
	object := p.spec.New()
	if _, ok := object.(Nondeterministic); ok {
		return nil // Apply is not called
	}
	initial := keyOf(object.(State))
	for _, inv := range p.invocations {
		if p.context.Err() != nil {
			break
		}
		object.Apply(inv)
		if keyOf(p.spec.New().(State)) != initial {
			return p.errorf("New does not return a new object; %v changed the one that it returns next", inv)
		}
	}
	return nil
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

// visit performs each invocation in a state and returns the states reached.
func (p *probe) visit(state State) ([]probed, error) {
	key := keyOf(state)
	switch {
	case keyOf(state) != key:
		return nil, p.errorf("AppendKey appends %q and then %q for the same state", key, keyOf(state))
	case string(state.AppendKey([]byte("k"))) != "k"+key:
		return nil, p.errorf("AppendKey does not append the key to its argument")
	case state.Clone() == nil:
		return nil, p.errorf("Clone returns nil")
	}
	var reached []probed
	for i, inv := range p.invocations {
		if p.context.Err() != nil {
			return nil, nil // as where nothing can be invoked
		}
		var results string
		for again := range 2 {
			list := Transitions(state, inv)
			if inv.String() != p.texts[i] {
				return nil, p.errorf("%s changes its arguments to those of %v", p.texts[i], inv)
			}
			if keyOf(state) != key {
				return nil, p.errorf("%v changes the state that it is applied to; a transition has to copy what it changes", inv)
			}
			text := ""
			for _, o := range list {
				if o.Next == nil {
					return nil, p.errorf("an outcome of %v has no next state", inv)
				}
				text += " or " + resultText(o.Result)
				reached = append(reached, probed{inv, o.Next, keyOf(o.Next)})
			}
			if again > 0 && text != results {
				return nil, p.errorf("%v returns %s and then %s in the same state", inv, orNone(results), orNone(text))
			}
			results = text
		}
		which := sha256.Sum256(fmt.Appendf(nil, "%d %s", i, key)) // keys may be long
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
