package state

import "github.com/leadline/leadline/hitting/table"

// transitions maps a state and a column to the next state.
type transitions struct{ table.Table[transition] }

type transition struct{ state, column, next int32 }

func (t *transition) hash() uint32 {
	return table.Fold(table.Mix(table.Seed, uint64(uint32(t.state))<<32|uint64(uint32(t.column))))
}

func (t *transitions) get(state, column int32) (next int32, known bool) {
	key := transition{state: state, column: column}
	i := t.Find(key.hash(), func(k *transition) bool { return k.state == state && k.column == column })
	if i < 0 {
		return 0, false
	}
	return t.At(i).next, true
}

// put adds a transition that is not in the table yet.
func (t *transitions) put(state, column, next int32) {
	k := transition{state, column, next}
	t.Add(k.hash(), k)
}
