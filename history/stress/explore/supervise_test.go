package explore_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	bodies "github.com/leadline/leadline/history/explore"
	"github.com/leadline/leadline/history/explore/worker"
	"github.com/leadline/leadline/history/stress"
)

// TestSuperviseSchedules: another process replays a violation, and runs its program
// without a scheduler.
func TestSuperviseSchedules(t *testing.T) {
	threads := 0
	r, err := stress.Supervise(context.Background(), child("hits"), stress.Options{Programs: []string{"{ Inc(); Get() } || { Locked(); Atomic() }"},
		Effort:    stress.Effort{Time: patience, Program: time.Millisecond},
		OnThreads: func() *worker.Program { threads++; p := child("hits"); p.Schedules = false; return &p }})
	if err != nil || len(r.Findings) != 1 || threads != 1 {
		t.Fatal(r, err, threads)
	}
	f := r.Findings[0]
	s := f.Scheduled
	if s.ThreadsFailed != "" || s.Replayed != 1000 || s.Elsewhere != 10 || s.ThreadExecutions == 0 {
		t.Errorf("%+v", s)
	}
	if p := f.Program; p != "{ Inc() } || { Atomic() }" && p != "{ Inc() } || { Locked() }" {
		t.Errorf("the program is reduced to %s", p)
	}
	replayed, err := stress.Replay(context.Background(), child("hits"), stress.Options{}, f.Program, s.Schedule)
	if err != nil || !replayed.Violates || replayed.Outcome != f.Outcome || replayed.Same != replayed.Times {
		t.Errorf("the replay is %+v, %v", replayed, err)
	}
	var text strings.Builder
	if err := bodies.WriteSteps(&text, replayed.Steps); err != nil || !strings.Contains(text.String(), "read explore/explore_test.go:") {
		t.Errorf("the steps are\n%s%v", &text, err)
	}
	t.Logf("%s\n%s", f.Program, &text)
	if _, err := stress.Replay(context.Background(), child("hits"), stress.Options{}, "{ Inc() } || { Inc() }", "0^3 7"); err == nil {
		t.Error("a schedule of another program is replayed")
	}
	// The object differs from one process to the next.
	r, err = stress.Supervise(context.Background(), child("differs"), stress.Options{Programs: []string{"{ Inc() } || { Inc() }"}})
	if err != nil || len(r.Findings) > 0 || len(r.Explored.Diverging) != 1 {
		t.Errorf("findings %v, diverging %v, %v", r.Findings, r.Explored, err)
	}
	// The process without a scheduler ends early.
	r, err = stress.Supervise(context.Background(), child("hits"), stress.Options{Programs: []string{"{ Inc() } || { Atomic() }"},
		OnThreads: func() *worker.Program { p := child("nothing of that name"); return &p }})
	if err != nil || len(r.Findings) != 1 {
		t.Fatal(r, err)
	}
	if line := r.Findings[0].Scheduled.RealThreads(); !strings.HasPrefix(line, "the run on real threads failed: the process ended early: ") {
		t.Errorf("%q", line)
	}
	// The other process ends early.
	once := child("once")
	once.Env = []string{"STRESS_TEST_STARTED=" + filepath.Join(t.TempDir(), "started")}
	r, err = stress.Supervise(context.Background(), once, stress.Options{Programs: []string{"{ Inc() } || { Atomic() }"}})
	if err != nil || len(r.Findings) > 0 || len(r.Explored.Diverging) > 0 || len(r.Explored.Unverified) != 1 {
		t.Fatalf("findings %v, %+v, %v", r.Findings, r.Explored, err)
	}
	if lines := r.Explored.Remarks(); len(lines) != 1 || !strings.HasPrefix(lines[0], "1 violation could not be replayed in another process, as { Inc() } || { Atomic() }: ") {
		t.Errorf("%q", lines)
	}
}
