package shim_test

import (
	standard "context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/explore/shim/context"
	clock "github.com/leadline/leadline/history/explore/shim/time"
)

// contexts are the functions of package context, or of its stand-in.
type contexts struct {
	withCancel   func(context.Context) (context.Context, context.CancelFunc)
	withCause    func(context.Context) (context.Context, context.CancelCauseFunc)
	withDeadline func(context.Context, time.Time, error) (context.Context, context.CancelFunc)
	afterFunc    func(context.Context, func()) func() bool
	cause        func(context.Context) error
	now          func() time.Time
	write        func() // a thread that only reads would let time pass
}

// TestContextTrees: random trees of contexts say the same as those of package context
// when some of them are canceled.
func TestContextTrees(t *testing.T) {
	for round := range 2000 {
		s := *seed + uint64(round)
		want := contextTree(s, &contexts{standard.WithCancel, standard.WithCancelCause, standard.WithDeadlineCause, standard.AfterFunc, standard.Cause, time.Now, func() {}})
		var got []string
		r := schedule.Run(&schedule.Program{Threads: []func(){func() {
			got = contextTree(s, &contexts{context.WithCancel, context.WithCancelCause, context.WithDeadlineCause, context.AfterFunc, context.Cause, clock.Now, func() { schedule.Step(schedule.Write, nil) }})
		}}}, schedule.NewDFS(schedule.DFSOptions{}), schedule.Limits{Steps: 100_000})
		if r.Panic != nil || r.Deadlock || r.Cut {
			t.Fatalf("-seed %d: %v, deadlock %v, cut %v", s, r.Panic, r.Deadlock, r.Cut)
		}
		for i := range max(len(got), len(want)) {
			if i >= len(got) || i >= len(want) || got[i] != want[i] {
				t.Fatalf("-seed %d: %q\nwant %q", s, got[min(i, len(got)):], want[min(i, len(want)):])
			}
		}
	}
}

// contextTree makes contexts and cancels some of them. It returns what they say.
func contextTree(seed uint64, of *contexts) []string {
	random := rand.New(rand.NewPCG(seed, 1))
	list := []context.Context{context.Background()}
	ends := []func(){nil}
	var saw []string
	for i := 1; i < 12; i++ { // a thread with many steps would, too
		parent := list[random.IntN(len(list))]
		ctx, end := parent, func() {}
		switch random.IntN(9) {
		case 0, 1:
			ctx, end = of.withCancel(parent)
		case 2:
			c, cancel := of.withCause(parent)
			ctx, end = c, func() { cancel(fmt.Errorf("cause %d", i)) }
		case 3:
			c, cancel := of.withDeadline(parent, of.now().Add(time.Duration(1+random.IntN(3))*time.Hour), errors.New("late"))
			ctx, end = c, cancel
		case 4:
			c, cancel := of.withDeadline(parent, of.now().Add(-time.Hour), fmt.Errorf("too late %d", i))
			ctx, end = c, cancel
		case 5:
			ctx = context.WithValue(parent, i, i)
		case 6:
			ctx = context.WithoutCancel(parent)
		case 7:
			if parent.Err() == nil { // otherwise f is called at once, in a goroutine
				stop := of.afterFunc(parent, func() {})
				end = func() {
					if parent.Err() == nil {
						saw = append(saw, fmt.Sprint(i, " stopped: ", stop(), stop()))
					}
				}
				if random.IntN(4) > 0 { // nothing is left to be called
					end()
					end = func() {}
				}
			}
		case 8:
			j := random.IntN(len(ends))
			if ends[j] != nil {
				ends[j]()
			}
		}
		list, ends = append(list, ctx), append(ends, end)
		for range 4 {
			j := random.IntN(len(list))
			ctx := list[j]
			of.write()
			select {
			case <-ctx.Done():
				saw = append(saw, fmt.Sprint(i, " ", j, " is done: ", ctx.Err(), ", ", of.cause(ctx), ", ", ctx.Value(7)))
			default:
				_, hasDeadline := ctx.Deadline()
				saw = append(saw, fmt.Sprint(i, " ", j, ": ", ctx.Err(), ", ", of.cause(ctx), ", ", hasDeadline))
			}
		}
	}
	return saw
}

