package simulate_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"hash/crc32"
	"runtime"
	"strings"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/ops"
	"github.com/leadline/leadline/replay/search"
	"github.com/leadline/leadline/replay/simulate"
)

var (
	seedFlag  = flag.Uint64("seed", 1, "first seed of the random tests")
	seedsFlag = flag.Int("seeds", 30, "how many seeds each of them tries")
)

// workloads calls test with each model, unless the specification is missing,
// and with small workloads of many seeds and shapes.
func workloads(t *testing.T, test func(t *testing.T, w simulate.Workload)) {
	for _, name := range append(simulate.Models(), "queue:5") {
		t.Run(name, func(t *testing.T) {
			base := simulate.Workload{Model: name}
			if _, err := base.Spec(); err != nil {
				t.Skip(err)
			}
			t.Logf("-seed %d", *seedFlag)
			seeds := *seedsFlag
			if testing.Short() {
				seeds = min(seeds, 5)
			}
			for i := range seeds {
				w := base
				w.Seed = *seedFlag + uint64(i)
				w.Ops = 12 + 7*(i%8)
				w.Threads = 1 + i%5
				w.Fill = 1 + i%7
				w.Keys = 1 + i%3
				w.Values = []int{0, 0, 2, 5}[i%4]
				w.Lost = []int{0, 0, 0, 30}[i/4%4]
				test(t, w)
				if t.Failed() {
					return
				}
			}
		})
	}
}

func build(t testing.TB, w simulate.Workload) *history.History {
	t.Helper()
	h, err := w.History()
	if err != nil {
		t.Fatalf("%v: %v", w, err)
	}
	return h
}

// answer returns the verdict of the complete search, which is independent of how
// the history was made.
func answer(t *testing.T, w simulate.Workload, h *history.History) replay.Answer {
	t.Helper()
	s, err := w.Spec()
	if err != nil {
		t.Fatal(err)
	}
	if err := replay.Check(h, s); err != nil {
		t.Fatalf("%v: %v", w, err)
	}
	var v replay.Verdict
	v.Finding = search.Run(ops.New(h, s, 1<<30), nil)
	return v.Answer
}

func TestLinearizable(t *testing.T) {
	workloads(t, func(t *testing.T, w simulate.Workload) {
		h := build(t, w)
		if len(h.Ops) != w.Ops {
			t.Errorf("%v: %d operations", w, len(h.Ops))
		}
		if w.Lost == 0 && h.Pending() > 0 {
			t.Errorf("%v: %d operations are pending", w, h.Pending())
		}
		if a := answer(t, w, h); a != replay.Linearizable {
			t.Errorf("%v: %v", w, a)
		}
	})
}

// TestFaults also holds the history up to the fault against the one without
// it, which is linearizable.
func TestFaults(t *testing.T) {
	t.Parallel()
	for _, f := range []simulate.Fault{{Kind: simulate.Wrong, Percent: 0}, {Kind: simulate.Wrong, Percent: 60},
		{Kind: simulate.Swap, Percent: 30}, {Kind: simulate.Swap, Percent: 100}} {
		t.Run(f.String(), func(t *testing.T) {
			workloads(t, func(t *testing.T, w simulate.Workload) {
				// Elements wait for the fault in an order that is open: the
				// search doubles with each, and they with each thread.
				w.Threads, w.Lost = 1+int(w.Seed%3), w.Lost/3
				if f.Kind == simulate.Swap {
					w.Threads = min(w.Threads, 2)
				}
				sound := build(t, w)
				w.Faults = []simulate.Fault{f}
				if _, err := w.Spec(); err != nil {
					return // the fault has no meaning
				}
				h := build(t, w)
				if a := answer(t, w, h); a != replay.NotLinearizable {
					t.Errorf("%v: %v", w, a)
				}
				for i := range w.Ops * f.Percent / 100 {
					if a, b := &sound.Ops[i], &h.Ops[i]; a.Method != b.Method || a.Call != b.Call {
						t.Fatalf("%v: operation %d is %v, without the fault %v", w, i, b, a)
					}
				}
			})
		})
	}
}

