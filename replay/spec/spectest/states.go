package spectest

import (
	"errors"
	"fmt"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

func keyOf(s replay.State) string { return string(s.AppendKey(nil)) }

// runStates runs the program from a state that New returned. At each state it checks one
// invocation and goes on to one of the next states.
func (x *tester) runStates(state replay.State, program []replay.Invocation) error {
	type visited struct {
		state replay.State
		key   string
	}
	var all []visited // all states met: none may change
	claims := x.newClaims()
	for _, inv := range program {
		key := keyOf(state)
		outcomes, err := x.transitions(state, inv)
		all = append(all, visited{state, key})
		for _, o := range outcomes {
			all = append(all, visited{o.Next, keyOf(o.Next)})
		}
		if err == nil {
			err = x.checkFacts(state, inv, outcomes, claims)
		}
		if err == nil { // another way to go on from this state
			_, err = x.transitions(state, program[x.random.IntN(len(program))])
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
		claims.follow(op)
		if state = o.Next; x.random.IntN(2) == 0 {
			state = state.Clone()
		}
		for _, v := range all {
			if keyOf(v.state) != v.key {
				return errors.New("an earlier state has changed; a transition may not share memory that it writes with another state")
			}
		}
	}
	if keyOf(x.spec.New().(replay.State)) != all[0].key {
		return errors.New("the program changed the object that New returns next")
	}
	return nil
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
	case keyOf(clone) != key:
		return nil, fmt.Errorf("a clone has key %q, the original has %q", keyOf(clone), key)
	}
	var results []string
	outcomes := replay.Transitions(state, inv)
	for _, again := range [][]replay.Outcome{outcomes, replay.Transitions(clone, inv)} {
		got := ""
		for _, o := range again {
			if o.Next == nil {
				return nil, fmt.Errorf("an outcome of %v has no next state", inv)
			}
			if err := x.spec.Check(operation(inv, o.Result)); err != nil {
				return nil, fmt.Errorf("%v has a result that Check rejects: %w", inv, err)
			}
			got += fmt.Sprintf(" or %s with the next key %q", resultText(o.Result, true), keyOf(o.Next))
		}
		results = append(results, strings.TrimPrefix(got, " or "))
	}
	before, known := x.seen[text+" "+key]
	switch {
	case inv.String() != text:
		return nil, fmt.Errorf("%s changes its arguments to those of %v", text, inv)
	case keyOf(state) != key:
		return nil, fmt.Errorf("%v changes the state that it is applied to; a transition has to copy what it changes", inv)
	case results[0] != results[1]:
		return nil, fmt.Errorf("%v returns %s in a state, and then %s in its clone", inv, results[0], results[1])
	case known && before != results[0]:
		return nil, fmt.Errorf("states with the same key %q differ: %v returns %s in one and %s in another", key, inv, before, results[0])
	}
	x.seen[text+" "+key] = results[0]
	return outcomes, x.applied(state, inv, outcomes)
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
