package search

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/leadline/leadline/replay/state"
)

// chains are the operations of an arrangement in the form that a walk takes: in chains those
// that must be placed, and apart those that may stay out.
type chains struct {
	list     [][]int32 // chain -> operations; an edge or the intervals order each after the previous one
	of       []int32   // operation -> its chain; pending or stayOut if it may stay out
	place    []int32   // operation -> place in its chain
	order    []int32   // operations of all chains, by response
	rank     []int32   // operation -> index into order
	fields   []field   // chain -> where its number of early operations is in a key
	words    int       // of a key
	pendings []int32   // operations that may stay out, sorted by invocation
	pendUpTo []int32   // index into order -> number of pendings invoked before that response
	earlier  []int32   // index into pendings -> the previous twin, or -1; see isSecondTwin
}

// A field is some bits of a key.
type field struct {
	word  int32
	shift uint8
}

// Values of chains.of for operations without a chain.
const (
	pending = -1
	stayOut = -2 // it is never placed
)

// newChains splits the operations into chains. It leaves out those that change nothing.
func newChains(a *arrangement, changesNothing func(op int32) bool, machine *state.Machine) *chains {
	n := len(a.h.Ops)
	c := &chains{of: make([]int32, n), place: make([]int32, n), rank: make([]int32, n)}
	for i := range int32(n) {
		switch {
		case changesNothing(i):
			c.of[i] = stayOut
		case a.mayStayOut(i):
			c.of[i] = pending
			c.pendings = append(c.pendings, i)
		default:
			c.order = append(c.order, i)
		}
	}
	slices.SortStableFunc(c.order, func(x, y int32) int { return cmp.Compare(a.h.Ops[x].Return, a.h.Ops[y].Return) })
	pendings := 0
	for k, op := range c.order {
		c.rank[op] = int32(k)
		for pendings < len(c.pendings) && a.h.Ops[c.pendings[pendings]].Call < a.h.Ops[op].Return {
			pendings++
		}
		c.pendUpTo = append(c.pendUpTo, int32(pendings))
	}
	c.split(a)
	c.layOut(a)
	c.findEarlier(machine)
	return c
}

// split fills in the chains. An operation follows one of its own process if possible. The
// number of chains need not be minimal.
func (c *chains) split(a *arrangement) {
	list := a.h.Ops
	isLast := func(i int32) bool { chain := c.list[c.of[i]]; return chain[len(chain)-1] == i }
	returned := c.order
	var free []int32 // returned before the invocation of i
	for i := range int32(len(list)) {
		if c.of[i] < 0 {
			continue
		}
		for len(returned) > 0 && list[returned[0]].Return < list[i].Call {
			free = append(free, returned[0])
			returned = returned[1:]
		}
		previous := int32(-1)
		if a.before != nil {
			for _, b := range a.before[i] {
				if isLast(b) && (previous < 0 || list[b].Process == list[i].Process) {
					previous = b
				}
			}
		}
		for previous < 0 && len(free) > 0 {
			if last := free[len(free)-1]; isLast(last) {
				previous = last
			}
			free = free[:len(free)-1]
		}
		if previous < 0 {
			c.of[i] = int32(len(c.list))
			c.list = append(c.list, nil)
		} else {
			c.of[i] = c.of[previous]
		}
		c.place[i] = int32(len(c.list[c.of[i]]))
		c.list[c.of[i]] = append(c.list[c.of[i]], i)
	}
}

// layOut gives each chain as many bits of the key as its number of early operations needs,
// after the word of due operation and state. The set of pending operations comes last.
func (c *chains) layOut(a *arrangement) {
	most := make([]int32, len(c.list))
	returned := make([]int32, len(c.list)) // chain -> operations that returned before the invocation of i
	next := 0
	for i := range int32(len(a.h.Ops)) {
		if c.of[i] < 0 {
			continue
		}
		for ; next < len(c.order) && a.h.Ops[c.order[next]].Return < a.h.Ops[i].Call; next++ {
			returned[c.of[c.order[next]]]++
		}
		most[c.of[i]] = max(most[c.of[i]], c.place[i]+1-returned[c.of[i]])
	}
	word, used := 0, 64
	for _, m := range most {
		width := bits.Len32(uint32(m))
		if used+width > 64 {
			word, used = word+1, 0
		}
		c.fields = append(c.fields, field{int32(word), uint8(used)})
		used += width
	}
	if c.words = word + 1; len(c.pendings) > 0 {
		c.words++
	}
}

// findEarlier fills in earlier: twins have the same column of the machine.
func (c *chains) findEarlier(machine *state.Machine) {
	last := map[int32]int32{}
	for k, op := range c.pendings {
		column := machine.Column(op)
		j, ok := last[column]
		if !ok {
			j = -1
		}
		c.earlier = append(c.earlier, j)
		last[column] = int32(k)
	}
}
