package tables

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// Study returns tables about what depth depends on, over the linearizable
// histories that are not sequential: quantiles of depth by archive and class,
// rank correlations with possible predictors, and depth by value of some of
// these.
func (c *Collection) Study() []*Table {
	return []*Table{c.quantiles(), c.predictors(), c.byValue()}
}

// studied are the measurements of a study.
func studied(ms []*Measurement) []*Measurement {
	return only(ms, func(m *Measurement) bool { return isLinearizable(m) && m.CP > 0 })
}

// archiveGroups are the archives, followed by the classes of each.
func (c *Collection) archiveGroups(classes bool) []*class {
	var groups []*class
	for _, k := range c.classes(true) {
		if n := len(groups); n == 0 || groups[n-1].archive != k.archive {
			in := only(c.all, func(m *Measurement) bool { return m.Archive == k.archive })
			groups = append(groups, newClass("all", k.archive, in))
		}
	}
	if classes {
		groups = append(groups, c.classes(true)...)
		slices.SortStableFunc(groups, func(a, b *class) int { return cmp.Compare(a.archive, b.archive) })
	}
	return groups
}

// shares are the quantiles of depth in the study, in percent.
var shares = []float64{50, 90, 99, 99.9, 100}

// quantiles returns the table of depths that suffice for a share of the histories, and of
// the bounds m n^(d-1) on the schedules of families of these depths.
func (c *Collection) quantiles() *Table {
	t := &Table{ID: "quantiles", Title: "Depths that suffice for a share of the histories, and m n^(d-1) for these",
		Columns: []string{"archive", "class", "histories", "mean depth", "mean exact"}}
	for _, what := range []string{"depth", "schedules"} {
		for _, s := range shares {
			t.Columns = append(t.Columns, fmt.Sprintf("%s %g%%", what, s))
		}
	}
	for _, k := range c.archiveGroups(true) {
		ms := studied(k.all)
		row := []any{k.archive, k.name, len(ms), mean(ms, func(m *Measurement) any { return found(m.Depth) }),
			mean(ms, func(m *Measurement) any { return found(m.Exact) })}
		for _, value := range []func(*Measurement) float64{
			func(m *Measurement) float64 { return orInfinite(m.Depth) },
			(*Measurement).schedules,
		} {
			row = append(row, quantileCells(ms, value)...)
		}
		t.add(row...)
	}
	t.notef("Depths that are not known count as larger than all others.")
	return t
}

func orInfinite(depth int) float64 {
	if depth == 0 {
		return math.Inf(1)
	}
	return float64(depth)
}

// schedules returns m n^(d-1), for m chains, n operations and the witness depth d.
func (m *Measurement) schedules() float64 {
	chains := m.Processes
	if m.Processes == m.Ops {
		chains = m.C // of a minimum partition
	}
	return float64(chains) * math.Pow(float64(m.Ops), orInfinite(m.Depth)-1)
}

// quantileCells are the smallest values that are not exceeded by the shares; nil
// where that is infinite.
func quantileCells(ms []*Measurement, value func(*Measurement) float64) []any {
	sorted := values(ms, value)
	slices.Sort(sorted)
	var cells []any
	for _, s := range shares {
		at := int(math.Ceil(s*float64(len(sorted))/100)) - 1
		if at < 0 || math.IsInf(sorted[at], 1) {
			cells = append(cells, nil)
		} else {
			cells = append(cells, decimal{sorted[at], 0})
		}
	}
	return cells
}

func values(ms []*Measurement, value func(*Measurement) float64) []float64 {
	var vs []float64
	for _, m := range ms {
		vs = append(vs, value(m))
	}
	return vs
}

// A predictor is a property of histories on which depth may depend.
type predictor struct {
	name  string
	value func(*Measurement) float64
}

// enough is the number of histories for which predictors are compared.
const enough = 10

var predictors = []predictor{
	{"ops", func(m *Measurement) float64 { return float64(m.Ops) }},
	{"processes", func(m *Measurement) float64 { return float64(m.Processes) }},
	{"c", func(m *Measurement) float64 { return float64(m.C) }},
	{"cp", func(m *Measurement) float64 { return float64(m.CP) }},
	{"overlapping mutators", func(m *Measurement) float64 { return float64(m.Mutators) }},
	{"pending", func(m *Measurement) float64 { return float64(m.Pending) }},
}

// predictors has, for each archive, the rank correlation of each predictor with the
// depths, and the share of the variance that the mean at each value explains.
func (c *Collection) predictors() *Table {
	t := &Table{ID: "predictors", Title: "What predicts depth",
		Columns: []string{"archive", "predictor", "histories", "depth rho", "depth explained %", "exact histories", "exact rho", "exact explained %"}}
	for _, k := range c.archiveGroups(false) {
		all := studied(k.all)
		known := only(all, func(m *Measurement) bool { return m.Depth > 0 })
		if len(known) < enough {
			continue
		}
		exact := only(all, func(m *Measurement) bool { return m.Exact > 0 })
		depth := values(known, func(m *Measurement) float64 { return float64(m.Depth) })
		exactDepths := values(exact, func(m *Measurement) float64 { return float64(m.Exact) })
		for _, p := range predictors {
			x, y := values(known, p.value), values(exact, p.value)
			t.add(k.archive, p.name, len(known), correlation(ranks(x), ranks(depth)), explained(x, depth),
				len(exact), correlation(ranks(y), ranks(exactDepths)), explained(y, exactDepths))
		}
		byClass := func(ms []*Measurement, cell func(class int, m *Measurement) float64) []float64 {
			names := map[string]int{}
			return values(ms, func(m *Measurement) float64 {
				if _, ok := names[m.Class]; !ok {
					names[m.Class] = len(names)
				}
				return cell(names[m.Class], m)
			})
		}
		class := func(class int, _ *Measurement) float64 { return float64(class) }
		both := func(class int, m *Measurement) float64 { return float64(class)*1e6 + float64(m.CP) }
		t.add(k.archive, "class", len(known), nil, explained(byClass(known, class), depth), len(exact), nil, explained(byClass(exact, class), exactDepths))
		t.add(k.archive, "class and cp", len(known), nil, explained(byClass(known, both), depth),
			len(exact), nil, explained(byClass(exact, both), exactDepths))
	}
	t.notef("Rho is Spearman's rank correlation. Explained is the share of the variance between the groups of histories with the same value, adjusted for their number.")
	t.notef("Archives with fewer than %d known depths are left out.", enough)
	return t
}

