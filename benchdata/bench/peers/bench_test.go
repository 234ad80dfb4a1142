package peers_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/leadline/leadline/benchdata/bench/peers"
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide"
	"github.com/leadline/leadline/replay/simulate"
)

var (
	eachFlag  = flag.Duration("each", 20*time.Second, "limit on the CPU time of each checker per history")
	bytesFlag = flag.Uint64("bytes", 4<<30, "limit on the heap that porcupine may use")
	etcdFlag  = flag.String("etcd", "../../../shared/histories/etcd", "directory of etcd logs")
)

// checked are the workloads of BenchmarkCheck. Collections hold about 4 values:
// with more, porcupine rarely finishes.
func checked() []simulate.Workload {
	list := []simulate.Workload{{Model: "kv", Ops: 100_000, Threads: 50, Seed: 1}}
	for _, model := range []string{"queue", "stack", "priority-queue", "set", "kv"} {
		for _, n := range []int{100, 1000, 10_000, 100_000} {
			for _, threads := range []int{4, 16} {
				list = append(list, simulate.Workload{Model: model, Ops: n, Threads: threads, Seed: 1, Fill: 4})
			}
		}
	}
	return list
}

// finishes reports whether porcupine takes seconds rather than hours, as
// measured by this benchmark. leadline's search alone has about the same
// limits.
func finishes(w simulate.Workload) bool {
	switch w.Model {
	case "queue", "stack":
		return w.Threads <= 4 && w.Ops <= 1000
	case "priority-queue":
		return w.Threads <= 4 || w.Ops <= 10_000
	}
	return true
}

// BenchmarkCheck measures each engine on histories of atomic objects.
// engine=leadline is leadline's default, and engine=search is its complete
// search alone. engine=both runs leadline and porcupine in turns on the same
// history, so that the ratio is valid on a machine with other work.
func BenchmarkCheck(b *testing.B) {
	for _, w := range checked() {
		if testing.Short() && (w.Ops > 1000 || w.Threads > 4) {
			continue
		}
		name := fmt.Sprintf("type=%s/n=%d/T=%d/engine=", w.Model, w.Ops, w.Threads)
		b.Run(name+"leadline", func(b *testing.B) { leadline(b, w, replay.Options{}) })
		if w.Ops <= 1000 && finishes(w) {
			b.Run(name+"search", func(b *testing.B) { leadline(b, w, replay.Options{Engine: replay.SearchEngine}) })
		}
		if finishes(w) {
			b.Run(name+"porcupine", func(b *testing.B) { porcupineAlone(b, w) })
			b.Run(name+"both", func(b *testing.B) { inTurns(b, question(b, w)) })
		}
	}
}

func question(b *testing.B, w simulate.Workload) peers.Question {
	h, err := w.History()
	if err != nil {
		b.Fatal(err)
	}
	return questionOf(b, h)
}

func questionOf(b *testing.B, h *history.History) peers.Question {
	q, err := peers.NewQuestion(h)
	if err != nil {
		b.Fatal(err)
	}
	return q
}

func leadline(b *testing.B, w simulate.Workload, o replay.Options) {
	q := question(b, w)
	for b.Loop() {
		var c race
		if c.leadlineRuns(b, q, o) == replay.NotLinearizable {
			b.Fatal("a history of an atomic object is not-linearizable")
		}
		if c.undecided > 0 {
			b.ReportMetric(1, "undecided")
		}
	}
}

func porcupineAlone(b *testing.B, w simulate.Workload) {
	q := question(b, w)
	for b.Loop() {
		var c race
		c.porcupineRuns(q)
		if c.unfinished > 0 {
			b.ReportMetric(1, "undecided")
		}
	}
}

func inTurns(b *testing.B, q peers.Question) {
	var c race
	runs := 0
	for b.Loop() {
		runs++
		runtime.GC()
		ours := c.leadlineRuns(b, q, replay.Options{})
		runtime.GC()
		theirs := c.porcupineRuns(q)
		if ours != theirs && ours != replay.Undecided && theirs != replay.Undecided {
			b.Fatalf("leadline reports %v, porcupine %v", ours, theirs)
		}
	}
	c.report(b, runs)
}

// A race is the CPU time that each checker has used.
type race struct {
	peers.Times
	unfinished int // runs of porcupine that were stopped
	undecided  int // of leadline
}

// bounded returns a context that is done when the process has used the CPU time
// of -each. On a machine with other work, that takes longer on the clock.
func bounded() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	end := peers.CPU() + *eachFlag
	go func() {
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if peers.CPU() > end {
				cancel()
			}
		}
	}()
	return ctx, cancel
}

