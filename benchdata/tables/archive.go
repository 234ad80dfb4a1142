package tables

import (
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

// distributions returns the table of witness depths.
func (c *Collection) distributions() *Table {
	t := &Table{ID: "distributions", Title: "Witness depth of the linearizable histories by archive",
		Columns: append(append([]string{"archive", "class", "linearizable"}, c.depthColumns()...), "not found")}
	for _, k := range c.groups() {
		ms := only(k.all, isLinearizable)
		row, unknown := c.distribution(ms, witnessDepth)
		t.add(append(append([]any{k.archive, k.name, len(ms)}, row...), unknown)...)
	}
	c.noteDepths(t, only(c.all, isLinearizable), witnessDepth, "witness depth")
	return t
}
