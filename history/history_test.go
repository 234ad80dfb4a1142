package history

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

var seedFlag = flag.Uint64("seed", 0, "seed of random tests; 0 takes one from the clock")

// random returns a source whose seed is in the log.
func random(t *testing.T) *rand.Rand {
	seed := *seedFlag
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("to reproduce: go test -run '^%s$' -seed %d", t.Name(), seed)
	return rand.New(rand.NewPCG(seed, 0))
}

func describe(h *History) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v", h.Processes)
	each := func(prefix string, ops []Operation) {
		for i := range ops {
			op := &ops[i]
			fmt.Fprintf(&b, "; %s%v of %d [%d,", prefix, op.ID(), op.Process, op.Call)
			if op.Pending() {
				b.WriteString("-")
			} else {
				fmt.Fprint(&b, op.Return)
			}
			b.WriteString("]")
			if op.Happened {
				b.WriteString("!")
			}
		}
	}
	each("", h.Ops)
	each("ghost ", h.Ghosts)
	for _, e := range h.Edges {
		fmt.Fprintf(&b, "; %d<%d", e.From, e.To)
	}
	if h.Dropped > 0 {
		fmt.Fprintf(&b, "; dropped %d", h.Dropped)
	}
	return b.String()
}

func TestBuild(t *testing.T) {
	for _, test := range []struct {
		name  string
		order Order
		tie   Tie
		text  string
		want  string
	}{
		{"no names", FileOrder, Closed, "B - invoke\nA - invoke\nB - ok\nB - invoke\nA - ok", `["B" "A"]; 0 of 0 [0,2]; 1 of 1 [1,4]; 2 of 0 [3,-]`},
		{"response by name alone", FileOrder, Closed, "B x invoke\nA y invoke\n- x ok\n- y ok", `["B" "A"]; "x" of 0 [0,2]; "y" of 1 [1,3]`},
		{"many names", FileOrder, Closed, "0 -5 invoke\n0 -5 ok\n0 99999999 invoke\n0 99999999 ok\n0 3 invoke", `[0]; -5 of 0 [0,1]; 99999999 of 0 [2,3]; 3 of 0 [4,-]`},
		{"fail", FileOrder, Closed, "B x invoke\nA y invoke\nB x fail\nB z invoke", `["A" "B"]; "y" of 0 [1,-]; "z" of 1 [3,-]; dropped 1`},
		{"all fail", FileOrder, Closed, "B x invoke\nB x fail", `[]; dropped 1`},
		{"info", FileOrder, Closed, "B x invoke\nB x info\nA y invoke", `["B" "A"]; "x" of 0 [0,-]; "y" of 1 [2,-]`},
		{"edges", FileOrder, Closed, "A 1 invoke\nB 2 invoke\nC 3 invoke\nB 2 ok\nedge 3 2\nedge 1 2\nedge 1 2", `["A" "B" "C"]; 1 of 0 [0,-]!; 2 of 1 [1,3]; 3 of 2 [2,-]!; 0<1; 2<1`},
		{"ghost", FileOrder, Closed, "A 1 invoke\nB 2 invoke\nC 3 invoke\nB 2 fail\nedge 1 2\nedge 2 3", `["A" "C"]; 1 of 0 [0,-]!; 3 of 1 [2,-]; ghost 2 of -1 [1,3]; 0<2; 2<1; dropped 1`},
		{"ghost of a process that goes on", FileOrder, Closed, "A 1 invoke\nB 2 invoke\nB 2 fail\nB 3 invoke\nedge 1 2", `["A" "B"]; 1 of 0 [0,-]!; 3 of 1 [3,-]; ghost 2 of 1 [1,2]; 0<2; dropped 1`},
		{"edge out of what did not happen", FileOrder, Closed, "A 1 invoke\nB 2 invoke\nmark 1 not\nedge 1 2", `["B"]; 2 of 0 [1,-]; ghost 1 of -1 [0,-]; 1<0; dropped 1`},
		{"mark", FileOrder, Closed, "A 1 invoke\nB 2 invoke\nB 2 ok\nmark 1 happened\nmark 2 happened", `["A" "B"]; 1 of 0 [0,-]!; 2 of 1 [1,2]`},
		{"mark not, without edges", FileOrder, Closed, "A 1 invoke\nB 2 invoke\nmark 1 not\nmark 1 not", `["B"]; 2 of 0 [1,-]; dropped 1`},
		{"stamps", StampOrder, Closed, "A 2 ok 9\nA 2 invoke 7\nB 1 invoke 1\nB 1 ok 3", `["B" "A"]; 1 of 0 [0,1]; 2 of 1 [2,3]`},
		{"tie closed", StampOrder, Closed, "A 1 invoke 1\nA 1 ok 5\nB 2 invoke 5\nB 2 ok 6", `["A" "B"]; 1 of 0 [0,2]; 2 of 1 [1,3]`},
		{"tie half-open", StampOrder, HalfOpen, "A 1 invoke 1\nB 2 invoke 5\nB 2 ok 6\nA 1 ok 5", `["A" "B"]; 1 of 0 [0,1]; 2 of 1 [2,3]`},
		{"tie of one process", StampOrder, Closed, "A 1 invoke 1\nA 1 ok 5\nA 2 invoke 5\nA 2 ok 6", `["A"]; 1 of 0 [0,1]; 2 of 0 [2,3]`},
		{"no length, closed", StampOrder, Closed, "A 1 invoke 5\nA 1 ok 5\nB 2 invoke 5\nB 2 ok 5", `["A" "B"]; 1 of 0 [0,2]; 2 of 1 [1,3]`},
		{"info with stamps", StampOrder, HalfOpen, "A 1 invoke 5\nA 1 info 5", `["A"]; 1 of 0 [0,-]`},
		{"fail with stamps", StampOrder, HalfOpen, "A 1 invoke 5\nA 1 fail 6\nB 2 invoke 1", `["B"]; 2 of 0 [0,-]; dropped 1`},
	} {
		h, err := parse(Header{Order: test.order, Tie: test.tie}, test.text)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
		} else if got := describe(h); got != test.want {
			t.Errorf("%s: got\n%s\nwant\n%s", test.name, got, test.want)
		}
	}
}

