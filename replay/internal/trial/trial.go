// Package trial runs specifications on programs and compares what they claim with what their
// objects do. Package spectest offers Check to users; decide.Check calls Probe for each
// specification that is not replay.Trusted.
package trial

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// Calls is spectest.Calls.
type Calls struct {
	Invocations []replay.Invocation
	Draw        func(r *rand.Rand) replay.Invocation
	Programs    int
	Seed        uint64
}

// Check returns the first fault that it finds in the specification.
func Check(spec replay.Spec, calls Calls) error {
	if err := replay.Validate(spec); err != nil {
		return err
	}
	if calls.Seed == 0 {
		calls.Seed = uint64(time.Now().UnixNano())
	}
	if calls.Programs == 0 {
		calls.Programs = 500
	}
	if len(calls.Invocations) == 0 && calls.Draw == nil {
		return errors.New("spectest.Calls has no invocations")
	}
	x := newTester(context.Background(), spec, calls)
	for range calls.Programs {
		if err := x.runProgram(); err != nil {
			return fmt.Errorf("the specification %s is wrong: %w\nThe program was: %s\nTo reproduce: spectest.Calls{Seed: %d}", spec.Name(), err, strings.Join(x.program, "; "), calls.Seed)
		}
	}
	return nil
}

type tester struct {
	Calls
	context context.Context
	isProbe bool // only faults that matter in every check; no facts
	spec    replay.Spec
	stepped replay.Stepped // or nil
	traits  replay.Traits
	random  *rand.Rand
	program []string          // the operations of this program so far
	seen    map[string]string // invocation and key -> results and next keys
	results []history.Value   // results of this program
	met     []meeting         // states of this program
}

func newTester(ctx context.Context, spec replay.Spec, calls Calls) *tester {
	x := &tester{Calls: calls, context: ctx, spec: spec, traits: replay.TraitsOf(spec), random: rand.New(rand.NewPCG(calls.Seed, 0)), seen: map[string]string{}}
	x.stepped, _ = spec.(replay.Stepped)
	return x
}

// programSteps bounds the number of operations of a program.
const programSteps = 16

// draw returns the invocations of a program.
func (x *tester) draw() []replay.Invocation {
	program := make([]replay.Invocation, 1+x.random.IntN(programSteps))
	for i := range program {
		if n := len(x.Invocations); n > 0 && (x.Draw == nil || x.random.IntN(n+1) > 0) {
			program[i] = x.Invocations[x.random.IntN(n)]
		} else {
			program[i] = x.Draw(x.random)
		}
	}
	return program
}

// runProgram runs a random program. It ends where the specification does not describe the
// object.
func (x *tester) runProgram() (err error) {
	defer func() {
		if value := recover(); value != nil {
			if _, ok := value.(replay.Unmodelled); !ok {
				panic(value)
			}
		}
	}()
	program := x.draw()
	x.program, x.results = nil, nil
	for _, inv := range program {
		op := operation(inv, history.UnknownValue)
		if err := x.spec.Check(op); err != nil {
			return fmt.Errorf("%v is an invocation that Check rejects: %w", inv, err)
		}
		if f := replay.FactsOf(x.spec, op); f.Part < 0 || f.Part > len(inv.Args) {
			return fmt.Errorf("the facts of %v have part %d", inv, f.Part)
		}
	}
	return x.run(program)
}

// run runs a program in all ways that the objects allow.
func (x *tester) run(program []replay.Invocation) error {
	object := x.spec.New()
	if object == nil {
		return errors.New("there is no object: New returns nil")
	}
	if state, ok := object.(replay.State); ok {
		if err := x.runStates(state, program); err != nil {
			return err
		}
	}
	if _, ok := object.(replay.Nondeterministic); ok {
		return nil
	}
	if err := x.runObjects(program); err != nil || x.isProbe || !x.traits.Partitioned {
		return err
	}
	return x.runParts(program)
}

// runObjects runs the program on two objects one after the other. The results must be the
// same.
func (x *tester) runObjects(program []replay.Invocation) error {
	var results []string
	x.program = nil
	object := x.spec.New()
	for _, inv := range program {
		if x.context.Err() != nil {
			return nil
		}
		text := inv.String()
		v, ok := object.Apply(inv)
		if x.program = append(x.program, text); inv.String() != text {
			return fmt.Errorf("%s changes its arguments to those of %v", text, inv)
		}
		if err := x.spec.Check(operation(inv, v)); ok && err != nil && !x.isProbe {
			return fmt.Errorf("%v has a result that Check rejects: %w", inv, err)
		}
		results = append(results, resultText(v, ok))
	}
	object = x.spec.New()
	for i, inv := range program {
		if x.context.Err() != nil {
			return nil
		}
		if got := resultText(object.Apply(inv)); got != results[i] {
			return fmt.Errorf("%v returns %s from one new object and %s from another; New has to return a new object, and objects have to be deterministic", inv, results[i], got)
		}
	}
	return nil
}

// runParts runs each part of the program on an object of its own. The results must be those
// of the whole object.
func (x *tester) runParts(program []replay.Invocation) error {
	whole, parts := x.spec.New(), map[string]replay.Object{}
	for _, inv := range program {
		op := operation(inv, history.UnknownValue)
		part, ok := replay.FactsOf(x.spec, op).PartOf(op)
		if !ok {
			continue
		}
		key := string(part.AppendKey(nil))
		if parts[key] == nil {
			parts[key] = x.spec.New()
		}
		if a, b := resultText(whole.Apply(inv)), resultText(parts[key].Apply(inv)); a != b {
			return fmt.Errorf("%v returns %s on the whole object and %s on its part", inv, a, b)
		}
	}
	return nil
}

// operation returns an operation with a result, and with a response.
func operation(inv replay.Invocation, result history.Value) *history.Operation {
	return &history.Operation{Method: inv.Method, Args: inv.Args, Result: result, Return: 1}
}

func pending(inv replay.Invocation) *history.Operation {
	return &history.Operation{Method: inv.Method, Args: inv.Args, Result: history.UnknownValue, Return: history.NoReturn}
}

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
