package decide

import (
	"cmp"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/monitor"
	"github.com/leadline/leadline/replay/search"
)

const (
	// freeMax is the number of operations up to which every result of a history
	// is freed in turn.
	freeMax = 200
	// groupMax is that number for pairs and triples of results.
	groupMax = 24
	// groupSize is the largest number of results freed together.
	groupSize = 3
	// effort bounds the work of all searches together.
	effort = 1000 * meter.AskEvery
	// allowedMax bounds the allowed results listed for an operation.
	allowedMax = 5
)

// explanation finds the first response without an explanation: by the monitor if
// it decided a history that is not short, else by the search.
func explanation(h *history.History, spec replay.Spec, maxBytes int64, m *meter.Meter, f *replay.Finding) *replay.Explanation {
	if f.Engine == replay.MonitorEngine && len(h.Ops) > freeMax {
		if op, ok := monitor.Unexplained(h, spec, f.Conflict, m); ok {
			return &replay.Explanation{Unexplained: op}
		}
		if len(h.Ops) > long {
			return nil
		}
	}
	return explain(h, spec, maxBytes, m.Share(effort))
}

// explain returns why the history has no witness: the first response that no
// order explains, and the smallest sets of results without which there would be
// a witness. It returns nil if the meter stops first.
func explain(h *history.History, spec replay.Spec, maxBytes int64, m *meter.Meter) *replay.Explanation {
	x := explainer{h: h, spec: spec, maxBytes: maxBytes, meter: m}
	e := &replay.Explanation{Unexplained: replay.NoOperation}
	plain := x.under(nil)
	if op, ok := search.Unexplained(plain, spec, maxBytes, m); ok {
		e.Unexplained = op
	} else if e.Marks, e.Edges = x.reasons(); e.Marks == nil && e.Edges == nil {
		return nil
	}
	for size := 1; size <= groupSize && len(e.Free) == 0; size++ {
		if limit := [...]int{1: freeMax, 2: groupMax, 3: groupMax}[size]; len(h.Ops) > limit {
			break
		}
		e.Free = x.groups(size)
	}
	return e
}

// A constraint is something that a history records besides real time: an edge,
// or that a pending operation happened.
type constraint struct {
	happened int32 // NoOperation: it is an edge
	edge     history.Edge
}

