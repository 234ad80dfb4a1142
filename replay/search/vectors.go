package search

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/internal/engine"
)

// vectors searches a history of any order: one that is sequentially
// consistent at best, where all operations are open at once, or one in which
// more are open than a sweep can hold apart. Its operations form chains, in
// each of which one comes after the other, so that what has been placed is
// told by how many of each chain have been; a configuration is these numbers
// and the state. It goes depth first, the operation with the earliest response
// first, and never tries a configuration that failed (Wing and Gong 1993, with
// the memory of Lowe 2017).
//
// An operation may be placed if it is the first left of its chain, was invoked
// before the first response of those left, and is not blocked by an edge. What
// may stay out (arrangement.mayStayOut) has nothing behind it and so is the
// last of its chain: it holds up nothing where it does stay out.
type vectors struct {
	*arrangement
	machine  *engine.Machine
	prune    Pruning
	observes []bool

	chains [][]int32
	chain  []int32 // operation -> its chain
	place  []int32 // operation -> place in it
	fields []field // chain -> where its number stands in the key

	state  int32
	key    []uint64 // of the configuration, but for the state
	count  []int32  // chain -> operations placed
	heads  []int32  // first left of each chain, by response
	left   int      // operations not placed that may not stay out
	trail  []int32  // operations placed, in order
	open   []int32  // candidates of the frames of stack, one after another
	stack  []vectorFrame
	failed keySet
	seen   []int64 // look of an operation -> the last frame with a candidate that looks so
	frames int64   // frames made

	maxBytes int64
	meter    *meter.Meter
	grown    growth
	work     int // not yet given to the meter
}

// A field is some bits of a key.
type field struct {
	word  int32
	shift uint8
}

// A vectorFrame is a configuration with a choice.
type vectorFrame struct {
	state, trail     int32
	first, next, end int32 // candidates, and those left, in open
}

func newVectors(a *arrangement, spec replay.Spec, machine *engine.Machine, prune Pruning) *vectors {
	s := &vectors{arrangement: a, machine: machine, prune: prune, observes: observers(a, spec, prune),
		chains: a.chains(), place: make([]int32, len(a.h.Ops)), chain: make([]int32, len(a.h.Ops)), state: machine.Start()}
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
	s.seen = make([]int64, machine.Looks())
	s.layOut()
	s.placeReads()
	return s
}

func (s *vectors) byResponse(x, y int32) int {
	return cmp.Or(cmp.Compare(s.h.Ops[x].Return, s.h.Ops[y].Return), cmp.Compare(x, y))
}

// layOut gives each chain as many bits of the key as its number needs, behind
// 32 for the state.
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
	s.failed.words = word + 1
}

// run looks for a witness and leaves it in s.trail; without one, it returns
// the cause if it had to give up.
func (s *vectors) run() (bool, replay.Cause) {
	for s.left > 0 {
		if s.failed.number(s.configuration()) < 0 {
			s.push()
		}
		if cause, more := s.choose(); !more {
			return false, cause
		}
	}
	return true, replay.NoCause
}

// configuration returns the key of the present one, valid until the next call.
func (s *vectors) configuration() []uint64 {
	s.key[0] = s.key[0]>>32<<32 | uint64(uint32(s.state+1))
	return s.key
}

// push makes a frame of the configuration. Of two candidates that look the
// same only the one with the earlier response is tried, unless an edge leads
// from the other: see sweep.isSecondTwin.
func (s *vectors) push() {
	first := int32(len(s.open))
	s.frames++
	s.work += len(s.heads) / 4
	for _, op := range s.heads {
		if !s.isOpen(op) {
			continue
		}
		look := s.machine.Look(op)
		if s.seen[look] == s.frames && (s.followed == nil || !s.followed[op]) && !s.prune.NoTwins {
			continue
		}
		s.seen[look] = s.frames
		s.open = append(s.open, op)
	}
	s.stack = append(s.stack, vectorFrame{s.state, int32(len(s.trail)), first, first, int32(len(s.open))})
}

// isOpen reports whether an operation that is first of what is left of its
// chain may be placed.
func (s *vectors) isOpen(op int32) bool {
	if s.h.Ops[op].Call > s.h.Ops[s.heads[0]].Return {
		return false
	}
	if s.before != nil {
		for _, b := range s.before[op] {
			if s.count[s.chain[b]] <= s.place[b] {
				return false
			}
		}
	}
	return true
}

// choose goes back to the last configuration with a candidate left and places
// it; it reports false if there is none, or a bound is reached, with the
// cause.
func (s *vectors) choose() (replay.Cause, bool) {
	for len(s.stack) > 0 {
		f := &s.stack[len(s.stack)-1]
		s.goBack(f)
		s.work += configurationWork + s.grown.work(s.machine.Bytes())
		for ; f.next < f.end; s.work = 1 {
			if s.meter.Spend(s.work) {
				if cause := s.bound(); cause != replay.NoCause {
					return cause, false
				}
			}
			op := s.open[f.next]
			f.next++
			if s.try(op) {
				return replay.NoCause, true
			}
		}
		s.failed.add(s.configuration())
		s.open = s.open[:f.first]
		s.stack = s.stack[:len(s.stack)-1]
	}
	return replay.NoCause, false
}

func (s *vectors) bound() replay.Cause {
	switch {
	case s.meter.Stopped():
		return replay.Time
	case s.bytes() > s.maxBytes:
		return replay.Memory
	}
	return replay.NoCause
}

// try places the operation if that may lead to a witness: not if the object
// refuses, nor if it is a pending one that may as well stay out.
func (s *vectors) try(op int32) bool {
	state := s.machine.Step(s.state, op)
	if state == engine.Fail || state == s.state && !s.prune.NoUseless && s.mayStayOut(op) {
		return false
	}
	s.put(op)
	s.state = state
	s.placeReads()
	return true
}

// placeReads places what only looks, may be placed, and sees here what it
// recorded: see sweep.placeReads.
func (s *vectors) placeReads() {
	for placed := true; placed; {
		placed = false
		s.work += len(s.heads) / 4
		for k := 0; k < len(s.heads); k++ {
			if op := s.heads[k]; s.observes[op] && s.isOpen(op) && s.machine.Step(s.state, op) == s.state {
				s.put(op)
				placed = true
				k-- // another stands there now
			}
		}
	}
}

// put puts an operation behind the trail.
func (s *vectors) put(op int32) {
	s.trail = append(s.trail, op)
	s.work += 1 + len(s.heads)/16
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

// goBack takes back what was placed after the configuration.
func (s *vectors) goBack(f *vectorFrame) {
	s.state = f.state
	for len(s.trail) > int(f.trail) {
		op := s.trail[len(s.trail)-1]
		s.trail = s.trail[:len(s.trail)-1]
		s.work += 1 + len(s.heads)/16
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
	return s.failed.bytes() + s.machine.Bytes() + int64(cap(s.stack))*20 + int64(cap(s.open)+cap(s.trail))*4
}
