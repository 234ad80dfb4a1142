// Package spectest tests specifications: the bundled ones, and those that users write.
//
//	func TestSpec(t *testing.T) {
//		spectest.Run(t, mySpec, spectest.Calls{Invocations: []replay.Invocation{
//			{Method: "increment"}, {Method: "get"},
//		}})
//	}
//
// A wrong specification makes verdicts wrong: a key that leaves out a part of the state, a
// Clone that shares memory with the original, a transition that changes the state that it
// is applied to. Wrong facts (replay.Described) and wrong steps (replay.Stepped) do, too. Run
// performs random programs of the given calls and compares everything that the
// specification claims with what its objects do:
//   - Check accepts the invocations, and the results that the objects give;
//   - objects are deterministic, or as replay.Nondeterministic and replay.Judge say;
//   - transitions leave their arguments and all other states unchanged;
//   - states with equal keys have equal results and lead to states with equal keys;
//   - New and Clone return independent objects;
//   - operations that are said to be read-only, impossible, on one part or in some role are;
//   - the steps of an operation, or its division, do what the operation does.
//
// A nil error proves nothing, as in any test. The calls should make states that differ in
// everything that the object can show: draw arguments from few values, so that they meet.
package spectest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// Calls are the operations of the programs. There must be invocations, histories or Draw.
type Calls struct {
	Invocations []replay.Invocation
	// Histories are of the specification. Programs have consecutive operations of them.
	Histories []*history.History
	// Draw returns a random invocation.
	Draw func(r *rand.Rand) replay.Invocation

	Programs int    // how many to run; 0 stands for 500
	Seed     uint64 // 0 takes one from the clock; every error has it
}

// Run fails the test if Check returns an error.
func Run(t testing.TB, spec replay.Spec, calls Calls) {
	t.Helper()
	if err := Check(spec, calls); err != nil {
		t.Error(err)
	}
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
	x := &tester{spec: spec, Calls: calls, traits: replay.TraitsOf(spec), random: rand.New(rand.NewPCG(calls.Seed, 0)), seen: map[string]string{}}
	x.stepped, _ = spec.(replay.Stepped)
	err := x.checkHistories()
	for range calls.Programs {
		if err != nil {
			return fmt.Errorf("the specification %s is wrong: %w\nThe program was: %s\nTo reproduce: spectest.Calls{Seed: %d}", spec.Name(), err, strings.Join(x.program, "; "), calls.Seed)
		}
		err = x.runProgram()
	}
	return err
}

type tester struct {
	Calls
	spec    replay.Spec
	stepped replay.Stepped // or nil
	traits  replay.Traits
	random  *rand.Rand
	program []string          // the operations of this program so far
	seen    map[string]string // invocation and key -> results and next keys
	results []history.Value   // results of this program
}

// programSteps bounds the number of operations of a program.
const programSteps = 16

// checkHistories checks the operations of the histories, and adds their invocations.
func (x *tester) checkHistories() error {
	for _, h := range x.Histories {
		if err := replay.Check(h, x.spec); err != nil {
			return err
		}
		for i := range h.Ops {
			x.Invocations = append(x.Invocations, replay.Invocation{Method: h.Ops[i].Method, Args: h.Ops[i].Args})
		}
	}
	if len(x.Invocations) == 0 && x.Draw == nil {
		return errors.New("spectest.Calls has no invocations")
	}
	return nil
}

// draw returns the invocations of a program.
func (x *tester) draw() []replay.Invocation {
	r, program := x.random, make([]replay.Invocation, 1+x.random.IntN(programSteps))
	at := -1 // place in a history
	if n := len(x.Invocations); n > 0 && len(x.Histories) > 0 && r.IntN(2) == 0 {
		at = r.IntN(n)
	}
	for i := range program {
		switch n := len(x.Invocations); {
		case at >= 0:
			program[i] = x.Invocations[(at+i)%n]
		case n > 0 && (x.Draw == nil || r.IntN(n+1) > 0):
			program[i] = x.Invocations[r.IntN(n)]
		default:
			program[i] = x.Draw(r)
		}
	}
	return program
}

// runProgram runs a random program in all ways that the objects allow. A program ends where
// the specification does not describe the object.
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
		if err := x.spec.Check(operation(inv, history.UnknownValue)); err != nil {
			return fmt.Errorf("%v is an invocation that Check rejects: %w", inv, err)
		}
	}
	object := x.spec.New()
	if object == nil {
		return errors.New("there is no object: New returns nil")
	}
	if _, ok := object.(replay.Nondeterministic); !ok {
		if err := x.runObjects(program); err != nil {
			return err
		}
	}
	if state, ok := object.(replay.State); ok {
		x.program = nil
		return x.runStates(state, program)
	}
	return nil
}

// runObjects runs the program on two objects one after the other, and each part of it on an
// object of its own. The results must be the same.
func (x *tester) runObjects(program []replay.Invocation) error {
	first, second, parts := x.spec.New(), replay.Object(nil), map[string]replay.Object{}
	var results []string
	for _, inv := range program {
		text := inv.String()
		v, ok := first.Apply(inv)
		if x.program = append(x.program, text); inv.String() != text {
			return fmt.Errorf("%s changes its arguments to those of %v", text, inv)
		}
		if err := x.spec.Check(operation(inv, v)); ok && err != nil {
			return fmt.Errorf("%v has a result that Check rejects: %w", inv, err)
		}
		results = append(results, resultText(v, ok))
	}
	second = x.spec.New()
	for i, inv := range program {
		if got := resultText(second.Apply(inv)); got != results[i] {
			return fmt.Errorf("%v returns %s from one new object and %s from another; New has to return a new object, and objects have to be deterministic", inv, results[i], got)
		}
	}
	whole := x.spec.New()
	for _, inv := range program {
		op := operation(inv, history.UnknownValue)
		f := replay.FactsOf(x.spec, op)
		if f.Part < 0 || f.Part > len(inv.Args) {
			return fmt.Errorf("the facts of %v have part %d", inv, f.Part)
		}
		part, ok := f.PartOf(op)
		if !ok || !x.traits.Partitioned {
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
