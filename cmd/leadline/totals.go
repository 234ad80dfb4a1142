package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/leadline/leadline/benchdata/tables"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/replay"
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
	histories     int // those that were checked
	linearizable  int
	pending       int // linearizable ones with pending operations, whose depths are not comparable
	depth         []int
	deeper        int
	not           int
	undecided     int
	invalid       int
	internalError int
	fileFaults    int // of the inputs, not of any history
	reasons       [len(faultReasons)]int
}

// faultReasons are the faults of files that the totals count separately.
var faultReasons = [...]struct {
	name string
	is   func(error) bool
}{
	{"missing", func(err error) bool { return errors.Is(err, fs.ErrNotExist) }},
	{"unreadable", isUnreadable},
	{"empty", func(err error) bool { return errors.Is(err, codec.ErrEmpty) }},
	{"of no known format", func(err error) bool { return errors.Is(err, codec.ErrUnknownFormat) }},
}

// isUnreadable reports whether the system refused to open or read a file.
func isUnreadable(err error) bool {
	var system syscall.Errno
	return errors.As(err, &system) && !errors.Is(err, fs.ErrNotExist)
}

// entries returns the number of histories, valid or not.
func (t *tally) entries() int { return t.histories + t.invalid + t.internalError }

func (t *totals) add(r *result) {
	if r.IsFileFault() {
		t.all.fileFaults++
		for i, reason := range faultReasons {
			if reason.is(r.Err) {
				t.all.reasons[i]++
			}
		}
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
	switch {
	case r.Internal != nil:
		t.internalError++
		return
	case r.Err != nil:
		t.invalid++
		return
	}
	t.histories++
	switch v := &r.Verdict; v.Answer {
	case replay.Linearizable:
		t.linearizable++
		switch {
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
	case replay.NotLinearizable:
		t.not++
	default:
		t.undecided++
	}
}

// summary is the last line of the text output.
func (t *tally) summary() string {
	s := fmt.Sprintf("%s: %d linearizable, %d not linearizable, %d unknown, %d invalid",
		counted(t.entries(), "history", "histories"),
		t.linearizable, t.not, t.undecided, t.invalid)
	if t.internalError > 0 {
		s += fmt.Sprintf(", %s", counted(t.internalError, "internal error", "internal errors"))
	}
	if t.fileFaults > 0 {
		s += fmt.Sprintf("; %s in files", counted(t.fileFaults, "fault", "faults"))
		var reasons []string
		other := t.fileFaults
		for i, n := range t.reasons {
			if other -= n; n > 0 {
				reasons = append(reasons, fmt.Sprintf("%d %s", n, faultReasons[i].name))
			}
		}
		if len(reasons) > 0 {
			if other > 0 {
				reasons = append(reasons, fmt.Sprintf("%d other", other))
			}
			s += " (" + strings.Join(reasons, ", ") + ")"
		}
	}
	return s
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// table writes the totals by model and depth. It has a column for each depth up
// to the largest one that occurs, at most maxDepth. It is as wide as it needs to
// be, or at most width if that is not 0.
func (t *totals) table(w io.Writer, maxDepth, width int) error {
	columns := min(maxDepth, len(t.all.depth))
	header := []string{"model", "histories"}
	for d := 1; d <= columns; d++ {
		header = append(header, "d="+strconv.Itoa(d))
	}
	header = append(header, "no depth", "pending", "not linearizable", "unknown", "invalid")

	var names []string
	for name := range t.models {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return strings.Compare(a, b) })
	rows := [][]string{header}
	for _, name := range names {
		rows = append(rows, t.models[name].row(name, columns))
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

// writeTable writes a table in plain characters. The first row is its header and,
// if footed, the last one its footer. If width is not 0, the table fits it. All
// columns but the first are aligned as given.
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
	row := []string{name, strconv.Itoa(t.entries())}
	for d := range columns {
		n := 0
		if d < len(t.depth) {
			n = t.depth[d]
		}
		row = append(row, strconv.Itoa(n))
	}
	for _, n := range []int{t.deeper, t.pending, t.not, t.undecided, t.invalid} {
		row = append(row, strconv.Itoa(n))
	}
	return row
}
