package history

import (
	"cmp"
	"math"
	"slices"
)

// A response is kept until Build under StampOrder, if its invocation may come
// later in the file.
type response struct {
	op, process, result Value
	version             Version
	at                  int64
	place, line         int32
	typ                 EventType
	waitsFor            string
}

// A timing is what a Builder keeps for a history ordered by stamps. Its slices
// are per operation, except returned and late. Until the operations are
// arranged, Call and Return of an operation are the places of its events in the
// file.
type timing struct {
	calls, returns []int64 // stamps; a return is 0 while there is none; an Info has one, too
	lines          []int32 // of the responses
	returned       []int32 // the operations that returned or failed, by place of the response
	// late holds the responses that Build pairs: the first one that is faulty or
	// that precedes its invocation in the file, and all after it.
	late  []response
	order []int32 // operations by process, in the process's own order; nil if each has its own
}

// add adds an operation that is invoked at the stamp at.
func (t *timing) add(at int64) {
	t.calls = append(t.calls, at)
	t.returns = append(t.returns, 0)
	t.lines = append(t.lines, 0)
}

// grow makes room for a total of room operations.
func (t *timing) grow(room int) {
	t.calls = slices.Grow(t.calls, room-len(t.calls))
	t.returns = slices.Grow(t.returns, room-len(t.returns))
	t.lines = slices.Grow(t.lines, room-len(t.lines))
	t.returned = slices.Grow(t.returned, room-len(t.returned))
}

// pair pairs a response with its operation, or defers it to pairLate.
func (b *Builder) pair(r *response) {
	if len(b.timing.late) == 0 {
		if o, ok := b.index.get(r.op); ok && b.fits(r, o) {
			b.finishBy(r, o)
			return
		}
	}
	b.timing.late = append(b.timing.late, *r)
}

// fits reports whether r can be the response of operation o.
func (b *Builder) fits(r *response, o int32) bool {
	op, call := &b.ops[o], b.timing.calls[o]
	return op.ended == Invoke && (r.process.Kind() == None || r.process.Equal(b.processes.names[op.Process])) &&
		(r.at > call || r.at == call && (b.h.Tie != HalfOpen || r.typ == Info))
}

// finishBy ends operation o by r.
func (b *Builder) finishBy(r *response, o int32) {
	op, t := &b.ops[o], &b.timing
	op.ended, t.lines[o] = r.typ, r.line
	switch r.typ {
	case OK:
		op.Result, op.Version = r.result, r.version
	case Fail:
		op.dropped = true
	case Waits:
		b.wait(op, r.waitsFor)
	default: // Info: pending
		t.returns[o] = r.at
		return
	}
	op.Return, t.returns[o] = r.place, r.at
	t.returned = append(t.returned, o)
}

// pairLate pairs the responses that were deferred.
func (b *Builder) pairLate() {
	for i := range b.timing.late {
		r := &b.timing.late[i]
		o, ok := b.index.get(r.op)
		if !ok {
			b.Errorf(int(r.line), "response of operation %v, which is never invoked", r.op)
			continue
		}
		if b.fits(r, o) {
			b.finishBy(r, o)
			continue
		}
		switch op := &b.ops[o]; {
		case r.process.Kind() != None && !r.process.Equal(b.processes.names[op.Process]):
			b.Errorf(int(r.line), "response of process %v to operation %v, which process %v invoked%s",
				r.process, r.op, b.processes.names[op.Process], atLine("", op.Line))
		case op.ended != Invoke:
			b.Errorf(int(r.line), "duplicate response of operation %v%s", r.op, atLine("first at ", b.timing.lines[o]))
		default:
			b.Errorf(int(r.line), "response of operation %v at %d, not after its invocation at %d%s",
				r.op, r.at, b.timing.calls[o], atLine("", op.Line))
		}
	}
	b.timing.late = nil
}

