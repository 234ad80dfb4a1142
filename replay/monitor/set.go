package monitor

// set decides histories of a set or multiset; see the package documentation.
func (p *problem) set() finding {
	inners, conflict := p.inners()
	for v := 0; conflict == nil && v < len(inners); v++ {
		conflict = p.absentWithin(int32(v), inners[v])
	}
	if conflict != nil {
		return finding{conflict: conflict}
	}
	slots, conflict := p.emptySlots(inners)
	if conflict != nil {
		return finding{conflict: conflict}
	}
	return finding{order: p.arrange(inners, slots)}
}

// absentWithin returns operations in conflict if one did not find the value
// all the time that it was there.
func (p *problem) absentWithin(v int32, in inner) []int32 {
	for _, op := range p.absentsOf(v) {
		if in != leftOut && in.first < p.call[op] && p.ret[op] < in.last {
			return append(p.decisive(v), op)
		}
	}
	return nil
}

// The operations that take effect in one slot do so in steps.
const (
	lookOn     = iota // they find a value that was inserted in a slot before
	takeOut           // a value that was inserted in a slot before
	findNone          // a value, or any
	putIn             // a value
	lookAtOnce        // at a value that was inserted in the step before
	undo              // remove such a value
	steps
)

// A timetable has the slots of operations, and their steps.
type timetable struct {
	slot []int32 // operation -> slot, or 0 if it has none
	step []uint8
}

func (t *timetable) add(step uint8, op, slot int32) { t.slot[op], t.step[op] = slot, step }

// ops returns the operations by steps, with their slots.
func (t *timetable) ops() (ops, slots []int32) {
	var at [steps + 1]int32
	for op, step := range t.step {
		if t.slot[op] > 0 {
			at[step+1]++
		}
	}
	for step := range steps {
		at[step+1] += at[step]
	}
	ops, slots = make([]int32, at[steps]), make([]int32, at[steps])
	for op, step := range t.step {
		if slot := t.slot[op]; slot > 0 {
			ops[at[step]], slots[at[step]] = int32(op), slot
			at[step]++
		}
	}
	return ops, slots
}

// arrange returns the operations in an order in which each value is there for
// its inner interval and no longer, or for a step.
func (p *problem) arrange(inners []inner, empty []int32) []int32 {
	t := timetable{make([]int32, len(p.call)), make([]uint8, len(p.call))}
	for i, op := range p.nothing {
		t.add(findNone, op, empty[i])
	}
	for v := range int32(p.count()) {
		in := inners[v]
		for _, op := range p.absentsOf(v) {
			slot := p.call[op] + 1
			if in.first < slot {
				slot = max(slot, in.last+1)
			}
			t.add(findNone, op, slot)
		}
		if in != leftOut {
			p.arrangeValue(v, in, &t)
		}
	}
	return p.bySlot(t.ops())
}

func (p *problem) arrangeValue(v int32, in inner, t *timetable) {
	e := &p.values[v]
	t.add(putIn, e.insert, in.first)
	for _, op := range p.looksOf(v) {
		if slot := p.call[op] + 1; slot > in.first {
			t.add(lookOn, op, slot)
		} else {
			t.add(lookAtOnce, op, in.first)
		}
	}
	switch {
	case e.remove == none:
	case in.first < in.last:
		t.add(takeOut, e.remove, in.last+1)
	default:
		t.add(undo, e.remove, in.first)
	}
}
