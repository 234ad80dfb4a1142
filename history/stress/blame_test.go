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
	r, err := searchUntil(ctx, counters(), stress.Options{GoOn: true, Bounds: stress.Bounds{MaxInvocations: 5}, Effort: stress.Effort{Time: patience, Program: 5 * time.Millisecond},
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
	if slices.Contains(r.Atomic, "first") || slices.Contains(r.Atomic, "second") {
		t.Errorf("atomic %v", r.Atomic)
	}
}

// TestBrokenCore: a violation of core methods is not blamed on another one.
func TestBrokenCore(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	r, err := searchUntil(ctx, counters("first"), stress.Options{Effort: stress.Effort{Time: patience, Program: 100 * time.Millisecond},
		Methods: []string{"good"}, Found: func(*stress.Finding) { stop() }})
	if err != nil || len(r.Findings) != 1 || r.Findings[0].Method != "" || !slices.Equal(r.Findings[0].Methods, []string{"first"}) {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestReduceLate: a smaller program that is not proved for want of time does not count as
// another violation.
func TestReduceLate(t *testing.T) {
	defer stress.SetReduceTime(stress.SetReduceTime(30 * time.Millisecond))
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	r, err := searchUntil(ctx, counters("first"), stress.Options{Effort: stress.Effort{Time: patience, Program: 100 * time.Millisecond},
		Programs: slices.Repeat([]string{"{ first(); first(); first(); first() } || { first(); first(); first(); first() }"}, 100),
		Found:    func(*stress.Finding) { stop() }})
	if err != nil || len(r.Findings) != 1 {
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
	if err != nil || len(r.Atomic) > 0 || r.Account.Method("get").Programs == 0 || r.Account.Method("remove").Ordered {
		t.Errorf("%+v, %v", r, err)
	}
}
