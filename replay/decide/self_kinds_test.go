package decide_test

import (
	"fmt"
	"slices"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec"
)

// kinds returns the types under test. If two calls differ only in a value, the
// one with 1 is right before the one with 2: shape.labels relies on it.
func kinds() []*kind {
	return []*kind{
		newKind("register", parsed("register"), true, distinct, stepRegister,
			calls("write", put, 1, 0, void), calls("write", put, 2, 0, void), calls("read", get, 0, 0, null, 1, 2, unseen)),
		newKind("cas-register", parsed("cas-register"), true, initial, stepRegister,
			calls("write", put, 1, 0, void), calls("write", put, 2, 0, void), calls("read", get, 0, 0, 1, 2),
			calls("cas", swap, 1, 2, yes), calls("cas", swap, 2, 1, yes), calls("cas", swap, 1, 2, no),
			calls("cas", swap, 2, 1, no), calls("cas", swap, 1, 2, unseen), calls("cas", swap, 2, 1, unseen)),
		newKind("queue", parsed("queue"), true, distinct, stepQueue,
			calls("enqueue", put, 1, 0, void), calls("enqueue", put, 2, 0, void), calls("dequeue", take, 0, 0, null, 1, 2, unseen)),
		newKind("stack", parsed("stack"), true, distinct, stepStack,
			calls("push", put, 1, 0, void), calls("push", put, 2, 0, void), calls("pop", take, 0, 0, null, 1, 2, unseen)),
		newKind("set", parsed("set"), true, distinct, stepSet,
			calls("add", put, 1, 0, yes), calls("add", put, 2, 0, yes), calls("add", put, 1, 0, no), calls("add", put, 2, 0, no),
			calls("add", put, 1, 0, unseen), calls("add", put, 2, 0, unseen),
			calls("remove", take, 1, 0, yes), calls("remove", take, 2, 0, yes), calls("remove", take, 1, 0, no), calls("remove", take, 2, 0, no),
			calls("contains", has, 1, 0, yes), calls("contains", has, 2, 0, yes), calls("contains", has, 1, 0, no), calls("contains", has, 2, 0, no)),
		newKind("kv", parsed("kv"), false, byKey, stepKV,
			calls("put", put, 1, 1, void), calls("put", put, 1, 2, void), calls("put", put, 2, 1, void),
			calls("get", get, 1, 0, null, 1, 2), calls("get", get, 2, 0, null, 1),
			calls("remove", take, 1, 0, null, 1, unseen), calls("size", size, 0, 0, 1)),
		newKind("counter", parsed("counter"), false, numbers, stepCounter,
			calls("increment", put, 0, 0, void), calls("read", get, 0, 0, 0, 1, 2, unseen), calls("getAndIncrement", swap, 0, 0, 0, 1, unseen)),
		newKind("counter-object", objectOnly{parsed("counter")}, false, numbers, stepCounter,
			calls("increment", put, 0, 0, void), calls("read", get, 0, 0, 0, 1, 2)),
		newKind("mutex", parsed("mutex"), false, numbers, stepMutex,
			calls("lock", put, 0, 0, void), calls("unlock", take, 0, 0, void), calls("tryLock", swap, 0, 0, yes, no, unseen)),
		newKind("mutex-object", objectOnly{parsed("mutex")}, false, numbers, stepMutex,
			calls("lock", put, 0, 0, void), calls("unlock", take, 0, 0, void), calls("tryLock", swap, 0, 0, yes, no)),
		newKind("bounded-queue", parsed("queue:2"), true, distinct, stepBounded,
			calls("enqueue", put, 1, 0, yes), calls("enqueue", put, 2, 0, yes), calls("enqueue", put, 1, 0, no), calls("enqueue", put, 2, 0, no),
			calls("take", take, 0, 0, 1, 2, unseen), calls("size", size, 0, 0, 1)),
		newKind("priority-queue", parsed("priority-queue"), false, sorted, stepPriority,
			calls("insert", put, 1, 0, void), calls("insert", put, 2, 0, void), calls("poll", take, 0, 0, null, 1, 2, unseen)),
		newKind("deque", parsed("deque"), true, distinct, stepDeque,
			calls("pushBack", put, 1, 0, void), calls("pushBack", put, 2, 0, void), calls("pushFront", putFront, 1, 0, void), calls("pushFront", putFront, 2, 0, void),
			calls("popFront", take, 0, 0, null, 1, 2, unseen), calls("popBack", takeBack, 0, 0, null, 1, 2, unseen)),
		newKind("multiset", parsed("multiset"), true, distinct, stepMultiset,
			calls("add", put, 1, 0, void), calls("add", put, 2, 0, void),
			calls("remove", take, 1, 0, yes, no, unseen), calls("remove", take, 2, 0, yes, no, unseen),
			calls("count", size, 1, 0, 0, 1, 2), calls("count", size, 2, 0, 0, 1, 2), calls("contains", has, 1, 0, yes), calls("contains", has, 2, 0, yes)),
		newKind("java-queue", parsed("ConcurrentLinkedQueue"), true, numbers, accepting(stepQueue),
			calls("offer", put, 1, 0, yes), calls("offer", put, 2, 0, yes), calls("poll", take, 0, 0, null, 1, 2, unseen)),
		newKind("java-deque", parsed("LinkedBlockingDeque"), true, numbers, accepting(stepDeque),
			calls("add", put, 1, 0, yes), calls("add", put, 2, 0, yes), calls("offerFirst", putFront, 1, 0, yes), calls("offerFirst", putFront, 2, 0, yes),
			calls("poll", take, 0, 0, null, 1, 2, unseen), calls("pollLast", takeBack, 0, 0, null, 1, 2, unseen)),
		newKind("java-priority-queue", parsed("PriorityBlockingQueue"), false, numbers, accepting(stepPriority),
			calls("offer", put, 1, 0, yes), calls("offer", put, 2, 0, yes), calls("poll", take, 0, 0, null, 1, 2, unseen)),
		newKind("flaky-queue", flakyQueue(), true, distinct, stepFlaky,
			calls("put", put, 1, 0, yes), calls("put", put, 2, 0, yes), calls("put", put, 1, 0, no), calls("put", put, 2, 0, no),
			calls("put", put, 1, 0, unseen), calls("put", put, 2, 0, unseen), calls("take", take, 0, 0, null, 1, 2, unseen)),
	}
}

