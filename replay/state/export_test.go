package state

// For tests of tables that move slot by slot.
const (
	LongTable   = longTable
	MovedAtOnce = movedAtOnce
)

// Transitions are transitions.
type Transitions = transitions

func (t *transitions) Get(state, column int32) (next int32, known bool) { return t.get(state, column) }
func (t *transitions) Put(state, column, next int32)                    { t.put(state, column, next) }

// Left is the number of slots of the old table that have not moved yet.
func (t *transitions) Left() int { return len(t.old) - t.moved }

// Left is the number of slots of the old table that have not moved yet.
func (x *Index) Left() int { return len(x.old) - x.moved }
