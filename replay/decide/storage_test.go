package decide_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
)

// A storage is a model of a storage system, how to draw its calls, and what a faulty one returns.
type storage struct {
	model     string
	histories int
	draw      func(r *rand.Rand) replay.Invocation
	fault     func(r *rand.Rand, inv replay.Invocation, result history.Value) history.Value
}

// small returns an int from 0 to n-1.
func small(r *rand.Rand, n int) history.Value { return history.IntValue(int64(r.IntN(n))) }

// name returns "a" or "b".
func name(r *rand.Rand) history.Value { return history.StringValue("ab"[r.IntN(2):][:1]) }

// awkwardOne returns a value that resembles a special result.
func awkwardOne(r *rand.Rand) history.Value { return awkward[r.IntN(len(awkward))] }

var storages = []storage{
	{"versioned-kv", 5000, func(r *rand.Rand) replay.Invocation {
		if r.IntN(3) == 0 {
			return replay.Invocation{Method: "get", Args: []history.Value{name(r)}}
		}
		return replay.Invocation{Method: "put", Args: []history.Value{name(r), awkwardOne(r), small(r, 3)}}
	}, func(r *rand.Rand, inv replay.Invocation, result history.Value) history.Value {
		if inv.Method == "put" {
			return history.StringValue([]string{"ok", "version", "no-key"}[r.IntN(3)])
		}
		switch r.IntN(3) {
		case 0:
			return history.NullValue
		case 1:
			if pair := result.List(); pair != nil { // the old value under a new version
				return history.ListValue(pair[0], history.IntValue(pair[1].Int()+1))
			}
		}
		return history.ListValue(awkwardOne(r), small(r, 3))
	}},
	{"log", 2000, func(r *rand.Rand) replay.Invocation {
		switch r.IntN(5) {
		case 0:
			return replay.Invocation{Method: "read", Args: []history.Value{small(r, 4)}}
		case 1:
			return replay.Invocation{Method: "length"}
		}
		return replay.Invocation{Method: "append", Args: []history.Value{awkwardOne(r)}}
	}, func(r *rand.Rand, inv replay.Invocation, _ history.Value) history.Value {
		if inv.Method == "read" {
			return awkwardOne(r)
		}
		return small(r, 4)
	}},
	{"lock", 2000, func(r *rand.Rand) replay.Invocation {
		return replay.Invocation{Method: []string{"tryAcquire", "acquire", "release", "release"}[r.IntN(4)], Args: []history.Value{name(r)}}
	}, func(r *rand.Rand, inv replay.Invocation, _ history.Value) history.Value {
		if inv.Method == "release" {
			return history.BoolValue(r.IntN(2) == 0)
		}
		return small(r, 6)
	}},
	{`bank:{"a":2,"b":1}`, 2000, func(r *rand.Rand) replay.Invocation {
		if r.IntN(3) == 0 {
			return replay.Invocation{Method: "read"}
		}
		return replay.Invocation{Method: "transfer", Args: []history.Value{name(r), name(r), small(r, 4)}}
	}, func(r *rand.Rand, inv replay.Invocation, _ history.Value) history.Value {
		if inv.Method == "transfer" {
			return history.BoolValue(r.IntN(2) == 0)
		}
		a := int64(r.IntN(4))
		m, _ := history.MapValue(history.StringValue("a"), history.IntValue(a), history.StringValue("b"), history.IntValue(3-a))
		return m
	}},
	{"etcd", 5000, func(r *rand.Rand) replay.Invocation {
		step := func(method string, args ...history.Value) history.Value {
			return history.ListValue(append([]history.Value{history.StringValue(method)}, args...)...)
		}
		steps := func() history.Value {
			var list []history.Value
			for range 1 + r.IntN(2) {
				list = append(list, []history.Value{
					step("put", name(r), small(r, 3)), step("put", name(r), small(r, 3)), step("delete", name(r)), step("get", name(r)),
				}[r.IntN(4)])
			}
			return history.ListValue(list...)
		}
		switch r.IntN(8) {
		case 0:
			return replay.Invocation{Method: "get", Args: []history.Value{name(r)}}
		case 1:
			return replay.Invocation{Method: "delete", Args: []history.Value{name(r)}}
		case 2, 3:
			return replay.Invocation{Method: "txn", Args: []history.Value{history.ListValue(step("mod", name(r), small(r, 5))), steps(), steps()}}
		case 4:
			end := history.StringValue([]string{"", "\x00", "b", "c"}[r.IntN(4)])
			return replay.Invocation{Method: []string{"range", "keys"}[r.IntN(2)], Args: []history.Value{name(r), end, small(r, 3)}}
		case 5:
			switch lease := small(r, 2); r.IntN(4) {
			case 0:
				return replay.Invocation{Method: "leaseGrant", Args: []history.Value{lease}}
			case 1:
				return replay.Invocation{Method: "leaseRevoke", Args: []history.Value{lease}}
			default:
				return replay.Invocation{Method: "put", Args: []history.Value{name(r), small(r, 3), lease}}
			}
		}
		return replay.Invocation{Method: "put", Args: []history.Value{name(r), small(r, 3)}}
	}, func(r *rand.Rand, inv replay.Invocation, result history.Value) history.Value {
		if result.Kind() == history.Int {
			return history.IntValue(max(0, result.Int()+int64(r.IntN(3)-1)))
		}
		list := slices.Clone(result.List())
		last := len(list) - 1
		list[last] = history.IntValue(max(0, list[last].Int()+int64(r.IntN(3)-1)))
		return history.ListValue(list...)
	}},
}

