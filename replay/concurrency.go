package replay

import (
	"math/bits"

	"github.com/leadline/leadline/history"
)

// Concurrency returns the level of concurrency c, the largest number of
// mutually concurrent operations, and the number cp of unordered pairs of
// concurrent operations (both as in Table 1 of the paper) of a history without
// edges. It needs no poset. O(n) for n events.
func Concurrency(h *history.History) (c int, cp int64) {
	last := int32(0)
	for i := range h.Ops {
		op := &h.Ops[i]
		last = max(last, op.Call)
		if !op.Pending() {
			last = max(last, op.Return)
		}
	}
	returns := make([]uint64, last/64+1) // position -> is a response
	for i := range h.Ops {
		if r := h.Ops[i].Return; r != history.NoReturn {
			returns[r/64] |= 1 << (r % 64)
		}
	}
	returned, word := 0, int32(0) // responses in the words before that one
	for i := range h.Ops {
		call := h.Ops[i].Call
		for ; word < call/64; word++ {
			returned += bits.OnesCount64(returns[word])
		}
		open := i - returned - bits.OnesCount64(returns[word]&(1<<(call%64)-1))
		cp += int64(open)
		c = max(c, open+1)
	}
	return c, cp
}
