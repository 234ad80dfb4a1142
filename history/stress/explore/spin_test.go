package explore_test

import (
	"context"
	"strings"
	"testing"

	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/history/stress/explore"
	"github.com/leadline/leadline/replay/stresstest"
)

// A registry has a lock that a thread can lose while it waits.
type registry struct{ owner, n cell }

func (r *registry) Enter(id uint8) int {
	me := int64(id) + 1
	r.owner.store(me)
	for r.owner.load() != me {
	}
	return int(r.n.add(1))
}

// A twin has two counts that are equal between the calls of Inc. Wait waits for that, and
// gives up after some rounds.
type twin struct {
	a, b   cell
	rounds int
}

func (t *twin) Inc() { t.a.add(1); t.b.add(1) }

func (t *twin) Wait() bool {
	a := t.a.load()
	for range t.rounds {
		if t.b.load() == a {
			return true
		}
	}
	return false
}

// A place holds a value. Put and Get wait by spinning, except where Reflect tries them.
type place struct{ v cell }

func (p *place) Put(v uint8) {
	for p.v.load() != 0 && schedule.Active() {
	}
	p.v.store(int64(v) + 1)
}

func (p *place) Get() int {
	for p.v.load() == 0 && schedule.Active() {
	}
	v := p.v.load()
	p.v.store(0)
	return int(v)
}

// TestSpinsForever: threads that spin forever are a violation, unless they do so in some
// order of the invocations, or might stop.
func TestSpinsForever(t *testing.T) {
	all := stress.ReflectOptions{ReadOnly: []string{}}
	waits := func(rounds int) *stress.Class {
		return classOf(t, func() *twin { return &twin{rounds: rounds} }, all)
	}
	places := classOf(t, func() *place { return &place{} }, stress.ReflectOptions{ReadOnly: []string{}})
	for _, c := range []struct {
		name    string
		class   *stress.Class
		program string
		outcome string // of a violation
		cut     bool
		waits   bool
	}{
		{"registry", classOf(t, func() *registry { return &registry{} }, all), "{ Enter(0) } || { Enter(1) }", "W,1", false, true},
		{"forever", waits(1 << 62), "{ Inc(); Inc() } || { Wait() }", "(),(),W", false, true},
		{"many rounds", waits(10_000), "{ Inc() } || { Wait() }", "", true, false},
		{"rounds", waits(2000), "{ Inc() } || { Wait() }", "", true, false},
		{"place", places, "{ Put(0) } || { Get() }", "", false, false},
		{"place, too many", places, "{ Put(0) } || { Get(); Get() }", "", false, true},
	} {
		e := explored(t, c.class, c.program, explore.Plan{Preemptions: 1, Strategy: "dfs"})
		outcome := ""
		if len(e.Violations) > 0 {
			outcome = e.Violations[0].Outcome.String()
		}
		if outcome != c.outcome || e.Cut > 0 != c.cut || e.Waited > 0 != c.waits || e.Diverged+e.Undecided > 0 || outcome == "" && e.Judged+e.Cut != e.Executions {
			t.Errorf("%s: outcome %q, %d cut, %d waited, %d judged of %d executions", c.name, outcome, e.Cut, e.Waited, e.Judged, e.Executions)
		}
	}
}

// TestSpinsReport: the report of a violation has the place where a thread spins.
func TestSpinsReport(t *testing.T) {
	var found []*stress.Finding
	c := classOf(t, func() *registry { return &registry{} }, stress.ReflectOptions{})
	p, err := stress.Search(context.Background(), c, stress.Options{Executor: explore.New, Preemptions: 1, Programs: []string{"{ Enter(0) } || { Enter(1) }"},
		Checker: stresstest.Checker(nil), Found: func(f *stress.Finding) { found = append(found, f) }})
	if err != nil || len(found) != 1 {
		t.Fatalf("%d violations, %v, %+v", len(found), err, p)
	}
	f := found[0]
	if n := len(f.Scheduled.Steps); n > 40 {
		t.Errorf("%d steps are shown", n)
	}
	if !f.Scheduled.Spins || f.Scheduled.Replayed != 1000 || len(f.Waiting) != 1 || !strings.Contains(f.Waiting[0], "spins at explore/explore_") {
		t.Errorf("%+v, waiting %q", f.Scheduled, f.Waiting)
	}
}
