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

// TableMax is tableMax.
const TableMax = tableMax
