package decide

import (
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/internal/explain"
)

const (
	// explainWork bounds the work of an explanation. explainWorkEach adds to it for
	// each operation, and explainTimes for the work of the verdict: that of an
	// explanation is at least that hard.
	explainWork     = 1 << 22
	explainWorkEach = 1 << 7
	explainTimes    = 4
)

// explain explains a history that is not linearizable; f is its finding.
func (t *task) explain(f *replay.Finding) *replay.Explanation {
	return explain.Run(explain.Problem{
		History: t.h, Spec: t.spec, Finding: f,
		Decide: t.decidePart,
		Meter:  t.meter.Share(explainWork + int64(len(t.h.Ops))*explainWorkEach + explainTimes*t.meter.Spent()),
		Bytes:  t.o.Budget.Bytes,
		Stopped: func() replay.Cause {
			t.clock.expired()
			return t.clock.cause
		},
	})
}