// under returns the history with the given constraints only.
func (x *explainer) under(constraints []constraint) *history.History {
	h := *x.h
	h.Edges = nil
	h.Ops = slices.Clone(x.h.Ops)
	for i := range h.Ops {
		h.Ops[i].Happened = false
	}
	for _, c := range constraints {
		if c.happened == replay.NoOperation {
			h.Edges = append(h.Edges, c.edge)
		} else {
			h.Ops[c.happened].Happened = true
		}
	}
	slices.SortFunc(h.Edges, func(a, b history.Edge) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	return &h
}

// reasonsMax bounds the constraints of which an explanation consists.
const reasonsMax = 16

// reasons returns a minimal set of constraints that leaves no order, or none if
// the search gives up. If the first k of a list leave no order and the first k-1
// do, the k-th is needed. It moves to the front, and the search for the next one
// goes on until those in front leave no order by themselves.
func (x *explainer) reasons() (marks []int32, edges []history.Edge) {
	var all []constraint
	for i := range x.h.Ops {
		if x.h.Ops[i].Happened {
			all = append(all, constraint{happened: int32(i)})
		}
	}
	for _, e := range x.h.Edges {
		all = append(all, constraint{replay.NoOperation, e})
	}
	needed := 0
	for {
		low, high := needed, len(all) // the first high leave no order
		for low < high {
			mid := (low + high) / 2
			switch search.Run(x.under(all[:mid]), x.spec, x.maxBytes, x.meter).Answer {
			case replay.Undecided:
				return nil, nil
			case replay.Linearizable:
				low = mid + 1
			default:
				high = mid
			}
		}
		if high == needed {
			break
		}
		if needed == reasonsMax {
			return nil, nil
		}
		last := all[high-1]
		copy(all[needed+1:high], all[needed:high-1])
		all[needed] = last
		needed, all = needed+1, all[:high]
	}
	for _, c := range all[:needed] {
		if c.happened == replay.NoOperation {
			edges = append(edges, c.edge)
		} else {
			marks = append(marks, c.happened)
		}
	}
	return marks, edges
}

type explainer struct {
	h        *history.History
	spec     replay.Spec
	maxBytes int64
	meter    *meter.Meter
}

// groups frees the results of every set of the given size.
func (x *explainer) groups(size int) [][]replay.FreedResult {
	var found [][]replay.FreedResult
	chosen := make([]int32, 0, size)
	var choose func(from int)
	choose = func(from int) {
		if len(chosen) == size {
			if group := x.free(chosen); group != nil {
				found = append(found, group)
			}
			return
		}
		for i := from; i < len(x.h.Ops); i++ {
			op := &x.h.Ops[i]
			if op.Pending() || op.Result.Kind() == history.Unknown || op.Result.Kind() == history.None || x.meter.Stopped() {
				continue
			}
			chosen = append(chosen, int32(i))
			choose(i + 1)
			chosen = chosen[:len(chosen)-1]
		}
	}
	choose(0)
	return found
}

// free frees the results of the operations. If that makes the history
// linearizable, it returns results that they might have had.
func (x *explainer) free(ops []int32) []replay.FreedResult {
	results := make([]history.Value, len(ops))
	for k := range results {
		results[k] = history.UnknownValue
	}
	witness := x.witness(ops, results)
	if witness == nil {
		return nil
	}
	answered := x.answers(ops, results, witness)
	group := make([]replay.FreedResult, len(ops))
	for k, op := range ops {
		group[k] = replay.FreedResult{Op: op, Allowed: []history.Value{answered[k]}}
		for _, other := range x.candidates(op) {
			if len(group[k].Allowed) == allowedMax {
				break
			}
			if slices.ContainsFunc(group[k].Allowed, other.Equal) {
				continue
			}
			results[k] = other
			if x.witness(ops, results) != nil {
				group[k].Allowed = append(group[k].Allowed, other)
			}
			results[k] = history.UnknownValue
		}
		slices.SortFunc(group[k].Allowed, history.Value.Compare)
	}
	return group
}

// candidates returns results that the operation might have had: the common ones,
// and those of other calls of its method in the history.
func (x *explainer) candidates(op int32) []history.Value {
	method := x.h.Ops[op].Method
	candidates := []history.Value{history.BoolValue(true), history.BoolValue(false), history.NullValue}
	for i := range x.h.Ops {
		o := &x.h.Ops[i]
		if o.Method == method && !o.Pending() && o.Result.Kind() != history.Unknown {
			candidates = append(candidates, o.Result)
		}
	}
	return candidates
}

// with returns the history with other results of the operations.
func (x *explainer) with(ops []int32, results []history.Value) *history.History {
	changed := *x.h
	changed.Ops = slices.Clone(x.h.Ops)
	for k, op := range ops {
		changed.Ops[op].Result = results[k]
	}
	return &changed
}

func (x *explainer) witness(ops []int32, results []history.Value) []int32 {
	return search.Run(x.with(ops, results), x.spec, x.maxBytes, x.meter).Witness
}

// answers returns the results that the object gives to the operations in the
// order of the witness. They are Unknown for a nondeterministic object.
func (x *explainer) answers(ops []int32, results []history.Value, witness []int32) []history.Value {
	answered := slices.Clone(results)
	object := x.spec.New()
	if _, several := object.(replay.Nondeterministic); several {
		return answered
	}
	for _, i := range witness {
		result, ok := object.Apply(replay.Invocation{Method: x.h.Ops[i].Method, Args: x.h.Ops[i].Args})
		if k := slices.Index(ops, i); k >= 0 && ok {
			answered[k] = result
		}
	}
	return answered
}
