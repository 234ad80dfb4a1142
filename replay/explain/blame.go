package explain

import (
	"cmp"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
)

// blame finds the smallest groups of results that make the history linearizable
// when they are freed. If groups may have been overlooked, the explanation says so.
func (x *explainer) blame() {
	cause := ""
	if len(x.H.Ops) <= limits.freeOps {
		if x.e.Free, cause = x.blameAll(x.meter.Share(limits.freeWork)); cause == "" {
			return
		}
	}
	if len(x.e.Free) == 0 {
		x.e.Free, cause = x.blameCore()
	}
	x.missFor("blame", cause)
}

// blameAll finds all groups of the smallest size, or returns why some may have been
// overlooked.
func (x *explainer) blameAll(m *meter.Meter) ([][]replay.FreedResult, string) {
	b := &blamer{explainer: x, meter: m}
	for _, isCore := range []bool{true, false} { // operations of the core are probably decisive
		for i := int32(len(b.H.Ops)) - 1; i >= 0; i-- {
			if _, inCore := slices.BinarySearch(x.e.Core, i); inCore == isCore && isFreeable(b.Spec, &b.H.Ops[i]) {
				b.freeable = append(b.freeable, i)
			}
		}
	}
	return b.groups(), b.cause
}

// blameCore searches for one or two other results of the core that make the history
// linearizable. It does not try all, and returns the reason.
func (x *explainer) blameCore() ([][]replay.FreedResult, string) {
	b := &blamer{explainer: x, meter: x.share(25)}
	var values []history.Value
	for _, i := range x.latest() {
		op := &x.H.Ops[i]
		f := replay.FactsOf(x.Spec, op)
		about, _ := concern(x.Problem, op, &f, nil)
		for _, v := range about {
			if v.Kind() != history.None && !slices.ContainsFunc(values, v.Equal) {
				values = append(values, v)
			}
		}
	}
	known := func(int32) ([]history.Value, []int32) { return values, nil }
	found, starts := b.singleChanges(known)
	for _, first := range starts[:min(len(starts), limits.starts)] {
		if len(found) == 0 {
			b.meter = x.share(25)
			found = b.pairsWith(first, known)
		}
	}
	if len(found) == 0 {
		b.meter = x.share(25)
		found, _ = b.singleChanges(b.resultsInWitness)
	}
	if len(found) == 0 && (b.meter.Stopped() || x.session.Stopped() != replay.NoCause) {
		return nil, x.causeOf(replay.Time)
	}
	slices.SortFunc(found, compareGroups)
	return found, "in long histories, only results of the minimal sub-history are tried"
}

// latest returns the latest operations of the core.
func (x *explainer) latest() []int32 { return x.e.Core[max(0, len(x.e.Core)-limits.coreTried):] }

// singleChanges gives operations of the core other results, one at a time. found are the changes
// that make the history linearizable, one for each operation. starts are the changes that
// do not. values returns the results to try, and an order that is probably a witness with
// the first of them, or nil.
func (b *blamer) singleChanges(values valuesOf) (found [][]replay.FreedResult, starts []replay.FreedResult) {
	for _, i := range slices.Backward(b.latest()) {
		if b.meter.Stopped() || !isFreeable(b.Spec, &b.H.Ops[i]) {
			continue
		}
		results, order := values(i)
		for _, v := range results {
			if op := &b.H.Ops[i]; v.Equal(op.Result) || !mayReturn(b.Spec, op, v) {
				continue
			}
			change := replay.FreedResult{Op: i, Allowed: []history.Value{v}}
			p := b.draft.withResults([]int32{i}, change.Allowed)
			answer := replay.Linearizable
			if order == nil || replay.Verify(p.H, p.Spec, order, b.meter) != nil { // deciding takes longer
				answer = b.check(p, b.meter).Answer
			}
			if answer == replay.NotLinearizable {
				starts = append(starts, change)
				continue
			}
			if answer == replay.Linearizable {
				found = append(found, []replay.FreedResult{change})
			}
			break // if one result is too hard to decide, the others are, too
		}
	}
	return found, starts
}