// ranks returns the ranks of the values; equal values share their mean rank.
func ranks(vs []float64) []float64 {
	order := make([]int, len(vs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(vs[a], vs[b]) })
	ranks := make([]float64, len(vs))
	for i := 0; i < len(order); {
		end := i
		for end < len(order) && vs[order[end]] == vs[order[i]] {
			end++
		}
		for _, at := range order[i:end] {
			ranks[at] = float64(i+end-1) / 2
		}
		i = end
	}
	return ranks
}

// correlation returns the correlation of two samples, or nil if one of them does not
// vary.
func correlation(x, y []float64) any {
	mx, my := average(x), average(y)
	var xy, xx, yy float64
	for i := range x {
		dx, dy := x[i]-mx, y[i]-my
		xy, xx, yy = xy+dx*dy, xx+dx*dx, yy+dy*dy
	}
	if xx == 0 || yy == 0 {
		return nil
	}
	return decimal{xy / math.Sqrt(xx*yy), 2}
}

func average(vs []float64) float64 {
	sum := 0.0
	for _, v := range vs {
		sum += v
	}
	return sum / max(float64(len(vs)), 1)
}

// explained returns the share of the variance of y, in percent, between the groups with
// the same x, or nil if y does not vary or each group has one value. It is adjusted for
// the number of groups: if x has no influence, it is about 0.
func explained(x, y []float64) any {
	groups := map[float64][]float64{}
	for i := range x {
		groups[x[i]] = append(groups[x[i]], y[i])
	}
	within, all := 0.0, squares(y)
	keys := make([]float64, 0, len(groups))
	for key := range groups {
		keys = append(keys, key)
	}
	slices.Sort(keys) // sums of floats depend on the order
	for _, key := range keys {
		within += squares(groups[key])
	}
	if all == 0 || len(groups) == len(y) {
		return nil
	}
	within /= float64(len(y) - len(groups))
	return decimal{100 * (1 - within*float64(len(y)-1)/all), 1}
}

// squares returns the sum of the squared differences from the mean.
func squares(vs []float64) float64 {
	mean, sum := average(vs), 0.0
	for _, v := range vs {
		sum += (v - mean) * (v - mean)
	}
	return sum
}

// byValue returns the table of depths for each level of concurrency and for each number
// of overlapping mutators.
func (c *Collection) byValue() *Table {
	t := &Table{ID: "values", Title: "Depth by level of concurrency and by overlapping mutators",
		Columns: []string{"archive", "predictor", "value", "histories", "mean depth", "depth 1 in %", "max depth", "not known", "mean exact"}}
	for _, k := range c.archiveGroups(false) {
		all := studied(k.all)
		for _, p := range predictors {
			if p.name != "c" && p.name != "overlapping mutators" {
				continue
			}
			vs := values(all, p.value)
			slices.Sort(vs)
			for _, v := range slices.Compact(vs) {
				ms := only(all, func(m *Measurement) bool { return p.value(m) == v })
				known := only(ms, func(m *Measurement) bool { return m.Depth > 0 })
				first := count(known, func(m *Measurement) bool { return m.Depth == 1 })
				depths := summarise(known, func(m *Measurement) int64 { return int64(m.Depth) })
				t.add(k.archive, p.name, int(v), len(ms), mean(known, func(m *Measurement) any { return m.Depth }), percent(first, len(known)),
					depths.max, len(ms)-len(known), mean(ms, func(m *Measurement) any { return found(m.Exact) }))
			}
		}
	}
	return t
}

// overlappingMutators counts the operations that may change the state and overlap another
// such operation. If the specification does not say which operations may, all count.
func overlappingMutators(h *history.History, spec replay.Spec) int {
	var ops []*history.Operation
	for i := range h.Ops {
		if op := &h.Ops[i]; !replay.FactsOf(spec, op).ReadOnly {
			ops = append(ops, op)
		}
	}
	returns := func(op *history.Operation) int64 {
		if op.Pending() {
			return math.MaxInt64
		}
		return int64(op.Return)
	}
	slices.SortFunc(ops, func(a, b *history.Operation) int { return cmp.Compare(a.Call, b.Call) })
	n, last := 0, int64(math.MinInt64)
	for i, op := range ops {
		if int64(op.Call) < last || i+1 < len(ops) && int64(ops[i+1].Call) < returns(op) {
			n++
		}
		last = max(last, returns(op))
	}
	return n
}
