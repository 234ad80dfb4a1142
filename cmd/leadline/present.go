package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/hitting"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/report"
)

// A presenter shows results, one after another.
type presenter interface {
	present(r *result) error
	finish() error
}

// A record is a line of check --output json. What is absent is null.
type record struct {
	File      string       `json:"file"`
	History   *string      `json:"history"`
	Format    *string      `json:"format"`
	Model     *string      `json:"model"`
	Ops       *int         `json:"ops"`
	Pending   *int         `json:"pending"`
	Processes *int         `json:"processes"`
	C         *int         `json:"c"`
	CP        *int64       `json:"cp"`
	Verdict   string       `json:"verdict"`
	Cause     *string      `json:"cause"`
	Depth     *int         `json:"depth"`
	Index     *recordIndex `json:"schedule_index"`
	Replayed  []int64      `json:"replayed"`
	Engine    *string      `json:"engine"`
	// Contributions are what several engines did.
	Contributions []recordContribution `json:"contributions"`
	ExactDepth    *int                 `json:"exact_depth"`
	ExactCause    *string              `json:"exact_cause,omitempty"`
	// Deeper is a depth that is known to be too small, and DepthCause is why
	// the depth is not known. FreeDepth is the depth if pending operations may be left
	// out at no cost.
	Deeper     *int    `json:"deeper_than"`
	DepthCause *string `json:"depth_cause"`
	FreeDepth  *int    `json:"depth_free"`
	Witness    []any   `json:"witness"`
	// Prefix, Unexplained, Impossible, States, Core and Blame are the parts of an explanation:
	// see replay.Explanation. Entries of Blame with one group belong together.
	// ExplanationCause is why parts are missing.
	Prefix           *int              `json:"prefix"`
	Unexplained      any               `json:"unexplained"`
	Impossible       string            `json:"impossible,omitempty"`
	States           []string          `json:"states"`
	MoreStates       bool              `json:"more_states,omitempty"`
	StatesOfCore     bool              `json:"states_of_core,omitempty"`
	Core             []any             `json:"core"`
	Blame            []recordBlame     `json:"blame"`
	ExplanationCause map[string]string `json:"explanation_cause"`
	// Marks are operations that are known to have happened, and Edges orders
	// beyond real time, that leave no order where real time alone does.
	Marks []any    `json:"marks,omitempty"`
	Edges [][2]any `json:"edges,omitempty"`
	// Conflict are operations that alone are not linearizable, from a monitor.
	Conflict []any       `json:"conflict"`
	Errors   []recordErr `json:"errors"`
	Elapsed  *int64      `json:"elapsed_ns,omitempty"`
}

type recordIndex struct {
	Chain int32 `json:"chain"`
	Tuple []any `json:"tuple"`
}

type recordContribution struct {
	Engine string `json:"engine"`
	Pieces int    `json:"pieces"`
	Ops    int    `json:"ops"`
}

type recordBlame struct {
	Operation any   `json:"operation"`
	Recorded  any   `json:"recorded"`
	Allowed   []any `json:"allowed"`
	Group     int   `json:"group"`
}

type recordErr struct {
	Line    *int   `json:"line"`
	Message string `json:"message"`
}

type jsonPresenter struct {
	out   *bufio.Writer
	flags *checkFlags
}

func (p *jsonPresenter) finish() error { return nil }

func (p *jsonPresenter) present(r *result) error {
	if p.flags.input.quiet && r.status() == statusOK {
		return nil
	}
	return writeJSON(p.out, newRecord(r, p.flags.times))
}

