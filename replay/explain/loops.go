package explain

import (
	"crypto/sha256"

	"github.com/leadline/leadline/replay"
)

// A moment is a moment without open operations.
type moment struct {
	ops   int   // how many operations came before
	state int32 // the number of the only state in which the object may be, or -1
}

// cutLoops leaves out operations between two moments with the same state. A moment ends a loop
// unless it is kept; the fewer moments are kept, the less of the history is left. Late
// moments are probably needed.
func (r *reducer) cutLoops() {
	if r.H.HasEdges() || r.H.IsRelaxed() {
		return
	}
	moments := r.moments()
	last := len(moments) - 1
	with := func(kept []int32) []int32 {
		isKept := make([]bool, len(moments))
		for _, k := range kept {
			isKept[last-int(k)] = true
		}
		return r.withoutLoops(moments, isKept)
	}
	if len(with(nil)) == len(r.ops) {
		return
	}
	kept, isMinimal := minimize(last, r.meter.Stopped, func(kept []int32) replay.Answer { return r.fails(with(kept)) })
	r.ops, r.hasUndecided = with(kept), r.hasUndecided || !isMinimal
}

// withoutLoops leaves out all operations between moments with the same state, in the
// order in which the loops end, except for loops that begin or end at a moment that is kept.
func (r *reducer) withoutLoops(moments []moment, isKept []bool) []int32 {
	type piece struct{ from, to int }
	var pieces []piece
	at := map[int32]int{} // state -> number of pieces before it
	path := []int32{}     // states at the beginnings of the pieces
	for k, m := range moments {
		if k > 0 {
			pieces = append(pieces, piece{moments[k-1].ops, m.ops})
		}
		if m.state < 0 || isKept[k] {
			path = append(path, -1)
			continue
		}
		if back, ok := at[m.state]; ok {
			for _, s := range path[back+1:] {
				delete(at, s)
			}
			pieces, path = pieces[:back], path[:back+1]
			continue
		}
		at[m.state] = len(pieces)
		path = append(path, m.state)
	}
	var ops []int32
	for _, p := range pieces {
		ops = append(ops, r.ops[p.from:p.to]...)
	}
	return append(ops, r.ops[moments[len(moments)-1].ops:]...)
}

// moments returns the moments of the remaining history without open operations, with
// their states.
func (r *reducer) moments() []moment {
	moments := []moment{{0, 0}}
	r.meter.Spend(len(r.ops))
	w := newWalk(r.Sub(r.ops), r.meter)
	if w == nil {
		return moments
	}
	defer w.machine.Release()
	number, key := map[[sha256.Size]byte]int32{}, []byte(nil) // keys may be long
	w.run(func(ops int) {
		state := int32(-1)
		if only, ok := w.only(); ok {
			key = key[:0]
			for _, o := range w.machine.Objects(only) {
				key = o.AppendKey(key)
			}
			sum := sha256.Sum256(key)
			n, known := number[sum]
			if !known {
				n = int32(len(number))
				number[sum] = n
			}
			state = n
		}
		if ops > 0 {
			moments = append(moments, moment{ops, state})
		}
	})
	if r.meter.Stopped() {
		r.hasUndecided = true
	}
	return moments
}
