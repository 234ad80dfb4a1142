package search

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
)

// A lazyHistory is a history as a lazy search reads it.
type lazyHistory struct {
	inserts  []lazyInsert // by invocation
	takers   []lazyTaker  // by response
	pendings []lazyTaker  // pending removals, by invocation
	idle     []int32      // operations that do not matter
	nothings bool         // some takers found nothing
	// impossible is set if an operation answers what none can, or more often
	// than the value was inserted.
	impossible bool

	byReturn       []int32 // insertions by response
	byCall         []int32 // takers by invocation
	opened         []int32 // taker -> how many takers were invoked before its response
	inserted       []int32 // taker -> how many insertions were invoked before its response
	pendingsOpened []int32 // taker -> how many pending removals were invoked before its response
	slot           []int32 // taker -> bit of the mask
	slots          int
}

type lazyInsert struct {
	op, call, ret, value int32
	must                 bool
}

type lazyTaker struct {
	op, call, ret, value int32
	role                 replay.Role
}

// read reads the history; it reports false if it is not one for a lazy search.
func (l *lazyHistory) read(h *history.History, d replay.Described) bool {
	numbers := map[string]int32{}
	var key []byte
	for i := range h.Ops {
		op := &h.Ops[i]
		facts := d.Facts(op)
		role, value := facts.Role, facts.Value
		number := int32(-1)
		if role == replay.Insert || (role == replay.Remove || role == replay.Look) && !op.Pending() {
			key = value.AppendKey(key[:0])
			n, ok := numbers[string(key)]
			if !ok {
				n = int32(len(numbers))
				numbers[string(key)] = n
			}
			number = n
		}
		t := lazyTaker{int32(i), op.Call, op.Return, number, role}
		switch {
		case role == replay.Never && op.Pending():
			return false
		case role == replay.Never:
			l.impossible = true
		case role == replay.Insert:
			l.inserts = append(l.inserts, lazyInsert{t.op, t.call, t.ret, number, !op.Pending() || op.Happened})
		case role == replay.Idle:
			l.idle = append(l.idle, t.op)
		case role == replay.Remove && op.Pending():
			if op.Happened || value.Kind() != history.Unknown {
				return false
			}
			l.pendings = append(l.pendings, t)
		case role == replay.Remove, role == replay.Look, role == replay.Nothing:
			if op.Pending() {
				return false
			}
			l.takers = append(l.takers, t)
			l.nothings = l.nothings || role == replay.Nothing
		default:
			return false
		}
	}
	slices.SortFunc(l.takers, func(a, b lazyTaker) int { return cmp.Compare(a.ret, b.ret) })
	l.byReturn = indices(len(l.inserts))
	slices.SortStableFunc(l.byReturn, func(a, b int32) int { return cmp.Compare(l.inserts[a].ret, l.inserts[b].ret) })
	l.byCall = indices(len(l.takers))
	slices.SortFunc(l.byCall, func(a, b int32) int { return cmp.Compare(l.takers[a].call, l.takers[b].call) })
	l.impossible = l.impossible || l.isShort(len(numbers))
	return true
}

func indices(n int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(i)
	}
	return list
}

// isShort reports whether up to some response a value was taken more often, or
// was seen once more, than its insertion was invoked.
func (l *lazyHistory) isShort(values int) bool {
	left, invoked := make([]int32, values), make([]bool, values)
	next := 0
	for i := range l.takers {
		t := &l.takers[i]
		for ; next < len(l.inserts) && l.inserts[next].call < t.ret; next++ {
			left[l.inserts[next].value]++
			invoked[l.inserts[next].value] = true
		}
		if t.role == replay.Remove {
			left[t.value]--
		}
		if t.value >= 0 && (!invoked[t.value] || left[t.value] < 0) {
			return true
		}
	}
	return false
}

