package ops_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
	"github.com/leadline/leadline/replay/simulate"
	"github.com/leadline/leadline/replay/spec"
)

// TestColumns compares columns with the facts of each operation, also those of some
// operations alone.
func TestColumns(t *testing.T) {
	for _, w := range []simulate.Workload{
		{Model: "queue", Values: 9}, {Model: "queue"}, {Model: "set", Values: 300}, {Model: "multiset", Values: 20}, {Model: "kv", Keys: 40, Values: 3},
		{Model: "kv", Keys: 3}, {Model: "register"}, {Model: "priority-queue", Values: 7}, {Model: "deque"}, {Model: "counter"}, {Model: "cas-register", Values: 4},
	} {
		w.Threads, w.Ops, w.Lost = 4, 500, 10
		h, err := w.History()
		if err != nil {
			t.Fatal(err)
		}
		s, err := spec.Lookup(w.Model, nil)
		if err != nil {
			t.Fatal(err)
		}
		p := ops.New(h, s, 0)
		compareColumns(t, p)
		var some []int32
		for i := range h.Ops {
			if i%7 < 3 {
				some = append(some, int32(i))
			}
		}
		compareColumns(t, p.Restrict(some))
		compareColumns(t, ops.New(h, s, 0).Restrict(some))
	}
}

// TestWith: the columns of a problem made from another one are those that are read from its
// history alone, and only operations that have changed are read again.
func TestWith(t *testing.T) {
	for _, w := range []simulate.Workload{
		{Model: "queue"}, {Model: "set", Values: 30}, {Model: "multiset", Values: 20}, {Model: "kv", Keys: 9, Values: 3}, {Model: "register"}, {Model: "deque"},
	} {
		w.Threads, w.Ops, w.Lost = 4, 200, 10
		h, err := w.History()
		if err != nil {
			t.Fatal(err)
		}
		known, err := spec.Lookup(w.Model, nil)
		if err != nil {
			t.Fatal(err)
		}
		s := &counted{Described: known.(replay.Described)}
		p := ops.New(h, s, 0)
		compare := func(how string, q *ops.Problem, changed int) {
			t.Helper()
			p.Columns(nil)
			before := s.read
			got := q.Columns(nil)
			if s.read-before != changed {
				t.Errorf("%s, %s: %d operations were read, want %d", w.Model, how, s.read-before, changed)
			}
			if want := ops.New(q.H, s, 0).Columns(nil); !reflect.DeepEqual(got, want) {
				t.Fatalf("%s, %s: columns are\n%+v, want\n%+v", w.Model, how, got, want)
			}
		}
		compare("same operations", p.With(h, nil), 0)
		end := h.Ops[150].Return
		cut := p.With(p.H.UpTo(end), nil)
		compare("prefix", cut, cut.H.Pending()-pendingBefore(h, end))
		var backward []int32
		for i := 140; i >= 0; i -= 3 {
			backward = append(backward, int32(i))
		}
		compare("some operations", p.Restrict(backward), 0)
		compare("some of some", p.Restrict(backward).Sub([]int32{7, 1, 40}), 0)
		changed := *cut.H
		changed.Ops = slices.Clone(cut.H.Ops)
		for i := range changed.Ops[:20] {
			changed.Ops[i].Result = history.UnknownValue
			if i%2 == 0 {
				changed.Ops[i].Result = history.IntValue(1000)
			}
		}
		compare("other results", cut.With(&changed, nil).Sub([]int32{2, 3, 4, 30, 31}), 3)
		compare("after another", p.Restrict(backward), 0)
	}
}

func pendingBefore(h *history.History, position int32) (n int) {
	for i := range h.Ops {
		if op := &h.Ops[i]; op.Call <= position && op.Pending() {
			n++
		}
	}
	return n
}

// counted counts the operations that are read.
type counted struct {
	replay.Described
	read int
}

func (c *counted) Facts(op *history.Operation) replay.Facts {
	c.read++
	return c.Described.Facts(op)
}