// schedules runs threads under all schedules with a preemption, and some random ones. Each
// has a fresh state that before makes. It returns what they saw, sorted.
func schedules(t *testing.T, before func(), saw func() string, threads ...func()) []string {
	t.Helper()
	var all []string
	for _, s := range []schedule.Strategy{schedule.NewDFS(schedule.DFSOptions{Bound: 1, Filter: true}), schedule.NewPOS(*seed)} {
		n := 0
		for more := true; more && n < 1000; n++ {
			r := schedule.Run(&schedule.Program{Before: before, Threads: threads}, s, schedule.Limits{Ticks: -1})
			switch {
			case r.Panic != nil || r.Cut || r.Foreign > 0:
				t.Fatalf("-seed %d: %+v", *seed, r)
			case r.Deadlock:
				all = append(all, "deadlock")
			case !r.Pruned:
				all = append(all, saw())
			}
			more = s.Next(r)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func TestContextSchedules(t *testing.T) {
	var ctx, child context.Context
	var cancel context.CancelFunc
	var stop func() bool
	var saw [2]string
	called := 0
	result := func() string { return strings.Join(saw[:], " ") }
	make := func() {
		saw, called = [2]string{}, 0
		ctx, cancel = context.WithCancel(context.Background())
		child, _ = context.WithCancel(ctx)
		stop = context.AfterFunc(child, func() { called++ })
	}
	isDone := func(ctx context.Context) bool {
		return schedule.Select(true, schedule.RecvCase(ctx.Done())) == 0
	}
	for name, c := range map[string]struct {
		threads []func()
		want    []string
	}{
		"a child is done after its parent, and has an error then": {[]func(){
			func() { cancel() },
			func() {
				done := isDone(child)
				saw[1] = fmt.Sprint(done, isDone(ctx), done && child.Err() != nil)
			},
		}, []string{" false false false", " false true false", " true true true"}},
		"whoever cancels returns when all is done": {[]func(){
			func() { cancel(); saw[0] = fmt.Sprint(isDone(ctx), isDone(child)) },
			func() { cancel(); saw[1] = fmt.Sprint(isDone(ctx), isDone(child)) },
		}, []string{"true true true true"}},
		"an error means that the channel is closed": {[]func(){
			func() { cancel() },
			func() { saw[1] = fmt.Sprint(ctx.Err() == nil || isDone(ctx), child.Err() == nil || isDone(child)) },
		}, []string{" true true"}},
		"a function is called or stopped": {[]func(){
			func() { cancel(); schedule.Step(schedule.Yield, nil) },
			func() {
				stopped := stop()
				clock.Sleep(time.Hour)
				saw[1] = fmt.Sprint(stopped, called)
			},
		}, []string{" false 1", " true 0"}},
		"a timeout is canceled or not": {[]func(){
			func() {
				late, end := context.WithTimeout(ctx, time.Millisecond)
				defer end()
				schedule.Recv(late.Done())
				saw[0] = fmt.Sprint(late.Err(), context.Cause(late))
			},
			func() { clock.Sleep(2 * time.Millisecond); cancel() },
		}, []string{"context deadline exceeded context deadline exceeded "}},
		"a context is canceled before its timeout": {[]func(){
			func() {
				late, end := context.WithTimeoutCause(ctx, time.Minute, errors.New("late"))
				defer end()
				schedule.Recv(late.Done())
				saw[0] = fmt.Sprint(late.Err(), context.Cause(late))
			},
			func() { cancel() },
		}, []string{"context canceled context canceled "}},
		"contexts of the real package are canceled, too": {[]func(){
			func() {
				other, end := standard.WithCancel(child)
				defer end()
				schedule.Recv(other.Done())
				saw[0] = fmt.Sprint(other.Err())
			},
			func() { cancel() },
		}, []string{"context canceled "}},
	} {
		if got := schedules(t, make, result, c.threads...); !slices.Equal(got, c.want) {
			t.Errorf("-seed %d: %s: %q, want %q", *seed, name, got, c.want)
		}
	}
}

// TestContextOutside: contexts that are made outside of an execution are followed in it.
func TestContextOutside(t *testing.T) {
	var outside context.Context
	var cancel context.CancelFunc
	saw := ""
	got := schedules(t, func() {
		outside, cancel = standard.WithCancel(standard.Background())
		saw = ""
	}, func() string { return saw },
		func() {
			ctx, end := context.WithTimeout(outside, time.Hour)
			defer end()
			schedule.Recv(ctx.Done())
			saw = fmt.Sprint(ctx.Err())
		}, func() { cancel() })
	if want := []string{"context canceled"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
