package explain

import (
	"cmp"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
)

// core finds a minimal sub-history of base, which fails.
func (x *explainer) core(base *ops.Problem) {
	r := x.reducerOf(base)
	r.meter = x.share(60)
	r.decide = func(p *ops.Problem) replay.Finding { return x.check(p, r.meter) }
	r.project()
	switch {
	case x.finding.Versions != "" && r.chooses(x.finding.Conflict...): // whatever the others are
	case x.e.Impossible != "" && r.chooses(x.e.Unexplained):
	default:
		r.reduce()
	}
	core := r.ops
	if r.projector != nil {
		core = make([]int32, len(r.ops))
		for k, i := range r.ops {
			core[k] = r.of[i]
		}
	}
	cause := x.setCore(base.H, core)
	if cause == "" {
		x.setCoreOps(r)
	}
	if cause == "" && r.hasUndecided {
		cause = x.causeOf(replay.Time) + ": the sub-history found fails, but may not be minimal"
	}
	if cause != "" {
		x.missFor("core", cause)
	}
}

// setCoreOps sets the operations of the core if a projection left something out of them.
func (x *explainer) setCoreOps(r *reducer) {
	if r.projector == nil {
		return
	}
	x.projector, x.e.Parts, x.e.Elements = r.projector, r.projector.parts.list, r.projector.elements.list
	slices.SortFunc(x.e.Parts, history.Value.Compare)
	slices.SortFunc(x.e.Elements, history.Value.Compare)
	for k, i := range r.ops {
		op := x.H.Ops[x.e.Core[k]]
		op.Args, op.Result = r.H.Ops[i].Args, r.H.Ops[i].Result
		x.e.CoreOps = append(x.e.CoreOps, op)
	}
}

// reducerOf returns a reducer of base, which has all operations.
func (x *explainer) reducerOf(base *ops.Problem) *reducer {
	if x.reducer == nil {
		x.reducer = newReducer(base)
	}
	r := *x.reducer
	return &r
}

// A reducer leaves operations out of a history that fails, so that the rest still
// fails. The package comment has the rules.
type reducer struct {
	*ops.Problem
	decide func(*ops.Problem) replay.Finding
	meter  *meter.Meter

	ops          []int32 // the remaining operations
	hasUndecided bool    // some history stayed undecided

	facts         []opFacts
	parts, values int32 // how many numbers there are
	hasNull       bool  // null may have been inserted

	projector *projector // made the problem, or nil
	of        []int32    // operation of the projected problem -> operation
}

// opFacts are the facts about an operation that the rules use.
type opFacts struct {
	part     int32    // number of its part, or -1
	value    [2]int32 // numbers of its values, or -1
	readOnly bool
	apart    bool
	vacant   bool
}

func newReducer(p *ops.Problem) *reducer {
	n, c := len(p.H.Ops), p.Columns(nil)
	r := &reducer{Problem: p, ops: make([]int32, n), facts: make([]opFacts, n), parts: c.Parts}
	values, steps := ops.NewPairing(n), make([]replay.CellStep, 0, 8)
	for i := range n {
		op := &p.H.Ops[i]
		known := replay.FactsOf(p.Spec, op)
		about, isVacant := concern(p, op, &known, steps)
		f := opFacts{part: ops.None, value: [2]int32{ops.None, ops.None}, readOnly: c.ReadOnly[i], apart: known.Apart, vacant: isVacant}
		if p.Traits().Partitioned {
			f.part = c.Part[i]
		}
		for k, v := range about {
			if v.Kind() != history.None {
				f.value[k] = values.Number(f.part, v)
				r.hasNull = r.hasNull || v.Kind() == history.Null && !isVacant
			}
		}
		if op.Happened { // so it must take effect
			f.apart = false
		}
		r.ops[i], r.facts[i] = int32(i), f
	}
	r.values = values.Len()
	return r
}

// chooses leaves out all operations but some of the whole history, if these fail.
func (r *reducer) chooses(some ...int32) bool {
	some = slices.Clone(some)
	for k, op := range some {
		if r.of != nil {
			at, _ := slices.BinarySearch(r.of, op)
			some[k] = int32(at)
		}
		if int(some[k]) >= len(r.H.Ops) {
			return false
		}
	}
	if r.fails(some) != replay.NotLinearizable {
		return false
	}
	r.ops = some
	return true
}

