package decide

import (
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
)

// unwritten returns a read of a value that no operation writes, the one with the earliest
// response, or ops.None. A search would try the orders of all operations before it. It returns
// None if the object is not a register or a map, or if an operation changes a value without
// overwriting it. It takes O(n) for n operations.
//
// It reads the steps of all operations only if some value may be one that nobody writes: no
// plain write has it.
func unwritten(p *ops.Problem, m *meter.Meter) int32 {
	s, ok := p.Spec.(replay.Stepped)
	if !ok {
		return ops.None
	}
	c := p.Columns(m)
	if c == nil {
		return ops.None
	}
	isKnown := make([]bool, c.Values) // a plain write has the value
	for i, v := range c.Value {
		if c.Role[i] == replay.Insert && v != ops.None {
			isKnown[v] = true
		}
	}
	var key []byte
	var steps []replay.CellStep
	reads := map[string]int32{} // key and value -> the first to return of its reads
	of := func(step *replay.CellStep) []byte { return step.Value.AppendKey(step.Key.AppendKey(key[:0])) }
	for i, v := range c.Value {
		op := &p.H.Ops[i]
		if c.Role[i] != replay.Look || v == ops.None || isKnown[v] || op.Pending() {
			continue
		}
		steps = s.AppendSteps(steps[:0], op)
		if len(steps) != 1 || steps[0].Kind != replay.CellRead || steps[0].Key.HoldsUnknown() || steps[0].Value.Equal(s.FirstValue(steps[0].Key)) {
			continue
		}
		key = of(&steps[0])
		if first, ok := reads[string(key)]; !ok || op.Return < p.H.Ops[first].Return {
			reads[string(key)] = int32(i)
		}
	}
	for i := 0; i < len(p.H.Ops) && len(reads) > 0; i++ {
		if m.MustStop(1) {
			return ops.None
		}
		steps = s.AppendSteps(steps[:0], &p.H.Ops[i])
		for k := range steps {
			switch steps[k].Kind {
			case replay.CellOther, replay.CellAppend, replay.CellConcat:
				return ops.None
			case replay.CellWrite:
				key = of(&steps[k])
				delete(reads, string(key))
			}
		}
	}
	earliest := int32(ops.None)
	for _, i := range reads {
		if earliest == ops.None || p.H.Ops[i].Return < p.H.Ops[earliest].Return {
			earliest = i
		}
	}
	return earliest
}
