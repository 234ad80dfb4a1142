package stress

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/leadline/leadline/history"
)

// expected returns the outcomes that the program can have.
func (s *searcher) expected(p *Program) (*Expected, error) {
	if s.options.Schedules {
		return s.sequential(p)
	}
	return NewExpected(s.class, p)
}

// sampled is how many recorded executions of a run are checked, and sampledGiven
// how many of a given program.
const (
	sampled      = 24
	sampledGiven = 1000
)

// check builds the history of a recorded execution and reports whether it is not
// linearizable.
func (s *searcher) check(p *Program, r *recorded) (*history.History, bool, error) {
	h, err := r.history(s.class, p)
	if err != nil {
		return nil, false, fmt.Errorf("recorded execution of %v: %w", p, err)
	}
	violates, err := s.options.Checker.Violates(s.ctx, h)
	return h, violates, err
}

// seen returns a violation that was seen, if there is one.
func (s *searcher) seen(p *Program, run *Run, expected *Expected) *Finding {
	if f := unexpected(p, run, expected); f != nil {
		return f
	}
	return s.againstRealTime(p, run, expected)
}

// proves measures how often a violation occurs, and reports whether it is real. It is not
// if sequential runs of the program return different results.
func (s *searcher) proves(f *Finding) bool {
	n := f.Executions / f.Times
	if !f.RealTime {
		n = s.measure(f)
	}
	return s.believes(f.program, n)
}

// unexpected returns the unexpected outcome of a run that was seen most often.
func unexpected(p *Program, run *Run, expected *Expected) *Finding {
	f := &Finding{program: p, Executions: run.Executions, Spent: run.Elapsed}
	most := int64(0)
	for _, c := range run.Outcomes {
		if expected.Contains(c.Outcome) {
			continue
		}
		f.Times += c.Times
		if c.Times > most {
			most, f.outcome = c.Times, c.Outcome
		}
	}
	if f.Times == 0 {
		return nil
	}
	f.expected = expected.Outcomes()
	return f
}

// againstRealTime returns a recorded execution that is not linearizable,
// though its outcome is expected.
func (s *searcher) againstRealTime(p *Program, run *Run, expected *Expected) *Finding {
	most := sampled
	if len(s.programs) > 0 {
		most = sampledGiven
	}
	for i := range min(len(run.histories), most) {
		r := &run.histories[i]
		if h, violates, err := s.check(p, r); err == nil && violates {
			return &Finding{program: p, Times: r.times, Executions: run.Recorded, Spent: run.Elapsed, outcome: r.outcome, expected: expected.Outcomes(),
				history: h, Recorded: true, RealTime: true}
		}
	}
	return nil
}

// confirm checks the outcome of a finding and tries to record an execution with that
// outcome.
func (s *searcher) confirm(f *Finding) error {
	if f.RealTime || f.found != nil {
		return nil // its history was checked
	}
	loose, err := unordered(s.class, f.program, f.outcome)
	violates := false
	if err == nil {
		violates, err = s.options.Checker.Violates(s.ctx, loose)
	}
	switch {
	case err != nil:
		return fmt.Errorf("confirming %v with outcome %v: %w", f.program, f.outcome, err)
	case !violates:
		return fmt.Errorf("internal error: outcome %v of %v is not among those of its shuffles, but the checker does not find it wrong", f.outcome, f.program)
	}
	f.history = loose
	run := s.run(f.program, RunOptions{Time: recordFor(f), Recorded: 64, Seed: s.options.Seed + 1})
	for i := range run.histories {
		r := &run.histories[i]
		if !r.outcome.equal(f.outcome) {
			continue
		}
		if h, violates, err := s.check(f.program, r); err == nil && violates {
			f.history, f.Recorded = h, true
			return nil
		}
	}
	return nil
}

// A violation is measured for the time of a program, or less if it occurs timesMeasured
// times. If it does not occur timesLeast times by then, it is measured for rareTime.
const timesLeast = 3

var timesMeasured = func() int64 {
	if alone {
		return 100 // it occurs a hundred times less often
	}
	return 1000
}()

var rareTime = time.Second