// valuesOf returns the results that an operation may have had; see singleChanges.
type valuesOf func(op int32) (results []history.Value, order []int32)

// resultsInWitness returns the results that the operation may have in a witness of the history in
// which it is pending, and that witness with the operation placed before its response. Long
// histories would be harder with an unknown result instead.
func (b *blamer) resultsInWitness(i int32) ([]history.Value, []int32) {
	p := b.draft.freed([]int32{i})
	h := p.H
	op := &h.Ops[i]
	until := op.Return
	if !h.HasEdges() {
		op.Return, op.Process = history.NoReturn, int32(len(h.Processes))
		h.Processes = append(slices.Clip(h.Processes), history.StringValue("pending"))
	}
	f := b.check(p, b.meter)
	if f.Answer != replay.Linearizable {
		return nil, nil
	}
	order, end := f.Witness, len(f.Witness)
	if at := slices.Index(order, i); at >= 0 {
		order, end = slices.Delete(order, at, at+1), at
	}
	// Let the operation take effect before its response.
	if at := slices.IndexFunc(order, func(j int32) bool { return h.Ops[j].Call > until }); at >= 0 {
		end = min(end, at)
	}
	order = slices.Insert(order, end, i)
	return b.possibleResults(h, []int32{i}, order)[0], order
}

// pairsWith makes a first change that is not enough by itself. It returns the pairs of it and
// a second change that are enough. The second change is one of the core of the history
// with the first change.
func (b *blamer) pairsWith(first replay.FreedResult, values valuesOf) (found [][]replay.FreedResult) {
	p := b.draft.withResults([]int32{first.Op}, first.Allowed)
	f := b.check(p, b.meter)
	if f.Answer != replay.NotLinearizable {
		return nil
	}
	y := &explainer{Problem: p, session: b.session, meter: b.meter, finding: f, draft: &draft{Problem: p}, e: newExplanation()}
	y.core(y.base())
	c := &blamer{explainer: y, meter: b.meter}
	seconds, _ := c.singleChanges(values)
	for _, group := range seconds {
		if group[0].Op != first.Op {
			group = append(group, first)
			slices.SortFunc(group, func(f, g replay.FreedResult) int { return cmp.Compare(f.Op, g.Op) })
			found = append(found, group)
		}
	}
	return found
}

func compareGroups(a, b []replay.FreedResult) int {
	return slices.CompareFunc(a, b, func(f, g replay.FreedResult) int { return cmp.Compare(f.Op, g.Op) })
}

// isFreeable reports whether the operation has a result and may have had another one.
// A method that returns nothing may have thrown an exception.
func isFreeable(spec replay.Spec, op *history.Operation) bool {
	if op.Pending() || op.Result.Kind() == history.Unknown {
		return false
	}
	return op.Result.Kind() != history.None || mayReturn(spec, op, history.ExceptionValue(""))
}

// mayReturn reports whether v is a result that the object gives to op in some state, as far
// as the specification knows.
func mayReturn(spec replay.Spec, op *history.Operation, v history.Value) bool {
	other := *op
	other.Result = v
	return spec.Check(&other) == nil && replay.Impossible(spec, &other) == ""
}

// A blamer searches for groups of results.
type blamer struct {
	*explainer
	meter    *meter.Meter
	freeable []int32 // operations with a result, operations of the core first
	cause    string  // why groups may have been overlooked
}

// groups returns the groups of the smallest size for which try finds results, in the
// order of their operations.
func (b *blamer) groups() [][]replay.FreedResult {
	var found [][]replay.FreedResult
	level := [][]int32{nil} // groups that are not enough, sorted
	for size := 1; size <= limits.group && len(found) == 0; size++ {
		var tried [][]int32
		for _, free := range level {
			for _, i := range b.decisive(free) {
				if b.meter.Stopped() {
					b.cause = b.causeOf(replay.Time)
					return found
				}
				group := slices.Sorted(slices.Values(append([]int32{i}, free...)))
				at, known := slices.BinarySearchFunc(tried, group, slices.Compare[[]int32])
				if known {
					continue
				}
				tried = slices.Insert(tried, at, group)
				switch answer, results := b.try(group); answer {
				case replay.Undecided:
					b.cause = cmp.Or(b.cause, b.explainer.cause, "work")
				case replay.Linearizable:
					found = append(found, results)
				}
			}
		}
		level = tried
	}
	slices.SortFunc(found, compareGroups)
	return found
}

