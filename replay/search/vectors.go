package search

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/leadline/leadline/hitting/table"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/state"
)

// vectors searches a history with any order. It is for sequential consistency, where all
// operations are open at once, and for histories with more open operations than a sweep can
// represent. The operations form chains, and the operations of a chain are ordered. So the
// numbers of placed operations, one for each chain, determine which operations have been
// placed. A configuration consists of these numbers and the state. The walk tries the
// operation with the earliest response first.
//
// An operation may be placed if
//   - all operations before it in its chain have been placed,
//   - it was invoked before the first response of the operations not placed, and
//   - no edge blocks it.
//
// An operation that may stay out (arrangement.mayStayOut) has no successor and
// so is the last of its chain: if it stays out, it holds up nothing.
type vectors struct {
	state.Walk
	*arrangement
	machine  *state.Machine
	prune    Pruning
	observes []bool

	chains [][]int32
	chain  []int32 // operation -> its chain
	place  []int32 // operation -> place in it
	fields []field // chain -> where its number is in the key

	state  int32
	key    []uint64 // of the configuration, except for the state
	count  []int32  // chain -> operations placed
	heads  []int32  // first operation left of each chain, by response
	left   int      // operations not placed that may not stay out
	trail  []int32  // operations placed, in order
	open   []int32  // candidates of the frames of stack, concatenated
	stack  []vectorFrame
	failed table.Words
	seen   []int64 // column of the machine -> the last frame that has a candidate with this column
	frames int64   // number of frames made

	grown growth
	owed  int // work not yet spent on the meter
}

// A field is some bits of a key.
type field struct {
	word  int32
	shift uint8
}

// A vectorFrame is a configuration with a choice.
type vectorFrame struct {
	state, trail     int32
	first, next, end int32 // candidates are open[first:end], those left open[next:end]
}

func newVectors(a *arrangement, r *runner, machine *state.Machine) *vectors {
	s := &vectors{arrangement: a, machine: machine, prune: r.prune, observes: observers(a, r.prune),
		chains: a.chains(), place: make([]int32, len(a.h.Ops)), chain: make([]int32, len(a.h.Ops)), state: machine.Start()}
	s.Walk = state.Walk{Meter: r.meter, Fits: func() bool { return s.bytes() <= r.maxBytes }}
	for c, chain := range s.chains {
		for k, op := range chain {
			s.chain[op], s.place[op] = int32(c), int32(k)
			if !a.mayStayOut(op) {
				s.left++
			}
		}
		s.heads = append(s.heads, chain[0])
	}
	slices.SortFunc(s.heads, s.byResponse)
	s.count = make([]int32, len(s.chains))
	s.seen = make([]int64, machine.Columns())
	s.layOut()
	s.placeReads()
	return s
}

func (s *vectors) byResponse(x, y int32) int {
	return cmp.Or(cmp.Compare(s.h.Ops[x].Return, s.h.Ops[y].Return), cmp.Compare(x, y))
}

// layOut assigns to each chain as many bits of the key as its number needs,
// after 32 bits for the state.
func (s *vectors) layOut() {
	word, used := 0, 32
	for _, chain := range s.chains {
		width := bits.Len(uint(len(chain)))
		if used+width > 64 {
			word, used = word+1, 0
		}
		s.fields = append(s.fields, field{int32(word), uint8(used)})
		used += width
	}
	s.key = make([]uint64, word+1)
	s.failed.Length = word + 1
}

// run searches for a witness and leaves it in s.trail; see state.Walk.
func (s *vectors) run() (bool, replay.Cause) { return s.Explore(s) }

func (s *vectors) Settle() bool { return s.left == 0 }

func (s *vectors) HasFailed() bool { return s.failed.Find(s.configuration()) >= 0 }

// configuration returns the current key, valid until the next call.
func (s *vectors) configuration() []uint64 {
	s.key[0] = s.key[0]>>32<<32 | uint64(uint32(s.state+1))
	return s.key
}

// push adds a frame for the configuration. Of two twins, it tries only the one with the
// earlier response, unless an edge leads from the other: see sweep.isSecondTwin.
func (s *vectors) Push() {
	first := int32(len(s.open))
	s.frames++
	s.owed += len(s.heads) / 4
	for _, op := range s.heads {
		if !s.isOpen(op) {
			continue
		}
		column := s.machine.Column(op)
		if s.seen[column] == s.frames && (s.followed == nil || !s.followed[op]) && !s.prune.NoTwins {
			continue
		}
		s.seen[column] = s.frames
		s.open = append(s.open, op)
	}
	s.stack = append(s.stack, vectorFrame{s.state, int32(len(s.trail)), first, first, int32(len(s.open))})
}

