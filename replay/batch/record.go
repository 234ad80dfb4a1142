package batch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/hitting"
	"github.com/leadline/leadline/replay"
)

// JSONVersion is the version of lines in JSON. It grows when a field goes or changes its meaning,
// not when one is added; cmd/leadline/schema.json describes them.
const JSONVersion = 1

// A place is the beginning of a line of results. It depends on where the entry was read.
// A field without a value is null.
type place struct {
	File    string  `json:"file"`
	History *string `json:"history"`
	Format  *string `json:"format"`
	// SortedBy is "index" or "time" if the events are in that order, and not in the order
	// of the lines. Unterminated is set if the last line has no newline.
	SortedBy     string `json:"ordered_by,omitempty"`
	Unterminated bool   `json:"unterminated,omitempty"`
}

// A record is the rest of the line: it depends on the content of the history, the
// model and the options.
type record struct {
	Model     *string `json:"model"`
	Ops       *int    `json:"ops"`
	Pending   *int    `json:"pending"`
	Processes *int    `json:"processes"`
	C         *int    `json:"c"`
	CP        *int64  `json:"cp"`
	// Order is "program" if real time does not order operations.
	Order string `json:"order,omitempty"`
	// Weak are levels of methods, as in "size=basic", and Unseen has the operations of Witness
	// that miss earlier ones.
	Weak     []string       `json:"weak,omitempty"`
	Unseen   []recordUnseen `json:"unseen,omitempty"`
	Verdict  string         `json:"verdict"`
	Cause    *string        `json:"cause"`
	Depth    *int           `json:"depth"`
	Index    *Index         `json:"schedule_index"`
	Replayed []int64        `json:"replayed"`
	Engine   *string        `json:"engine"`
	// Deeper is a depth that is known to be too small, and DepthCause says why the depth
	// is not known.
	Deeper     *int    `json:"deeper_than"`
	DepthCause *string `json:"depth_cause"`
	Witness    []any   `json:"witness"`
	// Prefix, Unexplained, Impossible, States, Core and Blame are the parts of an explanation:
	// see replay.Explanation. Missing, Extra and OutOfOrder are its Difference. Entries of Blame with one group belong together.
	// ExplanationCause is why parts are missing.
	Prefix           *int              `json:"prefix"`
	Unexplained      any               `json:"unexplained"`
	Impossible       string            `json:"impossible,omitempty"`
	Missing          []any             `json:"missing,omitempty"`
	Extra            []any             `json:"extra,omitempty"`
	OutOfOrder       [][2]any          `json:"out_of_order,omitempty"`
	States           []string          `json:"states"`
	MoreStates       bool              `json:"more_states,omitempty"`
	StatesOfCore     bool              `json:"states_of_core,omitempty"`
	Core             []any             `json:"core"`
	CoreParts        []any             `json:"core_parts,omitempty"`
	CoreElements     []any             `json:"core_elements,omitempty"`
	Blame            []recordBlame     `json:"blame"`
	Initial          string            `json:"initial,omitempty"`
	InitialNext      any               `json:"initial_next,omitempty"`
	ExplanationCause map[string]string `json:"explanation_cause"`
	// Marks are operations that are known to have happened, and Edges are orders beyond
	// real time. Together they rule out every order that real time alone allows.
	Marks []any    `json:"marks,omitempty"`
	Edges [][2]any `json:"edges,omitempty"`
	// CoreMarks and CoreEdges are the marks and edges that Core needs; see
	// replay.Explanation.
	CoreMarks []any    `json:"core_marks,omitempty"`
	CoreEdges [][2]any `json:"core_edges,omitempty"`
	// Waits are the operations that wait for ever.
	Waits []recordWait `json:"waits,omitempty"`
	// Conflict has operations that are not linearizable by themselves, from a monitor.
	Conflict []any       `json:"conflict"`
	Errors   []recordErr `json:"errors"`
	Version  int         `json:"version"`
	Elapsed  *int64      `json:"elapsed_ns,omitempty"`
}

