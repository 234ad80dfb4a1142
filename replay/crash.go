package replay

import (
	"fmt"
	"slices"

	"github.com/leadline/leadline/history"
)

// WithCrashes returns spec for a history in which operations were open at a crash, and spec
// itself for other ones. Such an operation is nondeterministic: it has its effect, or none. What
// engines otherwise know of operations holds only of those that returned, so that all they know here is
// which part an operation concerns, and whether it changes it. Objects that are not States
// cannot have such histories.
func WithCrashes(h *history.History, spec Spec) (Spec, error) {
	if h.Durability != history.Strict || !slices.ContainsFunc(h.Ops, func(op history.Operation) bool { return op.MayNotHappen() }) {
		return spec, nil
	}
	if _, isState := spec.New().(State); !isState {
		return nil, fmt.Errorf("%s: operations that were open at a crash need a model whose objects are states", spec.Name())
	}
	c := crashing{spec}
	d, isDescribed := spec.(Described)
	if _, isTrusted := spec.(Trusted); isDescribed && isTrusted {
		return describedCrashing{c, d}, nil
	}
	return c, nil
}

// crashing is a Spec whose objects may ignore operations that were open at a crash.
type crashing struct{ Spec }

func (c crashing) New() Object { return newCrashed(c.Spec.New().(State)) }

// VersionUse makes it a Versioned.
func (c crashing) VersionUse(op *history.Operation) VersionUse {
	if v, ok := c.Spec.(Versioned); ok && !op.Crashed {
		return v.VersionUse(op)
	}
	return VersionUse{}
}

// Reveals makes it a Revealing.
func (c crashing) Reveals(op *history.Operation) ([]Shown, []Absence) {
	if r, ok := c.Spec.(Revealing); ok && !op.Crashed {
		return r.Reveals(op)
	}
	return nil, nil
}

type describedCrashing struct {
	crashing
	inner Described
}

func (describedCrashing) Trusted() {}

func (c describedCrashing) Traits() Traits {
	t := c.inner.Traits()
	if t.Key != "" {
		t.Key += " with crashes"
	}
	return Traits{Partitioned: t.Partitioned, Key: t.Key}
}

func (c describedCrashing) Facts(op *history.Operation) Facts {
	f := c.inner.Facts(op)
	return Facts{Part: f.Part, ReadOnly: f.ReadOnly && !op.Crashed}
}

// crashed is a State of a crashing. Its transitions are those of the state; OutcomesOf adds
// that of an operation without an effect.
type crashed struct{ State }

func newCrashed(s State) State {
	if _, judges := s.(Judge); judges {
		return crashedJudge{crashed{s}}
	}
	return crashed{s}
}

func (c crashed) Clone() State { return newCrashed(c.State.Clone()) }

func (c crashed) Outcomes(inv Invocation) []Outcome { return withCrashed(Transitions(c.State, inv)) }

func (c crashed) String() string { return StateText(c.State) }

// withCrashed returns outcomes whose next states are crashed ones.
func withCrashed(outcomes []Outcome) []Outcome {
	all := slices.Clone(outcomes)
	for i := range all {
		all[i].Next = newCrashed(all[i].Next)
	}
	return all
}

// crashedJudge is a crashed whose state is a Judge.
type crashedJudge struct{ crashed }

func (c crashedJudge) Judge(inv Invocation, result history.Value) []Outcome {
	return withCrashed(c.State.(Judge).Judge(inv, result))
}
