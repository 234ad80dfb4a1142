package window_test

import (
	"flag"
	"fmt"
	"testing"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/ops"
	"github.com/leadline/leadline/replay/search"
	"github.com/leadline/leadline/replay/spec"
)

var (
	seedFlag = flag.Uint64("seed", 1, "seed of the random histories")
	full     = flag.Bool("full", false, "run the tests in full size, as .ci/run full does")
)

func lookup(t testing.TB, text string) replay.Spec {
	t.Helper()
	s, err := spec.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// checkFinding compares a finding, and replays its witness.
func checkFinding(t *testing.T, name string, h *history.History, s replay.Spec, f replay.Finding, want replay.Answer) {
	t.Helper()
	if f.Answer != want {
		t.Errorf("%s, %d operations of %s: %v (%v), want %v", name, len(h.Ops), s.Name(), f.Answer, f.Cause, want)
	}
	if f.Answer == replay.Linearizable {
		if err := replay.Verify(h, s, f.Witness, nil); err != nil {
			t.Errorf("%s, %d operations of %s: %v", name, len(h.Ops), s.Name(), err)
		}
	}
}

// searched is the verdict of the complete search.
func searched(t *testing.T, h *history.History, s replay.Spec) replay.Verdict {
	t.Helper()
	var v replay.Verdict
	v.Finding = search.Run(ops.New(h, s, 1<<26), nil)
	return v
}

func show(h *history.History) string {
	text := ""
	for i := range h.Ops {
		op := &h.Ops[i]
		text += fmt.Sprintf("%3d: process %d, %d to %d, %v %v\n", i, op.Process, op.Call, op.Return, op, op.Happened)
	}
	return text + fmt.Sprintln(h.Edges)
}
