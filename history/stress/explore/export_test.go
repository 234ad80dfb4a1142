package explore

// SetLongSpin sets longSpin and returns what it was.
func SetLongSpin(n int) int {
	before := longSpin
	longSpin = n
	return before
}

// SetSequentialLimits sets maxSequential and maxExplaining and returns what they were.
func SetSequentialLimits(all, explaining int) (allBefore, explainingBefore int) {
	allBefore, explainingBefore = maxSequential, maxExplaining
	maxSequential, maxExplaining = all, explaining
	return allBefore, explainingBefore
}
