package weak

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/hitting/visibility"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/explain"
	"github.com/leadline/leadline/replay/ops"
	"github.com/leadline/leadline/replay/spec"
)

// Levels are the levels of methods, by the names that histories have. Other methods are
// complete.
type Levels map[string]visibility.Level

// Parse returns the levels of a list like size=basic and clear. A method without a level has
// visibility.Weak.
func Parse(list []string) (Levels, error) {
	levels := Levels{}
	for _, text := range list {
		method, name, found := strings.Cut(text, "=")
		if !found {
			name = visibility.Weak.String()
		}
		level, err := visibility.Parse(name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", method, err)
		}
		levels[method] = level
	}
	return levels, nil
}

// In returns the levels below complete of the methods in a history, as in size=basic, sorted.
func (l Levels) In(h *history.History) []string {
	var list []string
	for method, level := range l {
		if level != visibility.Complete && Has(h, method) {
			list = append(list, method+"="+level.String())
		}
	}
	slices.Sort(list)
	return list
}

// Has reports whether a history, which may be nil, has an operation of a method.
func Has(h *history.History, method string) bool {
	return h != nil && slices.ContainsFunc(h.Ops, func(op history.Operation) bool { return op.Method == method })
}

// quickWork bounds the work of each attempt to decide without a search for sets.
const quickWork = 1 << 24

// Check is decide.Check for these levels: the verdict is replay.Linearizable if the history
// is consistent with them. Unseen has what operations do not see of the witness. The depth is
// not known if levels apply. If the results of some weak operations are the reason of
// replay.NotLinearizable, they are the Conflict.
func Check(ctx context.Context, h *history.History, s replay.Spec, levels Levels, o replay.Options) (v replay.Verdict, err error) {
	if h == nil || s == nil || len(levels.In(h)) == 0 {
		return decide.Check(ctx, h, s, o)
	}
	if err := cmp.Or(h.WellFormed(), replay.Validate(s)); err != nil {
		return v, fmt.Errorf("weak: %w", err)
	}
	if err := replay.Check(h, s); err != nil {
		return v, err
	}
	if s.Name() == spec.RunsName {
		return v, faultOf(h, "the model runs knows only whole runs of a program, so operations cannot miss others")
	}
	start := time.Now()
	defer func() {
		switch value := recover().(type) {
		case nil:
		case replay.Unmodelled:
			v, err = replay.Verdict{}, faultOf(h, string(value))
		default:
			panic(value)
		}
		v.Elapsed = time.Since(start)
	}()
	o = o.WithDefaults(len(h.Ops))
	c := &checker{Session: decide.NewSession(ctx, o, 0), h: h, spec: s, levels: levels, bytes: o.Budget.Bytes}
	c.meter = c.Meter()
	v.C, v.CP = c.Concurrency(ops.New(h, s, 0))
	v.Finding, v.Unseen, err = c.decide()
	switch {
	case replay.TooLarge(err):
		v.Finding, err = replay.GaveUp(replay.Memory), nil
	case errors.Is(err, replay.ErrStopped):
		v.Finding, err = replay.GaveUp(cmp.Or(c.Stopped(), replay.Time)), nil
	case err != nil:
		return replay.Verdict{}, err
	case v.Answer == replay.Undecided:
		v.Cause = cmp.Or(c.Stopped(), v.Cause, replay.Time)
	case v.Answer == replay.Linearizable:
		v.Depth, v.DepthCause = 0, replay.Declined
		if err := c.verify(v.Witness, v.Unseen); err != nil {
			return replay.Verdict{}, fmt.Errorf("%w: history %q: %w", decide.ErrWitness, h.ID, err)
		}
	}
	v.Work = c.meter.Spent()
	return v, nil
}

// Explained is Check, with the explanation of a history that is not consistent whatever its
// weak operations return. Otherwise the Conflict is the reason.
func Explained(ctx context.Context, h *history.History, s replay.Spec, levels Levels, o replay.Options) (replay.Verdict, error) {
	if h == nil || s == nil || len(levels.In(h)) == 0 {
		return explain.Check(ctx, h, s, o)
	}
	start := time.Now()
	v, err := Check(ctx, h, s, levels, o)
	if err == nil && !slices.ContainsFunc(v.Conflict, func(i int32) bool { return levels[h.Ops[i].Method] != visibility.Complete }) {
		v.Explanation = explain.Why(ctx, levels.free(h, nil), s, v, o)
		v.Elapsed = time.Since(start)
	}
	return v, err
}

