package explain

import (
	"cmp"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
)

// core finds a minimal sub-history of base, which fails; conflict are operations
// that are known to fail by themselves.
func (x *explainer) core(base *history.History, conflict []int32) {
	r := newReducer(base, x.spec)
	r.bytes, r.meter, r.unexplained = x.bytes, x.share(60), x.e.Unexplained
	r.decide = func(h *history.History) replay.Finding { return x.check(h, r.meter) }
	r.conflict = conflict
	isMinimal := r.reduce()
	x.e.Core = r.ops
	if !isMinimal {
		x.missFor("core", x.causeOf(replay.Time)+": the sub-history found fails, but may not be minimal")
	}
	x.coreOrder(base)
}

// A reducer leaves operations out of a history that fails, so that the rest still
// fails. The package comment has the rules.
type reducer struct {
	h      *history.History
	spec   replay.Spec
	decide func(*history.History) replay.Finding
	meter  *meter.Meter
	bytes  int64

	ops          []int32 // the remaining operations
	unexplained  int32   // the operation whose response no order explains, or NoOperation
	conflict     []int32 // operations that probably fail by themselves
	hasUndecided bool    // some history stayed undecided

	facts []opFacts
	value numbering // numbers the values of each part
	parts numbering // numbers the parts
}

// opFacts are the facts about an operation that the rules use.
type opFacts struct {
	part     int32    // number of its part, or -1
	value    [2]int32 // numbers of its values, or -1
	readOnly bool
	apart    bool
	vacant   bool
	change   int8
}

func newReducer(h *history.History, spec replay.Spec) *reducer {
	r := &reducer{h: h, spec: spec, ops: make([]int32, len(h.Ops)), facts: make([]opFacts, len(h.Ops))}
	partitioned := replay.TraitsOf(spec).Partitioned
	for i := range h.Ops {
		op := &h.Ops[i]
		known, c := replay.FactsOf(spec, op), replay.ConcernOf(spec, op)
		f := opFacts{part: -1, value: [2]int32{-1, -1}, readOnly: known.ReadOnly, apart: c.Apart, vacant: c.Vacant, change: c.Change}
		if part, ok := known.PartOf(op); ok && partitioned {
			f.part = r.parts.number(0, part)
		}
		for k, v := range c.Values {
			if v.Kind() != history.None {
				f.value[k] = r.value.number(f.part, v)
			}
		}
		if op.Happened { // so it must take effect
			f.apart = false
		}
		r.ops[i], r.facts[i] = int32(i), f
	}
	return r
}

// A numbering numbers values of parts.
type numbering struct {
	ints  map[numberedInt]int32
	other map[string]int32
	key   []byte
}

type numberedInt struct {
	part  int32
	value int64
}

func (n *numbering) size() int { return len(n.ints) + len(n.other) }

func (n *numbering) number(part int32, v history.Value) int32 {
	if n.ints == nil {
		n.ints, n.other = map[numberedInt]int32{}, map[string]int32{}
	}
	next := int32(n.size())
	if v.Kind() == history.Int {
		key := numberedInt{part, v.Int()}
		if known, ok := n.ints[key]; ok {
			return known
		}
		n.ints[key] = next
		return next
	}
	n.key = history.IntValue(int64(part)).AppendKey(n.key[:0])
	n.key = v.AppendKey(n.key)
	if known, ok := n.other[string(n.key)]; ok {
		return known
	}
	n.other[string(n.key)] = next
	return next
}

// fails decides the sub-history of some operations.
func (r *reducer) fails(ops []int32) replay.Answer {
	f := r.decide(sub(r.h, ops))
	switch {
	case f.Answer == replay.Undecided:
		r.hasUndecided = true
	case f.Conflict != nil:
		r.conflict = r.conflict[:0:0]
		for _, i := range f.Conflict {
			r.conflict = append(r.conflict, ops[i])
		}
	}
	return f.Answer
}

// reduce applies the rules until none applies. It returns false if some history stayed
// undecided; then the result may not be minimal.
func (r *reducer) reduce() bool {
	for n := -1; n != len(r.ops) && !r.hasUndecided; {
		n = len(r.ops)
		r.leaveOut(r.byPart)
		r.leaveOut(r.byValue)
		r.leaveOut(r.oneByOne)
		r.cutLoops()
	}
	return !r.hasUndecided
}

// A division is a division of the remaining operations by a rule. Each unit may be left
// out by itself if no blockers remain. Operations in kept always remain.
type division struct {
	kept     []int32
	units    [][]int32
	blockers []int32
}

