package main

import (
	"bufio"
	"encoding/json"
	"errors"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting"
	"github.com/leadline/leadline/replay"
)

// A presenter shows results, one after another.
type presenter interface {
	present(r *result) error
	finish(skipped int) error
}

// A record is a line of check --output json. What is absent is null.
type record struct {
	File       string       `json:"file"`
	History    *string      `json:"history"`
	Format     *string      `json:"format"`
	Model      *string      `json:"model"`
	Ops        *int         `json:"ops"`
	Pending    *int         `json:"pending"`
	Processes  *int         `json:"processes"`
	C          *int         `json:"c"`
	CP         *int64       `json:"cp"`
	Verdict    string       `json:"verdict"`
	Cause      *string      `json:"cause"`
	Depth      *int         `json:"depth"`
	Index      *recordIndex `json:"schedule_index"`
	Replayed   []int64      `json:"replayed"`
	Engine     *string      `json:"engine"`
	ExactDepth *int         `json:"exact_depth"`
	Witness    []any        `json:"witness"`
	Errors     []recordErr  `json:"errors"`
	Elapsed    *int64       `json:"elapsed_ns,omitempty"`
}

type recordIndex struct {
	Chain int32 `json:"chain"`
	Tuple []any `json:"tuple"`
}

type recordErr struct {
	Line    *int   `json:"line"`
	Message string `json:"message"`
}

type jsonPresenter struct {
	out   *bufio.Writer
	times bool
}

func (p *jsonPresenter) finish(int) error { return nil }

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
	rec.C, rec.CP = &v.C, &v.CP
	rec.Verdict = v.Answer.String()
	rec.Cause, rec.Engine = present(v.Cause.String()), present(v.Engine)
	rec.Depth, rec.ExactDepth = positive(v.Depth), positive(v.ExactDepth)
	if v.Depth > 0 {
		rec.Index = newRecordIndex(r.history, v.Index)
	}
	rec.Replayed = v.Replayed
	rec.Witness = identifiers(r.history, v.Witness)
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
		id := h.Ops[op].ID
		if id.Kind() == history.String {
			ids[i] = id.Text()
		} else {
			ids[i] = id.Int()
		}
	}
	return ids
}

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
