package order_test

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
	"github.com/leadline/leadline/replay/order"
	"github.com/leadline/leadline/replay/search"
	workload "github.com/leadline/leadline/replay/simulate"
)

var rounds = flag.Int("rounds", 1500, "random histories of TestCollections per model; more with -full")

// collectionMethods are the methods of TestCollections by model: what takes a value, and what does not.
var collectionMethods = map[string][2][]string{
	"queue":          {{"enqueue"}, {"dequeue", "dequeue", "peek"}},
	"queue:2":        {{"enqueue", "offer", "put"}, {"dequeue", "dequeue", "take", "peek"}},
	"queue:3":        {{"enqueue", "enqueue", "put"}, {"dequeue"}},
	"stack":          {{"push"}, {"pop", "pop", "peek"}},
	"priority-queue": {{"insert"}, {"poll", "poll", "peek"}},
	"deque":          {{"pushFront", "pushBack"}, {"popFront", "popBack", "popFront", "popBack", "peekFront", "peekBack"}},
}

// randomCollection draws a history of a collection. Some results are wrong, some
// operations are lost, and some events have changed places.
func randomCollection(t testing.TB, r *rand.Rand, model string, s replay.Spec) *history.History {
	others := collectionMethods[model][1]
	switch r.IntN(6) {
	case 0, 1:
		others = append(others[:len(others):len(others)], "isEmpty", "size")
	case 2:
		others = append(others[:len(others):len(others)], "isEmpty")
	}
	c := collecting{r, collectionMethods[model][0], others, 4 + r.IntN(12), 2 + r.IntN(4), []int{1, 2, 3, 5, 100, 100}[r.IntN(6)], r.IntN(3) * 15, r.IntN(3) * 15}
	return moved(t, r, c.events(s), r.IntN(2)*r.IntN(4*c.n))
}

// A collecting draws events of a collection.
type collecting struct {
	*rand.Rand
	inserts, others []string
	n, processes    int
	values          int // all are distinct if there are more than n
	lost, wrong     int // in 300 and in 100
}

func (r *collecting) events(s replay.Spec) []history.Event {
	type running struct {
		event  history.Event
		result history.Value
		taken  bool
	}
	object := s.New()
	var events []history.Event
	open, name := make([]*running, r.processes), make([]int64, r.processes)
	for busy, begun := 0, 0; busy > 0 || begun < r.n; {
		p := r.IntN(r.processes)
		switch o := open[p]; {
		case o == nil && begun == r.n:
		case o == nil:
			e := history.Event{Process: history.IntValue(name[p]*10 + int64(p)), Op: history.IntValue(int64(begun)), Method: r.others[r.IntN(len(r.others))]}
			if r.IntN(2) == 0 {
				value := r.IntN(r.values)
				if r.values > r.n {
					value = begun * 7 % r.values // 7 is prime to it
				}
				e.Method, e.Args = r.inserts[r.IntN(len(r.inserts))], []history.Value{history.IntValue(int64(value))}
			}
			events = append(events, e)
			open[p] = &running{event: e}
			begun++
			busy++
		case r.IntN(300) < r.lost:
			open[p] = nil
			name[p]++
			busy--
		case !o.taken:
			if o.result, o.taken = object.Apply(replay.Invocation{Method: o.event.Method, Args: o.event.Args}); !o.taken && r.IntN(10) == 0 {
				open[p] = nil // it waits for ever
				name[p]++
				busy--
			}
		default:
			if k := o.result.Kind(); k != history.None && r.IntN(100) < r.wrong {
				switch {
				case k == history.Bool:
					o.result = history.BoolValue(!o.result.Bool())
				case o.event.Method == "size":
					o.result = history.IntValue(int64(r.IntN(4)))
				case r.IntN(4) == 0:
					o.result = history.NullValue
				default:
					o.result = history.IntValue(int64(r.IntN(r.n) * 7 % r.values))
				}
			}
			events = append(events, history.Event{Type: history.OK, Process: o.event.Process, Op: o.event.Op, Result: o.result})
			open[p] = nil
			busy--
		}
	}
	return events
}

