package stress

import (
	"context"
	"errors"
	"testing"

	"github.com/leadline/leadline/history/stress/worker"
)

// A process that crashed before it explored anything has no report of that.
func TestIsEnough(t *testing.T) {
	for _, test := range []struct {
		r    Report
		want bool
	}{
		{Report{Crashes: []Crash{{}}}, true},
		{Report{}, true},
		{Report{Explored: &Explored{}, Findings: []*Finding{{}}}, true},
		{Report{Explored: &Explored{}, Crashes: []Crash{{}}}, true},
		{Report{Explored: &Explored{}}, false},
	} {
		if got := isEnough(&test.r); got != test.want {
			t.Errorf("%+v: %v", test.r, got)
		}
	}
}

// Without a program for schedules, threads search alone.
func TestBothThreads(t *testing.T) {
	threads := func(context.Context, Options) (*Report, error) { return &Report{}, nil }
	none := func(context.Context, bool) (*worker.Program, error) { return nil, errors.New("no Go tool\nand more") }
	for _, alone := range []bool{false, true} {
		list, err := Both(t.Context(), threads, none, Options{Threads: alone})
		if err != nil || len(list) != 1 || (list[0].NoSchedules == "no Go tool") == alone {
			t.Errorf("alone %v: %+v, %v", alone, list, err)
		}
	}
}

// TestBothTells: a violation that threads and schedules find is reported once, with its schedule.
func TestBothTells(t *testing.T) {
	a, b := &Finding{Methods: []string{"a"}}, &Finding{Methods: []string{"b"}}
	threads := func(_ context.Context, o Options) (*Report, error) {
		for _, f := range []*Finding{a, b} {
			if o.Found != nil {
				o.Found(f)
			}
		}
		return &Report{Findings: []*Finding{a, b}}, nil
	}
	none := func(context.Context, bool) (*worker.Program, error) { return nil, errors.New("no Go tool") }
	var told []*Finding
	if _, err := Both(t.Context(), threads, none, Options{GoOn: true, Found: func(f *Finding) { told = append(told, f) }}); err != nil || len(told) != 2 {
		t.Errorf("%v, %v", told, err)
	}
	later := &Report{Findings: []*Finding{{Methods: []string{"b"}, Scheduled: &Scheduled{}}}}
	if list := withoutThoseOf([]*Finding{a, b}, []*Report{later}); len(list) != 1 || list[0] != a {
		t.Errorf("%v", list)
	}
}
