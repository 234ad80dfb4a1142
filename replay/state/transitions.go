package state

// transitions maps a state and a column to the next state. It is a hash table
// with open addressing. The zero value is empty. Like in an Index, the slots of a long
// table move to a larger one step by step.
type transitions struct {
	slots []transition
	n     int
	old   []transition // the previous table, while slots of it have to be moved
	moved int          // old[:moved] has been moved to slots
}

type transition struct {
	state  int32 // +1, so that an empty slot is all zero
	column int32
	next   int32
}

const transitionBytes = 12

// bytes leaves out the old table, because it is soon garbage.
func (t *transitions) bytes() int64 { return int64(len(t.slots)) * transitionBytes }

// firstSlot is the first slot to probe for a transition.
func firstSlot(slots []transition, state, column int32) uint32 {
	h := (uint64(uint32(state))<<32 | uint64(uint32(column))) * 0x9e3779b97f4a7c15
	return uint32(h>>33) & uint32(len(slots)-1)
}

func (t *transitions) get(state, column int32) (next int32, known bool) {
	if len(t.slots) == 0 {
		return 0, false
	}
	next, known = lookUp(t.slots, state, column)
	if !known && t.old != nil {
		next, known = lookUp(t.old, state, column)
	}
	return next, known
}

func lookUp(slots []transition, state, column int32) (next int32, known bool) {
	for i := firstSlot(slots, state, column); ; i = (i + 1) & uint32(len(slots)-1) {
		s := &slots[i]
		switch {
		case s.state == state+1 && s.column == column:
			return s.next, true
		case s.state == 0:
			return 0, false
		}
	}
}

// put adds a transition that is not in the table yet.
func (t *transitions) put(state, column, next int32) {
	if 8*(t.n+1) > 5*len(t.slots) {
		t.old, t.moved = t.slots, 0
		t.slots = make([]transition, max(64, 2*len(t.old)))
		if len(t.old) < longTable {
			t.move(len(t.old))
		}
	}
	if t.old != nil {
		t.move(movedAtOnce)
	}
	t.insert(transition{state + 1, column, next})
	t.n++
}

// move moves the next slots of the old table, at most as many as slots says.
func (t *transitions) move(slots int) {
	end := min(t.moved+slots, len(t.old))
	for _, s := range t.old[t.moved:end] {
		if s.state != 0 {
			t.insert(s)
		}
	}
	if t.moved = end; end == len(t.old) {
		t.old, t.moved = nil, 0
	}
}

func (t *transitions) insert(s transition) {
	i := firstSlot(t.slots, s.state-1, s.column)
	for t.slots[i].state != 0 {
		i = (i + 1) & uint32(len(t.slots)-1)
	}
	t.slots[i] = s
}