// leaveOut leaves out as many units as possible.
func (r *reducer) leaveOut(divide func([]int32) division) {
	d := divide(r.ops)
	if len(d.blockers) > 0 && len(d.units) > 0 {
		for _, i := range d.blockers {
			if !r.facts[i].readOnly {
				return
			}
		}
		rest := without(r.ops, d.blockers)
		if r.fails(rest) != replay.NotLinearizable {
			return
		}
		r.ops = rest
		d = divide(rest)
	}
	if len(d.units) == 0 {
		return
	}
	r.sortUnits(d.units)
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

// sortUnits sorts the units by how likely they are needed: first the operation whose
// response no order explains, then operations that fail by themselves, then the latest
// ones.
func (r *reducer) sortUnits(units [][]int32) {
	inConflict := map[int32]bool{}
	for _, i := range r.conflict {
		inConflict[i] = true
	}
	rank := func(unit []int32) int {
		rank := 2
		for _, i := range unit {
			switch {
			case i == r.unexplained:
				return 0
			case inConflict[i]:
				rank = 1
			}
		}
		return rank
	}
	type ranked struct {
		unit []int32
		rank int
	}
	list := make([]ranked, len(units))
	for k, u := range units {
		list[k] = ranked{u, rank(u)}
	}
	slices.SortFunc(list, func(a, b ranked) int { // the last operations of units differ
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(b.unit[len(b.unit)-1], a.unit[len(a.unit)-1]))
	})
	for k := range list {
		units[k] = list[k].unit
	}
}

// byPart divides the operations by the parts that they concern.
func (r *reducer) byPart(ops []int32) (d division) {
	parts := newUnits(r.parts.size())
	for _, i := range ops {
		switch f := &r.facts[i]; {
		case f.part >= 0:
			parts.put(f.part, i)
		case f.apart:
			d.kept = append(d.kept, i)
		default:
			d.blockers = append(d.blockers, i)
		}
	}
	if d.units = parts.list(); len(d.units) == 0 {
		return division{}
	}
	return d
}

// units are lists of operations that have a number in common.
type units struct {
	of   []int32 // number -> unit + 1, or 0
	ops  []int32
	unit []int32 // index into ops -> unit
	size []int   // unit -> number of operations
}

func newUnits(numbers int) *units { return &units{of: make([]int32, numbers)} }

// put adds an operation to the unit of a number.
func (u *units) put(number, op int32) {
	if u.of[number] == 0 {
		u.size = append(u.size, 0)
		u.of[number] = int32(len(u.size))
	}
	unit := u.of[number] - 1
	u.ops, u.unit = append(u.ops, op), append(u.unit, unit)
	u.size[unit]++
}

// list returns the units in the order of their first operations.
func (u *units) list() [][]int32 {
	all := make([]int32, len(u.ops))
	list := make([][]int32, len(u.size))
	for k, size := range u.size {
		list[k], all = all[:0:size], all[size:]
	}
	for k, op := range u.ops {
		list[u.unit[k]] = append(list[u.unit[k]], op)
	}
	return list
}

// byValue divides the operations by the values that they are about. Two values of
// one operation belong together.
func (r *reducer) byValue(ops []int32) (d division) {
	partitioned := replay.TraitsOf(r.spec).Partitioned
	same := map[int32]int32{} // value -> another one of its unit
	find := func(v int32) int32 {
		for {
			w, ok := same[v]
			if !ok {
				return v
			}
			if up, ok := same[w]; ok {
				same[v] = up
			}
			v = w
		}
	}
	for _, i := range ops {
		if f := &r.facts[i]; f.apart && f.value[1] >= 0 {
			if a, b := find(f.value[0]), find(f.value[1]); a != b {
				same[a] = b
			}
		}
	}
	values := newUnits(r.value.size())
	for _, i := range ops {
		switch f := &r.facts[i]; {
		case !f.apart || partitioned && f.part < 0:
			d.blockers = append(d.blockers, i)
		case f.value[0] >= 0:
			values.put(find(f.value[0]), i)
		default:
			d.kept = append(d.kept, i)
		}
	}
	d.units = values.list()
	return d
}

// oneByOne divides the operations that change nothing.
func (r *reducer) oneByOne(ops []int32) (d division) {
	nulls := r.nulls(ops)
	for _, i := range ops {
		if f := &r.facts[i]; f.readOnly || f.vacant && !nulls[f.value[0]] {
			d.units = append(d.units, []int32{i})
		} else {
			d.kept = append(d.kept, i)
		}
	}
	return d
}

// nulls returns the numbers of those values null that may have been inserted.
func (r *reducer) nulls(ops []int32) map[int32]bool {
	vacant, nulls := map[int32]bool{}, map[int32]bool{}
	for _, i := range ops {
		if f := &r.facts[i]; f.vacant {
			vacant[f.value[0]] = true
		}
	}
	for _, i := range ops {
		for _, v := range r.facts[i].value {
			if vacant[v] && !r.facts[i].vacant {
				nulls[v] = true
			}
		}
	}
	return nulls
}