// compareEnds compares the stamps of the responses of two operations; a pending
// operation is later than any.
func (b *Builder) compareEnds(x, y int32) int {
	switch px, py := b.ops[x].Pending(), b.ops[y].Pending(); {
	case px && py:
		return 0
	case px:
		return 1
	case py:
		return -1
	}
	return cmp.Compare(b.timing.returns[x], b.timing.returns[y])
}

// isApart reports whether each operation has a process of its own, as in formats of intervals.
func (b *Builder) isApart() bool { return len(b.processes.names) == len(b.ops) }

// orderProcesses fills timing.order: the operations of each process by
// invocation, those invoked at one stamp by response, then by place in the
// file. It refuses overlapping operations of one process, and makes what a process does
// after an unknown outcome that of a new process. O(n) where the
// operations of each process come in order.
func (b *Builder) orderProcesses() {
	if b.isApart() {
		return
	}
	t := &b.timing
	ends := make([]int32, len(b.processes.names)+1) // per process, where its operations end in order
	for i := range b.ops {
		ends[b.ops[i].Process+1]++
	}
	for p := 1; p < len(ends); p++ {
		ends[p] += ends[p-1]
	}
	t.order = make([]int32, len(b.ops))
	for i := range b.ops {
		p := b.ops[i].Process
		t.order[ends[p]] = int32(i)
		ends[p]++
	}
	endOf := func(o int32) int64 {
		if b.ops[o].Waits || b.ops[o].Pending() && b.ops[o].ended != Info {
			return math.MaxInt64
		}
		return t.returns[o]
	}
	compare := func(x, y int32) int {
		return cmp.Or(cmp.Compare(t.calls[x], t.calls[y]), cmp.Compare(endOf(x), endOf(y)), b.compareEnds(x, y), cmp.Compare(x, y))
	}
	begin := int32(0)
	for _, end := range ends[:len(ends)-1] {
		if one := t.order[begin:end]; !slices.IsSortedFunc(one, compare) {
			slices.SortFunc(one, compare)
		}
		begin = end
	}
	process, now := int32(-1), int32(-1)
	for k, next := range t.order {
		op := &b.ops[next]
		if op.Process != process {
			process, now = op.Process, op.Process
			continue
		}
		switch before := t.order[k-1]; {
		case endOf(before) > t.calls[next]:
			b.overlap(int(op.Line), b.processes.names[op.Process], op.ID(), &b.ops[before])
		case b.ops[before].ended == Info:
			now = b.processes.succeed(now)
		}
		op.Process = now
	}
}

// arrange gives the events of a history ordered by stamps their positions. It
// returns the given edges, and those that positions cannot express, in the new
// numbers of the operations. O(n) apart from edges and touches.
//
// Under HalfOpen, responses come before invocations at each stamp. Under
// Closed, invocations come first, so that operations that share a stamp are
// concurrent. A process is sequential even so: its operations that share a
// stamp s touch there and are ordered. At each s, the events of one process
// with touching operations are placed between the invocations and the
// responses of all others, in the process's own order:
//
//	others invoke | x1 returns, x2 is invoked, x2 returns, x3 ... | others return
//
// The order of operations is the same poset as by the definition:
//   - Operations x and y of two processes that share s are concurrent. At most
//     one of them has events in the middle of s. The other, say y, is invoked
//     with the first events of s or earlier, and returns with the last ones or
//     later. x is invoked before the last events of s, and returns after the
//     first ones. So each is invoked before the other returns.
//   - Stamps alone order operations that share no stamp.
//   - Positions within the middle follow the process's own order.
//
// Let two processes touch at s, x1 before x2 and y1 before y2. With nothing else
// ordered among the four, this is a 2+2, which no interval order contains
// (Fishburn 1970). Then one process takes the middle, and the others get edges
// from each operation to the next. An edge from x1 to x2 orders no other pair,
// since the invocations of a process at one stamp follow its own order, and so
// do its responses. What returns before x1 is invoked does so before x2 is; what
// is invoked after x2 returns is invoked after x1 does.
func (b *Builder) arrange(edges []Edge) []Edge {
	t := &b.timing
	var inMiddle []uint8
	var apart []Edge
	if !b.isApart() {
		b.straighten()
		if touches := b.touching(edges); len(touches) > 0 {
			inMiddle, apart = b.chooseMiddles(touches)
		}
	}
	calls := b.eventLists(inMiddle)
	spare := make([]int32, len(b.ops))
	calls, spare = SortByStamp(calls, spare, t.calls)
	t.returned, _ = SortByStamp(t.returned, spare, t.returns)
	b.place(calls, inMiddle)
	edges = append(edges, apart...)
	moved := b.permute(calls)
	if len(edges) == 0 {
		return nil
	}
	b.index.renumber(moved)
	for i := range edges {
		edges[i] = Edge{moved[edges[i].From], moved[edges[i].To]}
	}
	return edges
}

