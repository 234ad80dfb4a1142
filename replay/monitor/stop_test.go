package monitor_test

import (
	"testing"

	"github.com/leadline/leadline/history/stress/simulate"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/monitor"
)

// TestStop: a monitor that is told to stop declines, at whatever question, and
// leaves the verdict alone.
func TestStop(t *testing.T) {
	for _, name := range []string{"queue", "stack", "priority-queue", "set", "kv"} {
		h, err := simulate.Workload{Model: name, Ops: 40000, Threads: 8, Seed: 1}.History()
		if err != nil {
			t.Fatal(err)
		}
		model := collection(t, name)
		questions := 0
		var v replay.Verdict
		v.Finding = monitor.Run(h, model, meter.New(func() bool { questions++; return false }))
		if questions < len(h.Ops)/5000 || v.Answer != replay.Linearizable {
			t.Errorf("%s: %d questions, %v", name, questions, v.Answer)
		}
		for k := range questions {
			asked := 0
			var v replay.Verdict
			v.Finding = monitor.Run(h, model, meter.New(func() bool { asked++; return asked > k }))
			if v.Reason == "" || v.Answer != replay.Undecided || asked > k+1 {
				t.Fatalf("%s, stopped at question %d: declined %q, %v, asked %d times", name, k, v.Reason, v.Answer, asked)
			}
		}
	}
}
