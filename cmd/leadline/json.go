package main

import (
	"bufio"
	"encoding/json"
	"errors"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/hitting"
	"github.com/leadline/leadline/replay"
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
	// BlockDepths are those of the blocks between quiescent cuts, null for one
	// that the search decided; Contributions what several engines did.
	BlockDepths   []*int               `json:"block_depths"`
	Contributions []recordContribution `json:"contributions"`
	ExactDepth    *int                 `json:"exact_depth"`
	Witness       []any                `json:"witness"`
	// Unexplained is the operation of the first response that no order
	// explains. Blame has results of which, with others in their place, the
	// history would be linearizable: entries of one group together.
	Unexplained any           `json:"unexplained"`
	Blame       []recordBlame `json:"blame"`
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
	times bool
}

func (p *jsonPresenter) finish() error { return nil }

func (p *jsonPresenter) present(r *result) error {
	return writeJSON(p.out, newRecord(r, p.times))
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
	rec.Depth, rec.ExactDepth = positive(v.Depth), positive(v.ExactDepth)
	if v.Depth > 0 {
		rec.Index = newRecordIndex(r.history, v.Index)
	}
	rec.Replayed = v.Replayed
	for _, d := range v.BlockDepths {
		rec.BlockDepths = append(rec.BlockDepths, positive(d))
	}
	for _, c := range v.Contributions {
		rec.Contributions = append(rec.Contributions, recordContribution{c.Engine.String(), c.Pieces, c.Ops})
	}
	rec.Conflict = identifiers(r.history, v.Conflict)
	rec.Witness = identifiers(r.history, v.Witness)
	if v.Explanation != nil {
		if v.Explanation.Unexplained != replay.NoOperation {
			rec.Unexplained = identifier(r.history, v.Explanation.Unexplained)
		}
		rec.Marks = identifiers(r.history, v.Explanation.Marks)
		for _, e := range v.Explanation.Edges {
			rec.Edges = append(rec.Edges, [2]any{identifier(r.history, e.From), identifier(r.history, e.To)})
		}
		rec.Blame = newBlame(r.history, v.Explanation.Free)
	}
	if times {
		elapsed := v.Elapsed.Nanoseconds()
		rec.Elapsed = &elapsed
	}
	return rec
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
