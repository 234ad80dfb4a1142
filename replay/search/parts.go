package search

import (
	"slices"

	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
)

// partWork is the work for each operation of a part in the first attempt at it. Few parts of
// BenchmarkPrices need more.
const partWork = 1 << 10

// parts decides each part of a partitioned object. It returns their witnesses, and the
// finding of a part that has none or stayed undecided. A part without a witness ends the
// search, and an undecided part does not. A part that exceeds its share of the work is tried
// again after the others, with four times as much.
func (r *runner) parts(a *arrangement, parts [][]int32) (witnesses [][]int32, open replay.Finding) {
	witnesses = make([][]int32, len(parts))
	left := make([]int, len(parts))
	for k := range left {
		left[k] = k
	}
	for work := int64(partWork); len(left) > 0; work *= 4 {
		again := left[:0]
		only := len(left) == 1
		for _, k := range left {
			limited := *r
			if !only {
				limited.meter = r.meter.Share(work * int64(len(parts[k])))
			}
			f := limited.whole(a.restrict(parts[k]))
			switch {
			case f.Cause == replay.Time && !only && !r.meter.Stopped():
				again = append(again, k)
				continue
			case f.Answer == replay.NotLinearizable, f.Cause == replay.Declined, f.Cause == replay.Time:
				return nil, f
			case !f.Decided():
				open = f
			}
			witnesses[k] = f.Witness
		}
		left = again
	}
	return witnesses, open
}

// restrict returns the arrangement of some operations. It drops order that edges pass on
// through other operations. So a part may have a witness although the history has none, but
// never the reverse.
func (a *arrangement) restrict(part []int32) *arrangement {
	r := &arrangement{recorded: a.recorded.Restrict(part)}
	r.h = r.recorded.H
	if a.number != nil {
		r.h = ops.Restrict(a.h, part)
	}
	if a.before == nil {
		return r
	}
	for k, i := range part {
		for _, b := range a.before[i] {
			if at, ok := slices.BinarySearch(part, b); ok && r.h.Ops[at].Return > r.h.Ops[k].Call {
				r.addBefore(int32(at), int32(k))
			}
		}
	}
	return r
}