func faultOf(h *history.History, what string) error {
	return &history.Error{File: h.File, Line: h.Line, Msg: what}
}

// free returns the history in which weak operations have any result, except those of kept.
func (l Levels) free(h *history.History, kept []int32) *history.History {
	freed := *h
	freed.Ops = slices.Clone(h.Ops)
	for i := range freed.Ops {
		if op := &freed.Ops[i]; l[op.Method] != visibility.Complete && !slices.Contains(kept, int32(i)) {
			op.Result = history.UnknownValue
		}
	}
	return &freed
}

type checker struct {
	*decide.Session
	h      *history.History
	spec   replay.Spec
	levels Levels
	bytes  int64
	meter  *meter.Meter
}

// decide decides the history. unseen has what operations of the witness do not see.
func (c *checker) decide() (f replay.Finding, unseen [][]int32, err error) {
	if _, err := operationsOf(c.h, c.spec, c.levels, c.meter); err != nil {
		return f, nil, err
	}
	whole := ops.New(c.h, c.spec, c.bytes)
	if f := c.Decide(whole, c.meter.Share(quickWork)); f.Answer == replay.Linearizable {
		return f, make([][]int32, len(c.h.Ops)), nil
	}
	freed := c.levels.free(c.h, nil)
	first := c.Decide(whole.With(freed, nil), c.meter.Share(quickWork))
	if first.Answer == replay.NotLinearizable {
		return first, nil, nil
	}
	f, unseen, err = c.search(c.h, first.Witness)
	if err == nil && f.Answer == replay.NotLinearizable {
		f.Conflict = c.conflict()
	}
	return f, unseen, err
}

// conflict returns weak operations whose results no execution gives together. Without any of
// them there is one, unless the work for this question was too much.
func (c *checker) conflict() []int32 {
	var kept []int32
	for i := range c.h.Ops {
		if c.levels[c.h.Ops[i].Method] != visibility.Complete && !c.h.Ops[i].Pending() {
			kept = append(kept, int32(i))
		}
	}
	some := *c
	some.meter = c.meter.Share(4*c.meter.Spent() + quickWork)
	refutes := func(kept []int32) bool {
		f, _, err := some.search(c.levels.free(c.h, kept), nil)
		return err == nil && f.Answer == replay.NotLinearizable
	}
	for _, i := range kept { // mostly one is enough
		if alone := []int32{i}; !some.meter.Stopped() && refutes(alone) {
			return alone
		}
	}
	for k := len(kept) - 1; k >= 0 && !some.meter.Stopped(); k-- {
		if less := slices.Delete(slices.Clone(kept), k, k+1); refutes(less) {
			kept = less
		}
	}
	return kept
}

// verify replays a witness on fresh objects.
func (c *checker) verify(witness []int32, unseen [][]int32) error {
	if err := replay.Verify(c.levels.free(c.h, nil), c.spec, witness, nil); err != nil {
		return err
	}
	o, err := operationsOf(c.h, c.spec, c.levels, nil)
	if err != nil {
		return err
	}
	x := &visibility.Execution{Order: witness, Unseen: unseen}
	if err := o.Check(x); err != nil {
		return err
	}
	for i := range c.h.Ops {
		op := &c.h.Ops[i]
		if c.levels[op.Method] == visibility.Complete {
			continue
		}
		object := c.spec.New()
		for _, w := range append(x.Sees(int32(i)), int32(i)) {
			seen := &c.h.Ops[w]
			result, ok := object.Apply(replay.Invocation{Method: seen.Method, Args: seen.Args})
			if !ok && !seen.Pending() || ok && w == int32(i) && !replay.Accepts(op.Result, result) {
				return fmt.Errorf("operation %v, %v, cannot follow what operation %v sees", seen.ID(), seen, op.ID())
			}
		}
	}
	return nil
}

// causeOf returns why a search ended without an answer.
func causeOf(err error) replay.Cause {
	switch {
	case errors.Is(err, visibility.ErrMemory):
		return replay.Memory
	case errors.Is(err, visibility.ErrStopped):
		return replay.Time
	}
	return replay.Declined
}