// fails decides the sub-history of some operations.
func (r *reducer) fails(chosen []int32) replay.Answer {
	f := r.decide(r.Sub(chosen))
	r.hasUndecided = r.hasUndecided || f.Answer == replay.Undecided
	return f.Answer
}

// reduce applies the rules until none applies, or until some history stays undecided; then
// the result may not be minimal.
func (r *reducer) reduce() {
	for n := -1; n != len(r.ops) && !r.hasUndecided; {
		n = len(r.ops)
		r.leaveOutSpare()
		r.leaveOut(r.byPart)
		r.leaveOut(r.byValue)
		r.leaveOutSpare()
		r.leaveOut(r.oneByOne)
		r.cutLoops()
	}
}

// leaveOutSpare leaves out pending removals for which nothing is left.
func (r *reducer) leaveOutSpare() {
	if kept := r.withoutSpare(); len(kept) < len(r.ops) && r.fails(kept) == replay.NotLinearizable {
		r.ops = kept
	}
}

// withoutSpare returns the remaining operations without the pending removals for which
// nothing is left.
func (r *reducer) withoutSpare() (kept []int32) {
	c := r.Columns(nil)
	left, total := make([]int, c.Values), 0 // how often each value is inserted and not taken
	for _, i := range r.ops {
		switch v := c.Value[i]; {
		case c.Role[i] == replay.Other && !r.facts[i].readOnly: // it may insert anything
			return r.ops
		case v == ops.None:
		case c.Role[i] == replay.Insert || c.Role[i] == replay.InsertFront:
			left[v]++
		case c.Role[i] == replay.Remove || c.Role[i] == replay.RemoveFront:
			left[v]--
		}
	}
	for _, n := range left {
		total += max(0, n)
	}
	if total > 0 && r.H.HasEdges() { // another one cannot take its place
		return r.ops
	}
	room := map[replay.Role]int{replay.Remove: total, replay.RemoveFront: total}
	for _, i := range r.ops { // in the order of their invocations
		if role := c.Role[i]; r.H.Ops[i].Pending() && c.Value[i] == ops.None && !r.H.Ops[i].Happened {
			if n, isRemoval := room[role]; isRemoval {
				if n == 0 {
					continue
				}
				room[role]--
			}
		}
		kept = append(kept, i)
	}
	return kept
}

// A division is a division of the remaining operations by a rule. Each unit may be left
// out by itself if no blockers remain. Operations in kept always remain.
type division struct {
	kept     []int32
	units    [][]int32
	blockers []int32
}

// canDrop reports whether the blockers change nothing.
func (r *reducer) canDrop(blockers []int32) bool {
	return !slices.ContainsFunc(blockers, func(i int32) bool { return !r.facts[i].readOnly })
}

// leaveOut leaves out as many units as possible.
func (r *reducer) leaveOut(divide func([]int32) division) {
	d := divide(r.ops)
	if len(d.blockers) > 0 && len(d.units) > 0 {
		rest := without(r.ops, d.blockers)
		if !r.canDrop(d.blockers) || r.fails(rest) != replay.NotLinearizable {
			return
		}
		r.ops = rest
		d = divide(rest)
	}
	if len(d.units) == 0 {
		return
	}
	// The latest operations are probably needed. The last operations of units differ.
	slices.SortFunc(d.units, func(a, b []int32) int { return cmp.Compare(b[len(b)-1], a[len(a)-1]) })
	with := func(units []int32) []int32 {
		r.meter.Spend(len(d.kept))
		ops := slices.Clone(d.kept)
		for _, u := range units {
			ops = append(ops, d.units[u]...)
		}
		slices.Sort(ops)
		return ops
	}
	units, isMinimal := minimize(len(d.units), r.meter.Stopped, func(units []int32) replay.Answer { return r.fails(with(units)) })
	r.ops, r.hasUndecided = with(units), r.hasUndecided || !isMinimal
}

// without returns the operations that are not among others. Both lists are sorted.
func without(ops, others []int32) []int32 {
	var rest []int32
	for _, i := range ops {
		for len(others) > 0 && others[0] < i {
			others = others[1:]
		}
		if len(others) == 0 || others[0] != i {
			rest = append(rest, i)
		}
	}
	return rest
}

