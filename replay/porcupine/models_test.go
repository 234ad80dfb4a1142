package porcupine_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/anishathalye/porcupine"
)

// An input of the models of these tests; what its fields mean depends on the
// model.
type input struct {
	op    string
	key   string
	value int
}

// A subject is a model with random operations on it. run is an atomic object that
// returns outputs which the model accepts.
type subject struct {
	name  string
	model porcupine.Model
	draw  func(r *rand.Rand) input
	fresh func(r *rand.Rand) func(in input) any
	wrong func(r *rand.Rand) any // an output that may be wrong
}

func describe(in, out any) string {
	i := in.(input)
	return fmt.Sprintf("%s('%s', %d) -> %v", i.op, i.key, i.value, out)
}

// register is a register with compare-and-set, whose states are compared by ==.
var register = porcupine.Model{
	Init: func() any { return 0 },
	Step: func(state, in, out any) (bool, any) {
		i := in.(input)
		switch i.op {
		case "read":
			return out == state, state
		case "inc":
			return out == state, state.(int) + 1
		}
		return true, i.value
	},
	DescribeOperation: func(in, out any) string {
		if i := in.(input); i.op == "write" {
			return fmt.Sprintf("write(%d)", i.value)
		}
		return fmt.Sprintf("%s() -> %v", in.(input).op, out)
	},
}

func byKey(ops []porcupine.Operation) [][]porcupine.Operation {
	parts := map[string][]porcupine.Operation{}
	for _, op := range ops {
		key := op.Input.(input).key
		parts[key] = append(parts[key], op)
	}
	return slices.Collect(maps.Values(parts)) // in any order
}

func eventsByKey(events []porcupine.Event) [][]porcupine.Event {
	key := map[int]string{}
	parts := map[string][]porcupine.Event{}
	for _, ev := range events {
		if ev.Kind == porcupine.CallEvent {
			key[ev.Id] = ev.Value.(input).key
		}
		parts[key[ev.Id]] = append(parts[key[ev.Id]], ev)
	}
	return slices.Collect(maps.Values(parts))
}

// partitioned is register for each key.
func partitioned() porcupine.Model {
	m := register
	m.Partition, m.PartitionEvent = byKey, eventsByKey
	m.DescribeOperation = describe
	return m
}

// whole is the same object in one part, with maps as states.
var whole = porcupine.Model{
	Init: func() any { return map[string]int{} },
	Step: func(state, in, out any) (bool, any) {
		m, i := state.(map[string]int), in.(input)
		ok, next := register.Step(m[i.key], in, out)
		if next == m[i.key] {
			return ok, m
		}
		m = maps.Clone(m)
		m[i.key] = next.(int)
		return ok, m
	},
	Equal: func(a, b any) bool { return maps.Equal(a.(map[string]int), b.(map[string]int)) },
}

// queue has slices as states, and -1 for a removal from an empty queue.
var queue = porcupine.Model{
	Init: func() any { return []int(nil) },
	Step: func(state, in, out any) (bool, any) {
		q := state.([]int)
		switch i := in.(input); {
		case i.op == "put":
			return true, append(slices.Clip(q), i.value)
		case len(q) == 0:
			return out == -1, q
		}
		return out == q[0], q[1:]
	},
	Equal:             func(a, b any) bool { return slices.Equal(a.([]int), b.([]int)) },
	DescribeOperation: describe,
}

// A bag is a set whose states are pointers, in any order of the elements: only
// Equal says that two are the same.
type bag struct{ elements []int }

var set = porcupine.Model{
	Init: func() any { return &bag{} },
	Step: func(state, in, out any) (bool, any) {
		b, i := state.(*bag), in.(input)
		at := slices.Index(b.elements, i.value)
		switch {
		case i.op == "has":
			return out == (at >= 0), b
		case i.op == "add" && at < 0:
			return out == true, &bag{append(slices.Clone(b.elements), i.value)}
		case i.op == "remove" && at >= 0:
			return out == true, &bag{slices.Delete(slices.Clone(b.elements), at, at+1)}
		}
		return out == false, b
	},
	Equal: func(a, b any) bool {
		return slices.Equal(slices.Sorted(slices.Values(a.(*bag).elements)), slices.Sorted(slices.Values(b.(*bag).elements)))
	},
	Hash: func(s any) uint64 { return uint64(len(s.(*bag).elements)) },
}

// either is a register of which a write stores its value or the next one.
var either = porcupine.NondeterministicModel{
	Init: func() []any { return []any{0, 1} },
	Step: func(state, in, out any) []any {
		i := in.(input)
		switch {
		case i.op == "write":
			return []any{i.value, i.value + 1}
		case out == state:
			return []any{state}
		}
		return nil
	},
}

// fixed returns a function that draws an operation, with keys a to c and values
// below 3.
func fixed(ops ...string) func(r *rand.Rand) input {
	return func(r *rand.Rand) input {
		return input{ops[r.IntN(len(ops))], string(rune('a' + r.IntN(3))), r.IntN(3)}
	}
}

func smallInt(r *rand.Rand) any { return r.IntN(5) - 1 }

