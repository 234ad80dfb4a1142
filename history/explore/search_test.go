package explore_test

import (
	"fmt"
	"testing"

	"github.com/leadline/leadline/history/explore"
	"github.com/leadline/leadline/history/explore/schedule"
)

// final returns the value of a counter after its body was run in the order of the steps.
func final(order []int) int {
	n, read := 0, [3]int{}
	began := [3]bool{}
	for _, t := range order {
		if !began[t] {
			began[t], read[t] = true, n
		} else {
			n = read[t] + 1
		}
	}
	return n
}

// orders calls f with each order in which three threads may take two steps each.
func orders(left [3]int, order []int, f func([]int)) {
	if len(order) == 6 {
		f(order)
		return
	}
	for t := range left {
		if left[t] > 0 {
			next := left
			next[t]--
			orders(next, append(order, t), f)
		}
	}
}

// TestExplore: the values that a search sees are those of all orders of the steps, by brute
// force; each violation has the same value when it is replayed, and another search of all of the
// schedules without a bound finds the same.
func TestExplore(t *testing.T) {
	want := map[int]bool{}
	orders([3]int{2, 2, 2}, nil, func(order []int) { want[final(order)] = true })
	for _, plan := range []explore.Plan{{Preemptions: 4, All: true}, {Preemptions: -1, All: true}, {Preemptions: 4, All: true, Strategy: "dfs"}} {
		c := &counter{want: 3}
		s := c.search()
		s.Body.Threads = append(s.Body.Threads, c.inc)
		if err := s.Explore(plan); err != nil {
			t.Fatal(err)
		}
		got := map[int]bool{3: true}
		for _, f := range s.Result.Found {
			got[f.Detail.(int)] = true
			if n := s.Replay(f, 10, func(x *explore.Seen) bool { return x.Detail == f.Detail }); n != 10 {
				t.Errorf("%v: %d of 10 replays have the value %v", f.Schedule, n, f.Detail)
			}
			if p, err := schedule.ParseSchedule(f.Schedule.String()); err != nil || explore.Fitting(p, f.Schedule) != len(f.Schedule) {
				t.Errorf("%v is parsed as %v: %v", f.Schedule, p, err)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) || s.Result.Complete < 4 || plan.Preemptions < 0 && s.Result.Complete != explore.Unbounded {
			t.Errorf("%+v: values %v, complete to %d; by brute force %v", plan, got, s.Result.Complete, want)
		}
	}
}

// TestExploreEnds: bounds end a search, and what it then says of completeness is true.
func TestExploreEnds(t *testing.T) {
	for _, c := range []struct {
		plan           explore.Plan
		most, complete int
	}{
		{explore.Plan{Preemptions: 2, Executions: 1, Strategy: "dfs"}, 1, -1},
		{explore.Plan{Preemptions: 2, Steps: 1, Strategy: "dfs"}, 1, -1},
		{explore.Plan{Preemptions: 0}, 10, 0},
	} {
		s := (&counter{want: 2}).search()
		if err := s.Explore(c.plan); err != nil {
			t.Fatal(err)
		}
		if r := s.Result; len(r.Found) > 0 || r.Executions > int64(c.most) || r.Complete != c.complete {
			t.Errorf("%+v: %d executions, %d found, complete to %d", c.plan, r.Executions, len(r.Found), r.Complete)
		}
	}
	if err := (&counter{}).search().Explore(explore.Plan{Strategy: "best"}); err == nil {
		t.Error("an unknown strategy is no error")
	}
}

// TestEnumerate: each sequence of choices comes once, in lexicographic order. How many choices follow
// depends on those before.
func TestEnumerate(t *testing.T) {
	var got []string
	explore.Enumerate(func(choose func(int) int) bool {
		a := choose(3)
		text := fmt.Sprint(a)
		for range a {
			text += fmt.Sprint(choose(2))
		}
		got = append(got, text)
		return true
	})
	if want := "[0 10 11 200 201 210 211]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
	runs := 0
	explore.Enumerate(func(choose func(int) int) bool { choose(9); runs++; return runs < 4 })
	if runs != 4 {
		t.Errorf("%d runs", runs)
	}
	seen := 0
	explore.Enumerate(func(choose func(int) int) bool {
		seen = choose(2 + runs%2)
		runs++
		return seen >= 0
	})
	if seen != -1 {
		t.Error("choices that differ from run to run are not noticed")
	}
}