// An Index is a schedule index in JSON.
type Index struct {
	Chain int32 `json:"chain"`
	Tuple []any `json:"tuple"`
}

type recordBlame struct {
	Operation any   `json:"operation"`
	Recorded  any   `json:"recorded"`
	Allowed   []any `json:"allowed"`
	Group     int   `json:"group"`
}

type recordUnseen struct {
	Operation any   `json:"operation"`
	Misses    []any `json:"misses"`
}

type recordWait struct {
	Operation any    `json:"operation"`
	For       string `json:"for"` // where, for what, and who holds it; or ""
}

type recordErr struct {
	Line    *int   `json:"line"`
	Message string `json:"message"`
}

// An Outcome is the part of a result that can be stored, and can take the place of a
// check of the same history.
type Outcome struct {
	Status Status
	// At is the operation that the reason is about, or -1.
	At int32
	// Reason says briefly why the history is not linearizable, unknown or invalid. It is
	// "" if it is linearizable.
	Reason string
	// Final is false if another check with the same options may find more, because lack
	// of time or memory or an interrupt ended this one.
	Final bool
	// Took is the time of the check.
	Took time.Duration
	rest []byte // JSON of a record
}

// Outcome returns the outcome of the result.
func (r *Result) Outcome() *Outcome {
	if r.outcome != nil {
		return r.outcome
	}
	o := &Outcome{Status: r.Status(), At: -1, Took: r.Verdict.Elapsed}
	rec := r.record()
	switch o.Status {
	case NotLinearizable:
		o.reason(r.History, &r.Verdict)
	case Unknown:
		o.Reason = fmt.Sprintf("unknown (%v)", r.Verdict.Cause)
	case Invalid, Internal:
		o.Reason = rec.Errors[0].Message
	}
	o.Final = (o.Status == Linearizable || o.Status == NotLinearizable) && !r.interrupted &&
		!rec.gaveUp(replay.Cancelled) && !rec.gaveUp(replay.Time) && !rec.gaveUp(replay.Memory)
	o.rest = appendJSON(nil, rec)
	r.outcome = o
	return o
}

// reason sets why the history is not linearizable.
func (o *Outcome) reason(h *history.History, v *replay.Verdict) {
	e := v.Explanation
	switch {
	case v.Versions != "":
		o.At = v.Conflict[0]
		o.Reason = v.Versions
	case e != nil && e.Unexplained != replay.NoOperation:
		o.At = e.Unexplained
		o.Reason = "no order explains the response of " + describe(h, o.At)
		if h.Ops[o.At].Waits {
			o.Reason = "no order explains " + describe(h, o.At)
		}
		if e.Impossible != "" {
			o.Reason += ": " + e.Impossible
		}
		if text := e.Difference.String(); text != "" {
			o.Reason += ": in its result, " + text
		}
	case e != nil && len(e.Core) > 0:
		o.At = e.Core[0]
		o.Reason = fmt.Sprintf("no order explains %d of its %d operations together", len(e.Core), len(h.Ops))
	case len(v.Conflict) > 0:
		o.At = v.Conflict[0]
		o.Reason = fmt.Sprintf("no order explains %d of its %d operations together", len(v.Conflict), len(h.Ops))
	default:
		o.Reason = "no order of the operations gives the recorded results"
	}
}

// gaveUp reports whether any part of the record is missing for this cause.
func (rec *record) gaveUp(cause replay.Cause) bool {
	for _, c := range []*string{rec.Cause, rec.DepthCause} {
		if c != nil && *c == cause.String() {
			return true
		}
	}
	for _, c := range rec.ExplanationCause {
		if c == cause.String() {
			return true
		}
	}
	return false
}

