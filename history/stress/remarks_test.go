package stress

import (
	"testing"
	"time"
)

// TestPassed: a pass says how much was run, and whether the clock ended it.
func TestPassed(t *testing.T) {
	for _, test := range []struct {
		report *Report
		want   string
	}{
		{&Report{Programs: 1, Executions: 20, Elapsed: time.Second}, "no violation in 1 program and 20 executions"},
		{&Report{Programs: 309, Executions: 1, Clock: true}, "no violation in 309 programs and 1 execution; the clock ended the search, so a busier machine tries less"},
		{&Report{Programs: 2, Executions: 7, Explored: &Explored{Judged: 7}}, "no violation in 2 programs and 7 schedules"},
		{&Report{Programs: 2, Explored: &Explored{}}, ""},
		{&Report{Programs: 2, Findings: []*Finding{{}}}, ""},
		{&Report{Programs: 2, Crashes: []Crash{{}}}, ""},
	} {
		if got := test.report.Passed(); got != test.want {
			t.Errorf("%+v: %q, want %q", test.report, got, test.want)
		}
	}
}
