package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/leadline/leadline/benchdata/tables"
	"github.com/leadline/leadline/replay/batch"
	"github.com/leadline/leadline/replay/report"
	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// totals counts results by model.
type totals struct {
	all    tally
	models map[string]*tally
}

// A tally counts the results of one model.
type tally struct {
	batch.Counts
	pending int // linearizable ones with pending operations, whose depths are not comparable
	depth   []int
	deeper  int
}

func (t *totals) add(r *result) {
	if r.IsFileFault() {
		return
	}
	if t.models == nil {
		t.models = map[string]*tally{}
	}
	if t.models[r.Model] == nil {
		t.models[r.Model] = &tally{}
	}
	t.models[r.Model].add(r)
	t.all.add(r)
}

func (t *tally) add(r *result) {
	t.Add(r.Status())
	v := &r.Verdict
	switch {
	case r.Status() != batch.Linearizable:
	case r.History.Pending() > 0:
		t.pending++
	case v.Depth == 0:
		t.deeper++
	default:
		for len(t.depth) < v.Depth {
			t.depth = append(t.depth, 0)
		}
		t.depth[v.Depth-1]++
	}
}

// lastLine returns the last line of the text output. property is what was checked.
func lastLine(t *batch.Summary, property string) string {
	s := fmt.Sprintf("%s: %d %s, %d not %s, %d unknown, %d invalid",
		counted(t.Histories, "history", "histories"),
		t.Linearizable, property, t.NotLinearizable, property, t.Unknown, t.Invalid)
	if t.InternalErrors > 0 {
		s += fmt.Sprintf(", %s", counted(t.InternalErrors, "internal error", "internal errors"))
	}
	if n := t.FileFaults.N; n > 0 {
		s += fmt.Sprintf("; %s in files%v", counted(n, "fault", "faults"), &t.FileFaults)
	}
	return s
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// table writes the totals by model and depth. It has a column for each depth up to the
// largest one that occurs, but not above maxDepth. A width other than 0 bounds its width.
func (t *totals) table(w io.Writer, property string, maxDepth, width int) error {
	columns := min(maxDepth, len(t.all.depth))
	header := []string{"model", "histories"}
	for d := 1; d <= columns; d++ {
		header = append(header, "d="+strconv.Itoa(d))
	}
	header = append(header, "no depth", "pending", "not "+property, "unknown", "invalid")

	var names []string
	for name := range t.models {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return strings.Compare(a, b) })
	rows := [][]string{header}
	for _, name := range names {
		rows = append(rows, t.models[name].row(report.Clean(name), columns))
	}
	footed := len(names) > 1
	if footed {
		rows = append(rows, t.all.row("all", columns))
	}
	if width > 0 && len(tables.Fit(rows, width)) > 1 {
		withoutZeros(rows)
	}
	return writeTable(w, rows, footed, width, tw.AlignRight)
}

// withoutZeros removes the columns that have 0 in all rows but the header.
func withoutZeros(rows [][]string) {
	for i := len(rows[0]) - 1; i >= 0; i-- {
		if slices.ContainsFunc(rows[1:], func(row []string) bool { return row[i] != "0" }) {
			continue
		}
		for k := range rows {
			rows[k] = slices.Delete(rows[k], i, i+1)
		}
	}
}

// writeTable writes a table in ASCII. The first row is its header and, if footed, the
// last row is its footer. A width other than 0 bounds its width. The first column is
// aligned to the left, the others as align says.
func writeTable(w io.Writer, rows [][]string, footed bool, width int, align tw.Align) error {
	if width == 0 {
		width = math.MaxInt
	}
	columns := slices.Repeat([]tw.Align{align}, len(rows[0]))
	columns[0] = tw.AlignLeft
	plain := tw.CellConfig{
		Formatting: tw.CellFormatting{AutoFormat: tw.Off, AutoWrap: tw.WrapNone},
		Alignment:  tw.CellAlignment{PerColumn: columns},
	}
	for _, band := range tables.Fit(rows, width) {
		table := tablewriter.NewTable(w,
			tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{Symbols: tw.NewSymbols(tw.StyleASCII)})),
			tablewriter.WithConfig(tablewriter.Config{Header: plain, Row: plain, Footer: plain}))
		table.Header(band.Rows[0])
		last := len(band.Rows)
		if footed {
			last--
			table.Footer(band.Rows[last])
		}
		if err := table.Bulk(band.Rows[1:last]); err != nil {
			return err
		}
		if err := table.Render(); err != nil {
			return err
		}
	}
	return nil
}

func (t *tally) row(name string, columns int) []string {
	if name == "" {
		name = "-"
	}
	row := []string{name, strconv.Itoa(t.Histories)}
	for d := range columns {
		n := 0
		if d < len(t.depth) {
			n = t.depth[d]
		}
		row = append(row, strconv.Itoa(n))
	}
	for _, n := range []int{t.deeper, t.pending, t.NotLinearizable, t.Unknown, t.Invalid} {
		row = append(row, strconv.Itoa(n))
	}
	return row
}
