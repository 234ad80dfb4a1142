package simulate

// A steering keeps a collection about as full as it is to be: it has a goal
// for the number of elements, and once that is reached, draws another before
// long.
type steering struct {
	goal    int
	rising  bool // towards the goal
	filling bool // nothing is removed before there are Fill elements
	// noRemovals and emptying are for faults.
	noRemovals, emptying bool
}

// drawKind draws the kind of the next operation.
func (r *runner) drawKind() kind {
	weights := [kinds]int{r.Mix.Insert, r.Mix.Remove, r.Mix.Look, r.Mix.Update}
	if r.steers() {
		r.steer(&weights)
	}
	total := 0
	for _, w := range weights {
		total += w
	}
	pick := r.random.below(total)
	for k := kind(0); ; k++ {
		if pick -= weights[k]; pick < 0 {
			return k
		}
	}
}

// steers reports whether there is a collection to keep full. A set of few
// values keeps itself so.
func (r *runner) steers() bool {
	return r.model.shape == ends || r.model.shape == named && r.Values == 0
}

func (r *runner) steer(weights *[kinds]int) {
	if r.filling = r.filling && r.size < r.Fill; r.filling {
		*weights = [kinds]int{insert: 1}
		return
	}
	up := !r.emptying && r.climb()
	switch {
	case r.noRemovals:
		weights[insert], weights[remove] = max(1, weights[insert]), 0
		return
	case up:
		weights[insert] *= 3
	default:
		weights[remove] *= 3
	}
	if weights[look] *= 2; weights[update] > 0 {
		weights[update] *= 2
	}
}

// climb reports whether the collection is to grow now. A goal that has been
// reached is held on to for a while: at the goal 0 that is when removals find
// nothing.
func (r *runner) climb() bool {
	reached := r.size == r.goal || (r.size > r.goal) == r.rising
	if reached && r.random.below(8) == 0 {
		r.goal = r.newGoal()
		r.rising = r.goal > r.size
	}
	return r.rising
}

func (r *runner) newGoal() int {
	switch {
	case r.Fill > shallow:
		return r.Fill - r.Fill/8 + r.random.below(r.Fill/4+1)
	case r.random.below(4) == 0:
		return 0
	}
	return r.Fill/2 + r.random.below(r.Fill+1)
}
