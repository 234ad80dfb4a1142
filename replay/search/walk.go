package search

import (
	"cmp"
	"slices"

	"github.com/leadline/leadline/hitting/table"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
	"github.com/leadline/leadline/replay/state"
)

// A walk searches a history along its responses. No operation has to be placed before a
// response requires it: its own response, or the response of an operation that has to
// follow it. The operations that must be placed form chains; see chains. The first operation
// of a chain that has not been placed is its head. The due operation is the head with the
// earliest response. So a configuration consists of
//
//   - the due operation,
//   - the state,
//   - for each chain, the number of operations that have been placed early: although their
//     response comes after the due one, and
//   - the set of pending operations that have been placed.
//
// All operations with an earlier response have been placed. No operation that was invoked
// later than the due response has been placed. In real time, a chain has at most one open
// operation, so its number is one bit.
//
// An operation with predecessors by edges (arrangement.before) is blocked until all of them
// have been placed. The search still reaches every witness in the order of that witness,
// because what a witness places before the due operation was invoked before the due
// response. A configuration determines which operations have been placed, and hence which
// are blocked and what can follow. (The due operation is never blocked: intervals have been
// narrowed, so its predecessors were due before it.)
type walk struct {
	state.Walk
	*arrangement
	*chains
	machine  *state.Machine
	prune    Pruning
	observes []bool // operation -> only reads

	due   int32 // index into order
	state int32 // of the machine
	used  int32 // set of pending operations placed
	early []uint64
	count []int32 // chain -> operations placed
	heads []int32 // first operation left of each chain, by response
	trail []int32 // operations placed, in order

	stack  []frame
	listed []int32     // candidates of the frames, concatenated
	seen   []int64     // column of the machine -> the last list that has an operation of this column
	lists  int64       // number of lists made
	failed table.Words // keys of failed configurations
	sets   usedSets

	maxBytes int64
	grown    growth
	owed     int   // work not yet spent on the meter
	furthest int32 // the largest due that was reached
	pace     *Pace // or nil
	begun    int64 // what the meter had counted before
}

// A frame is a configuration with a choice: which operation to place next. Its candidates
// are the due operation, then listed[first:end], and then pending operations.
type frame struct {
	due, state, used, trail int32
	first, end              int32 // end is notListed until the due operation has been tried
	next                    int32 // the first candidate that has not been tried
}

const notListed = -1

// shortPath is the room on the path of a new walk.
const shortPath = 16

func newWalk(a *arrangement, machine *state.Machine, r *runner) *walk {
	prune := r.prune
	s := &walk{arrangement: a, machine: machine, prune: prune, observes: observers(a, prune), state: machine.Start(),
		maxBytes: r.maxBytes, pace: r.pace, begun: r.meter.Spent()}
	s.Meter = r.meter
	s.Fits = func() bool { return s.bytes() <= s.maxBytes || s.forget() }
	s.chains = newChains(a, func(op int32) bool { return a.mayStayOut(op) && !prune.NoUseless && a.columns().ReadOnly[op] }, machine)
	n := len(a.h.Ops)
	s.early, s.count, s.heads = make([]uint64, s.words), make([]int32, len(s.first)), slices.Clone(s.first)
	s.trail, s.stack = make([]int32, 0, n), make([]frame, 0, min(n, shortPath))
	slices.SortFunc(s.heads, s.byResponse)
	if len(s.pendings) > 0 {
		s.sets.init(len(s.pendings))
	}
	s.failed.Length = s.words
	s.grown.work(machine.Bytes()) // not counted: another search may have used the machine
	s.placeReads()
	return s
}

func (s *walk) byResponse(x, y int32) int { return cmp.Compare(s.rank[x], s.rank[y]) }

// Settle reports whether all operations that must be placed have been placed.
func (s *walk) Settle() bool {
	s.furthest = max(s.furthest, s.due)
	return len(s.heads) == 0
}

