package explore_test

import (
	"strings"
	"testing"
	"time"

	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/explore/shim/atomic"
	"github.com/leadline/leadline/history/explore/shim/sync"
	clock "github.com/leadline/leadline/history/explore/shim/time"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/history/stress/explore"
)

// A chain has two methods that return true only if they take turns: each flag is up for a
// moment, and the other method has to see it then.
type chain struct {
	a, b, c, d atomic.Bool
	lock       sync.Mutex
	born       time.Time
	wake       chan int
	with       string
}

func newChain(with string) func() *chain {
	return func() *chain {
		c := &chain{with: with, wake: make(chan int)}
		switch with {
		case "worker":
			schedule.Go(func() { schedule.Recv(c.wake) })
		case "late", "explained":
			c.born = clock.Now()
		}
		return c
	}
}

// starts starts a goroutine, for some objects only when time has passed.
func (c *chain) starts() {
	switch late := c.with == "late" || c.with == "explained"; {
	case c.with == "calls", late && clock.Since(c.born) > 40*time.Microsecond:
		schedule.Go(func() {
			if c.with == "explained" {
				c.links()
			}
		})
	}
}

func up(b *atomic.Bool) { b.Store(true); b.Store(false) }

func (c *chain) links() bool {
	if up(&c.a); c.b.Load() {
		if up(&c.c); c.d.Load() {
			return true
		}
	}
	return false
}

// Foo and Bar need three preemptions for Bar to be true, or four for Foo.
func (c *chain) Foo() bool { c.starts(); return c.links() }

func (c *chain) Bar() bool {
	if c.a.Load() {
		c.b.Store(true)
		if c.c.Load() {
			up(&c.d)
			return true
		}
	}
	return false
}

func (c *chain) Safe() bool {
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.Foo()
}

func (c *chain) SafeBar() bool {
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.Bar()
}

// TestChains: violations that need three preemptions or more are found, also if the object
// starts goroutines. What a sequential run explains is not one, if only a run with pauses.
func TestChains(t *testing.T) {
	for _, c := range []struct {
		with, program string
		bound         int
		strategy      string
		found         string // the outcome begins with it
	}{
		{"nothing", "{ Foo() } || { Bar() }", 2, "", ""},
		{"nothing", "{ Foo() } || { Bar() }", 3, "", "F,T"},
		{"nothing", "{ Foo() } || { Bar() }", -1, "", "F,T"},
		{"nothing", "[ Foo() ] { Foo(); Foo() } || { Bar() }", 3, "", "F,F,F,T"},
		{"nothing", "{ Safe() } || { SafeBar() }", 4, "", ""},
		{"worker", "{ Foo() } || { Bar() }", 4, "dfs", "F,T"},
		{"worker", "{ Safe() } || { SafeBar() }", 4, "", ""},
		{"calls", "{ Foo() } || { Bar() }", 4, "dfs", "F,T"},
		{"calls", "{ Safe() } || { SafeBar() }", 3, "", ""},
		{"late", "{ Foo() } || { Bar() }", 3, "", "F,T"},
		{"late", "{ Safe() } || { SafeBar() }", 3, "", ""},
		{"explained", "{ Foo() } || { Bar() }", 3, "", ""},
		{"explained", "{ Foo() } || { Bar() }", 3, "dfs", ""},
	} {
		class := classOf(t, newChain(c.with), stress.ReflectOptions{ReadOnly: []string{}})
		e := explored(t, class, c.program, explore.Plan{Preemptions: c.bound, Strategy: c.strategy})
		outcome := ""
		if len(e.Violations) > 0 {
			outcome = e.Violations[0].Outcome.String()
		}
		if outcome == "" != (c.found == "") || !strings.HasPrefix(outcome, c.found) || e.Undecided+e.Cut+e.Diverged > 0 {
			t.Errorf("%s, %d preemptions, %s: outcome %q, %d undecided of %d executions, %d cut", c.with, c.bound, c.program, outcome, e.Undecided, e.Executions, e.Cut)
		}
	}
	// Foo is true with a fourth preemption only.
	class := classOf(t, newChain("nothing"), stress.ReflectOptions{ReadOnly: []string{}})
	for bound, want := range map[int]bool{3: false, 4: true} {
		e := explored(t, class, "{ Foo() } || { Bar() }", explore.Plan{Preemptions: bound, Strategy: "dfs", All: true})
		found := false
		for _, v := range e.Violations {
			found = found || v.Outcome.String() == "T,T" && v.Preemptions == bound
		}
		if found != want || e.Undecided > 0 {
			t.Errorf("%d preemptions: both are true: %v, %d undecided", bound, found, e.Undecided)
		}
	}
}
