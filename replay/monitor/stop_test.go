package monitor_test

import (
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/monitor"
	"github.com/leadline/leadline/replay/ops"
	"github.com/leadline/leadline/replay/simulate"
)

// TestStop: a monitor that is told to stop is undecided, at whatever question,
// and asks no more.
func TestStop(t *testing.T) {
	t.Parallel()
	n, shaped, twice := 8000, 3000, 10000
	if *full {
		n, shaped, twice = 40000, 5000, 20000
	}
	for _, w := range []simulate.Workload{{Model: "queue"}, {Model: "stack"}, {Model: "priority-queue"}, {Model: "set"}, {Model: "kv"}, {Model: "set", Values: 100}} {
		w.Ops, w.Threads, w.Seed = n, 8, 1
		h, err := w.History()
		if err != nil {
			t.Fatal(err)
		}
		checkStop(t, h, collection(t, w.Model), monitor.Run, replay.Linearizable)
	}
	for _, s := range shapes {
		if s.wrong > 0 {
			checkStop(t, fromIntervals(t, s.ops(shaped), false), collection(t, "stack"), monitor.Run, replay.NotLinearizable)
		}
	}
	checkStop(t, fromIntervals(t, removedTwice(twice), false), collection(t, "set"), monitor.Run, replay.NotLinearizable)
}

func checkStop(t *testing.T, h *history.History, model replay.Spec, run func(*ops.Problem, *meter.Meter) replay.Finding, want replay.Answer) {
	t.Helper()
	questions := 0
	f := run(ops.New(h, model, 0), meter.New(func() bool { questions++; return false }))
	if questions < len(h.Ops)/5000 || f.Answer != want {
		t.Errorf("%s: %d questions, %v", model.Name(), questions, f.Answer)
	}
	for k := range questions {
		asked := 0
		f := run(ops.New(h, model, 0), meter.New(func() bool { asked++; return asked > k }))
		if f.Cause != replay.Time || f.Answer != replay.Undecided || asked > k+1 {
			t.Fatalf("%s, stopped at question %d: %v, %v, asked %d times", model.Name(), k, f.Cause, f.Answer, asked)
		}
	}
}

// removedTwice has n additions of a value that are open at once, and n removals
// and one more.
func removedTwice(n int) []loose {
	var list []loose
	for i := range n {
		list = append(list, loose{"add", smallInt(1), history.BoolValue(true), float64(-i), float64(i + 1)})
	}
	for i := range n + 1 {
		list = append(list, loose{"remove", smallInt(1), history.BoolValue(true), float64(i) + 1.5, float64(2*n + i)})
	}
	return list
}

// TestWork: the work that a monitor counts grows with the length of the history
// and not faster, also where it looks for a conflict, and reading is not all that
// it counts.
func TestWork(t *testing.T) {
	work := func(list []loose, model string, want replay.Answer) int64 {
		m := meter.New(nil)
		h := fromIntervals(t, list, false)
		if f := monitor.Run(ops.New(h, collection(t, model), 0), m); f.Answer != want {
			t.Fatalf("%s, %d operations: %v, want %v", model, len(list), f.Answer, want)
		}
		if m.Spent() < int64(len(list))*3/2 {
			t.Errorf("%s: %d operations, but only %d units of work", model, len(list), m.Spent())
		}
		return m.Spent()
	}
	for _, s := range shapes {
		want := replay.Linearizable
		if s.wrong > 0 {
			want = replay.NotLinearizable
		}
		if few, many := work(s.ops(1000), "stack", want), work(s.ops(8000), "stack", want); many > 8*few+few {
			t.Errorf("%s: %d units of work for 1000 values, %d for 8000", s.name, few, many)
		}
	}
	if few, many := work(removedTwice(1000), "set", replay.NotLinearizable), work(removedTwice(8000), "set", replay.NotLinearizable); many > 9*few {
		t.Errorf("%d units of work for 1000 additions, %d for 8000", few, many)
	}
	work(removedTwice(1000)[:2000], "set", replay.Linearizable)
}