// configuration returns the key of the current configuration, valid until the next call.
func (s *walk) configuration() []uint64 {
	s.early[0] = uint64(s.due)<<32 | uint64(uint32(s.state))
	if len(s.pendings) > 0 {
		s.early[s.words-1] = uint64(s.used)
	}
	return s.early
}

func (s *walk) HasFailed() bool { return s.failed.Find(s.configuration()) >= 0 }

func (s *walk) Push() {
	s.stack = append(s.stack, frame{s.due, s.state, s.used, int32(len(s.trail)), int32(len(s.listed)), notListed, 0})
}

func (s *walk) Back() bool {
	if len(s.stack) == 0 {
		return false
	}
	s.owed += 1 + s.grown.work(s.machine.Bytes())
	s.goBack(&s.stack[len(s.stack)-1])
	s.isOver()
	return true
}

// isOver spends the work that is owed and reports whether to give up.
func (s *walk) isOver() bool {
	work := s.owed
	s.owed = 0
	isOver := s.Spend(work)
	if s.pace != nil && s.Meter.Spent()-s.begun > s.pace.Least+s.pace.Each*int64(s.furthest) {
		s.GaveUp, isOver = replay.Time, true
	}
	return isOver
}

func (s *walk) Move() bool {
	f := &s.stack[len(s.stack)-1]
	for {
		op, more := s.candidate(f)
		if s.owed++; !more || s.isOver() {
			return false
		}
		if op != ops.None && s.try(op) {
			return true
		}
	}
}

func (s *walk) Fail() {
	s.failed.Add(s.configuration())
	s.listed = s.listed[:s.stack[len(s.stack)-1].first]
	s.stack = s.stack[:len(s.stack)-1]
}

// candidate returns the next operation to try in the frame, or None if it is not worth
// trying. It reports false after the last.
func (s *walk) candidate(f *frame) (int32, bool) {
	k := f.next - 1
	f.next++
	if k < 0 {
		return s.heads[0], true
	}
	if f.end == notListed {
		s.listOpen()
		f.end = int32(len(s.listed))
	}
	if k < f.end-f.first {
		return s.listed[f.first+k], true
	}
	k -= f.end - f.first
	switch {
	case k >= s.pendUpTo[f.due]:
		return ops.None, false
	case s.sets.has(s.used, k) || s.isSecondPendingTwin(k) || s.isBlocked(s.pendings[k]):
		return ops.None, true
	}
	return s.pendings[k], true
}

// listOpen lists the operations that may be placed besides the due one, by invocation. It
// leaves out second twins.
func (s *walk) listOpen() {
	first := len(s.listed)
	s.lists++
	s.owed += len(s.heads) / 64
	*s.lastList(s.heads[0]) = s.lists
	for _, op := range s.heads[1:] {
		if !s.isOpen(op) {
			continue
		}
		if last := s.lastList(op); !s.isSecondTwin(op, *last == s.lists) {
			*last = s.lists
			s.listed = append(s.listed, op)
		}
	}
	slices.Sort(s.listed[first:])
}

// lastList returns the last list that has an operation of the same column.
func (s *walk) lastList(op int32) *int64 {
	column := int(s.machine.Column(op))
	if missing := column + 1 - len(s.seen); missing > 0 {
		s.seen = append(s.seen, make([]int64, missing)...)
	}
	return &s.seen[column]
}

// isOpen reports whether a head may be placed.
func (s *walk) isOpen(op int32) bool {
	return s.h.Ops[op].Call <= s.h.Ops[s.heads[0]].Return && !s.isBlocked(op)
}

// isBlocked reports whether some predecessor of the operation by an edge has not been
// placed.
func (s *walk) isBlocked(op int32) bool {
	if s.before == nil {
		return false
	}
	s.owed += len(s.before[op]) / 4
	for _, b := range s.before[op] {
		if s.count[s.of[b]] <= s.place[b] {
			return true
		}
	}
	return false
}

