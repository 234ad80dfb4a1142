package stress_test

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/stress"
)

// counters returns a class with two counters whose increments are not atomic, and
// a third one.
func counters(core ...string) *stress.Class {
	type three [3]atomic.Int64
	c := &stress.Class{Name: "counters", New: func() any { return &three{} }}
	for i, name := range []string{"first", "second", "good"} {
		c.Methods = append(c.Methods, &stress.Method{Name: name, Core: slices.Contains(core, name), Prepare: func([]history.Value) stress.Call {
			return func(o any) history.Value {
				if n := &o.(*three)[i]; name != "good" {
					return increment(n)
				} else {
					return history.IntValue(n.Add(1))
				}
			}
		}})
	}
	return c
}

// TestGoOn: without core methods, a violation does not hide the next one.
func TestGoOn(t *testing.T) {
	if !*full {
		t.Skip("takes seconds: with -full")
	}
	defer stress.SetReduceTime(stress.SetReduceTime(patience))
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var found []string
	r, err := searchUntil(ctx, counters(), stress.Options{GoOn: true, Reduce: true, Bounds: stress.Bounds{MaxInvocations: 5}, Effort: stress.Effort{Time: patience, Program: 5 * time.Millisecond},
		Found: func(f *stress.Finding) {
			if found = append(found, f.Program); len(found) == 2 {
				stop()
			}
		}})
	if err != nil || len(found) != 2 {
		t.Fatalf("%v, %v", found, err)
	}
	if found[0] > found[1] {
		slices.Reverse(found)
	}
	if !strings.Contains(found[0], "first") || strings.Contains(found[0], "second") || !strings.Contains(found[1], "second") {
		t.Errorf("%v", found)
	}
	if len(r.Apart) != 2 || slices.Contains(r.Atomic, "first") || slices.Contains(r.Atomic, "second") {
		t.Errorf("apart %v, atomic %v", r.Apart, r.Atomic)
	}
}

// TestBrokenCore: a violation of core methods is not blamed on another one.
func TestBrokenCore(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	r, err := searchUntil(ctx, counters("first"), stress.Options{Effort: stress.Effort{Time: patience, Program: 100 * time.Millisecond},
		Programs: slices.Repeat([]string{"{ first(); good(); first() } || { first(); first() }"}, 1000),
		Found:    func(*stress.Finding) { stop() }})
	if err != nil || len(r.Findings) != 1 || len(r.Atomic) > 0 || !slices.Equal(r.Suspect, []string{"good"}) || r.Findings[0].Method != "" || strings.Contains(r.Findings[0].Program, "good") {
		t.Errorf("%+v, %v", r, err)
	}
}

// pairs returns a class of which two core methods are not atomic together: either
// returns whether it sees the other one run.
func pairs() *stress.Class {
	type object struct{ running [2]atomic.Bool }
	c := &stress.Class{Name: "pairs", New: func() any { return &object{} }}
	for i, name := range []string{"left", "right", "other"} {
		c.Methods = append(c.Methods, &stress.Method{Name: name, Core: name != "other", Prepare: func([]history.Value) stress.Call {
			return func(of any) history.Value {
				if i >= 2 {
					return history.NoValue
				}
				o := of.(*object)
				o.running[i].Store(true)
				seen := false
				for tries := 0; tries < 100 && !seen; tries++ {
					seen = o.running[1-i].Load()
				}
				o.running[i].Store(false)
				return history.BoolValue(seen)
			}
		}})
	}
	return c
}

// TestAvoid: once core methods are known not to be atomic together, every second
// program of another method does without them.
func TestAvoid(t *testing.T) {
	needsTwo(t)
	// On a busy machine, a violation of both may not be seen again without a third method, which
	// is blamed then and called no more.
	for n := 0; avoids(t) && !t.Failed(); n++ {
		if n == 3 {
			t.Fatal("the third method is blamed each time")
		}
	}
}

// avoids reports whether the third method was blamed, so that the search tells nothing.
func avoids(t *testing.T) (blamed bool) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	enough := 40
	if *full {
		enough = 200
	}
	known, programs, without, suspicions := false, 0, 0, 0
	both := map[string]bool{} // target -> the program before calls both
	r, err := searchUntil(ctx, pairs(), stress.Options{Effort: stress.Effort{Time: patience, Program: time.Millisecond},
		Found: func(f *stress.Finding) {
			known = true
			if f.Method != "" {
				t.Logf("%s is blamed for %s", f.Method, f.Program)
				blamed = true
				stop()
			}
		},
		Starting: func(method, program string) {
			parallel := program[strings.Index(program, "{"):strings.LastIndex(program, "}")]
			if !known || !strings.Contains(parallel, "other") {
				if known && method == "other" { // a violation without it
					suspicions++
				}
				return
			}
			// The turns of targets depend on how long their programs take.
			before := both[method]
			if both[method] = strings.Contains(parallel, "left") && strings.Contains(parallel, "right"); !both[method] {
				without++
			} else if before {
				t.Errorf("program %d of %q, %s, and the one before call both", programs, method, program)
			}
			if programs++; programs >= enough && suspicions >= 10 {
				stop()
			}
		}})
	if blamed {
		return true
	}
	if err != nil || programs < enough || without == programs {
		t.Errorf("%d of %d programs are without both, %v", without, programs, err)
	}
	t.Logf("%d of %d programs are without both", without, programs)
	if !slices.Equal(r.Suspect, []string{"other"}) {
		t.Errorf("suspect are %v", r.Suspect)
	}
	return false
}

