package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// Timeline draws operations of h, one per line, sorted by process and then by
// invocation. Where the file has no processes, they are in lanes, as few as possible. Time goes to the right. Only the order of the events counts: a second
// is not wider than a microsecond.
//
// The marks of operations and the points of the witness come from v, which may be
// nil. Timeline draws the operations that matter for the verdict; see Options.Rows.
func Timeline(w io.Writer, h *history.History, v *replay.Verdict, o Options) error {
	if err := checkInput(w, h, &replay.Verdict{}); err != nil {
		return err
	}
	p := newPrinter(w, h, o)
	p.drawRelevant(v, len(h.Ops), "")
	p.waits()
	return p.Flush()
}

// drawRelevant draws the operations that matter, and writes how many others are not
// shown. all is the number of all operations.
func (p *printer) drawRelevant(v *replay.Verdict, all int, indent string) {
	ops := relevant(p.h, v, p.Rows)
	core := explanationOf(v).Core
	if len(core) <= p.Rows {
		p.timeline(v, ops, indent)
		if left := all - len(ops); left > 0 {
			p.printf("%sand %s not shown\n", indent, count(left, "operation that is", "operations that are"))
		}
		return
	}
	earlier := slices.DeleteFunc(slices.Clone(core), func(i int32) bool { _, shown := slices.BinarySearch(ops, i); return shown })
	p.printf("%s... %s ...\n", indent, count(len(earlier), "earlier operation", "earlier operations"))
	p.timeline(v, ops, indent)
}

// relevant returns up to limit operations that matter for a verdict: the operations at
// fault, of the minimal sub-history, and of the schedule index, and operations that
// overlap these. If there are none, it returns the first operations.
func relevant(h *history.History, v *replay.Verdict, limit int) []int32 {
	limit = min(limit, len(h.Ops))
	chosen := map[int32]bool{}
	add := func(more ...int32) {
		for _, i := range more {
			if len(chosen) < limit && int(i) < len(h.Ops) && i >= 0 {
				chosen[i] = true
			}
		}
	}
	end, all := endOf(h, v), allOf(len(h.Ops))
	all = slices.DeleteFunc(all, func(i int32) bool { return h.Ops[i].Call >= end })
	addAround := func(i int32) {
		for _, k := range all {
			if len(chosen) < limit && overlaps(&h.Ops[i], &h.Ops[k]) {
				add(k)
			}
		}
	}
	e := explanationOf(v)
	add(e.Unexplained)
	for _, group := range e.Free {
		for _, f := range group {
			add(f.Op)
		}
	}
	add(e.Marks...)
	for _, edge := range e.Edges {
		add(edge.From, edge.To)
	}
	if v != nil {
		add(latest(h, e.Core, end, limit)...)
		if len(e.Core) == 0 {
			add(v.Conflict...)
		}
		add(v.Index.Tuple...)
		for _, i := range v.Index.Tuple {
			addAround(i)
		}
	}
	if e.Unexplained != replay.NoOperation && len(e.Core) == 0 {
		addAround(e.Unexplained)
	}
	if len(chosen) == 0 || limit == len(h.Ops) {
		add(all...)
	}
	return slices.Sorted(maps.Keys(chosen))
}

// latest returns the n operations of a minimal sub-history that are nearest to its end,
// which is the response that no order explains.
func latest(h *history.History, core []int32, end int32, n int) []int32 {
	if len(core) <= n {
		return core
	}
	core = slices.Clone(core)
	event := func(i int32) int32 {
		if op := &h.Ops[i]; op.Return > end || op.Pending() {
			return op.Call
		}
		return h.Ops[i].Return
	}
	slices.SortStableFunc(core, func(a, b int32) int { return cmp.Compare(event(b), event(a)) })
	return core[:n]
}

// endOf returns the position of the last event that matters: the response that no order
// explains. It returns NoReturn if there is no such response.
func endOf(h *history.History, v *replay.Verdict) int32 {
	if e := explanationOf(v); e.Unexplained != replay.NoOperation && !h.IsRelaxed() {
		return h.Ops[e.Unexplained].Return
	}
	return history.NoReturn
}

// overlaps reports whether two operations are concurrent in real time.
func overlaps(a, b *history.Operation) bool {
	return a != b && a.Call < b.Return && b.Call < a.Return
}

// Marks of operations in a timeline.
const (
	markUnexplained = "!"
	markFree        = "*"
	markHappened    = "+"
	markDelayed     = "~"
)

var markMeanings = []struct {
	mark    string
	color   string
	meaning string
}{
	{markUnexplained, red, "no order explains its response"},
	{markFree, yellow, "with another result, the history would be " + linearizable},
	{markHappened, yellow, "known to have happened"},
	{markDelayed, yellow, "delayed"},
	{"o", plain, "where it takes effect, in the order of #"},
	{">", plain, "open until the end"},
}

