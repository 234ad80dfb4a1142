package stresstest

import (
	"fmt"
	"testing"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/history/stress/subject"
)

// BenchmarkExpected judges executions of a program on a map: by a lookup in the outcomes that are
// computed once, as package stress does, and by an enumeration of the orders of the calls for each
// execution until one has its outcome, as Line-Up does (Burckhardt et al., PLDI 2010). The metric
// ratio is the time of the second over the time of the first. Unlike in Line-Up, an order need not
// respect real time.
func BenchmarkExpected(b *testing.B) {
	c := subject.Lookup("map").Class
	for _, program := range []string{
		"{ put(0,1); get(1) } || { put(1,0); get(0) }",
		"{ put(0,1); get(1); remove(0) } || { put(1,0); get(0); size() }",
		"{ put(0,1); get(1); remove(0); put(1,1) } || { put(1,0); get(0); size(); remove(1) }",
	} {
		p, err := stress.Parse(program, c)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("invocations=%d", p.Len()), func(b *testing.B) {
			begin := time.Now()
			e, err := stress.NewExpected(c, p)
			if err != nil {
				b.Fatal(err)
			}
			once := time.Since(begin)
			var executions []stress.Outcome // as often as they are seen
			for _, o := range stress.RunProgram(b.Context(), c, p, stress.RunOptions{Executions: 2048}).Outcomes {
				for range o.Times {
					executions = append(executions, o.Outcome)
				}
			}
			orders := newEnumeration(c, p)
			begin = time.Now()
			for range b.N {
				for _, o := range executions {
					if !e.Contains(o) {
						b.Fatalf("%v is not expected", o)
					}
				}
			}
			lookups := time.Since(begin)
			b.ResetTimer()
			for range b.N {
				for _, o := range executions {
					if !orders.explain(o) {
						b.Fatalf("no order has %v", o)
					}
				}
			}
			n := float64(b.N * len(executions))
			b.ReportMetric(float64(b.Elapsed())/float64(lookups), "ratio")
			b.ReportMetric(float64(lookups)/n, "ns/lookup")
			b.ReportMetric(float64(b.Elapsed())/n, "ns/enumeration")
			b.ReportMetric(float64(once), "ns-once")
		})
	}
}

// An enumeration runs a program in each order of its calls.
type enumeration struct {
	class   *stress.Class
	program *stress.Program
	calls   []stress.Call
}

func newEnumeration(c *stress.Class, p *stress.Program) *enumeration {
	n := &enumeration{class: c, program: p}
	for _, inv := range p.All() {
		n.calls = append(n.calls, inv.Prepare())
	}
	return n
}

// explain reports whether some order has the outcome. It runs each prefix on a new object, and
// leaves it as soon as a result differs.
func (n *enumeration) explain(o stress.Outcome) bool {
	s := stress.NewSequencer(n.program)
	var try func(prefix []int) bool
	try = func(prefix []int) bool {
		object := n.class.New()
		s.Restart()
		for _, i := range prefix {
			s.Take(i)
			if v := n.calls[i](object); !v.Equal(o[i]) {
				return false
			}
		}
		next := s.Enabled()
		for _, i := range next {
			if try(append(prefix, i)) {
				return true
			}
		}
		return len(next) == 0
	}
	return try(make([]int, 0, len(n.calls)))
}

// TestEnumeration: an order has an outcome if and only if it is expected.
func TestEnumeration(t *testing.T) {
	c := subject.Lookup("map").Class
	p, err := stress.Parse("{ put(0,1); get(1) } || { put(1,0); get(0) }", c)
	if err != nil {
		t.Fatal(err)
	}
	e, err := stress.NewExpected(c, p)
	if err != nil {
		t.Fatal(err)
	}
	orders, expected := newEnumeration(c, p), e.Outcomes()
	for _, o := range expected {
		if !orders.explain(o.Outcome) {
			t.Errorf("no order has %v", o.Outcome)
		}
		for i := range o.Outcome {
			other := append(stress.Outcome{}, o.Outcome...)
			other[i] = history.IntValue(7)
			if orders.explain(other) {
				t.Errorf("an order has %v", other)
			}
		}
	}
	if len(expected) < 2 {
		t.Errorf("expected %v", expected)
	}
}
