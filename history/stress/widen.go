package stress

import (
	"hash/maphash"
	"iter"
)

// A search draws programs within the bounds first. Faults that need one more sequence or one more
// value, or two, are looked for by itself: sources with wider bounds get a share of the
// executions as soon as the programs repeat or are many.

// A source draws programs within some bounds.
type source struct {
	next  func() (*Program, bool)
	stop  func()
	spent int64 // executions; on threads, where these are a matter of chance, programs
}

func newSource(programs iter.Seq[*Program]) *source {
	next, stop := iter.Pull(programs)
	return &source{next: next, stop: stop}
}

// widening is how many more sequences, and how many more values, wider bounds have at most. Each
// such source gets one of widerShare executions.
const (
	widening   = 2
	widerShare = 16
)

// widensAfter is how many programs of a target are tried before wider ones, unless they repeat.
const widensAfter = 1024

// mostRepeats bounds the draws in a row for a program that was not drawn before.
const mostRepeats = 16

// wider returns the options of the sources with wider bounds than those of g: with more sequences,
// and then with more values. A bound that the options give stays.
func (s *searcher) wider(g GeneratorOptions) (list []GeneratorOptions) {
	given, usual := s.options.Bounds, s.options.Bounds.fill()
	if g.Exhaustive {
		return nil
	}
	for n := 1; n <= widening && given.Sequences == 0; n++ {
		more := g
		more.Bounds.Sequences = usual.Sequences + n
		list = append(list, more)
	}
	for n := 1; n <= widening && given.Values == 0; n++ {
		more := g
		more.Bounds.Values = usual.Values + n
		list = append(list, more)
	}
	return list
}

// from returns the source of the next program of a target. Methods that wait need more sequences to
// wake them: with two, at most one can wait if the other is to wake it.
func (s *searcher) from(t *target) *source {
	usual, wider := t.sources[0], t.sources[1:]
	if s.waits {
		usual, wider = t.sources[t.tried%t.sequences], t.sources[t.sequences:]
	}
	if t.widens = t.widens || t.tried >= widensAfter; !t.widens {
		return usual
	}
	all := int64(0)
	for _, from := range t.sources {
		all += from.spent
	}
	for _, from := range wider {
		if from.spent*widerShare <= all {
			return from
		}
	}
	return usual
}

// repeats reports whether the program was drawn before. The bounds of its target are then wide
// enough soon.
func (s *searcher) repeats(t *target, p *Program) bool {
	key := maphash.String(s.hash, p.String())
	if !s.drawn[key] {
		s.drawn[key] = true
		return false
	}
	t.widens = true
	return s.report.Explored != nil // on threads, chance may show more
}

// charge notes what a program of the source cost.
func (from *source) charge(r *Report, before int64) {
	if from.spent++; r.Explored != nil {
		from.spent += r.Executions - before
	}
}
