package main

import (
	"bufio"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// A textPresenter writes a line per history, the faults of invalid ones to
// standard error, and a table of totals at the end.
type textPresenter struct {
	out    *bufio.Writer
	errs   errorPrinter
	flags  *checkFlags
	totals totals
}

func (p *textPresenter) present(r *result) error {
	p.totals.add(r)
	switch {
	case r.isFileFault():
		p.errs.print(r.file, r.err)
		return nil
	case r.internal != nil:
		_, err := fmt.Fprintf(p.out, "%-16s  %s\n", "internal error", r.place())
		return err
	case r.err != nil:
		p.errs.print(r.file, r.err)
		_, err := fmt.Fprintf(p.out, "%-16s  %s\n", "invalid", r.place())
		return err
	}
	v, h := &r.verdict, r.history
	c, cp := strconv.Itoa(v.C), strconv.FormatInt(v.CP, 10)
	if !knowsConcurrency(h, v) {
		c, cp = "-", "-"
	}
	line := fmt.Sprintf("%-16s  %-9s  %3d ops  %2d procs  c=%-2s cp=%-4s %-13s",
		v.Answer, depthText(v), len(h.Ops), len(h.Processes), c, cp, r.extensions)
	if n := h.Pending(); n > 0 {
		line += fmt.Sprintf("  %d pending", n)
	}
	if p.flags.exactDepth {
		line += "  exact=" + orDash(v.ExactDepth)
	}
	if p.flags.times {
		line += fmt.Sprintf("  %8v", v.Elapsed.Round(time.Microsecond))
	}
	if _, err := fmt.Fprintf(p.out, "%s  %s\n", line, r.place()); err != nil {
		return err
	}
	if v.Explanation != nil {
		if err := p.presentExplanation(h, v.Explanation); err != nil || len(v.Explanation.Free) > 0 {
			return err
		}
	}
	if p.flags.explain && (len(v.Conflict) > 1 || v.Conflict != nil && v.Explanation == nil) {
		return p.presentConflict(h, v.Conflict)
	}
	if p.flags.witness && v.Witness != nil {
		return p.presentWitness(h, v)
	}
	return nil
}

// explainedMax is how many ways to explain a history are printed.
const explainedMax = 3

func (p *textPresenter) presentExplanation(h *history.History, e *replay.Explanation) error {
	at := func(i int32) string {
		op := &h.Ops[i]
		return fmt.Sprintf("%s %v (process %s, line %d)", name(op.ID()), op, name(h.Processes[op.Process]), op.Line)
	}
	if e.Unexplained != replay.NoOperation {
		if _, err := fmt.Fprintf(p.out, "    no order explains the response of %s\n", at(e.Unexplained)); err != nil {
			return err
		}
	} else if err := p.presentReasons(h, e); err != nil {
		return err
	}
	for k, group := range e.Free {
		if k == explainedMax {
			_, err := fmt.Fprintf(p.out, "    and %d more such changes of results\n", len(e.Free)-k)
			return err
		}
		var changes []string
		for _, f := range group {
			allowed := make([]string, len(f.Allowed))
			for i, a := range f.Allowed {
				allowed[i] = a.String()
			}
			changes = append(changes, at(f.Op)+" had answered "+strings.Join(allowed, " or "))
		}
		if _, err := fmt.Fprintf(p.out, "    linearizable if %s\n", strings.Join(changes, " and ")); err != nil {
			return err
		}
	}
	return nil
}

// presentReasons prints the marks and edges that leave no order together.
func (p *textPresenter) presentReasons(h *history.History, e *replay.Explanation) error {
	at := func(i int32) string {
		op, did := operationOf(h, i), ""
		if int(i) >= len(h.Ops) {
			did = ", which did not happen"
		}
		return fmt.Sprintf("%s %v (line %d%s)", name(op.ID()), op, op.Line, did)
	}
	var reasons []string
	for _, i := range e.Marks {
		reasons = append(reasons, at(i)+" happened")
	}
	for _, edge := range e.Edges {
		reasons = append(reasons, at(edge.From)+" comes before "+at(edge.To))
	}
	_, err := fmt.Fprintf(p.out, "    real time can be explained, but not if %s\n", strings.Join(reasons, " and "))
	return err
}

// conflictMax is how many operations of a conflict are printed.
const conflictMax = 8

// presentConflict prints operations that already alone have no witness.
func (p *textPresenter) presentConflict(h *history.History, conflict []int32) error {
	for k, i := range conflict {
		op := &h.Ops[i]
		what := "together with"
		switch {
		case k == conflictMax:
			_, err := fmt.Fprintf(p.out, "    and %d more\n", len(conflict)-k)
			return err
		case k == 0:
			what = "no order explains"
		}
		if _, err := fmt.Fprintf(p.out, "    %s %s %v (process %s, line %d)\n", what, name(op.ID()), op, name(h.Processes[op.Process]), op.Line); err != nil {
			return err
		}
	}
	return nil
}

// depthText is the depth of a linearizable history, or, where no family that
// was tried had a witness, what found one; the cause of an unknown one.
func depthText(v *replay.Verdict) string {
	switch {
	case v.Answer == replay.Undecided:
		return v.Cause.String()
	case v.Depth > 0:
		return "depth " + strconv.Itoa(v.Depth)
	case v.Answer == replay.Linearizable:
		return "by " + v.Engine.String()
	}
	return "-"
}

func (x extensions) String() string {
	if !x.known {
		return "many orders"
	}
	if x.n == 1 {
		return "1 order"
	}
	return strconv.FormatUint(x.n, 10) + " orders"
}

func orDash(n int) string {
	if n <= 0 {
		return "-"
	}
	return strconv.Itoa(n)
}

func (p *textPresenter) presentWitness(h *history.History, v *replay.Verdict) error {
	if v.Depth > 0 {
		fmt.Fprintf(p.out, "    schedule index <%d, (%s)>\n", v.Index.Chain, names(h, v.Index.Tuple, ", "))
	}
	for _, i := range v.Witness {
		op := &h.Ops[i]
		if _, err := fmt.Fprintf(p.out, "    %4s  process %-4s %v\n", name(op.ID()), name(h.Processes[op.Process]), op); err != nil {
			return err
		}
	}
	return nil
}

func (p *textPresenter) finish() error {
	if p.totals.all.entries() > 1 {
		if err := p.totals.table(p.out, p.flags.maxDepth); err != nil {
			return fmt.Errorf("table of totals: %w", err)
		}
	}
	_, err := fmt.Fprintln(p.out, p.totals.all.summary())
	return err
}
