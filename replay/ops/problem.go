package ops

import (
	"math"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
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
	columns   *Columns         // see Columns
	responses []int32          // see Responses
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

// Columns are the replay.Facts of all operations. Each has an entry for each operation.
type Columns struct {
	Role     []replay.Role
	ReadOnly []bool
	// Value is the number of the value that an operation inserts, removes, reads or finds
	// absent, or None if that is unknown. Values are numbered by first appearance. In a map
	// of registers, each pair of a part and a value has a number.
	//
	// For the role Size, it is the size itself, or None if the operation only found that
	// there is at least one value.
	Value []int32
	// Part is the number of the part that an operation concerns, or None if it concerns
	// several or if the object has no parts.
	Part []int32

	Values, Parts int32   // how many numbers there are
	PartOf        []int32 // value -> its part; only for a map of registers
}

// Columns reads the operations, unless they have been read before. It returns nil if m stops
// before that. It takes O(n) for n operations.
func (p *Problem) Columns(m *meter.Meter) *Columns {
	if p.columns == nil {
		p.columns = p.read(m)
	}
	return p.columns
}

func (p *Problem) read(m *meter.Meter) *Columns {
	n := len(p.H.Ops)
	if m.MustStop(n) {
		return nil
	}
	c := &Columns{Role: make([]replay.Role, n), ReadOnly: make([]bool, n), Value: make([]int32, n), Part: make([]int32, n)}
	r := reader{values: newNumbering(n), parts: newNumbering(n), pairs: NewPairing(n), isMap: p.traits.Discipline == replay.OverwrittenByKey}
	// The parts of a set are its values.
	r.partsAreValues = p.traits.Discipline == replay.Named || p.traits.Discipline == replay.Counted
	for i := range n {
		var f replay.Facts
		if p.described != nil {
			f = p.described.Facts(&p.H.Ops[i])
		}
		c.Role[i], c.ReadOnly[i] = f.Role, f.ReadOnly
		c.Part[i] = r.part(&p.H.Ops[i], f)
		c.Value[i] = r.value(f, c.Part[i])
	}
	c.Values, c.Parts, c.PartOf = r.values.n, r.parts.n, r.pairs.keys
	if r.isMap {
		c.Values = int32(len(c.PartOf))
	}
	if r.partsAreValues {
		c.Parts = c.Values
	}
	return c
}

// A reader numbers values and parts.
type reader struct {
	values, parts  numbering
	pairs          *Pairing // of parts and values of a map
	isMap          bool
	partsAreValues bool
}

func (r *reader) part(op *history.Operation, f replay.Facts) int32 {
	part, ok := f.PartOf(op)
	switch {
	case !ok:
		return None
	case r.partsAreValues:
		return r.values.number(part)
	}
	return r.parts.number(part)
}

func (r *reader) value(f replay.Facts, part int32) int32 {
	switch f.Role {
	case replay.Size:
		if f.Value.Kind() != history.Int {
			return None
		}
		return int32(min(f.Value.Int(), math.MaxInt32)) // a history has fewer operations
	case replay.Insert, replay.InsertFront, replay.Remove, replay.RemoveFront, replay.Look, replay.LookFront, replay.Absent:
	default:
		return None
	}
	switch {
	case f.Value.Kind() == history.Unknown:
		return None
	case !r.isMap:
		return r.values.number(f.Value)
	case part == None:
		return None
	}
	return r.pairs.Number(part, f.Value)
}

// Discipline returns the discipline of the specification, but replay.FirstIn for a bounded
// queue that the history cannot fill. It needs the columns.
func (p *Problem) Discipline() replay.Discipline {
	if p.traits.Discipline != replay.FirstInBounded {
		return p.traits.Discipline
	}
	inserts := 0
	for _, role := range p.columns.Role {
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

// With returns the problem of another history of the same operations in the same order, with
// other edges or ghosts, or with intervals that differ without making an operation pending
// or not pending.
func (p *Problem) With(h *history.History) *Problem {
	q := *p
	q.H, q.responses = h, nil
	return &q
}

// Restrict returns the problem of some operations, in the order given. They keep their
// positions, and the numbers of values and parts if the operations have been read.
func (p *Problem) Restrict(ops []int32) *Problem {
	q := *p
	q.H, q.responses = Restrict(p.H, ops), nil
	if c := p.columns; c != nil {
		q.columns = c.restrict(ops)
	}
	return &q
}

// restrict returns the columns of some operations. The numbers of values and parts stay, so
// some numbers may have no operation.
func (c *Columns) restrict(ops []int32) *Columns {
	r := &Columns{Values: c.Values, Parts: c.Parts, PartOf: c.PartOf, Role: make([]replay.Role, len(ops)), ReadOnly: make([]bool, len(ops)),
		Value: make([]int32, len(ops)), Part: make([]int32, len(ops))}
	for k, i := range ops {
		r.Role[k], r.ReadOnly[k], r.Value[k], r.Part[k] = c.Role[i], c.ReadOnly[i], c.Value[i], c.Part[i]
	}
	return r
}

// Responses returns the completed operations in the order of their responses; see the
// function Responses.
func (p *Problem) Responses() []int32 {
	if p.responses == nil {
		p.responses = Responses(p.H)
	}
	return p.responses
}