// try places the operation if that may lead to a witness.
func (s *walk) try(op int32) bool {
	next := s.machine.Step(s.state, op)
	if next == state.Fail || s.isUseless(op, next) || s.erases(op, next) {
		return false
	}
	s.put(op)
	s.state = next
	s.placeReads()
	return true
}

// put appends an operation to the trail.
func (s *walk) put(op int32) {
	s.trail = append(s.trail, op)
	c := s.of[op]
	if c < 0 {
		p, _ := slices.BinarySearch(s.pendings, op)
		s.used = s.sets.with(s.used, int32(p))
		return
	}
	s.owed += len(s.heads) / 64
	s.count[c]++
	s.add(c, 1)
	k := slices.Index(s.heads, op)
	if head := s.next[op]; head != none {
		for ; k+1 < len(s.heads) && s.rank[s.heads[k+1]] < s.rank[head]; k++ {
			s.heads[k] = s.heads[k+1]
		}
		s.heads[k] = head
	} else {
		s.heads = slices.Delete(s.heads, k, k+1)
	}
	s.advance()
}

// advance moves past the responses of placed operations.
func (s *walk) advance() {
	due := int32(len(s.order))
	if len(s.heads) > 0 {
		due = s.rank[s.heads[0]]
	}
	for ; s.due < due; s.due++ {
		s.add(s.of[s.order[s.due]], ^uint64(0))
	}
}

// goBack undoes the placements after the configuration of f.
func (s *walk) goBack(f *frame) {
	for s.due > f.due {
		s.due--
		s.add(s.of[s.order[s.due]], 1)
	}
	for len(s.trail) > int(f.trail) {
		op := s.trail[len(s.trail)-1]
		s.trail = s.trail[:len(s.trail)-1]
		if s.of[op] >= 0 {
			s.take(op)
		}
	}
	s.state, s.used = f.state, f.used
}

// take undoes put of an operation that must be placed.
func (s *walk) take(op int32) {
	c := s.of[op]
	s.owed += len(s.heads) / 64
	s.count[c]--
	s.add(c, ^uint64(0))
	k := len(s.heads)
	if next := s.next[op]; next != none {
		k = slices.Index(s.heads, next)
	} else {
		s.heads = append(s.heads, 0)
	}
	for ; k > 0 && s.rank[s.heads[k-1]] > s.rank[op]; k-- {
		s.heads[k] = s.heads[k-1]
	}
	s.heads[k] = op
}

// add adds n, modulo 2^64, to the number of early operations of a chain. Other numbers may
// be wrong until all additions that belong together have been made.
func (s *walk) add(c int32, n uint64) { s.early[s.fields[c].word] += n << s.fields[c].shift }

// bytes estimates the memory in use.
func (s *walk) bytes() int64 {
	return s.failed.Bytes() + s.sets.Bytes() + s.machine.Bytes() + int64(cap(s.stack))*28 + int64(cap(s.trail)+cap(s.listed))*4
}

// forget drops the failed configurations that cannot occur again: those whose due response
// is before the due response of the first frame on the path with a candidate left. It
// reports whether enough memory is free afterwards.
func (s *walk) forget() bool {
	for i := range s.stack {
		// The remaining indices may have no candidate. Then fewer configurations are
		// dropped than possible.
		if f := &s.stack[i]; f.end == notListed || f.next < 1+f.end-f.first+s.pendUpTo[f.due] {
			due := f.due
			s.failed.Keep(func(_ int32, key []uint64) bool { return int32(key[0]>>32) >= due })
			break
		}
	}
	return s.bytes() <= s.maxBytes-s.maxBytes/8
}

// bytesPerUnit is the size of new states of the object that counts as a unit of work. With a
// quarter, the short search leaves 13 histories of BenchmarkPrices to others, which take six
// times as long. Four times as many change nothing.
const bytesPerUnit = 64

// growth is the size of a machine's tables when it was last read.
type growth int64

// work returns the work for the new states of the machine.
func (g *growth) work(bytes int64) int {
	work := max(0, bytes-int64(*g)) / bytesPerUnit
	*g = growth(bytes)
	return int(work)
}
