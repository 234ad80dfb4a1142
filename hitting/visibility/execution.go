package visibility

import (
	"fmt"
	"slices"

	"github.com/leadline/leadline/poset"
)

// Operations are the operations 0..n-1 of a history.
type Operations struct {
	Before *poset.Poset // happened before
	Level  []Level
	// Part is the part of the object that an operation may change, or -1 if it only reads.
	// Only the level Bundle needs it; otherwise it may be nil.
	Part []int32
}

// An Execution is a linearization, with what each operation sees.
type Execution struct {
	Order []int32 // operations that are not in it never took effect
	// Unseen has, for each operation, the earlier operations of Order that it does not see,
	// ascending.
	Unseen [][]int32
}

// Sees returns the operations that op sees, in order.
func (x *Execution) Sees(op int32) []int32 {
	end := max(0, slices.Index(x.Order, op))
	return slices.DeleteFunc(slices.Clone(x.Order[:end]), func(w int32) bool { return isIn(x.Unseen[op], w) })
}

// Check returns an error unless the order respects what happened before, and each operation
// sees what its level requires. It states the definitions and shares no code with Search.
// O(n * n + unseen * n) for n operations.
func (o *Operations) Check(x *Execution) error {
	n := o.Before.Len()
	if len(x.Unseen) != n || len(o.Level) != n {
		return fmt.Errorf("%d operations, but %d sets and %d levels", n, len(x.Unseen), len(o.Level))
	}
	place := slices.Repeat([]int{-1}, n)
	for k, i := range x.Order {
		if i < 0 || int(i) >= n || place[i] >= 0 {
			return fmt.Errorf("place %d repeats an operation or has none", k)
		}
		place[i] = k
	}
	for k, i := range x.Order {
		for j := range int32(n) {
			if o.Before.Less(j, i) && (place[j] < 0 || place[j] > k) {
				return fmt.Errorf("operation %d happened before %d, but does not precede it", j, i)
			}
		}
		for _, u := range x.Unseen[i] {
			if place[u] < 0 || place[u] >= k {
				return fmt.Errorf("operation %d does not precede %d", u, i)
			}
			if rule, w := o.required(x, u, i, x.Order[place[u]+1:k]); rule != "" {
				return fmt.Errorf(rule, i, u, w)
			}
		}
	}
	return nil
}

// required returns the rule by which operation i has to see u, "" if there is none. It is a format
// for i, u and the operation w between them. between has all those.
func (o *Operations) required(x *Execution, u, i int32, between []int32) (rule string, w int32) {
	level := o.Level[i]
	switch {
	case level == Complete:
		return "operation %[1]d does not see %[2]d, an earlier one", w
	case level != Weak && o.Before.Less(u, i):
		return "operation %[1]d does not see %[2]d, which happened before it", w
	}
	for _, w := range between {
		seen, earlier := !isIn(x.Unseen[i], w), o.Before.Less(w, i) // i sees w; w happened before i
		sawU := !isIn(x.Unseen[w], u)
		switch {
		case level.IsAtLeast(Monotonic) && earlier && sawU:
			return "operation %[1]d does not see %[2]d, which was seen by %[3]d, which happened before it", w
		case level.IsAtLeast(Peer) && seen && o.Before.Less(u, w):
			return "operation %[1]d sees %[3]d, but not %[2]d, which happened before that", w
		case level.IsAtLeast(Causal) && seen && sawU:
			return "operation %[1]d sees %[3]d, but not %[2]d, which that saw", w
		case level == Bundle && earlier:
			return "operation %[1]d does not see %[2]d, which precedes %[3]d, which happened before it", w
		case level == Bundle && seen && o.Part[u] >= 0 && o.Part[u] == o.Part[w]:
			return "operation %[1]d sees %[3]d, but not %[2]d, an earlier change of the same part", w
		}
	}
	return "", -1
}

func isIn(sorted []int32, i int32) bool {
	_, found := slices.BinarySearch(sorted, i)
	return found
}
