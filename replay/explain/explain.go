package explain

import (
	"cmp"
	"context"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/ops"
)

// Why explains a verdict of decide.Check, given the same history, specification and
// options. It returns nil unless the history is not linearizable.
//
// Why never fails. Missing has the parts of the explanation that were not computed, because
// the budget or the context ended, or because the specification panicked. o.Budget.Time
// bounds the check and its explanation together; see Verdict.Elapsed. The work is bounded as
// well: it takes about a second, or more if the verdict was hard or the time limit is long.
func Why(ctx context.Context, h *history.History, spec replay.Spec, v replay.Verdict, o replay.Options) *replay.Explanation {
	if v.Answer != replay.NotLinearizable {
		return nil
	}
	n := len(h.Ops)
	o = o.WithDefaults(n)
	x := newExplainer(decide.NewSession(ctx, o, v.Elapsed), h, spec, &v, o.Budget.Bytes, workOf(n, &v, &o))
	if n > limits.long && !x.session.HasRoom(int64(n)*limits.bytes) {
		for _, part := range []string{"prefix", "states", "core", "blame"} {
			x.missFor(part, replay.Memory.String())
		}
		return x.e
	}
	return x.run()
}

// run computes all parts.
func (x *explainer) run() *replay.Explanation {
	base, conflict := x.h, x.finding.Conflict
	x.guard("prefix", func() { base, conflict = x.base() })
	x.guard("core", func() { x.core(base, conflict) })
	x.guard("initial", x.initial)
	x.guard("states", func() { x.states(base) })
	x.guard("blame", x.blame)
	return x.e
}

// workOf bounds the work of an explanation.
func workOf(n int, v *replay.Verdict, o *replay.Options) int64 {
	ops := int64(n)
	usual := min(limits.work+limits.workEach*ops, limits.workLong+limits.workLongEach*ops)
	return max(usual, limits.timesVerdict*v.Work, int64(o.Budget.Time.Seconds()*limits.workRate))
}

func newExplainer(s *decide.Session, h *history.History, spec replay.Spec, v *replay.Verdict, bytes, work int64) *explainer {
	return &explainer{session: s, spec: spec, bytes: bytes, meter: s.Meter().Share(work), h: h, finding: v.Finding, e: newExplanation()}
}

func newExplanation() *replay.Explanation {
	return &replay.Explanation{Unexplained: replay.NoOperation}
}

// An explainer computes an explanation, part by part.
type explainer struct {
	session *decide.Session
	spec    replay.Spec
	bytes   int64        // bounds the memory of tables
	meter   *meter.Meter // bounds the work

	h       *history.History
	finding replay.Finding // refutes h
	e       *replay.Explanation
	cause   string // why the last undecided history stayed undecided
}

// guard computes a part of the explanation. If it panics, the part is missing.
func (x *explainer) guard(part string, compute func()) {
	fault := decide.Guard(x.h, x.spec, compute)
	if fault == "" {
		return
	}
	x.forget(part)
	x.missFor(part, fault)
	if part == "prefix" {
		x.missFor("states", fault)
	}
}

// share returns a meter for a part of an explanation: that many percent of the work left.
func (x *explainer) share(percent int64) *meter.Meter {
	return x.meter.Share(x.meter.Left() / 100 * percent)
}

// miss records that a part was not computed, with the cause of the last history that
// Decide left undecided.
func (x *explainer) miss(part string) {
	x.e.Missing = append(x.e.Missing, replay.MissingPart{Part: part, Cause: cmp.Or(x.cause, "work")})
}

// missPrefix records that the prefix and the states before its end were not computed.
func (x *explainer) missPrefix() {
	if !x.h.IsRelaxed() {
		x.miss("prefix")
		x.miss("states")
	}
}

// forget removes what is known of a part, and its cause.
func (x *explainer) forget(part string) {
	e := x.e
	switch part {
	case "prefix":
		*e = *newExplanation()
	case "core":
		e.Core, e.CoreMarks, e.CoreEdges = nil, nil, nil
	case "states":
		e.States, e.MoreStates, e.StatesOfCore, e.Returns, e.Earlier = nil, false, false, nil, nil
	case "blame":
		e.Free = nil
	}
	e.Missing = slices.DeleteFunc(e.Missing, func(m replay.MissingPart) bool { return m.Part == part })
}

func (x *explainer) missFor(part, cause string) {
	x.e.Missing = append(x.e.Missing, replay.MissingPart{Part: part, Cause: cause})
}

// check decides a history within m. Building the history also counts as work.
func (x *explainer) check(h *history.History, m *meter.Meter) replay.Finding {
	f := replay.GaveUp(replay.Time)
	m.Spend(len(h.Ops))
	if !m.Stopped() && m.Left() > int64(len(h.Ops)) { // no engine can do with less
		f = x.session.Decide(h, x.spec, m)
	}
	if !f.Decided() {
		x.cause = x.causeOf(f.Cause)
	}
	return f
}

// causeOf names a cause. Engines that used up their share of the work report
// Time, too.
func (x *explainer) causeOf(c replay.Cause) string {
	if stopped := x.session.Stopped(); stopped != replay.NoCause {
		return stopped.String()
	}
	if c == replay.Time || c == replay.NoCause {
		return "work"
	}
	return c.String()
}

