package decide_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/simulate"
)

// A slowSpec makes objects whose steps take a while. They are States, or only Objects.
type slowSpec struct {
	replay.Spec
	step     time.Duration
	isObject bool
	steps    *int
}

type slowState struct {
	replay.State
	spec slowSpec
}

type slowObject struct{ o replay.Object }

func (o slowObject) Apply(inv replay.Invocation) (history.Value, bool) { return o.o.Apply(inv) }

func (s slowSpec) New() replay.Object {
	state := slowState{s.Spec.New().(replay.State), s}
	if s.isObject {
		return slowObject{&state}
	}
	return state
}

func (o slowState) Clone() replay.State { return slowState{o.State.Clone(), o.spec} }

func (o slowState) Apply(inv replay.Invocation) (history.Value, bool) {
	*o.spec.steps++
	time.Sleep(o.spec.step)
	return o.State.Apply(inv)
}

// TestSlowSteps: a limit of time holds for steps that take long, in every part of a check.
// Time is that of the test: it passes in the steps alone.
func TestSlowSteps(t *testing.T) {
	t.Parallel()
	const limit, step = 2 * time.Second, 20 * time.Millisecond
	for _, isObject := range []bool{false, true} {
		for _, broken := range []bool{false, true} {
			for _, n := range []int{10, 18, 30, 300} {
				for _, threads := range []int{1, 3, 10} {
					w := simulate.Workload{Model: "queue", Ops: n, Values: 3, Threads: threads, Seed: 1}
					if broken {
						w.Faults = []simulate.Fault{{Kind: simulate.Wrong, Percent: 50}}
					}
					h, err := w.History()
					if err != nil {
						t.Fatal(err)
					}
					s, err := w.Spec()
					if err != nil {
						t.Fatal(err)
					}
					synctest.Test(t, func(t *testing.T) {
						steps := 0
						slow := slowSpec{s, step, isObject, &steps}
						v := withReason(t, h, slow, replay.Options{Budget: replay.Budget{Time: limit}})
						most := int(limit/step) * 21 / 20
						if v.Answer == replay.Linearizable {
							most += n // a witness is replayed in any case
						}
						if steps > most {
							t.Errorf("%d steps, in time for %d: %v, object %v, %v", steps, most, v, isObject, w)
						}
					})
				}
			}
		}
	}
}