// AppendLine appends the line of the result in JSON, with its newline.
func (r *Result) AppendLine(dst []byte) []byte {
	p := place{File: r.File, History: orNull(r.ID())}
	if h := r.History; h != nil {
		p.Format, p.SortedBy, p.Unterminated = orNull(h.Format), h.SortedBy, h.Unterminated
	}
	dst = appendJSON(dst, p)
	dst[len(dst)-1] = ',' // in place of the bracket
	return append(append(dst, r.Outcome().rest[1:]...), '\n')
}

// appendJSON appends v in JSON. It does not escape < and &, but it escapes control
// characters.
func appendJSON(dst []byte, v any) []byte {
	b := bytes.NewBuffer(dst)
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("batch: %v", err)) // all values have a form in JSON
	}
	text := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	if !bytes.ContainsFunc(text[len(dst):], isControl) {
		return text
	}
	escaped := slices.Clone(dst)
	for _, r := range string(text[len(dst):]) {
		if isControl(r) {
			escaped = fmt.Appendf(escaped, `\u%04x`, r)
		} else {
			escaped = utf8.AppendRune(escaped, r)
		}
	}
	return escaped
}

// isControl reports whether r is a control character of terminals that JSON need not
// escape.
func isControl(r rune) bool { return 0x7f <= r && r < 0xa0 }

func (r *Result) record() *record {
	rec := &record{Version: JSONVersion, Model: orNull(r.Model), Verdict: r.Status().String()}
	if h := r.History; h != nil {
		ops, pending, processes := len(h.Ops), h.Pending(), len(h.Processes)
		rec.Ops, rec.Pending, rec.Processes = &ops, &pending, &processes
		if h.IsRelaxed() {
			rec.Order = "program"
		}
		for _, w := range h.Waits {
			rec.Waits = append(rec.Waits, recordWait{identifier(h, w.Op), w.For})
		}
	}
	switch {
	case r.Internal != nil:
		rec.Verdict = replay.Undecided.String()
		rec.Errors = []recordErr{{Message: r.Internal.Error()}}
		return rec
	case r.Err != nil:
		rec.Errors = recordErrors(r.Err)
		return rec
	}
	v := &r.Verdict
	if KnowsConcurrency(r.History, v) {
		rec.C, rec.CP = &v.C, &v.CP
	}
	rec.Cause = orNull(v.Cause.String())
	if v.Answer != replay.Undecided {
		rec.Engine = orNull(v.Engine.String())
	}
	rec.Depth = orNull(v.Depth)
	if v.Answer == replay.Linearizable && v.Depth == 0 {
		rec.Deeper, rec.DepthCause = &v.Deeper, orNull(v.DepthCause.String())
		if v.DepthCause == replay.Depth {
			rec.DepthCause = orNull("deeper")
		}
	}
	if v.Depth > 0 {
		rec.Index = NewIndex(r.History, v.Index)
	}
	rec.Replayed = v.Replayed
	rec.Conflict = Identifiers(r.History, v.Conflict)
	rec.Witness, rec.Weak = Identifiers(r.History, v.Witness), r.weak
	for i, missed := range v.Unseen {
		if len(missed) > 0 {
			rec.Unseen = append(rec.Unseen, recordUnseen{identifier(r.History, int32(i)), Identifiers(r.History, missed)})
		}
	}
	if v.Explanation != nil {
		rec.explain(r.History, v.Explanation)
	}
	if r.times {
		elapsed := v.Elapsed.Nanoseconds()
		rec.Elapsed = &elapsed
	}
	return rec
}