// TestTime: when the time is over, a search does no more than to prove what it has
// seen, and it takes lateTime for that.
func TestTime(t *testing.T) {
	for _, late := range []time.Duration{0, patience} {
		before := stress.SetLateTime(late)
		seen, proved := 0, 0
		for seed := uint64(1); seed < 1000 && seen == 0; seed++ { // a run of a busy machine may see nothing
			programs := 0
			r, err := search(counters("first"), stress.Options{Seed: seed, Reduce: late == 0, Methods: []string{""},
				Effort:   stress.Effort{Time: 1, Program: 100 * time.Millisecond},
				Starting: func(string, string) { programs++ }})
			if err != nil || programs != 1 || r.Programs != 1 {
				t.Fatalf("%v: %d programs, %+v, %v", late, programs, r, err)
			}
			seen, proved = len(r.Findings)+r.Unproved, len(r.Findings)
		}
		if seen != 1 || proved == 1 != (late > 0) {
			t.Errorf("%v: %d violations, %d proved", late, seen, proved)
		}
		stress.SetLateTime(before)
	}
}

// TestReduceLate: a smaller program that is not proved for want of time does not count as
// another violation.
func TestReduceLate(t *testing.T) {
	defer stress.SetReduceTime(stress.SetReduceTime(30 * time.Millisecond))
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	r, err := searchUntil(ctx, counters("first"), stress.Options{Reduce: true, Effort: stress.Effort{Time: patience, Program: 100 * time.Millisecond},
		Programs: slices.Repeat([]string{"{ first(); first(); first(); first() } || { first(); first(); first(); first() }"}, 100),
		Found:    func(*stress.Finding) { stop() }})
	if err != nil || len(r.Findings) != 1 || r.Unproved > 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestAgain: the rarer a violation, the longer a program has to run to show it.
func TestAgain(t *testing.T) {
	for _, test := range []struct {
		times       int64
		spent, want time.Duration
	}{{1000, 100 * time.Millisecond, 100 * time.Millisecond}, {1, 30 * time.Millisecond, 600 * time.Millisecond}, {2, 155 * time.Millisecond, 2 * time.Second}} {
		f := &stress.Finding{Times: test.times, Spent: test.spent}
		if got := f.Again(); got != test.want {
			t.Errorf("%d in %v: %v, want %v", test.times, test.spent, got, test.want)
		}
	}
}

// TestExceptions: outcomes name exceptions.
func TestExceptions(t *testing.T) {
	o := stress.Outcome{history.IntValue(1), history.ExceptionValue("closed"), history.ExceptionValue("queue is full"), history.ExceptionValue(strings.Repeat("long ", 100))}
	if got, want := o.String(), `1,!closed,!"queue is full",!"`+strings.Repeat("long ", 11)+"lon..."; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestUnexercised: methods that always return the same result are not called atomic.
func TestUnexercised(t *testing.T) {
	c := &stress.Class{Name: "empty", New: func() any { return nil }}
	for _, name := range []string{"get", "remove"} {
		c.Methods = append(c.Methods, &stress.Method{Name: name, Prepare: func([]history.Value) stress.Call {
			return func(any) history.Value { return history.NullValue }
		}})
	}
	r, err := search(c, stress.Options{Effort: stress.Effort{Time: 200 * time.Millisecond, Program: 5 * time.Millisecond}})
	if err != nil || len(r.Atomic) > 0 || !slices.Equal(r.Unexercised, []string{"get", "remove"}) {
		t.Errorf("%+v, %v", r, err)
	}
}

// An armed object has a core method Inc that is not atomic, once the object is armed. Kick
// is atomic, but arms it, too.
type armed struct{ n, on cell }

func (a *armed) Arm()  { a.on.store(1) }
func (a *armed) Kick() { a.on.store(1) }
func (a *armed) Inc() int {
	if a.on.load() == 0 {
		return int(a.n.add(1))
	}
	n := a.n.load() + 1
	a.n.store(n)
	return int(n)
}

// TestAcquit: a method that was blamed is not, once its core methods are.
func TestAcquit(t *testing.T) {
	d := stress.ReflectOptions{Core: []string{"Arm", "Inc"}}
	for _, supervised := range []bool{false, true} {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		blamed := map[string]bool{}
		o := stress.Options{Schedules: true, Exhaustive: true, Bounds: stress.Bounds{MinInvocations: 3, MaxInvocations: 4, Values: 1}, ReflectOptions: d,
			Effort: stress.Effort{Time: patience, Program: time.Millisecond}, Found: func(f *stress.Finding) {
				if blamed[f.Method] = true; len(blamed) == 2 {
					stop()
				}
			}}
		var r *stress.Report
		var err error
		if supervised {
			r, err = stress.Supervise(ctx, child("armed"), o)
		} else {
			r, err = searchUntil(ctx, classOf(t, func() *armed { return &armed{} }, d), o)
		}
		if err != nil || !blamed["Kick"] || !blamed[""] {
			t.Fatalf("blamed are %v, %v", blamed, err)
		}
		if len(r.NonAtomic) > 0 || !slices.Equal(r.Suspect, []string{"Kick"}) || len(r.Findings) != 1 || r.Findings[0].Method != "" {
			t.Errorf("%+v", r)
		}
		if line := strings.Join(r.Remarks(), "\n"); !strings.Contains(line, "may be atomic, as the core methods of their violations are not: Kick") {
			t.Error(line)
		}
	}
}
