package explain

import (
	"cmp"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
)

// base finds the shortest prefix that fails. It returns the history in which to search
// for the core.
func (x *explainer) base() *ops.Problem {
	p, f := x.Problem, x.finding
	if p.H.IsRelaxed() {
		const noTime = "operations that are ordered by their processes alone have no prefixes"
		x.missFor("prefix", noTime)
		x.missFor("states", noTime)
	}
	if isConstrained(p.H) {
		p = under(p, nil, nil)
		switch f = x.check(p, x.meter); f.Answer {
		case replay.Undecided:
			x.missPrefix()
			return x.Problem
		case replay.Linearizable:
			return x.reasons()
		}
	}
	if p.H.IsRelaxed() {
		return p
	}
	x.prefixes = x.draft
	if p != x.Problem {
		x.prefixes = &draft{Problem: p}
	}
	last, cut := x.contradiction(p, &f)
	if last == replay.NoOperation {
		last, cut = x.prefix(p, f)
	}
	if last == replay.NoOperation {
		x.missPrefix()
		return cut
	}
	x.e.Unexplained, x.e.Prefix = last, 2*len(cut.H.Ops)-cut.H.Pending()
	x.e.Impossible = cmp.Or(replay.Impossible(x.Spec, &p.H.Ops[last]), x.neverPut(cut, last))
	return cut
}

// missPrefix records that the prefix and the states before its end were not computed.
func (x *explainer) missPrefix() {
	if !x.H.IsRelaxed() {
		x.miss("prefix")
		x.miss("states")
	}
}

// contradiction returns the last response of one or two operations whose versions or values
// contradict all orders, and the prefix of p that ends there, or NoOperation. In a long history, a
// shorter prefix may fail as well, but only searches find it, and a core of many operations.
func (x *explainer) contradiction(p *ops.Problem, f *replay.Finding) (int32, *ops.Problem) {
	if f.Versions == "" || len(p.H.Ops) <= limits.short {
		return replay.NoOperation, nil
	}
	last := slices.MaxFunc(f.Conflict, func(a, b int32) int { return cmp.Compare(p.H.Ops[a].Return, p.H.Ops[b].Return) })
	return last, x.prefixes.upTo(p.H.Ops[last].Return)
}

// prefix returns the operation of the first response that no order explains, and the
// prefix of p that ends there; f is the finding of p. If a prefix of a history fails, so does
// the history, so prefix bisects. Two heuristics make long histories cheap: it tries the
// response that a finding hints at, and short prefixes first. If some prefix stays undecided,
// it returns NoOperation and the shortest prefix that is known to fail.
func (x *explainer) prefix(p *ops.Problem, f replay.Finding) (int32, *ops.Problem) {
	returned := p.Responses()
	part, end := p, 0 // the prefix up to that many responses
	upTo := func(k int) *ops.Problem {
		if k != end {
			part, end = x.prefixes.upTo(p.H.Ops[returned[k-1]].Return), k
		}
		return part
	}
	low, high, step := 0, len(returned), 1 // the first low responses are explained, the first high are not
	for m := x.share(70); high-low > 1; {
		hint := hintOf(p.H, returned, &f)
		k := hint - 1
		switch {
		case low < k && k < high:
		case low < hint && hint < high:
			k = hint
		default:
			k = low + min(step, (high-low)/2)
			step *= 2
		}
		g := x.check(upTo(k), m)
		switch g.Answer {
		case replay.Linearizable:
			low = k
		case replay.NotLinearizable:
			high, f = k, g
		default:
			// The prefix up to the hint is often easy to refute.
			if k < hint && hint < high && x.check(upTo(hint), x.share(50)).Answer == replay.NotLinearizable {
				high = hint
			}
			if high == len(returned) {
				return replay.NoOperation, p
			}
			return replay.NoOperation, upTo(high)
		}
	}
	if high == 0 { // a history without responses is linearizable
		return replay.NoOperation, p
	}
	return returned[high-1], upTo(high)
}

// hintOf returns up to which response a history probably fails: the one that the search did
// not get past, or the last one of a conflict. It returns 0 if the finding gives no hint.
func hintOf(h *history.History, returned []int32, f *replay.Finding) int {
	position := f.Reached
	for _, op := range f.Conflict {
		if f.Reached == 0 && !h.Ops[op].Pending() {
			position = max(position, h.Ops[op].Return)
		}
	}
	k, known := slices.BinarySearchFunc(returned, position, func(op, position int32) int { return cmp.Compare(h.Ops[op].Return, position) })
	if !known {
		return 0
	}
	return k + 1
}
