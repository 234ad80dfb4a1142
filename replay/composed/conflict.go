package composed

import "slices"

// serializable reports whether a run is conflict serializable, where the method is one
// transaction and each operation of the environment is another one. Two operations conflict
// if they use the same key and one of them writes; operations without a key use all of the
// collection. A run is not serializable if an operation of the environment has to come after
// an operation of the method and before a later one, because of conflicts.
func (r *run) serializable() bool {
	after := make([]bool, len(r.events)) // the event has to come after an earlier one of the method
	for i, e := range r.events {
		for j, earlier := range r.events[:i] {
			if r.x.c.conflict(earlier, e) && (after[j] || !earlier.environment) {
				if !e.environment && earlier.environment {
					return false
				}
				after[i] = e.environment
			}
		}
	}
	return true
}

func (c *collection) conflict(a, b event) bool {
	if !c.operation(a.Method).writes(a.result) && !c.operation(b.Method).writes(b.result) {
		return false
	}
	keys, others := c.args(a.Invocation, "k"), c.args(b.Invocation, "k")
	return len(keys) == 0 || len(others) == 0 ||
		slices.ContainsFunc(keys, func(k value) bool { return slices.ContainsFunc(others, k.Equal) })
}