func subjects() []subject {
	registerRun := func(*rand.Rand) func(in input) any {
		value := 0
		return func(in input) any {
			old := value
			switch in.op {
			case "write":
				value = in.value
				return nil
			case "inc":
				value++
			}
			return old
		}
	}
	keyed := func(r *rand.Rand) func(in input) any {
		runs := map[string]func(in input) any{}
		return func(in input) any {
			if runs[in.key] == nil {
				runs[in.key] = registerRun(r)
			}
			return runs[in.key](in)
		}
	}
	registerOps := fixed("read", "write", "read", "inc")
	list := []subject{
		{"register", register, registerOps, registerRun, smallInt},
		{"keys", partitioned(), registerOps, keyed, smallInt},
		{"map", whole, registerOps, keyed, smallInt},
		{"queue", queue, fixed("put", "take"), func(*rand.Rand) func(in input) any {
			var q []int
			return func(in input) any {
				switch {
				case in.op == "put":
					q = append(q, in.value)
					return nil
				case len(q) == 0:
					return -1
				}
				first := q[0]
				q = q[1:]
				return first
			}
		}, smallInt},
		{"set", set, fixed("has", "add", "remove"), func(*rand.Rand) func(in input) any {
			s := map[int]bool{}
			return func(in input) any {
				had := s[in.value]
				switch in.op {
				case "add":
					s[in.value] = true
					return !had
				case "remove":
					delete(s, in.value)
				}
				return had
			}
		}, func(r *rand.Rand) any { return r.IntN(2) == 0 }},
		{"either", either.ToModel(), fixed("read", "write"), func(r *rand.Rand) func(in input) any {
			value := r.IntN(2)
			return func(in input) any {
				if in.op == "write" {
					value = in.value + r.IntN(2)
					return nil
				}
				return value
			}
		}, smallInt},
	}
	// Partitions that are not by a visible argument, and that change operations.
	hidden := partitioned()
	hidden.DescribeOperation = nil
	list = append(list, subject{"hidden keys", hidden, registerOps, keyed, smallInt})
	changing := partitioned()
	changing.Partition = func(ops []porcupine.Operation) [][]porcupine.Operation {
		parts := byKey(ops)
		for _, part := range parts {
			for i := range part {
				in := part[i].Input.(input)
				in.key = strings.ToUpper(in.key)[:0]
				part[i].Input = in
			}
		}
		return parts
	}
	changing.PartitionEvent = func(events []porcupine.Event) [][]porcupine.Event {
		parts := eventsByKey(events)
		for _, part := range parts {
			for i, ev := range part {
				if ev.Kind == porcupine.CallEvent {
					in := ev.Value.(input)
					in.key = ""
					part[i].Value = in
				}
				part[i].Id = ev.Id + 1000
			}
		}
		return parts
	}
	list = append(list, subject{"changed keys", changing, registerOps, keyed, smallInt})
	// Descriptions that say too little, and ones that panic.
	vague := partitioned()
	vague.DescribeOperation = func(any, any) string { return "call(?) -> ?" }
	list = append(list, subject{"vague", vague, registerOps, keyed, smallInt})
	refusing := queue
	refusing.DescribeOperation = func(in, out any) string {
		return fmt.Sprintf("%s(%d) -> %s", in.(input).op, in.(input).value, out.(string))
	}
	list = append(list, subject{"panicking description", refusing, fixed("put", "take"), list[3].fresh, smallInt})
	return list
}

// history draws operations that an atomic object executes, each at a moment
// between its call and its return. Stamps may be equal. With wrong, some outputs
// are replaced.
func (s *subject) history(r *rand.Rand, n, clients int, wrong float64) []porcupine.Operation {
	run := s.fresh(r)
	type pending struct {
		op porcupine.Operation
		at int64
	}
	var all []pending
	free := make([]int64, clients) // client -> when it is free
	for range n {
		c := r.IntN(clients)
		call := free[c] + r.Int64N(3)
		ret := call + r.Int64N(8)
		free[c] = ret
		all = append(all, pending{porcupine.Operation{ClientId: c, Input: s.draw(r), Call: call, Return: ret}, call + r.Int64N(ret-call+1)})
	}
	slices.SortStableFunc(all, func(a, b pending) int { return int(a.at - b.at) })
	ops := make([]porcupine.Operation, n)
	for i := range all {
		op := all[i].op
		if op.Output = run(op.Input.(input)); r.Float64() < wrong {
			op.Output = s.wrong(r)
		}
		ops[i] = op
	}
	r.Shuffle(n, func(i, j int) { ops[i], ops[j] = ops[j], ops[i] })
	return ops
}

// events returns the events of operations, with some moved identifiers.
func events(ops []porcupine.Operation) []porcupine.Event {
	type event struct {
		at int64
		ev porcupine.Event
	}
	var all []event
	for i, op := range ops {
		all = append(all, event{2 * op.Call, porcupine.Event{ClientId: op.ClientId, Kind: porcupine.CallEvent, Value: op.Input, Id: 3*i - 7}},
			event{2*op.Return + 1, porcupine.Event{ClientId: op.ClientId, Kind: porcupine.ReturnEvent, Value: op.Output, Id: 3*i - 7}})
	}
	slices.SortStableFunc(all, func(a, b event) int { return int(a.at - b.at) })
	list := make([]porcupine.Event, len(all))
	for i := range all {
		list[i] = all[i].ev
	}
	return list
}
