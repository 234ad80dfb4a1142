package trial

import (
	"errors"
	"fmt"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

func keyOf(s replay.State) string { return string(s.AppendKey(nil)) }

// A meeting is a state that a program has met, with the key that it had then.
type meeting struct {
	state replay.State
	key   string
}

// checkUnchanged returns an error if one of the states has another key now.
func checkUnchanged(met []meeting) error {
	for _, m := range met {
		if keyOf(m.state) != m.key {
			return errors.New("an earlier state has changed; a transition may not share memory that it writes with another state")
		}
	}
	return nil
}

// runStates runs the program from a state that New returned. At each state it also tries
// other invocations, and it goes on to one of the next states.
func (x *tester) runStates(state replay.State, program []replay.Invocation) error {
	initial := keyOf(state)
	x.program, x.results, x.met = nil, nil, nil
	claims := x.newClaims()
	for _, inv := range program {
		others := []replay.Invocation{program[x.random.IntN(len(program))]}
		if x.isProbe {
			others = x.Invocations
		}
		outcomes, err := x.visit(state, inv, others)
		if err == nil && !x.isProbe {
			err = x.checkFacts(state, inv, outcomes, claims)
		}
		if err != nil {
			x.program = append(x.program, inv.String())
			return err
		}
		if len(outcomes) == 0 {
			continue
		}
		o := outcomes[x.random.IntN(len(outcomes))]
		op := operation(inv, o.Result)
		x.program, x.results = append(x.program, op.String()), append(x.results, o.Result)
		if !x.isProbe {
			claims.follow(op)
		}
		if state = o.Next; x.random.IntN(2) == 0 {
			state = state.Clone()
		}
	}
	if err := checkUnchanged(x.met); err != nil {
		return err
	}
	if keyOf(x.spec.New().(replay.State)) != initial {
		return errors.New("the program changed the object that New returns next")
	}
	return nil
}

// visit performs an invocation in a state, and then others in the same state. It returns the
// outcomes of the first, or none when the context is done.
func (x *tester) visit(state replay.State, inv replay.Invocation, others []replay.Invocation) ([]replay.Outcome, error) {
	if x.context.Err() != nil {
		return nil, nil
	}
	before := len(x.met)
	x.met = append(x.met, meeting{state, keyOf(state)})
	outcomes, err := x.transitions(state, inv)
	for _, other := range others {
		if err != nil || x.context.Err() != nil {
			break
		}
		_, err = x.transitions(state, other)
	}
	if err == nil {
		err = checkUnchanged(x.met[before:])
	}
	return outcomes, err
}

// transitions returns the outcomes of an invocation, which must be the same for a clone, and
// for each state with the same key.
func (x *tester) transitions(state replay.State, inv replay.Invocation) ([]replay.Outcome, error) {
	key, text := keyOf(state), inv.String()
	switch {
	case keyOf(state) != key:
		return nil, fmt.Errorf("a state has the key %q and then %q", key, keyOf(state))
	case string(state.AppendKey([]byte("k"))) != "k"+key:
		return nil, errors.New("AppendKey does not append the key to its argument")
	}
	clone := state.Clone()
	switch {
	case clone == nil:
		return nil, errors.New("there is no clone: Clone returns nil")
	case !x.isProbe && keyOf(clone) != key:
		return nil, fmt.Errorf("a clone has key %q, the original has %q", keyOf(clone), key)
	}
	outcomes := replay.Transitions(state, inv)
	if inv.String() != text {
		return nil, fmt.Errorf("%s changes its arguments to those of %v", text, inv)
	}
	first, err := x.outcomesText(inv, outcomes)
	if err != nil {
		return nil, err
	}
	second, err := x.outcomesText(inv, replay.Transitions(clone, inv))
	if err != nil {
		return nil, err
	}
	before, known := x.seen[text+" "+key]
	switch {
	case keyOf(state) != key:
		return nil, fmt.Errorf("%v changes the state that it is applied to; a transition has to copy what it changes", inv)
	case first != second:
		return nil, fmt.Errorf("%v returns %s in a state, and then %s in its clone", inv, first, second)
	case known && before != first:
		return nil, fmt.Errorf("states with the same key %q differ: %v returns %s in one and %s in another", key, inv, before, first)
	}
	x.seen[text+" "+key] = first
	if x.isProbe {
		return outcomes, nil
	}
	return outcomes, x.applied(state, inv, outcomes)
}

// outcomesText returns the outcomes of an invocation in words. A probe leaves out the next
// keys: a key that separates more states than need be is slow, but not wrong.
func (x *tester) outcomesText(inv replay.Invocation, outcomes []replay.Outcome) (string, error) {
	var texts []string
	for _, o := range outcomes {
		if o.Next == nil {
			return "", fmt.Errorf("an outcome of %v has no next state", inv)
		}
		text, key := resultText(o.Result, true), keyOf(o.Next)
		x.met = append(x.met, meeting{o.Next, key})
		if !x.isProbe {
			if err := x.spec.Check(operation(inv, o.Result)); err != nil {
				return "", fmt.Errorf("%v has a result that Check rejects: %w", inv, err)
			}
			text += fmt.Sprintf(" with the next key %q", key)
		}
		texts = append(texts, text)
	}
	if texts == nil {
		return resultText(history.NoValue, false), nil
	}
	return strings.Join(texts, " or "), nil
}

// applied compares the other ways to perform an invocation with its outcomes.
func (x *tester) applied(state replay.State, inv replay.Invocation, outcomes []replay.Outcome) error {
	if judge, ok := state.(replay.Judge); ok {
		for _, o := range outcomes {
			want := 0
			for _, other := range outcomes {
				if other.Result.Equal(o.Result) {
					want++
				}
			}
			if got := len(judge.Judge(inv, o.Result)); got != want {
				return fmt.Errorf("%v has %d outcomes with the result %v from Judge, but %d from Outcomes", inv, got, o.Result, want)
			}
		}
	}
	if _, ok := state.(replay.Nondeterministic); ok || len(outcomes) > 0 {
		return nil
	}
	next, key := state.Clone(), keyOf(state)
	if next.Apply(inv); keyOf(next) != key {
		return fmt.Errorf("%v has no transition, but changes the object", inv)
	}
	return nil
}

// accepts reports whether one of the outcomes has the recorded result.
func accepts(op *history.Operation, outcomes []replay.Outcome) bool {
	for _, o := range outcomes {
		if replay.Accepts(op.Result, o.Result) {
			return true
		}
	}
	return false
}
