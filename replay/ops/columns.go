package ops

import (
	"math"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
)

// Columns are the replay.Facts of all operations. Each has an entry for each operation.
type Columns struct {
	Role       []replay.Role
	ReadOnly   []bool
	Impossible []bool // replay.Impossible gives a reason
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
	switch {
	case p.columns != nil || m.MustStop(len(p.H.Ops)):
	case p.whole == nil:
		p.read()
	case p.whole.Columns(m) != nil:
		p.columns = p.take()
	}
	return p.columns
}

// read reads all operations.
func (p *Problem) read() {
	n := len(p.H.Ops)
	r := newReader(n, &p.traits)
	c := newColumns(n)
	for i := range p.H.Ops {
		p.readOne(r, c, i)
	}
	c.Values, c.Parts, c.PartOf = r.values.n, r.parts.n, r.pairs.keys
	if r.isMap {
		c.Values = r.pairs.Len()
	}
	if r.partsAreValues {
		c.Parts = c.Values
	}
	p.reader, p.columns = r, c
}

func newColumns(n int) *Columns {
	flags, numbers := make([]bool, 2*n), make([]int32, 2*n)
	return &Columns{Role: make([]replay.Role, n), ReadOnly: flags[:n], Impossible: flags[n:], Value: numbers[:n], Part: numbers[n:]}
}

// readOne reads an operation into the columns.
func (p *Problem) readOne(r *reader, c *Columns, i int) {
	var f replay.Facts
	if p.described != nil {
		f = p.described.Facts(&p.H.Ops[i])
	}
	c.Role[i], c.ReadOnly[i] = f.Role, f.ReadOnly
	c.Impossible[i] = f.Impossible != "" && !p.H.Ops[i].Pending()
	c.Part[i] = r.part(&p.H.Ops[i], f)
	c.Value[i] = r.value(f, c.Part[i])
}

// take returns the columns of operations that are in those of the whole problem. It reads
// the operations that have changed.
func (p *Problem) take() *Columns {
	w := p.whole
	from, c := w.columns, newColumns(len(p.H.Ops))
	for k := range p.H.Ops {
		i := k
		if p.of != nil {
			i = int(p.of[k])
		}
		if was, is := &w.H.Ops[i], &p.H.Ops[k]; was.Pending() != is.Pending() || !was.Result.Equal(is.Result) {
			p.readOne(w.reader, c, k)
			continue
		}
		c.Role[k], c.ReadOnly[k], c.Impossible[k] = from.Role[i], from.ReadOnly[i], from.Impossible[i]
		c.Value[k], c.Part[k] = from.Value[i], from.Part[i]
	}
	w.reader.renumber(c)
	return c
}

// A reader numbers values and parts.
type reader struct {
	values, parts  numbering
	pairs          *Pairing // of parts and values of a map
	isMap          bool
	partsAreValues bool // in a set

	newValues, newParts renumbering
}

func newReader(n int, traits *replay.Traits) *reader {
	return &reader{values: newNumbering(n), parts: newNumbering(n), pairs: NewPairing(n),
		isMap:          traits.Discipline == replay.OverwrittenByKey,
		partsAreValues: traits.Discipline == replay.Named || traits.Discipline == replay.Counted}
}

// renumber numbers the values and parts of some operations anew, by first appearance.
// Engines take memory in proportion to the numbers.
func (r *reader) renumber(c *Columns) {
	values, parts := &r.newValues, &r.newParts
	values.reset()
	parts.reset()
	if r.partsAreValues {
		parts = values
	}
	for k := range c.Value {
		c.Part[k] = parts.number(c.Part[k])
		if c.Role[k] == replay.Size {
			continue
		}
		c.Value[k] = values.number(c.Value[k])
		if r.isMap && int(values.n) > len(c.PartOf) {
			c.PartOf = push(c.PartOf, c.Part[k])
		}
	}
	c.Values, c.Parts = values.n, parts.n
}

// A renumbering gives numbers other numbers, by first appearance since the last reset.
type renumbering struct {
	of    []renumbered
	round int32
	n     int32 // how many numbers there are
}

type renumbered struct{ round, number int32 }

func (m *renumbering) reset() {
	m.round++
	m.n = 0
}

func (m *renumbering) number(old int32) int32 {
	if old == None {
		return None
	}
	if missing := int(old) + 1 - len(m.of); missing > 0 {
		m.of = append(m.of, make([]renumbered, missing)...)
	}
	e := &m.of[old]
	if e.round != m.round {
		*e = renumbered{m.round, m.n}
		m.n++
	}
	return e.number
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
