package weak_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/visibility"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec"
	"github.com/leadline/leadline/replay/weak"
)

var (
	seedFlag = flag.Uint64("seed", 1, "seed of the random tests")
	full     = flag.Bool("full", false, "run the tests in full size, as .ci/run full does")
)

// A brute decides by the definition: each linearization, with or without each pending
// operation, and each set for each operation. A bundle is one read for each key of keys.
type brute struct {
	h      *history.History
	spec   replay.Spec
	levels weak.Levels
	before [][]bool
	sees   []uint
	order  []int32
}

func consistent(h *history.History, s replay.Spec, levels weak.Levels) bool {
	n := len(h.Ops)
	b := &brute{h: h, spec: s, levels: levels, before: make([][]bool, n), sees: make([]uint, n)}
	for i := range n {
		b.before[i] = make([]bool, n)
		for j := range n {
			b.before[i][j] = h.Ops[i].Return < h.Ops[j].Call || slices.Contains(h.Edges, history.Edge{From: int32(i), To: int32(j)})
		}
	}
	for k := range n {
		for i := range n {
			for j := range n {
				b.before[i][j] = b.before[i][j] || b.before[i][k] && b.before[k][j]
			}
		}
	}
	return b.extend(0)
}

func (b *brute) extend(placed uint) bool {
	complete := true
	for i := range int32(len(b.h.Ops)) {
		if placed>>i&1 != 0 {
			continue
		}
		op := &b.h.Ops[i]
		complete = complete && op.Pending() && !op.Happened
		first := true
		for j := range b.before {
			first = first && (placed>>j&1 != 0 || !b.before[j][i])
		}
		if !first {
			continue
		}
		b.order = append(b.order, i)
		for set := range placed + 1 {
			if set&^placed == 0 && b.allows(placed, set, i) && b.gives(set, i) && b.gives(placed, -1) {
				b.sees[i] = set
				if b.extend(placed | 1<<i) {
					return true
				}
			}
		}
		b.order = b.order[:len(b.order)-1]
	}
	return complete
}

// gives reports whether those of set can run in order, and operation i returns its recorded
// result after them. If i is -1, set is all but the last of the order, which need only run.
func (b *brute) gives(set uint, i int32) bool {
	object := b.spec.New()
	for _, w := range b.order {
		if w != i && set>>w&1 == 0 && !(i < 0 && w == b.order[len(b.order)-1]) {
			continue
		}
		op := &b.h.Ops[w]
		result, ok := object.Apply(replay.Invocation{Method: op.Method, Args: op.Args})
		if !ok && (!op.Pending() || op.Happened) || ok && w == i && !replay.Accepts(op.Result, result) {
			return false
		}
	}
	return true
}

func (b *brute) allows(placed, set uint, i int32) bool {
	level := b.levels[b.h.Ops[i].Method]
	if level == visibility.Complete {
		return set == placed
	}
	for a := range b.before {
		if b.before[a][i] && (level >= visibility.Basic && set>>a&1 == 0 || level >= visibility.Monotonic && b.sees[a]&^set != 0) {
			return false
		}
		if set>>a&1 == 0 {
			continue
		}
		for c := range b.before {
			if level >= visibility.Peer && b.before[c][a] && set>>c&1 == 0 {
				return false
			}
		}
		if level >= visibility.Causal && b.sees[a]&^set != 0 {
			return false
		}
	}
	return true
}

// A subject has the calls of random histories. Arguments are 1 and 2.
type subject struct {
	model   string
	calls   []string // method, with the number of its arguments
	weak    []string // methods of lower levels
	results []history.Value
}

var null, no, yes = history.NullValue, history.BoolValue(false), history.BoolValue(true)

func number(i int64) history.Value { return history.IntValue(i) }

var subjects = []subject{
	{"register:0", []string{"read/0", "write/1"}, []string{"read"}, []history.Value{number(0), number(1), number(2)}},
	{"kv", []string{"get/1", "put/2", "remove/1", "size/0", "isEmpty/0", "clear/0"}, []string{"get", "size", "isEmpty", "remove"}, []history.Value{null, number(0), number(1), number(2), no, yes}},
	{"set", []string{"add/1", "remove/1", "contains/1", "size/0", "isEmpty/0"}, []string{"contains", "size", "isEmpty", "add"}, []history.Value{no, yes, number(0), number(1)}},
	{"multiset", []string{"add/1", "remove/1", "count/1", "size/0", "isEmpty/0"}, []string{"count", "size", "isEmpty"}, []history.Value{no, yes, number(0), number(1)}},
	{"queue", []string{"enqueue/1", "dequeue/0", "size/0", "isEmpty/0"}, []string{"size", "isEmpty", "dequeue"}, []history.Value{null, number(0), number(1), number(2), no, yes}},
	{"mutex", []string{"lock/0", "unlock/0"}, []string{"lock", "unlock"}, nil},
}

