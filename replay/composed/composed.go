package composed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
)

// A Map is a concurrent map with the operations of sync.Map; a *sync.Map is one. The
// environment may run operations at each step of a Range, which loads the keys in order, one
// after another. It does not run Range and Clear itself.
type Map interface {
	Load(key any) (value any, ok bool)
	Store(key, value any)
	LoadOrStore(key, value any) (actual any, loaded bool)
	LoadAndDelete(key any) (value any, loaded bool)
	Delete(key any)
	Swap(key, value any) (previous any, loaded bool)
	CompareAndSwap(key, old, new any) (swapped bool)
	CompareAndDelete(key, old any) (deleted bool)
	Range(f func(key, value any) bool)
	Clear()
}

// A Set is a concurrent set. Add and Remove return whether they changed it.
type Set interface {
	Add(element any) bool
	Remove(element any) bool
	Contains(element any) bool
	Size() int
}

// A Queue is a concurrent unbounded queue. Dequeue and Peek return false if it is
// empty.
type Queue interface {
	Enqueue(value any)
	Dequeue() (value any, ok bool)
	Peek() (value any, ok bool)
	Size() int
}

// Removals are the operations that remove a value, for Options.Without.
var Removals = []string{"LoadAndDelete", "Delete", "CompareAndDelete", "Remove", "Dequeue"}

// Options for a test. The zero value is what most users want.
type Options struct {
	// Ops bounds the operations of the environment in one run; DefaultOps.
	Ops int
	// Runs bounds the runs; DefaultRuns.
	Runs int
	// Steps bounds the operations of the method in one run; DefaultSteps. A run
	// that exceeds it counts as pending and is not judged.
	Steps int
	// Keys are more keys, or elements of a set, for the environment. It always has the keys
	// that the method uses; those with pointers have to be here. For a method with Range or
	// Clear, it has at least two keys.
	Keys []any
	// Values returns the values that the environment inserts. It is called for
	// each run, because the method may change what the values point to. By default
	// they are the values that the method inserts into an empty collection, Constants, and
	// a different value for each of them. If there are none, they are 1 and 2.
	Values func() []any
	// Constants are values for the default of Values, such as those with which the method
	// compares a value of the collection. They have no pointers.
	Constants []any
	// Without are operations that the environment does not run, for instance
	// Removals.
	Without []string
	// Missing reports values of a map that count as missing for the environment,
	// such as a cancelled computation. The environment then leaves such values in the
	// map. It runs an operation only if the operation has the same result and effect on
	// the map without the keys of such values.
	Missing func(value any) bool
	// Replay is the run to repeat, as a violation gives it. Nothing else is run.
	Replay string
}

// Default bounds, for zero values in Options.
const (
	DefaultOps   = 3
	DefaultRuns  = 1 << 18
	DefaultSteps = 100
)

// A Report is the result of Explore.
type Report struct {
	// Violation is the first violation found, or nil. If all runs are explored, no
	// other one has fewer operations of the environment.
	Violation *Violation
	Runs      int // runs of the method, without those that only lead to longer ones
	Histories int // distinct histories, each decided once
	States    int // distinct states of the collection
	// Ops is the number of operations of the environment up to which all runs were
	// explored. It is -1 if no exploration was completed.
	Ops     int
	Pending int // runs that exceeded Options.Steps
	// NotSerializable is the number of runs that are not conflict serializable. Checkers of
	// conflict serializability report them, even if the method is atomic.
	NotSerializable int
	// Panics is the text of a panic of the method when it runs alone, in one of the
	// states met, or "". Often the method does not expect the values; see
	// Options.Values.
	Panics string
	// Exercised is whether the method, in some run, returned after two operations, or after
	// one and Point. Otherwise nothing was tested.
	Exercised bool
}

// A TB is what Test needs of a *testing.T.
type TB interface {
	Helper()
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
}

