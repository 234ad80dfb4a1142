package stress

import (
	"slices"
	"testing"
	"time"
)

// TestEffortBounds: a bound is reached exactly there, and no bound never is. What is left of one is never none.
func TestEffortBounds(t *testing.T) {
	e := Effort{Executions: 10, Schedules: 20, Steps: 100, Time: time.Second}
	for _, test := range []struct {
		effort, used Effort
		want         string
	}{
		{e, Effort{Executions: 9, Schedules: 19, Steps: 99, Time: time.Second - 1}, ""},
		{e, Effort{Schedules: 20}, "20 schedules"},
		{e, Effort{Executions: 10}, "10 executions"},
		{e, Effort{Steps: 100}, "100 steps"},
		{e, Effort{Time: time.Second}, "1s on the clock"},
		{Effort{Time: time.Second}, Effort{Executions: 1 << 40, Steps: 1 << 40}, ""},
		{Effort{Executions: 1}, Effort{Time: time.Hour, Steps: 5}, ""},
	} {
		if got := test.effort.Over(test.used); got != test.want {
			t.Errorf("%+v, %+v used: %q, want %q", test.effort, test.used, got, test.want)
		}
	}
	if got, want := e.left(Effort{Executions: 4, Schedules: 8, Steps: 200, Time: time.Second / 2}, 2), (Effort{Executions: 3, Schedules: 6, Steps: 1, Time: time.Second / 4}); got != want {
		t.Errorf("%+v is left, want %+v", got, want)
	}
	if got := (Effort{Time: time.Second}).left(Effort{Executions: 7, Steps: 7}, 1); got != (Effort{Time: time.Second}) {
		t.Errorf("no bound became %+v", got)
	}
	for _, test := range []struct{ given, want Effort }{
		{Effort{}, QuickEffort},
		{Effort{Time: time.Hour}, Effort{Time: time.Hour, Program: QuickEffort.Program}},
		{Effort{Executions: 3}, Effort{Executions: 3, Program: QuickEffort.Program}},
		{Effort{Program: time.Minute}, Effort{QuickEffort.Executions, QuickEffort.Schedules, QuickEffort.Steps, 2 * time.Minute, time.Minute}},
	} {
		if got := test.given.Or(QuickEffort); got != test.want {
			t.Errorf("%+v becomes %+v, want %+v", test.given, got, test.want)
		}
	}
}

// TestReduceCut: a reduction that has no time says so.
func TestReduceCut(t *testing.T) {
	inc := Invocation{Method: &Method{Name: "inc"}}
	p := &Program{Sequences: [][]Invocation{{inc, inc}, {inc}}}
	s := &searcher{ctx: t.Context(), report: &Report{}, start: time.Now(), end: time.Now()}
	f := &Finding{Seen: Seen{Expected: &Expected{Program: p}}}
	if s.reduce(f); !slices.Equal(f.Cut, []string{"reduced further"}) || f.Unfinished() != "cut short: not reduced further" {
		t.Errorf("%q, %s", f.Cut, f.Unfinished())
	}
}
