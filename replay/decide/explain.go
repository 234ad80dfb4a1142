package decide

import (
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/internal/explain"
)

// explain explains a history that is not linearizable; f is its finding.
func (t *task) explain(f *replay.Finding) *replay.Explanation {
	if n := len(t.h.Ops); n > long && !t.clock.hasRoom(int64(n)*limits.explainBytes) {
		e := &replay.Explanation{Unexplained: replay.NoOperation}
		for _, part := range []string{"prefix", "states", "core", "blame"} {
			e.Missing = append(e.Missing, replay.MissingPart{Part: part, Cause: replay.Memory.String()})
		}
		return e
	}
	return explain.Run(explain.Problem{
		History: t.h, Spec: t.spec, Finding: f,
		Decide: t.decidePart,
		Under:  t.decideUnder,
		Meter:  t.meter.Share(t.explainWork()),
		Bytes:  t.o.Budget.Bytes,
		Stopped: func() replay.Cause {
			t.clock.expired()
			return t.clock.cause
		},
		Fault: func(value any) string {
			if what, ok := value.(replay.Unmodelled); ok {
				return string(what)
			}
			e := panicked(t.h, t.spec, value)
			if e.internal {
				return "internal error" + e.Fault()
			}
			return "the specification panicked" + e.Fault()
		},
	})
}

// explainWork bounds the work of the explanation.
func (t *task) explainWork() int64 {
	n := len(t.h.Ops)
	byTime := int64(t.o.Budget.Time.Seconds() * limits.explainRate)
	return max(min(limits.explain.of(n), limits.explainLong.of(n)), limits.explainTimes*t.meter.Spent(), byTime)
}
