package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/batch"
	"github.com/leadline/leadline/replay/report"
)

// A presenter shows results, one after another. Faults of the input are on standard error
// already, unless it is a jsonPresenter.
type presenter interface {
	present(r *result) error
	finish(*batch.Summary) error
}

type jsonPresenter struct {
	out   *bufio.Writer
	flags *checkFlags
}

func (p *jsonPresenter) finish(*batch.Summary) error { return nil }

func (p *jsonPresenter) present(r *result) error {
	if p.flags.input.quiet && r.status() == statusOK {
		return nil
	}
	_, err := p.out.Write(r.line)
	return err
}

// writeJSON writes v, an object, on a line of its own, with the version and with < and & as
// themselves. See schema.json.
func writeJSON(out io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	version := batch.JSONVersion
	if _, ok := v.(*stressSummary); ok {
		version++ // its account took the place of several keys
	}
	_, err := fmt.Fprintf(out, "%s,\"version\":%d}\n", bytes.TrimSuffix(b.Bytes(), []byte("}\n")), version)
	return err
}

// present returns nil for "".
func present(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// A textPresenter writes a line per history, and a table of totals at the end.
type textPresenter struct {
	out     *bufio.Writer
	flags   *checkFlags
	width   int // of the terminal, or 0
	options report.Options
	totals  totals
	hinted  bool // the command that explains a history was printed
}

func (p *textPresenter) present(r *result) error {
	p.totals.add(r)
	switch {
	case p.flags.input.quiet && r.status() == statusOK:
		return nil
	case r.IsFileFault():
		return nil
	case r.Err != nil || r.Internal != nil:
		word := "invalid"
		if r.Internal != nil {
			word = "internal error"
		}
		_, err := fmt.Fprintf(p.out, "%s  %s\n", padVerdict(word, p.options.Color), placeText(&r.Entry))
		return err
	}
	v, h := &r.Verdict, r.History
	c, cp := strconv.Itoa(v.C), strconv.FormatInt(v.CP, 10)
	if !batch.KnowsConcurrency(h, v) {
		c, cp = "-", "-"
	}
	line := fmt.Sprintf("  %-9s  %3d ops", depthText(v), len(h.Ops))
	// A narrow terminal shows less, so that most file names fit.
	if p.width == 0 || p.width >= 90 {
		line += fmt.Sprintf("  %2d procs", len(h.Processes))
	}
	if p.width == 0 || p.width >= 120 {
		line += fmt.Sprintf("  c=%-2s cp=%-4s %-13s", c, cp, r.extensions)
	}
	if n := h.Pending(); n > 0 {
		line += fmt.Sprintf("  %d pending", n)
	}
	if p.flags.verbose {
		line += fmt.Sprintf("  %8v", v.Elapsed.Round(time.Microsecond))
	}
	between := "  "
	if p.width > 0 && len(padVerdict("", false))+len(line)+len(between)+len(placeText(&r.Entry)) > p.width {
		between = "\n    "
	}
	if _, err := fmt.Fprint(p.out, padVerdict(p.flags.verdictText(r), p.options.Color), line, between, placeText(&r.Entry), "\n"); err != nil {
		return err
	}
	o := p.options
	if p.flags.output.Value == "timeline" {
		return report.Timeline(p.out, h, v, o)
	}
	if p.flags.explain && v.Answer == replay.NotLinearizable {
		if !p.hinted && len(p.flags.levels) == 0 {
			o.Hint = p.flags.explainCommand(r)
			p.hinted = o.Hint != ""
		}
		return report.Short(p.out, h, v, o)
	}
	isOverBudget := v.Answer == replay.Undecided && (v.Cause == replay.Time || v.Cause == replay.Memory)
	if isOverBudget && replay.TraitsOf(r.Spec).Discipline != replay.NoDiscipline {
		_, err := fmt.Fprintln(p.out, "    distinct values are easier to check: insert or write each only once (leadline help bounds)")
		return err
	}
	if p.flags.verbose && v.Witness != nil {
		return report.Witness(p.out, h, r.Spec, v, o)
	}
	return nil
}

// verdictText returns the verdict of a history that was checked. With --order program,
// it is about sequential consistency, and with --weak about weaker consistency.
func (f *checkFlags) verdictText(r *result) string {
	if r.History.IsRelaxed() || len(f.levels) > 0 {
		return consistency[r.Verdict.Answer]
	}
	return r.Verdict.Answer.String()
}

// consistency has the verdicts about sequential and weaker consistency.
var consistency = [...]string{replay.Undecided: replay.Undecided.String(), replay.Linearizable: "consistent",
	replay.NotLinearizable: "not-consistent"}

// depthText returns what the second column of a line has. That is the depth of a
// linearizable history or, if it is not known, a bound or what found the witness. It is
// the cause of an unknown verdict.
func depthText(v *replay.Verdict) string {
	switch {
	case v.Answer == replay.Undecided:
		return v.Cause.String()
	case v.Depth > 0:
		return "depth " + strconv.Itoa(v.Depth)
	case v.Answer == replay.Linearizable && v.Deeper > 0:
		return "depth > " + strconv.Itoa(v.Deeper)
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

// legend explains what people ask about on a terminal.
const legend = "c: most operations open at once; cp: pairs of concurrent operations; orders: those of all operations that real time allows"

func (p *textPresenter) finish(t *batch.Summary) error {
	if p.width >= 120 && t.Histories > t.Invalid+t.InternalErrors && !p.flags.input.quiet {
		if _, err := fmt.Fprintln(p.out, legend); err != nil {
			return err
		}
	}
	if t.Histories > 1 && !p.flags.input.quiet {
		if err := p.totals.table(p.out, p.flags.property(), p.flags.maxDepth, p.width); err != nil {
			return fmt.Errorf("table of totals: %w", err)
		}
	}
	_, err := fmt.Fprintln(p.out, lastLine(t, p.flags.property())+p.flags.input.leftOutText())
	return err
}
