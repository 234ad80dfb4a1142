package explore_test

import (
	"strings"
	"testing"
	"time"

	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/history/stress/explore"
	"github.com/leadline/leadline/replay/stresstest"
)

// TestWithoutBound: after the schedules with few preemptions come all others, as far as they
// differ by more than the order of independent steps.
func TestWithoutBound(t *testing.T) {
	c := classOf(t, func() *hits { return &hits{} }, stress.ReflectOptions{})
	for preemptions, want := range map[int]string{
		-1: "1 complete to 3 preemptions, 1 complete without a bound",
		1:  "1 complete to 1 preemption",
	} {
		r, err := stress.Search(t.Context(), c, stress.Options{Executor: explore.New, Preemptions: preemptions, Effort: stress.Effort{Time: patience, Program: time.Millisecond},
			Programs: []string{"{ Atomic(); Atomic() } || { Atomic(); Atomic() } || { Atomic() }"}, Checker: stresstest.Checker(nil)})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Coverage(); !strings.HasSuffix(got, want) {
			t.Errorf("%d preemptions: %s, want %s", preemptions, got, want)
		}
	}
}