// isOpen reports whether op may be placed, where op is the first operation of its chain
// that has not been placed.
func (s *vectors) isOpen(op int32) bool {
	if s.h.Ops[op].Call > s.h.Ops[s.heads[0]].Return {
		return false
	}
	if s.before != nil {
		s.owed += len(s.before[op]) / 4
		for _, b := range s.before[op] {
			if s.count[s.chain[b]] <= s.place[b] {
				return false
			}
		}
	}
	return true
}

func (s *vectors) Back() bool {
	if len(s.stack) == 0 {
		return false
	}
	s.goBack(&s.stack[len(s.stack)-1])
	s.owed += state.ConfigurationWork + s.grown.work(s.machine.Bytes())
	return true
}

func (s *vectors) Move() bool {
	for f := &s.stack[len(s.stack)-1]; f.next < f.end && !s.isOver(); s.owed++ {
		op := s.open[f.next]
		f.next++
		if s.try(op) {
			return true
		}
	}
	return false
}

func (s *vectors) Fail() {
	s.failed.Add(s.configuration())
	s.open = s.open[:s.stack[len(s.stack)-1].first]
	s.stack = s.stack[:len(s.stack)-1]
}

// isOver spends the work that is owed and reports whether to give up.
func (s *vectors) isOver() bool {
	work := s.owed
	s.owed = 0
	return s.Spend(work)
}

// try places the operation if that may lead to a witness. That is not so if the object has
// no transition, or if the operation may stay out and changes nothing.
func (s *vectors) try(op int32) bool {
	next := s.machine.Step(s.state, op)
	if next == state.Fail || next == s.state && !s.prune.NoUseless && s.mayStayOut(op) {
		return false
	}
	s.put(op)
	s.state = next
	s.placeReads()
	return true
}

// placeReads places operations that only read, may be placed, and have their
// recorded result here: see sweep.placeReads. It stops early if the search is
// over.
func (s *vectors) placeReads() {
	for placed := true; placed; {
		placed = false
		s.owed += len(s.heads) / 4
		for k := 0; k < len(s.heads); k++ {
			if op := s.heads[k]; s.observes[op] && s.isOpen(op) && s.machine.Step(s.state, op) == s.state {
				s.put(op)
				placed = true
				k-- // s.heads[k] is another operation now
				if s.isOver() {
					return
				}
			}
		}
	}
}

// put appends an operation to the trail.
func (s *vectors) put(op int32) {
	s.trail = append(s.trail, op)
	s.owed += 1 + len(s.heads)/16
	if !s.mayStayOut(op) {
		s.left--
	}
	c := s.chain[op]
	s.count[c]++
	s.key[s.fields[c].word] += 1 << s.fields[c].shift
	k := slices.Index(s.heads, op)
	s.heads = slices.Delete(s.heads, k, k+1)
	if next := s.place[op] + 1; int(next) < len(s.chains[c]) {
		s.insertHead(s.chains[c][next])
	}
}

// goBack undoes the placements after the configuration of f.
func (s *vectors) goBack(f *vectorFrame) {
	s.state = f.state
	for len(s.trail) > int(f.trail) && !s.isOver() {
		op := s.trail[len(s.trail)-1]
		s.trail = s.trail[:len(s.trail)-1]
		s.owed += 1 + len(s.heads)/16
		if !s.mayStayOut(op) {
			s.left++
		}
		c := s.chain[op]
		s.count[c]--
		s.key[s.fields[c].word] -= 1 << s.fields[c].shift
		if next := s.place[op] + 1; int(next) < len(s.chains[c]) {
			k := slices.Index(s.heads, s.chains[c][next])
			s.heads = slices.Delete(s.heads, k, k+1)
		}
		s.insertHead(op)
	}
}

func (s *vectors) insertHead(op int32) {
	k, _ := slices.BinarySearchFunc(s.heads, op, s.byResponse)
	s.heads = slices.Insert(s.heads, k, op)
}

// bytes estimates the memory in use.
func (s *vectors) bytes() int64 {
	return s.failed.Bytes() + s.machine.Bytes() + int64(cap(s.stack))*20 + int64(cap(s.open)+cap(s.trail))*4
}
