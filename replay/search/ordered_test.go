package search_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
	"github.com/leadline/leadline/replay/search"
)

// registerCalls returns writes of distinct values.
func registerCalls(r *rand.Rand, i int) replay.Invocation {
	if r.IntN(2) == 0 {
		return replay.Invocation{Method: "write", Args: []history.Value{history.IntValue(int64(i))}}
	}
	return replay.Invocation{Method: "read"}
}

var simulated = []struct {
	model, reads string
	next         func(*rand.Rand, int) replay.Invocation
}{{"register", "read", registerCalls}, {"queue", "dequeue", queueCalls}, {"stack", "pop", stackCalls}, {"kv", "get", kvCalls}}

// withEdges adds edges along the order of effects. They mark some pending
// operations as happened.
func withEdges(t *testing.T, r *rand.Rand, b *history.Builder, effects []int64, edges int) *history.History {
	for range edges {
		i := r.IntN(len(effects) - 1)
		j := min(i+1+r.IntN(8), len(effects)-1)
		b.AddEdge(history.IntValue(effects[i]), history.IntValue(effects[j]), 1)
	}
	h, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestLongWithEdges searches histories of correct objects with edges that agree
// with the order of effects. It also searches them with one impossible result,
// and relaxed to program order.
func TestLongWithEdges(t *testing.T) {
	t.Parallel()
	t.Logf("-seed %d", *seedFlag)
	r := rand.New(rand.NewPCG(*seedFlag, 3))
	decided, all := 0, 0
	sizes := []int{63, 64, 65}
	if *full {
		sizes = append(sizes, 100, 300, 1000, 2000)
	}
	for _, n := range sizes {
		for k, c := range simulated {
			for _, lost := range []int{0, 3} {
				for _, relaxed := range []bool{false, true} {
					// Hard histories are skipped: those with lost operations,
					// or with an order of values that real time does not
					// determine.
					isHard := lost > 0 || k%3 > 0
					if isHard && (n > 300 || n > 65 && relaxed || n > 100 && lost > 0) {
						continue
					}
					b, effects := simulation(r, lookup(t, c.model), 3, n, lost, c.next)
					h := withEdges(t, r, b, effects, n/8)
					if relaxed {
						h = h.ProgramOrder()
					}
					all += 2
					decided += checkLong(t, r, h, c.model, c.reads, fmt.Sprintf("%s, n=%d, lost=%d, relaxed=%v", c.model, n, lost, relaxed))
				}
			}
		}
	}
	if decided < all*7/10 {
		t.Errorf("only %d of %d were decided", decided, all)
	}
}

// checkLong searches a correct history and a spoilt one, and returns how many
// of the two it decided.
func checkLong(t *testing.T, r *rand.Rand, h *history.History, model, reads, name string) int {
	t.Helper()
	s := lookup(t, model)
	decided, most := 0, 60
	if *full {
		most = 1000
	}
	for _, want := range []replay.Answer{replay.Linearizable, replay.NotLinearizable} {
		asked := 0 // long searches are left undecided
		var v replay.Verdict
		v.Finding = search.RunPruned(ops.New(h, s, 1<<26), search.Pruning{}, meter.New(func() bool { asked++; return asked > most }))
		switch v.Answer {
		case replay.Undecided:
			t.Logf("%s: undecided, want %v", name, want)
		case want:
			decided++
		default:
			t.Errorf("%s: %v, want %v", name, v.Answer, want)
		}
		if v.Answer == replay.Linearizable {
			if err := replay.Verify(h, s, v.Witness, nil); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if !spoil(r, h, reads) {
			return decided + 1
		}
	}
	return decided
}

// TestEdgesForbid reads a value that was overwritten before the read, according
// to edges but not to real time. Without the edges, the history is
// linearizable.
func TestEdgesForbid(t *testing.T) {
	s := lookup(t, "register")
	for _, n := range []int{10, 63, 64, 65, 1000} {
		// Writes of different values overlap in a chain: i with i+1.
		var lines []line
		for i := range int64(n) {
			lines = append(lines, call(i, "write", i))
			if i > 0 {
				lines = append(lines, answer(i-1, history.NoValue))
			}
		}
		last := int64(n - 1)
		lines = append(lines, call(last+1, "read"), answer(last+1, history.IntValue(last-1)), answer(last, history.NoValue))
		for _, c := range []struct {
			edges [][2]int64
			want  replay.Answer
		}{
			{nil, replay.Linearizable},
			{[][2]int64{{last - 1, last}}, replay.Linearizable},
			{[][2]int64{{last, last - 1}, {last - 1, last + 1}}, replay.Linearizable},
			{[][2]int64{{last - 1, last}, {last, last + 1}}, replay.NotLinearizable},
		} {
			h := smallHistory(t, lines, c.edges)
			for _, prune := range []search.Pruning{{}} {
				v := run(t, h, s, prune)
				if v.Answer != c.want {
					t.Errorf("n=%d, edges %v: %v, want %v (%+v)", n, c.edges, v.Answer, c.want, prune)
				}
			}
		}
	}
}

// TestManyChains compares the search with one without rules on histories of many short
// processes, also relaxed to program order: then keys take several words. Some results are
// replaced by those of other calls.
func TestManyChains(t *testing.T) {
	t.Parallel()
	t.Logf("-seed %d", *seedFlag)
	r := rand.New(rand.NewPCG(*seedFlag, 7))
	count := map[replay.Answer]int{}
	rounds := 40
	if *full {
		rounds = 300
	}
	for k := range rounds {
		c := simulated[k%len(simulated)]
		s := lookup(t, c.model)
		h := simulate(t, r, s, 8+r.IntN(30), 40, k%3, c.next)
		for range r.IntN(8) {
			i, j := r.IntN(len(h.Ops)), r.IntN(len(h.Ops))
			if h.Ops[i].Method == c.reads && h.Ops[j].Method == c.reads && !h.Ops[i].Pending() {
				h.Ops[i].Result = h.Ops[j].Result
			}
		}
		if k%10 == 9 {
			h = h.ProgramOrder()
		}
		var want, v replay.Verdict
		want.Finding = search.RunPruned(ops.New(h, s, 1<<20), search.Pruning{NoParts: true}, nil)
		v.Finding = search.RunPruned(ops.New(h, s, 1<<20), search.Pruning{NoParts: true}, nil)
		if want.Answer == replay.Undecided || v.Answer == replay.Undecided {
			continue
		}
		count[v.Answer]++
		if v.Answer != want.Answer {
			t.Fatalf("%v without rules, %v with them:\n%s", v.Answer, want.Answer, show(h))
		}
		if v.Answer == replay.Linearizable {
			if err := replay.Verify(h, s, v.Witness, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	if count[replay.Linearizable] < rounds/3 || count[replay.NotLinearizable] < rounds/15 {
		t.Errorf("too few of each answer: %v", count)
	}
}

// TestManyOpen has more operations open at once, in real time, than a mask has
// bits: 80 increments that overlap, and reads. The last increment was invoked
// after the first response.
func TestManyOpen(t *testing.T) {
	s := lookup(t, "counter")
	const n = 80
	for _, c := range []struct {
		read int64
		want replay.Answer
	}{{0, replay.NotLinearizable}, {1, replay.Linearizable}, {n, replay.Linearizable}, {n + 1, replay.NotLinearizable}} {
		var lines []line
		for i := range int64(n) {
			lines = append(lines, call(i, "increment"))
		}
		lines = append(lines, answer(7, history.NoValue), call(n, "get"), answer(n, history.IntValue(c.read)))
		for i := range int64(n) {
			if i != 7 {
				lines = append(lines, answer(i, history.NoValue))
			}
		}
		h := smallHistory(t, lines, nil)
		v := run(t, h, s, search.Pruning{})
		if v.Answer != c.want {
			t.Errorf("reads %d: %v, want %v", c.read, v.Answer, c.want)
		}
		if v.Answer == replay.Linearizable {
			if err := replay.Verify(h, s, v.Witness, nil); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestReadsAtOnceFreeOthers: a read with an edge to another read unblocks it,
// even if a read without edges is placed in the same pass. The unblocked read
// has the lowest slot, so it is placed only in the next pass.
func TestReadsAtOnceFreeOthers(t *testing.T) {
	one := history.IntValue(1)
	lines := []line{call(0, "read"), call(1, "read"), call(2, "read"), answer(0, history.IntValue(0)), call(3, "read"), call(4, "write", 1),
		answer(4, history.NoValue), answer(1, one), answer(2, one), answer(3, one)}
	h := smallHistory(t, lines, [][2]int64{{1, 3}})
	if got, want := search.ReadsAtOnce(h, lookup(t, "register:0"), 4), []int32{0, 4, 1, 2, 3}; !slices.Equal(got, want) {
		t.Errorf("placed %v, want %v", got, want)
	}
}
