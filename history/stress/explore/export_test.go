package explore

// SetSequentialLimits sets maxSequential and maxExplaining and returns what they were.
func SetSequentialLimits(all, explaining int) (allBefore, explainingBefore int) {
	allBefore, explainingBefore = maxSequential, maxExplaining
	maxSequential, maxExplaining = all, explaining
	return allBefore, explainingBefore
}
