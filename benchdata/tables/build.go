package tables

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/leadline/leadline/hitting"
	"github.com/leadline/leadline/replay"
)

// Tables returns all tables of the collection, in the order of the paper. If
// paper is set, each includes the paper's numbers below those of the same
// class.
func (c *Collection) Tables(paper bool) []*Table {
	return []*Table{c.Table1(paper), c.Table2(paper), c.Totals(), c.Table3(paper), c.Figure4(paper), c.Depths()}
}

// Table1 describes the histories.
func (c *Collection) Table1(paper bool) *Table {
	t := &Table{ID: "table1", Title: "Table 1. Histories; c and cp over the non-sequential ones",
		Columns: []string{"class", "histories", "ops", "max c", "mean c", "sd c", "max cp", "mean cp", "sd cp"}}
	for _, k := range c.sorted() {
		level := summarise(k.measured, func(m *Measurement) int64 { return int64(m.C) })
		pairs := summarise(k.measured, func(m *Measurement) int64 { return m.CP })
		t.add(slices.Concat([]any{k.name, len(k.all), k.ops()}, level.cells(2), pairs.cells(2))...)
		if p, ok := paperClasses[k.name]; ok && paper {
			t.addPaper(paperName, p.histories, interval(p.ops, p.ops), int(p.c[0]), decimal{p.c[1], 2}, decimal{p.c[2], 2},
				int(p.cp[0]), decimal{p.cp[1], 2}, decimal{p.cp[2], 2})
		}
	}
	t.notef("c is the most operations that are open at once, cp the number of pairs of concurrent operations.")
	c.notePending(t)
	return t
}

// Table2 counts the schedules of the families.
func (c *Collection) Table2(paper bool) *Table {
	t := &Table{ID: "table2", Title: "Table 2. Distinct schedules of the strong d-hitting families, over the non-sequential histories",
		Columns: []string{"class"}}
	for d := 1; d <= CountDepths; d++ {
		for _, what := range []string{"max", "mean", "sd"} {
			t.Columns = append(t.Columns, fmt.Sprintf("d=%d %s", d, what))
		}
	}
	for _, k := range c.sorted() {
		row := []any{k.name}
		counted := only(k.measured, isCounted)
		for d := range CountDepths {
			row = append(row, summarise(counted, func(m *Measurement) int64 { return m.Schedules[d] }).cells(1)...)
		}
		t.add(row...)
		if p, ok := paperClasses[k.name]; ok && paper {
			row := []any{paperName}
			for _, s := range p.schedules {
				row = append(row, s[0], s[1], s[2])
			}
			t.addPaper(row...)
		}
	}
	c.noteUncounted(t)
	return t
}

// noteUncounted adds a note with the number of histories that the table leaves out
// because their schedules were not counted.
func (c *Collection) noteUncounted(t *Table) {
	all := c.total()
	if n := len(all.measured) - all.count(isCounted); n > 0 {
		t.notef("%d histories are left out: their families have too many schedules to count.", n)
	}
}

// Totals sums the schedules. Unlike Table 2, it changes with each schedule.
func (c *Collection) Totals() *Table {
	t := &Table{ID: "totals", Title: "Distinct schedules in all", Columns: []string{"class", "non-sequential"}}
	for d := 1; d <= CountDepths; d++ {
		t.Columns = append(t.Columns, fmt.Sprintf("d=%d", d))
	}
	for _, k := range append(c.sorted(), c.total()) {
		row := []any{k.name, len(k.measured)}
		for d := range CountDepths {
			row = append(row, summarise(k.measured, func(m *Measurement) int64 { return m.Schedules[d] }).sum)
		}
		t.add(row...)
	}
	c.noteUncounted(t)
	return t
}

