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
	"github.com/leadline/leadline/history/files"
	"github.com/leadline/leadline/replay"
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
	histories     int // those that were checked
	linearizable  int
	pending       int // linearizable ones with pending operations, whose depths are not comparable
	depth         []int
	deeper        int
	not           int
	undecided     int
	invalid       int
	internalError int
	faults        fileReasons // of the inputs, not of any history
}

// A fileReasons counts files that hold no histories, by reason.
type fileReasons struct {
	n  int
	by [len(reasonNames)]int
}

// A fileReason is why a file holds no histories.
type fileReason struct {
	name string
	is   func(error) bool
}

// files returns a phrase for n files with this reason, such as "2 empty files".
func (r *fileReason) files(n int) string {
	if of, ok := strings.CutPrefix(r.name, "of "); ok {
		return counted(n, "file of "+of, "files of "+of)
	}
	return counted(n, r.name+" file", r.name+" files")
}

// reasonNames are the reasons that are counted separately.
var reasonNames = [...]fileReason{
	{"missing", func(err error) bool { return errors.Is(err, fs.ErrNotExist) }},
	{"unreadable", isUnreadable},
	{"empty", func(err error) bool { return errors.Is(err, files.ErrEmpty) }},
	{"of no known format", func(err error) bool { return errors.Is(err, codec.ErrUnknownFormat) }},
	{"of another compression", func(err error) bool { return errors.Is(err, files.ErrCompression) }},
	{"of another encoding", func(err error) bool { return errors.Is(err, files.ErrEncoding) }},
	{"of more than the limits allow", func(err error) bool { return errors.Is(err, files.ErrLimit) }},
}

// isUnreadable reports whether err is an error of the system, other than a missing file.
func isUnreadable(err error) bool {
	var system syscall.Errno
	return errors.As(err, &system) && !errors.Is(err, fs.ErrNotExist)
}

func (r *fileReasons) add(err error) {
	r.n++
	for i, reason := range reasonNames {
		if reason.is(err) {
			r.by[i]++
		}
	}
}

// each calls do with the name and the number of each reason that occurs, and last with
// "other" for the rest.
func (r *fileReasons) each(do func(name string, n int)) {
	other := r.n
	for i, n := range r.by {
		if other -= n; n > 0 {
			do(reasonNames[i].name, n)
		}
	}
	if other > 0 {
		do("other", other)
	}
}

// String returns the reasons in parentheses, or "" if none has a name.
func (r *fileReasons) String() string {
	var parts []string
	r.each(func(name string, n int) { parts = append(parts, fmt.Sprintf("%d %s", n, name)) })
	if len(parts) == 0 || len(parts) == 1 && strings.HasSuffix(parts[0], "other") {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// entries returns the number of histories, valid or not.
func (t *tally) entries() int { return t.histories + t.invalid + t.internalError }

func (t *totals) add(r *result) {
	if r.IsFileFault() {
		t.all.faults.add(r.Err)
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

// summary returns the last line of the text output. property is what was checked.
func (t *tally) summary(property string) string {
	s := fmt.Sprintf("%s: %d %s, %d not %s, %d unknown, %d invalid",
		counted(t.entries(), "history", "histories"),
		t.linearizable, property, t.not, property, t.undecided, t.invalid)
	if t.internalError > 0 {
		s += fmt.Sprintf(", %s", counted(t.internalError, "internal error", "internal errors"))
	}
	if n := t.faults.n; n > 0 {
		s += fmt.Sprintf("; %s in files%v", counted(n, "fault", "faults"), &t.faults)
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