// TestFaultsTogether: many of them in one history, which stays well-formed.
func TestFaultsTogether(t *testing.T) {
	workloads(t, func(t *testing.T, w simulate.Workload) {
		w.Ops, w.Threads = 400, 3
		for p := 0; p <= 100; p += 20 {
			w.Faults = append(w.Faults, simulate.Fault{Kind: simulate.Wrong, Percent: p})
			swap := simulate.Fault{Kind: simulate.Swap, Percent: p}
			with := w
			with.Faults = append(with.Faults[:len(with.Faults):len(with.Faults)], swap)
			if _, err := with.Spec(); err == nil {
				w = with
			}
		}
		if _, err := w.Spec(); err == nil {
			build(t, w)
		}
	})
}

// TestDecide asks the portfolio about longer histories of collections with
// many threads, which a monitor has to decide, and of stores.
func TestDecide(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"queue", "stack", "priority-queue", "set", "kv"} {
		for _, fill := range []int{0, 600} {
			for _, faults := range [][]simulate.Fault{nil, {{Kind: simulate.Wrong, Percent: 50}}, {{Kind: simulate.Swap, Percent: 50}}} {
				w := simulate.Workload{Model: name, Ops: 3000, Threads: 8, Seed: *seedFlag, Fill: fill, Keys: 300, Faults: faults}
				s, err := w.Spec()
				if err != nil {
					continue // the fault has no meaning
				}
				v, err := decide.Check(context.Background(), build(t, w), s, replay.Options{})
				if err != nil {
					t.Fatal(err)
				}
				want := replay.Linearizable
				if faults != nil {
					want = replay.NotLinearizable
				}
				if v.Answer != want {
					t.Errorf("%v: %v by %v", w, v.Answer, v.Engine)
				}
			}
		}
	}
}

