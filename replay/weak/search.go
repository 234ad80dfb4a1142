package weak

import (
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/hitting/visibility"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
)

// search searches for an execution of h, which has the operations of c.h with some results
// unknown. It tries the order first before others, if it is not nil.
func (c *checker) search(h *history.History, first []int32) (f replay.Finding, unseen [][]int32, err error) {
	p := ops.New(h, c.spec, c.bytes)
	parts, across := p.Split()
	if parts == nil || len(across) > 0 || c.levels.couple(h) || !p.InRealTime() || h.IsRelaxed() {
		return c.whole(h, first)
	}
	unseen = make([][]int32, len(h.Ops))
	witnesses := make([][]int32, len(parts))
	for k, part := range parts {
		f, missed, err := c.whole(ops.Restrict(h, part), nil)
		if err != nil || f.Answer != replay.Linearizable {
			return f, nil, err
		}
		witnesses[k] = f.Witness
		for i, list := range missed {
			for _, u := range list {
				unseen[part[i]] = append(unseen[part[i]], part[u])
			}
		}
	}
	return replay.Found(replay.SearchEngine, ops.Merge(h, parts, witnesses)), unseen, nil
}

// couple reports whether a history has operations whose sets restrict one another.
func (l Levels) couple(h *history.History) bool {
	return slices.ContainsFunc(h.Ops, func(op history.Operation) bool {
		return visibility.Monotonic <= l[op.Method] && l[op.Method] <= visibility.Causal
	})
}

// whole searches without parts.
func (c *checker) whole(h *history.History, first []int32) (f replay.Finding, unseen [][]int32, err error) {
	object := c.newObject(h)
	if object == nil {
		return replay.Declines(""), nil, nil
	}
	defer object.machine.Release()
	o, err := operationsOf(h, c.spec, c.levels, c.meter)
	if err != nil {
		return f, nil, err
	}
	x, err := o.Search(object, visibility.Bounds{Meter: c.meter, MaxBytes: c.bytes / 2, First: first})
	switch cause := object.machine.GaveUp(); {
	case cause != replay.NoCause:
		return replay.GaveUp(cause), nil, nil
	case err != nil:
		return replay.GaveUp(causeOf(err)), nil, nil
	case x == nil:
		return replay.Refuted(replay.SearchEngine), nil, nil
	}
	return replay.Found(replay.SearchEngine, ops.Complete(x.Order, len(h.Ops))), x.Unseen, nil
}

// operationsOf returns the order and the levels of the operations. It returns an error for a
// bundle that cannot be divided into reads of one part each.
func operationsOf(h *history.History, s replay.Spec, levels Levels, m *meter.Meter) (*visibility.Operations, error) {
	in, err := replay.NewInstance(h, true, replay.ProcessChains, m)
	if err != nil {
		return nil, err
	}
	columns := ops.New(anyResult(h), s, 0).Columns(nil)
	o := &visibility.Operations{Before: in.Poset, Level: make([]visibility.Level, len(h.Ops)), Part: slices.Clone(columns.Part)}
	bundle, across := -1, -1
	for i := range h.Ops {
		o.Level[i] = levels[h.Ops[i].Method]
		switch {
		case o.Level[i] == visibility.Bundle && !columns.ReadOnly[i]:
			return nil, h.Errorf(&h.Ops[i], "level bundle is for methods that only read, which %s is not known to be", h.Ops[i].Method)
		case o.Level[i] == visibility.Bundle && o.Part[i] != ops.None:
			o.Level[i] = visibility.Complete // it is one read
		case o.Level[i] == visibility.Bundle:
			bundle = i
		case !columns.ReadOnly[i] && o.Part[i] == ops.None:
			across = i
		}
		if columns.ReadOnly[i] {
			o.Part[i] = ops.None
		}
	}
	if bundle >= 0 && levels.couple(h) {
		return nil, h.Errorf(&h.Ops[bundle], "%v", visibility.ErrMixed)
	}
	if bundle >= 0 && across >= 0 {
		return nil, h.Errorf(&h.Ops[bundle], "level bundle needs changes of one part each, such as a key, and %s is none", h.Ops[across].Method)
	}
	return o, nil
}

// anyResult returns the history in which no result is known.
func anyResult(h *history.History) *history.History {
	free := *h
	free.Ops = slices.Clone(h.Ops)
	for i := range free.Ops {
		free.Ops[i].Result = history.UnknownValue
	}
	return &free
}
