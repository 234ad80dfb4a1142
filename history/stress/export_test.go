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

// SetMaxMemory sets maxMemory and returns what it was.
func SetMaxMemory(n int64) int64 {
	before := maxMemory
	maxMemory = n
	return before
}

// Histories returns the recorded executions of a run, with their outcomes.
func (r *Run) Histories(e *Expected) (histories []*history.History, outcomes []Outcome, err error) {
	for i := range r.histories {
		h, err := r.histories[i].History(e)
		if err != nil {
			return nil, nil, err
		}
		histories, outcomes = append(histories, h), append(outcomes, r.histories[i].Outcome)
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

// Disturbed reports whether calls of other objects change the results of the orders of a program.
func Disturbed(c *Class, p *Program) (bool, error) {
	runs, err := threadRuns{c, p}.All()
	return err == nil && (&threads{class: c}).isDisturbed(p, runs), err
}

// Without is Program.without.
func Without(p *Program, i int) *Program { return p.without(i) }

// SetConfirmWait sets confirmWait, and failingWait to half of it.
func SetConfirmWait(d time.Duration) { confirmWait, failingWait = d, d/2 }

// FailingPrograms is failingPrograms.
var FailingPrograms = failingPrograms
