package tables

import (
	"fmt"
	"strconv"

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
		level := summarise(k.measured, func(m Measurement) int64 { return int64(m.C) })
		pairs := summarise(k.measured, func(m Measurement) int64 { return m.CP })
		t.add(k.name, k.histories, k.ops(), level.max, decimal{level.mean, 2}, decimal{level.sd, 2},
			pairs.max, decimal{pairs.mean, 2}, decimal{pairs.sd, 2})
		if p, ok := paperClasses[k.name]; ok && paper {
			t.addPaper(paperName, p.histories, strconv.Itoa(p.ops), int(p.c[0]), decimal{p.c[1], 2}, decimal{p.c[2], 2},
				int(p.cp[0]), decimal{p.cp[1], 2}, decimal{p.cp[2], 2})
		}
	}
	c.notePending(t)
	return t
}

// ops is the number of operations, or its minimum and maximum.
func (k *class) ops() string {
	if k.minOps == k.maxOps {
		return strconv.Itoa(k.maxOps)
	}
	return fmt.Sprintf("%d-%d", k.minOps, k.maxOps)
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
		for d := range CountDepths {
			s := summarise(k.measured, func(m Measurement) int64 { return m.Schedules[d] })
			row = append(row, s.max, decimal{s.mean, 1}, decimal{s.sd, 1})
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
	return t
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
			row = append(row, summarise(k.measured, func(m Measurement) int64 { return m.Schedules[d] }).sum)
		}
		t.add(row...)
	}
	return t
}

// Table3 counts the histories that families show to be linearizable.
func (c *Collection) Table3(paper bool) *Table {
	t := &Table{ID: "table3", Title: "Table 3. Non-sequential histories, linearizable ones, and those shown to be by families of depth d",
		Columns: []string{"class", "histories", "linearizable"}}
	for d := 1; d <= CountDepths; d++ {
		t.Columns = append(t.Columns, fmt.Sprintf("d<=%d", d), fmt.Sprintf("d<=%d %%", d))
	}
	var sum paperClass
	for _, k := range c.sorted() {
		t.add(k.table3()...)
		if p, ok := paperClasses[k.name]; ok && paper {
			t.addPaper(p.table3()...)
			sum.addTable3(p)
		}
	}
	t.add(c.total().table3()...)
	if sum.nonSequential > 0 {
		t.addPaper(sum.table3()...)
	}
	if n := c.total().undecided; n > 0 {
		t.notef("%d histories are undecided and not counted as linearizable.", n)
	}
	c.notePending(t)
	return t
}

func (k *class) table3() []any {
	linearizable := k.linearizable()
	row := []any{k.name, len(k.measured), linearizable}
	for d := 1; d <= CountDepths; d++ {
		row = append(row, k.shown(d), percent(k.shown(d), linearizable))
	}
	return row
}

// Figure4 has the percentages of Figure 4; Picture draws them.
func (c *Collection) Figure4(paper bool) *Table {
	t := &Table{ID: "figure4", Title: "Figure 4. Linearizable histories shown to be by families of depth d, in percent",
		Columns: []string{"class", "linearizable"}}
	for d := 1; d <= MaxDepth; d++ {
		t.Columns = append(t.Columns, fmt.Sprintf("d<=%d", d))
	}
	all := c.total()
	for _, k := range append(c.sorted(), all) {
		row := []any{k.name, k.linearizable()}
		for d := 1; d <= MaxDepth; d++ {
			row = append(row, percent(k.shown(d), k.linearizable()))
		}
		t.add(row...)
	}
	if paper && c.hasPaperClass() {
		row := []any{paperName, paperLinearizable}
		for _, shown := range paperShown {
			row = append(row, percent(shown, paperLinearizable))
		}
		t.addPaper(append(row, nil)...)
		t.notef("The paper gives no count for d = 7: %q.", "almost all")
	}
	return t
}

func (c *Collection) hasPaperClass() bool {
	for name := range c.classes {
		if _, ok := paperClasses[name]; ok {
			return true
		}
	}
	return false
}

// Depths compares the linearizability depth with the witness depth.
func (c *Collection) Depths() *Table {
	t := &Table{ID: "depths", Title: "Linearizability depth (Definition 4.2) and witness depth, over the linearizable non-sequential histories",
		Columns: []string{"class", "linearizable", "depth"}}
	const columns = MaxDepth
	for d := 1; d <= columns; d++ {
		t.Columns = append(t.Columns, fmt.Sprintf("=%d", d))
	}
	t.Columns = append(t.Columns, fmt.Sprintf(">%d", columns), "mean", "not computed", "witness smaller", "in %")
	for _, k := range append(c.sorted(), c.total()) {
		exact := k.histogram(func(m Measurement) int { return m.Exact })
		witness := k.histogram(func(m Measurement) int { return m.Depth })
		known := k.count(func(m Measurement) bool { return m.Exact > 0 && m.Depth > 0 })
		smaller := k.count(func(m Measurement) bool { return m.Exact > 0 && m.Depth > 0 && m.Depth < m.Exact })
		t.add(append(append([]any{k.name, k.linearizable(), "exact"}, exact...), k.notComputed, smaller, percent(smaller, known))...)
		t.add(append(append([]any{"", nil, "witness"}, witness...), nil, nil, nil)...)
	}
	t.notef("Not computed: more than %d steps would have been needed.", exactWork)
	return t
}

// histogram counts depths 1..MaxDepth and larger ones, and returns the mean of
// the known ones.
func (k *class) histogram(depth func(Measurement) int) []any {
	counts := make([]int, MaxDepth+1)
	sum, n := 0, 0
	for _, m := range k.measured {
		if d := depth(m); d > 0 && m.Answer == replay.Linearizable {
			counts[min(d, MaxDepth+1)-1]++
			sum += d
			n++
		}
	}
	row := make([]any, 0, len(counts)+1)
	for _, count := range counts {
		row = append(row, count)
	}
	if n == 0 {
		return append(row, nil)
	}
	return append(row, decimal{float64(sum) / float64(n), 2})
}

func (c *Collection) notePending(t *Table) {
	if n := c.total().pending; n > 0 {
		t.notef("%d histories with pending operations are left out.", n)
	}
}