// rareRuns is how many times all executions of the search are compared with sequential
// runs if a violation hardly occurs again.
const rareRuns = 2

// measure runs the program of a finding again, to count how often it goes wrong. The run
// that found it stopped at once. This one ends early if the violation is frequent. It returns in how many executions the violation occurs
// about once, or more if that is not certain. The execution that was found does not count
// for it: among all executions of a search, there is one with a result of chance, however
// rare that is.
func (s *searcher) measure(f *Finding) int64 {
	usual, spent := max(s.options.Effort.Program, 100*time.Millisecond), time.Duration(0)
	executions, times := int64(0), int64(0)
	piece := 8 * time.Millisecond
	for ended := false; !ended && times < timesMeasured; {
		limit := usual
		if times < timesLeast {
			limit = max(usual, rareTime)
		}
		piece = min(2*piece, limit-spent)
		run := s.run(f.program, RunOptions{Time: piece, Recorded: -1, Seed: s.options.Seed + 3})
		executions += run.Executions
		for _, c := range run.Outcomes {
			if !slices.ContainsFunc(f.expected, func(e Count) bool { return e.Outcome.equal(c.Outcome) }) {
				times += c.Times
			}
		}
		spent += run.Elapsed
		ended = spent >= usual && (times >= timesLeast || spent >= rareTime) || run.Waits != nil || run.Elapsed < piece
	}
	f.Executions, f.Times, f.Spent = f.Executions+executions, f.Times+times, f.Spent+spent
	if times < 2 {
		return rareRuns * s.report.Executions
	}
	return executions / (times - 1)
}

// recordFor returns how long to try to record an execution with the outcome: several
// times as long as it should take to occur again, but at most a second.
func recordFor(f *Finding) time.Duration {
	expected := time.Duration(float64(f.Executions) / float64(f.Times) * float64(usualTime))
	return min(max(expected, 20*time.Millisecond), time.Second)
}

// usualTime is what an execution usually takes.
const usualTime = 10 * time.Microsecond

// runAgain runs a smaller program than that of a finding until a violation is seen, or
// for several times as long as that should take.
func (s *searcher) runAgain(f *Finding, p *Program, limit time.Duration, expected *Expected) *Run {
	most := min(3*recordFor(f), limit)
	return s.run(p, RunOptions{Time: most, least: min(int64(most/usualTime), 10*f.Executions/f.Times), Seed: s.options.Seed + 2, Stop: expected})
}

// reduceTime bounds the reduction of a program.
var reduceTime = 10 * time.Second

// reduce replaces the program of a finding by a smaller one, again and again, as
// long as the smaller one still has an unexpected outcome. It runs each several
// times as long as that should take.
func (s *searcher) reduce(f *Finding) {
	s.bounded(min(reduceTime, s.left()), func() {
		for again := true; again; {
			again = false
			for _, p := range smaller(f.program) {
				if s.ctx.Err() != nil || s.left() <= 0 {
					return
				}
				if less := s.retry(f, p); less != nil {
					*f = *less
					again = true
					break
				}
			}
		}
	})
}

// retry runs a smaller program. It returns nil if no violation was seen.
func (s *searcher) retry(f *Finding, p *Program) *Finding {
	s.starting(f.Method, p)
	expected, err := s.expected(p)
	if err != nil {
		return nil
	}
	var found *Finding
	if s.options.Schedules {
		found = s.lookFor(f, p)
	} else {
		run := s.runAgain(f, p, math.MaxInt64, expected)
		if found = s.seen(p, run, expected); found != nil && !s.proves(found) {
			return nil
		}
	}
	if found == nil {
		return nil
	}
	found.Method, found.Explored, found.Generated, found.Elapsed = f.Method, f.Explored, f.Generated, f.Elapsed
	if found.Method != "" && !calls(p, found.Method) {
		found.Method = "" // the violation does not need that method
	}
	if s.confirm(found) != nil {
		return nil
	}
	return found
}

func calls(p *Program, method string) bool {
	return slices.ContainsFunc(p.All(), func(inv Invocation) bool { return inv.Method.Name == method })
}