// TestStorageRandom compares histories of up to four clients of storage systems, some of them
// faulty, with a search over all orders.
func TestStorageRandom(t *testing.T) {
	r := newRand(t)
	for _, s := range storages {
		t.Run(s.model, func(t *testing.T) {
			n := s.histories
			if *full {
				n *= 10
			}
			m := model(t, s.model)
			count := map[bool]int{}
			for range n {
				h := s.history(t, r, m)
				want := hasOrder(h, m)
				for _, engine := range []replay.Engine{replay.AutoEngine, replay.SearchEngine} {
					v, err := decide.Check(context.Background(), h, m, replay.Options{Engine: engine})
					if err != nil {
						t.Fatal(err)
					}
					if (v.Answer == replay.Linearizable) != want || v.Answer == replay.Undecided {
						t.Fatalf("%v: %v, want %v:\n%s", engine, v.Answer, want, versionsText(h))
					}
				}
				count[want]++
			}
			if t.Log(count); count[true] < n/10 || count[false] < n/10 {
				t.Error("too few to say much")
			}
		})
	}
}

// history returns a history of up to four clients. Each operation takes effect at one moment.
// Some never return, some results are unknown, and some histories have crashes. In half of the
// histories, some results are wrong, and some operations have no effect.
func (s storage) history(t *testing.T, r *rand.Rand, m replay.Spec) *history.History {
	type client struct {
		inv            replay.Invocation
		isOpen, isDone bool
		result         history.Value
		process        int64
	}
	clients := make([]client, 1+r.IntN(4))
	faulty, ops, begun := r.IntN(2) == 0, 3+r.IntN(5), 0
	state := m.New().(replay.State)
	b := history.NewBuilder(history.Header{Durability: history.Strict})
	for range 12 * ops {
		if r.IntN(50) == 0 {
			b.Add(&history.Event{Type: history.Crash})
			clear(clients)
			continue
		}
		c := &clients[r.IntN(len(clients))]
		wrong := faulty && r.IntN(6) == 0
		switch {
		case !c.isOpen && begun < ops:
			*c = client{inv: s.draw(r), isOpen: true, process: int64(begun)}
			begun++
			b.Add(&history.Event{Process: history.IntValue(c.process), Method: c.inv.Method, Args: c.inv.Args, Line: begun})
		case !c.isOpen:
		case r.IntN(12) == 0: // it never returns
			c.isOpen = false
		case !c.isDone && wrong:
			c.result, c.isDone = state.Clone().Apply(c.inv)
		case !c.isDone:
			c.result, c.isDone = state.Apply(c.inv)
		default:
			if wrong {
				c.result = s.fault(r, c.inv, c.result)
			} else if r.IntN(8) == 0 {
				c.result = history.UnknownValue
			}
			b.Add(&history.Event{Type: history.OK, Process: history.IntValue(c.process), Result: c.result})
			c.isOpen = false
		}
	}
	h, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// hasOrder reports whether some order of the operations has the recorded results, by the
// states of the specification alone.
func hasOrder(h *history.History, s replay.Spec) bool {
	done := make([]bool, len(h.Ops))
	var search func(state replay.State, left int) bool
	search = func(state replay.State, left int) bool {
		if left == 0 {
			return true
		}
		for i := range h.Ops {
			op := &h.Ops[i]
			if done[i] || !isMinimal(h, done, i) {
				continue
			}
			done[i] = true
			if op.Pending() && search(state, left-1) { // it never took effect
				return true
			}
			for _, o := range replay.OutcomesOf(state, op) {
				if replay.Accepts(op.Result, o.Result) && search(o.Next, left-1) {
					return true
				}
			}
			done[i] = false
		}
		return false
	}
	return search(s.New().(replay.State), len(h.Ops))
}
