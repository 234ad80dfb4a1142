package stress

import (
	"context"
	"fmt"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/spec"
)

// confirm asks the checker whether an outcome is linearizable when nothing is
// known of real time but the order within sequences and between those that
// the program orders. It is so exactly if it is expected: the checker looks for
// the order among all, NewExpected has made each.
func confirm(ctx context.Context, c *Class, p *Program, o Outcome) (*history.History, replay.Verdict, error) {
	h, err := unordered(c, p, o)
	if err != nil {
		return nil, replay.Verdict{}, err
	}
	v, err := ask(ctx, c, h)
	return h, v, err
}

// ask asks the checker about a history of a program: it is compared with the
// class's own specification, or with the sequential runs in its header.
func ask(ctx context.Context, c *Class, h *history.History) (replay.Verdict, error) {
	s := c.Spec
	if s == nil {
		var err error
		if s, err = spec.Lookup(h.Model, h.ModelArgs); err != nil {
			return replay.Verdict{}, err
		}
	}
	return decide.Check(ctx, h, s, replay.Options{Engine: replay.SearchEngine, Explain: true})
}

// unordered returns the history of an outcome in which all sequences overlap
// altogether, so that edges give the order that there is.
func unordered(c *Class, p *Program, o Outcome) (*history.History, error) {
	b := history.NewBuilder(headerOf(c, p))
	all, process := p.All(), processes(p)
	first, last := len(p.Initial), len(all)-len(p.Final)
	line := 0
	add := func(i, process int, response bool) {
		line++
		addEvent(b, all[i], i, process, o[i], response, line)
	}
	for i := range first {
		add(i, process[i], false)
		add(i, process[i], true)
	}
	for i := first; i < last; i++ { // a process each: they overlap
		add(i, len(p.Sequences)+1+i, false)
	}
	for i := first; i < last; i++ {
		add(i, len(p.Sequences)+1+i, true)
	}
	for i := last; i < len(all); i++ {
		add(i, process[i], false)
		add(i, process[i], true)
	}
	edge := func(from, to int) {
		b.AddEdge(history.IntValue(int64(from)), history.IntValue(int64(to)), line)
	}
	begin := make([]int, len(p.Sequences))
	at := first
	for s, sequence := range p.Sequences {
		begin[s] = at
		for i := at + 1; i < at+len(sequence); i++ {
			edge(i-1, i)
		}
		at += len(sequence)
	}
	for _, order := range p.Order {
		edge(begin[order[0]]+len(p.Sequences[order[0]])-1, begin[order[1]])
	}
	return b.Build()
}

// check asks the checker about a recorded execution.
func (r *Recorded) check(ctx context.Context, c *Class, p *Program) (*history.History, replay.Verdict, error) {
	h, err := r.History(c, p)
	if err != nil {
		return nil, replay.Verdict{}, fmt.Errorf("recorded execution of %v: %w", p, err)
	}
	v, err := ask(ctx, c, h)
	return h, v, err
}
