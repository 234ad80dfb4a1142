package decide

import (
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/depth"
	"github.com/leadline/leadline/replay"
)

// elements are the operations of a history without edges as elements of an
// interval order, with the chains that replay.NewInstance gives them. They are
// computed one after another.
type elements struct {
	h       *history.History
	pending bool // pending operations that need not happen are elements, too
	minimum bool // chains are a minimum partition, not processes
	at      int
	ops     []int32 // element -> operation, if not all operations are elements
	chain   []int32 // process -> chain + 1
	chains  int32
	open    []depth.Element // for minimum chains: open elements, sorted by return
	idle    []int32         // for minimum chains: chains without an open element, the smallest last
}

// reset makes v the operations of h. It takes over the memory of v.
func (v *elements) reset(h *history.History, pending bool, mode replay.ChainMode) {
	*v = elements{h: h, pending: pending, ops: v.ops[:0], chain: v.chain, open: v.open[:0], idle: v.idle[:0]}
	v.chain = slices.Grow(v.chain[:0], len(h.Processes))[:len(h.Processes)]
	v.minimum = mode == replay.MinimumChains || mode == replay.AutoChains && v.isOnePerProcess()
	clear(v.chain)
}

func (v *elements) isElement(op *history.Operation) bool { return v.pending || !mayBeLeftOut(op) }

// isOnePerProcess reports whether no process has two elements.
func (v *elements) isOnePerProcess() bool {
	clear(v.chain)
	for i := range v.h.Ops {
		if op := &v.h.Ops[i]; v.isElement(op) {
			if v.chain[op.Process] > 0 {
				return false
			}
			v.chain[op.Process] = 1
		}
	}
	return true
}

// operation returns the operation of an element.
func (v *elements) operation(e int32) int32 {
	if v.pending {
		return e
	}
	return v.ops[e]
}

// next returns the next element in the order of calls.
func (v *elements) next() (depth.Element, bool) {
	for v.at < len(v.h.Ops) && !v.isElement(&v.h.Ops[v.at]) {
		v.at++
	}
	if v.at == len(v.h.Ops) {
		return depth.Element{}, false
	}
	op := &v.h.Ops[v.at]
	if !v.pending {
		v.ops = append(v.ops, int32(v.at))
	}
	v.at++
	e := depth.Element{Call: op.Call, Return: op.Return}
	if v.minimum {
		e.Chain = v.lowestIdle(e)
	} else {
		if v.chain[op.Process] == 0 {
			v.chains++
			v.chain[op.Process] = v.chains
		}
		e.Chain = v.chain[op.Process] - 1
	}
	return e, true
}

// lowestIdle returns the lowest-numbered chain whose last element precedes e: see
// poset.MinimumChains.
func (v *elements) lowestIdle(e depth.Element) int32 {
	k := 0
	for ; k < len(v.open) && v.open[k].Return < e.Call; k++ {
		chain := v.open[k].Chain
		at, _ := slices.BinarySearchFunc(v.idle, chain, func(x, y int32) int { return int(y - x) })
		v.idle = slices.Insert(v.idle, at, chain)
	}
	v.open = slices.Delete(v.open, 0, k)
	if last := len(v.idle) - 1; last >= 0 {
		e.Chain = v.idle[last]
		v.idle = v.idle[:last]
	} else {
		e.Chain = v.chains
		v.chains++
	}
	at, _ := slices.BinarySearchFunc(v.open, e.Return, func(x depth.Element, r int32) int { return int(x.Return) - int(r) })
	v.open = slices.Insert(v.open, at, e)
	return e.Chain
}

// boundOf returns hitting.Bound of the interval order of all operations of h, which has no
// edges, in one pass.
func boundOf(h *history.History) int {
	blocks, latest := 0, int32(-1)    // as in poset.Blocks
	longest, earliest := 0, int32(-1) // as in poset.LongestChain: always the earliest return
	for i := range h.Ops {
		op := &h.Ops[i]
		if latest < op.Call {
			blocks++
		}
		latest = max(latest, op.Return)
		if earliest < op.Call {
			longest++
			earliest = op.Return
		}
		earliest = min(earliest, op.Return)
	}
	n := len(h.Ops)
	return max(1, min(n-blocks, 2*(n-longest)))
}