// byPart divides the operations by the parts that they concern.
func (r *reducer) byPart(chosen []int32) (d division) {
	d.units = unitsOf(chosen, r.parts, func(i int32) int32 { return r.facts[i].part })
	if len(d.units) == 0 {
		return division{}
	}
	for _, i := range chosen {
		switch f := &r.facts[i]; {
		case f.part >= 0:
		case f.apart:
			d.kept = append(d.kept, i)
		default:
			d.blockers = append(d.blockers, i)
		}
	}
	return d
}

// unitsOf returns the operations with each key, which is less than keys; see ops.Group.
func unitsOf(chosen []int32, keys int32, key func(op int32) int32) (units [][]int32) {
	lists := ops.Group(len(chosen), int(keys), func(k int32) int32 { return key(chosen[k]) })
	for key := range keys {
		unit := lists.Of(key)
		for i, k := range unit {
			unit[i] = chosen[k]
		}
		if len(unit) > 0 {
			units = append(units, unit)
		}
	}
	return units
}

// partOf returns the operations of the part that op concerns. They include operations on
// several parts that may change it. partOf returns all operations if op concerns
// several parts, or if an operation on several parts depends on other parts.
func (r *reducer) partOf(op int32) []int32 {
	d := r.byPart(r.ops)
	if r.facts[op].part < 0 || !r.canDrop(d.blockers) {
		return r.ops
	}
	for _, unit := range d.units {
		if _, found := slices.BinarySearch(unit, op); found {
			return slices.Sorted(slices.Values(slices.Concat(unit, d.kept)))
		}
	}
	return r.ops
}

// byValue divides the operations by the values that they are about. Two values of
// one operation belong together.
func (r *reducer) byValue(chosen []int32) (d division) {
	same := make([]int32, r.values) // value -> itself, or another one of its unit
	for v := range same {
		same[v] = int32(v)
	}
	find := func(v int32) int32 {
		for same[v] != v {
			same[v] = same[same[v]]
			v = same[v]
		}
		return v
	}
	partitioned := r.Traits().Partitioned
	isBlocker := func(f *opFacts) bool { return !f.apart || partitioned && f.part < 0 }
	for _, i := range chosen {
		f := &r.facts[i]
		if f.apart && f.value[1] >= 0 {
			same[find(f.value[0])] = find(f.value[1])
		}
		switch {
		case isBlocker(f):
			d.blockers = append(d.blockers, i)
		case f.value[0] < 0:
			d.kept = append(d.kept, i)
		}
	}
	d.units = unitsOf(chosen, r.values, func(i int32) int32 {
		if f := &r.facts[i]; f.value[0] >= 0 && !isBlocker(f) {
			return find(f.value[0])
		}
		return ops.None
	})
	return d
}

// oneByOne divides the operations that change nothing.
func (r *reducer) oneByOne(ops []int32) (d division) {
	for _, i := range ops {
		if f := &r.facts[i]; f.readOnly || f.vacant && !r.hasNull {
			d.units = append(d.units, []int32{i})
		} else {
			d.kept = append(d.kept, i)
		}
	}
	return d
}

// minimize finds a minimal subset of n elements that fails. The whole set fails, and
// every superset of a failing set fails. Elements that are likely needed should come
// first. fails gets the elements known to be needed, and then others in order. minimize
// returns false if fails returned replay.Undecided; then a smaller set may fail as well.
// It ends early if stopped returns true.
//
// If the first k elements of a list fail and the first k-1 do not, the k-th is needed. It
// moves to the front, and the search continues until the elements in front fail by
// themselves. Each step tries few elements first, so the work depends on the number of
// needed elements and on their places in the list, and hardly on n.
func minimize(n int, stopped func() bool, fails func(kept []int32) replay.Answer) (kept []int32, isMinimal bool) {
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(i)
	}
	isMinimal = true
	for needed := 0; ; needed++ {
		low, high := needed, len(list) // list[:high] fails
		for step := 0; low < high; {
			if stopped() {
				return list[:high], false
			}
			k := min(needed+step, (low+high)/2)
			k = max(k, low)
			switch fails(list[:k]) {
			case replay.NotLinearizable:
				high = k
			case replay.Undecided:
				isMinimal = false
				fallthrough
			default:
				low = k + 1
			}
			step = 2*step + 1
		}
		if high == needed {
			return list[:needed], isMinimal
		}
		last := list[high-1]
		copy(list[needed+1:high], list[needed:high-1])
		list[needed] = last
		list = list[:high]
	}
}
