package trial

import (
	"fmt"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// wrongResults are results that an operation may have recorded.
var wrongResults = []history.Value{
	history.NoValue, history.NullValue, history.BoolValue(true), history.BoolValue(false),
	history.IntValue(-1), history.IntValue(0), history.IntValue(1), history.IntValue(2), history.IntValue(3), history.IntValue(1 << 40),
	history.StringValue(""), history.StringValue("a"), history.ListValue(), history.ListValue(history.IntValue(1)), history.ListValue(history.IntValue(2), history.IntValue(1)),
	history.ExceptionValue("E"), history.ExceptionValue("java.lang.NullPointerException"),
	history.ExceptionValue("java.lang.IllegalStateException"), history.ExceptionValue("java.util.NoSuchElementException"),
}

// claims follow what the facts, and the steps, of a program claim about its object.
type claims struct {
	*tester
	values collection // what the roles say
	cells  cells      // what the steps say
}

func (x *tester) newClaims() *claims {
	return &claims{tester: x, values: collection{traits: x.traits, isKnown: x.traits.Discipline != replay.NoDiscipline}, cells: newCells(x)}
}

// follow performs an operation that had its result.
func (c *claims) follow(op *history.Operation) {
	f := replay.FactsOf(c.spec, op)
	c.values, _ = c.values.after(f, op)
	if c.stepped != nil {
		c.cells, _ = c.cells.after(c.stepped.AppendSteps(nil, op))
	}
}

// checkFacts checks the facts of an invocation with each of some results, right and wrong.
func (x *tester) checkFacts(state replay.State, inv replay.Invocation, outcomes []replay.Outcome, c *claims) error {
	key := keyOf(state)
	results := append(slices.Clone(wrongResults), x.results...)
	for _, o := range outcomes {
		results = append(results, o.Result)
	}
	for _, recorded := range append(results, history.UnknownValue) {
		op := operation(inv, recorded)
		if x.spec.Check(op) != nil {
			continue
		}
		f, isPossible := replay.FactsOf(x.spec, op), accepts(op, outcomes)
		if why := replay.Impossible(x.spec, op); why != "" && isPossible {
			return fmt.Errorf("%v is said to be impossible (%s), but the object gives that result", op, why)
		}
		for _, o := range outcomes {
			if f.ReadOnly && replay.Accepts(recorded, o.Result) && keyOf(o.Next) != key {
				return fmt.Errorf("%v is said to be read-only, but it changes the object", op)
			}
		}
		if err := c.checkClaims(op, f, isPossible); err != nil {
			return err
		}
		if err := x.checkDivision(state, op, outcomes); err != nil {
			return err
		}
	}
	return c.checkPending(inv, outcomes)
}

// checkClaims compares the role and the steps of an operation with whether the object gives
// its result.
func (c *claims) checkClaims(op *history.Operation, f replay.Facts, isPossible bool) error {
	if values, says := c.values.after(f, op); says != unknown && (says == possible) != isPossible && op.Result.Kind() != history.Unknown {
		return fmt.Errorf("the role of %v is %d of %v, which is %s with the values %v; but that the object gives the result is %v", op, f.Role, f.Value, says, values.values, isPossible)
	}
	if c.stepped == nil || op.Result.Kind() == history.Unknown {
		return nil
	}
	steps := c.stepped.AppendSteps(nil, op)
	_, says := c.cells.after(steps)
	if says == impossible && isPossible || says == possible && !isPossible {
		return fmt.Errorf("the steps of %v are %v, which is %s; but that the object gives the result is %v", op, steps, says, isPossible)
	}
	return nil
}

// checkPending checks what a pending operation is said to do if it takes effect.
func (c *claims) checkPending(inv replay.Invocation, outcomes []replay.Outcome) error {
	if len(outcomes) != 1 {
		return nil
	}
	op, done := pending(inv), operation(inv, outcomes[0].Result)
	f := replay.FactsOf(c.spec, op)
	if want, says := c.values.after(replay.FactsOf(c.spec, done), done); says == possible && f.Role != replay.Other {
		got, says := c.values.afterPending(f, op)
		if says == possible && !got.equal(want) {
			return fmt.Errorf("the role of the pending %v is %d of %v, which leads to %v; but it leads to %v", inv, f.Role, f.Value, got.values, want.values)
		}
	}
	if c.stepped == nil {
		return nil
	}
	want, isKnown := c.cells.after(c.stepped.AppendSteps(nil, done))
	steps := c.stepped.AppendSteps(nil, op)
	if got, says := c.cells.after(steps); isKnown == possible && says == possible && !got.equal(want) {
		return fmt.Errorf("the steps of the pending %v are %v, which leads to %v; but it leads to %v", inv, steps, got.content, want.content)
	}
	return nil
}

// checkDivision performs the steps of a replay.Divisible one after another.
func (x *tester) checkDivision(state replay.State, op *history.Operation, outcomes []replay.Outcome) error {
	d, ok := x.spec.(replay.Divisible)
	if !ok || len(outcomes) > 1 {
		return nil
	}
	steps, parts, ok := d.Divide(op)
	if !ok {
		return nil
	}
	if len(steps) != len(parts) {
		return fmt.Errorf("%v has %d steps and %d parts from Divide", op, len(steps), len(parts))
	}
	for i := range steps {
		step := &steps[i]
		next := replay.Transitions(state, replay.Invocation{Method: step.Method, Args: step.Args})
		if !accepts(step, next) {
			if accepts(op, outcomes) {
				return fmt.Errorf("step %v of %v does not have its result", step, op)
			}
			return nil
		}
		state = next[0].Next
	}
	if !accepts(op, outcomes) {
		return fmt.Errorf("the steps of %v have their results, but it does not", op)
	}
	if keyOf(state) != keyOf(outcomes[0].Next) {
		return fmt.Errorf("the steps of %v lead to another state", op)
	}
	return nil
}
