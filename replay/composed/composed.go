package composed

import (
	"cmp"
	"context"
	"fmt"
	"strings"
)

// A Map is a concurrent map with the operations of sync.Map; a *sync.Map is one. The
// environment may run operations at each step of a Range, which loads the keys one
// after another, in any order. It does not run Range and Clear itself.
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
	// Ops bounds the operations of the environment in one execution; DefaultOps.
	Ops int
	// Executions bounds the executions; DefaultExecutions.
	Executions int64
	// Keys are more keys, or elements of a set, for the environment. It always has the keys
	// that the method uses when it runs alone, perhaps after an insertion; those with pointers have to
	// be here. For a method with Range or Clear, it has at least two keys.
	Keys []any
	// Values returns the values that the environment inserts. It is called for
	// each execution, because the method may change what the values point to. By default
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
	// map: of the operations that would return, replace or remove one, it runs Load only.
	Missing func(value any) bool
	// Replay is the execution to repeat, as a violation gives it. Nothing else is run.
	Replay string
}

// Default bounds, for zero values in Options.
const (
	DefaultOps        = 3
	DefaultExecutions = 1 << 18
)

// A TB is what Test needs of a *testing.T.
type TB interface {
	Helper()
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
}

// Test fails the test if it finds an execution in which the method is not atomic. O is
// Map, Set or Queue.
//
// It also fails if the method was not explored: see Report.Reason. A method with a single
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
	switch {
	case report.Violation != nil:
		t.Errorf("%v", report.Violation)
	case strings.HasPrefix(report.Reason, notExercised):
		t.Errorf("composed: %s. It may need other Options.Keys or Options.Values. A method with a single operation is atomic, and says so by Point after it", report.Reason)
	case report.Reason != "":
		t.Errorf("composed: %s", report.Reason)
	}
	if report.Panics != "" {
		t.Logf("composed: in some executions, the method panics: %s", report.Panics)
	}
	t.Logf("composed: %v", report)
}

func (r *Report) String() string {
	text := fmt.Sprintf("%d executions", r.Executions)
	if r.Violation == nil && r.Reason == "" {
		text += fmt.Sprintf(", all with up to %d operations of the environment", r.Ops)
	}
	if n := r.Waited + r.Undecided; n > 0 {
		text += fmt.Sprintf("; %d were not judged", n)
	}
	return text
}

// Explore runs the method with an environment that tries to make it not atomic,
// until the first violation. O is Map, Set or Queue. The method must not start goroutines that use
// the collection.
//
// An error means that the options or the method cannot be used, or that ctx was
// cancelled.
func Explore[O any](ctx context.Context, method func(O) any, o Options) (*Report, error) {
	x, err := newTest(method, &o)
	if err != nil {
		return nil, fmt.Errorf("composed: %w", err)
	}
	r := &Report{}
	if o.Replay != "" {
		err = x.repeat(ctx, r, o.Replay)
	} else {
		err = x.exploreTest(ctx, r, &o)
	}
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return nil, fmt.Errorf("composed: %w", err)
	}
	return r, nil
}

// Point marks the operation that the method has run last as its linearization
// point. Only the order with the method at that point is then checked. In an execution
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
