package stress

import (
	"testing"
	"time"
)

// TestPassed: a pass says how much was run, and what ended it.
func TestPassed(t *testing.T) {
	for _, test := range []struct {
		report *Report
		want   string
	}{
		{&Report{Programs: 1, Executions: 20, Elapsed: time.Second}, "no violation in 1 program and 20 executions"},
		{&Report{Programs: 309, Executions: 1, Ended: "2m0s on the clock"}, "no violation in 309 programs and 1 execution; ended by its bound of 2m0s on the clock"},
		{&Report{Programs: 309, Executions: 5, Ended: "5 executions"}, "no violation in 309 programs and 5 executions; ended by its bound of 5 executions"},
		{&Report{Programs: 2, Executions: 7, Explored: &Explored{Judged: 7}, Account: Account{Methods: []*MethodAccount{{}, {Instrumented: true}}}}, "no violation in 2 programs and 7 schedules"},
		{&Report{Programs: 2, Executions: 7, Explored: &Explored{Judged: 7}, Account: Account{Methods: []*MethodAccount{{}}}},
			"no violation on threads; schedules show nothing, as no call took a step (with --threads or Options.Threads, threads have all of the time)"},
		{&Report{Programs: 2, Explored: &Explored{}}, ""},
		{&Report{Programs: 2, Findings: []*Finding{{}}}, ""},
		{&Report{Programs: 2, Crashes: []Crash{{}}}, ""},
	} {
		test.report.Account.Sizes = []*SizeAccount{{Sequences: 2, Invocations: 4, Programs: test.report.Programs}}
		if got := test.report.Passed(); got != test.want {
			t.Errorf("%+v: %q, want %q", test.report, got, test.want)
		}
	}
}
