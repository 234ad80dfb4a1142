package view

import (
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/report"
)

// states are the states after the steps of a witness, or after some of the steps if the
// texts of all would exceed statesBudget.
type states struct {
	Initial string   `json:"initial"`
	Step    []int32  `json:"step"` // steps from 0, in ascending order
	Text    []string `json:"text"`
	// Idle are the steps of pending operations that did not take effect, since the object
	// had no transition for them.
	Idle []int32 `json:"idle,omitempty"`
	// Result has, by step, the results that the object gives to operations that are
	// pending or whose result was not recorded.
	Result map[int32]string `json:"result,omitempty"`
	// Fault says why the states end early, or is "".
	Fault string `json:"fault,omitempty"`
}

// statesBudget bounds the bytes that the texts of the states of one witness take. It keeps
// pages readable for browsers, and is not tuned.
const statesBudget = 4 << 20

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
	walk := replay.NewWalk(spec)
	if s.Initial = report.Clean(walk.State()); s.Initial == "" {
		return nil
	}
	spent := 0
	for k, i := range witness {
		op := &h.Ops[i]
		results, ok := walk.Step(op)
		switch {
		case !ok:
			s.Fault = "the object does not give the recorded result, or may be in too many states"
			return s
		case len(results) == 0:
			s.Idle = append(s.Idle, int32(k))
		case op.Result.Kind() == history.Unknown:
			s.Result[int32(k)] = strings.Join(resultTexts(results), " or ")
		}
		if spent <= int(int64(budget)*int64(k+1)/int64(len(witness))) {
			text := report.Clean(walk.State())
			s.Step, s.Text = append(s.Step, int32(k)), append(s.Text, text)
			spent += len(text)
		}
	}
	return s
}
