package explain

import (
	"crypto/sha256"
	"slices"

	"github.com/leadline/leadline/replay"
)

// A moment is a moment without open operations.
type moment struct {
	ops   int   // how many operations came before
	state int32 // the number of the only state in which the object may be, or -1
}

// cutLoops leaves out operations between two moments with the same state. It tries loops
// that end late first.
func (r *reducer) cutLoops() {
	if r.h.HasEdges() || r.h.IsRelaxed() {
		return
	}
	for {
		moments := r.moments()
		// Without the loops up to a moment, less is left than without the loops up to an
		// earlier moment. So if the former fails, the latter fails as well.
		cut := func(upTo int) []int32 { return r.withoutLoops(moments[:upTo+1]) }
		last := len(moments) - 1
		low, high, step := 0, last+1, 1 // cut(low) fails, cut(high) does not
		for high-low > 1 {
			k := high - min(step, (high-low)/2)
			k = min(max(k, low+1), high-1)
			step *= 2
			rest := cut(k)
			if len(rest) == len(r.ops) || r.fails(rest) == replay.NotLinearizable {
				low = k
			} else {
				high = k
			}
		}
		if low > 0 {
			r.ops = cut(low)
			moments = r.moments()
		}
		if r.hasUndecided || !r.cutOne(moments) {
			return
		}
	}
}

// cutOne leaves out one loop, and reports whether there is one to leave out.
// Loops that contain others of the same state need not be tried.
func (r *reducer) cutOne(moments []moment) bool {
	next := map[int32]int{} // state -> moments[k].ops
	for _, m := range slices.Backward(moments) {
		end, known := next[m.state]
		next[m.state] = m.ops
		if !known || m.state < 0 {
			continue
		}
		rest := slices.Concat(r.ops[:m.ops], r.ops[end:])
		if r.fails(rest) == replay.NotLinearizable {
			r.ops = rest
			return true
		}
		if r.hasUndecided {
			return false
		}
	}
	return false
}

// withoutLoops leaves out all operations between moments with the same state, in the
// order in which the loops end.
func (r *reducer) withoutLoops(moments []moment) []int32 {
	type piece struct{ from, to int }
	var pieces []piece
	at := map[int32]int{} // state -> number of pieces before it
	path := []int32{}     // states at the beginnings of the pieces
	for k, m := range moments {
		if k > 0 {
			pieces = append(pieces, piece{moments[k-1].ops, m.ops})
		}
		if m.state < 0 {
			path = append(path, m.state)
			continue
		}
		if back, ok := at[m.state]; ok {
			for _, s := range path[back+1:] {
				delete(at, s)
			}
			pieces, path = pieces[:back], path[:back+1]
			at[m.state] = back
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
// their states. A collection is in its first state if, of each value, as many were removed
// as were inserted.
func (r *reducer) moments() []moment {
	moments := []moment{{0, 0}}
	r.meter.Spend(len(r.ops))
	h := sub(r.h, r.ops)
	if r.unexplained != replay.NoOperation {
		h = before(h)
	}
	w := newWalk(h, r.spec, r.bytes, r.meter)
	if w == nil {
		return moments
	}
	defer w.machine.Release()
	number, key := map[[sha256.Size]byte]int32{}, []byte(nil) // keys may be long
	b := r.newBalance()
	w.restarts = b.applies
	done := 0
	w.run(func(ops int) {
		b.add(r.ops[done:ops])
		done = ops
		if b.isZero() {
			w.restart()
		}
		state := int32(-1)
		if len(w.current.list) == 1 && !w.overflowed {
			key = key[:0]
			for _, o := range w.machine.Objects(w.current.list[0].state) {
				key = o.AppendKey(key)
			}
			sum := sha256.Sum256(key)
			n, ok := number[sum]
			if !ok {
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

// A balance counts the values of a collection that were inserted and not removed.
type balance struct {
	r       *reducer
	applies bool
	left    map[int32]int
	nulls   map[int32]bool
}

func (r *reducer) newBalance() *balance {
	b := &balance{r: r, applies: true, left: map[int32]int{}, nulls: r.nulls(r.ops)}
	for _, i := range r.ops {
		f := &r.facts[i]
		b.applies = b.applies && f.apart && (f.readOnly || f.change != 0 && !b.nulls[f.value[0]])
	}
	return b
}

func (b *balance) add(ops []int32) {
	if !b.applies {
		return
	}
	for _, i := range ops {
		if f := &b.r.facts[i]; f.change != 0 && !f.vacant {
			if b.left[f.value[0]] += int(f.change); b.left[f.value[0]] == 0 {
				delete(b.left, f.value[0])
			}
		}
	}
}

func (b *balance) isZero() bool { return b.applies && len(b.left) == 0 }