// Test fails the test if it finds a run in which the method is not atomic. O is
// Map, Set or Queue.
//
// It also fails if the method was not exercised: see Report.Exercised. A method with a single
// operation is atomic; it passes if it calls Point after the operation.
//
// If the method waits for something other than the collection, such as a channel without
// a receiver, Test waits, too. The time limit of go test then prints where.
func Test[O any](t TB, method func(O) any, o Options) {
	t.Helper()
	report, err := Explore(context.Background(), method, o)
	if err != nil {
		t.Errorf("%v", err)
		return
	}
	if report.Panics != "" {
		t.Logf("composed: the method panics even alone (%s); it may not expect the keys or values that are there: see Options.Keys and Options.Values", report.Panics)
	}
	switch {
	case report.Violation != nil:
		t.Errorf("%v", report.Violation)
	case !report.Exercised:
		t.Errorf("composed: not exercised: in no run did the method return after a second operation; see Options.Keys and Options.Values. A method with a single operation is atomic, and says so by Point after it")
	}
	t.Logf("composed: %v", report)
}

func (r *Report) String() string {
	text := fmt.Sprintf("%d runs, %d histories, %d states", r.Runs, r.Histories, r.States)
	switch {
	case r.Violation != nil:
	case !r.Exercised:
		text += ", not exercised"
	case r.Ops >= 0:
		text += fmt.Sprintf(", all with up to %d operations of the environment", r.Ops)
	}
	if r.Pending > 0 {
		text += fmt.Sprintf("; %d runs did not end and were not judged", r.Pending)
	}
	return text
}

// Explore runs the method with an environment that tries to make it not atomic,
// until the first violation. O is Map, Set or Queue. The method must do the same
// whenever the collection returns the same; it must not start goroutines that use
// the collection.
//
// An error means that the options or the method cannot be used, or that ctx was
// cancelled.
func Explore[O any](ctx context.Context, method func(O) any, o Options) (*Report, error) {
	x, err := newExplorer(ctx, method, o)
	if err != nil {
		return nil, err
	}
	return x.explore()
}

func newExplorer[O any](ctx context.Context, method func(O) any, o Options) (*explorer, error) {
	x := &explorer{ctx: ctx}
	x.offer = x.adjacent
	var err error
	if x.o, err = o.withDefaults(); err != nil {
		return nil, err
	}
	if method == nil {
		return nil, errors.New("composed: the method is nil")
	}
	switch m := any(method).(type) {
	case func(Map) any:
		x.c, x.method = mapCollection, func(r *run) any { return m(mapOf{r}) }
	case func(Set) any:
		x.c, x.method = setCollection, func(r *run) any { return m(setOf{r}) }
	case func(Queue) any:
		x.c, x.method = queueCollection, func(r *run) any { return m(queueOf{r}) }
	default:
		return nil, fmt.Errorf("composed: the method takes a %T; it has to take a composed.Map, Set or Queue", *new(O))
	}
	if o.Missing != nil && x.c != mapCollection {
		return nil, fmt.Errorf("composed: Options.Missing is about the values of a map, not of a %s", x.c.name)
	}
	return x, nil
}

func (o Options) withDefaults() (Options, error) {
	if min(o.Ops, o.Runs, o.Steps) < 0 {
		return o, fmt.Errorf("composed: a bound in Options is negative: Ops %d, Runs %d, Steps %d", o.Ops, o.Runs, o.Steps)
	}
	for _, name := range o.Without {
		if !slices.ContainsFunc([]*collection{mapCollection, setCollection, queueCollection}, func(c *collection) bool {
			return slices.ContainsFunc(c.operations, func(op operation) bool { return op.name == name && op.params != allKeys })
		}) {
			return o, fmt.Errorf("composed: Options.Without has the unknown operation %q", name)
		}
	}
	o.Ops, o.Runs, o.Steps = cmp.Or(o.Ops, DefaultOps), cmp.Or(o.Runs, DefaultRuns), cmp.Or(o.Steps, DefaultSteps)
	return o, nil
}

// Point marks the operation that the method has run last as its linearization
// point. Only the order with the method at that point is then checked. In a run
// without a point, all orders are checked. If there are several points, the last one
// counts.
//
// The argument is the collection that the method was given. For any other collection,
// such as a *sync.Map, Point does nothing.
func Point(collection any) {
	if p, ok := collection.(interface{ markPoint() }); ok {
		p.markPoint()
	}
}
