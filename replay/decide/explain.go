package decide

import (
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/internal/explain"
)

const (
	// explainWork bounds the work of an explanation, which takes about a second.
	// n operations add min(n*explainEach, explainLong + n*explainFurther) to it. An
	// explanation may always take explainTimes the work of its verdict, since each
	// check in it is about as hard.
	explainWork    = 1 << 24
	explainEach    = 1 << 8
	explainFurther = 1 << 5
	explainLong    = 3 << 24
	explainTimes   = 4
	// explainRate is the work for each second that users allow for a history. It is
	// low, so that all parts of an explanation have their share of the time.
	explainRate = 1 << 19
	// explainBytes is the least memory of an explanation for each operation of a long
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
	n := int64(len(t.h.Ops))
	byTime := int64(t.o.Budget.Time.Seconds() * explainRate)
	return max(explainWork+min(n*explainEach, explainLong+n*explainFurther), explainTimes*t.meter.Spent(), byTime)
}
