package peers

import (
	"fmt"
	"math"
	"slices"

	"github.com/anishathalye/porcupine"

	"github.com/leadline/leadline/history"
)

// A Call is the input of a hand-written porcupine model.
type Call struct {
	Method   byte  // 'i'nsert or write, 'r'emove, 'l'ook (peek) or read, 'c'ompare and set
	Key      int64 // 0 if there are no parts
	Old, Arg int64
	Result   int64 // 0 and 1 for false and true
}

const (
	none    = math.MinInt64     // null: result of removing from, or reading, an empty object
	unknown = math.MinInt64 + 1 // a result that was not recorded
)

// gives reports whether the operation may have returned result.
func (c *Call) gives(result int64) bool { return c.Result == result || c.Result == unknown }

// Types are the models that Native supports, by their names in spec.Lookup.
var Types = []string{"queue", "stack", "priority-queue", "set", "kv", "register", "cas-register"}

var methods = map[string]byte{
	"enqueue": 'i', "push": 'i', "insert": 'i', "add": 'i', "put": 'i', "write": 'i',
	"dequeue": 'r', "pop": 'r', "poll": 'r', "remove": 'r',
	"peek": 'l', "contains": 'l', "get": 'l', "read": 'l',
	"cas": 'c',
}

// Native returns a hand-written porcupine model for a history of one of Types,
// whose values are integers, with the operations as its inputs. The models are
// as fast as porcupine allows: persistent or sliced states, incremental hashes,
// partitions where there are keys.
//
// Operations without a response are open to the end and have an unknown result.
// So nothing has to follow them, and these types allow every operation at any
// time. They can therefore come last, which is as if they had not happened.
func Native(h *history.History) (porcupine.Model, []porcupine.Operation, error) {
	model, ok := natives[h.Model]
	if !ok || len(h.ModelArgs) > 0 || h.HasEdges() {
		return model, nil, fmt.Errorf("no porcupine model of %s", h.Model)
	}
	ops := Operations(h, func(int) bool { return true })
	calls := make([]Call, len(ops))
	for i := range ops {
		op := &h.Ops[i]
		c := &calls[i]
		c.Method = methods[op.Method]
		known := c.Method != 0
		to := []*int64{&c.Arg}
		if c.Method == 'c' {
			to = []*int64{&c.Old, &c.Arg}
		}
		if h.Model == "set" || h.Model == "kv" {
			to = append([]*int64{&c.Key}, to...)
		}
		for k, arg := range op.Args {
			if known = known && k < len(to); known {
				*to[k], known = number(arg)
			}
		}
		if c.Result = unknown; known && !op.Pending() {
			c.Result, known = number(op.Result)
		}
		if !known {
			return model, nil, fmt.Errorf("no porcupine model of %s with %v", h.Model, op)
		}
		ops[i].Input = c
	}
	return model, ops, nil
}

func number(v history.Value) (n int64, ok bool) {
	switch v.Kind() {
	case history.Null:
		return none, true
	case history.Unknown, history.None:
		return unknown, true
	case history.Bool:
		if v.Bool() {
			return 1, true
		}
		return 0, true
	case history.Int:
		return v.Int(), true
	}
	return 0, false
}

var natives = map[string]porcupine.Model{
	"queue": {
		Init:  func() any { return queue{} },
		Step:  func(s, in, _ any) (bool, any) { return s.(queue).step(in.(*Call)) },
		Equal: func(a, b any) bool { return a.(queue).equal(b.(queue)) },
		Hash:  func(s any) uint64 { return s.(queue).hash },
	},
	"stack": {
		Init:  func() any { return (*stack)(nil) },
		Step:  func(s, in, _ any) (bool, any) { return s.(*stack).step(in.(*Call)) },
		Equal: func(a, b any) bool { return a.(*stack).equal(b.(*stack)) },
		Hash:  func(s any) uint64 { return s.(*stack).key() },
	},
	"priority-queue": {
		Init: func() any { return sorted{} },
		Step: func(s, in, _ any) (bool, any) { return s.(sorted).step(in.(*Call)) },
		Equal: func(a, b any) bool {
			return a.(sorted).hash == b.(sorted).hash && slices.Equal(a.(sorted).items, b.(sorted).items)
		},
		Hash: func(s any) uint64 { return s.(sorted).hash },
	},
	"set": {
		Partition: byKey,
		Init:      func() any { return int64(0) },
		Step: func(s, in, _ any) (bool, any) {
			c, has := in.(*Call), s.(int64)
			switch c.Method {
			case 'i':
				return c.gives(1 - has), int64(1)
			case 'r':
				return c.gives(has), int64(0)
			}
			return c.gives(has), s
		},
		Hash: func(s any) uint64 { return mix(s.(int64)) },
	},
	"kv":           cells,
	"register":     cells,
	"cas-register": cells,
}

