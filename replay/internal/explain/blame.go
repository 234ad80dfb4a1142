package explain

import (
	"cmp"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
)

const (
	// groupSize is the largest number of results freed together.
	groupSize = 3
	// allowedMax bounds the allowed results listed for an operation.
	allowedMax = 5
	// freeMax is the number of operations up to which all groups are found.
	freeMax = 64
)

// blame finds the smallest groups of results that make the history linearizable
// when they are freed.
func (x *explainer) blame() {
	b := &blamer{explainer: x, h: x.History, meter: x.Meter}
	for i := range b.h.Ops {
		if op := &b.h.Ops[i]; !op.Pending() && op.Result.Kind() != history.Unknown && op.Result.Kind() != history.None {
			b.freeable = append(b.freeable, int32(i))
		}
	}
	inCore := map[int32]bool{}
	for _, i := range x.e.Core {
		inCore[i] = true
	}
	if len(b.h.Ops) > freeMax {
		b.freeable = slices.DeleteFunc(b.freeable, func(i int32) bool { return !inCore[i] })
	}
	slices.SortStableFunc(b.freeable, func(i, j int32) int { return cmp.Or(-compareBool(inCore[i], inCore[j]), cmp.Compare(j, i)) })
	x.e.Free = b.groups()
	switch {
	case b.incomplete:
		x.miss("blame")
	case len(b.h.Ops) > freeMax:
		x.missFor("blame", "only results of the minimal sub-history were tried")
	}
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// A blamer looks for groups of results.
type blamer struct {
	*explainer
	h          *history.History
	meter      *meter.Meter
	freeable   []int32 // operations with a result, those of the core first
	incomplete bool
}

// groups returns all groups of the smallest size, up to groupSize, in the order of
// their operations. Let F be a set of results without which the history still
// fails, and K one such that it fails even if all results but those in K are
// free. Then a larger set that makes it linearizable has one of K: with none of
// K, it would free less than what is free already. So for each F, few sets with
// one more have to be tried.
func (b *blamer) groups() [][]replay.FreedResult {
	var found [][]replay.FreedResult
	level := [][]int32{nil}
	for size := 1; size <= groupSize && len(found) == 0; size++ {
		var next [][]int32
		for _, free := range level {
			for _, i := range b.decisive(free) {
				if b.meter.Stopped() {
					b.incomplete = true
					return found
				}
				group := slices.Sorted(slices.Values(append([]int32{i}, free...)))
				at, known := slices.BinarySearchFunc(next, group, slices.Compare[[]int32])
				if known || slices.ContainsFunc(found, func(f []replay.FreedResult) bool { return isGroup(f, group) }) {
					continue
				}
				switch f := b.freed(group); f.Answer {
				case replay.Undecided:
					b.incomplete = true
				case replay.NotLinearizable:
					next = slices.Insert(next, at, group)
				default:
					found = append(found, b.results(group, f.Witness))
				}
			}
		}
		level = next
	}
	slices.SortFunc(found, func(a, b []replay.FreedResult) int {
		return slices.CompareFunc(a, b, func(f, g replay.FreedResult) int { return cmp.Compare(f.Op, g.Op) })
	})
	return found
}

func isGroup(results []replay.FreedResult, group []int32) bool {
	return slices.EqualFunc(results, group, func(f replay.FreedResult, op int32) bool { return f.Op == op })
}

// decisive returns a minimal set of results such that the history fails even if all
// others are free, besides those given.
func (b *blamer) decisive(free []int32) []int32 {
	var rest []int32
	for _, i := range b.freeable {
		if !slices.Contains(free, i) {
			rest = append(rest, i)
		}
	}
	if len(b.h.Ops) > freeMax {
		return rest
	}
	kept, isMinimal := minimize(len(rest), func(kept []int32) replay.Answer {
		all := slices.Clone(free)
		isKept := make([]bool, len(rest))
		for _, k := range kept {
			isKept[k] = true
		}
		for k, i := range rest {
			if !isKept[k] {
				all = append(all, i)
			}
		}
		return b.freed(all).Answer
	})
	if !isMinimal {
		return rest
	}
	ops := make([]int32, len(kept))
	for k, i := range kept {
		ops[k] = rest[i]
	}
	return ops
}

// freed decides the history with these results free.
func (b *blamer) freed(ops []int32) replay.Finding {
	results := make([]history.Value, len(ops))
	for k := range results {
		results[k] = history.UnknownValue
	}
	return b.try(ops, results)
}

// try decides the history with other results of the operations. Unknown results
// make long histories hard, so there is a share for each.
func (b *blamer) try(ops []int32, results []history.Value) replay.Finding {
	m := b.meter
	if len(b.h.Ops) > freeMax {
		m = m.Share(int64(len(b.h.Ops))*tryEach + tryWork)
	}
	return b.ask(b.with(ops, results), m)
}

const (
	tryWork = 1 << 16
	tryEach = 1 << 4
)

// with returns the history with other results of the operations.
func (b *blamer) with(ops []int32, results []history.Value) *history.History {
	changed := *b.h
	changed.Ops = slices.Clone(b.h.Ops)
	for k, op := range ops {
		changed.Ops[op].Result = results[k]
	}
	return &changed
}

// results returns the group with results that the operations might have had;
// witness is one of the history without their results.
func (b *blamer) results(ops []int32, witness []int32) []replay.FreedResult {
	results := make([]history.Value, len(ops))
	for k := range results {
		results[k] = history.UnknownValue
	}
	group := make([]replay.FreedResult, len(ops))
	seen := b.seen(ops, witness)
	for k, op := range ops {
		group[k] = replay.FreedResult{Op: op}
		for at, other := range slices.Concat(seen[k], b.candidates(op)) {
			if len(group[k].Allowed) == allowedMax {
				break
			}
			if slices.ContainsFunc(group[k].Allowed, other.Equal) {
				continue
			}
			results[k] = other
			if at == 0 && len(seen[k]) == 1 || b.try(ops, results).Answer == replay.Linearizable {
				group[k].Allowed = append(group[k].Allowed, other)
			}
			results[k] = history.UnknownValue
		}
		slices.SortFunc(group[k].Allowed, history.Value.Compare)
	}
	return group
}

// seenMax bounds the states in which a nondeterministic object may be.
const seenMax = 64

// seen returns the results that the object may give to the operations in the order
// of the witness, in which their own results are free: one result for each if it
// is deterministic. Results of a replay.Judge are not listed.
func (b *blamer) seen(ops []int32, witness []int32) [][]history.Value {
	seen := make([][]history.Value, len(ops))
	first := b.Spec.New()
	if state, ok := first.(replay.Nondeterministic); ok {
		states := []replay.State{state}
		for _, i := range witness {
			op := b.h.Ops[i]
			k := slices.Index(ops, i)
			if k >= 0 {
				op.Result = history.UnknownValue
			}
			var next []replay.State
			for _, s := range states[:min(len(states), seenMax)] {
				if _, ok := s.(replay.Judge); ok && k >= 0 {
					return seen
				}
				for _, o := range replay.OutcomesOf(s, &op) {
					if replay.Accepts(op.Result, o.Result) {
						next = append(next, o.Next)
						if k >= 0 && !slices.ContainsFunc(seen[k], o.Result.Equal) {
							seen[k] = append(seen[k], o.Result)
						}
					}
				}
			}
			if len(next) > 0 { // else it is pending and did not take effect
				states = next
			}
		}
		return seen
	}
	for _, i := range witness {
		result, ok := first.Apply(replay.Invocation{Method: b.h.Ops[i].Method, Args: b.h.Ops[i].Args})
		if k := slices.Index(ops, i); k >= 0 && ok {
			seen[k] = []history.Value{result}
		}
	}
	return seen
}

// candidates returns results that the operation might have had and the
// specification accepts: the common ones, and those of other calls of its method in
// the history.
func (b *blamer) candidates(op int32) []history.Value {
	changed := b.h.Ops[op]
	var candidates []history.Value
	add := func(v history.Value) {
		changed.Result = v
		if v.Kind() != history.Unknown && !slices.ContainsFunc(candidates, v.Equal) && b.Spec.Check(&changed) == nil {
			candidates = append(candidates, v)
		}
	}
	for _, v := range []history.Value{history.BoolValue(true), history.BoolValue(false), history.NullValue} {
		add(v)
	}
	for i := range b.h.Ops {
		if o := &b.h.Ops[i]; o.Method == changed.Method && !o.Pending() {
			add(o.Result)
		}
	}
	return candidates
}
