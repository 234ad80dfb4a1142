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
		{"tie of one process", StampOrder, Closed, "A 1 invoke 1\nA 1 ok 5\nA 2 invoke 5\nA 2 ok 6", `["A"]; 1 of 0 [0,2]; 2 of 0 [1,3]; 0<1`},
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

// interval is an operation as the oracle sees it.
type interval struct {
	process, call, ret int64
	pending            bool
}

// before says by the definition, stamps alone, whether x happens before y.
func (x interval) before(y interval, tie Tie) bool {
	return !x.pending && (x.ret < y.call || tie == HalfOpen && x.ret == y.call)
}

// TestStampsOracle compares the order that comes out of stamps with the
// definition, on random histories with many ties, in random order of lines.
func TestStampsOracle(t *testing.T) {
	r := random(t)
	for range 5000 {
		tie := Tie(r.IntN(2))
		var intervals []interval
		var events []Event
		for p := range int64(1 + r.IntN(4)) {
			now := int64(r.IntN(3))
			for range r.IntN(4) {
				x := interval{p, now, now + int64(r.IntN(3)) + int64(tie), r.IntN(8) == 0}
				now = x.ret + int64(r.IntN(2))
				id := IntValue(int64(len(intervals)))
				events = append(events, Event{Type: Invoke, Method: "m", Process: IntValue(p), Op: id, At: x.call})
				if !x.pending {
					events = append(events, Event{Type: OK, Op: id, At: x.ret})
				}
				if intervals = append(intervals, x); x.pending {
					break
				}
			}
		}
		r.Shuffle(len(events), func(i, k int) { events[i], events[k] = events[k], events[i] })
		h, err := New(Header{Order: StampOrder, Tie: tie}, events)
		if err != nil {
			t.Fatalf("%v: %v", events, err)
		}
		edges := closure(h)
		for i := range h.Ops {
			x := intervals[h.Ops[i].ID().Int()]
			for k := range h.Ops {
				y := intervals[h.Ops[k].ID().Int()]
				if x.process == y.process {
					if i != k && !edges[i][k] && !edges[k][i] {
						t.Fatalf("operations %d and %d of one process are concurrent: %s", i, k, describe(h))
					}
				} else if got := h.Ops[i].Return < h.Ops[k].Call; got != x.before(y, tie) {
					t.Fatalf("%v before %v: got %v: %s", h.Ops[i].ID(), h.Ops[k].ID(), got, describe(h))
				}
			}
		}
	}
}

// closure is the order of real time and edges, transitively closed.
func closure(h *History) [][]bool {
	n := len(h.Ops)
	less := make([][]bool, n)
	for i := range less {
		less[i] = make([]bool, n)
		for k := range less[i] {
			less[i][k] = h.Ops[i].Return < h.Ops[k].Call || slices.Contains(h.Edges, Edge{int32(i), int32(k)})
		}
	}
	for m := range n {
		for i := range n {
			for k := range n {
				less[i][k] = less[i][k] || less[i][m] && less[m][k]
			}
		}
	}
	return less
}

// TestCyclesOracle: edges are refused exactly if they and real time have a
// cycle, and what is named then is on one.
func TestCyclesOracle(t *testing.T) {
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

// An operation keeps its identifier by halves; see Operation.SetID.
func TestOperationID(t *testing.T) {
	for _, id := range []Value{
		IntValue(0), IntValue(-1), IntValue(math.MaxInt32), IntValue(math.MinInt32),
		IntValue(math.MaxInt32 + 1), IntValue(math.MinInt32 - 1), IntValue(math.MaxInt64), IntValue(math.MinInt64),
		StringValue(""), StringValue("a-1"),
	} {
		var op Operation
		op.SetID(id)
		if got := op.ID(); !got.Equal(id) || got.Kind() != id.Kind() {
			t.Errorf("%v became %v", id, got)
		}
	}
}
