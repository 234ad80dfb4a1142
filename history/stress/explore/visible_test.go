package explore_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/leadline/leadline/history/explore/shim/atomic"
	"github.com/leadline/leadline/history/explore/shim/sync"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/history/stress/explore"
	"github.com/leadline/leadline/replay/stresstest"
)

// A busyCounter has reads that return something else while Inc is busy.
type busyCounter struct {
	n    atomic.Int64
	busy atomic.Bool
}

func (c *busyCounter) Inc() {
	c.n.Add(1)
	c.busy.Store(true)
	c.busy.Store(false)
}

func (c *busyCounter) Value() int64   { return c.while(0) }
func (c *busyCounter) Garbage() int64 { return c.while(7) }

func (c *busyCounter) while(n int64) int64 {
	if c.busy.Load() {
		return n
	}
	return c.n.Load()
}

// A stripedSet locks each element by itself.
type stripedSet struct {
	locks [2]sync.Mutex
	has   [2]bool
}

func (s *stripedSet) set(i int, has bool) bool {
	s.locks[i&1].Lock()
	defer s.locks[i&1].Unlock()
	old := s.has[i&1]
	s.has[i&1] = has
	return old != has
}

func (s *stripedSet) Add(i int) bool    { return s.set(i, true) }
func (s *stripedSet) Remove(i int) bool { return s.set(i, false) }

func (s *stripedSet) Len() (n int) {
	for i := range s.has {
		s.locks[i].Lock()
		if s.has[i] {
			n++
		}
		s.locks[i].Unlock()
	}
	return n
}

var levelled = []struct {
	object  string
	method  string
	program string
	want    []string
	// fits and fails are levels with which the program has no violation, and one.
	fits, fails []string
}{
	{"counter", "Value", "{ Value(); Value() } || { Inc() }", []string{"Value=basic"}, []string{"basic", "weak"}, []string{"complete", "causal", "monotonic"}},
	{"counter", "Value", "{ Inc(); Value() } || { Inc() }", []string{"Value=weak"}, []string{"weak"}, []string{"peer", "basic"}},
	{"counter", "Garbage", "{ Garbage() } || { Inc() }", nil, nil, []string{"weak"}},
	{"set", "Len", "{ Add(0); Len() } || { Remove(0); Add(1) }", []string{"Len=bundle"}, []string{"bundle", "monotonic", "basic", "weak"}, []string{"complete", "peer"}},
	{"set", "Len", "[ Add(0) ] { Len() } || { Remove(0) }", nil, []string{"complete", "bundle"}, nil},
}

// TestLevels checks the strongest level that explains all executions of a program. There is no
// violation with that level, and there is one with a stronger level.
func TestLevels(t *testing.T) {
	class := func(object, method, level string) *stress.Class {
		o := stress.ReflectOptions{ReadOnly: []string{method}, Weak: []string{method + "=" + level}}
		if object == "counter" {
			return classOf(t, func() *busyCounter { return &busyCounter{} }, o)
		}
		return classOf(t, func() *stripedSet { return &stripedSet{} }, o)
	}
	for _, test := range levelled {
		t.Run(test.program, func(t *testing.T) {
			run := func(level string) *explore.Exploration {
				c := class(test.object, test.method, level)
				p, err := stress.Parse(test.program, c)
				if err != nil {
					t.Fatal(err)
				}
				e, err := explore.Schedules(t.Context(), c, p, stresstest.Checker(nil), explore.Plan{Preemptions: 2, Strategy: "dfs", All: true})
				if err != nil || e.Undecided > 0 || e.Complete < 2 {
					t.Fatalf("%s: %+v, %v", level, e, err)
				}
				return e
			}
			if got := run("complete").Weak(test.method); !slices.Equal(got, test.want) || got == nil && test.fails != nil {
				t.Errorf("explained by %q, expected %q", got, test.want)
			}
			for _, level := range test.fits {
				if e := run(level); len(e.Violations) > 0 {
					t.Errorf("%s: %v is a violation", level, e.Violations[0].Outcome)
				}
			}
			for _, level := range test.fails {
				if e := run(level); len(e.Violations) == 0 {
					t.Errorf("%s: no violation", level)
				}
			}
		})
	}
}

