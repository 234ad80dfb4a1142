package stress

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// TestHiding: the methods to leave out are those without which each violation is gone, and
// which only look, if there are any. Something that changes the object has to remain.
func TestHiding(t *testing.T) {
	c := &Class{Name: "stack"}
	for _, name := range []string{"Push", "Pop", "Clear", "Len", "Peek"} {
		c.Methods = append(c.Methods, &Method{Name: strings.ToLower(name), goName: name, ReadOnly: name == "Len" || name == "Peek"})
	}
	for _, test := range []struct{ apart, want string }{
		{"", ""},
		{"pop len push", "Len"},
		{"len, pop push", "Push Pop Len"},
		{"len peek", "Len Peek"},
		{"pop push, pop clear, pop", "Pop"},
		{"pop len, len", "Len"},
		{"pop push, clear", ""},
	} {
		s := &searcher{class: c, report: &Report{}}
		s.options.GoOn = true
		for set := range strings.SplitSeq(test.apart, ",") {
			if set != "" {
				s.options.Apart = append(s.options.Apart, strings.Fields(set))
			}
		}
		if got := strings.Join(s.hiding(), " "); got != test.want {
			t.Errorf("%s: %s, want %s", test.apart, got, test.want)
		}
	}
	// In a Go test, the search ends with the first violation.
	s := &searcher{class: c, report: &Report{Findings: []*Finding{{program: &Program{Sequences: [][]Invocation{{{Method: c.Methods[0]}}, {{Method: c.Methods[3]}}}}}}}}
	if got := s.hiding(); !slices.Equal(got, []string{"Len"}) {
		t.Errorf("after a finding: %v", got)
	}
}

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
