package stress

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/leadline/leadline/history/explore/worker"
)

// A FatalError is the error for a program that ends the process though its calls are made one after
// another. Either a goroutine of the object panics, with this Stack, or a call ends in a fatal error of
// package sync: then the caller is to blame, who unlocks what is not locked.
type FatalError struct{ What, Stack string }

func (e *FatalError) Error() string { return "calls one after another end in a " + e.What }

// refused notes that a program cannot be run.
func (s *searcher) refused(p *Program, err error, took time.Duration) (whole bool, _ error) {
	s.charge(p, took)
	var waits *WaitsError
	var fatal *FatalError
	switch {
	case errors.As(err, &waits):
		if s.leave(waits.Method); s.class.Method(waits.Method) != nil {
			s.report.Account.Method(waits.Method).Programs++
		}
		return true, nil
	case errors.As(err, &fatal) && fatal.Stack != "" && !s.class.failing:
		s.panicked(p, fatal)
		return true, nil
	}
	// Too many shuffles, say: the next program may have fewer.
	s.skipped, s.why = s.skipped+1, err
	s.report.Account.omit(p.String(), len(s.programs) > 0, err.Error())
	return true, nil
}

// panicked reports a panic of a goroutine of the object, with the smallest program that shows it.
// No later program calls all of its methods in parallel.
func (s *searcher) panicked(p *Program, fatal *FatalError) {
	for _, inv := range p.All() {
		if _, err := s.executor.Expected(Solo(inv)); errors.As(err, &fatal) {
			p = Solo(inv)
			break
		}
	}
	s.guilty = append(s.guilty, p.Parallel())
	s.report.Crash(&Crash{Method: s.blamed(p), Program: p.String(), What: fatal.What, Sequential: true, Stack: fatal.Stack}, s.options.Crashed)
}

// Crash adds a crash, and reports it, unless the same panic is known: later programs may run into
// it, too.
func (r *Report) Crash(c *Crash, report func(*Crash)) {
	if slices.ContainsFunc(r.Crashes, func(other Crash) bool { return other.What == c.What }) {
		return
	}
	r.Crashes = append(r.Crashes, *c)
	if report != nil {
		report(c)
	}
}

// isMisuse reports whether a fatal error of package sync in a sequential run ended the process.
func isMisuse(death *worker.Death) bool {
	return death.Cause == worker.Crashed && strings.HasPrefix(death.Text, "fatal error: sync: ") &&
		(strings.Contains(death.Stacks[0], "stress.(*turn).call(") || strings.Contains(death.Stacks[0], "explore.(*oracle).drive("))
}