// base finds the shortest prefix that fails. It returns the history in which to search
// for the core, and operations in it that are known to be in conflict.
func (x *explainer) base() (*history.History, []int32) {
	h := x.h
	if h.IsRelaxed() {
		const noTime = "operations that are ordered by their processes alone have no prefixes"
		x.missFor("prefix", noTime)
		x.missFor("states", noTime)
	}
	f := x.finding
	if isConstrained(h) {
		h = under(h, nil, nil)
		switch f = x.check(h, x.meter); f.Answer {
		case replay.Undecided:
			x.missPrefix()
			return x.h, x.finding.Conflict
		case replay.Linearizable:
			return x.reasons(), nil
		}
	}
	if h.IsRelaxed() {
		return h, f.Conflict
	}
	last, cut, f, ok := x.prefix(h, f)
	if !ok {
		x.missPrefix()
		return cut, f.Conflict
	}
	x.e.Unexplained, x.e.Prefix = last, events(cut)
	x.e.Impossible = replay.Impossible(x.spec, &h.Ops[last])
	return cut, f.Conflict
}

// prefix returns the operation of the first response that no order explains, and the
// prefix of h that ends there, with its finding; f is the finding of h. If a prefix of a
// history fails, so does the history, so prefix bisects. Two heuristics make long
// histories cheap. First, the last response of a conflict, or the response that a search
// did not get past, is often the one wanted. Second, prefix tries short prefixes first. If
// some prefix stays undecided, it returns false and the shortest prefix that is known to
// fail.
func (x *explainer) prefix(h *history.History, f replay.Finding) (int32, *history.History, replay.Finding, bool) {
	returned := ops.Responses(h)
	rank := make([]int32, len(h.Ops)) // operation -> number of responses up to its own
	for i, op := range returned {
		rank[op] = int32(i) + 1
	}
	cut := h
	low, high, step := 0, len(returned), 1 // the first low responses are explained, the first high are not
	fall := 0                              // how far below a hint to try; it grows as long as hints are too late
	m := x.share(70)
	for high-low > 1 {
		hint := 0
		for _, op := range f.Conflict {
			hint = max(hint, int(rank[op]))
		}
		if f.Reached > 0 {
			at, ok := slices.BinarySearchFunc(returned, f.Reached, func(op, position int32) int { return cmp.Compare(h.Ops[op].Return, position) })
			if ok {
				hint = at + 1
			}
		}
		k := hint - 1
		switch {
		case low < k && k < high:
			k = max(k-fall, low+1)
			fall = 2*fall + 1
		case low < hint && hint < high:
			k = hint
		default:
			k = low + min(step, (high-low)/2)
			step *= 2
		}
		part := h.UpTo(h.Ops[returned[k-1]].Return)
		g := x.check(part, m)
		switch g.Answer {
		case replay.Undecided:
			// The prefix up to the hint is often easy to refute.
			if k < hint && hint < high {
				part = h.UpTo(h.Ops[returned[hint-1]].Return)
				if g = x.check(part, x.share(50)); g.Answer == replay.NotLinearizable {
					f, cut = g, part
				}
				if f.Conflict == nil {
					f.Conflict = []int32{returned[hint-1]}
				}
			}
			return replay.NoOperation, cut, f, false
		case replay.Linearizable:
			low, fall = k, 0
		default:
			high, f, cut = k, g, part
		}
	}
	if high == 0 { // a history without responses is linearizable
		return replay.NoOperation, cut, f, false
	}
	last := returned[high-1]
	if cut == h { // the last response; later invocations do not matter
		cut = h.UpTo(h.Ops[last].Return)
	}
	return last, cut, f, true
}

// events returns the number of invocations and responses.
func events(h *history.History) int { return 2*len(h.Ops) - h.Pending() }

// sub returns the history of some operations of h, in their order. It keeps order along
// edges through the other operations.
func sub(h *history.History, chosen []int32) *history.History {
	switch {
	case h.HasEdges():
		return subAlongEdges(h, chosen)
	case len(chosen) > len(h.Ops)/4:
		return ops.Restrict(h, chosen)
	}
	// Engines take time and memory in proportion to the positions.
	part := ops.Restrict(h, chosen)
	positions := make([]int32, 0, 2*len(chosen))
	for i := range part.Ops {
		op := &part.Ops[i]
		positions = append(positions, op.Call)
		if !op.Pending() {
			positions = append(positions, op.Return)
		}
	}
	slices.Sort(positions)
	for i := range part.Ops {
		op := &part.Ops[i]
		call, _ := slices.BinarySearch(positions, op.Call)
		op.Call = int32(call)
		if !op.Pending() {
			ret, _ := slices.BinarySearch(positions, op.Return)
			op.Return = int32(ret)
		}
	}
	return part
}

// subAlongEdges keeps the other operations that have edges as ghosts.
func subAlongEdges(h *history.History, chosen []int32) *history.History {
	part := *h
	part.Ops, part.Ghosts, part.Edges = ops.Restrict(h, chosen).Ops, nil, nil
	number := slices.Repeat([]int32{replay.NoOperation}, len(h.Ops)+len(h.Ghosts))
	for k, i := range chosen {
		number[i] = int32(k)
	}
	var ghosts []int32
	for _, e := range h.Edges {
		for _, i := range []int32{e.From, e.To} {
			if number[i] == replay.NoOperation {
				number[i] = 0
				ghosts = append(ghosts, i)
			}
		}
	}
	slices.SortFunc(ghosts, func(i, j int32) int { return cmp.Compare(h.Operation(i).Call, h.Operation(j).Call) })
	for k, i := range ghosts {
		number[i] = int32(len(chosen) + k)
		part.Ghosts = append(part.Ghosts, *h.Operation(i))
	}
	for _, e := range h.Edges {
		part.Edges = append(part.Edges, history.Edge{From: number[e.From], To: number[e.To]})
	}
	slices.SortFunc(part.Edges, history.CompareEdges)
	return &part
}
