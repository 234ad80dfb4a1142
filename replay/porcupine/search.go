package porcupine

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/explain"
)

const (
	// firstSteps and firstEach, for each operation, bound the steps of the first search. It
	// decides easy histories in less time than the engines need to name operations and number
	// states (BenchmarkCheck), and others in more (BenchmarkStore).
	firstEach = 1 << 6
	// firstBits bounds the sets of operations that the first search keeps. They have a bit for
	// each operation of a part (BenchmarkCheck of 10,000 operations).
	firstBits = 1 << 26
	// explainTime bounds depth and explanation, if the first search took no longer. It is
	// what a user waits for them, and not tuned.
	explainTime = 10 * time.Second
	// mostBytes protects the memory of the machine, if the process has no lower limit.
	mostBytes = 8 << 30
)

// decide sets the verdict. Porcupine's own search is the first, because it is the fastest
// for short and easy histories. It is also the last, for a model that the engines cannot
// use, because it is not pure.
func (c *converter) decide(ctx context.Context, i *Info, verbose bool) (err error) {
	defer recovered("checking", &err)
	start := time.Now()
	answer := replay.Undecided
	if steps := c.firstSteps(); steps > 0 && !c.contradicts {
		answer, err = c.search(ctx, steps)
	}
	if err != nil {
		return err
	}
	if answer == replay.Undecided || verbose {
		if i.History, i.Spec, err = c.build(); err != nil {
			return err
		}
		o := replay.Options{MaxDepth: 1, Budget: replay.Budget{Bytes: mostBytes, Process: min(meter.Mapped()+mostBytes, debug.SetMemoryLimit(-1))}}
		if verbose {
			o.MaxDepth = replay.DefaultMaxDepth
		}
		if answer != replay.Undecided {
			o.Budget.Time = max(explainTime, time.Since(start))
		}
		check := decide.Check
		if verbose {
			check = explain.Check
		}
		v, err := check(ctx, i.History, i.Spec, o)
		switch {
		case err == nil && v.Decided() && (answer == replay.Undecided || answer == v.Answer):
			i.Verdict = v
			return nil
		case answer == replay.Undecided && v.Cause != replay.Memory && !c.contradicts:
			if answer, err = c.search(ctx, math.MaxInt64); err != nil {
				return err
			}
		}
	}
	i.Verdict.Finding = c.found(ctx, answer)
	return nil
}

// found returns the finding for an answer of porcupine's search.
func (c *converter) found(ctx context.Context, answer replay.Answer) replay.Finding {
	switch {
	case answer == replay.Linearizable:
		return replay.Found(replay.SearchEngine, nil)
	case answer == replay.NotLinearizable:
		return replay.Refuted(replay.SearchEngine)
	case ctx.Err() == context.DeadlineExceeded:
		return replay.GaveUp(replay.Time)
	case ctx.Err() != nil:
		return replay.GaveUp(replay.Cancelled)
	}
	return replay.GaveUp(replay.Memory)
}

// partitioned returns the operations of each part.
func (c *converter) partitioned() [][]porcupine.Operation {
	parts := make([][]porcupine.Operation, len(c.spec.parts))
	for _, op := range c.ops {
		parts[op.part] = append(parts[op.part], porcupine.Operation{Input: op.input, Call: op.from, Output: op.output, Return: op.to})
	}
	return parts
}

// firstSteps returns the number of steps of the first search: 0 if they do not suffice for
// any order.
func (c *converter) firstSteps() int64 {
	size, largest := make([]int64, len(c.spec.parts)), int64(1)
	for _, op := range c.ops {
		size[op.part]++
		largest = max(largest, size[op.part])
	}
	if steps := min(firstEach*int64(len(c.ops)), firstBits/largest); steps > 2*largest {
		return steps
	}
	return 0
}

// search runs porcupine's search for up to the given number of steps. An error is a panic of
// the model.
func (c *converter) search(ctx context.Context, steps int64) (replay.Answer, error) {
	g := guard{ctx: ctx, spec: c.spec}
	g.left.Store(steps)
	model := porcupine.Model{Init: g.init, Step: g.step, Equal: g.equal,
		Partition: func([]porcupine.Operation) [][]porcupine.Operation { return c.partitioned() }}
	if c.spec.model.Hash != nil {
		model.Hash = g.hash
	}
	isLinearizable := porcupine.CheckOperations(model, nil)
	switch fault := g.fault.Load(); {
	case fault != nil:
		return replay.Undecided, *fault
	case g.left.Load() < 0, ctx.Err() != nil:
		return replay.Undecided, nil
	case isLinearizable:
		return replay.Linearizable, nil
	}
	return replay.NotLinearizable, nil
}

// A guard has the functions of a model for porcupine, which calls them in several
// goroutines and cannot be stopped. If one panics, or the steps or the time are used up, the
// guard rejects all steps, so that the search ends soon. Its result does not count then.
type guard struct {
	ctx   context.Context
	spec  *specification
	left  atomic.Int64 // steps; negative if some were rejected
	fault atomic.Pointer[error]
}

// rescue recovers a panic of the model.
func (g *guard) rescue() {
	if value := recover(); value != nil {
		err := fmt.Errorf("the model panicked: %v\n%s", value, debug.Stack())
		g.fault.CompareAndSwap(nil, &err)
		g.left.Store(-1)
	}
}

func (g *guard) init() any {
	defer g.rescue()
	return clip(g.spec.model.Init())
}

func (g *guard) step(state, input, output any) (ok bool, next any) {
	defer g.rescue()
	if g.left.Add(-1) < 0 || g.ctx.Err() != nil {
		return false, nil
	}
	ok, next = g.spec.judge(g.ctx, state, input, output)
	return ok, clip(next)
}

func (g *guard) equal(a, b any) bool {
	defer g.rescue()
	return g.spec.states.equal(a, b)
}

func (g *guard) hash(state any) uint64 {
	defer g.rescue()
	return g.spec.model.Hash(state)
}

// clip cuts the capacity of a state that is a slice. So a Step that appends to the state
// copies it.
func clip(state any) any {
	if v := reflect.ValueOf(state); v.Kind() == reflect.Slice && v.Cap() > v.Len() {
		return v.Slice3(0, v.Len(), v.Len()).Interface()
	}
	return state
}
