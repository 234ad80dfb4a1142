package visibility

import "slices"

// A slot is a list of views: of an operation, or of all operations of level Weak if op is
// one of these. If the object is divided, the views are those of one part alone, and a
// read-only operation has a slot for each part.
type slot struct {
	op   int32 // -1: not used
	part int32 // -1: of the whole object
}

func newSearch(o *Operations, object Object, bounds Bounds) *search {
	n := o.Before.Len()
	s := &search{Operations: o, book: newBook(), object: object, bounds: bounds, order: o.Before.Order(), only: make([]bool, n),
		slotOf: slices.Repeat([]int32{-1}, n), next: make([]int32, n+1), prev: make([]int32, n+1), at: make([]int32, n),
		place: slices.Repeat([]int32{-1}, n), missedBy: make([]int32, n), failed: map[[2]uint64]bool{}, steps: map[[3]int32]int32{}}
	for i := range int32(n) {
		s.only[i] = object.ReadOnly(i)
		s.closed = s.closed || o.Level[i].IsAtLeast(Monotonic)
	}
	s.divide()
	s.addSlots(-1)
	last := int32(n)
	for k, i := range s.order {
		s.at[i] = int32(k)
		if s.only[i] && object.Optional(i) {
			continue // it need not take effect, and nothing depends on it
		}
		s.next[last], s.prev[k] = int32(k), last
		last = int32(k)
		switch level := o.Level[i]; {
		case level == Weak:
			s.slotOf[i] = 0
			for k := range s.shared {
				s.slots[k].op = i
			}
		case level != Complete:
			s.addSlots(i)
		}
		s.bundle = s.bundle || o.Level[i] == Bundle
		s.literal = s.literal || o.Level[i].IsAtLeast(Peer)
		if s.only[i] && o.Level[i] != Complete {
			s.lazy = append(s.lazy, i)
		} else if !object.Optional(i) {
			s.left++
		}
	}
	s.next[last], s.prev[n] = int32(n), last
	s.distinct = s.bundle || s.closed
	s.track = s.distinct
	return s
}

// divide uses the parts of the object, if that is possible.
func (s *search) divide() {
	d, ok := s.object.(Divided)
	if !ok || s.closed {
		return
	}
	slots := 0
	for i, only := range s.only {
		if !only && s.Part[i] < 0 {
			return
		}
		if s.Level[i] != Complete && s.Level[i] != Weak {
			slots += d.Parts()
		}
	}
	if d.Parts() > 0 && slots <= mostSlots {
		s.divided = d
	}
}

// mostSlots bounds the memory for slots. Each configuration on the path has a copy of them.
const mostSlots = 1 << 14

// addSlots adds the slots of an operation, or those of level Weak if i is -1.
func (s *search) addSlots(i int32) {
	if i >= 0 {
		s.slotOf[i] = int32(len(s.slots))
	}
	switch {
	case s.divided == nil:
		s.slots = append(s.slots, slot{i, -1})
	case i >= 0 && !s.only[i]:
		s.slots = append(s.slots, slot{i, s.Part[i]})
	default:
		for part := range s.divided.Parts() {
			s.slots = append(s.slots, slot{i, int32(part)})
		}
	}
	if i < 0 {
		s.shared = len(s.slots)
	}
}
