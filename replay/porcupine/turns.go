package leadline

import (
	"context"
	"iter"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/explain"
)

// turns runs decide.Check, and explain.Why if the check is verbose, as a coroutine. It is
// the context of that check. When the check
// has used up its share of the work, it pauses at its next step of the model or its next
// call of Err.
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
