package stress

import (
	"strings"
	"testing"
	"time"
)

// TestShares: a slow method gets its share of the time, and no more while others can have
// some. The times are given, so this does not depend on the machine.
func TestShares(t *testing.T) {
	c := &Class{Name: "map"}
	for _, name := range []string{"Get", "Put", "Count", "Keys"} {
		c.Methods = append(c.Methods, &Method{Name: name})
	}
	calls := func(names ...string) *Program {
		p := &Program{}
		for _, name := range names {
			p.Sequences = append(p.Sequences, []Invocation{{Method: c.Method(name)}})
		}
		return p
	}
	s := &searcher{class: c, report: &Report{}, shares: map[*Method]share{}}
	for _, name := range []string{"Count", "Keys", ""} {
		s.targets = append(s.targets, &target{method: name})
	}
	turns := func() string {
		var list []string
		for at := range 3 {
			list = append(list, s.turn(at).method)
		}
		return strings.Join(list, ",")
	}
	if got := turns(); got != "Count,Keys," {
		t.Errorf("at first: %q", got)
	}
	s.charge(calls("Put", "Keys"), 5*time.Second) // no other is known
	s.charge(calls("Put", "Count"), 10*time.Millisecond)
	s.charge(calls("Get", "Put"), 20*time.Millisecond)
	if m := s.slowest(calls("Count", "Keys", "Get")); m.Name != "Keys" {
		t.Errorf("slow is %s", m.Name)
	}
	if got := turns(); got != "Count,," {
		t.Errorf("when Keys had 5 s of 5.03: %q", got)
	}
	if s.hadShare(c.Method("Get")) || s.hadShare(nil) {
		t.Error("a quick method had its share")
	}
	queue := level{programs: []later{{program: calls("Keys", "Put")}, {program: calls("Get", "Count")}, {program: calls("Put", "Put")}}}
	if next := s.takeLater(&queue); next.program.Parallel()[0] != "Count" || len(queue.programs) != 2 {
		t.Errorf("%v comes next", next.program)
	}
	s.targets[0].done, s.targets[2].done = true, true
	if got := turns(); got != "Keys,Keys,Keys" {
		t.Errorf("when others are done: %q", got)
	}
	s.targets[0].done = false
	for range 1600 { // 16 s
		s.charge(calls("Get", "Count"), 10*time.Millisecond)
	}
	if got := turns(); got != "Count,Keys,Count" {
		t.Errorf("when Keys had 5 s of 21: %q", got)
	}
}
