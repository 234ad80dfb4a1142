package explore_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/history/stress/explore"
)

// A quitter counts in two steps. A polls flag n times, and gives up if B has begun.
type quitter struct {
	flag, n cell
	other   [160]cell
	poll    func(q *quitter)
}

func (q *quitter) A() int {
	if q.poll(q); q.flag.v != 0 {
		return -1
	}
	return q.count()
}

func (q *quitter) B() int {
	q.flag.store(1)
	return q.count()
}

func (q *quitter) count() int {
	v := q.n.load()
	q.n.store(v + 1)
	return int(v)
}

// A spinner has locks that poll.
type spinner struct{ word, n cell }

func (s *spinner) Inc() int {
	for s.word.load() != 0 || s.word.add(1) != 1 {
	}
	defer s.word.store(0)
	return int(s.n.add(1))
}

// TestPolls: a thread that polls may go on all the same, and what is complete says so.
func TestPolls(t *testing.T) {
	loads := func(n int) func(q *quitter) {
		return func(q *quitter) {
			for range n {
				if q.flag.load() != 0 {
					return
				}
			}
		}
	}
	yields := func(q *quitter) { yield() }
	different := func(q *quitter) {
		for i := range q.other {
			q.other[i].load()
		}
	}
	stores := func(q *quitter) {
		for i := range 510 {
			q.other[0].store(int64(i))
		}
	}
	for _, c := range []struct {
		name        string
		poll        func(q *quitter)
		preemptions int
		complete    int
		found       bool
	}{
		{"12 loads", loads(12), 1, 0, true},
		{"13 loads", loads(13), 0, 0, false},
		{"13 loads", loads(13), 1, 1, false},
		{"13 loads", loads(13), 2, 1, true},
		{"20 loads", loads(20), 3, 1, true},
		{"40 loads", loads(40), 3, 3, false},
		{"13 loads", loads(13), -1, 1, true},
		{"20 loads", loads(20), -1, 1, true},
		{"loads of others", different, 1, 1, false},
		{"loads of others", different, 3, 1, true},
		{"stores", stores, 1, 1, false},
		{"stores", stores, 2, 1, true},
		{"yield", yields, 1, 1, false},
		{"yield", yields, 2, 1, true},
		{"yield", yields, -1, 1, true},
	} {
		class := classOf(t, func() *quitter { return &quitter{poll: c.poll} }, stress.ReflectOptions{ReadOnly: []string{}})
		e := explored(t, class, "{ A() } || { B() }", explore.Plan{Preemptions: c.preemptions})
		if e.Complete != c.complete || len(e.Violations) > 0 != c.found || e.Cut+e.Diverged > 0 {
			t.Errorf("%s, %d preemptions: complete %d, %d violations, %d cut, %d diverged of %d", c.name, c.preemptions, e.Complete, len(e.Violations), e.Cut, e.Diverged, e.Executions)
		}
		t.Log(c.name, c.preemptions, e.Complete, e.Executions)
	}
	outcomes := func(poll func(q *quitter), o explore.Plan) string {
		class := classOf(t, func() *quitter { return &quitter{poll: poll} }, stress.ReflectOptions{ReadOnly: []string{}})
		o.All = true
		e := explored(t, class, "{ A() } || { B() }", o)
		if e.Complete != explore.Unbounded {
			t.Errorf("%+v: complete %d", o, e.Complete)
		}
		return fmt.Sprint(outcomesOf(e))
	}
	all := outcomes(loads(2), explore.Plan{Preemptions: -1})
	for name, poll := range map[string]func(q *quitter){"13 loads": loads(13), "20 loads": loads(20)} {
		if some := outcomes(poll, explore.Plan{Preemptions: 10, Strategy: "dfs"}); some != all {
			t.Errorf("%s: %s, not %s", name, some, all)
		}
	}
	for bound := range 4 {
		class := classOf(t, func() *spinner { return &spinner{} }, stress.ReflectOptions{ReadOnly: []string{}})
		e := explored(t, class, "{ Inc() } || { Inc() }", explore.Plan{Preemptions: bound, Strategy: "dfs"})
		if e.Complete != bound || len(e.Violations)+int(e.Cut) > 0 {
			t.Errorf("a spin lock is complete at bound %d: %d executions, %d cut, %d violations", e.Complete, e.Executions, e.Cut, len(e.Violations))
		}
		t.Log("spin lock", bound, e.Executions)
	}
}

func outcomesOf(e *explore.Exploration) []string {
	var list []string
	for _, o := range e.Outcomes {
		list = append(list, o.Outcome.String())
	}
	slices.Sort(list)
	return list
}

func yield() { schedule.Step(schedule.Yield, nil) }