// try decides the history with the results of the operations free. If it is linearizable,
// try returns the group.
func (b *blamer) try(ops []int32) (replay.Answer, []replay.FreedResult) {
	f := b.check(b.draft.freed(ops), b.meter)
	if f.Answer != replay.Linearizable {
		return f.Answer, nil
	}
	return f.Answer, b.results(ops, f.Witness)
}

// decisive returns a minimal set of operations such that the history fails even if the
// results of all other operations are free. The operations in free are not in the set.
func (b *blamer) decisive(free []int32) []int32 {
	rest := slices.DeleteFunc(slices.Clone(b.freeable), func(i int32) bool { return slices.Contains(free, i) })
	kept, isMinimal := minimize(len(rest), b.meter.Stopped, func(kept []int32) replay.Answer {
		all := slices.Clone(free)
		for k, i := range rest {
			if !slices.Contains(kept, int32(k)) {
				all = append(all, i)
			}
		}
		return b.check(b.draft.freed(all), b.meter).Answer
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

// unknown returns n unknown results.
func unknown(n int) []history.Value {
	return slices.Repeat([]history.Value{history.UnknownValue}, n)
}

// results returns the group with results that the operations might have had.
// witness is a witness of the history in which their results are free.
func (b *blamer) results(ops []int32, witness []int32) []replay.FreedResult {
	results := unknown(len(ops))
	group := make([]replay.FreedResult, len(ops))
	seen := b.possibleResults(b.H, ops, witness)
	for k, op := range ops {
		group[k] = replay.FreedResult{Op: op}
		for at, other := range slices.Concat(seen[k], b.candidates(op)) {
			if len(group[k].Allowed) == limits.allowed {
				break
			}
			if slices.ContainsFunc(group[k].Allowed, other.Equal) {
				continue
			}
			results[k] = other
			if at == 0 && len(seen[k]) == 1 || b.check(b.draft.withResults(ops, results), b.meter).Answer == replay.Linearizable {
				group[k].Allowed = append(group[k].Allowed, other)
			}
			results[k] = history.UnknownValue
		}
		slices.SortFunc(group[k].Allowed, history.Value.Compare)
	}
	return group
}

// possibleResults returns the results that the object may give to the operations in the order
// of the witness, in which their own results are free. Results of a replay.Judge are not
// listed, nor are results of operations that come after the meter has stopped.
func (b *blamer) possibleResults(h *history.History, ops []int32, witness []int32) [][]history.Value {
	seen := make([][]history.Value, len(ops))
	if _, judges := b.Spec.New().(replay.Judge); judges {
		return seen
	}
	w := replay.NewWalk(b.Spec)
	left := len(ops)
	for _, i := range witness {
		if left == 0 || b.meter.MustStop(1) {
			break
		}
		op, k := h.Ops[i], slices.Index(ops, i)
		if k >= 0 {
			op.Result = history.UnknownValue
		}
		results, ok := w.Step(&op)
		b.meter.Call()
		if !ok {
			break
		}
		if k >= 0 {
			seen[k] = slices.Clone(results)
			left--
		}
	}
	return seen
}

// candidates returns results that the operation might have had and that the
// specification accepts: common ones, and results of other calls of its method in the
// history.
func (b *blamer) candidates(op int32) []history.Value {
	like := &b.H.Ops[op]
	var candidates []history.Value
	add := func(v history.Value) {
		if v.Kind() != history.Unknown && !slices.ContainsFunc(candidates, v.Equal) && mayReturn(b.Spec, like, v) {
			candidates = append(candidates, v)
		}
	}
	for _, v := range []history.Value{history.BoolValue(true), history.BoolValue(false), history.NullValue} {
		add(v)
	}
	for i := range b.H.Ops {
		if o := &b.H.Ops[i]; o.Method == like.Method && !o.Pending() {
			add(o.Result)
		}
	}
	return candidates
}