// Table3 counts the histories that families prove to be linearizable.
func (c *Collection) Table3(paper bool) *Table {
	t := &Table{ID: "table3", Title: "Table 3. Non-sequential histories, linearizable ones, and those shown to be by families of depth d",
		Columns: []string{"class", "histories", "linearizable"}}
	depths := cmp.Or(c.MaxDepth, CountDepths)
	for d := 1; d <= depths; d++ {
		t.Columns = append(t.Columns, fmt.Sprintf("d<=%d", d), fmt.Sprintf("d<=%d %%", d))
	}
	var sum paperClass
	for _, k := range c.sorted() {
		t.add(k.table3(depths)...)
		if p, ok := paperClasses[k.name]; ok && paper {
			t.addPaper(p.table3(depths)...)
			sum.addTable3(p)
		}
	}
	all := c.total()
	t.add(all.table3(depths)...)
	if sum.nonSequential > 0 {
		t.addPaper(sum.table3(depths)...)
	}
	if n := all.count(func(m *Measurement) bool { return m.Answer == replay.Undecided }); n > 0 {
		t.notef("%d histories are undecided and not counted as linearizable.", n)
	}
	c.notePending(t)
	return t
}

func (k *class) table3(depths int) []any {
	linearizable := k.linearizable()
	row := []any{k.name, len(k.measured), linearizable}
	for d := 1; d <= depths; d++ {
		row = append(row, k.shown(d), percent(k.shown(d), linearizable))
	}
	return row
}

// Figure4 has the percentages of Figure 4; Picture draws them.
func (c *Collection) Figure4(paper bool) *Table {
	t := &Table{ID: "figure4", Title: "Figure 4. Linearizable histories shown to be by families of depth d, in percent",
		Columns: []string{"class", "linearizable"}}
	depths := c.maxDepth()
	for d := 1; d <= depths; d++ {
		t.Columns = append(t.Columns, fmt.Sprintf("d<=%d", d))
	}
	all := c.total()
	for _, k := range append(c.sorted(), all) {
		row := []any{k.name, k.linearizable()}
		for d := 1; d <= depths; d++ {
			row = append(row, percent(k.shown(d), k.linearizable()))
		}
		t.add(row...)
	}
	if paper && c.hasPaperClass() {
		row := []any{paperName, paperLinearizable}
		for d := 1; d <= depths; d++ {
			row = append(row, paperPercent(d))
		}
		t.addPaper(row...)
		if depths > len(paperShown) {
			t.notef("The paper gives no count for d = 7: %q.", "almost all")
		}
	}
	return t
}

func (c *Collection) hasPaperClass() bool {
	return slices.ContainsFunc(c.all, func(m *Measurement) bool { return paperClasses[m.Class] != nil })
}

// Depths compares the linearizability depth with the witness depth, and with the bound that
// the shape of the poset gives.
func (c *Collection) Depths() *Table {
	t := &Table{ID: "depths", Title: "Linearizability depth (Definition 4.2), its bound by the shape of the poset, and witness depth, over the linearizable non-sequential histories",
		Columns: append(append([]string{"class", "linearizable", "depth"}, c.depthColumns()...), "not computed", "witness smaller", "in %", "at bound", "at bound %")}
	for _, k := range append(c.sorted(), c.total()) {
		linearizable := only(k.measured, isLinearizable)
		exact, notComputed := c.distribution(linearizable, exactDepth)
		witness, _ := c.distribution(linearizable, witnessDepth)
		known := count(linearizable, func(m *Measurement) bool { return m.Exact > 0 && m.Depth > 0 })
		smaller := count(linearizable, func(m *Measurement) bool { return m.Depth > 0 && m.Depth < m.Exact })
		bound, _ := c.distribution(linearizable, boundOfDepth)
		computed := count(linearizable, func(m *Measurement) bool { return m.Exact > 0 && m.Bound > 0 })
		reached := count(linearizable, func(m *Measurement) bool { return m.Exact > 0 && m.Exact == m.Bound })
		t.add(append(append([]any{k.name, len(linearizable), "exact"}, exact...), notComputed, smaller, percent(smaller, known), reached, percent(reached, computed))...)
		t.add(append(append([]any{"", nil, "bound"}, bound...), nil, nil, nil, nil, nil)...)
		t.add(append(append([]any{"", nil, "witness"}, witness...), nil, nil, nil, nil, nil)...)
	}
	c.noteExact(t)
	c.noteDepths(t, only(c.total().measured, isLinearizable), witnessDepth, "witness depth")
	c.noteDepths(t, only(c.total().measured, isLinearizable), boundOfDepth, "bound")
	return t
}

