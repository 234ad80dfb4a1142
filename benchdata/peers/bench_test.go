package peers_test

import (
	"context"
	"flag"
	"fmt"
	"path"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/leadline/leadline/benchdata/corpora"
	"github.com/leadline/leadline/benchdata/peers"
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/spec"
)

var (
	eachFlag  = flag.Duration("each", 20*time.Second, "bound on the CPU time of either checker on one history")
	bytesFlag = flag.Uint64("bytes", 4<<30, "bound on the heap that porcupine may fill")
)

// tooLarge are the workloads that porcupine needs more memory for than is
// sensible; it is not asked.
func tooLarge(w peers.Workload) bool {
	return w.Type == "queue" && w.Ops >= 10000
}

// A race is the time that each of the two has used, in turns.
type race struct {
	leadline, porcupine time.Duration
	unfinished          int // runs of porcupine that were stopped
	undecided           int // of leadline
}

// bounded returns a context that is done when the process has used as much CPU
// time as -each says: on a machine with other work that is another moment
// than that much later.
func bounded() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	end := cpu() + *eachFlag
	go func() {
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if cpu() > end {
				cancel()
			}
		}
	}()
	return ctx, cancel
}

func (c *race) leadlineRuns(b *testing.B, h *history.History, s replay.Spec, o replay.Options) replay.Answer {
	ctx, cancel := bounded()
	defer cancel()
	from := cpu()
	v, err := decide.Check(ctx, h, s, o)
	c.leadline += cpu() - from
	if err != nil {
		b.Fatal(err)
	}
	if v.Answer == replay.Undecided {
		c.undecided++
		b.Logf("leadline stopped: %v", v.Cause)
	}
	return v.Answer
}

func (c *race) porcupineRuns(ask func(context.Context) porcupine.CheckResult) replay.Answer {
	ctx, cancel := bounded()
	defer cancel()
	from := cpu()
	result := ask(ctx)
	c.porcupine += cpu() - from
	switch result {
	case porcupine.Ok:
		return replay.Linearizable
	case porcupine.Illegal:
		return replay.NotLinearizable
	}
	c.unfinished++ // after -each, or for -bytes
	return replay.Undecided
}

// report has the CPU microseconds of each per run, and how many times more
// porcupine used. Where porcupine was stopped, it would have used more than
// that; where leadline was, there is no ratio.
func (c *race) report(b *testing.B, runs int) {
	each := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 / float64(runs) }
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(each(c.leadline), "leadline-µs")
	if c.undecided > 0 {
		b.ReportMetric(float64(c.undecided)/float64(runs), "leadline-undecided")
	}
	if c.porcupine == 0 {
		return // it was not asked
	}
	b.ReportMetric(each(c.porcupine), "porcupine-µs")
	ratio := float64(c.porcupine) / float64(max(c.leadline, 1))
	if c.unfinished > 0 {
		b.ReportMetric(float64(c.unfinished)/float64(runs), "porcupine-unfinished")
	}
	switch {
	case c.undecided > 0:
	case c.unfinished > 0:
		b.ReportMetric(ratio, "ratio-at-least")
	default:
		b.ReportMetric(ratio, "ratio")
	}
}

func agree(b *testing.B, ours, theirs replay.Answer) {
	if ours != theirs && ours != replay.Undecided && theirs != replay.Undecided {
		b.Fatalf("leadline says %v, porcupine %v", ours, theirs)
	}
}

// BenchmarkSimulated has both check the same histories of atomic objects,
// porcupine with models written by hand. CPU time is that of the process.
func BenchmarkSimulated(b *testing.B) {
	workloads := []peers.Workload{{Type: "kv", Ops: 10000, Threads: 50, Seed: 1}}
	for _, typ := range peers.Types {
		for _, n := range []int{100, 1000, 10000} {
			for _, threads := range []int{4, 16} {
				workloads = append(workloads, peers.Workload{Type: typ, Ops: n, Threads: threads, Seed: 1})
			}
		}
	}
	for _, w := range workloads {
		if testing.Short() && (w.Ops > 1000 || w.Threads > 4) {
			continue
		}
		for _, engine := range []replay.Engine{replay.AutoEngine, replay.SearchEngine} {
			if engine == replay.AutoEngine || w.Ops <= 1000 {
				b.Run(fmt.Sprintf("%v/engine=%v", w, engine), func(b *testing.B) { simulated(b, w, engine) })
			}
		}
	}
}

func simulated(b *testing.B, w peers.Workload, engine replay.Engine) {
	h, s, err := peers.Simulate(w)
	if err != nil {
		b.Fatal(err)
	}
	model, ops, err := peers.Native(w.Type, h)
	if err != nil {
		b.Fatal(err)
	}
	o := replay.Options{Engine: engine}
	var c race
	runs := 0
	for b.Loop() {
		runs++
		runtime.GC()
		ours := c.leadlineRuns(b, h, s, o)
		runtime.GC()
		theirs := replay.Undecided
		if !tooLarge(w) {
			theirs = c.porcupineRuns(func(ctx context.Context) porcupine.CheckResult { return peers.Bounded(ctx, model, ops, *bytesFlag) })
		}
		agree(b, ours, theirs)
		if ours == replay.NotLinearizable {
			b.Fatal("a history of an atomic object is not-linearizable")
		}
	}
	c.report(b, runs)
}

