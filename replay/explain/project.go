package explain

import (
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
)

// A projector leaves parts and elements out of the operations of a problem.
type projector struct {
	*ops.Problem
	spec            replay.Projectable
	parts, elements valueSet // that remain
	meter           *meter.Meter
	size            int // how many parts and elements the operations have together
}

// A valueSet is a list of distinct values.
type valueSet struct {
	list  []history.Value
	index map[string]bool
}

func newValueSet(list []history.Value) valueSet {
	s := valueSet{index: make(map[string]bool, len(list))}
	for _, v := range list {
		if key := string(v.AppendKey(nil)); !s.index[key] {
			s.index[key] = true
			s.list = append(s.list, v)
		}
	}
	return s
}

func (s *valueSet) has(v history.Value) bool { return s.index[string(v.AppendKey(nil))] }

// some returns the elements with these indexes.
func (s *valueSet) some(kept []int32) valueSet {
	list := make([]history.Value, len(kept))
	for k, i := range kept {
		list[k] = s.list[i]
	}
	return newValueSet(list)
}

// newProjector returns a projector that leaves nothing out, or nil if there are no
// projections. The latest values come first, since they are probably needed.
func newProjector(p *ops.Problem, m *meter.Meter) *projector {
	s, ok := p.Spec.(replay.Projectable)
	if !ok || isConstrained(p.H) {
		return nil
	}
	var parts, elements []history.Value
	for i := range p.H.Ops {
		if parts, elements, ok = s.AppendParts(parts, elements, &p.H.Ops[i]); !ok {
			return nil
		}
		if m.MustStop(1 + len(p.H.Ops[i].Result.List())) {
			return nil
		}
	}
	slices.Reverse(parts)
	slices.Reverse(elements)
	return &projector{p, s, newValueSet(parts), newValueSet(elements), m, len(parts) + len(elements)}
}

// problem returns the projection of p, and the number in p of each of its operations.
func (j *projector) problem(p *ops.Problem) (*ops.Problem, []int32) {
	j.meter.Spend(j.size)
	var of []int32
	var projected []history.Operation
	for i := range p.H.Ops {
		if op, ok := j.spec.Project(&p.H.Ops[i], j.parts.has, j.elements.has); ok {
			of, projected = append(of, int32(i)), append(projected, op)
		}
	}
	h := ops.Sub(p.H, of)
	if len(of) == len(p.H.Ops) {
		other := *h
		h, h.Ops = &other, slices.Clone(h.Ops)
	}
	for k := range of {
		h.Ops[k].Args, h.Ops[k].Result = projected[k].Args, projected[k].Result
	}
	return ops.New(h, p.Spec, p.MaxBytes), of
}

// with returns a projector with other parts, or with other elements.
func (j *projector) with(parts, elements *valueSet) *projector {
	return &projector{j.Problem, j.spec, *parts, *elements, j.meter, j.size}
}

// project replaces the problem by a projection on as few parts and elements as possible.
func (r *reducer) project() {
	j := newProjector(r.Problem, r.meter)
	if j == nil {
		return
	}
	fails := func(j *projector) replay.Answer {
		p, _ := j.problem(r.Problem)
		return r.decide(p).Answer
	}
	kept, isMinimal := minimize(len(j.parts.list), r.meter.Stopped, func(kept []int32) replay.Answer {
		some := j.parts.some(kept)
		return fails(j.with(&some, &j.elements))
	})
	all := len(j.parts.list) + len(j.elements.list)
	j.parts = j.parts.some(kept)
	if isMinimal {
		kept, isMinimal = minimize(len(j.elements.list), r.meter.Stopped, func(kept []int32) replay.Answer {
			some := j.elements.some(kept)
			return fails(j.with(&j.parts, &some))
		})
		j.elements = j.elements.some(kept)
	}
	r.hasUndecided = r.hasUndecided || !isMinimal
	if len(j.parts.list)+len(j.elements.list) == all || fails(j) != replay.NotLinearizable {
		return
	}
	p, of := j.problem(r.Problem)
	other := newReducer(p)
	other.decide, other.meter, other.hasUndecided, other.of, other.projector = r.decide, r.meter, r.hasUndecided, of, j
	*r = *other
}
