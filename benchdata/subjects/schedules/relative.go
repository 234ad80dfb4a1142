package main

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/spec"
)

// A relative of a history that is not linearizable is the same history with as few
// results forgotten as make it linearizable. There may be several, of different depths.
type relative struct {
	Forgotten int `json:"forgotten"`
	// Depth is the least d of a strong d-hitting family that has a witness, and Exact
	// the linearizability depth: the least of all relatives, and the greatest.
	Depth [2]int `json:"depth"`
	Exact [2]int `json:"exact_depth"`
}

// relativeOf returns the nearest linearizable relative of a history in leadline's
// format.
func relativeOf(ctx context.Context, text string) (*relative, error) {
	for h, err := range codec.Decode(strings.NewReader(text), "history", codec.Options{}) {
		if err != nil {
			return nil, err
		}
		s, err := spec.Lookup(h.Model, h.ModelArgs)
		if err != nil {
			return nil, err
		}
		return nearest(ctx, h, s)
	}
	return nil, nil
}

func nearest(ctx context.Context, h *history.History, s replay.Spec) (*relative, error) {
	for size := 0; size <= len(h.Ops); size++ {
		var best *relative
		for set := uint(0); set < 1<<len(h.Ops); set++ {
			if bits.OnesCount(set) != size {
				continue
			}
			changed, err := forget(h, set)
			if err != nil {
				return nil, err
			}
			v, err := decide.Check(ctx, changed, s, replay.Options{ExactDepth: true})
			switch {
			case err != nil:
				return nil, err
			case v.Answer != replay.Linearizable:
			case v.Depth == 0 || v.ExactDepth == 0:
				return nil, fmt.Errorf("the depth is not known: %v", v)
			case best == nil:
				best = &relative{size, [2]int{v.Depth, v.Depth}, [2]int{v.ExactDepth, v.ExactDepth}}
			default:
				best.Depth = [2]int{min(best.Depth[0], v.Depth), max(best.Depth[1], v.Depth)}
				best.Exact = [2]int{min(best.Exact[0], v.ExactDepth), max(best.Exact[1], v.ExactDepth)}
			}
		}
		if best != nil {
			return best, nil
		}
	}
	return nil, fmt.Errorf("no order of the invocations is possible")
}

// forget returns the history without the results of a set of operations.
func forget(h *history.History, set uint) (*history.History, error) {
	type at struct {
		position int32
		event    history.Event
	}
	var events []at
	for i := range h.Ops {
		op := &h.Ops[i]
		process, id, result := h.Processes[op.Process], history.IntValue(int64(i)), op.Result
		if set&(1<<i) != 0 {
			result = history.UnknownValue
		}
		events = append(events, at{op.Call, history.Event{Type: history.Invoke, Process: process, Op: id, Method: op.Method, Args: op.Args, Line: int(op.Line)}})
		if !op.Pending() {
			events = append(events, at{op.Return, history.Event{Type: history.OK, Op: id, Result: result, Line: int(op.Line)}})
		}
	}
	slices.SortFunc(events, func(a, b at) int { return int(a.position) - int(b.position) })
	list := make([]history.Event, len(events))
	for i, e := range events {
		list[i] = e.event
	}
	return history.New(h.Header, list)
}
