package window

import "github.com/leadline/leadline/replay"

// A stackReplay places insertions and removals in a given order. It places peeks and
// operations that find nothing as soon as possible.
type stackReplay struct {
	*stackOps
	order  []int32 // operations placed, in the numbers of the history
	placed []bool
	stack  []int32 // values, bottom first
	due    int32
	mask   uint64
}

func newStackReplay(p *stackOps) *stackReplay {
	r := &stackReplay{stackOps: p, placed: make([]bool, len(p.ops))}
	r.settle()
	return r
}

// place places an open insertion or removal.
func (r *stackReplay) place(o int32) {
	r.enter(o)
	if q := &r.ops[o]; q.role == replay.Insert {
		r.stack = append(r.stack, q.value)
	} else {
		r.stack = r.stack[:len(r.stack)-1]
	}
	r.settle()
}

func (r *stackReplay) enter(o int32) {
	r.order = append(r.order, r.ops[o].op)
	r.placed[o] = true
	r.mask |= 1 << r.slot[o]
}

// settle passes the responses of placed operations, and places peeks and operations that
// find nothing.
func (r *stackReplay) settle() {
	for again := true; again; {
		for int(r.due) < r.returned && r.isPlaced(r.mask, r.due) {
			r.mask &^= 1 << r.slot[r.due]
			r.due++
		}
		if again = false; int(r.due) == r.returned {
			return
		}
		top := int32(none)
		if n := len(r.stack); n > 0 {
			top = r.stack[n-1]
		}
		for _, o := range r.opens[r.due] {
			q := &r.ops[o]
			if (q.role == replay.Look || q.role == replay.Nothing) && q.value == top && !r.isPlaced(r.mask, o) {
				r.enter(o)
				again = true
			}
		}
	}
}

// end returns the order. The pending operations that have not been placed are at its end.
func (r *stackReplay) end() []int32 {
	for _, role := range [...]replay.Role{replay.Insert, replay.Remove} {
		for o := range r.ops {
			if !r.placed[o] && r.ops[o].role == role {
				r.order = append(r.order, r.ops[o].op)
			}
		}
	}
	return r.order
}
