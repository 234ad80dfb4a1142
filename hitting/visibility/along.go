package visibility

import "slices"

// Along goes through the operations of an order, which respects what happened before, one after
// another. For one below Complete it calls try with each set of earlier operations that its
// level lets it see, given what those before it see. try calls next to go on in the order, as
// often as it likes, and returns true to end everything. At the end of the order, next calls
// end. Along returns what try or end returned. Operations that are not in the order do not count.
//
// It states the definitions, as Check does, and takes exponential time. An operation that may miss m
// others has 2^m sets, or fewer if its level has more rules than basic.
func (o *Operations) Along(order []int32, try func(op int32, seen []int32, next func() bool) bool, end func() bool) bool {
	x := &Execution{Order: order, Unseen: make([][]int32, o.Before.Len())}
	return o.goOn(x, 0, try, end)
}

// goOn goes on with place k.
func (o *Operations) goOn(x *Execution, k int, try func(op int32, seen []int32, next func() bool) bool, end func() bool) bool {
	for k < len(x.Order) && o.Level[x.Order[k]] == Complete {
		k++
	}
	if k == len(x.Order) {
		return end()
	}
	i := x.Order[k]
	defer func() { x.Unseen[i] = nil }()
	next := func() bool { return o.goOn(x, k+1, try, end) }
	var seen []int32
	var choose func(j int) bool // for places up to j; the rules depend on what comes after them
	choose = func(j int) bool {
		if j < 0 {
			list := slices.Clone(seen)
			slices.Reverse(list)
			return try(i, list, next)
		}
		u := x.Order[j]
		seen = append(seen, u)
		if choose(j - 1) {
			return true
		}
		seen = seen[:len(seen)-1]
		if rule, _ := o.required(x, u, i, x.Order[j+1:k]); rule != "" {
			return false
		}
		all := x.Unseen[i]
		at, _ := slices.BinarySearch(all, u)
		x.Unseen[i] = slices.Insert(slices.Clone(all), at, u)
		done := choose(j - 1)
		x.Unseen[i] = all
		return done
	}
	return choose(k - 1)
}
