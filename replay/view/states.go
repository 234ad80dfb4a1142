package view

import (
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// states are those after steps of a witness: some of them, if all would take too
// much room.
type states struct {
	Initial string   `json:"initial"`
	Step    []int32  `json:"step"` // steps from 0, in ascending order
	Text    []string `json:"text"`
	// Idle are steps that changed nothing, since the object had no transition:
	// pending operations that did not take effect.
	Idle []int32 `json:"idle,omitempty"`
	// Result has what pending operations and those without an observed result
	// would have returned, by step.
	Result map[int32]string `json:"result,omitempty"`
	// Fault says why the states end early.
	Fault string `json:"fault,omitempty"`
}

// statesBudget is how many bytes the texts of the states of one witness take.
const statesBudget = 4 << 20

// maxAlternatives is how many states that a nondeterministic object may be in
// are written out.
const maxAlternatives = 4

// replayWitness returns the states after the steps of a witness, up to budget
// bytes, evenly spread. It returns nil if the object does not describe its
// states.
func replayWitness(h *history.History, spec replay.Spec, witness []int32, budget int) (s *states) {
	s = &states{Step: []int32{}, Text: []string{}, Result: map[int32]string{}}
	defer func() {
		if p := recover(); p != nil {
			s.Fault = "the specification panicked"
		}
	}()
	now := []replay.Object{spec.New()}
	_, nondeterministic := now[0].(replay.Nondeterministic)
	if s.Initial = stateText(now); s.Initial == "" {
		return nil
	}
	spent := 0
	for k, i := range witness {
		op := &h.Ops[i]
		result, idle := "", false
		if now, result, idle = step(now, op, nondeterministic); len(now) == 0 {
			s.Fault = "the object does not give the recorded result"
			return s
		}
		if idle {
			s.Idle = append(s.Idle, int32(k))
		} else if op.Result.Kind() == history.Unknown {
			s.Result[int32(k)] = result
		}
		if spent <= int(int64(budget)*int64(k+1)/int64(len(witness))) {
			text := stateText(now)
			s.Step, s.Text = append(s.Step, int32(k)), append(s.Text, text)
			spent += len(text)
		}
	}
	return s
}

// step runs the operation in every state that the object may be in. It returns
// the states after it, a result that the object gave, and whether it gave none.
func step(now []replay.Object, op *history.Operation, nondeterministic bool) (after []replay.Object, result string, idle bool) {
	inv := replay.Invocation{Method: op.Method, Args: op.Args}
	if !nondeterministic {
		given, moved := now[0].Apply(inv)
		if moved && !replay.Accepts(op.Result, given) || !moved && !op.Pending() {
			return nil, "", false
		}
		return now, resultText(given), !moved
	}
	known := map[string]bool{}
	add := func(s replay.State) {
		if key := string(s.AppendKey(nil)); !known[key] {
			known[key] = true
			after = append(after, s)
		}
	}
	var results []string
	idle = true
	for _, object := range now {
		state := object.(replay.State)
		outcomes := replay.OutcomesOf(state, op)
		for _, o := range outcomes {
			if replay.Accepts(op.Result, o.Result) {
				add(o.Next)
				idle = false
				if text := resultText(o.Result); !slices.Contains(results, text) && len(results) < maxAlternatives {
					results = append(results, text)
				}
			}
		}
		if len(outcomes) == 0 && op.Pending() {
			add(state)
		}
	}
	return after, strings.Join(results, " or "), idle
}

// stateText returns the text of the state that the object is in, or of those that
// it may be in.
func stateText(now []replay.Object) string {
	var all []string
	for _, object := range now {
		if len(all) == maxAlternatives {
			all = append(all, "...")
			break
		}
		all = append(all, replay.StateText(object))
	}
	return strings.Join(all, " or ")
}