// compareColumns compares the columns of p with what the specification says.
func compareColumns(t *testing.T, p *ops.Problem) {
	t.Helper()
	c := p.Columns(nil)
	isMap := p.Traits().Discipline == replay.OverwrittenByKey
	byNumber, byPart := map[int32]string{}, map[int32]string{}
	numbers, parts := map[string]int32{}, map[string]int32{}
	same := func(kind string, number int32, key string, keys map[int32]string, numbers map[string]int32, most int32) {
		if known, ok := keys[number]; ok && known != key || number < 0 || number >= most {
			t.Fatalf("%s: %s %s has number %d of %d, which %q has", p.Spec.Name(), kind, key, number, most, known)
		}
		if known, ok := numbers[key]; ok && known != number {
			t.Fatalf("%s: %s %s has numbers %d and %d", p.Spec.Name(), kind, key, known, number)
		}
		keys[number], numbers[key] = key, number
	}
	for i := range p.H.Ops {
		op := &p.H.Ops[i]
		f := replay.FactsOf(p.Spec, op)
		if c.Role[i] != f.Role || c.ReadOnly[i] != f.ReadOnly {
			t.Fatalf("%s: %v has role %d, read-only %v; the specification says %+v", p.Spec.Name(), op, c.Role[i], c.ReadOnly[i], f)
		}
		part, ok := f.PartOf(op)
		if ok != (c.Part[i] != ops.None) {
			t.Fatalf("%s: %v has part %d, want %v", p.Spec.Name(), op, c.Part[i], part)
		}
		if ok {
			same("part", c.Part[i], part.String(), byPart, parts, c.Parts)
		}
		switch f.Role {
		case replay.Size:
			if want := f.Value; want.Kind() == history.Int && int64(c.Value[i]) != min(want.Int(), math.MaxInt32) || want.Kind() == history.Unknown && c.Value[i] != ops.None {
				t.Fatalf("%s: %v has size %d", p.Spec.Name(), op, c.Value[i])
			}
		case replay.Other, replay.Nothing, replay.Clear, replay.Idle, replay.Full, replay.Never:
			if c.Value[i] != ops.None {
				t.Fatalf("%s: %v has value %d", p.Spec.Name(), op, c.Value[i])
			}
		default:
			if f.Value.Kind() == history.Unknown {
				if c.Value[i] != ops.None {
					t.Fatalf("%s: %v has value %d", p.Spec.Name(), op, c.Value[i])
				}
				continue
			}
			key := f.Value.String()
			if isMap {
				key = part.String() + "=" + key
				if c.PartOf[c.Value[i]] != c.Part[i] {
					t.Fatalf("%s: the part of value %d is %d, want %d", p.Spec.Name(), c.Value[i], c.PartOf[c.Value[i]], c.Part[i])
				}
			}
			same("value", c.Value[i], key, byNumber, numbers, c.Values)
		}
	}
}

// TestSplit: the parts of a map are those of its keys.
func TestSplit(t *testing.T) {
	h, err := simulate.Workload{Model: "kv", Threads: 3, Ops: 200, Keys: 5}.History()
	if err != nil {
		t.Fatal(err)
	}
	s, err := spec.Lookup("kv", nil)
	if err != nil {
		t.Fatal(err)
	}
	p := ops.New(h, s, 0)
	p.Columns(nil)
	parts, across := p.Split()
	if len(parts) != 5 || len(across) != 0 {
		t.Fatalf("%d parts, %d operations on several", len(parts), len(across))
	}
	seen := 0
	for k, part := range parts {
		seen += len(part)
		for _, i := range part {
			if !h.Ops[i].Args[0].Equal(h.Ops[part[0]].Args[0]) {
				t.Errorf("part %d has %v and %v", k, &h.Ops[part[0]], &h.Ops[i])
			}
		}
	}
	if seen != len(h.Ops) {
		t.Errorf("%d operations of %d", seen, len(h.Ops))
	}
	if parts, _ := p.Restrict(parts[0]).Split(); parts != nil {
		t.Errorf("one part is split into %d", len(parts))
	}
}