// eventLists returns the operations in the order of their invocations, and puts
// t.returned in the order of the responses, for events with equal stamps.
func (b *Builder) eventLists(inMiddle []uint8) (calls []int32) {
	calls = make([]int32, len(b.ops))
	for i := range calls {
		calls[i] = int32(i)
	}
	returned := b.timing.returned
	if !b.isApart() { // else straighten has moved nothing
		byCall := func(x, y int32) int { return cmp.Compare(b.ops[x].Call, b.ops[y].Call) }
		byReturn := func(x, y int32) int { return cmp.Compare(b.ops[x].Return, b.ops[y].Return) }
		if !slices.IsSortedFunc(calls, byCall) {
			slices.SortFunc(calls, byCall)
		}
		if !slices.IsSortedFunc(returned, byReturn) {
			slices.SortFunc(returned, byReturn)
		}
	}
	if inMiddle == nil {
		return calls
	}
	outside := func(list []int32, event uint8) []int32 {
		return slices.DeleteFunc(list, func(o int32) bool { return inMiddle[o]&event != 0 })
	}
	var middleReturns []int32
	calls = outside(calls, middleCall)
	for _, o := range b.timing.order {
		if inMiddle[o]&middleCall != 0 {
			calls = append(calls, o)
		}
		if inMiddle[o]&middleReturn != 0 {
			middleReturns = append(middleReturns, o)
		}
	}
	b.timing.returned = append(middleReturns, outside(returned, middleReturn)...)
	return calls
}

// place gives the events their positions by merging the operations in the order
// of their invocations with those in the order of their responses.
func (b *Builder) place(calls []int32, inMiddle []uint8) {
	t := &b.timing
	var rank []int32
	if inMiddle != nil {
		rank = make([]int32, len(b.ops))
		for k, o := range t.order {
			rank[o] = int32(k)
		}
	}
	callFirst := func(x, y int32) bool { // if x is invoked at the stamp at which y returns
		if b.h.Tie == HalfOpen {
			return false
		}
		inside := inMiddle != nil && inMiddle[x]&middleCall != 0 && inMiddle[y]&middleReturn != 0
		return !inside || rank[x] <= rank[y]
	}
	stamps := make([]int64, 0, len(calls)+len(t.returned)) // by position
	returned := t.returned
	for _, x := range calls {
		at := t.calls[x]
		for len(returned) > 0 {
			y := returned[0]
			if ret := t.returns[y]; at < ret || at == ret && callFirst(x, y) {
				break
			}
			b.ops[y].Return = int32(len(stamps))
			stamps, returned = append(stamps, t.returns[y]), returned[1:]
		}
		b.ops[x].Call = int32(len(stamps))
		stamps = append(stamps, at)
	}
	for _, y := range returned {
		b.ops[y].Return = int32(len(stamps))
		stamps = append(stamps, t.returns[y])
	}
	*t = timing{calls: stamps}
}