// addOrder adds edges between operations, not always, and marks pending operations that
// happened.
func addOrder(r *rand.Rand, h *history.History) {
	for i := range h.Ops {
		if h.Ops[i].Pending() && r.IntN(4) == 0 {
			h.Ops[i].Happened = true
		}
	}
	for range r.IntN(3) * r.IntN(3) {
		from, to := int32(r.IntN(len(h.Ops))), int32(r.IntN(len(h.Ops)))
		if from > to {
			from, to = to, from
		}
		if pending := h.Ops[from].Pending() || h.Ops[to].Pending(); from != to && (!pending || r.IntN(8) == 0) {
			h.Edges = append(h.Edges, history.Edge{From: from, To: to})
		}
	}
	slices.SortFunc(h.Edges, func(a, b history.Edge) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	h.Edges = slices.Compact(h.Edges)
}

// TestCollections compares Run with the general search.
func TestCollections(t *testing.T) {
	t.Logf("-seed %d", *seedFlag)
	r := rand.New(rand.NewPCG(*seedFlag, 92))
	rounds := *rounds
	if *full {
		rounds = max(rounds, 10_000)
	}
	for _, model := range slices.Sorted(maps.Keys(collectionMethods)) {
		s, count := lookup(t, model), map[string]int{}
		for range rounds {
			h := randomCollection(t, r, model, s)
			addOrder(r, h)
			f := order.Run(ops.New(h, s, 1<<30), nil)
			if f.Cause == replay.Declined {
				count["declined"]++
				continue
			}
			count[f.Answer.String()]++
			if h.Pending() > 0 {
				count["pending "+f.Answer.String()]++
			}
			if h.HasEdges() {
				count["edges "+f.Answer.String()]++
			}
			if hasSizes(h) {
				count["sizes "+f.Answer.String()]++
			}
			want := search.Run(ops.New(h, s, 1<<26), nil).Answer
			if want == replay.Undecided {
				count["left out"]++
				continue
			}
			if checkFinding(t, "pairs", h, s, f, want); t.Failed() {
				t.Fatal(show(h))
			}
		}
		t.Log(model, count)
		for _, what := range []string{"linearizable", "not-linearizable", "pending linearizable", "pending not-linearizable", "sizes linearizable", "sizes not-linearizable", "edges linearizable", "edges not-linearizable"} {
			if count[what] < rounds/50 {
				t.Errorf("%s: %s: %d of %d", model, what, count[what], rounds)
			}
		}
		if count["declined"] > rounds/2 {
			t.Errorf("%s: %d of %d declined", model, count["declined"], rounds)
		}
	}
}

// TestLongCollections decides histories which other searches leave open.
func TestLongCollections(t *testing.T) {
	for _, model := range slices.Sorted(maps.Keys(collectionMethods)) {
		for _, w := range []workload.Workload{
			{Ops: 2000, Threads: 16},
			{Ops: 1000, Threads: 16, Values: 200},
			{Ops: 300, Threads: 4, Values: 8},
			{Ops: 1000, Threads: 8, Lost: 10},
		} {
			if !*full && model != "deque" && w.Values != 200 {
				continue
			}
			for _, fault := range []string{"", "wrong@50", "swap@50"} {
				w.Model, w.Seed, w.Fill = model, 1, 32
				want := replay.Linearizable
				if w.Faults = nil; fault != "" {
					f, err := workload.ParseFault(fault)
					if err != nil {
						t.Fatal(err)
					}
					w.Faults, want = []workload.Fault{f}, replay.NotLinearizable
				}
				h, err := w.History()
				if err != nil {
					t.Fatal(err)
				}
				s, err := w.Spec()
				if err != nil {
					t.Fatal(err)
				}
				m := meter.New(nil)
				f := order.Run(ops.New(h, s, 1<<30), m)
				checkFinding(t, fmt.Sprint("pairs of ", w), h, s, f, want)
				if m.Spent() > 1<<28 {
					t.Errorf("%v takes work of %d", w, m.Spent())
				}
			}
		}
	}
}

// TestSizes decides histories with sizes that hardly any order of the other operations
// gives.
func TestSizes(t *testing.T) {
	r := rand.New(rand.NewPCG(*seedFlag, 93))
	for _, model := range slices.Sorted(maps.Keys(collectionMethods)) {
		methods := collectionMethods[model]
		if strings.Contains(model, ":") {
			continue // mostly operations that wait for ever
		}
		s := lookup(t, model)
		c := collecting{r, methods[0], append([]string{"size"}, methods[1]...), 1000, 8, 1001, 0, 0}
		h := moved(t, r, c.events(s), 0)
		m := meter.New(nil)
		checkFinding(t, "pairs with sizes", h, s, order.Run(ops.New(h, s, 1<<30), m), replay.Linearizable)
		if m.Spent() > 1<<28 {
			t.Errorf("%s takes work of %d", model, m.Spent())
		}
	}
}

// TestBounds stops while clauses are added for pending removals. Each of these might take
// most of the insertions.
func TestBounds(t *testing.T) {
	w := workload.Workload{Model: "stack", Ops: 3000, Threads: 8, Values: 8, Lost: 10, Seed: 1, Fill: 32}
	h, err := w.History()
	if err != nil {
		t.Fatal(err)
	}
	s := lookup(t, "stack")
	m := meter.New(nil)
	if f := order.Run(ops.New(h, s, 1<<24), m); f.Cause != replay.Memory || m.Spent() > 1<<22 {
		t.Errorf("with little memory: %v, %v, after work of %d", f.Answer, f.Cause, m.Spent())
	}
	asked := 0
	m = meter.New(func() bool { asked++; return asked == 100 })
	if f := order.Run(ops.New(h, s, 1<<40), m); f.Cause != replay.Time || m.Spent() > 1<<20 {
		t.Errorf("with little time: %v, %v, after work of %d", f.Answer, f.Cause, m.Spent())
	}
}

// TestHappenedWithoutRoom: an insertion into a full queue may have happened without effect.
func TestHappenedWithoutRoom(t *testing.T) {
	s := lookup(t, "queue:1")
	seven := []history.Value{history.IntValue(7)}
	h := build(t, []history.Event{
		{Process: history.IntValue(0), Method: "put", Args: seven},
		{Type: history.OK, Process: history.IntValue(0), Result: history.NoValue},
		{Process: history.IntValue(1), Method: "offer", Args: seven},
	})
	h.Ops[1].Happened = true
	if f := order.Run(ops.New(h, s, 1<<30), nil); f.Answer == replay.NotLinearizable {
		t.Errorf("%v", f.Answer)
	}
}
