package porcupine_test

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	leadline "github.com/leadline/leadline/replay/porcupine"
)

// A request is an operation of a store of keys with revisions: get, list, put, delete,
// or a put if the key was last modified at a revision (cas; 0: if there is no key).
type request struct {
	op, key, value string
	expected       int64
}

// A reply is what the store returned. A call that timed out has no reply: it took effect
// at some time after it, or never.
type reply struct {
	timedOut bool
	done     bool   // the put or delete of cas and delete
	items    string // what get and list found
	revision int64  // of the store
}

type item struct {
	value    string
	modified int64
}

// A store has a revision that each change increments.
type store struct {
	revision int64
	items    map[string]item
}

func freshStore() *store { return &store{revision: 1} }

func (s *store) text(key string) string {
	it := s.items[key]
	return fmt.Sprintf("%s=%s@%d ", key, it.value, it.modified)
}

// apply returns the state after a request, and the reply.
func (s *store) apply(in request) (*store, reply) {
	r := reply{revision: s.revision}
	old, exists := s.items[in.key]
	switch in.op {
	case "get":
		if exists {
			r.items = s.text(in.key)
		}
		return s, r
	case "list":
		var b strings.Builder
		for _, key := range slices.Sorted(maps.Keys(s.items)) {
			b.WriteString(s.text(key))
		}
		r.items = b.String()
		return s, r
	case "delete":
		if !exists {
			return s, r
		}
	case "cas":
		if old.modified != in.expected {
			return s, r
		}
	}
	next := &store{s.revision + 1, maps.Clone(s.items)}
	if next.items == nil {
		next.items = map[string]item{}
	}
	if in.op == "delete" {
		delete(next.items, in.key)
	} else {
		next.items[in.key] = item{in.value, next.revision}
	}
	return next, reply{done: in.op != "put", revision: next.revision}
}

func (s *store) equal(other *store) bool {
	return s.revision == other.revision && maps.Equal(s.items, other.items)
}

// accepts reports whether a recorded reply is consistent with the right one. It may
// lack the revision of the store.
func (r reply) accepts(right reply) bool {
	if r.revision == 0 {
		right.revision = 0
	}
	return r.timedOut || r == right
}

// storeModel takes a call that timed out for one that takes effect where it is placed.
var storeModel = porcupine.Model{
	Init: func() any { return freshStore() },
	Step: func(state, in, out any) (bool, any) {
		next, r := state.(*store).apply(in.(request))
		return out.(reply).accepts(r), next
	},
	Equal: func(a, b any) bool { return a.(*store).equal(b.(*store)) },
}

// possible are the states in which a store may be. As in etcd's own tests, Equal sorts
// them in place.
type possible []*store

func (p possible) sort() {
	slices.SortFunc(p, func(a, b *store) int {
		return cmp.Or(cmp.Compare(a.revision, b.revision), cmp.Compare(len(a.items), len(b.items)), cmp.Compare(fmt.Sprint(a.items), fmt.Sprint(b.items)))
	})
}

// possibleModel takes a call that timed out for one that took effect or not.
var possibleModel = porcupine.Model{
	Init: func() any { return possible{freshStore()} },
	Step: func(state, in, out any) (bool, any) {
		var next possible
		for _, s := range state.(possible) {
			after, r := s.apply(in.(request))
			if o := out.(reply); o.accepts(r) {
				next = append(next, after)
				if o.timedOut && after != s {
					next = append(next, s)
				}
			}
		}
		return len(next) > 0, next
	},
	Equal: func(a, b any) bool {
		p, q := a.(possible), b.(possible)
		if len(p) != len(q) {
			return false
		}
		p.sort()
		q.sort()
		return slices.EqualFunc(p, q, (*store).equal)
	},
}

// mergedModel is the same by porcupine's own set of states.
var mergedModel = (&porcupine.NondeterministicModel{
	Init: func() []any { return []any{freshStore()} },
	Step: func(state, in, out any) []any {
		s := state.(*store)
		after, r := s.apply(in.(request))
		switch o := out.(reply); {
		case o.timedOut && after != s:
			return []any{after, s}
		case o.accepts(r):
			return []any{after}
		}
		return nil
	},
	Equal: storeModel.Equal,
}).ToModel()

