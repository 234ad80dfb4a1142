package explore_test

import (
	"slices"
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
		-1: "3 sequences of 5 calls: 1 program, complete without a bound",
		1:  "3 sequences of 5 calls: 1 program, complete to 1 preemption",
	} {
		r, err := stress.Search(t.Context(), c, stress.Options{Executor: explore.New, Preemptions: preemptions, Effort: stress.Effort{Time: patience, Program: time.Millisecond},
			Programs: []string{"{ Atomic(); Atomic() } || { Atomic(); Atomic() } || { Atomic() }"}, Checker: stresstest.Checker(nil)})
		if err != nil {
			t.Fatal(err)
		}
		if got := stress.Tried([]*stress.Report{r}); !slices.Contains(got, want) {
			t.Errorf("%d preemptions: %q, want %q", preemptions, got, want)
		}
	}
}
