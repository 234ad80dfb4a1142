package order

import (
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
)

// accesses has the reads and writes of a history of registers, or cells.
type accesses struct {
	h       *history.History
	spec    replay.Stepped
	numbers map[string]int32 // key of a cell, or of a cell and a value -> number
	cells   []cell
	values  []cellValue
	reads   []access
	writes  []access
	key     []byte

	call, ret  []int32 // operation -> bounds of the moment at which it takes effect
	must       []bool  // operation -> it takes effect
	impossible int32   // the earliest response that no order explains
}

// An access is a read or write of one cell by one operation. A read that differs finds
// another value.
type access struct {
	op, cell, value int32
	differs         bool
}

type cell struct {
	first   int32 // its initial value
	pending bool  // some operation that may have no effect writes it
}

// A cellValue is a value of one cell.
type cellValue struct {
	writes  int32 // number of writes of it; the initial value counts as written once
	writer  int32 // the operation with the last of them, or noOperation
	pending bool  // some operation that may have no effect writes it
}

const noOperation = -1

// longRepeated is the number of operations above which histories are left to the search if
// more than an eighth of the operations write a value once more. Their constraints take
// longer than the search, again and again when such a history is explained. Without this,
// four more registers of 100,000 operations are decided, in up to 1.2 GB, but compare-and-set
// with 8 values and 8 threads takes twice the memory.
const longRepeated = 1 << 15

// read returns false if some operation does more than read and write values, or if the
// history is long and values repeat.
func (a *accesses) read(m *meter.Meter) bool {
	n := len(a.h.Ops)
	a.call, a.ret, a.must = make([]int32, n), make([]int32, n), make([]bool, n)
	rewrites := 0
	var steps []replay.CellStep
	for i := range a.h.Ops {
		op := &a.h.Ops[i]
		a.call[i], a.ret[i], a.must[i] = op.Call, op.Return, !op.Pending()
		steps = a.spec.AppendSteps(steps[:0], op)
		if m.MustStop(1 + len(steps)) {
			return false
		}
		begun := len(a.writes)
		for _, s := range steps {
			switch {
			case s.Kind == replay.CellTest:
			case s.Kind == replay.CellRead || s.Kind == replay.CellWrite || s.Kind == replay.CellDiffers:
				if s.Key.Kind() == history.None { // a set
					return false
				}
				a.addStep(int32(i), s, begun)
			default:
				return false
			}
		}
		for _, w := range a.writes[begun:] {
			v := &a.values[w.value]
			if v.writes++; v.writes > 1 {
				rewrites++
			}
			v.writer = w.op
		}
	}
	if n > longRepeated && rewrites > n/8 {
		return false
	}
	return true
}

// addStep adds a step of an operation whose writes begin at an index. The last write to a
// cell counts. A read after a write to the same cell finds what the operation itself wrote.
func (a *accesses) addStep(i int32, s replay.CellStep, begun int) {
	c := a.numberCell(s.Key)
	step := access{op: i, cell: c, value: a.numberValue(c, s.Value), differs: s.Kind == replay.CellDiffers}
	own := slices.IndexFunc(a.writes[begun:], func(w access) bool { return w.cell == c })
	switch {
	case s.Kind == replay.CellWrite && own >= 0:
		a.writes[begun+own] = step
	case s.Kind == replay.CellWrite:
		a.writes = append(a.writes, step)
	case own < 0:
		a.reads = append(a.reads, step)
	case (a.writes[begun+own].value == step.value) == step.differs && a.must[i]:
		a.impossible = min(a.impossible, a.ret[i])
	}
}

func (a *accesses) numberCell(key history.Value) int32 {
	a.key = key.AppendKey(append(a.key[:0], "cell "...))
	n, ok := a.numbers[string(a.key)]
	if !ok {
		n = int32(len(a.cells))
		a.numbers[string(a.key)] = n
		a.cells = append(a.cells, cell{})
		v := a.numberValue(n, a.spec.FirstValue(key))
		a.cells[n].first = v
		a.values[v].writes++
	}
	return n
}

func (a *accesses) numberValue(c int32, v history.Value) int32 {
	a.key = v.AppendKey(append(a.key[:0], byte(c), byte(c>>8), byte(c>>16), byte(c>>24), ' '))
	n, ok := a.numbers[string(a.key)]
	if !ok {
		n = int32(len(a.values))
		a.numbers[string(a.key)] = n
		a.values = append(a.values, cellValue{writer: noOperation})
	}
	return n
}

// tighten narrows the bounds of operations: the only writer of a value takes effect before
// each operation that reads the value. So does a pending one.
func (a *accesses) tighten() {
	readsOf := make([][]access, len(a.h.Ops))
	for _, r := range a.reads {
		readsOf[r.op] = append(readsOf[r.op], r)
	}
	var effective []int32
	for i := range a.h.Ops {
		if a.must[i] {
			effective = append(effective, int32(i))
		}
	}
	for k := 0; k < len(effective); k++ {
		i := effective[k]
		for _, r := range readsOf[i] {
			v := &a.values[r.value]
			w := v.writer
			switch {
			case r.differs || v.writes > 1 || v.writes == 1 && w < 0:
				continue
			case v.writes == 0 || w == i:
				a.impossible = min(a.impossible, a.ret[i])
				continue
			case !a.must[w]:
				a.must[w] = true
				effective = append(effective, w)
			}
			a.ret[w] = min(a.ret[w], a.ret[i])
			a.call[i] = max(a.call[i], a.call[w])
		}
	}
	for _, i := range effective {
		if a.call[i] > a.ret[i] {
			a.impossible = min(a.impossible, a.ret[i])
		}
	}
	for _, w := range a.writes {
		if !a.must[w.op] {
			a.cells[w.cell].pending, a.values[w.value].pending = true, true
		}
	}
}
