package stress

import "slices"

// levelWeight is how much more an execution at a level counts, when the time is divided among
// the levels. A level that most violations need comes first.
var levelWeight = [...]int64{1, 1, 3, 6, 12}

// A later program was run at one level, and waits for the next.
type later struct {
	target  *target
	program *Program
}

// A level has the programs that wait to be run at it, and the weighted number of executions
// that it had.
type level struct {
	programs []later
	spent    int64
}

// search tries one program after another: new programs at the first level, and those
// without a violation later at higher ones. Programs that the options give are run at all
// levels at once.
func (s *searcher) search() error {
	last := s.executor.Levels()
	if len(s.programs) > 0 {
		for n, p := range s.programs {
			if s.given = len(s.programs) - n; !s.goesOn() {
				s.report.Ended = s.over()
				break
			}
			var err error
			if s.options.Outcomes {
				err = s.countOutcomes(p)
			} else {
				_, err = s.try(s.targets[0], p, 0, last)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	levels := make([]level, last+1)
	for at := 0; s.goesOn(); {
		n, before := s.nextLevel(levels), s.report.Executions
		if n < 0 {
			return nil
		}
		from, next := n-1, later{}
		var source *source
		if n > 1 {
			next = s.takeLater(&levels[n])
			if next.target.done || s.isGuilty(next.program) {
				continue
			}
		} else {
			next.target = s.turn(at)
			at++
			if next.program, source = s.draw(next.target); source == nil {
				next.target.ended = true
				continue
			}
		}
		whole, err := s.try(next.target, next.program, from, n)
		if err != nil {
			return err
		}
		if source != nil {
			source.charge(s.report, before)
		}
		levels[n].spent += max(s.report.Executions-before, 1) * levelWeight[min(n, len(levelWeight)-1)]
		if !whole && n < last && !next.target.done && len(levels[n+1].programs) < maxLater {
			levels[n+1].programs = append(levels[n+1].programs, later{next.target, next.program.clone()})
		}
	}
	return nil
}

// takeLater takes the next program of a level, if possible one without a slow method that
// had its share of the time.
func (s *searcher) takeLater(l *level) later {
	first := l.programs[:min(len(l.programs), mostSlow)]
	n := max(0, slices.IndexFunc(first, func(l later) bool { return !s.hadShare(s.slowest(l.program)) }))
	next := l.programs[n]
	l.programs = slices.Delete(l.programs, n, n+1)
	return next
}

// maxLater is how many programs wait for a level at most.
const maxLater = 1 << 16

// nextLevel returns the bound whose turn it is, or -1. Each target has had a few
// programs at a level before the next level begins.
func (s *searcher) nextLevel(levels []level) int {
	const ahead = 16
	next := -1
	targets := 0
	for _, t := range s.targets {
		if !t.done && !t.ended {
			next = 1
		}
		if !t.done {
			targets++
		}
	}
	if targets == 0 {
		return -1
	}
	for b := 2; b < len(levels); b++ {
		l := &levels[b]
		if len(l.programs) == 0 || next == b-1 && len(l.programs) < ahead*targets && l.spent == 0 {
			continue
		}
		if next < 0 || l.spent < levels[next].spent {
			next = b
		}
	}
	return next
}