// TestStamps: each event that has a position has its stamp.
func TestStamps(t *testing.T) {
	const text = "A 2 ok 9\nA 2 invoke 7\nB 1 invoke 1\nB 1 fail 3\nC 3 invoke -4\nC 3 ok 8"
	h, err := parse(Header{Order: StampOrder}, text)
	if err != nil {
		t.Fatal(err)
	}
	var got []int64
	for i := range h.Ops {
		got = append(got, h.Stamps[h.Ops[i].Call], h.Stamps[h.Ops[i].Return])
	}
	if want := []int64{-4, 8, 7, 9}; !slices.Equal(got, want) {
		t.Errorf("stamps %v, want %v", got, want)
	}
	if h, err = parse(Header{}, "A 2 invoke 7\nA 2 ok 9"); err != nil || h.Stamps != nil {
		t.Errorf("in file order, the stamps are %v, %v", h.Stamps, err)
	}
}

func TestOperation(t *testing.T) {
	h, err := New(Header{File: "f"}, []Event{
		{Type: Invoke, Process: IntValue(1), Method: "put", Args: []Value{IntValue(1), StringValue("x")}, Line: 4},
		{Type: OK, Process: IntValue(1), Line: 5},
		{Type: Invoke, Process: IntValue(1), Method: "get", Line: 6},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := h.Ops[0].String() + " " + h.Ops[1].String(); got != `put(1, "x") get(): pending` {
		t.Errorf("got %s", got)
	}
	if got := h.Errorf(&h.Ops[1], "no method %s", "get").Error(); got != "f:6: no method get" {
		t.Errorf("got %s", got)
	}
	if h.Pending() != 1 || h.HasEdges() {
		t.Errorf("%d pending, edges %v", h.Pending(), h.HasEdges())
	}
}

// record is a history as the oracle sees it: each operation with its stamps,
// and the order of all of them by the definition.
type record struct {
	ops    []recorded
	edges  [][2]int
	events []Event
	marks  []int // operations marked as not happened
}

// recorded is one operation. Those of a process are in its own order.
type recorded struct {
	process, call, ret int64
	end                EventType // Invoke: none
	dropped            bool
}

// randomRecord returns a record with few stamps and many ties, its events in
// random order if they have stamps.
func randomRecord(r *rand.Rand, order Order, tie Tie) *record {
	var rec record
	for p := range 1 + r.Int64N(4) {
		now := r.Int64N(3)
		for range r.IntN(6) {
			x := recorded{process: p, call: now, ret: now + r.Int64N(3) + int64(tie), end: OK}
			switch r.IntN(12) {
			case 0, 1, 2:
				x.end, x.dropped = Fail, true
			case 3:
				x.end = []EventType{Invoke, Info}[r.IntN(2)]
				x.dropped = r.IntN(2) == 0
			}
			id := IntValue(int64(len(rec.ops)))
			rec.events = append(rec.events, Event{Type: Invoke, Method: "m", Process: IntValue(p), Op: id, At: x.call})
			if x.end != Invoke {
				rec.events = append(rec.events, Event{Type: x.end, Op: id, At: x.ret})
			}
			if x.end != OK && x.end != Fail && x.dropped {
				rec.marks = append(rec.marks, len(rec.ops))
			}
			rec.ops = append(rec.ops, x)
			if now = x.ret + r.Int64N(2); x.end == Invoke || x.end == Info {
				break
			}
		}
	}
	for range r.IntN(6) - 2 {
		if n := len(rec.ops); n > 1 {
			if from, to := r.IntN(n), r.IntN(n); from != to {
				rec.edges = append(rec.edges, [2]int{from, to})
			}
		}
	}
	if order == StampOrder {
		r.Shuffle(len(rec.events), func(i, k int) { rec.events[i], rec.events[k] = rec.events[k], rec.events[i] })
		rec.invokeInOrder()
		return &rec
	}
	// Any order that keeps each process's own.
	processes := map[int64][]Event{}
	var turns []int64
	for _, ev := range rec.events {
		p := rec.ops[ev.Op.Int()].process
		processes[p] = append(processes[p], ev)
		turns = append(turns, p)
	}
	r.Shuffle(len(turns), func(i, k int) { turns[i], turns[k] = turns[k], turns[i] })
	rec.events = rec.events[:0]
	for at, p := range turns {
		ev := processes[p][0]
		processes[p] = processes[p][1:]
		op := &rec.ops[ev.Op.Int()]
		if ev.Type == Invoke {
			op.call = int64(at)
		} else {
			op.ret = int64(at)
		}
		rec.events = append(rec.events, ev)
	}
	return &rec
}

// invokeInOrder exchanges the invocations of operations of one process that begin
// and end at one stamp: their order is that of the file.
func (rec *record) invokeInOrder() {
	slots := map[[2]int64][]int{} // by process and stamp
	for k, ev := range rec.events {
		if x := rec.ops[ev.Op.Int()]; ev.Type == Invoke && x.call == x.ret && (x.end == OK || x.end == Fail) {
			at := [2]int64{x.process, x.call}
			slots[at] = append(slots[at], k)
		}
	}
	for _, of := range slots {
		var events []Event
		for _, k := range of {
			events = append(events, rec.events[k])
		}
		slices.SortFunc(events, func(x, y Event) int { return int(x.Op.Int() - y.Op.Int()) })
		for i, k := range of {
			rec.events[k] = events[i]
		}
	}
}

func (rec *record) build(order Order, tie Tie) (*History, error) {
	b := NewBuilder(Header{Order: order, Tie: tie})
	for i := range rec.events {
		b.Add(&rec.events[i])
	}
	for _, e := range rec.edges {
		b.AddEdge(IntValue(int64(e[0])), IntValue(int64(e[1])), 1)
	}
	for _, op := range rec.marks {
		b.Mark(IntValue(int64(op)), false, 1)
	}
	return b.Build()
}

// order returns the order of operations by the definition: each process's own
// order, the edges, and, if realTime, the stamps by the tie rule.
func (rec *record) order(realTime bool, tie Tie) [][]bool {
	less := make([][]bool, len(rec.ops))
	for i, x := range rec.ops {
		less[i] = make([]bool, len(rec.ops))
		for k, y := range rec.ops {
			returns := x.end == OK || x.end == Fail
			less[i][k] = i < k && x.process == y.process ||
				realTime && returns && (x.ret < y.call || tie == HalfOpen && x.ret == y.call) ||
				slices.Contains(rec.edges, [2]int{i, k})
		}
	}
	return closed(less)
}

// closed closes an order transitively.
func closed(less [][]bool) [][]bool {
	for m := range less {
		for i := range less {
			for k := range less {
				less[i][k] = less[i][k] || less[i][m] && less[m][k]
			}
		}
	}
	return less
}

// closure is the order of positions and edges, transitively closed, of
// operations and ghosts.
func closure(h *History) [][]bool {
	all := append(slices.Clone(h.Ops), h.Ghosts...)
	less := make([][]bool, len(all))
	for i := range all {
		less[i] = make([]bool, len(all))
		for k := range all {
			less[i][k] = all[i].Return < all[k].Call || slices.Contains(h.Edges, Edge{int32(i), int32(k)})
		}
	}
	return closed(less)
}

// compareOrder fails if h and want order two operations differently.
func compareOrder(t *testing.T, what string, h *History, want [][]bool) {
	t.Helper()
	less := closure(h)
	for i := range h.Ops {
		for k := range h.Ops {
			x, y := h.Ops[i].ID(), h.Ops[k].ID()
			if less[i][k] != want[x.Int()][y.Int()] {
				t.Fatalf("%s: %v before %v: got %v: %s", what, x, y, less[i][k], describe(h))
			}
		}
	}
}

// TestOrderOracle compares the order of operations with the definition, pair
// by pair, in real time and in program order, and counts the edges that are
// left beyond those of the record.
func TestOrderOracle(t *testing.T) {
	t.Parallel()
	r := random(t)
	cyclic, ghosts, twoTouch := 0, 0, 0
	n := 20000
	if testing.Short() { // as under the race detector
		n /= 10
	}
	for range n {
		order, tie := StampOrder, Tie(r.IntN(4)/3)
		if r.IntN(4) == 0 {
			order, tie = FileOrder, HalfOpen // all stamps differ
		}
		rec := randomRecord(r, order, tie)
		want := rec.order(true, tie)
		isCyclic := false
		for i := range want {
			isCyclic = isCyclic || want[i][i]
		}
		h, err := rec.build(order, tie)
		if (err != nil) != isCyclic {
			t.Fatalf("cycle %v, error %v: %+v", isCyclic, err, rec)
		}
		if isCyclic {
			cyclic++
			continue
		}
		kept := 0
		for _, x := range rec.ops {
			if !x.dropped {
				kept++
			}
		}
		if len(h.Ops) != kept {
			t.Fatalf("%d operations instead of %d", len(h.Ops), kept)
		}
		compareOrder(t, "real time", h, want)
		relaxed := h.ProgramOrder()
		compareOrder(t, "program order", relaxed, rec.order(false, tie))
		compareOrder(t, "real time after program order", relaxed.RealTime(), want)
		if h.RealTime() != nil {
			t.Fatal("a history that was not relaxed has another in real time")
		}
		if len(h.Ghosts) > 0 {
			ghosts++
		}
		if len(rec.edges) > 0 {
			continue
		}
		left := rec.edgesNeeded(tie)
		if len(h.Edges) != left || len(h.Ghosts) > 0 {
			t.Fatalf("%d edges instead of %d: %s", len(h.Edges), left, describe(h))
		}
		if left > 0 {
			twoTouch++
		}
	}
	if cyclic < n/20 || ghosts < n/20 || twoTouch < n/1000 {
		t.Errorf("only %d cycles, %d histories with ghosts, %d with two processes that touch at a stamp", cyclic, ghosts, twoTouch)
	}
}

// edgesNeeded counts, for each stamp, the pairs of consecutive operations that
// touch there, of all processes except the one with most.
func (rec *record) edgesNeeded(tie Tie) int {
	if tie == HalfOpen {
		return 0
	}
	touches := map[int64]map[int64]int{} // by stamp and process
	var prev *recorded
	for i := range rec.ops {
		x := &rec.ops[i]
		if x.dropped {
			continue
		}
		if prev != nil && prev.process == x.process && prev.ret == x.call {
			if touches[x.call] == nil {
				touches[x.call] = map[int64]int{}
			}
			touches[x.call][x.process]++
		}
		prev = x
	}
	needed := 0
	for _, of := range touches {
		most := 0
		for _, n := range of {
			needed += n
			most = max(most, n)
		}
		needed -= most
	}
	return needed
}

// TestCyclesOracle: edges are refused if and only if they and real time have a
// cycle, and the named edges are on one.
func TestCyclesOracle(t *testing.T) {
	t.Parallel()
	r := random(t)
	refused := 0
	for range 5000 {
		var events []Event
		open := map[int64]int64{}
		ops := int64(0)
		for range 4 + r.IntN(10) {
			p := int64(r.IntN(4))
			if id, busy := open[p]; busy {
				delete(open, p)
				events = append(events, Event{Type: OK, Process: IntValue(p), Op: IntValue(id)})
				continue
			}
			open[p] = ops
			events = append(events, Event{Type: Invoke, Method: "m", Process: IntValue(p), Op: IntValue(ops)})
			ops++
		}
		h, err := New(Header{}, events)
		if err != nil {
			t.Fatal(err)
		}
		b := NewBuilder(Header{})
		for i := range events {
			b.Add(&events[i])
		}
		for i := range r.IntN(4) {
			if from, to := r.Int64N(ops), r.Int64N(ops); from != to {
				h.Edges = append(h.Edges, Edge{int32(from), int32(to)})
				b.AddEdge(IntValue(from), IntValue(to), i)
			}
		}
		less := closure(h)
		cyclic := false
		for i := range less {
			cyclic = cyclic || less[i][i]
		}
		_, err = b.Build()
		if (err != nil) != cyclic {
			t.Fatalf("cycle %v, error %v: %s", cyclic, err, describe(h))
		}
		if err == nil {
			continue
		}
		refused++
		for _, e := range err.(*Errors).List {
			var from, to int
			if _, err := fmt.Sscanf(e.Msg, "the edge from operation %d to %d closes", &from, &to); err != nil || !less[to][from] {
				t.Fatalf("%v: %s", e, describe(h))
			}
		}
	}
	if refused < 100 {
		t.Errorf("only %d cycles", refused)
	}
}

// TestLarge goes through the growth of every table.
func TestLarge(t *testing.T) {
	t.Parallel()
	for _, n := range []int{15, 16, 17, 1023, 1024, 1025, 5000, 100_000} {
		for _, order := range []Order{FileOrder, StampOrder} {
			b := NewBuilder(Header{Order: order})
			id := func(i int) Value {
				switch i % 3 {
				case 0:
					return IntValue(int64(i))
				case 1:
					return IntValue(int64(i) << 32)
				}
				return StringValue(fmt.Sprint(i))
			}
			for i := range n {
				b.Add(&Event{Type: Invoke, Method: "m", Process: id(i % 7), Op: id(i), At: int64(2 * i)})
				b.Add(&Event{Type: OK, Op: id(i), At: int64(2*i + 1), Result: IntValue(int64(i))})
			}
			b.AddEdge(id(0), id(n-1), 1)
			h, err := b.Build()
			if err != nil {
				t.Fatal(err)
			}
			if len(h.Ops) != n || b.Events() != 2*n || len(h.Processes) != 7 {
				t.Fatalf("%d operations of %d processes", len(h.Ops), len(h.Processes))
			}
			for i := range h.Ops {
				if op := &h.Ops[i]; !op.ID().Equal(id(i)) || op.Result.Int() != int64(i) || int(op.Call) != 2*i || int(op.Return) != 2*i+1 {
					t.Fatalf("operation %d is %+v", i, op)
				}
			}
		}
	}
}

// An operation keeps its identifier in two parts; see Operation.SetID.
func TestOperationID(t *testing.T) {
	for _, id := range []Value{
		IntValue(0), IntValue(-1), IntValue(math.MaxInt32), IntValue(math.MinInt32),
		IntValue(math.MaxInt32 + 1), IntValue(math.MinInt32 - 1), IntValue(math.MaxInt64), IntValue(math.MinInt64),
		StringValue(""), StringValue("a-1"), NoValue, ListValue(), ListValue(IntValue(1)),
	} {
		var op Operation
		op.SetID(id)
		if got := op.ID(); !got.Equal(id) || got.Kind() != id.Kind() {
			t.Errorf("%v became %v", id, got)
		}
	}
}
