package leadline

import (
	"context"
	"fmt"
	"iter"
	"runtime/debug"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/explain"
	"github.com/leadline/leadline/replay/ops"
)

// The work of a check is counted in steps of a plain search.
const (
	// firstShare is the work of the plain searches before the engines begin. firstEach adds
	// to it for each operation, because the engines need names. Both take part of a second.
	firstShare = 1 << 17
	firstEach  = 1 << 6
	// lastShare bounds the shares of the plain searches, which double. The memory of the
	// process is checked after each share.
	lastShare = 1 << 20
	// engineShare is the part of the work of plain searches that engines may do.
	engineShare = 4
	// explainShare is the least work of engines for depth and explanation after a plain
	// search has decided. If that search did more work, they may do as much.
	explainShare = 1 << 21
	// stepWork is the work for a step of an engine, which also numbers the new state and
	// makes keys of it.
	stepWork = 4
	// visitedPerStep is the number of bytes of content that count as one step.
	visitedPerStep = 1 << 7
	// stopCheckWork is the work that counts for each check of an engine whether to stop.
	// Between two of them are up to meter.AskEvery units of work without a call of the model.
	stopCheckWork = 1 << 8
	// mostBytes is the memory that a check may take, if the process has no lower limit.
	mostBytes = 8 << 30
)

// A search decides the operations of a converter: by a plain search of each part and, in
// turns with these, by decide.Check.
type search struct {
	*converter
	verbose bool // with history, depth and explanation
	ctx     context.Context

	opsOf   [][]int32 // part -> its operations
	parts   []*plain
	solved  int   // parts that have a witness
	worked  int64 // steps of all plain searches
	mapped  int64 // memory of the process when it was first measured
	engines *turns
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
	s.split()
	if s.verbose {
		if err := s.start(i); err != nil {
			return err
		}
	}
	for share := int64(firstShare + firstEach*len(s.ops)); ; share = min(s.worked, lastShare) {
		before := s.worked
		if answer := s.runPlain(share); answer != replay.Undecided {
			s.conclude(i, answer)
			return nil
		}
		if s.ctx.Err() == nil {
			if err := s.start(i); err != nil {
				return err
			}
			s.engines.run((s.worked - before) / engineShare)
		}
		switch t := s.engines; {
		case t != nil && t.done && t.err == nil && t.verdict.Decided():
			i.Verdict = t.verdict
			return nil
		case s.ctx.Err() == context.DeadlineExceeded:
			i.Verdict.Finding = replay.GaveUp(replay.Time)
			return nil
		case s.ctx.Err() != nil:
			i.Verdict.Finding = replay.GaveUp(replay.Cancelled)
			return nil
		case s.isFull():
			i.Verdict.Finding = replay.GaveUp(replay.Memory)
			return nil
		}
	}
}

// isFull reports whether the check has taken too much memory. Measuring it takes longer than
// a short check, so the first measurement is after the first share.
func (s *search) isFull() bool {
	mapped := meter.Mapped()
	if s.mapped == 0 {
		s.mapped = mapped
	}
	return mapped-s.mapped > mostBytes || mapped > debug.SetMemoryLimit(-1)
}

// start makes the history and prepares the engines, unless it has done so before.
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

// split makes the plain searches of the parts.
func (s *search) split() {
	s.opsOf = make([][]int32, len(s.spec.parts))
	for i := range s.ops {
		part := s.ops[i].part
		s.opsOf[part] = append(s.opsOf[part], int32(i))
	}
	for _, list := range s.opsOf {
		s.parts = append(s.parts, newPlain(s.spec, s.ops, list))
	}
}

// runPlain gives each open part an equal share of the work, so that it soon finds a part
// without a witness.
func (s *search) runPlain(work int64) replay.Answer {
	share := work/max(1, int64(len(s.parts)-s.solved)) + 1
	s.solved = 0
	answer := replay.Linearizable
	for _, p := range s.parts {
		steps := p.steps
		found := p.run(s.ctx, share)
		s.worked += p.steps - steps
		switch found {
		case replay.NotLinearizable:
			return found
		case replay.Linearizable:
			s.solved++
		default:
			answer = found
		}
	}
	return answer
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
	s.engines.run(max(s.worked, explainShare))
	if t := s.engines; t.done && t.err == nil && t.verdict.Answer == answer {
		i.Verdict = t.verdict
	} else if answer == replay.Linearizable {
		i.Verdict.Witness = s.witness(i)
	}
}

// witness merges the witnesses of the parts. It returns nil if the model does not accept
// the result again, because it is not pure.
func (s *search) witness(i *Info) (order []int32) {
	defer func() {
		if recover() != nil {
			order = nil
		}
	}()
	witnesses := make([][]int32, len(s.parts))
	for k, p := range s.parts {
		for _, placed := range p.path {
			witnesses[k] = append(witnesses[k], placed.op)
		}
	}
	order = ops.Merge(i.History, s.opsOf, witnesses)
	if replay.Verify(i.History, i.Spec, order, nil) != nil {
		return nil
	}
	return order
}

// turns runs decide.Check, and explain.Why if the check is verbose, as a coroutine. It is
// the context of that check. When the check has used up its share of the work, it pauses
// at its next step of the model or its next call of Err.
type turns struct {
	context.Context
	yield func(struct{}) bool
	left  int64 // work left of the share
	ended bool  // the caller does not need the rest
	next  func() (struct{}, bool)
	stop  func()

	done    bool
	verdict replay.Verdict
	err     error
}

func newTurns(ctx context.Context, h *history.History, spec *specification, verbose bool) *turns {
	t := &turns{Context: ctx}
	t.next, t.stop = iter.Pull(func(yield func(struct{}) bool) {
		t.yield = yield
		o := replay.Options{}
		if !verbose {
			o.MaxDepth = 1
		}
		t.verdict, t.err = decide.Check(t, h, spec, o)
		if verbose {
			t.verdict.Explanation = explain.Why(t, h, spec, t.verdict, o)
		}
		t.done = true
	})
	return t
}

// run lets the check go on until it has done the given work, or has ended.
func (t *turns) run(work int64) {
	if t.left = work; !t.done {
		t.next()
	}
}

// spend counts work, and pauses the check at the end of its share.
func (t *turns) spend(work int64) {
	if t.left -= work; t.left <= 0 && !t.ended && !t.done {
		t.ended = !t.yield(struct{}{})
	}
}

// Err implements context.Context.
func (t *turns) Err() error {
	if t.spend(stopCheckWork); t.ended {
		return context.Canceled
	}
	return t.Context.Err()
}