// marksOf returns the marks of operations.
func marksOf(v *replay.Verdict) map[int32]string {
	marks := map[int32]string{}
	e := explanationOf(v)
	if e.Unexplained != replay.NoOperation {
		marks[e.Unexplained] = markUnexplained
	}
	add := func(i int32, mark string) {
		if !strings.Contains(marks[i], mark) {
			marks[i] += mark
		}
	}
	for _, group := range e.Free {
		for _, f := range group {
			add(f.Op, markFree)
		}
	}
	for _, i := range e.Marks {
		add(i, markHappened)
	}
	if v != nil {
		for _, i := range v.Index.Tuple {
			add(i, markDelayed)
		}
	}
	return marks
}

// A row is an operation in a timeline.
type row struct {
	op        *history.Operation
	call, ret int32 // positions of its events; ret counts only if it is not open
	open      bool
	point     int32 // position of the last invocation before it takes effect, or -1
	marks     string
	cells     [4]string // order in the witness, process, identifier, text
}

// timeline draws operations, each line after indent.
func (p *printer) timeline(v *replay.Verdict, ops []int32, indent string) {
	h, end := p.h, endOf(p.h, v)
	ops = slices.DeleteFunc(slices.Sorted(slices.Values(ops)), func(i int32) bool { return h.Ops[i].Call > end })
	if len(ops) == 0 {
		return
	}
	rows := p.rows(v, ops, end)
	who := "process"
	if p.inLanes() {
		who = "lane"
	}
	widths := [4]int{0, len(who), len("id"), 0}
	for _, r := range rows {
		widen(&widths, r.cells)
	}
	room := p.Width - len(indent) - 3 - widths[0] - 1 - widths[1] - 2 - widths[2] - 2
	widths[3] = min(widths[3], max(room/2, 12))
	axis := newAxis(rows, max(room-widths[3]-4, 10))
	p.printf("%s\n", p.paint(dim, fmt.Sprintf("%s%*s %-*s  %*s", indent, 3+widths[0], "", widths[1], who, widths[2], "id")))
	for _, r := range rows {
		color := plain
		for _, m := range markMeanings {
			if color == plain && strings.Contains(r.marks, m.mark) {
				color = m.color
			}
		}
		line := fmt.Sprintf("%-3s%s %s  %s  %-*s  %s", r.marks, padLeft(r.cells[0], widths[0]), pad(r.cells[1], widths[1]), padLeft(r.cells[2], widths[2]),
			axis.last+2, axis.bar(&r), elide(r.cells[3], widths[3]))
		p.printf("%s%s\n", indent, p.paint(color, strings.TrimRight(line, " ")))
	}
	p.shownEdges(v, ops, indent)
	p.legend(rows, axis, indent)
}

// rows returns the rows of ops, sorted by the name of the process and then by
// invocation.
func (p *printer) rows(v *replay.Verdict, ops []int32, end int32) []row {
	marks := marksOf(v)
	rows := make([]row, len(ops))
	index := make(map[int32]*row, len(ops))
	within := map[int32]int32{}
	for k, i := range ops {
		op := &p.h.Ops[i]
		r := &rows[k]
		index[i] = r
		*r = row{op: op, call: op.Call, ret: op.Return, open: op.Return > end || op.Pending() || op.Waits, point: -1, marks: marks[i]}
		r.cells = [4]string{"", elide(Name(p.h.Processes[op.Process]), p.nameWidth()), elide(Name(op.ID()), p.nameWidth()), Clean(op.String())}
		if op.Return > end && !op.Pending() && !op.Waits {
			r.cells[3] = call(op) + ": open"
		}
		if p.h.IsRelaxed() { // only the order within each process counts, not the positions
			r.call, r.ret = 2*within[op.Process], 2*within[op.Process]+1
			within[op.Process]++
		}
	}
	if v != nil {
		latest := int32(-1)
		for k, i := range v.Witness {
			latest = max(latest, p.h.Ops[i].Call)
			if r := index[i]; r != nil {
				r.cells[0] = "#" + thousands(k+1)
				if !p.h.IsRelaxed() {
					r.point = latest
				}
			}
		}
	}
	if p.inLanes() {
		fillLanes(rows)
		return rows
	}
	slices.SortStableFunc(rows, func(a, b row) int {
		return p.h.Processes[a.op.Process].Compare(p.h.Processes[b.op.Process])
	})
	return rows
}

// inLanes reports whether a timeline has lanes in place of processes.
func (p *printer) inLanes() bool { return p.h.NoProcesses && !p.h.IsRelaxed() }