func (c *race) leadlineRuns(b *testing.B, q peers.Question, o replay.Options) replay.Answer {
	ctx, cancel := bounded()
	defer cancel()
	from := peers.CPU()
	v, err := decide.Check(ctx, q.History, q.Spec, o)
	c.Leadline += peers.CPU() - from
	if err != nil {
		b.Fatal(err)
	}
	if v.Answer == replay.Undecided {
		c.undecided++
		b.Logf("leadline stopped: %v", v.Cause)
	}
	return v.Answer
}

func (c *race) porcupineRuns(q peers.Question) replay.Answer {
	ctx, cancel := bounded()
	defer cancel()
	from := peers.CPU()
	result := peers.Bounded(ctx, q.Model, q.Ops, *bytesFlag)
	c.Porcupine += peers.CPU() - from
	switch result {
	case porcupine.Ok:
		return replay.Linearizable
	case porcupine.Illegal:
		return replay.NotLinearizable
	}
	c.unfinished++ // after -each, or for -bytes
	return replay.Undecided
}

// report reports the CPU time of each per run in microseconds, and the ratio of
// porcupine's to leadline's. If porcupine was stopped, the ratio is a lower
// bound; if leadline was, there is no ratio.
func (c *race) report(b *testing.B, runs int) {
	each := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 / float64(runs) }
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(each(c.Leadline), "leadline-µs")
	b.ReportMetric(each(c.Porcupine), "porcupine-µs")
	if c.undecided > 0 {
		b.ReportMetric(float64(c.undecided)/float64(runs), "leadline-undecided")
	}
	if c.unfinished > 0 {
		b.ReportMetric(float64(c.unfinished)/float64(runs), "porcupine-unfinished")
	}
	switch {
	case c.undecided > 0:
	case c.unfinished > 0:
		b.ReportMetric(c.Ratio(), "ratio-at-least")
	default:
		b.ReportMetric(c.Ratio(), "ratio")
	}
}

// BenchmarkTraffic runs both in turns on the traffic of etcd, and with a stale read. No response is
// lost, since the adapter has no pending operations. Porcupine does not know that revisions order
// the operations.
func BenchmarkTraffic(b *testing.B) {
	for _, t := range []simulate.Traffic{
		{Clients: 8, Operations: 1000}, {Clients: 8, Operations: 1000, Fault: "stale read"}, {Clients: 12, Operations: 1000},
		{Clients: 20, Operations: 1000, Fault: "stale read"}, {Clients: 30, Operations: 1000}, {Clients: 50, Operations: 2000},
		{Clients: 50, Operations: 5000, Keys: 100},
	} {
		if testing.Short() && t.Clients > 8 {
			continue
		}
		t.Keys, t.Seed = max(t.Keys, 10), 1
		b.Run(fmt.Sprintf("clients=%d/n=%d/keys=%d/fault=%s/engine=both", t.Clients, t.Operations, t.Keys, t.Fault), func(b *testing.B) {
			h, _, err := t.History()
			if err != nil {
				b.Fatal(err)
			}
			inTurns(b, questionOf(b, h))
		})
	}
}

// BenchmarkSmall runs both in turns on recorded histories of
// java.util.concurrent, bulk operations included, and reports the time per
// history.
func BenchmarkSmall(b *testing.B) {
	all, err := peers.Small()
	if err != nil {
		b.Fatal(err)
	}
	recorded(b, fmt.Sprintf("type=juc/n=8-18/histories=%d", len(all)), all)
}

// BenchmarkEtcd does the same with Jepsen's logs of etcd, which are not part of
// the project.
func BenchmarkEtcd(b *testing.B) {
	if _, err := os.Stat(*etcdFlag); err != nil {
		b.Skipf("no logs of etcd: %v; set -etcd to their directory", err)
	}
	all, err := peers.Logs(*etcdFlag)
	if err != nil {
		b.Fatal(err)
	}
	recorded(b, fmt.Sprintf("type=cas-register/histories=%d", len(all)), all)
}

func recorded(b *testing.B, name string, all []peers.Question) {
	for _, engine := range []replay.Engine{replay.AutoEngine, replay.SearchEngine} {
		b.Run(fmt.Sprintf("%s/engine=both/leadline=%v", name, engine), func(b *testing.B) {
			var c race
			runs := 0
			for b.Loop() {
				runs += len(all)
				t, err := peers.Race(all, replay.Options{Engine: engine})
				if err != nil {
					b.Fatal(err)
				}
				c.Leadline += t.Leadline
				c.Porcupine += t.Porcupine
			}
			c.report(b, runs)
		})
	}
}
