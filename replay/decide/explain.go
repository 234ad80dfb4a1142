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
	// explainBytes is what an explanation takes at least for an operation of a long
	// history.
	explainBytes = 600
)

// explain explains a history that is not linearizable; f is its finding.
func (t *task) explain(f *replay.Finding) *replay.Explanation {
	if n := len(t.h.Ops); n > long && !t.clock.hasRoom(int64(n)*explainBytes) {
		e := &replay.Explanation{Unexplained: replay.NoOperation}
		for _, part := range []string{"prefix", "states", "core", "blame"} {
			e.Missing = append(e.Missing, replay.MissingPart{Part: part, Cause: replay.Memory.String()})
		}
		return e
	}
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