// parsed parses a name defined in this package.
func parsed(text string) replay.Spec {
	s, err := spec.Parse(text)
	if err != nil {
		panic("selftest: " + err.Error())
	}
	return s
}

// calls returns a method with each of the given answers.
func calls(method string, op, a, b int8, answers ...answer) []call {
	c := call{method: method, op: op, a: a, b: b}
	var all []call
	for _, x := range answers {
		all = append(all, c.with(x))
	}
	return all
}

func newKind(name string, s replay.Spec, symmetric bool, e valueKind, step func(uint64, *call) outcomes, groups ...[]call) *kind {
	k := &kind{name: name, spec: s, step: step, symmetric: symmetric, elements: e}
	if name == "bounded-queue" {
		k.args = []history.Value{history.IntValue(2)}
	}
	for _, g := range groups {
		k.returned = append(k.returned, g...)
	}
	for _, c := range k.returned {
		if open := c.with(unseen); find(k.pending, &open) < 0 {
			k.pending = append(k.pending, open)
		}
	}
	for _, list := range [][]call{k.returned, k.pending} {
		for i := range list {
			list[i].twin = i
			if exchanged := list[i].exchanged(); symmetric {
				list[i].twin = find(list, &exchanged)
			}
			if list[i].twin < 0 {
				panic(fmt.Sprintf("selftest: %s lacks the twin of %s", name, list[i].method))
			}
		}
	}
	return k
}

// exchanged returns the call with values 1 and 2 exchanged.
func (c call) exchanged() call {
	other := func(v int8) int8 {
		if v == 1 || v == 2 {
			return 3 - v
		}
		return v
	}
	c.a, c.b = other(c.a), other(c.b)
	if c.op != size {
		c.answer = answer(other(int8(c.answer)))
	}
	return c
}

// find returns the index of a call in a list, or -1.
func find(list []call, c *call) int {
	for i := range list {
		if d := &list[i]; d.method == c.method && d.a == c.a && d.b == c.b && d.answer == c.answer {
			return i
		}
	}
	return -1
}

// flakyQueue is the specification of stepFlaky.
func flakyQueue() replay.Spec {
	type state = []history.Value
	return &replay.Model[state]{
		Label: "flaky-queue",
		Next: func(q state, inv replay.Invocation) []replay.Step[state] {
			if inv.Method == "put" {
				return []replay.Step[state]{
					{Result: history.BoolValue(true), Next: append(slices.Clip(q), inv.Args[0])},
					{Result: history.BoolValue(false), Next: q},
				}
			}
			steps := []replay.Step[state]{{Result: history.NullValue, Next: q}}
			if len(q) > 0 {
				steps = append(steps, replay.Step[state]{Result: q[0], Next: q[1:]})
			}
			return steps
		},
		Key: func(dst []byte, q state) []byte { return history.ListValue(q...).AppendKey(dst) },
	}
}
