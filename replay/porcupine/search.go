package leadline

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime/debug"
	"runtime/metrics"
	"slices"

	"github.com/leadline/leadline/replay"
)

// The work of a check is counted in steps of a plain search.
const (
	// firstShare is the work of the plain searches before the engines begin. firstEach adds
	// to it for each operation, because the engines need names. Both take part of a second.
	firstShare = 1 << 17
	firstEach  = 1 << 6
	// engineShare is the part of the work of plain searches that engines may do.
	engineShare = 4
	// stepWork is the work for a step of an engine, which also numbers the new state and
	// makes keys of it.
	stepWork = 4
	// visitedPerStep is the number of bytes of content that count as one step.
	visitedPerStep = 1 << 7
	// stopCheckWork is the work that counts for each check of an engine whether to stop.
	stopCheckWork = 1 << 5
	// explainShare is the least work of engines for depth and explanation after a plain
	// search has decided. If that search did more work, they may do as much.
	explainShare = 1 << 21
	// plainBytes is the memory of the process at which plain searches give up, if the
	// runtime has no lower limit.
	plainBytes = 8 << 30
	// lastShare bounds the shares of the plain searches, which double. The memory of the
	// process is checked after each share.
	lastShare = 1 << 20
)

// A search decides the operations of a converter: by a plain search of each part and, in
// turns with these, by decide.Check.
type search struct {
	*converter
	verbose bool // with history, depth and explanation

	ctx     context.Context
	parts   []*plain
	solved  []*plain // searches that have found a witness
	worked  int64    // steps of all plain searches
	full    bool     // the plain searches take too much memory
	engines *turns
	given   int64 // work that engines were allowed to do
}

// run sets the verdict of the engines or of the plain searches, whichever decide first.
func (s *search) run(i *Info) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("the model panicked: %v\n%s", value, debug.Stack())
		}
		if s.engines != nil {
			s.engines.stop()
		}
		s.spec.ctx, s.spec.turns = context.Background(), nil
	}()
	s.spec.ctx = s.ctx
	for _, ops := range s.byPart() {
		s.parts = append(s.parts, newPlain(s.spec, ops))
	}
	if s.verbose {
		if err := s.start(i); err != nil {
			return err
		}
	}
	for next := int64(firstShare + firstEach*len(s.ops)); ; next = s.worked + min(s.worked, lastShare) {
		for s.worked < next && !s.full && s.ctx.Err() == nil {
			if answer := s.runPlain(next - s.worked); answer != replay.Undecided {
				s.conclude(i, answer)
				return nil
			}
		}
		if err := s.start(i); err != nil {
			return err
		}
		if s.full {
			s.engines.run(math.MaxInt64)
		} else {
			s.engines.run(s.worked/engineShare - s.given)
			s.given = s.worked / engineShare
		}
		switch t := s.engines; {
		case t.done && t.err == nil && t.verdict.Decided():
			i.Verdict = t.verdict
			return nil
		case s.ctx.Err() == context.DeadlineExceeded:
			i.Verdict.Finding = replay.GaveUp(replay.Time)
			return nil
		case s.ctx.Err() != nil:
			i.Verdict.Finding = replay.GaveUp(replay.Cancelled)
			return nil
		case t.done && s.full:
			i.Verdict = t.verdict
			return t.err
		}
	}
}

// start makes the history and prepares the engines.
func (s *search) start(i *Info) error {
	if s.engines != nil {
		return nil
	}
	h, _, err := s.build()
	if err == nil {
		i.History, i.Spec = h, s.spec
		s.engines = newTurns(s.ctx, h, s.spec, s.verbose)
		s.spec.turns = s.engines
	}
	return err
}

// byPart returns the operations of each part.
func (s *search) byPart() [][]*recorded {
	var parts [][]*recorded
	for i := range s.ops {
		op := &s.ops[i]
		for len(parts) <= op.part {
			parts = append(parts, nil)
		}
		parts[op.part] = append(parts[op.part], op)
	}
	return parts
}

// runPlain gives each part an equal share of the work, so that it soon finds a part
// without a witness.
func (s *search) runPlain(work int64) replay.Answer {
	share := work/int64(max(1, len(s.parts))) + 1
	open := s.parts[:0]
	for _, p := range s.parts {
		steps := p.steps
		answer := p.run(s.ctx, share)
		s.worked += p.steps - steps
		switch answer {
		case replay.NotLinearizable:
			return answer
		case replay.Linearizable:
			p.forget()
			s.solved = append(s.solved, p)
		default:
			open = append(open, p)
		}
	}
	s.parts = open
	if len(open) == 0 {
		return replay.Linearizable
	}
	if mapped() > min(plainBytes, uint64(debug.SetMemoryLimit(-1))) {
		s.full, s.parts = true, nil
	}
	return replay.Undecided
}

// mapped returns the memory that the Go runtime holds, in bytes.
func mapped() uint64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64() - samples[1].Value.Uint64()
}

// conclude sets the verdict of the plain searches. If the check is verbose, the engines may
// add the depth or the explanation.
func (s *search) conclude(i *Info, answer replay.Answer) {
	i.Verdict.Finding = replay.Refuted(replay.SearchEngine)
	if answer == replay.Linearizable {
		i.Verdict.Finding = replay.Found(replay.SearchEngine, nil)
	}
	if !s.verbose {
		return
	}
	s.parts = nil
	s.engines.run(max(s.worked, explainShare))
	if t := s.engines; t.done && t.err == nil && t.verdict.Answer == answer {
		i.Verdict = t.verdict
	} else if answer == replay.Linearizable {
		i.Verdict.Witness = s.witness(i)
	}
}

// witness merges the witnesses of the parts. Each operation takes effect at the latest
// call up to it in the witness of its part, which is not after its own return. witness
// returns nil if the model does not accept the result again, because it is not pure.
func (s *search) witness(i *Info) (order []int32) {
	defer func() {
		if recover() != nil {
			order = nil
		}
	}()
	type effect struct {
		at int64
		op int32
	}
	var effects []effect
	for _, p := range s.solved {
		at := int64(math.MinInt64)
		for _, placed := range p.path {
			op := p.ops[placed.op]
			at = max(at, op.call)
			effects = append(effects, effect{at, op.place})
		}
	}
	slices.SortStableFunc(effects, func(a, b effect) int { return cmp.Compare(a.at, b.at) })
	for _, e := range effects {
		order = append(order, e.op)
	}
	if replay.Verify(i.History, i.Spec, order, nil) != nil {
		return nil
	}
	return order
}