// TestGroup compares lists by key with their definition.
func TestGroup(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	for range 300 {
		n, keys := r.IntN(40), r.IntN(10)
		key := make([]int32, n)
		for i := range key {
			key[i] = r.Int32N(int32(keys)+1) - 1
		}
		l := ops.Group(n, keys, func(i int32) int32 { return key[i] })
		var all []int32
		for k := range int32(keys) {
			var want []int32
			for i := range int32(n) {
				if key[i] == k {
					want = append(want, i)
				}
			}
			from, to := l.Bounds(k)
			if !slices.Equal(l.Of(k), want) || int(from) != len(all) || int(to) != len(all)+len(want) {
				t.Fatalf("keys %v: list %d is %v at %d to %d, want %v", key, k, l.Of(k), from, to, want)
			}
			all = append(all, want...)
		}
		if !slices.Equal(l.All(), all) {
			t.Fatalf("keys %v: all lists are %v, want %v", key, l.All(), all)
		}
	}
}

// TestStopped: operations are not read when the meter has stopped.
func TestStopped(t *testing.T) {
	h, err := simulate.Workload{Model: "queue", Threads: 3, Ops: 2 * meter.AskEvery}.History()
	if err != nil {
		t.Fatal(err)
	}
	s, err := spec.Lookup("queue", nil)
	if err != nil {
		t.Fatal(err)
	}
	p := ops.New(h, s, 0)
	if p.Columns(meter.New(func() bool { return true })) != nil {
		t.Error("read after the meter stopped")
	}
	if p.Columns(meter.New(nil)) == nil {
		t.Error("not read the second time")
	}
}

// TestFrontier compares open intervals with their definition, forward and back.
func TestFrontier(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		n := r.IntN(60)
		at := r.Perm(2 * n)
		var list []ops.Interval
		for i := range n {
			a, b := int32(at[2*i]), int32(at[2*i+1])
			list = append(list, ops.Interval{Call: min(a, b), Return: max(a, b)})
		}
		f := ops.NewFrontier(list)
		if f == nil {
			t.Fatalf("more than 64 of %d are open", n)
		}
		check := func() {
			t.Helper()
			if f.AtEnd() {
				return
			}
			due := list[f.Order[f.Due]].Return
			for i, in := range list {
				isOpen := in.Call < due && in.Return >= due
				if isOpen != slices.Contains(f.Occupant, int32(i)) || isOpen && f.Occupant[f.Slot[i]] != int32(i) {
					t.Fatalf("%v, due %d: interval %d is open: %v; %v", list, due, i, isOpen, f.Occupant)
				}
			}
		}
		for range 100 {
			check()
			if f.AtEnd() || r.IntN(4) == 0 {
				f.Retreat(r.Int32N(f.Due + 1))
			} else {
				f.Advance()
			}
		}
	}
	for _, open := range []int{1, 63, 64, 65} {
		var list []ops.Interval
		for i := range open {
			list = append(list, ops.Interval{Call: int32(i), Return: int32(2*open - i)})
		}
		if f := ops.NewFrontier(list); (f == nil) != (open > 64) {
			t.Errorf("%d open at once: %v", open, f)
		}
	}
}

// TestMisuse: what only a wrong program does panics with a message of the package.
func TestMisuse(t *testing.T) {
	s, err := spec.Lookup("queue", nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]func(){
		"no history":       func() { ops.New(nil, s, 0) },
		"no specification": func() { ops.New(&history.History{}, nil, 0) },
	} {
		func() {
			defer func() {
				if message := fmt.Sprint(recover()); message != "ops: a nil history or specification" {
					t.Errorf("%s: %s", name, message)
				}
			}()
			f()
		}()
	}
}
