package stress

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/leadline/leadline/history/explore/worker"
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

// TestUnsynchronised: of the violations of an object without synchronisation, one is reported.
func TestUnsynchronised(t *testing.T) {
	var told []*Finding
	o := unsynchronised(Options{GoOn: true, Found: func(f *Finding) { told = append(told, f) }})
	for range 3 {
		o.Found(&Finding{Program: "{ Put(0) } || { Take() }"})
	}
	if len(told) != 1 || !told[0].Unsynchronised || o.GoOn {
		t.Errorf("%v, goes on %v", told, o.GoOn)
	}
	if r := (&Report{Findings: told}); !r.isUnsynchronised() || (&Report{Findings: []*Finding{{}}}).isUnsynchronised() {
		t.Error("a report is not of an object without synchronisation, or all are")
	}
}

// TestSuspects: few methods are in all violations, and which one is suspected first takes turns.
func TestSuspects(t *testing.T) {
	for _, test := range []struct {
		guilty [][]string
		at     int
		want   string
	}{
		{[][]string{{"Clear", "Get", "Put"}}, 0, "Clear"},
		{[][]string{{"Clear", "Get", "Put"}}, 1, "Get"},
		{[][]string{{"Clear", "Get", "Put"}, {"Clear", "Swap"}}, 1, "Clear"},
		{[][]string{{"Clear", "Get"}, {"Swap"}, {"Clear", "Put"}}, 0, "Clear Swap"},
		{[][]string{nil, {"Swap"}}, 0, "Swap"}, // a crash whose calls are not known
	} {
		if got := strings.Join((&searcher{guilty: test.guilty}).suspects(test.at), " "); got != test.want {
			t.Errorf("%v, %d: %q, want %q", test.guilty, test.at, got, test.want)
		}
	}
	put, clear := &Method{Name: "Put"}, &Method{Name: "Clear"}
	p := &Program{Initial: []Invocation{{Method: clear}}, Sequences: [][]Invocation{{{Method: put}}, {{Method: put}}}}
	s := &searcher{guilty: [][]string{{"Clear", "Get"}}}
	for tried, want := range []bool{false, false, false, false} {
		if s.avoids(&target{tried: tried}, p) != want { // it calls no suspect in parallel
			t.Errorf("program %d: avoids %v", tried, !want)
		}
	}
	p.Sequences[1][0].Method = clear
	for tried, want := range []bool{false, true, false, false} {
		if s.avoids(&target{tried: tried}, p) != want {
			t.Errorf("program %d with Clear: avoids %v", tried, !want)
		}
	}
}
