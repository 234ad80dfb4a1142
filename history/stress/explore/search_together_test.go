package explore_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/history/stress/explore"
)

// A swap exchanges the values of two callers, each of which waits for the other. If it is
// hasty, two callers may both be the first.
type swap struct {
	lock  latch
	first *offer
	hasty bool
}

type offer struct {
	value, other int
	done         cell
}

func (s *swap) Exchange(v int) int {
	s.lock.lock()
	o := s.first
	if s.hasty {
		s.lock.unlock()
		s.lock.lock()
	}
	if o != nil {
		s.first = nil
		s.lock.unlock()
		o.other = v
		o.done.store(1)
		return o.value
	}
	o = &offer{value: v}
	s.first = o
	s.lock.unlock()
	o.done.await()
	return o.other
}

// TestSearchTogether: programs of a type whose only method waits for another call are run,
// if the calls enable each other. The report says how many do not.
func TestSearchTogether(t *testing.T) {
	for _, hasty := range []bool{false, true} {
		c := classOf(t, func() *swap { return &swap{hasty: hasty} }, stress.ReflectOptions{})
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		programs := 0
		r, err := searchUntil(ctx, c, stress.Options{Executor: explore.New, Effort: stress.Effort{Time: patience, Program: time.Millisecond}, Bounds: stress.Bounds{MaxInvocations: 4},
			Starting: func(string, string) {
				if programs++; programs == 40 {
					stop()
				}
			}})
		if err != nil || len(r.Findings) > 0 != hasty || !hasty && (r.Together < 5 || r.Hopeless < 5 || r.Explored.Judged == 0) || len(r.Explored.Diverging) > 0 {
			t.Fatalf("hasty %v: %+v, %v", hasty, r, err)
		}
		text := strings.Join(stress.Tried([]*stress.Report{r}), "\n")
		if left := r.Account.LeftOut; !hasty && (!strings.Contains(text, "programs were compared with runs in which") || len(left) == 0 || left[0].Programs != r.Hopeless) {
			t.Errorf("%s, left out %v", text, left)
		}
		for _, f := range r.Findings {
			isViolation(t, f.History)
		}
	}
	// Given programs are run in any case.
	c := classOf(t, func() *swap { return &swap{} }, stress.ReflectOptions{})
	r, err := searchUntil(t.Context(), c, stress.Options{Executor: explore.New, Effort: stress.Effort{Time: patience, Program: time.Millisecond},
		Programs: []string{"{ Exchange(0) } || { Exchange(1) }", "{ Exchange(0) } [ Exchange(1) ]"}})
	if err != nil || len(r.Findings) > 0 || r.Together != 1 || r.Hopeless != 1 || r.Programs != 2 {
		t.Errorf("%+v, %v", r, err)
	}
}
