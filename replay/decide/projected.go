package decide

import (
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/internal/engine"
	"github.com/leadline/leadline/replay/monitor"
	"github.com/leadline/leadline/replay/search"
)

// runProjected refutes a history in which operations read several parts of an object, such
// as the elements of a set, for one of the parts. Its operations and what the others read
// of it are linearizable by themselves if the history is. It declines if no part is
// refuted, or if an operation may change several.
func runProjected(t *task, m *meter.Meter) (replay.Finding, error) {
	p, ok := newProjection(t, m)
	if !ok {
		return replay.Declines(""), nil
	}
	for k := range p.parts {
		h, ops := p.history(k)
		if m.MustStop(len(ops)) {
			return replay.GaveUp(replay.Time), nil
		}
		f := monitor.Run(h, t.spec, m)
		if !f.Decided() && len(ops) <= search.MaxSmall { // some result is unknown
			f = search.Small(h, t.spec, m)
		}
		if f.Answer != replay.NotLinearizable {
			continue
		}
		if f.Conflict == nil {
			f.Conflict = ops
			return f, nil
		}
		for c, i := range f.Conflict {
			f.Conflict[c] = ops[i]
		}
		return f, nil
	}
	return replay.Declines(""), nil
}

// A projection is a history, by the parts of the object.
type projection struct {
	t     *task
	spec  replay.Projecting
	parts []history.Value
	ops   [][]int32 // part -> operations that concern it alone
	reads []int32   // operations that read several parts
}

// newProjection reports false if no operation reads several parts, or one may change them.
func newProjection(t *task, m *meter.Meter) (*projection, bool) {
	spec, ok := t.spec.(replay.Projecting)
	if !ok || !replay.TraitsOf(spec).Partitioned || t.h.HasEdges() || len(t.h.Ghosts) > 0 {
		return nil, false
	}
	p := &projection{t: t, spec: spec}
	numbers := map[string]int{}
	var key []byte
	number := func(part history.Value) int {
		key = part.AppendKey(key[:0])
		k, ok := numbers[string(key)]
		if !ok {
			k = len(p.parts)
			numbers[string(key)] = k
			p.parts, p.ops = append(p.parts, part), append(p.ops, nil)
		}
		return k
	}
	for i := range t.h.Ops {
		op := &t.h.Ops[i]
		f := replay.FactsOf(spec, op)
		if part, ok := f.PartOf(op); ok {
			k := number(part)
			p.ops[k] = append(p.ops[k], int32(i))
			continue
		}
		if !f.ReadOnly || m.MustStop(1) {
			return nil, false
		}
		if op.Pending() {
			continue
		}
		parts := spec.PartsIn(op)
		m.Spend(len(parts))
		for _, part := range parts {
			number(part)
		}
		p.reads = append(p.reads, int32(i))
	}
	return p, len(p.reads) > 0
}

// history returns the operations that concern a part, and those that the others are to it,
// with their numbers in the history.
func (p *projection) history(part int) (h *history.History, ops []int32) {
	for _, i := range p.reads {
		if _, ok := p.spec.Project(&p.t.h.Ops[i], p.parts[part]); ok {
			ops = append(ops, i)
		}
	}
	ops = sorted(ops, p.ops[part])
	h = engine.Restrict(p.t.h, ops)
	for k, i := range ops {
		if _, found := slices.BinarySearch(p.ops[part], i); found {
			continue
		}
		op := &h.Ops[k]
		projected, _ := p.spec.Project(op, p.parts[part])
		op.Method, op.Args, op.Result = projected.Method, projected.Args, projected.Result
	}
	return h, ops
}