// TestNamedLevels: a violation has the levels that explain its outcomes, for each of the methods
// or for the one to blame, and names the level that it breaks.
func TestNamedLevels(t *testing.T) {
	for _, test := range []struct {
		core, weak []string
		want       string
	}{
		{nil, nil, `["Value=basic"]  is not atomic`},
		{[]string{"Inc"}, nil, `["Value=basic"] Value is not atomic`},
		{[]string{"Inc"}, []string{"Value=monotonic"}, `["Value=basic"] Value is not consistent at level monotonic`},
		{[]string{"Inc"}, []string{"Value=basic"}, ""},
		{[]string{"Inc"}, []string{"Value"}, ""},
	} {
		c := classOf(t, func() *busyCounter { return &busyCounter{} }, stress.ReflectOptions{Core: test.core, Weak: test.weak, ReadOnly: []string{"Value"}, Exclude: []string{"Garbage"}})
		r, err := search(c, stress.Options{Programs: []string{"{ Value(); Value() } || { Inc() }"}, Effort: stress.Effort{Time: patience, Program: 1}})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, f := range r.Findings {
			got += fmt.Sprintf("%q %s %s", f.Weak, f.Method, f.Says())
		}
		if got != test.want {
			t.Errorf("%v: %s, expected %s", test.weak, got, test.want)
		}
	}
}

// A gauge loses updates.
type gauge struct{ n atomic.Int64 }

func (g *gauge) Add(n int64)   { g.n.Store(g.n.Load() + n) }
func (g *gauge) Events() int64 { return g.n.Load() }

// A pair has two copies of a number. Sum reads one or the other.
type pair struct {
	write sync.Mutex
	n     [2]atomic.Int64
	turn  atomic.Int64
}

func (p *pair) Put(n int64) {
	p.write.Lock()
	defer p.write.Unlock()
	p.n[0].Store(n)
	p.n[1].Store(n)
}

func (p *pair) Sum() int64 { return p.n[(p.turn.Add(1)+1)&1].Load() }

// TestOffers: a level is offered if it also explains what is read at the end. A lost update is not a
// call that was missed, and the level weak is never offered.
func TestOffers(t *testing.T) {
	gauges := classOf(t, func() *gauge { return &gauge{} }, stress.ReflectOptions{ReadOnly: []string{"Events"}})
	pairs := classOf(t, func() *pair { return &pair{} }, stress.ReflectOptions{})
	counters := classOf(t, func() *busyCounter { return &busyCounter{} }, stress.ReflectOptions{ReadOnly: []string{"Value"}})
	unread := classOf(t, func() *busyCounter { return &busyCounter{} }, stress.ReflectOptions{ReadOnly: []string{}})
	for _, test := range []struct {
		class         *stress.Class
		program, want string
	}{
		{gauges, "{ Add(1); Events() } || { Add(1); Events() }", "no level of one method explains the outcomes seen, with what is read at the end"},
		{pairs, "{ Put(1) } || { Sum(); Sum() }", "would be allowed if Sum may miss calls that overlap it (--weak Sum=basic)"},
		{counters, "{ Inc(); Value() } || { Inc() }", "no level of one method explains the outcomes seen, with what is read at the end"},
		{counters, "{ Value(); Value() } || { Inc() }", "would be allowed if Value may miss calls that overlap it (--weak Value=basic)"},
		{unread, "{ Value(); Value() } || { Inc() }", ""},
	} {
		r, err := search(test.class, stress.Options{Programs: []string{test.program}, Effort: stress.Effort{Time: patience, Program: 1}})
		if err != nil || len(r.Findings) != 1 {
			t.Fatalf("%s: %+v, %v", test.program, r, err)
		}
		if got := r.Findings[0].Explained("--weak %s"); got != test.want {
			t.Errorf("%s: %q, want %q", test.program, got, test.want)
		}
		if r.Programs != 1 || len(r.Crashes) > 0 {
			t.Errorf("%s: the programs with observers are reported: %+v", test.program, r)
		}
	}
}
