package explain

import (
	"cmp"
	"maps"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// A local looks for groups in long histories. It first tries each group on a small
// part of the prefix: the operations on the values of the core, and on values near
// the operations of the group. In a witness, the operations of the group concern
// values of the small part, or others. So if the small part fails with the results
// free, and also without the operations, the group is not enough. Otherwise its
// results are tried in the whole history.
type local struct {
	*blamer
	r     *reducer
	ops   []int32        // of the prefix on the parts of the core, without blockers
	units [][]int32      // of these, by their values
	unit  []int32        // of all operations; -1 if they are not in a unit
	rest  []int32        // operations of ops without a unit
	core  map[int32]bool // units
	list  []int32        // the operations of which groups are formed
	left  int            // questions about the whole history
	free  int            // such questions with unknown results
	// more are operations whose values are in all small parts.
	more []int32
}

const (
	// listMax bounds the operations of which groups are formed.
	listMax = 24
	// nearMax is the number of operations before and after one of a group whose
	// values are in the small part.
	nearMax = 12
	// smallMax bounds the operations of a small part, and smallWork the work on one.
	smallMax  = 1000
	smallWork = 1 << 15
	// freeEach bounds the work on a long history with unknown results, for each
	// operation. They make it hard.
	freeEach = 1 << 4
	// baseEach bounds the work on the prefix of a history with another result, for each
	// operation.
	baseEach = 1 << 3
	// wholeMax bounds the questions about the whole history.
	// wholeFree bounds those with unknown results.
	wholeMax  = 24
	wholeFree = 2
)

func newLocal(b *blamer, r *reducer) *local {
	l := &local{blamer: b, r: r, core: map[int32]bool{}, left: wholeMax, free: wholeFree}
	l.unit = slices.Repeat([]int32{-1}, len(r.facts))
	parts := map[int32]bool{}
	for _, i := range r.whole {
		parts[r.facts[i].part] = true
		if r.facts[i].change < 0 {
			b.cause = "in long histories, only results that concern the minimal sub-history are tried"
		}
	}
	for i := range r.facts {
		if f := &r.facts[i]; parts[f.part] && (f.apart || !r.byValues) {
			l.ops = append(l.ops, int32(i))
		}
	}
	values := map[int32]bool{}
	if r.byValues {
		l.units = r.byValue(l.ops).units
		for u, ops := range l.units {
			for _, i := range ops {
				l.unit[i] = int32(u)
			}
		}
		for _, i := range r.whole {
			if u := l.unit[i]; u >= 0 {
				l.core[u] = true
			}
			for _, v := range r.facts[i].value {
				values[v] = v >= 0
			}
		}
	}
	for _, i := range l.ops {
		if l.unit[i] < 0 {
			l.rest = append(l.rest, i)
		}
	}
	for i := range r.facts {
		f := &r.facts[i]
		_, inCore := slices.BinarySearch(r.whole, int32(i))
		concerned := parts[f.part] && (!r.byValues || values[f.value[0]] || values[f.value[1]])
		if (inCore || concerned && !l.isRead(int32(i))) && isFreeable(l.Spec, &r.h.Ops[i]) {
			l.list = append(l.list, int32(i))
		}
	}
	slices.SortStableFunc(l.list, func(i, j int32) int { return cmp.Compare(l.distance(i), l.distance(j)) })
	if len(l.list) > listMax {
		l.list = l.list[:listMax]
		b.cause = cmp.Or(b.cause, "in long histories, only the results next to the unexplained one are tried")
	}
	return l
}

func (l *local) distance(i int32) int32 {
	if l.r.last == replay.NoOperation {
		return 0
	}
	return max(i-l.r.last, l.r.last-i)
}

// isRead reports whether the operation changes nothing, whatever its result is.
func (l *local) isRead(i int32) bool {
	op := l.h.Ops[i]
	op.Result = history.UnknownValue
	return replay.FactsOf(l.Spec, &op).ReadOnly
}

func (l *local) decisive(free []int32) []int32 {
	var rest []int32
	for _, i := range l.list {
		if !slices.Contains(free, i) {
			rest = append(rest, i)
		}
	}
	return rest
}

// small returns the operations of the small part for a group, with the values of so
// many operations before and after each of it.
func (l *local) small(group []int32, near int) []int32 {
	if !l.r.byValues {
		return slices.Compact(slices.Sorted(slices.Values(slices.Concat(l.ops, group))))
	}
	units := maps.Clone(l.core)
	for _, i := range l.more {
		if int(i) < len(l.unit) && l.unit[i] >= 0 {
			units[l.unit[i]] = true
		}
	}
	for _, i := range slices.Concat(group, []int32{l.r.last}) {
		at, _ := slices.BinarySearch(l.ops, i)
		for _, j := range l.ops[max(0, at-near):min(len(l.ops), at+near+1)] {
			if u := l.unit[j]; u >= 0 {
				units[u] = true
			}
		}
	}
	l.meter.Spend(len(l.rest))
	ops := slices.Concat(l.rest, group)
	for u := range units {
		ops = append(ops, l.units[u]...)
	}
	slices.Sort(ops)
	return slices.Compact(ops)
}

// try tries a group.
func (l *local) try(group []int32) (replay.Answer, []replay.FreedResult) {
	answer, found := l.trySmall(group)
	if answer == replay.NotLinearizable {
		return answer, nil
	}
	options := [][][]history.Value{found}
	if len(group) == 1 && found != nil {
		options = nil
		for _, v := range l.options(group[0], found[0]) {
			options = append(options, [][]history.Value{{v}})
		}
	}
	last := replay.Undecided
	for _, found := range options {
		if l.left--; l.left < 0 {
			l.explainer.cause = "work"
			return replay.Undecided, nil
		}
		var results []replay.FreedResult
		if last, results = l.tryWhole(group, found); last != replay.Undecided {
			return last, results
		}
	}
	return last, nil
}

// options returns some results that an operation may have in the small part:
// values of the core, and those that were found.
func (l *local) options(i int32, found []history.Value) []history.Value {
	a, ok := l.attempt([]int32{i}, [][]history.Value{found})
	if !ok {
		return found
	}
	if l.spare.give(a.h); a.exact {
		return found
	}
	ops := l.small([]int32{i}, 0)
	part := l.spare.sub(l.r.h, ops)
	at, _ := slices.BinarySearch(ops, i)
	var options []history.Value
	try := func(v history.Value) {
		op := part.Ops[at]
		op.Result = v
		if len(options) < optionsMax && v.Kind() != history.None && !slices.ContainsFunc(options, v.Equal) && l.Spec.Check(&op) == nil &&
			l.askOnce(l.spare.with(part, []int32{int32(at)}, []history.Value{v}), l.meter.Share(smallWork)).Answer == replay.Linearizable {
			options = append(options, v)
		}
	}
	for _, j := range slices.Concat(l.more, l.r.whole) {
		for _, v := range replay.ConcernOf(l.Spec, &l.h.Ops[j]).Values {
			try(v)
		}
	}
	for _, v := range append(found, history.NullValue) {
		try(v)
	}
	return options
}

// optionsMax bounds the results of an operation that are tried.
const optionsMax = 4

// trySmall tries a group on the small part. It returns results of the operations if
// there are any. Values that are near are left out if that is too hard with them.
func (l *local) trySmall(group []int32) (answer replay.Answer, found [][]history.Value) {
	for _, near := range []int{nearMax, 0} {
		ops := l.small(group, near)
		if len(ops) > smallMax {
			continue
		}
		part := l.spare.sub(l.r.h, ops)
		inPart := make([]int32, len(group))
		for k, i := range group {
			at, _ := slices.BinarySearch(ops, i)
			inPart[k] = int32(at)
		}
		switch f := l.askOnce(l.spare.freed(part, inPart), l.meter.Share(smallWork)); f.Answer {
		case replay.Linearizable:
			return f.Answer, l.seen(part, inPart, f.Witness)
		case replay.NotLinearizable:
			return l.askOnce(l.spare.sub(l.r.h, without(ops, group)), l.meter.Share(smallWork)).Answer, nil
		}
	}
	return replay.Undecided, nil
}

// An attempt is a history in which the operations of a group have other results.
type attempt struct {
	h       *history.History
	reads   []int32 // of the group; they are pending in h
	others  []int32
	results []history.Value // of others
	exact   bool            // others cannot have different results
}

// attempt gives the operations of a group results that the small part allows; found
// are these. It returns false if one has none. Reads become pending, which leaves
// out what they returned.
func (l *local) attempt(group []int32, found [][]history.Value) (a attempt, ok bool) {
	a.exact = true
	for k, i := range group {
		op := l.h.Ops[i]
		switch {
		case l.isRead(i) && !l.h.HasEdges() && !l.isNondeterministic():
			a.reads = append(a.reads, i)
			continue
		case l.isBool(op):
			a.results = append(a.results, history.BoolValue(!op.Result.Bool()))
		case found == nil || len(found[k]) == 0:
			return a, false
		default:
			a.exact = false
			a.results = append(a.results, found[k][0])
		}
		a.others = append(a.others, i)
	}
	a.h = l.spare.with(l.h, a.others, a.results)
	for _, i := range a.reads {
		op := &a.h.Ops[i]
		op.Return, op.Result, op.Process = history.NoReturn, history.UnknownValue, int32(len(a.h.Processes))
		a.h.Processes = append(slices.Clip(a.h.Processes), history.StringValue("reads"))
	}
	return a, true
}

// tryWhole tries a group on the whole history.
func (l *local) tryWhole(group []int32, found [][]history.Value) (replay.Answer, []replay.FreedResult) {
	a, ok := l.attempt(group, found)
	if !ok {
		return l.tryFree(group)
	}
	f := l.askOnce(a.h, l.meter)
	switch {
	case f.Answer == replay.NotLinearizable && !a.exact:
		l.explainer.cause = "in long histories, few results are tried for each operation"
		return replay.Undecided, nil
	case f.Answer != replay.Linearizable:
		return f.Answer, nil
	}
	order := slices.DeleteFunc(f.Witness, func(i int32) bool { return slices.Contains(a.reads, i) })
	var freed []replay.FreedResult
	for _, i := range group {
		r := replay.FreedResult{Op: i}
		if at := slices.Index(a.others, i); at >= 0 {
			r.Allowed = []history.Value{a.results[at]}
		} else {
			r.Allowed = l.readsIn(order, i)
		}
		freed = append(freed, r)
	}
	return replay.Linearizable, freed
}

// deeperMax is the number of operations for each of which another result is fixed
// to look for a second one.
const deeperMax = 3

// pairs returns a group of two: an operation of the core, and one that explains what
// is left when it has another result. The second may be anywhere.
func (l *local) pairs() [][]replay.FreedResult {
	for _, i := range l.list[:min(len(l.list), deeperMax)] {
		answer, found := l.trySmall([]int32{i})
		if answer == replay.NotLinearizable {
			continue
		}
		options := [][][]history.Value{found}
		if found != nil {
			options = nil
			for _, v := range l.options(i, found[0]) {
				options = append(options, [][]history.Value{{v}})
			}
		}
		for _, found := range options {
			if pair := l.pairOf(i, found); pair != nil {
				return [][]replay.FreedResult{pair}
			}
		}
	}
	return nil
}

// pairOf returns a pair of i, which gets what was found for it, and another one.
func (l *local) pairOf(i int32, found [][]history.Value) []replay.FreedResult {
	a, ok := l.attempt([]int32{i}, found)
	if !ok {
		return nil
	}
	defer l.spare.give(a.h)
	f := l.ask(a.h, l.meter)
	if f.Answer != replay.NotLinearizable {
		return nil
	}
	x := newExplainer(l.Problem, l.spare)
	x.History, x.Finding, x.Meter = a.h, &f, l.meter.Share(smallWork+int64(len(a.h.Ops))*baseEach)
	base, conflict := x.base()
	x.Meter = l.meter
	second := newLocal(&blamer{explainer: x, h: a.h, meter: l.meter}, x.core(base, conflict))
	second.more, second.free = l.r.whole, 0
	for _, group := range second.groups(1, second.decisive, second.try) {
		other := group[0].Op
		if other == i {
			continue
		}
		// The first one is free, too, and results of both have to be found.
		both, values := []int32{i, other}, [][]history.Value{a.results, group[0].Allowed}
		if other < i {
			both, values = []int32{other, i}, [][]history.Value{group[0].Allowed, a.results}
		}
		if answer, results := l.tryWhole(both, values); answer == replay.Linearizable {
			return results
		}
	}
	return nil
}

// tryFree decides the whole history with the results free.
func (l *local) tryFree(group []int32) (replay.Answer, []replay.FreedResult) {
	if l.free--; l.free < 0 {
		l.explainer.cause = "in long histories, few results are tried for each operation"
		return replay.Undecided, nil
	}
	f := l.askOnce(l.spare.freed(l.h, group), l.meter.Share(smallWork+int64(len(l.h.Ops))*freeEach))
	if f.Answer != replay.Linearizable {
		return f.Answer, nil
	}
	var results []replay.FreedResult
	for k, values := range l.seen(l.h, group, f.Witness) {
		r := replay.FreedResult{Op: group[k]}
		if len(values) == 1 {
			r.Allowed = values
		}
		results = append(results, r)
	}
	return f.Answer, results
}

func (l *local) isNondeterministic() bool {
	_, several := l.Spec.New().(replay.Nondeterministic)
	return several
}

// isBool reports whether the operation can return true and false and nothing else.
func (l *local) isBool(op history.Operation) bool {
	if op.Result.Kind() != history.Bool {
		return false
	}
	for _, other := range []history.Value{history.NullValue, history.IntValue(0), history.StringValue(""), history.ListValue()} {
		op.Result = other
		if l.Spec.Check(&op) == nil && replay.Impossible(l.Spec, &op) == "" {
			return false
		}
	}
	return true
}

// readsIn returns results of a read at its possible places in an order of the
// other operations.
func (l *local) readsIn(order []int32, read int32) []history.Value {
	op := &l.h.Ops[read]
	first, end := 0, len(order) // it may be put in before order[first] to before order[end]
	for k, i := range order {
		switch other := &l.h.Ops[i]; {
		case other.Return < op.Call:
			first = k + 1
		case other.Call > op.Return && end == len(order):
			end = k
		}
	}
	var values []history.Value
	object := l.Spec.New()
	for k := 0; k <= end && len(values) < allowedMax && !l.meter.MustStop(1); k++ {
		if k >= first {
			result, ok := object.Apply(replay.Invocation{Method: op.Method, Args: op.Args})
			if ok && !slices.ContainsFunc(values, result.Equal) {
				values = append(values, result)
			}
		}
		if k < end {
			i := order[k]
			object.Apply(replay.Invocation{Method: l.h.Ops[i].Method, Args: l.h.Ops[i].Args})
			l.meter.Call()
		}
	}
	slices.SortFunc(values, history.Value.Compare)
	return values
}
