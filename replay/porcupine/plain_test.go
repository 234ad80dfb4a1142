package leadline

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/anishathalye/porcupine"

	"github.com/leadline/leadline/replay"
)

// tickets is an object of each key that returns 0, 1, 2, ...
var tickets = porcupine.Model{
	Init: func() any { return 0 },
	Step: func(state, _, out any) (bool, any) { return out == state, state.(int) + 1 },
	Partition: func(ops []porcupine.Operation) [][]porcupine.Operation {
		var parts [3][]porcupine.Operation
		for _, op := range ops {
			parts[op.Input.(int)] = append(parts[op.Input.(int)], op)
		}
		return parts[:]
	},
}

// TestPlainOpen: plain searches decide histories with about as many open operations as a
// word or two have bits.
func TestPlainOpen(t *testing.T) {
	for _, open := range []int{1, 2, 63, 64, 65, 127, 128, 129, 300} {
		for _, wrong := range []bool{false, true} {
			var ops []porcupine.Operation
			for round := range 2 { // the second uses the bits of the first again
				for i := range open {
					ops = append(ops, porcupine.Operation{ClientId: i, Input: 0, Call: int64(1000*round + i), Return: int64(1000*round + 500 + i), Output: (round+1)*open - i - 1})
				}
			}
			if wrong {
				ops[0].Output, ops[open].Output = ops[open].Output, ops[0].Output
			}
			want := replay.Linearizable
			if wrong {
				want = replay.NotLinearizable
			}
			if got := runPlain(t, ops).Verdict.Answer; got != want {
				t.Errorf("%d open: %v, want %v", open, got, want)
			}
		}
	}
}

// runPlain decides by plain searches alone, and merges their witnesses.
func runPlain(t *testing.T, ops []porcupine.Operation) (i Info) {
	t.Helper()
	c, err := fromOperations(tickets, ops)
	if err != nil {
		t.Fatal(err)
	}
	s := search{converter: c, ctx: context.Background()}
	s.split()
	for range 20 { // often interrupted
		if i.Verdict.Answer = s.runPlain(s.worked + 40); i.Verdict.Answer != replay.Undecided {
			break
		}
	}
	if err := s.start(&i); err != nil {
		t.Fatal(err)
	}
	s.engines.stop()
	if s.spec.turns = nil; i.Verdict.Answer == replay.Linearizable {
		i.Verdict.Witness = s.witness(&i)
	}
	return i
}

// TestPlainWitness: the witnesses of the parts make one of the whole.
func TestPlainWitness(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	found := 0
	for round := range 300 {
		var ops []porcupine.Operation
		last, now := [3]int{}, int64(0)
		for i := range 1 + r.IntN(30) {
			now += r.Int64N(3)
			key := r.IntN(3)
			ops = append(ops, porcupine.Operation{ClientId: i, Input: key, Output: last[key], Call: now - r.Int64N(5), Return: now + r.Int64N(5)})
			last[key]++
		}
		if round%3 == 0 {
			ops[0].Output = r.IntN(3)
		}
		i := runPlain(t, ops)
		if want := porcupine.CheckOperations(tickets, ops); want != (i.Verdict.Answer == replay.Linearizable) {
			t.Fatalf("%v, porcupine: %v\n%v", i.Verdict.Answer, want, ops)
		} else if want {
			found++
			if len(i.Verdict.Witness) != len(ops) {
				t.Fatalf("witness %v of %v", i.Verdict.Witness, ops)
			}
		}
	}
	if found < 100 {
		t.Errorf("%d of 300 histories are linearizable", found)
	}
}

type ring struct {
	value int
	next  *ring
}

func newRing(values ...int) *ring {
	first := &ring{value: values[0]}
	last := first
	for _, v := range values[1:] {
		last.next = &ring{value: v}
		last = last.next
	}
	last.next = first
	return first
}

// TestSum: values of one row have the same sum, and values of two rows have two.
func TestSum(t *testing.T) {
	large := func() map[string]int {
		m := map[string]int{}
		for i := range 20_000 {
			m[fmt.Sprint(i)] = i
		}
		return m
	}
	f := func() {}
	ch := make(chan int)
	rows := [][]any{
		{nil}, {0, 0}, {"0"}, {false}, {1.5, 1.5}, {0.0}, {celsius(0)}, {"", ""}, {complex(1, 2), complex(1, 2)},
		{[]int(nil), []int{}}, {[]int{1, 2}, append(make([]int, 0, 9), 1, 2)}, {[]int{2, 1}}, {[2]int{1, 2}}, {[]byte{1, 2}},
		{map[string]int(nil), map[string]int{}}, {map[string]int{"a": 1, "b": 2}, map[string]int{"b": 2, "a": 1}}, {map[string]int{"a": 2, "b": 1}},
		{newRing(1, 2), newRing(1, 2)}, {newRing(2, 1)}, {(*ring)(nil)},
		{&hidden{a: 1, m: map[string][]int{"x": {1}}}, &hidden{a: 1, m: map[string][]int{"x": {1}}}}, {hidden{a: 1}}, {hidden{a: "1"}},
		{f, f}, {ch, ch}, {make(chan int)}, {large(), large()}, {deep(2 * sumBytes), deep(3 * sumBytes)},
		{strings.Repeat("a", 2*sumBytes)}, {[]string{strings.Repeat("a", 2*sumBytes), "b"}, []string{strings.Repeat("a", 2*sumBytes), "c"}},
	}
	var c contents
	row := map[uint64]int{}
	for i, values := range rows {
		for k, v := range values {
			sum, _ := c.sum(v)
			if before, known := row[sum]; known && before != i || !known && k > 0 {
				t.Errorf("row %d, %T: the sum is that of row %d: %v", i, v, before, known)
			}
			row[sum] = i
		}
	}
	for v, want := range map[any]bool{1: false, "a": false, [1]int{}: false, &ring{}: true, new(int): true} {
		if _, changes := c.sum(v); changes != want {
			t.Errorf("that something in %T can change: %v", v, changes)
		}
	}
	if c.visited > int64(len(rows))*4*sumBytes {
		t.Errorf("looked at %d bytes", c.visited)
	}
}

// TestVisited: visited configurations are known, and others are not, whatever the hash.
func TestVisited(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, hash := range []func(any) uint64{nil, func(any) uint64 { return 1 }, func(s any) uint64 { return uint64(s.(int) % 10) }} {
		v := visited{hash: hash, equal: func(a, b any) bool { return a.(int)%100 == b.(int)%100 }}
		seen := map[[3]int]bool{}
		for range 5000 {
			due, set, state := r.IntN(3), r.IntN(3), r.IntN(1000)
			key := [3]int{due, set, state % 100}
			if isNew := v.add(int32(due), []uint64{7, uint64(set)}, state); isNew == seen[key] {
				t.Fatalf("%v is new: %v", key, isNew)
			}
			seen[key] = true
		}
	}
}
