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

// expected returns what the program may answer.
func (h *hunter) expected(p *Program) (*Expected, error) {
	if h.options.BySpec {
		return NewExpectedOf(h.class.Spec, h.class, p)
	}
	return NewExpected(h.class, p)
}

// judge returns a violation that was seen, if there is one. It believes none of
// a program that answers differently from time to time, one invocation after
// another.
func (h *hunter) judge(p *Program, run *Run, expected *Expected) *Finding {
	f := unexpected(p, run, expected)
	if f == nil {
		f = h.againstRealTime(p, run, expected)
	}
	if f != nil && !h.believes(p, f.Executions/f.Times) {
		return nil
	}
	return f
}

// believes reports whether what a program did once in n executions is to be
// compared with its shuffles: unless they answer differently from time to time.
func (h *hunter) believes(p *Program, n int64) bool {
	if h.options.BySpec || p.steady || isSteady(h.class, p, n) {
		p.steady = true
		return true
	}
	p.unsteady = true
	h.report.Unsteady = append(h.report.Unsteady, p.String())
	return false
}

// unexpected returns the outcome of a run that was seen most often of those
// that were not expected.
func unexpected(p *Program, run *Run, expected *Expected) *Finding {
	f := &Finding{Program: p, Executions: run.Executions}
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
		return nil
	}
	f.Expected = expected.Outcomes()
	return f
}

// againstRealTime returns a recorded execution that is not linearizable,
// though its outcome is expected.
func (h *hunter) againstRealTime(p *Program, run *Run, expected *Expected) *Finding {
	for i := range min(len(run.Histories), sampled) {
		r := &run.Histories[i]
		recorded, v, err := r.check(h.ctx, h.class, p)
		if err == nil && v.Answer == replay.NotLinearizable {
			return &Finding{Program: p, Times: r.Times, Executions: run.Recorded, Outcome: r.Outcome, Expected: expected.Outcomes(),
				History: recorded, Recorded: true, RealTime: true}
		}
	}
	return nil
}

// An outcome that came once in n executions is believed not to come one after
// another after so many times n runs, and so many at least, if that takes no
// longer than steadyTime.
const (
	steadyRuns  = 10
	steadyLeast = 20000
	steadyTime  = time.Second
)

// isSteady reports whether each shuffle of the program answers the same every
// time it is run, so often that chance that shows once in n executions would
// have shown itself.
func isSteady(c *Class, p *Program, n int64) bool {
	var first []Outcome
	same, runs := true, int64(0)
	s := newShuffler(c, p, &tally{})
	start := time.Now()
	enough := max(steadyRuns*n, steadyLeast)
	for pass := 0; same && (pass < 2 || runs < enough && time.Since(start) < steadyTime); pass++ {
		i := 0
		s.ran = func(_ []int, o Outcome) {
			if pass == 0 {
				first = append(first, o)
			}
			same = same && o.equal(first[i])
			i++
			runs++
		}
		s.next()
	}
	return same
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
	run := h.run(f.Program, RunOptions{Time: recordFor(f), Recorded: 64, Seed: h.options.Seed + 1})
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
	run := h.run(f.Program, RunOptions{Time: max(h.options.Effort.Program, 100*time.Millisecond), Recorded: -1, Seed: h.options.Seed + 3})
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