// A recorded history of java.util.concurrent, ready for both.
type recorded struct {
	h     *history.History
	s     replay.Spec
	model porcupine.Model
	ops   []porcupine.Operation
}

// small returns the recorded histories of 8 to 18 operations without pending
// ones, at most 10,000.
func small(b *testing.B) []recorded {
	entries, err := corpora.FS.ReadDir("juc")
	if err != nil {
		b.Fatal(err)
	}
	specs := map[string]replay.Spec{}
	models := map[string]porcupine.Model{}
	var all []recorded
	for _, e := range entries {
		name := path.Join("juc", e.Name())
		file, err := corpora.FS.Open(name)
		if err != nil {
			b.Fatal(err)
		}
		for h, err := range codec.Decode(file, name, codec.Options{}) {
			if err != nil {
				b.Fatal(err)
			}
			key := fmt.Sprint(h.Model, h.ModelArgs)
			if specs[key] == nil {
				s, err := spec.Lookup(h.Model, h.ModelArgs)
				if err != nil {
					b.Fatal(err)
				}
				model, err := peers.Model(s)
				if err != nil {
					b.Fatal(err)
				}
				specs[key], models[key] = s, model
			}
			if n := len(h.Ops); n >= 8 && n <= 18 && h.Pending() == 0 && len(all) < 10000 {
				all = append(all, recorded{h, specs[key], models[key], peers.Operations(h, func(int) bool { return true })})
			}
		}
		file.Close()
	}
	return all
}

// batch is how many histories each checks before it is the other's turn:
// the clock of CPU time is too coarse for one.
const batch = 500

// BenchmarkSmall has both check recorded histories of java.util.concurrent,
// bulk operations included, porcupine with models made by peers.Model, and
// gives the time per history. leadline is asked up to its default depth.
func BenchmarkSmall(b *testing.B) {
	all := small(b)
	for _, engine := range []replay.Engine{replay.AutoEngine, replay.SearchEngine} {
		b.Run(fmt.Sprintf("type=juc/n=8-18/histories=%d/engine=%v", len(all), engine), func(b *testing.B) {
			var c race
			runs := 0
			ours := make([]replay.Answer, batch)
			for b.Loop() {
				runs += len(all)
				for from := 0; from < len(all); from += batch {
					part := all[from:min(from+batch, len(all))]
					c.smallBatch(b, part, ours, engine)
				}
			}
			c.report(b, runs)
		})
	}
}

func (c *race) smallBatch(b *testing.B, part []recorded, ours []replay.Answer, engine replay.Engine) {
	start := cpu()
	for i, x := range part {
		v, err := decide.Check(context.Background(), x.h, x.s, replay.Options{Engine: engine})
		if err != nil {
			b.Fatal(err)
		}
		ours[i] = v.Answer
	}
	turn := cpu()
	c.leadline += turn - start
	var theirs [batch]bool
	for i, x := range part {
		theirs[i] = porcupine.CheckOperations(x.model, x.ops)
	}
	c.porcupine += cpu() - turn
	for i, x := range part {
		if theirs[i] != (ours[i] == replay.Linearizable) {
			b.Errorf("history %s of %s: leadline says %v, porcupine %v", x.h.ID, x.h.Model, ours[i], theirs[i])
		}
	}
}

// TestNative holds the models written by hand against those made of
// specifications, on small histories of Simulate.
func TestNative(t *testing.T) {
	for _, typ := range peers.Types {
		for seed := range uint64(300) {
			h, s, err := peers.Simulate(peers.Workload{Type: typ, Ops: 12, Threads: 3, Seed: seed, Keys: 2})
			if err != nil {
				t.Fatal(err)
			}
			if seed%2 == 1 {
				spoil(h)
			}
			native, ops, err := peers.Native(typ, h)
			if err != nil {
				t.Fatal(err)
			}
			made, err := peers.Model(s)
			if err != nil {
				t.Fatal(err)
			}
			want, err := peers.Check(h, made, 0)
			if err != nil {
				t.Fatal(err)
			}
			if got := peers.Bounded(context.Background(), native, ops, 1<<40); got != want {
				t.Errorf("%s: the model written by hand says %v, the other %v", strings.ReplaceAll(h.ID, "/", " "), got, want)
			}
			if want != porcupine.Ok && seed%2 == 0 {
				t.Errorf("%s is %v", h.ID, want)
			}
		}
	}
}

// spoil exchanges the first two different results of one method.
func spoil(h *history.History) {
	for i := range h.Ops {
		for j := range i {
			x, y := &h.Ops[i], &h.Ops[j]
			if x.Method == y.Method && !x.Result.Equal(y.Result) {
				x.Result, y.Result = y.Result, x.Result
				return
			}
		}
	}
}
