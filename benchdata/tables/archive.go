package tables

import (
	"fmt"

	"github.com/leadline/leadline/replay"
)

// Archives returns two tables of all histories, including sequential ones and those
// with pending operations, with a row for each class in each archive. The first
// describes the histories, the second has the distributions of their depths.
func (c *Collection) Archives() []*Table { return []*Table{c.archives(), c.distributions()} }

// groups returns the classes in each archive, followed by the union of all if there are
// several.
func (c *Collection) groups() []*class {
	groups := c.classes(true)
	if len(groups) > 1 {
		groups = append(groups, newClass("all", "all", c.all))
	}
	return groups
}

func (c *Collection) archives() *Table {
	t := &Table{ID: "archives", Title: "All histories by archive",
		Columns: []string{"archive", "class", "histories", "with pending", "ops", "processes", "max c", "mean c", "sd c",
			"linearizable", "not linearizable", "unknown"}}
	for _, k := range c.groups() {
		ordered := only(k.all, func(m *Measurement) bool { return m.CP >= 0 })
		level := summarise(ordered, func(m *Measurement) int64 { return int64(m.C) })
		row := []any{k.archive, k.name, len(k.all), count(k.all, isPending), k.ops(), k.span(func(m *Measurement) int { return m.Processes })}
		row = append(row, level.cells(2)...)
		for _, a := range []replay.Answer{replay.Linearizable, replay.NotLinearizable, replay.Undecided} {
			row = append(row, count(k.all, func(m *Measurement) bool { return m.Answer == a }))
		}
		t.add(row...)
	}
	return t
}

// distributions returns the table of witness depths. For histories with pending
// operations it has two depths: in the first, each operation that never took effect uses
// up a place in the index; the second leaves such operations out.
func (c *Collection) distributions() *Table {
	t := &Table{ID: "distributions", Title: "Witness depth of the linearizable histories by archive",
		Columns: append(append([]string{"archive", "class", "linearizable", "depth"}, c.depthColumns()...), "not found")}
	add := func(k *class, ms []*Measurement, name string, depth depthOf) {
		row, unknown := c.distribution(ms, depth)
		t.add(append(append([]any{k.archive, k.name, len(ms), name}, row...), unknown)...)
	}
	for _, k := range c.groups() {
		ms := only(k.all, isLinearizable)
		add(k, ms, "depth", witnessDepth)
		if hasFreeDepths(ms) {
			add(k, ms, "depth_free", freeDepth)
		}
	}
	all := only(c.all, isLinearizable)
	c.noteDepths(t, all, witnessDepth, "witness depth")
	if hasFreeDepths(all) {
		c.noteDepths(t, all, freeDepth, "depth_free")
	}
	return t
}

// hasFreeDepths reports whether depths without pending operations differ from
// those with them.
func hasFreeDepths(ms []*Measurement) bool {
	return count(ms, func(m *Measurement) bool { return m.Pending > 0 && m.DepthFree+m.RefutedFree > 0 }) > 0
}

// Len returns the number of measurements.
func (c *Collection) Len() int { return len(c.all) }

// delays returns the number of delays per 1,000 operations. Each delay is an operation
// of the schedule index.
const delays = "delays per 1,000 ops"

// Profile returns a table of delays and base chains with a row for each history
// or, if each is not set, with means for each class in each archive.
func (c *Collection) Profile(each bool) *Table {
	t := &Table{ID: "profile", Title: "Depth profile"}
	if !each {
		t.Columns = []string{"archive", "class", "histories", "linearizable", "ops", "processes", "c", "with depth", "depth", "depth_free", delays, "base chain"}
		for _, k := range c.groups() {
			t.add(k.archive, k.name, len(k.all), count(k.all, isLinearizable),
				mean(k.all, func(m *Measurement) any { return m.Ops }), mean(k.all, func(m *Measurement) any { return m.Processes }),
				mean(k.all, (*Measurement).level), count(k.all, func(m *Measurement) bool { return m.DepthFree > 0 }),
				mean(k.all, func(m *Measurement) any { return found(m.Depth) }), mean(k.all, func(m *Measurement) any { return found(m.DepthFree) }),
				mean(k.all, (*Measurement).delays), mean(k.all, (*Measurement).chain))
		}
		t.notef("Means are over the histories for which a number is known.")
		return t
	}
	t.Columns = []string{"history", "class", "verdict", "ops", "pending", "processes", "c", "cp", "depth", "deeper than", "depth_free", "explained", delays, "base chain"}
	for _, m := range c.all {
		var pairs any
		if m.CP >= 0 {
			pairs = m.CP
		}
		t.add(m.History, m.Class, m.Answer.String(), m.Ops, m.Pending, m.Processes, m.level(), pairs,
			found(m.Depth), found(m.Refuted), found(m.DepthFree), found(m.Explained), m.delays(), m.chain())
	}
	return t
}

// found returns a cell with a depth or another number, empty if it is 0.
func found(depth int) any {
	if depth == 0 {
		return nil
	}
	return depth
}

// level returns a cell with the level of concurrency, empty if it is not known.
func (m *Measurement) level() any {
	if m.CP < 0 {
		return nil
	}
	return m.C
}

func (m *Measurement) delays() any {
	switch {
	case m.DepthFree > 0 && m.Ops > 0:
		return decimal{1000 * float64(m.DepthFree-1) / float64(m.Ops), 2}
	case m.Explained > 0:
		return decimal{m.Delays, 2}
	}
	return nil
}

func (m *Measurement) chain() any {
	if m.DepthFree == 0 {
		return nil
	}
	return m.Chain
}

// mean returns the mean of the cells that are not empty.
func mean(ms []*Measurement, cell func(*Measurement) any) any {
	sum, n := 0.0, 0
	for _, m := range ms {
		switch v := cell(m).(type) {
		case nil:
			continue
		case int:
			sum += float64(v)
		case decimal:
			sum += v.value
		default:
			panic(fmt.Sprintf("tables: a mean of %T", v))
		}
		n++
	}
	if n == 0 {
		return nil
	}
	return decimal{sum / float64(n), 2}
}
