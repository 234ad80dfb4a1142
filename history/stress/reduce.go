package stress

import (
	"slices"

	"github.com/leadline/leadline/hitting/visibility"
)

// found proves, reduces and reports a violation that was seen.
func (s *searcher) found(t *target, f *Finding) error {
	proved, err := s.executor.Prove(s.ctx, f, s.left())
	if err != nil || !proved {
		return err
	}
	if s.options.unreduced != nil {
		whole := *f
		whole.write()
		s.options.unreduced(&whole)
	}
	s.reduce(f)
	real, err := s.executor.Simplify(s.ctx, f, s.left())
	if s.options.unreduced != nil && !real && s.ctx.Err() == nil { // else nothing is known for certain
		s.options.unreduced(nil)
	}
	if err != nil || !real {
		return err
	}
	s.report.Findings = append(s.report.Findings, f)
	f.write()
	if s.class.failing {
		f.GoTest = goTestOfFailure(s.class, f.Seen.Expected.Program)
		if s.options.Found != nil {
			s.options.Found(f)
		}
		return nil
	}
	f.GoTest = f.goTest(s.executor)
	if s.options.unreduced != nil { // other programs may end the process
		s.options.unreduced(f)
	}
	if f.Fault == "" && s.left() > 0 {
		f.Weak = s.offers(f)
	}
	if f.Fault == "" && f.Weak == nil && s.left() <= 0 {
		f.cut("compared with levels")
	}
	f.Variations = s.vary(f)
	if s.options.Found != nil {
		s.options.Found(f)
	}
	if f.Fault != "" { // the methods may be atomic
		return nil
	}
	s.guilty = append(s.guilty, f.Methods)
	// The target ends if the method is to blame, or if one violation is enough.
	t.done = len(s.programs) == 0 && (!s.options.GoOn || f.Method != "" && f.Method == t.method)
	return nil
}

// reduceTime bounds the reduction of a program, which also has the executions and steps of QuickEffort.
var reduceTime = QuickEffort.Time

// reduce replaces the program of a finding by a smaller one, again and again, as
// long as the smaller one still shows the violation. Half of the time that is left is for the
// rest of the proof.
func (s *searcher) reduce(f *Finding) {
	begin := s.used()
	over := func() bool {
		used := s.used()
		return s.ctx.Err() != nil || s.left() <= 0 || QuickEffort.Over(Effort{used.Executions - begin.Executions, used.Schedules - begin.Schedules, used.Steps - begin.Steps, 0, 0}) != ""
	}
	s.bounded(min(reduceTime, s.left()/2), func() {
		for again := true; again; {
			again = false
			for _, p := range f.smaller() {
				if over() {
					f.cut("reduced further")
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

// smaller returns the programs that may show the violation, too. A fault inside one call may
// not need any other.
func (f *Finding) smaller() []*Program {
	p := f.Seen.Expected.Program
	if f.Fault == "" {
		return smaller(p)
	}
	if p.IsSolo() {
		return nil
	}
	var list []*Program
	for _, inv := range p.All() {
		if inv.Method.Name == f.Method {
			list = append(list, Solo(inv))
		}
	}
	return append(list, smaller(p)...)
}

// Solo returns the program with one invocation.
func Solo(inv Invocation) *Program { return &Program{Sequences: [][]Invocation{{inv}}} }

// IsSolo reports whether the program is one invocation of a new object.
func (p *Program) IsSolo() bool {
	return p.Len() == 1 && len(p.Sequences) == 1 && len(p.Sequences[0]) == 1
}

// retry runs a smaller program. It returns nil if no violation was seen.
func (s *searcher) retry(f *Finding, p *Program) *Finding {
	if s.report.Explored == nil && s.class.unlocks(p) { // it may end the process
		return nil
	}
	s.starting(f.Method, p)
	e, err := s.executor.Expected(p)
	if err != nil {
		return nil
	}
	s.options.parallel()
	found := s.executor.Again(s.ctx, f, e, s.left())
	if found == nil {
		return nil
	}
	found.Cut, found.Method, found.Explored, found.Generated, found.Elapsed = f.Cut, f.Method, f.Explored, f.Generated, f.Elapsed
	if found.Method != "" && !slices.ContainsFunc(p.All(), func(inv Invocation) bool { return inv.Method.Name == found.Method }) {
		found.Method = "" // the violation does not need that method
	}
	return found
}

// write sets the fields of a finding from what was seen.
func (f *Finding) write() {
	v := &f.Seen
	p := v.Expected.Program
	f.Subject = v.Expected.Class.Name
	f.Program, f.Methods, f.Outcome, f.Rank = p.String(), p.Parallel(), v.Outcome.String(), rank(p)
	if v.Expected.Class.failing {
		f.Failure = v.Expected.failure(v.Outcome)
		return
	}
	v.History.ID = f.Subject
	if f.Method != "" {
		v.History.ID += "." + f.Method
	}
	f.History = encode(v.History)
	if m := v.Expected.Class.Method(f.Method); m != nil && m.Level != visibility.Complete {
		f.Level = m.Level.String()
	}
	f.Expected = nil
	for _, e := range v.Expected.Outcomes() {
		f.Expected = append(f.Expected, ExpectedOutcome{e.Outcome.String(), e.Times})
	}
}
