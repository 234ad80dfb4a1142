package monitor

import (
	"cmp"
	"slices"

	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
)

// A setState is a set to which values are added. A value is ambiguous if it may be added
// twice, or an operation does anything else to it.
type setState struct {
	numbers map[string]int32 // value -> number in values
	values  []setValue
	reads   []setRead
	levels  int
}

type setValue struct {
	add, shownBy int32 // operation that adds the value, and the first that found it; or none
	ambiguous    bool
	level        int32 // the level of the smallest set that has it, or none
}

// A setRead is an operation that found the set to have exactly these values. Sets that were
// read have levels: the sets of level i are equal, and are subsets of those of level i+1.
type setRead struct {
	op, level int32
	values    []int32
}

// enter enters a step of an operation.
func (s *setState) enter(l *lists, op int32, step replay.CellStep) {
	if step.Kind == replay.CellRead {
		list := step.Value.List()
		l.meter.Spend(len(list))
		r := setRead{op: op, values: make([]int32, len(list))}
		for i, v := range list {
			l.buf = v.AppendKey(l.buf[:0])
			r.values[i] = s.number(l.buf)
		}
		s.reads = append(s.reads, r)
		return
	}
	l.buf = step.Value.AppendKey(l.buf[:0])
	v := &s.values[s.number(l.buf)]
	v.ambiguous = v.ambiguous || v.add != none || step.Kind != replay.CellAppend
	v.add = op
	if v.ambiguous {
		l.partial = unknownEffects
	}
}

func (s *setState) number(key []byte) int32 {
	k, ok := s.numbers[string(key)]
	if !ok {
		k = int32(len(s.values))
		s.numbers[string(key)] = k
		s.values = append(s.values, setValue{add: none, shownBy: none, level: none})
	}
	return k
}

// explainReads compares the sets that were read, and gives values and reads their levels.
// It returns a conflict if there is one.
func (s *setState) explainReads(m *meter.Meter) (conflict []int32) {
	for i := range s.reads {
		r := &s.reads[i]
		r.values = slices.DeleteFunc(r.values, func(v int32) bool { return s.values[v].ambiguous })
		for _, k := range r.values {
			v := &s.values[k]
			if v.add == none { // no operation adds it
				return []int32{r.op}
			}
			if v.shownBy == none {
				v.shownBy = r.op
			}
		}
		if m.MustStop(1 + len(r.values)) {
			return nil
		}
	}
	slices.SortStableFunc(s.reads, func(a, b setRead) int { return cmp.Compare(len(a.values), len(b.values)) })
	there := 0 // number of values of the previous set
	for i := range s.reads {
		r := &s.reads[i]
		if i == 0 || len(r.values) > there {
			s.levels++
		}
		r.level = int32(s.levels - 1)
		again := 0
		for _, v := range r.values {
			if s.values[v].level == none {
				s.values[v].level = r.level
			} else {
				again++
			}
		}
		if again < there {
			return []int32{r.op, s.reads[i-1].op}
		}
		if there = len(r.values); m.MustStop(there) {
			return nil
		}
	}
	return nil
}

// showAdded records which additions took effect because an operation found their values.
func (s *setState) showAdded(p *ordering) {
	for _, v := range s.values {
		if v.add != none && !v.ambiguous && p.shownBy[v.add] == none {
			p.shownBy[v.add] = v.shownBy
		}
	}
}

// addPrecedences adds the precedences that follow from the sets. For each level, it adds
// two moments: when all values of the level have been added, and when the last of its sets
// has been read.
func (s *setState) addPrecedences(p *ordering) {
	full, left := make([]int32, s.levels), make([]int32, s.levels)
	for i := range s.levels {
		if full[i], left[i] = p.addMoment(), p.addMoment(); i > 0 {
			p.add(full[i-1], full[i], none)
			p.add(left[i-1], left[i], none)
		}
	}
	for _, r := range s.reads {
		p.add(full[r.level], r.op, none)
		p.add(r.op, left[r.level], none)
	}
	for _, v := range s.values {
		if v.add == none || v.ambiguous || p.shownBy[v.add] == none {
			continue
		}
		before := v.level - 1 // the last level without the value
		if v.level == none {
			before = int32(s.levels) - 1
		} else {
			p.add(v.add, full[v.level], none)
		}
		if before >= 0 {
			p.add(left[before], v.add, none)
		}
	}
}
