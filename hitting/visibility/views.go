package visibility

import (
	"encoding/binary"
	"slices"
)

// A view of an operation that has not been placed yet is a possible set of operations that
// it sees: the state to which these lead, and the number of the set of operations that it
// misses. Without tracking, the set is always empty and views differ by their states alone.
type view struct{ state, missed int32 }

// noViews stands for the views of an operation that has to see everything placed so far. It
// has one view: the state of the object.
const noViews = -1

// A book numbers sets of missed operations and lists of views.
type book struct {
	missed  [][]int32 // ascending; number 0 is the empty set
	views   [][]view  // by state and missed
	numbers map[string]int32
	bytes   int64
	key     []byte
	dropped bool // some list had more than mostViews
}

// mostViews bounds the views of an operation. Of more, a list has every second one, or every
// third, and so on. What the search finds with these is valid, but it cannot refute any more.
const mostViews = 1 << 11

func newBook() *book { return &book{missed: [][]int32{nil}, numbers: map[string]int32{}} }

// number returns the number of b.key, or count if it is new.
func (b *book) number(count int) (number int32, isNew bool) {
	if i, ok := b.numbers[string(b.key)]; ok {
		return i, false
	}
	b.numbers[string(b.key)] = int32(count)
	b.bytes += 2*int64(len(b.key)) + 96
	return int32(count), true
}

// with returns the number of a set with another operation.
func (b *book) with(set, op int32) int32 {
	at, _ := slices.BinarySearch(b.missed[set], op)
	larger := slices.Insert(slices.Clone(b.missed[set]), at, op)
	b.key = append(b.key[:0], 'm')
	for _, i := range larger {
		b.key = binary.LittleEndian.AppendUint32(b.key, uint32(i))
	}
	i, isNew := b.number(len(b.missed))
	if isNew {
		b.missed = append(b.missed, larger)
	}
	return i
}

// list returns the number of a list of views, which it sorts. Of views with the same state,
// it keeps one with the fewest missed operations unless all is set.
func (b *book) list(views []view, all bool) int32 {
	slices.SortFunc(views, func(v, w view) int {
		if v.state != w.state {
			return int(v.state) - int(w.state)
		}
		if fewer := len(b.missed[v.missed]) - len(b.missed[w.missed]); fewer != 0 {
			return fewer
		}
		return int(v.missed) - int(w.missed)
	})
	views = slices.CompactFunc(views, func(v, w view) bool { return v == w || !all && v.state == w.state })
	if every := (len(views) + mostViews - 1) / mostViews; every > 1 {
		b.dropped = true
		for k := range len(views) / every {
			views[k] = views[k*every]
		}
		views = views[:len(views)/every]
	}
	b.key = append(b.key[:0], 'v')
	for _, v := range views {
		b.key = binary.LittleEndian.AppendUint64(b.key, uint64(uint32(v.state))<<32|uint64(uint32(v.missed)))
	}
	i, isNew := b.number(len(b.views))
	if isNew {
		b.views = append(b.views, slices.Clone(views))
	}
	return i
}

// A placement is an operation that is placed next.
type placement struct {
	op     int32
	missed int32  // the set that it misses
	before *frame // configuration before it
	// least is the place from which a Bundle that follows op may miss operations.
	least int
}

// after returns the views of slot k after a placement. They are noViews if its operation has
// to see p.op and everything before it.
func (s *search) after(k int, p *placement) int32 {
	of, views, level := s.slots[k], p.before.views[k], Weak
	if k >= s.shared {
		level = s.Level[of.op]
	}
	must := level != Weak && s.Before.Less(p.op, of.op)
	isOther := s.divided != nil && (s.only[p.op] || s.Part[p.op] != of.part)
	switch {
	case isOther && (views == noViews || !must || level != Bundle):
		return views
	case views == noViews && must:
		return noViews
	case s.only[p.op] && !s.literal && (!level.IsCoupled() || !must):
		return views // it changes no state, and nothing depends on who sees it
	}
	old := s.viewsOf(p.before, k)
	cacheKey := [3]int32{views, p.op, 0}
	if must {
		cacheKey[2] = 1
	}
	cached := !s.track && views != noViews
	if next, ok := s.steps[cacheKey]; ok && cached {
		return next
	}
	next := make([]view, 0, 2*len(old))
	for _, v := range old {
		if s.maySee(level, must, v, p) {
			state := v.state
			if !isOther {
				state = s.object.Run(v.state, p.op)
			}
			if state >= 0 {
				next = append(next, view{state, v.missed})
			}
		}
		if !must {
			if s.track {
				v.missed = s.with(v.missed, p.op)
			}
			next = append(next, v)
		}
	}
	list := s.list(next, s.distinct)
	if cached {
		s.steps[cacheKey] = list
		s.bytes += 48
	}
	return list
}

// maySee reports whether an operation of this level that has the view may see the operation
// that is placed. must says that the operation happened before it.
func (s *search) maySee(level Level, must bool, v view, p *placement) bool {
	missed := s.missed[v.missed]
	if len(missed) == 0 {
		return true
	}
	// Everything missed precedes p.op.
	isMissed := func(which func(u int32) bool) bool { return slices.ContainsFunc(missed, which) }
	happenedBefore := func(u int32) bool { return s.Before.Less(u, p.op) }
	seenByIt := func(u int32) bool { return !isIn(s.missed[p.missed], u) }
	switch {
	case level == Bundle && must:
		return !isMissed(func(u int32) bool { return int(s.place[u]) < p.least })
	case level == Bundle:
		return !isMissed(func(u int32) bool { return s.Part[u] == s.Part[p.op] })
	case level.IsAtLeast(Peer) && isMissed(happenedBefore):
		return false
	}
	return !(level == Causal || level.IsAtLeast(Monotonic) && must) || !isMissed(seenByIt)
}