// encode streams a workload in the native format.
func encode(t *testing.T, w simulate.Workload) []byte {
	t.Helper()
	events, err := w.Events()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	out := codec.NewEventWriter(&b, w.Header())
	for ev := range events {
		if err := out.Write(&ev); err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Flush(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestSameSeedSameBytes(t *testing.T) {
	workloads(t, func(t *testing.T, w simulate.Workload) {
		if w.Model != "mutex" || w.Lost == 0 {
			w.Faults = []simulate.Fault{{Kind: simulate.Wrong, Percent: 70}}
		}
		one := encode(t, w)
		if !bytes.Equal(one, encode(t, w)) {
			t.Errorf("%v: different bytes", w)
		}
		w.Seed += 1000
		if bytes.Equal(one, encode(t, w)) {
			t.Errorf("%v: the same bytes as with another seed", w)
		}
		w.Seed -= 1000
		for h, err := range codec.Decode(bytes.NewReader(one), "stream", codec.Options{}) {
			if err != nil {
				t.Fatal(err)
			}
			want := build(t, w)
			if len(h.Ops) != len(want.Ops) {
				t.Fatalf("%v: %d operations in the stream, %d in the history", w, len(h.Ops), len(want.Ops))
			}
			for i := range h.Ops {
				a, b := &h.Ops[i], &want.Ops[i]
				if a.String() != b.String() || a.Call != b.Call || a.Return != b.Return || a.Process != b.Process {
					t.Fatalf("%v: operation %d is %v in the stream, %v in the history", w, i, a, b)
				}
			}
		}
	})
}

// TestGolden: the same events on every machine.
func TestGolden(t *testing.T) {
	const want = `{"leadline":1,"model":"stack"}
{"process":0,"type":"invoke","method":"push","args":[1]}
{"process":1,"type":"invoke","method":"push","args":[2]}
{"process":0,"type":"ok"}
{"process":0,"type":"invoke","method":"push","args":[3]}
{"process":0,"type":"ok"}
{"process":0,"type":"invoke","method":"peek"}
{"process":1,"type":"ok"}
{"process":1,"type":"invoke","method":"push","args":[4]}
{"process":0,"type":"ok","result":3}
{"process":1,"type":"ok"}
{"process":1,"type":"invoke","method":"pop"}
{"process":1,"type":"ok","result":5}
`
	w := simulate.Workload{Model: "stack", Ops: 6, Threads: 2, Seed: 9, Lost: 200, Faults: []simulate.Fault{{Kind: simulate.Wrong, Percent: 80}}}
	if got := string(encode(t, w)); got != want {
		t.Errorf("%v gives\n%s", w, got)
	}
	sum := crc32.NewIEEE()
	for _, name := range []string{"queue", "priority-queue", "deque", "set", "cas-register", "kv", "counter", "mutex"} {
		sum.Write(encode(t, simulate.Workload{Model: name, Ops: 3000, Threads: 16, Seed: 1, Lost: 5}))
	}
	if got := sum.Sum32(); got != 0x619331c6 {
		t.Errorf("the sum of larger ones is %#x", got)
	}
}

// census counts operations by method and how they went.
type census struct {
	methods    map[string]int
	null, lost int
	open, most int
	sum        int // of the operations that are open, over all events
	events     int
}

func take(t *testing.T, w simulate.Workload) census {
	t.Helper()
	events, err := w.Events()
	if err != nil {
		t.Fatal(err)
	}
	c := census{methods: map[string]int{}}
	for ev := range events {
		switch ev.Type {
		case history.Invoke:
			c.methods[ev.Method]++
			c.open++
		case history.Info:
			c.lost++
			c.open--
		default:
			if ev.Result.Kind() == history.Null {
				c.null++
			}
			c.open--
		}
		c.events++
		c.sum += c.open
		c.most = max(c.most, c.open)
	}
	return c
}

func within(t *testing.T, what string, got, low, high int) {
	t.Helper()
	if got < low || got > high {
		t.Errorf("%s: %d, want %d to %d", what, got, low, high)
	}
}

func TestCensus(t *testing.T) {
	const n = 40_000
	for _, T := range []int{1, 4, 64} {
		c := take(t, simulate.Workload{Ops: n, Threads: T, Lost: 10})
		within(t, "lost", c.lost, n/130, n/80)
		within(t, "most open", c.most, T, T)
		within(t, "open in 10 events", 10*c.sum/c.events, 4*T, 10*T)
		within(t, "enqueue", c.methods["enqueue"], n*4/9*8/10, n*4/9*12/10)
		within(t, "dequeue", c.methods["dequeue"], n*4/9*8/10, n*4/9*12/10)
		within(t, "peek", c.methods["peek"], n/9*8/10, n/9*12/10)
		within(t, "null", c.null, n/1000, n/8)
	}
	c := take(t, simulate.Workload{Model: "kv", Ops: n, Mix: simulate.Mix{Insert: 1, Look: 6, Update: 1}})
	within(t, "put", c.methods["put"], n/9, n/7)
	within(t, "get", c.methods["get"], n*5/8, n*7/8)
	within(t, "cas", c.methods["cas"], n/9, n/7)
	within(t, "lost", c.lost, 0, 0)
}

// TestSets: whatever the values, all answers of a set are common.
func TestSets(t *testing.T) {
	const n = 30_000
	for _, values := range []int{0, 50} {
		for _, lost := range []int{0, 5} {
			answers := map[string]int{}
			h := build(t, simulate.Workload{Model: "set", Ops: n, Threads: 16, Values: values, Lost: lost})
			for i := range h.Ops {
				answers[fmt.Sprintf("%s %v", h.Ops[i].Method, h.Ops[i].Result)]++
			}
			within(t, "add true", answers["add true"], n/8, n*4/10)
			within(t, "remove true", answers["remove true"], n/8, n*3/10)
			within(t, "remove false", answers["remove false"], n/20, n/4)
			within(t, "contains true", answers["contains true"], n/20, n/4)
			within(t, "contains false", answers["contains false"], n/20, n/4)
		}
	}
}

// TestFill: at the end about that many elements are left, and a deep
// collection never was empty once it was full.
func TestFill(t *testing.T) {
	for _, name := range []string{"queue", "stack", "priority-queue", "deque"} {
		w := simulate.Workload{Model: name, Ops: 30_000, Threads: 16, Fill: 5000}
		h := build(t, w)
		size := 0
		for i := range h.Ops {
			op := &h.Ops[i]
			switch {
			case strings.HasPrefix(op.Method, "p") && op.Result.Kind() == history.Null && i > 1000:
				t.Fatalf("%v: operation %d found nothing", w, i)
			case len(op.Args) > 0:
				size++
			case !strings.HasPrefix(op.Method, "peek") && op.Result.Kind() == history.Int:
				size--
				if i < w.Fill {
					t.Fatalf("%v: operation %d removes before the %s is full", w, i, name)
				}
			}
		}
		within(t, name, size, w.Fill*3/4, w.Fill*5/4)
	}
}

// TestDistinct: without Values no value is inserted twice.
func TestDistinct(t *testing.T) {
	for _, name := range []string{"queue", "priority-queue", "set", "deque", "register", "kv"} {
		seen := map[history.Value]bool{}
		w := simulate.Workload{Model: name, Ops: 20_000, Threads: 8}
		h := build(t, w)
		for i := range h.Ops {
			op := &h.Ops[i]
			if len(op.Args) == 0 || op.Method == "remove" || op.Method == "contains" || op.Method == "get" {
				continue
			}
			v := op.Args[len(op.Args)-1]
			if seen[v] {
				t.Fatalf("%v: %v occurs twice", w, op)
			}
			seen[v] = true
		}
	}
}

// TestFarApart: the two values of a swap come out long after they went in.
func TestFarApart(t *testing.T) {
	for _, name := range []string{"queue", "stack", "priority-queue", "deque"} {
		sound := simulate.Workload{Model: name, Ops: 20_000, Threads: 8, Fill: 100, Seed: *seedFlag}
		w := sound
		w.Faults = []simulate.Fault{{Kind: simulate.Swap, Percent: 50}}
		h := build(t, w)
		within(t, "operations", len(h.Ops), w.Ops, w.Ops)
		// The first insertion after half of the operations that begins at rest
		// is that of the first value.
		first, at, gap, last := history.Value{}, -1, -1, int32(-1)
		for i := range h.Ops {
			op := &h.Ops[i]
			switch {
			case at < 0 && i >= w.Ops/2 && op.Call > last && len(op.Args) > 0:
				first, at = op.Args[0], i
			case at >= 0 && len(op.Args) == 0 && op.Result.Equal(first) && !strings.HasPrefix(op.Method, "peek"):
				gap = i - at
			}
			last = max(last, op.Return)
		}
		within(t, fmt.Sprintf("%v: operations between", w), gap, 100, w.Ops/4)
	}
}

// TestMemory: a million operations leave nothing behind.
func TestMemory(t *testing.T) {
	n := 1_000_000
	if testing.Short() {
		n = 200_000
	}
	for _, name := range []string{"queue", "set", "kv"} {
		events, err := simulate.Workload{Model: name, Ops: n, Threads: 16, Lost: 1}.Events()
		if err != nil {
			t.Fatal(err)
		}
		count, held := 0, uint64(0)
		var before, now runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		for range events {
			if count++; count%n == n/2 {
				runtime.GC()
				runtime.ReadMemStats(&now)
				held = max(held, max(now.HeapAlloc, before.HeapAlloc)-before.HeapAlloc)
			}
		}
		within(t, "events", count, 2*n-n/1000, 2*n)
		within(t, name+": bytes held", int(held), 0, 1<<20)
	}
}

// TestStop: whoever has seen enough may stop at any event.
func TestStop(t *testing.T) {
	w := simulate.Workload{Ops: 60, Threads: 3, Faults: []simulate.Fault{{Kind: simulate.Swap, Percent: 30}, {Kind: simulate.Wrong, Percent: 90}}}
	events, err := w.Events()
	if err != nil {
		t.Fatal(err)
	}
	for stop := 1; stop <= 120; stop++ {
		n := 0
		for range events {
			if n++; n == stop {
				break
			}
		}
		if n != stop {
			t.Fatalf("%d events, want %d", n, stop)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		w    simulate.Workload
		want string
	}{
		{simulate.Workload{Model: "heap"}, `no workload for a model "heap"; there are some for queue, `},
		{simulate.Workload{Model: "stack:2"}, `no workload for a model "stack:2"`},
		{simulate.Workload{Model: "queue:0"}, "capacity"},
		{simulate.Workload{Model: "queue:a", Faults: []simulate.Fault{{Kind: simulate.Swap}}}, "a queue of one element"},
		{simulate.Workload{Model: "queue:1", Faults: []simulate.Fault{{Kind: simulate.Swap}}}, "a queue of one element"},
		{simulate.Workload{Ops: -1}, "-1 operations"},
		{simulate.Workload{Threads: 1 << 30}, "threads: want 0 to"},
		{simulate.Workload{Lost: 1001}, "1001 lost operations in 1000"},
		{simulate.Workload{Mix: simulate.Mix{Update: 1}}, "a queue has no such operation"},
		{simulate.Workload{Mix: simulate.Mix{Insert: -1}}, "insert=-1"},
		{simulate.Workload{Model: "set", Faults: []simulate.Fault{{Kind: simulate.Swap}}}, "fault swap@0: a set has no order of values"},
		{simulate.Workload{Model: "mutex", Lost: 1, Faults: []simulate.Fault{{}}}, "it is unknown whether a mutex is held"},
		{simulate.Workload{Faults: []simulate.Fault{{Percent: 101}}}, "want a percentage"},
		{simulate.Workload{Faults: []simulate.Fault{{Kind: 7}}}, "fault kind 7"},
	} {
		if _, err := c.w.Events(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want %q", c.w, err, c.want)
		}
		if _, err := c.w.History(); err == nil {
			t.Errorf("%+v: a history", c.w)
		}
	}
}

func TestParse(t *testing.T) {
	for _, text := range []string{"insert=4,remove=4,look=1", "update=1000000"} {
		if m, err := simulate.ParseMix(text); err != nil || m.String() != text {
			t.Errorf("%s is %v, %v", text, m, err)
		}
	}
	for _, text := range []string{"", "insert", "insert=-1", "look=1,look=2", "peek=1", "insert=0", "insert=1000001"} {
		if _, err := simulate.ParseMix(text); err == nil {
			t.Errorf("mix %q is accepted", text)
		}
	}
	for _, text := range []string{"wrong@0", "swap@100"} {
		if f, err := simulate.ParseFault(text); err != nil || f.String() != text {
			t.Errorf("%s is %v, %v", text, f, err)
		}
	}
	for _, text := range []string{"", "wrong", "wrong@", "wrong@101", "swap@-1", "swap@1.5", "drop@5"} {
		if _, err := simulate.ParseFault(text); err == nil {
			t.Errorf("fault %q is accepted", text)
		}
	}
}

func TestString(t *testing.T) {
	w := simulate.Workload{Threads: 16, Seed: 3, Fill: 9, Mix: simulate.Mix{Insert: 2, Remove: 1}, Faults: []simulate.Fault{{Kind: simulate.Swap, Percent: 5}}}
	const want = "--simulate queue --threads 16 --ops 1000 --seed 3 --fill 9 --mix insert=2,remove=1 --fault swap@5"
	if got := w.String(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func BenchmarkEvents(b *testing.B) {
	for _, name := range []string{"queue", "priority-queue", "set", "kv"} {
		for _, n := range []int{1_000_000} {
			if testing.Short() {
				n /= 20
			}
			b.Run(fmt.Sprintf("spec=%s/n=%d/T=16", name, n), func(b *testing.B) {
				for b.Loop() {
					events, err := simulate.Workload{Model: name, Ops: n, Threads: 16, Seed: 1}.Events()
					if err != nil {
						b.Fatal(err)
					}
					for range events {
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/operation")
			})
		}
	}
}