// A workload draws histories of a store.
type workload struct {
	clients, n int
	timeouts   float64 // fraction of the calls
	stale      bool    // one reply is that of an earlier state
	blind      bool    // replies have no revision of the store
	keys       int
	pause      int64 // the longest time between two calls of a client; calls take up to 200
}

// call draws a request. Requests for a modified revision are mostly right.
func (w *workload) request(r *rand.Rand, i int, s *store) request {
	key := string(rune('a' + r.IntN(w.keys)))
	switch x := r.IntN(100); {
	case x < 35:
		return request{op: "get", key: key}
	case x < 50:
		return request{op: "list"}
	case x < 80:
		return request{op: "put", key: key, value: fmt.Sprint(i)}
	case x < 87:
		return request{op: "delete", key: key}
	case x < 97:
		return request{op: "cas", key: key, value: fmt.Sprint(i), expected: s.items[key].modified}
	}
	return request{op: "cas", key: key, value: fmt.Sprint(i), expected: 1 + r.Int64N(s.revision)}
}

// draw returns operations that a store executed, each at a moment between its call and
// its return. A call that timed out returns at the end; its client goes on as another.
func (w *workload) draw(seed uint64) []porcupine.Operation {
	r := rand.New(rand.NewPCG(seed, uint64(w.clients)))
	type call struct {
		porcupine.Operation
		at    int64 // when it takes effect
		never bool  // or not at all
	}
	calls := make([]call, 0, w.n)
	id, free := make([]int, w.clients), make([]int64, w.clients)
	for c := range id {
		id[c], free[c] = c, r.Int64N(100)
	}
	names := w.clients
	for len(calls) < w.n {
		c := slices.Index(free, slices.Min(free))
		k := call{Operation: porcupine.Operation{ClientId: id[c], Call: free[c]}}
		k.Return = k.Call + 1 + r.Int64N(200)
		k.at = k.Call + r.Int64N(k.Return-k.Call+1)
		free[c] = k.Return + r.Int64N(w.pause)
		if r.Float64() < w.timeouts {
			k.Return = -1
			free[c] = k.Call + 500
			id[c], names = names, names+1
			switch r.IntN(4) {
			case 0, 1:
				k.never = true
			case 2:
				k.at += r.Int64N(300) // perhaps after the time-out
			}
		}
		calls = append(calls, k)
	}
	slices.SortStableFunc(calls, func(a, b call) int { return cmp.Compare(a.at, b.at) })
	past := []*store{freshStore()}
	ops, lasts := make([]porcupine.Operation, 0, w.n), int64(0)
	began := []int64{-1} // when a state began
	staleAt := -1
	if w.stale {
		staleAt = w.n/2 + r.IntN(w.n/4)
	}
	for i, k := range calls {
		s := past[len(past)-1]
		op := k.Operation
		in := w.request(r, i, s)
		op.Input = in
		if k.never {
			op.Output = reply{timedOut: true}
			ops = append(ops, op)
			continue
		}
		next, out := s.apply(in)
		if next != s {
			past, began = append(past, next), append(began, k.at)
		}
		if op.Return < 0 {
			out = reply{timedOut: true}
		}
		if staleAt >= 0 && i >= staleAt && op.Return >= 0 && in.op == "get" {
			// A state whose successor began before the call, with another value.
			for p := len(past) - 2; p >= 0; p-- {
				if _, old := past[p].apply(in); began[p+1] < op.Call-200 && old.items != out.items {
					out, staleAt = old, -1
					break
				}
			}
		}
		if w.blind {
			out.revision = 0
		}
		op.Output = out
		ops = append(ops, op)
		lasts = max(lasts, op.Return)
	}
	for i := range ops {
		lasts = max(lasts, ops[i].Call)
	}
	for i := range ops {
		if ops[i].Return < 0 {
			ops[i].Return = lasts + 1
		}
	}
	slices.SortStableFunc(ops, func(a, b porcupine.Operation) int { return cmp.Compare(a.Call, b.Call) })
	return ops
}

