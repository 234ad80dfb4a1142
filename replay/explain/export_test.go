package explain

import (
	"context"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/ops"
)

// Minimize is minimize.
var Minimize = minimize

// A Fact is what the rules know of an operation. Tests make them wrong.
type Fact struct{ f *opFacts }

func (f Fact) SetReadOnly()   { f.f.readOnly = true }
func (f Fact) SetApart()      { f.f.apart = true }
func (f Fact) Separate()      { f.f.value[1] = -1 }
func (f Fact) IsVacant() bool { return f.f.vacant }

// Removals returns what remains of h after each single application of a rule, with
// the rule's name. last is the operation that nothing explains, or NoOperation.
// spoil may make facts wrong.
func Removals(h *history.History, spec replay.Spec, last int32, spoil func(Fact)) (rest []*history.History, rules []string) {
	r := newReducer(ops.New(h, spec, 1<<30))
	r.meter = meter.New(nil)
	for i := range r.facts {
		if spoil != nil {
			spoil(Fact{&r.facts[i]})
		}
	}
	add := func(rule string, left []int32) {
		sub := ops.Sub(h, left)
		sub.Dropped = h.Dropped + len(h.Ops) - len(left) // the others keep their positions
		rest, rules = append(rest, sub), append(rules, rule)
	}
	for name, divide := range map[string]func([]int32) division{"part": r.byPart, "value": r.byValue, "one": r.oneByOne} {
		d := divide(r.ops)
		if len(d.blockers) > 0 {
			continue
		}
		for _, u := range d.units {
			add(name, without(r.ops, u))
		}
	}
	if j := newProjector(r.Problem, r.meter); j != nil && spoil == nil {
		for k, set := range []*valueSet{&j.parts, &j.elements} {
			for i := range set.list {
				fewer := newValueSet(slices.Delete(slices.Clone(set.list), i, i+1))
				projected := j.with(&fewer, &j.elements)
				if k == 1 {
					projected = j.with(&j.parts, &fewer)
				}
				p, _ := projected.problem(r.Problem)
				p.H.Dropped = h.Dropped + len(h.Ops) - len(p.H.Ops)
				rest, rules = append(rest, p.H), append(rules, "projection")
			}
		}
	}
	if kept := r.withoutSpare(); len(kept) < len(r.ops) {
		add("spare", kept)
	}
	if h.HasEdges() || h.IsRelaxed() {
		return rest, rules
	}
	moments := r.moments()
	for i, m := range moments {
		for _, n := range moments[i+1:] {
			if m.state == n.state && m.state >= 0 {
				add("loop", slices.Concat(r.ops[:m.ops], r.ops[n.ops:]))
			}
		}
	}
	return rest, rules
}

// Within is Why with a bound of the work. It returns the work done, too.
func Within(h *history.History, spec replay.Spec, v replay.Verdict, work int64) (*replay.Explanation, int64) {
	o := replay.Options{}.WithDefaults(len(h.Ops))
	s := decide.NewSession(context.Background(), o, 0)
	e := newExplainer(s, ops.New(h, spec, o.Budget.Bytes), &v, work).run()
	return e, s.Meter().Spent()
}

// NeverPut says why an operation found a value that no other one puts into the object, or "".
func NeverPut(h *history.History, spec replay.Spec, op int32) string {
	p := ops.New(h, spec, 1<<30)
	return (&explainer{Problem: p}).neverPut(p, op)
}
