package monitor

import (
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// servingPlaces returns the place of each value in serving order.
func (p *problem) servingPlaces() []int32 {
	list := p.byInt()
	if list == nil {
		list = make([]keyed, p.count())
		for v := range list {
			list[v].value = int32(v)
		}
		slices.SortFunc(list, func(a, b keyed) int { return p.ranks[a.value].Compare(p.ranks[b.value]) })
	}
	if p.discipline == replay.Largest {
		slices.Reverse(list)
	}
	place := make([]int32, len(list))
	for i := range list {
		place[list[i].value] = int32(i)
	}
	return place
}

// A keyed value is to be sorted by key.
type keyed struct {
	key   uint64
	value int32
}

// byInt returns the values in ascending order if all are ints, or else nil:
// by a radix sort, 11 bits at a time. Its time is linear, and most often two
// or three passes do.
func (p *problem) byInt() []keyed {
	if p.count() == 0 {
		return nil
	}
	list := make([]keyed, p.count())
	least, most := p.ranks[0].Int(), p.ranks[0].Int()
	for v := range list {
		value := p.ranks[v]
		if value.Kind() != history.Int {
			return nil
		}
		least, most = min(least, value.Int()), max(most, value.Int())
	}
	for v := range list {
		list[v] = keyed{uint64(p.ranks[v].Int()) - uint64(least), int32(v)}
	}
	const digit = 11
	other := make([]keyed, len(list))
	for width, shift := uint64(most)-uint64(least), 0; shift < 64 && width>>shift != 0; shift += digit {
		var at [1<<digit + 1]int32
		for i := range list {
			at[list[i].key>>shift&(1<<digit-1)+1]++
		}
		for d := range 1 << digit {
			at[d+1] += at[d]
		}
		for i := range list {
			d := list[i].key >> shift & (1<<digit - 1)
			other[at[d]] = list[i]
			at[d]++
		}
		list, other = other, list
	}
	return list
}

// order sorts the operations by slot. Within a slot, first come the values
// that go there, in serving order: whatever is to be served before is gone or
// has yet to come. Then come looks at a value that stays, or operations that
// find nothing; last the values that come, each before those that are to be
// served earlier.
func (s *server) order() []int32 {
	at := make([]int32, s.end+3)
	n := s.countBySlot(at)
	l := &placer{s, at, make([]int32, n, len(s.call))}
	for i := range s.turns {
		if t := &s.turns[i]; t.remove != none {
			if t.comesIn == t.goesIn {
				l.put(t.insert, t.comesIn)
			}
			l.putLooks(t, t.goesIn, t.goesIn)
			l.put(t.remove, t.goesIn)
		}
	}
	if len(s.looks) > 0 {
		for i := range s.turns {
			t := &s.turns[i]
			l.putLooks(t, t.comesIn+1, t.goesIn-1)
		}
	}
	for i, op := range s.nothing {
		l.put(op, s.nothingSlot[i])
	}
	for i := range slices.Backward(s.turns) {
		if t := &s.turns[i]; t.comesIn < t.goesIn && t.inner != leftOut {
			l.put(t.insert, t.comesIn)
			l.putLooks(t, t.comesIn, t.comesIn)
		}
	}
	return l.order
}

// countBySlot enters the number of operations in slots before each, and
// returns that of all.
func (s *server) countBySlot(at []int32) int32 {
	for i := range s.turns {
		t := &s.turns[i]
		if t.inner != leftOut {
			at[t.comesIn+1]++
		}
		if t.remove != none {
			at[t.goesIn+1]++
		}
	}
	for _, x := range s.lookSlot {
		at[x+1]++
	}
	for _, x := range s.nothingSlot {
		at[x+1]++
	}
	for x := range at[1:] {
		at[x+1] += at[x]
	}
	return at[len(at)-1]
}

// A placer puts operations next to the others of their slots.
type placer struct {
	*server
	at    []int32 // slot -> next place
	order []int32
}

func (l *placer) put(op, slot int32) {
	l.order[l.at[slot]] = op
	l.at[slot]++
}

// putLooks puts the looks at a value in slots from lo to hi.
func (l *placer) putLooks(t *turn, lo, hi int32) {
	for k := t.looks; k < t.looksEnd; k++ {
		if x := l.lookSlot[k]; lo <= x && x <= hi {
			l.put(l.looks[k], x)
		}
	}
}
