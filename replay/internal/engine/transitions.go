package engine

// transitions maps a state and a column to the next state. It is a hash table
// with open addressing. The zero value is empty.
type transitions struct {
	slots []transition
	n     int
}

type transition struct {
	state  int32 // +1, so that an empty slot is all zero
	column int32
	next   int32
}

const transitionBytes = 12

func (t *transitions) bytes() int64 { return int64(len(t.slots)) * transitionBytes }

// start is the first slot to probe for a transition.
func (t *transitions) start(state, column int32) uint32 {
	h := (uint64(uint32(state))<<32 | uint64(uint32(column))) * 0x9e3779b97f4a7c15
	return uint32(h>>33) & uint32(len(t.slots)-1)
}

func (t *transitions) get(state, column int32) (next int32, known bool) {
	if len(t.slots) == 0 {
		return 0, false
	}
	for i := t.start(state, column); ; i = (i + 1) & uint32(len(t.slots)-1) {
		s := &t.slots[i]
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
		old := t.slots
		t.slots = make([]transition, max(64, 2*len(old)))
		for _, s := range old {
			if s.state != 0 {
				t.insert(s)
			}
		}
	}
	t.insert(transition{state + 1, column, next})
	t.n++
}

func (t *transitions) insert(s transition) {
	i := t.start(s.state-1, s.column)
	for t.slots[i].state != 0 {
		i = (i + 1) & uint32(len(t.slots)-1)
	}
	t.slots[i] = s
}
