package main

import (
	"bufio"
	"fmt"
	"strconv"
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
	line := fmt.Sprintf("%-16s  %-9s  %3d ops  %2d procs  c=%-2d cp=%-4d %-13s",
		v.Answer, depthText(v), len(h.Ops), len(h.Processes), v.C, v.CP, r.extensions)
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
	if p.flags.witness && v.Witness != nil {
		return p.presentWitness(h, v)
	}
	return nil
}

// depthText is the depth of a linearizable history, "-" where no family had
// a witness, and the cause of an unknown one.
func depthText(v *replay.Verdict) string {
	switch {
	case v.Answer == replay.Undecided:
		return v.Cause.String()
	case v.Depth > 0:
		return "depth " + strconv.Itoa(v.Depth)
	case v.Answer == replay.Linearizable:
		return "deeper"
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
		if _, err := fmt.Fprintf(p.out, "    %4s  process %-4s %v\n", name(op.ID), name(h.Processes[op.Process]), op); err != nil {
			return err
		}
	}
	return nil
}

func (p *textPresenter) finish(skipped int) error {
	if p.totals.all.entries() > 1 {
		if err := p.totals.table(p.out, p.flags.maxDepth); err != nil {
			return fmt.Errorf("table of totals: %w", err)
		}
	}
	if skipped > 0 {
		fmt.Fprintf(p.errs.w, "leadline: skipped %d files of no known format\n", skipped)
	}
	_, err := fmt.Fprintln(p.out, p.totals.all.summary())
	return err
}