// assignSlots gives each taker the lowest bit that is free while it is open;
// it reports false if there is none.
func (l *lazyHistory) assignSlots() bool {
	l.slot = make([]int32, len(l.takers))
	free := ^uint64(0)
	next, inserted, pendings := 0, 0, 0
	for i := range l.takers {
		r := l.takers[i].ret
		for ; next < len(l.byCall) && l.takers[l.byCall[next]].call < r; next++ {
			if free == 0 {
				return false
			}
			bit := bits.TrailingZeros64(free)
			free &^= 1 << bit
			l.slot[l.byCall[next]] = int32(bit)
			l.slots = max(l.slots, bit+1)
		}
		for inserted < len(l.inserts) && l.inserts[inserted].call < r {
			inserted++
		}
		for pendings < len(l.pendings) && l.pendings[pendings].call < r {
			pendings++
		}
		l.opened = append(l.opened, int32(next))
		l.inserted = append(l.inserted, int32(inserted))
		l.pendingsOpened = append(l.pendingsOpened, int32(pendings))
		free |= 1 << l.slot[i]
	}
	return true
}

// returned returns how many insertions have returned up to a position.
func (l *lazyHistory) returned(position int32) int {
	i, _ := slices.BinarySearchFunc(l.byReturn, position+1, func(e, p int32) int { return cmp.Compare(l.inserts[e].ret, p) })
	return i
}

// taker returns the taker, or pending removal, of a move.
func (l *lazyHistory) taker(t int32) *lazyTaker {
	if int(t) < len(l.takers) {
		return &l.takers[t]
	}
	return &l.pendings[int(t)-len(l.takers)]
}

// A restList lists the insertions that have not been removed, those that have
// not been invoked included, by invocation. n stands for both ends.
type restList struct {
	prev, next []int32
	gone       []bool
	n          int32
}

func newRestList(n int) restList {
	r := restList{make([]int32, n+1), make([]int32, n+1), make([]bool, n+1), int32(n)}
	for i := range int32(n + 1) {
		r.prev[i], r.next[i] = i-1, i+1
	}
	r.prev[0], r.next[n] = int32(n), 0
	return r
}

func (r *restList) first() int32 { return r.next[r.n] }

// last returns the last insertion of those before limit, or n.
func (r *restList) last(limit int32) int32 {
	e := limit - 1
	if e < 0 {
		return r.n
	}
	for r.gone[e] {
		e = r.prev[e]
	}
	return e
}

func (r *restList) remove(e int32) {
	r.gone[e] = true
	r.next[r.prev[e]], r.prev[r.next[e]] = r.next[e], r.prev[e]
}

// restore takes the last removal back.
func (r *restList) restore(e int32) {
	r.gone[e] = false
	r.next[r.prev[e]], r.prev[r.next[e]] = e, e
}

// lazyFailed are the configurations from which there is no witness, by what
// is due, and how deep they have to be known.
type lazyFailed struct {
	byDue  map[int32]map[string]struct{}
	depths map[lazyDepth][]int32
	bytes  int64
}

type lazyDepth struct {
	due  int32
	mask uint64
}

// What entries of maps take besides keys of varying length.
const (
	lazyKeyBytes   = 48
	lazyDepthBytes = 80
	lazyDueBytes   = 400
)

func (f *lazyFailed) has(due int32, key []byte) bool {
	_, ok := f.byDue[due][string(key)]
	return ok
}

func (f *lazyFailed) add(at lazyDepth, depth int32, key []byte) {
	m := f.byDue[at.due]
	if m == nil {
		if f.byDue == nil {
			f.byDue, f.depths = map[int32]map[string]struct{}{}, map[lazyDepth][]int32{}
		}
		m = map[string]struct{}{}
		f.byDue[at.due] = m
		f.bytes += lazyDueBytes
	}
	m[string(key)] = struct{}{}
	f.bytes += lazyKeyBytes + int64(len(key))
	if list := f.depths[at]; !slices.Contains(list, depth) {
		f.depths[at] = append(list, depth)
		f.bytes += lazyDepthBytes
	}
}

func (f *lazyFailed) dropBefore(due int32) {
	for d, m := range f.byDue {
		if d < due {
			for key := range m {
				f.bytes -= lazyKeyBytes + int64(len(key))
			}
			f.bytes -= lazyDueBytes
			delete(f.byDue, d)
		}
	}
	for at, list := range f.depths {
		if at.due < due {
			f.bytes -= lazyDepthBytes * int64(len(list))
			delete(f.depths, at)
		}
	}
}

// appendKey appends what identifies the configuration down to a depth, but for
// what is due.
func (s *lazySearch) appendKey(dst []byte, depth int32) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, s.at.mask)
	dst = binary.AppendUvarint(dst, uint64(s.at.used))
	return s.rule.appendKey(dst, depth)
}