var storeModels = []struct {
	name  string
	model porcupine.Model
}{{"one", storeModel}, {"possible", possibleModel}, {"merged", mergedModel}}

// TestStore: leadline decides as porcupine does, and its engines alone do so too: it is no
// fault of a model that Equal sorts something in its arguments.
func TestStore(t *testing.T) {
	t.Logf("-seed %d", *seed)
	r := rand.New(rand.NewPCG(*seed, 3))
	for _, m := range storeModels {
		count := map[porcupine.CheckResult]int{}
		for round := range 60 {
			w := workload{clients: 1 + r.IntN(6), n: 10 + r.IntN(20), timeouts: 0.1, stale: round%2 == 0, blind: round%3 == 0, keys: 3, pause: 100}
			ops := w.draw(r.Uint64())
			want := porcupine.CheckOperationsTimeout(m.model, ops, 0)
			count[want]++
			if got := leadline.CheckOperationsTimeout(m.model, ops, 0); got != want {
				t.Fatalf("%s, round %d: %v, porcupine: %v\n%v", m.name, round, got, want, ops)
			}
			h, spec, err := leadline.Operations(m.model, ops)
			if err != nil {
				t.Fatal(err)
			}
			v, err := decide.Check(t.Context(), h, spec, replay.Options{MaxDepth: 1})
			if err != nil || (v.Answer == replay.Linearizable) != (want == porcupine.Ok) || !v.Decided() {
				t.Fatalf("%s, round %d: the engines find %v (%v), porcupine: %v\n%v", m.name, round, v, err, want, ops)
			}
		}
		if count[porcupine.Ok] < 10 || count[porcupine.Illegal] < 10 {
			t.Errorf("%s: too few of one kind: %v", m.name, count)
		}
	}
}

// TestManyStates: without a Hash, a violation is found among many states.
func TestManyStates(t *testing.T) {
	w := workload{clients: 8, n: 300, timeouts: 0.03, stale: true, keys: 10, pause: 800}
	for _, m := range storeModels {
		ops := w.draw(2)
		want := porcupine.CheckOperationsTimeout(m.model, ops, 0)
		if got := leadline.CheckOperationsTimeout(m.model, ops, 0); got != want || want != porcupine.Illegal {
			t.Errorf("%s: %v, porcupine: %v", m.name, got, want)
		}
	}
}

// TestAlike: the engines decide what a plain search would not end: 60 writes at once of
// which each set has to be tried, unless one knows that they are alike.
func TestAlike(t *testing.T) {
	ops := []porcupine.Operation{operation(100, read, 20, 7, 30)}
	for c := range 60 {
		ops = append(ops, operation(c, write1, 0, nil, 10))
	}
	if got := leadline.CheckOperationsTimeout(register, ops, 0); got != porcupine.Illegal {
		t.Errorf("%v, want Illegal", got)
	}
}

// TestWaitingStep: a step that waits for the end of the time does not wait for ever, and
// what it returns then is no verdict.
func TestWaitingStep(t *testing.T) {
	for _, answer := range []bool{false, true} {
		for _, writes := range []int{1, 60} { // with 60, the engines wait
			steps := 0
			model := register
			model.StepContext = func(ctx context.Context, state, in, out any) (bool, any) {
				if steps++; writes == 1 || steps > 4_000 {
					<-ctx.Done()
					return answer, state
				}
				return register.Step(state, in, out)
			}
			ops := []porcupine.Operation{operation(100, read, 20, 99, 30)}
			for c := range writes {
				ops = append(ops, operation(c, input{"write", "a", c}, 0, nil, 10))
			}
			got, info := leadline.CheckOperationsVerbose(model, ops, 300*time.Millisecond)
			if got != porcupine.Unknown || info.Err != nil || info.Verdict.Cause != replay.Time {
				t.Errorf("%d writes: %v (%v, %v), want Unknown", writes, got, info.Verdict, info.Err)
			}
			if err := info.Explain(io.Discard); err != nil {
				t.Error(err)
			}
			if got := leadline.CheckOperationsTimeout(model, ops, time.Millisecond); got != porcupine.Unknown {
				t.Errorf("%d writes: %v in a millisecond", writes, got)
			}
		}
	}
}