// permute numbers the operations as they are listed, in place, and returns the
// new number of each.
func (b *Builder) permute(list []int32) (moved []int32) {
	moved = make([]int32, len(list))
	for k, o := range list {
		moved[o] = int32(k)
	}
	for i := range list {
		if int(list[i]) == i || list[i] < 0 {
			continue
		}
		first, hole := b.ops[i], i
		for {
			from := int(list[hole])
			list[hole] = -1
			if from == i {
				break
			}
			b.ops[hole], hole = b.ops[from], from
		}
		b.ops[hole] = first
	}
	return moved
}

// straighten exchanges places among the invocations of one process at one
// stamp, so that they follow the process's own order, and among its responses
// at one stamp likewise: a file may have them in any order.
func (b *Builder) straighten() {
	t := &b.timing
	var calls, returns []*int32
	for k, op := range t.order {
		if k > 0 {
			prev := t.order[k-1]
			if b.ops[prev].Process != b.ops[op].Process || t.calls[prev] != t.calls[op] {
				calls = sortPlaces(calls)
			}
			if b.ops[prev].Process != b.ops[op].Process || b.compareEnds(prev, op) != 0 {
				returns = sortPlaces(returns)
			}
		}
		calls = append(calls, &b.ops[op].Call)
		if !b.ops[op].Pending() {
			returns = append(returns, &b.ops[op].Return)
		}
	}
	sortPlaces(calls)
	sortPlaces(returns)
}

// sortPlaces puts the places in ascending order and returns the empty slice.
func sortPlaces(places []*int32) []*int32 {
	if len(places) > 1 {
		values := make([]int32, len(places))
		for k, p := range places {
			values[k] = *p
		}
		slices.Sort(values)
		for k, p := range places {
			*p = values[k]
		}
	}
	return places[:0]
}

// A touch is a pair of consecutive operations of a process of which the second
// is invoked at the stamp at which the first returns.
type touch struct {
	at       int64
	from, to int32
}

// touching lists the touches under Closed, by process, in the process's own
// order. An operation that did not happen and has no edges is skipped, since
// no order depends on it.
func (b *Builder) touching(edges []Edge) []touch {
	t := &b.timing
	if b.h.Tie != Closed {
		return nil
	}
	onEdge := make([]bool, len(b.ops))
	for _, e := range edges {
		onEdge[e.From], onEdge[e.To] = true, true
	}
	var touches []touch
	prev := int32(-1)
	for _, next := range t.order {
		if b.ops[next].dropped && !onEdge[next] {
			continue
		}
		if prev >= 0 && b.ops[prev].Process == b.ops[next].Process && t.returns[prev] == t.calls[next] {
			touches = append(touches, touch{t.calls[next], prev, next})
		}
		prev = next
	}
	return touches
}

// Events of an operation that are in the middle of those of their stamp.
const (
	middleCall = 1 << iota
	middleReturn
)

// chooseMiddles chooses, at each stamp, the process that takes the middle: the
// one with most touches there, of several the one whose first response there
// is first in the file. It returns the events in the middle, per operation,
// and edges for the touches of the other processes.
func (b *Builder) chooseMiddles(touches []touch) (inMiddle []uint8, apart []Edge) {
	inMiddle = make([]uint8, len(b.ops))
	slices.SortStableFunc(touches, func(x, y touch) int { return cmp.Compare(x.at, y.at) })
	for low, high := 0, 0; low < len(touches); low = high {
		var best []touch // those of one process
		for high < len(touches) && touches[high].at == touches[low].at {
			begin, process := high, b.ops[touches[high].from].Process
			for high < len(touches) && touches[high].at == touches[low].at && b.ops[touches[high].from].Process == process {
				high++
			}
			one := touches[begin:high]
			if len(one) > len(best) || len(one) == len(best) && b.ops[one[0].from].Return < b.ops[best[0].from].Return {
				best = one
			}
		}
		for _, x := range best {
			inMiddle[x.from] |= middleReturn
			inMiddle[x.to] |= middleCall
		}
		for _, x := range touches[low:high] {
			if inMiddle[x.from]&middleReturn == 0 {
				apart = append(apart, Edge{x.from, x.to})
			}
		}
	}
	return inMiddle, apart
}