// writeJSON writes v on a line of its own, with < and & as themselves.
func writeJSON(out *bufio.Writer, v any) error {
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

func newRecord(r *result, times bool) *record {
	rec := &record{File: r.file, Model: present(r.model), Verdict: "invalid"}
	if h := r.history; h != nil {
		ops, pending, processes := len(h.Ops), h.Pending(), len(h.Processes)
		rec.History, rec.Format = present(h.ID), present(h.Format)
		rec.Ops, rec.Pending, rec.Processes = &ops, &pending, &processes
	}
	switch {
	case r.internal != nil:
		rec.Verdict = replay.Undecided.String()
		rec.Errors = []recordErr{{Message: r.internal.Error()}}
		return rec
	case r.err != nil:
		var many *history.Errors
		if errors.As(r.err, &many) {
			rec.History = present(many.ID)
		}
		rec.Errors = recordErrors(r.err)
		return rec
	}
	v := &r.verdict
	if knowsConcurrency(r.history, v) {
		rec.C, rec.CP = &v.C, &v.CP
	}
	rec.Verdict = v.Answer.String()
	rec.Cause = present(v.Cause.String())
	if v.Answer != replay.Undecided {
		rec.Engine = present(v.Engine.String())
	}
	rec.Depth, rec.FreeDepth = positive(v.Depth), positive(v.FreeDepth)
	rec.ExactDepth, rec.ExactCause = positive(v.ExactDepth), present(v.ExactCause)
	if v.Answer == replay.Linearizable && v.Depth == 0 {
		rec.Deeper, rec.DepthCause = &v.Deeper, present(depthCause(v))
	}
	if v.Depth > 0 {
		rec.Index = newRecordIndex(r.history, v.Index)
	}
	rec.Replayed = v.Replayed
	for _, c := range v.Contributions {
		rec.Contributions = append(rec.Contributions, recordContribution{c.Engine.String(), c.Pieces, c.Ops})
	}
	rec.Conflict = identifiers(r.history, v.Conflict)
	rec.Witness = identifiers(r.history, v.Witness)
	if v.Explanation != nil {
		rec.explain(r.history, v.Explanation)
	}
	if times {
		elapsed := v.Elapsed.Nanoseconds()
		rec.Elapsed = &elapsed
	}
	return rec
}

// explain adds the parts of an explanation.
func (rec *record) explain(h *history.History, e *replay.Explanation) {
	rec.Prefix, rec.Core = positive(e.Prefix), identifiers(h, e.Core)
	if e.Unexplained != replay.NoOperation {
		rec.Unexplained, rec.Impossible = identifier(h, e.Unexplained), e.Impossible
	}
	rec.States, rec.MoreStates, rec.StatesOfCore = e.States, e.MoreStates, e.StatesOfCore
	rec.Marks = identifiers(h, e.Marks)
	for _, edge := range e.Edges {
		rec.Edges = append(rec.Edges, [2]any{identifier(h, edge.From), identifier(h, edge.To)})
	}
	rec.Blame = newBlame(h, e.Free)
	if rec.Blame == nil && !slices.ContainsFunc(e.Missing, func(m replay.MissingPart) bool { return m.Part == "blame" }) {
		rec.Blame = []recordBlame{} // there is no such group, and that is known
	}
	for _, m := range e.Missing {
		if rec.ExplanationCause == nil {
			rec.ExplanationCause = map[string]string{}
		}
		rec.ExplanationCause[m.Part] = m.Cause
	}
}

func newRecordIndex(h *history.History, index hitting.Index) *recordIndex {
	tuple := identifiers(h, index.Tuple)
	if tuple == nil {
		tuple = []any{}
	}
	return &recordIndex{index.Chain, tuple}
}

func recordErrors(err error) []recordErr {
	var errs []recordErr
	for _, f := range faults(err) {
		errs = append(errs, recordErr{positive(f.Line), f.Msg})
	}
	var many *history.Errors
	if errors.As(err, &many) && many.More {
		errs = append(errs, recordErr{Message: "too many errors"})
	}
	return errs
}

// identifiers returns the file's own names of operations; nil for nil.
func identifiers(h *history.History, ops []int32) []any {
	if ops == nil {
		return nil
	}
	ids := make([]any, len(ops))
	for i, op := range ops {
		ids[i] = identifier(h, op)
	}
	return ids
}

func identifier(h *history.History, op int32) any { return jsonValue(operationOf(h, op).ID()) }

// operationOf returns the operation that an end of an edge stands for.
func operationOf(h *history.History, i int32) *history.Operation {
	if int(i) < len(h.Ops) {
		return &h.Ops[i]
	}
	return &h.Ghosts[int(i)-len(h.Ops)]
}

func newBlame(h *history.History, free [][]replay.FreedResult) []recordBlame {
	var blame []recordBlame
	for g, group := range free {
		for _, f := range group {
			b := recordBlame{identifier(h, f.Op), jsonValue(h.Ops[f.Op].Result), []any{}, g}
			for _, a := range f.Allowed {
				b.Allowed = append(b.Allowed, jsonValue(a))
			}
			blame = append(blame, b)
		}
	}
	return blame
}

// jsonValue returns v as the native format has it.
func jsonValue(v history.Value) any { return json.RawMessage(codec.AppendValue(nil, v)) }

// present returns nil for "".
func present(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// positive returns nil for 0.
func positive(n int) *int {
	if n <= 0 {
		return nil
	}
	return &n
}

// A textPresenter writes a line per history, the faults of invalid ones to
// standard error, and a table of totals at the end.
type textPresenter struct {
	out     *bufio.Writer
	flags   *checkFlags
	width   int // of the terminal, or 0
	options report.Options
	totals  totals
	hinted  bool // the command that explains a history was named
}

func (p *textPresenter) present(r *result) error {
	p.totals.add(r)
	switch {
	case p.flags.input.quiet && r.status() == statusOK:
		return nil
	case r.isFileFault():
		p.flags.input.report(r.file, r.err)
		return nil
	case r.internal != nil:
		_, err := fmt.Fprintf(p.out, "%s  %s\n", padVerdict("internal error", p.options.Color), r.place())
		return err
	case r.err != nil:
		p.flags.input.report(r.file, r.err)
		_, err := fmt.Fprintf(p.out, "%s  %s\n", padVerdict("invalid", p.options.Color), r.place())
		return err
	}
	v, h := &r.verdict, r.history
	c, cp := strconv.Itoa(v.C), strconv.FormatInt(v.CP, 10)
	if !knowsConcurrency(h, v) {
		c, cp = "-", "-"
	}
	line := fmt.Sprintf("  %-9s  %3d ops", depthText(v), len(h.Ops))
	// A narrow terminal has less, so that most names of files fit.
	if p.width == 0 || p.width >= 90 {
		line += fmt.Sprintf("  %2d procs", len(h.Processes))
	}
	if p.width == 0 || p.width >= 120 {
		line += fmt.Sprintf("  c=%-2s cp=%-4s %-13s", c, cp, r.extensions)
	}
	if n := h.Pending(); n > 0 {
		line += fmt.Sprintf("  %d pending", n)
		if v.FreeDepth > 0 && v.FreeDepth != v.Depth {
			line += fmt.Sprintf(" free=%d", v.FreeDepth)
		}
	}
	if p.flags.exactDepth {
		line += "  exact=" + orDash(v.ExactDepth)
	}
	if p.flags.times {
		line += fmt.Sprintf("  %8v", v.Elapsed.Round(time.Microsecond))
	}
	between := "  "
	if p.width > 0 && len(padVerdict("", false))+len(line)+len(between)+len(r.place()) > p.width {
		between = "\n    "
	}
	if _, err := fmt.Fprint(p.out, padVerdict(v.Answer.String(), p.options.Color), line, between, r.place(), "\n"); err != nil {
		return err
	}
	o := p.options
	if p.flags.output.value == "timeline" {
		return report.Timeline(p.out, h, v, nil, o)
	}
	if p.flags.explain && v.Answer == replay.NotLinearizable {
		if !p.hinted {
			o.Hint = p.flags.explainCommand(r)
			p.hinted = o.Hint != ""
		}
		return report.Short(p.out, h, v, o)
	}
	if p.flags.witness && v.Witness != nil {
		return report.Witness(p.out, h, r.spec, v, o)
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
	case v.Answer == replay.Linearizable && v.Deeper > 0:
		return "depth > " + strconv.Itoa(v.Deeper)
	case v.Answer == replay.Linearizable:
		return "by " + v.Engine.String()
	}
	return "-"
}

// depthCause is why the depth of a linearizable history is not known.
func depthCause(v *replay.Verdict) string {
	if v.DepthCause == replay.Depth {
		return "deeper"
	}
	return v.DepthCause.String()
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

func (p *textPresenter) finish() error {
	if p.totals.all.entries() > 1 && !p.flags.input.quiet {
		if err := p.totals.table(p.out, p.flags.maxDepth, p.width); err != nil {
			return fmt.Errorf("table of totals: %w", err)
		}
	}
	_, err := fmt.Fprintln(p.out, p.totals.all.summary())
	return err
}
