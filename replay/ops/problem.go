package ops

import (
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// None stands for no value, no part and no operation.
const None = -1

// A Problem is a history and the specification against which it is decided. What engines
// need to know of the operations is read once, by the first engine that asks. A Problem is
// not safe for concurrent use.
type Problem struct {
	H    *history.History
	Spec replay.Spec
	// MaxBytes bounds the memory of an engine.
	MaxBytes int64

	traits    replay.Traits
	described replay.Described // nil if the specification is none
	responses []int32          // see Responses
	columns   *Columns         // see Columns

	reader *reader  // of columns, unless they come from those of whole
	whole  *Problem // the problem from which With made this one, perhaps in several steps, or nil
	of     []int32  // operation -> operation of whole; nil: they have the same numbers
}

// New returns the problem of a history that the specification accepts (replay.Check).
func New(h *history.History, spec replay.Spec, maxBytes int64) *Problem {
	if h == nil || spec == nil {
		panic("ops: a nil history or specification")
	}
	p := &Problem{H: h, Spec: spec, MaxBytes: maxBytes}
	if d, ok := spec.(replay.Described); ok {
		p.described, p.traits = d, d.Traits()
	}
	return p
}

// Traits returns the traits of the specification.
func (p *Problem) Traits() replay.Traits { return p.traits }

// InRealTime reports whether real time is the only order of the operations: there are no
// edges, and no operations that did not happen.
func (p *Problem) InRealTime() bool { return !p.H.HasEdges() && len(p.H.Ghosts) == 0 }

// Discipline returns the discipline of the specification, but replay.FirstIn for a bounded
// queue that the history cannot fill.
func (p *Problem) Discipline() replay.Discipline {
	if p.traits.Discipline != replay.FirstInBounded {
		return p.traits.Discipline
	}
	inserts := 0
	for _, role := range p.Columns(nil).Role {
		switch role {
		case replay.Insert:
			inserts++
		case replay.Full, replay.Other:
			return replay.FirstInBounded
		}
	}
	if inserts > p.traits.Capacity {
		return replay.FirstInBounded
	}
	return replay.FirstIn
}

// ValueOf returns the value of the role of an operation.
func (p *Problem) ValueOf(op int32) history.Value { return p.described.Facts(&p.H.Ops[op]).Value }

// With returns the problem of a history whose operation k is operation of[k] of p, or
// operation k if of is nil. Real time and edges may differ, and operations may have other
// results, or become pending. Only these are read, and no operation is read twice.
func (p *Problem) With(h *history.History, of []int32) *Problem {
	q := *p
	q.H, q.columns, q.responses = h, nil, nil
	if q.whole == nil {
		q.whole = p
	}
	switch {
	case p.of == nil:
		q.of = of
	case of != nil:
		q.of = make([]int32, len(of))
		for k, i := range of {
			q.of[k] = p.of[i]
		}
	}
	return &q
}

// Restrict returns the problem of some operations, in the order given. They keep their
// positions.
func (p *Problem) Restrict(ops []int32) *Problem { return p.With(Restrict(p.H, ops), ops) }

// Sub returns the problem of some operations, in their order; see the function Sub.
func (p *Problem) Sub(chosen []int32) *Problem {
	if len(chosen) == len(p.H.Ops) {
		return p
	}
	return p.With(Sub(p.H, chosen), chosen)
}

// Responses returns the completed operations in the order of their responses; see the
// function Responses.
func (p *Problem) Responses() []int32 {
	if p.responses == nil {
		p.responses = Responses(p.H)
	}
	return p.responses
}
