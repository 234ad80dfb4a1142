package peers

import (
	"fmt"
	"math/rand/v2"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec"
)

// A Workload says what Simulate records.
type Workload struct {
	Type    string // of Types
	Ops     int
	Threads int
	Seed    uint64
	Keys    int // of a set or kv; 0 for the default of the type
}

func (w Workload) String() string {
	return fmt.Sprintf("type=%s/n=%d/T=%d", w.Type, w.Ops, w.Threads)
}

// Types are the types that Simulate knows, as spec.Lookup calls them.
var Types = []string{"queue", "stack", "set", "priority-queue", "kv"}

// defaultKeys keeps kv as contended as stores are, and sets as spread.
func (w Workload) keys() int {
	switch {
	case w.Keys > 0:
		return w.Keys
	case w.Type == "kv":
		return 10
	}
	return max(8, w.Ops/16)
}

// next draws the i-th invocation: inserted values are distinct, removals
// from empty and looks occur. There are as many removals as insertions, so
// that queues stay short: about as long as the root of the number of
// operations. The order of two values that were inserted at once is settled
// only when they are removed, so that longer queues are much harder.
func (w Workload) next(r *rand.Rand, i int) replay.Invocation {
	value := history.IntValue(int64(i))
	key := history.IntValue(int64(r.IntN(w.keys())))
	choice := r.IntN(20)
	pick := func(insert, remove, look replay.Invocation) replay.Invocation {
		switch {
		case choice < 2:
			return look
		case choice%2 == 0:
			return remove
		}
		return insert
	}
	inv := func(method string, args ...history.Value) replay.Invocation {
		return replay.Invocation{Method: method, Args: args}
	}
	switch w.Type {
	case "queue":
		return pick(inv("enqueue", value), inv("dequeue"), inv("peek"))
	case "stack":
		return pick(inv("push", value), inv("pop"), inv("peek"))
	case "priority-queue":
		priority := history.IntValue(int64(r.IntN(1<<20))<<32 | int64(i))
		return pick(inv("insert", priority), inv("poll"), inv("peek"))
	case "set":
		return pick(inv("add", key), inv("remove", key), inv("contains", key))
	}
	return pick(inv("put", key, value), inv("get", key), inv("remove", key))
}

// Simulate records operations of a truly atomic object: each takes effect at
// one moment between its invocation and its response, so that the history is
// linearizable. Threads take turns at random and are never idle for long, so
// that about as many operations are open at any time as there are threads.
// The same workload gives the same history.
func Simulate(w Workload) (*history.History, replay.Spec, error) {
	s, err := spec.Lookup(w.Type, nil)
	if err != nil {
		return nil, nil, err
	}
	type open struct {
		inv    replay.Invocation
		state  int // 0: idle, 1: invoked, 2: took effect
		id     int
		result history.Value
	}
	r := rand.New(rand.NewPCG(w.Seed, 0))
	b := history.NewBuilder(history.Header{ID: w.String(), Model: w.Type})
	object := s.New()
	threads := make([]open, w.Threads)
	for begun, done := 0, 0; done < w.Ops; {
		p := r.IntN(w.Threads)
		switch t := &threads[p]; {
		case t.state == 1:
			var ok bool
			if t.result, ok = object.Apply(t.inv); ok {
				t.state = 2
			}
		case t.state == 2:
			b.Add(&history.Event{Type: history.OK, Process: history.IntValue(int64(p)), Op: history.IntValue(int64(t.id)), Result: t.result})
			t.state = 0
			done++
		case begun < w.Ops:
			*t = open{inv: w.next(r, begun), state: 1, id: begun}
			b.Add(&history.Event{Process: history.IntValue(int64(p)), Op: history.IntValue(int64(begun)), Method: t.inv.Method, Args: t.inv.Args})
			begun++
		}
	}
	h, err := b.Build()
	return h, s, err
}