// explain adds the parts of an explanation. If that panics, the line has none of them.
func (rec *record) explain(h *history.History, e *replay.Explanation) {
	verdict := *rec
	defer func() {
		if value := recover(); value != nil {
			*rec = verdict
			rec.ExplanationCause = map[string]string{}
			for _, part := range []string{"prefix", "states", "core", "blame"} {
				rec.ExplanationCause[part] = fmt.Sprintf("internal error: %v", value)
			}
		}
	}()
	rec.Prefix, rec.Core = orNull(e.Prefix), Identifiers(h, e.Core)
	if e.Unexplained != replay.NoOperation {
		rec.Unexplained, rec.Impossible = identifier(h, e.Unexplained), e.Impossible
	}
	rec.Missing, rec.Extra = jsonValues(e.Difference.Missing), jsonValues(e.Difference.Extra)
	for _, pair := range e.Difference.OutOfOrder {
		rec.OutOfOrder = append(rec.OutOfOrder, [2]any{jsonValue(pair[0]), jsonValue(pair[1])})
	}
	rec.CoreParts, rec.CoreElements = jsonValues(e.Parts), jsonValues(e.Elements)
	rec.States, rec.MoreStates, rec.StatesOfCore = e.States, e.MoreStates, e.StatesOfCore
	rec.Marks = Identifiers(h, e.Marks)
	rec.CoreMarks = Identifiers(h, e.CoreMarks)
	rec.Edges, rec.CoreEdges = edgesOf(h, e.Edges), edgesOf(h, e.CoreEdges)
	rec.Blame, rec.Initial = newBlame(h, e.Free), e.Initial
	if e.Initial != "" && e.InitialNext != replay.NoOperation {
		rec.InitialNext = identifier(h, e.InitialNext)
	}
	if rec.Blame == nil && !slices.ContainsFunc(e.Missing, func(m replay.MissingPart) bool { return m.Part == "blame" }) {
		rec.Blame = []recordBlame{} // it is known that there is no such group
	}
	for _, m := range e.Missing {
		if rec.ExplanationCause == nil {
			rec.ExplanationCause = map[string]string{}
		}
		rec.ExplanationCause[m.Part] = m.Cause
	}
}

// NewIndex returns an index with the identifiers that the file gives to operations.
func NewIndex(h *history.History, index hitting.Index) *Index {
	tuple := Identifiers(h, index.Tuple)
	if tuple == nil {
		tuple = []any{}
	}
	return &Index{index.Chain, tuple}
}

func recordErrors(err error) []recordErr {
	var errs []recordErr
	for _, f := range Faults(err) {
		errs = append(errs, recordErr{orNull(f.Line), f.Msg})
	}
	if HasMore(err) {
		errs = append(errs, recordErr{Message: "too many errors"})
	}
	return errs
}

// Identifiers returns the identifiers that the file gives to operations; nil for nil.
func Identifiers(h *history.History, ops []int32) []any {
	if ops == nil {
		return nil
	}
	ids := make([]any, len(ops))
	for i, op := range ops {
		ids[i] = identifier(h, op)
	}
	return ids
}

func edgesOf(h *history.History, edges []history.Edge) (ids [][2]any) {
	for _, e := range edges {
		ids = append(ids, [2]any{identifier(h, e.From), identifier(h, e.To)})
	}
	return ids
}

func identifier(h *history.History, op int32) any { return jsonValue(h.Operation(op).ID()) }

func newBlame(h *history.History, free [][]replay.FreedResult) []recordBlame {
	var blame []recordBlame
	for g, group := range free {
		for _, f := range group {
			recorded := jsonValue(h.Ops[f.Op].Result)
			if h.Ops[f.Op].Waits {
				recorded = nil // it never returned
			}
			allowed := append([]any{}, jsonValues(f.Allowed)...)
			blame = append(blame, recordBlame{identifier(h, f.Op), recorded, allowed, g})
		}
	}
	return blame
}

func jsonValues(list []history.Value) (all []any) {
	for _, v := range list {
		all = append(all, jsonValue(v))
	}
	return all
}

// jsonValue returns v as the native format has it.
func jsonValue(v history.Value) any { return json.RawMessage(codec.AppendValue(nil, v)) }

// orNull returns nil, which is null in JSON, for the zero value.
func orNull[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}
