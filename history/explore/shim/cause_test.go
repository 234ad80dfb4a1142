package shim_test

import (
	standard "context"
	"errors"
	"testing"

	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/explore/shim/context"
)

// A wrapped context has a channel of its own.
type wrapped struct {
	standard.Context
	done chan struct{}
}

func (w wrapped) Done() <-chan struct{} { return w.done }

// TestCause: the cause is that of the nearest context that can be canceled, whatever is in between.
func TestCause(t *testing.T) {
	first, second := errors.New("first"), errors.New("second")
	type with = func(standard.Context) (standard.Context, standard.CancelCauseFunc)
	causes := func(with, other with) (list [4]error) {
		parent, cancel := with(standard.Background())
		w := wrapped{parent, make(chan struct{})}
		list[0] = context.Cause(w)
		child, end := other(parent)
		end(nil)
		cancel(first)
		list[1], list[2] = context.Cause(w), context.Cause(child)
		child, end = other(wrapped{parent, nil})
		end(second)
		list[3] = context.Cause(child)
		return list
	}
	want := causes(standard.WithCancelCause, standard.WithCancelCause)
	if want != [4]error{nil, first, standard.Canceled, second} {
		t.Errorf("outside: %v", want)
	}
	var got [3][4]error
	r := once(&schedule.Program{Threads: []func(){func() {
		got[0] = causes(context.WithCancelCause, context.WithCancelCause)
		got[1] = causes(context.WithCancelCause, standard.WithCancelCause)
		got[2] = causes(standard.WithCancelCause, context.WithCancelCause)
	}}})
	if r.Deadlock || r.Cut || got != [3][4]error{want, want, want} {
		t.Errorf("%v, not %v: %+v", got, want, r)
	}
}

func once(p *schedule.Program) *schedule.Result {
	return schedule.Run(p, schedule.NewReplay(nil), schedule.Limits{})
}
