package stress

import (
	"fmt"
	"slices"
	"time"

	"github.com/leadline/leadline/replay"
)

// sampled is how many recorded executions of a run the checker is asked
// about.
const sampled = 24

// judge returns a violation that was seen, if there is one. Before it
// believes one it runs the sequential program more often, as some objects
// answer differently from time to time.
func (h *hunter) judge(p *Program, run *Run, expected *Expected) *Finding {
	f := &Finding{Program: p, Executions: run.Executions}
	for pass := 0; pass < 2; pass++ {
		f.Times, f.Outcome = 0, nil
		most := int64(0)
		for _, c := range run.Outcomes {
			if expected.Contains(c.Outcome) {
				continue
			}
			f.Times += c.Times
			if c.Times > most {
				most, f.Outcome = c.Times, c.Outcome
			}
		}
		if f.Times == 0 {
			break
		}
		if pass == 0 && h.moreExpected(p, expected) {
			h.report.Unsteady = append(h.report.Unsteady, p.String())
		}
	}
	if f.Times > 0 {
		f.Expected = expected.Outcomes()
		return f
	}
	for i := range run.Histories {
		if i >= sampled {
			break
		}
		r := &run.Histories[i]
		recorded, v, err := r.check(h.ctx, h.class, p)
		if err == nil && v.Answer == replay.NotLinearizable && !h.moreExpected(p, expected) {
			f.Times, f.Outcome, f.Executions = r.Times, r.Outcome, run.Recorded
			f.History, f.Recorded, f.RealTime, f.Expected = recorded, true, true, expected.Outcomes()
			return f
		}
	}
	return nil
}

// steady is how often a program is run sequentially, each shuffle, before an
// outcome is believed to be unexpected.
const steady = 50

// moreExpected runs the sequential program again and reports whether it had
// outcomes that were not expected before.
func (h *hunter) moreExpected(p *Program, expected *Expected) bool {
	if h.options.BySpec {
		return false
	}
	before := expected.set.n
	for range steady {
		s := newShuffler(h.class, p, &expected.set)
		s.next()
	}
	return expected.set.n > before
}

// confirm asks the checker, and looks for a recorded execution with the
// outcome.
func (h *hunter) confirm(f *Finding) error {
	if f.RealTime {
		return nil // the checker has said so
	}
	loose, v, err := confirm(h.ctx, h.class, f.Program, f.Outcome)
	switch {
	case err != nil:
		return fmt.Errorf("confirming %v with outcome %v: %w", f.Program, f.Outcome, err)
	case v.Answer != replay.NotLinearizable:
		return fmt.Errorf("internal error: outcome %v of %v is not among those of its shuffles, but the checker says %v", f.Outcome, f.Program, v.Answer)
	}
	f.History = loose
	h.measure(f)
	run := RunProgram(h.ctx, h.class, f.Program, RunOptions{Time: recordFor(f), Recorded: 64, Seed: h.options.Seed + 1})
	for i := range run.Histories {
		r := &run.Histories[i]
		if !r.Outcome.equal(f.Outcome) {
			continue
		}
		if recorded, v, err := r.check(h.ctx, h.class, f.Program); err == nil && v.Answer == replay.NotLinearizable {
			f.History, f.Recorded = recorded, true
			return nil
		}
	}
	return nil
}

// measure runs the program of a finding once more, to its time's end, so that
// it is known how often it goes wrong: the run that found it has stopped at
// once.
func (h *hunter) measure(f *Finding) {
	run := RunProgram(h.ctx, h.class, f.Program, RunOptions{Time: max(h.options.Effort.Program, 100*time.Millisecond), Recorded: -1, Seed: h.options.Seed + 3})
	f.Executions += run.Executions
	for _, c := range run.Outcomes {
		if !slices.ContainsFunc(f.Expected, func(e Count) bool { return e.Outcome.equal(c.Outcome) }) {
			f.Times += c.Times
		}
	}
}

// recordFor is how long a recorded execution is looked for: several times as
// long as the outcome should take to come again, but not more than a second.
func recordFor(f *Finding) time.Duration {
	expected := time.Duration(float64(f.Executions) / float64(f.Times) * 10 * float64(time.Microsecond))
	return min(max(expected, 20*time.Millisecond), time.Second)
}
