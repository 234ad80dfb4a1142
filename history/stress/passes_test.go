package stress

import "testing"

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