// random returns a history of n operations with the results of an execution, mostly.
func (u *subject) random(r *rand.Rand, n int, levels weak.Levels, s replay.Spec) (*history.History, error) {
	b := history.NewBuilder(history.Header{Model: u.model})
	var events []int
	for i := range n {
		events = append(events, i, i)
	}
	r.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
	if r.IntN(2) == 0 { // more order
		slices.SortStableFunc(events, func(i, j int) int { return i/2 - j/2 })
	}
	called := make([]bool, n)
	process, busy := make([]int, n), map[int]bool{}
	var ran []replay.Invocation
	invocations := make([]replay.Invocation, n)
	for _, i := range events {
		id := number(int64(i))
		if !called[i] {
			called[i] = true
			name, arity, _ := strings.Cut(u.calls[r.IntN(len(u.calls))], "/")
			inv := replay.Invocation{Method: name}
			for range int(arity[0] - '0') {
				inv.Args = append(inv.Args, number(int64(1+r.IntN(2))))
			}
			invocations[i] = inv
			for busy[process[i]] {
				process[i]++
			}
			busy[process[i]] = true
			b.Add(&history.Event{Process: number(int64(process[i])), Op: id, Method: name, Args: inv.Args})
			continue
		}
		object := s.New()
		for _, inv := range ran {
			if levels[invocations[i].Method] == visibility.Complete || r.IntN(3) > 0 {
				object.Apply(inv)
			}
		}
		result, _ := object.Apply(invocations[i])
		if r.IntN(8) == 0 && len(u.results) > 0 {
			result = u.results[r.IntN(len(u.results))]
		}
		if probe := (history.Operation{Method: invocations[i].Method, Args: invocations[i].Args, Result: result, Return: 1}); s.Check(&probe) != nil {
			result = history.UnknownValue
		}
		ran = append(ran, invocations[i])
		if r.IntN(10) > 0 {
			b.Add(&history.Event{Type: history.OK, Op: id, Result: result})
			busy[process[i]] = false
		}
	}
	return b.Build()
}

// TestEmpty checks reads that count elements, where no choice of parts gives their result.
func TestEmpty(t *testing.T) {
	for _, c := range []struct {
		model, read string
		result      history.Value
		method      string
		counted     history.Value
		want        replay.Answer
	}{
		{"set", "contains", no, "isEmpty", no, replay.NotLinearizable},
		{"set", "contains", no, "isEmpty", yes, replay.Linearizable},
		{"set", "contains", no, "isEmpty", history.UnknownValue, replay.Linearizable},
		{"set", "contains", no, "size", number(1), replay.NotLinearizable},
		{"set", "contains", no, "size", number(0), replay.Linearizable},
		{"kv", "get", null, "isEmpty", no, replay.NotLinearizable},
		{"kv", "get", null, "isEmpty", yes, replay.Linearizable},
		{"multiset", "count", number(0), "isEmpty", no, replay.NotLinearizable},
		{"multiset", "count", number(0), "size", number(2), replay.NotLinearizable},
	} {
		for level := visibility.Weak; level <= visibility.Bundle; level++ {
			b := history.NewBuilder(history.Header{Model: c.model})
			b.Add(&history.Event{Process: number(0), Method: c.read, Args: []history.Value{number(1)}})
			b.Add(&history.Event{Type: history.OK, Process: number(0), Result: c.result})
			b.Add(&history.Event{Process: number(0), Method: c.method})
			b.Add(&history.Event{Type: history.OK, Process: number(0), Result: c.counted})
			h, err := b.Build()
			if err != nil {
				t.Fatal(err)
			}
			s, err := spec.Parse(c.model)
			if err != nil {
				t.Fatal(err)
			}
			v, err := weak.Check(context.Background(), h, s, weak.Levels{c.method: level}, replay.Options{})
			if err != nil || v.Answer != c.want {
				t.Errorf("%s %s: %v: %v %v, want %v", c.model, text(h), level, v.Answer, err, c.want)
			}
		}
	}
}

// TestRandom compares Check with brute force.
func TestRandom(t *testing.T) {
	t.Logf("-seed %d", *seedFlag)
	r := rand.New(rand.NewPCG(*seedFlag, 2))
	rounds, most := 8000, 4
	if *full {
		rounds, most = 100_000, 6
	}
	found := map[string]int{}
	for range rounds {
		u := &subjects[r.IntN(len(subjects))]
		s, err := spec.Parse(u.model)
		if err != nil {
			t.Fatal(err)
		}
		levels := weak.Levels{}
		for _, m := range u.weak {
			if r.IntN(3) > 0 {
				levels[m] = visibility.Level(r.IntN(int(visibility.Causal) + 1))
			}
		}
		h, err := u.random(r, 2+r.IntN(most-1), levels, s)
		if err != nil {
			t.Fatal(err)
		}
		if r.IntN(4) == 0 {
			h = h.ProgramOrder()
		}
		v, err := weak.Check(context.Background(), h, s, levels, replay.Options{})
		if err != nil {
			t.Fatalf("%v %v: %v", levels, h.Ops, err)
		}
		if want := consistent(h, s, levels); v.Answer == replay.Undecided || (v.Answer == replay.Linearizable) != want {
			t.Fatalf("%s %v, %s: %v, brute force says %v", u.model, levels, text(h), v, want)
		}
		found[fmt.Sprint(v.Answer, len(v.Conflict) > 0)]++
	}
	t.Log(found)
}

func text(h *history.History) string {
	var lines []string
	for i := range h.Ops {
		lines = append(lines, fmt.Sprintf("%d-%d %v", h.Ops[i].Call, h.Ops[i].Return, &h.Ops[i]))
	}
	return strings.Join(lines, "; ")
}