// cells are values by key; a register has only one.
var cells = porcupine.Model{
	Partition: byKey,
	Init:      func() any { return int64(none) },
	Step: func(s, in, _ any) (bool, any) {
		c, v := in.(*Call), s.(int64)
		switch {
		case c.Method == 'i':
			return true, c.Arg
		case c.Method == 'r':
			return c.gives(v), int64(none)
		case c.Method == 'l':
			return c.gives(v), s
		case v == c.Old:
			return c.gives(1), c.Arg
		}
		return c.gives(0), s
	},
	Hash: func(s any) uint64 { return mix(s.(int64)) },
}

func byKey(ops []porcupine.Operation) [][]porcupine.Operation {
	return partsBy(ops, func(op *porcupine.Operation) int64 { return op.Input.(*Call).Key })
}

// mix is the finalizer of SplitMix64 (Steele, Lea and Flood 2014).
func mix(v int64) uint64 {
	x := uint64(v) + 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// base is the base of the polynomials that hash queues and stacks.
const base = 0x9e3779b97f4a7c15

// A queue shares its items with the states that it came from, but never appends
// in place.
type queue struct {
	items []int64
	hash  uint64 // the sum of mix(items[i]) * base^(len-1-i)
}

func (q queue) step(c *Call) (bool, any) {
	if c.Method == 'i' {
		items := make([]int64, len(q.items)+1)
		items[copy(items, q.items)] = c.Arg
		return true, queue{items, q.hash*base + mix(c.Arg)}
	}
	switch {
	case len(q.items) == 0:
		return c.gives(none), q
	case !c.gives(q.items[0]):
		return false, nil
	case c.Method == 'l':
		return true, q
	}
	power := uint64(1)
	for b, e := uint64(base), len(q.items)-1; e > 0; b, e = b*b, e>>1 {
		if e&1 == 1 {
			power *= b
		}
	}
	return true, queue{q.items[1:], q.hash - mix(q.items[0])*power}
}

func (q queue) equal(p queue) bool { return q.hash == p.hash && slices.Equal(q.items, p.items) }

// A stack is its top and the rest below; nil is the empty stack.
type stack struct {
	top   int64
	below *stack
	hash  uint64
}

func (s *stack) key() uint64 {
	if s == nil {
		return 0
	}
	return s.hash
}

func (s *stack) step(c *Call) (bool, any) {
	switch {
	case c.Method == 'i':
		return true, &stack{c.Arg, s, s.key()*base + mix(c.Arg)}
	case s == nil:
		return c.gives(none), s
	case !c.gives(s.top):
		return false, nil
	case c.Method == 'l':
		return true, s
	}
	return true, s.below
}

func (s *stack) equal(p *stack) bool {
	for s != p { // shared from here on, or at the end
		if s == nil || p == nil || s.hash != p.hash || s.top != p.top {
			return false
		}
		s, p = s.below, p.below
	}
	return true
}

// A sorted has the largest item first, so that removing the smallest copies
// nothing.
type sorted struct {
	items []int64
	hash  uint64 // the sum of mix(item)
}

func (q sorted) step(c *Call) (bool, any) {
	if c.Method == 'i' {
		at, _ := slices.BinarySearchFunc(q.items, c.Arg, func(a, b int64) int {
			switch {
			case a > b:
				return -1
			case a < b:
				return 1
			}
			return 0
		})
		items := make([]int64, 0, len(q.items)+1)
		items = append(append(append(items, q.items[:at]...), c.Arg), q.items[at:]...)
		return true, sorted{items, q.hash + mix(c.Arg)}
	}
	last := len(q.items) - 1
	switch {
	case last < 0:
		return c.gives(none), q
	case !c.gives(q.items[last]):
		return false, nil
	case c.Method == 'l':
		return true, q
	}
	return true, sorted{q.items[:last], q.hash - mix(q.items[last])}
}