// fillLanes puts each operation, by invocation, into the first lane in which no other is open, and
// sorts the rows by lane. No two concurrent operations fit into one lane, so this takes as few
// lanes as possible.
func fillLanes(rows []row) {
	var ends []int32 // per lane
	lane := map[*history.Operation]int{}
	for k := range rows {
		r := &rows[k]
		n := slices.IndexFunc(ends, func(end int32) bool { return end < r.call })
		if n < 0 {
			n, ends = len(ends), append(ends, 0)
		}
		ends[n] = r.ret
		if r.open {
			ends[n] = history.NoReturn
		}
		lane[r.op], r.cells[1] = n, thousands(n+1)
	}
	slices.SortStableFunc(rows, func(a, b row) int { return lane[a.op] - lane[b.op] })
}

// An axis maps positions of events to columns.
type axis struct {
	positions []int32 // of the events drawn, sorted
	column    []int   // index into positions -> column
	last      int     // column of open ends
	points    bool    // there is room for the points of a witness between events
	exact     bool    // the columns show which operations precede others
}

// newAxis gives each event a column of its own. If that takes more than width columns,
// adjacent invocations share a column, and so do adjacent responses, because their order
// does not matter. If there are still too many columns, newAxis spreads the events evenly.
func newAxis(rows []row, width int) *axis {
	a := &axis{}
	isCall := map[int32]bool{}
	for _, r := range rows {
		a.positions = append(a.positions, r.call)
		isCall[r.call] = true
		if !r.open {
			a.positions = append(a.positions, r.ret)
		}
	}
	slices.Sort(a.positions)
	a.positions = slices.Compact(a.positions)
	a.column = make([]int, len(a.positions))
	dense := len(a.positions) >= width
	columns := 0
	for i, at := range a.positions {
		if i > 0 && (!dense || isCall[at] != isCall[a.positions[i-1]]) {
			columns++
		}
		a.column[i] = columns
	}
	if columns++; columns < width {
		step := min(4, (width-1)/columns)
		for i := range a.column {
			a.column[i] *= step
		}
		a.last = columns * step
		a.points, a.exact = step > 1 && !dense, true
		return a
	}
	for i := range a.column {
		a.column[i] = a.column[i] * (width - 1) / columns
	}
	a.last = width - 1
	return a
}

// at returns the column of the last event that is not after a position.
func (a *axis) at(position int32) int {
	i, found := slices.BinarySearch(a.positions, position)
	if !found {
		i--
	}
	return a.column[max(i, 0)]
}

// bar draws the interval of an operation.
func (a *axis) bar(r *row) string {
	from, to, end := a.at(r.call), a.last, ">"
	if !r.open {
		to, end = a.at(r.ret), "|"
	}
	line := []byte(strings.Repeat(" ", from) + "|")
	if to > from {
		line = append(line, strings.Repeat("-", to-from-1)+end...)
	}
	if x := a.at(r.point) + 1; r.point >= 0 && a.points && x < len(line) {
		line[x] = 'o'
	}
	return string(line)
}

// edgesShown is how many edges are listed below a timeline.
const edgesShown = 10

// shownEdges lists the edges between operations of a timeline, including the edges of
// the core that stand for edges through other operations. It leaves out the order within
// processes, which the lines of the timeline show.
func (p *printer) shownEdges(v *replay.Verdict, ops []int32, indent string) {
	shown := 0
	edges := slices.Concat(p.h.Edges, explanationOf(v).CoreEdges)
	slices.SortFunc(edges, history.CompareEdges)
	for _, e := range slices.Compact(edges) {
		from, to := p.h.Operation(e.From), p.h.Operation(e.To)
		isShown := func(i int32) bool { _, found := slices.BinarySearch(ops, i); return found }
		if !isShown(e.From) || !isShown(e.To) || p.h.IsProgramEdge(e) {
			continue
		}
		if shown++; shown > edgesShown {
			continue
		}
		p.printf("%s   %s has to come before %s\n", indent, Name(from.ID()), Name(to.ID()))
	}
	if shown > edgesShown {
		p.printf("%s   and %d more such orders\n", indent, shown-edgesShown)
	}
}

// legend explains the marks that occur.
func (p *printer) legend(rows []row, a *axis, indent string) {
	isWait := false // the unexplained operation
	for _, m := range markMeanings {
		occurs := slices.ContainsFunc(rows, func(r row) bool {
			switch m.mark {
			case "o":
				return a.points && r.point >= 0
			case ">":
				return r.open
			case markUnexplained:
				isWait = isWait || r.op.Waits && strings.Contains(r.marks, m.mark)
			}
			return strings.Contains(r.marks, m.mark)
		})
		if m.mark == markUnexplained && isWait {
			m.meaning = "no order explains that it never returned"
		}
		if occurs {
			p.printf("%s\n", p.paint(dim, indent+" "+m.mark+" "+strings.Replace(m.meaning, linearizable, p.property(), 1)))
		}
	}
	if !a.exact {
		p.printf("%s\n", p.paint(dim, indent+"   too wide: a column has several events"))
	}
	if p.h.IsRelaxed() {
		p.printf("%s\n", p.paint(dim, indent+"   only the order within each process counts, not time"))
	}
}
