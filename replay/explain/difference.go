package explain

import (
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
)

// difference finds out what is missing, extra or out of order in the result of the
// unexplained operation, if it lists the elements of a collection. It is what the result has
// or lacks in comparison with all results that the operation may have had.
func (x *explainer) difference() {
	e := x.e
	if e.Unexplained == replay.NoOperation || replay.FactsOf(x.Spec, &x.H.Ops[e.Unexplained]).Role != replay.Other {
		return // a list is one value there, as in a queue of lists
	}
	e.Lists = true
	recorded := e.CoreOp(x.H, e.Unexplained).Result
	if results := slices.Concat(append(slices.Clone(e.Returns), e.Earlier)...); !e.MoreStates {
		e.Difference = replay.CommonDifference(recorded, results)
	}
	if recorded.Kind() == history.List && x.projector != nil {
		x.elements(x.prefixes.upTo(x.prefixes.H.Ops[e.Unexplained].Return))
	}
}

// elements adds the elements for each of which alone the history fails. The result lacks
// such an element, or has it, and should not. base is the history up to the response.
func (x *explainer) elements(base *ops.Problem) {
	m := x.share(30)
	j := newProjector(base, m)
	if j == nil {
		return
	}
	set, with := &j.parts, func(some *valueSet) *projector { return j.with(some, &j.elements) }
	if len(j.elements.list) > 0 { // of lists under keys
		set, with = &j.elements, func(some *valueSet) *projector { return j.with(&x.projector.parts, some) }
	}
	var failing func(list []history.Value) []history.Value
	failing = func(list []history.Value) []history.Value {
		some := newValueSet(list)
		p, _ := with(&some).problem(base)
		if x.check(p, m).Answer != replay.NotLinearizable {
			return nil
		}
		if len(list) == 1 {
			return list
		}
		return append(failing(list[:len(list)/2]), failing(list[len(list)/2:])...)
	}
	parts, elements, _ := j.spec.AppendParts(nil, nil, &x.H.Ops[x.e.Unexplained])
	result := newValueSet(append(parts, elements...))
	d := &x.e.Difference
	for _, v := range slices.SortedFunc(slices.Values(failing(set.list)), history.Value.Compare) {
		list := &d.Missing
		if result.has(v) {
			list = &d.Extra
		}
		if !slices.ContainsFunc(slices.Concat(d.Missing, d.Extra), v.Equal) {
			*list = append(*list, v)
		}
	}
	slices.SortFunc(d.Missing, history.Value.Compare)
	if m.Stopped() {
		x.miss("difference")
	}
}
