package engine

import (
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// Intervals returns the operations and chains of the elements of h. It uses the same
// memory in each call.
func Intervals(h *history.History, pending bool, mode replay.ChainMode) (ops, chains []int32) {
	v := &reused
	v.reset(h, pending, mode)
	for {
		e, ok := v.next()
		if !ok {
			return ops, chains
		}
		ops, chains = append(ops, v.operation(int32(len(chains)))), append(chains, e.Chain)
	}
}

var reused intervals

// Bound is bound.
func Bound(h *history.History) int { return bound(h) }

// TableMax is tableMax.
const TableMax = tableMax

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
