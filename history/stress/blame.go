package stress

import (
	"slices"
	"time"
)

// ofCore removes the blamed method from a finding and runs the rest, which calls core
// methods only. It returns the violation of that program, or nil if it sees none.
func (s *searcher) ofCore(f *Finding) *Finding {
	p, ok := f.withoutMethod()
	if !ok {
		return nil
	}
	less := s.retry(f, p)
	if less != nil {
		less.Method = ""
		s.suspect(f.Method, p)
	}
	return less
}

// quickLook bounds isOfCore before a violation is proved, which takes longer.
const quickLook = 200 * time.Millisecond

// isOfCore reports whether f also occurs without the blamed method. It is used when a
// violation of core methods is already known, so that this one needs no proof.
func (s *searcher) isOfCore(f *Finding, limit time.Duration) bool {
	p, ok := f.withoutMethod()
	if !ok {
		return false
	}
	s.starting(f.Method, p)
	expected, err := s.expected(p)
	if err != nil {
		return false
	}
	if s.options.Schedules {
		if s.lookFor(f, p) == nil {
			return false
		}
	} else {
		run := s.runAgain(f, p, limit, expected)
		defer run.release(s.class)
		if s.seen(p, run, expected) == nil {
			return false
		}
	}
	s.suspect(f.Method, p)
	return true
}

// suspect records that a method was in a violation that also occurs in p, which does not
// call it.
func (s *searcher) suspect(method string, p *Program) {
	if !slices.Contains(s.report.Suspect, method) {
		s.report.Suspect = append(s.report.Suspect, method)
	}
	s.broken = append(s.broken, p.parallel())
}

// withoutMethod returns the program without the blamed method. It returns false if no
// method is blamed, or if fewer than two sequences are left.
func (f *Finding) withoutMethod() (*Program, bool) {
	if f.Method == "" {
		return nil, false
	}
	p := f.program.without(f.Method)
	return p, len(p.Sequences) > 1
}

// without returns the program without the invocations of a method in its sequences.
// The order of sequences is lost if one of them is.
func (p *Program) without(method string) *Program {
	q := p.clone()
	for i, sequence := range q.Sequences {
		q.Sequences[i] = slices.DeleteFunc(sequence, func(inv Invocation) bool { return inv.Method.Name == method })
	}
	n := len(q.Sequences)
	q.Sequences = slices.DeleteFunc(q.Sequences, func(sequence []Invocation) bool { return len(sequence) == 0 })
	if len(q.Sequences) < n {
		q.Order = nil
	}
	return q
}

// parallel returns the names of the methods that the sequences call, in order.
func (p *Program) parallel() []string {
	var names []string
	for _, sequence := range p.Sequences {
		for _, inv := range sequence {
			names = append(names, inv.Method.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// separates reports whether the search goes on after a violation with its methods
// Apart.
func (s *searcher) separates() bool {
	o := &s.options
	return o.GoOn && len(s.programs) == 0 && !s.class.hasCore() && (len(o.Methods) == 0 || slices.Equal(o.Methods, []string{""}))
}

// callsAll reports whether sequences of the program call all methods of one of the
// sets.
func callsAll(p *Program, sets [][]string) bool {
	if len(sets) == 0 {
		return false
	}
	names := p.parallel()
	return slices.ContainsFunc(sets, func(set []string) bool {
		return !slices.ContainsFunc(set, func(m string) bool { return !slices.Contains(names, m) })
	})
}

// isApart reports whether a method is in one of the sets.
func isApart(sets [][]string, method string) bool {
	return slices.ContainsFunc(sets, func(set []string) bool { return slices.Contains(set, method) })
}

// A method in this many sets is left out of all sequences.
const (
	readOnlyApart = 2
	mutatorApart  = 3
)

// separate removes the methods that a finding does not need and adds the others to
// Apart. It takes at most a quarter of the remaining time. A method that is in several
// sets then becomes a set of its own, read-only methods first.
func (s *searcher) separate(f *Finding) {
	least := *f
	if !s.options.Reduce {
		s.reduce(&least, min(reduceTime, s.left()/4))
	}
	o := &s.options
	set := least.program.parallel()
	o.Apart = append(slices.Clip(o.Apart), set)
	for _, readOnly := range []bool{true, false} {
		most := mutatorApart
		if readOnly {
			most = readOnlyApart
		}
		found := false
		for _, name := range set {
			n := 0
			for _, other := range o.Apart {
				if slices.Contains(other, name) {
					n++
				}
			}
			if len(set) > 1 && n >= most && s.class.Method(name).ReadOnly == readOnly {
				o.Apart = append(o.Apart, []string{name})
				found = true
			}
		}
		if found {
			break
		}
	}
	if o.apart != nil {
		o.apart(o.Apart)
	}
}
