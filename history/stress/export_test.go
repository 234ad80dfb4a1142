package stress

import (
	"time"

	"github.com/leadline/leadline/history"
)

// SetReduceTime sets reduceTime and returns what it was.
func SetReduceTime(d time.Duration) time.Duration {
	before := reduceTime
	reduceTime = d
	return before
}

// SetSteadyTime sets steadyTime and returns what it was.
func SetSteadyTime(d time.Duration) time.Duration {
	before := steadyTime
	steadyTime = d
	return before
}

// SetRareTime sets rareTime and returns what it was.
func SetRareTime(d time.Duration) time.Duration {
	before := rareTime
	rareTime = d
	return before
}

// SetLongSpin sets longSpin and returns what it was.
func SetLongSpin(n int) int {
	before := longSpin
	longSpin = n
	return before
}

// SetMaxMemory sets maxMemory and returns what it was.
func SetMaxMemory(n int64) int64 {
	before := maxMemory
	maxMemory = n
	return before
}

// SetSequentialLimits sets maxSequential and maxExplaining and returns what they were.
func SetSequentialLimits(all, explaining int) (allBefore, explainingBefore int) {
	allBefore, explainingBefore = maxSequential, maxExplaining
	maxSequential, maxExplaining = all, explaining
	return allBefore, explainingBefore
}

// Unordered is unordered.
func Unordered(c *Class, p *Program, o Outcome) (*history.History, error) { return unordered(c, p, o) }

// Histories returns the recorded executions of a run, with their outcomes.
func (r *Run) Histories(c *Class, p *Program) (histories []*history.History, outcomes []Outcome, err error) {
	for i := range r.histories {
		h, err := r.histories[i].history(c, p)
		if err != nil {
			return nil, nil, err
		}
		histories, outcomes = append(histories, h), append(outcomes, r.histories[i].outcome)
	}
	return histories, outcomes, nil
}

// OnMoved has f called when invocations of objects of the class have returned.
func OnMoved(c *Class, f func()) { c.alive = f }

// SetConstructorPause sets constructorPause and returns what it was.
func SetConstructorPause(d time.Duration) time.Duration {
	before := constructorPause
	constructorPause = d
	return before
}

// SetWaitLimit sets waitLimit and returns what it was.
func SetWaitLimit(d time.Duration) time.Duration {
	before := waitLimit
	waitLimit = d
	return before
}
