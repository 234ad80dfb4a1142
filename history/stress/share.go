package stress

import (
	"cmp"
	"slices"
	"time"
)

// The methods of a class share the time of a search. The quickest program that calls a
// method shows whether the method is slow. A slow method gets no programs while those that
// call it have had more than its share, if others can have some.

// A program of a slow method takes at least slowRatio times as long as one of the quickest
// method, and leastSlow.
const (
	slowRatio = 4
	leastSlow = time.Millisecond
)

// mostSlow bounds the draws for a random program without a slow method that had its share.
const mostSlow = 256

// A share is the time of the programs that call a method, and of the quickest of them.
type share struct{ least, spent time.Duration }

// charge counts the time that a program took.
func (s *searcher) charge(p *Program, took time.Duration) {
	s.spent += took
	called := map[*Method]bool{}
	for _, inv := range p.All() {
		of, known := s.shares[inv.Method]
		if !known || took < of.least {
			of.least = took
		}
		if !called[inv.Method] {
			of.spent += took
		}
		called[inv.Method], s.shares[inv.Method] = true, of
	}
}

// slowest returns the slowest method of a program, as far as is known.
func (s *searcher) slowest(p *Program) *Method {
	all := p.All()
	return slices.MaxFunc(all, func(a, b Invocation) int { return cmp.Compare(s.shares[a.Method].least, s.shares[b.Method].least) }).Method
}

// isSlow reports whether programs with a method take long.
func (s *searcher) isSlow(m *Method) bool {
	of := s.shares[m]
	for _, other := range s.shares {
		if of.least >= max(slowRatio*other.least, leastSlow) {
			return true
		}
	}
	return false
}

// hadShare reports whether a method is slow and has had its share of the time.
func (s *searcher) hadShare(m *Method) bool {
	return m != nil && s.isSlow(m) && s.shares[m].spent*time.Duration(len(s.class.Methods)) > s.spent
}

// limit is the time that one program may take of what is left on an idle machine.
func (s *searcher) limit() time.Duration {
	left := s.left() / time.Duration(len(s.class.Methods))
	if s.options.Effort.Executions > 0 || s.options.Effort.Schedules > 0 {
		left /= slack
	}
	return max(left, leastRun)
}

// turn returns the target whose turn it is, starting with the given one: those of slow
// methods that had their share come last. It returns nil if all have ended.
func (s *searcher) turn(at int) *target {
	var last *target
	for n := range s.targets {
		t := s.targets[(at+n)%len(s.targets)]
		switch {
		case t.done || t.ended:
		case s.hadShare(s.class.Method(t.method)):
			if last == nil {
				last = t
			}
		default:
			return t
		}
	}
	return last
}
