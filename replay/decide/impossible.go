package decide

import (
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
)

// runImpossible refutes a history for a result that is impossible, whatever else happened:
//
//   - no state gives it; see replay.Impossible;
//   - a collection returned a value that nobody had been inserting;
//   - there were more values in it than had been inserted.
//
// Other engines decline the whole history for one operation that they do not know, such
// as the contents of a queue as text. The general search that is left would try all that
// comes before such a result. O(n).
func runImpossible(t *task, m *meter.Meter) (replay.Finding, error) {
	if m.MustStop(len(t.h.Ops)) {
		return replay.GaveUp(replay.Time), nil
	}
	in := newInsertions(t)
	first := int32(replay.NoOperation) // to return
	for i := range t.h.Ops {
		op := &t.h.Ops[i]
		if !op.Pending() && (first < 0 || op.Return < t.h.Ops[first].Return) && (replay.Impossible(t.spec, op) != "" || in.exclude(op)) {
			first = int32(i)
		}
	}
	if first < 0 {
		return replay.Declines(""), nil
	}
	f := replay.Refuted(replay.SearchEngine)
	f.Reached, f.Conflict = t.h.Ops[first].Return, []int32{first}
	return f, nil
}

// insertions are those into a queue, stack, priority queue or deque.
type insertions struct {
	spec  replay.Spec
	calls []int32          // when they were invoked, or nil if they are not known
	first map[string]int32 // value -> when its first insertion was invoked
	key   []byte
}

// newInsertions knows nothing of other objects, or if an operation may insert what its
// facts do not tell.
func newInsertions(t *task) *insertions {
	in := &insertions{spec: t.spec, first: map[string]int32{}}
	switch replay.TraitsOf(t.spec).Discipline {
	case replay.FirstIn, replay.FirstInBounded, replay.LastIn, replay.Smallest, replay.Largest, replay.BothEnds:
	default:
		return in
	}
	calls := []int32{}
	for i := range t.h.Ops {
		op := &t.h.Ops[i]
		switch f := replay.FactsOf(t.spec, op); {
		case f.Role == replay.Insert || f.Role == replay.InsertFront:
			calls = append(calls, op.Call)
			in.key = f.Value.AppendKey(in.key[:0])
			if _, ok := in.first[string(in.key)]; !ok {
				in.first[string(in.key)] = op.Call
			}
		case f.Role == replay.Other && !f.ReadOnly:
			return in
		}
	}
	in.calls = calls
	return in
}

// exclude reports whether the insertions invoked before the response of op make its result
// impossible.
func (in *insertions) exclude(op *history.Operation) bool {
	if in.calls == nil {
		return false
	}
	switch f := replay.FactsOf(in.spec, op); f.Role {
	case replay.Never:
		return true
	case replay.Remove, replay.RemoveFront, replay.Look, replay.LookFront:
		in.key = f.Value.AppendKey(in.key[:0])
		first, ok := in.first[string(in.key)]
		return f.Value.Kind() != history.Unknown && (!ok || first > op.Return)
	case replay.Size:
		if f.Value.Kind() != history.Int {
			return false
		}
		k := f.Value.Int() // it needs so many
		return k > int64(len(in.calls)) || k > 0 && in.calls[k-1] > op.Return
	}
	return false
}
