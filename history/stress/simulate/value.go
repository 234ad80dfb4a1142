package simulate

import "github.com/leadline/leadline/history"

// values is where a runner draws values from.
type values struct {
	scatter permutation // of the values of a priority queue
	fresh   int64       // the next value that was not used
	extra   int64       // how many values unused has given beside those
	low     int64       // minus the smallest value

	live []int64   // elements that were added and of which no removal was drawn since
	gone [32]int64 // the last elements of which one was
	went int       // how many

	slab []history.Value
}

// value draws a value to insert or write.
func (r *runner) value() history.Value {
	if r.Values > 0 {
		return history.IntValue(int64(r.random.below(r.Values)))
	}
	r.fresh++
	if r.model.place == ranked {
		return history.IntValue(r.scatter.at(r.fresh))
	}
	return history.IntValue(r.fresh)
}

// unused returns a value that is given nowhere else, larger than those that
// are, except in collections that have no order of values.
func (r *runner) unused() history.Value {
	switch {
	case r.Values > 0:
		r.extra++
		return history.IntValue(int64(r.Values) - 1 + r.extra)
	case r.model.place == ranked:
		r.extra++
		return history.IntValue(r.scatter.size() - 1 + r.extra)
	}
	r.fresh++
	return history.IntValue(r.fresh)
}

// smallest returns a value that is given nowhere else, smaller than all.
func (r *runner) smallest() history.Value {
	r.low++
	return history.IntValue(-r.low)
}

// element draws what an operation on a set is about: where values are
// distinct, one that is in it, or was, or is about to be, as far as one can
// know while others are at it.
func (r *runner) element(k kind) history.Value {
	if r.Values > 0 {
		return r.value()
	}
	if k == insert {
		r.fresh++
		return history.IntValue(r.fresh)
	}
	choice := r.random.below(8)
	switch {
	case k == look && choice < 4 && len(r.live) > 0:
		return history.IntValue(r.live[r.random.below(len(r.live))])
	case k == remove && choice < 6 && len(r.live) > 0:
		i, last := r.random.below(len(r.live)), len(r.live)-1
		v := r.live[i]
		r.live[i] = r.live[last]
		r.live = r.live[:last]
		r.size--
		r.gone[r.went%len(r.gone)] = v
		r.went++
		return history.IntValue(v)
	case choice < 7 && r.went > 0:
		return history.IntValue(r.gone[r.random.below(min(r.went, len(r.gone)))])
	}
	return history.IntValue(max(1, r.fresh-7+int64(r.random.below(16))))
}

// args returns arguments for the history to keep, many in one allocation.
func (r *runner) args(vs ...history.Value) []history.Value {
	if len(r.slab) < len(vs) {
		r.slab = make([]history.Value, 512)
	}
	args := r.slab[:len(vs):len(vs)]
	r.slab = r.slab[len(vs):]
	copy(args, vs)
	return args
}
