package explore_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/leadline/leadline/history/stress"
)

// A room is wrong only while as many calls are open as it has room for.
type room struct {
	in   cell
	most int64
}

func (r *room) Enter() int64 {
	n := r.in.add(1)
	r.in.add(-1)
	if n >= r.most {
		return n
	}
	return 1
}

// keys has a counter for each key. The one of the last key is not atomic.
type keys struct {
	lock latch
	n    map[int]int
	last int
}

func (k *keys) Inc(key int) int {
	k.lock.lock()
	defer k.lock.unlock()
	v := k.n[key]
	if key >= k.last {
		k.lock.unlock()
		k.lock.lock()
	}
	k.n[key] = v + 1
	return v + 1
}

// until searches a class until a number of programs have begun. It returns them and the report.
func until(t *testing.T, c *stress.Class, o stress.Options, most int) (programs []string, r *stress.Report) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	o.Effort, o.Seed = stress.Effort{Time: patience, Program: time.Millisecond}, 1
	o.Starting = func(_, program string) {
		if programs = append(programs, program); len(programs) == most {
			stop()
		}
	}
	r, err := searchUntil(ctx, c, o)
	if err != nil {
		t.Fatal(err)
	}
	return programs, r
}

// TestWiden: faults that need a third or fourth sequence or value are found without being asked for,
// a bound that the options give stays, and the programs are those of the seed.
func TestWiden(t *testing.T) {
	for _, test := range []struct {
		name   string
		class  *stress.Class
		bounds stress.Bounds
		want   int
	}{
		{"three calls", classOf(t, func() *room { return &room{most: 3} }, stress.ReflectOptions{}), stress.Bounds{}, 1},
		{"four calls", classOf(t, func() *room { return &room{most: 4} }, stress.ReflectOptions{}), stress.Bounds{}, 1},
		{"two sequences", classOf(t, func() *room { return &room{most: 3} }, stress.ReflectOptions{}), stress.Bounds{Sequences: 2}, 0},
		{"third value", classOf(t, func() *keys { return &keys{n: map[int]int{}, last: 2} }, stress.ReflectOptions{}), stress.Bounds{}, 1},
		{"fourth value", classOf(t, func() *keys { return &keys{n: map[int]int{}, last: 3} }, stress.ReflectOptions{}), stress.Bounds{}, 1},
		{"two values", classOf(t, func() *keys { return &keys{n: map[int]int{}, last: 2} }, stress.ReflectOptions{}), stress.Bounds{Values: 2}, 0},
	} {
		o := stress.Options{Bounds: test.bounds}
		o.Bounds.MaxInvocations, o.Bounds.Initial, o.Bounds.Final = 4, -1, -1
		first, r := until(t, test.class, o, 200)
		if len(r.Findings) != test.want {
			t.Errorf("%s: %d violations in %d programs", test.name, len(r.Findings), r.Programs)
		}
		if again, _ := until(t, test.class, o, 200); !slices.Equal(first, again) {
			t.Errorf("%s: other programs with the same seed", test.name)
		}
	}
}

// TestWidenPreemptions: generated programs get one preemption more in the end.
func TestWidenPreemptions(t *testing.T) {
	for preemptions, want := range map[int]int{0: 4, 2: 2} {
		_, r := until(t, classOf(t, func() *keys { return &keys{n: map[int]int{}, last: 9} }, stress.ReflectOptions{}), stress.Options{Preemptions: preemptions, Bounds: stress.Bounds{MaxInvocations: 3, Values: 1, Sequences: 2}}, 400)
		if !complete(r, want) || complete(r, want+1) {
			t.Errorf("--preemptions %d: complete %q", preemptions, stress.Tried([]*stress.Report{r}))
		}
	}
}

// TestSynchronised: an object whose calls take no steps has no synchronisation.
func TestSynchronised(t *testing.T) {
	_, r := until(t, classOf(t, func() *hits { return &hits{} }, stress.ReflectOptions{}), stress.Options{}, 10)
	_, bare := until(t, classOf(t, func() *plainCounter { return &plainCounter{} }, stress.ReflectOptions{}), stress.Options{}, 10)
	if !r.Explored.Synchronised || bare.Explored.Synchronised || bare.Explored.Judged == 0 {
		t.Errorf("%+v, %+v", r.Explored, bare.Explored)
	}
}

// A plainCounter has no synchronisation.
type plainCounter struct{ n int }

func (c *plainCounter) Inc() int { c.n++; return c.n }
