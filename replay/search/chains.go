package search

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/leadline/leadline/replay/ops"
	"github.com/leadline/leadline/replay/state"
)

// chains are the operations of an arrangement in the form that a walk takes: in chains those
// that must be placed, and apart those that may stay out.
type chains struct {
	first    []int32 // chain -> its first operation
	next     []int32 // operation -> the next one of its chain, or none; an edge or the intervals order them
	of       []int32 // operation -> its chain; pending or stayOut if it may stay out
	place    []int32 // operation -> place in its chain
	order    []int32 // operations of all chains, by response
	rank     []int32 // operation -> index into order
	fields   []field // chain -> where its number of early operations is in a key
	words    int     // of a key
	pendings []int32 // operations that may stay out, sorted by invocation
	pendUpTo []int32 // index into order -> number of pendings invoked before that response
	earlier  []int32 // index into pendings -> the previous twin, or -1; see isSecondTwin
}

// A field is some bits of a key.
type field struct {
	word         int32
	shift, width uint8
}

// Values of chains.of for operations without a chain.
const (
	pending = -1
	stayOut = -2 // it is never placed
)

const none = ops.None // no operation

// newChains splits the operations into chains. It leaves out those that change nothing.
func newChains(a *arrangement, changesNothing func(op int32) bool, machine *state.Machine) *chains {
	n := len(a.h.Ops)
	memory := make([]int32, 9*n) // for all lists: histories are many, and most are short
	list := func(length int) (list []int32) {
		list, memory = memory[:length:n], memory[n:]
		return list
	}
	c := &chains{of: list(n), place: list(n), rank: list(n), next: list(n), order: list(0), pendUpTo: list(0), first: list(0)}
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
	c.split(a, list(0))
	c.layOut(a, list(n))
	c.findEarlier(machine)
	return c
}

// split fills in the chains. An operation follows one of its own process if possible. The
// number of chains need not be minimal. free is an empty list.
func (c *chains) split(a *arrangement, free []int32) {
	list, returned := a.h.Ops, c.order
	for i := range int32(len(list)) {
		if c.next[i] = none; c.of[i] < 0 {
			continue
		}
		for len(returned) > 0 && list[returned[0]].Return < list[i].Call {
			free = append(free, returned[0]) // what returned before the invocation of i
			returned = returned[1:]
		}
		previous := int32(none)
		if a.before != nil {
			for _, b := range a.before[i] {
				if c.next[b] == none && (previous < 0 || list[b].Process == list[i].Process) {
					previous = b
				}
			}
		}
		for previous < 0 && len(free) > 0 {
			if last := free[len(free)-1]; c.next[last] == none {
				previous = last
			}
			free = free[:len(free)-1]
		}
		if previous < 0 {
			c.of[i] = int32(len(c.first))
			c.first = append(c.first, i)
		} else {
			c.of[i], c.place[i], c.next[previous] = c.of[previous], c.place[previous]+1, i
		}
	}
}

// layOut gives each chain as many bits of the key as its number of early operations needs,
// after the word of due operation and state. The set of pending operations comes last.
// counts has a zero for each operation.
func (c *chains) layOut(a *arrangement, counts []int32) {
	c.fields = make([]field, len(c.first))
	returned := counts[:len(c.first)] // chain -> operations that returned before the invocation of i
	next := 0
	for i := range int32(len(a.h.Ops)) {
		if c.of[i] < 0 {
			continue
		}
		for ; next < len(c.order) && a.h.Ops[c.order[next]].Return < a.h.Ops[i].Call; next++ {
			returned[c.of[c.order[next]]]++
		}
		f := &c.fields[c.of[i]]
		f.width = max(f.width, uint8(bits.Len32(uint32(c.place[i]+1-returned[c.of[i]]))))
	}
	word, used := int32(0), uint8(64)
	for k := range c.fields {
		f := &c.fields[k]
		if used+f.width > 64 {
			word, used = word+1, 0
		}
		f.word, f.shift = word, used
		used += f.width
	}
	if c.words = int(word) + 1; len(c.pendings) > 0 {
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
