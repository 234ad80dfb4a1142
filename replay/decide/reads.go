package decide

import (
	"slices"

	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/internal/engine"
	"github.com/leadline/leadline/replay/search"
)

// runWithoutReads decides a history of a collection without the reads that make other
// engines decline, such as the contents of a queue as text. They change nothing: if there is
// no witness of the rest, there is none of the history. If there is one, the reads may have
// places in it; it declines if they have none.
func runWithoutReads(t *task, m *meter.Meter) (replay.Finding, error) {
	if replay.TraitsOf(t.spec).Discipline == replay.NoDiscipline || t.h.HasEdges() || len(t.h.Ghosts) > 0 {
		return replay.Declines(""), nil
	}
	var rest, reads, sizes []int32
	clears := false
	for i := range t.h.Ops {
		op := &t.h.Ops[i]
		f := replay.FactsOf(t.spec, op)
		switch i := int32(i); {
		case f.Role == replay.Other && (!f.ReadOnly || op.Pending()):
			return replay.Declines(""), nil
		case f.Role == replay.Other:
			reads = append(reads, i)
		case f.Role == replay.Size && !op.Pending():
			sizes = append(sizes, i)
		default:
			clears = clears || f.Role == replay.Clear
			rest = append(rest, i)
		}
	}
	if clears { // no engine knows both
		reads = sorted(reads, sizes)
	} else {
		rest = sorted(rest, sizes)
	}
	if len(reads) == 0 {
		return replay.Declines(""), nil
	}
	f := t.decidePart(engine.Restrict(t.h, rest), m)
	for k, i := range f.Conflict {
		f.Conflict[k] = rest[i]
	}
	if f.Answer == replay.Linearizable {
		for k, i := range f.Witness {
			f.Witness[k] = rest[i]
		}
		if w := search.Weave(t.h, t.spec, f.Witness, reads, t.o.Budget.Bytes, m); w != nil {
			return replay.Found(replay.SearchEngine, w), nil
		}
		return replay.Declines(""), nil
	}
	return f, nil
}

// sorted returns the numbers of two lists, from the smallest one on.
func sorted(a, b []int32) []int32 {
	list := slices.Concat(a, b)
	slices.Sort(list)
	return list
}