// exactCauses explains the values of replay.Verdict.ExactCause.
var exactCauses = []struct{ cause, text string }{
	{"work", fmt.Sprintf("more than %d steps would have been needed", exactWork)},
	{replay.Memory.String(), "they do not fit in the memory"},
	{"open", fmt.Sprintf("more than %d operations are open at once", hitting.ExactMax)},
	{replay.Declined.String(), "the specification has no states to compare"},
	{replay.Time.String(), "the time was over"},
	{replay.Cancelled.String(), "the run was cancelled"},
}

// noteExact adds a note that says why exact depths were not computed.
func (c *Collection) noteExact(t *Table) {
	for _, why := range exactCauses {
		missing := func(m *Measurement) bool { return isLinearizable(m) && m.Exact == 0 && m.ExactCause == why.cause }
		if n := c.total().count(missing); n > 0 {
			t.notef("%d exact depths are not computed: %s.", n, why.text)
		}
	}
}

// A depthOf returns a depth of a measurement, or 0 and the largest depth that is
// known to be too small.
type depthOf func(*Measurement) (depth, refuted int)

func exactDepth(m *Measurement) (int, int)   { return m.Exact, 0 }
func witnessDepth(m *Measurement) (int, int) { return m.Depth, m.Refuted }
func boundOfDepth(m *Measurement) (int, int) { return m.Bound, 0 }

// depthColumns are the columns that distribution fills.
func (c *Collection) depthColumns() []string {
	var columns []string
	for d := 1; d <= c.maxDepth(); d++ {
		columns = append(columns, fmt.Sprintf("=%d", d))
	}
	return append(columns, fmt.Sprintf(">%d", c.maxDepth()), "mean")
}

// distribution counts depths 1, 2, ... and larger ones, and computes the mean of
// those found. It also returns how many are not known even to be larger.
func (c *Collection) distribution(ms []*Measurement, depth depthOf) (row []any, unknown int) {
	most := c.maxDepth()
	counts := make([]int, most+1)
	sum, found := 0, 0
	for _, m := range ms {
		d, refuted := depth(m)
		switch {
		case d > 0:
			counts[min(d, most+1)-1]++
			sum += d
			found++
		case refuted >= most:
			counts[most]++
		default:
			unknown++
		}
	}
	for _, n := range counts {
		row = append(row, n)
	}
	if found == 0 {
		return append(row, nil), unknown
	}
	return append(row, decimal{float64(sum) / float64(found), 2}), unknown
}

// noteDepths adds a note about the histories that have no exact place in a distribution.
func (c *Collection) noteDepths(t *Table, ms []*Measurement, depth depthOf, name string) {
	most := c.maxDepth()
	larger := count(ms, func(m *Measurement) bool { d, refuted := depth(m); return d == 0 && refuted >= most })
	if larger > 0 {
		t.notef("%d histories have a %s of more than %d that is not known; the mean leaves them out.", larger, name, most)
	}
	if _, unknown := c.distribution(ms, depth); unknown > 0 {
		t.notef("%d histories have no %s: it was not found within the bounds.", unknown, name)
	}
}

func (c *Collection) notePending(t *Table) {
	if n := count(c.all, isPending); n > 0 {
		t.notef("%d histories with pending operations are left out.", n)
	}
	if n := count(c.all, func(m *Measurement) bool { return m.CP < 0 }); n > 0 {
		t.notef("%d histories are left out: they have order edges and are too long for c and cp.", n)
	}
}
