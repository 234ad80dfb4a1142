package monitor

import (
	"math"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// servingPlaces returns the place of each value in serving order.
func (p *problem) servingPlaces() []int32 {
	place := p.ints(p.count())
	if list := p.byInt(); list != nil {
		for i, k := range list {
			place[k.value()] = int32(i)
		}
	} else {
		values := indices(p.count())
		slices.SortFunc(values, func(a, b int32) int { return p.ranks[a].Compare(p.ranks[b]) })
		for i, v := range values {
			place[v] = int32(i)
		}
	}
	if p.discipline == replay.Largest {
		for v := range place {
			place[v] = int32(len(place)-1) - place[v]
		}
	}
	return place
}

// A keyed value has a key to be sorted by in its upper half.
type keyed uint64

func (k keyed) value() int32 { return int32(uint32(k)) }

// byInt returns the values in ascending order, or nil if they are not all
// ints that lie close enough together: by a radix sort, 11 bits at a time. Its
// time is linear, and most often two passes do.
func (p *problem) byInt() []keyed {
	if p.count() == 0 {
		return nil
	}
	least, most := p.ranks[0].Int(), p.ranks[0].Int()
	for v := range p.count() {
		value := p.ranks[v]
		if value.Kind() != history.Int {
			return nil
		}
		least, most = min(least, value.Int()), max(most, value.Int())
	}
	if uint64(most)-uint64(least) > math.MaxUint32 {
		return nil
	}
	list, other := make([]keyed, p.count()), make([]keyed, p.count())
	for v := range list {
		list[v] = keyed(uint64(p.ranks[v].Int())-uint64(least))<<32 | keyed(v)
	}
	const digit = 11
	for width, shift := uint64(most)-uint64(least), 0; width>>shift != 0; shift += digit {
		var at [1<<digit + 1]int32
		for _, k := range list {
			at[k>>32>>shift&(1<<digit-1)+1]++
		}
		for d := range 1 << digit {
			at[d+1] += at[d]
		}
		for _, k := range list {
			d := k >> 32 >> shift & (1<<digit - 1)
			other[at[d]] = k
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
	at := s.ints(int(s.end) + 3)
	n := s.countBySlot(at)
	l := &placer{s, at, s.ints(len(s.call))[:n]}
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
