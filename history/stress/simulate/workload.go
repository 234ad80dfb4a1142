package simulate

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec"
)

// A Workload says what to simulate. The zero value is a useful one: 1000
// operations of 4 threads on a queue.
type Workload struct {
	Model   string // one of Models; "" means queue
	Ops     int    // how many operations; 0 means 1000
	Threads int    // how many operations may be open at once; 0 means 4
	Seed    uint64
	// Values is how many values there are to insert or write. 0 means that
	// each is inserted or written once; into a set, added once.
	Values int
	Keys   int // of kv; 0 means 10
	// Fill is about how many elements a collection holds; 0 means 32. Up to
	// 256 the collection is empty now and then, beyond it is filled first. A
	// set or multiset of some Values does not look at it.
	Fill int
	Lost int // how many in 1000 operations never respond
	Mix  Mix
	// Faults are injected in their order of Percent. One close to the end may
	// take the history beyond Ops operations.
	Faults []Fault
}

// shallow is the largest Fill at which collections are drained now and then.
const shallow = 256

// withDefaults fills in what is not given and reports what cannot be.
func (w Workload) withDefaults() (Workload, *model, error) {
	for _, f := range []struct {
		field *int
		name  string
		unset int // what 0 stands for
		max   int
	}{
		{&w.Ops, "operations", 1000, history.NoReturn / 2},
		{&w.Threads, "threads", 4, 1 << 20},
		{&w.Keys, "keys", 10, history.NoReturn},
		{&w.Fill, "fill", 32, history.NoReturn},
		{&w.Values, "values", 0, history.NoReturn},
		{&w.Lost, "lost operations in 1000", 0, 1000},
	} {
		if *f.field < 0 || *f.field > f.max {
			return w, nil, fmt.Errorf("%d %s: want 0 to %d", *f.field, f.name, f.max)
		}
		if *f.field == 0 {
			*f.field = f.unset
		}
	}
	if w.Model == "" {
		w.Model = "queue"
	}
	i := slices.IndexFunc(models, func(m model) bool { return m.name == w.Model })
	if i < 0 {
		return w, nil, fmt.Errorf("no workload for a model %q; there are some for %s", w.Model, strings.Join(Models(), ", "))
	}
	m := &models[i]
	if err := w.fillMix(m); err != nil {
		return w, nil, err
	}
	w.Faults = slices.Clone(w.Faults)
	slices.SortStableFunc(w.Faults, func(a, b Fault) int { return a.Percent - b.Percent })
	for _, f := range w.Faults {
		if err := w.checkFault(f, m); err != nil {
			return w, nil, err
		}
	}
	return w, m, nil
}

// String returns the flags of leadline record that make the same history.
func (w Workload) String() string {
	given, _, err := w.withDefaults()
	if err != nil {
		given = w
	}
	var b strings.Builder
	fmt.Fprintf(&b, "--simulate %s --threads %d --ops %d --seed %d", given.Model, given.Threads, given.Ops, given.Seed)
	for _, f := range []struct {
		name         string
		value, unset int
	}{{"values", w.Values, 0}, {"keys", w.Keys, 10}, {"fill", w.Fill, 32}, {"lost", w.Lost, 0}} {
		if f.value != 0 && f.value != f.unset {
			fmt.Fprintf(&b, " --%s %d", f.name, f.value)
		}
	}
	if w.Mix != (Mix{}) {
		fmt.Fprintf(&b, " --mix %v", w.Mix)
	}
	for _, f := range w.Faults {
		fmt.Fprintf(&b, " --fault %v", f)
	}
	return b.String()
}

// Spec returns the specification of the workload's object.
func (w Workload) Spec() (replay.Spec, error) {
	w, _, err := w.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("simulate: %w", err)
	}
	return spec.Lookup(w.Model, nil)
}

// Header returns what the history says of itself: the model.
func (w Workload) Header() history.Header {
	if w.Model == "" {
		w.Model = "queue"
	}
	return history.Header{Model: w.Model}
}

// Events returns the events of the history, one by one as they happen; they
// have no identifiers of operations and no stamps. An error is one of the
// parameters'. The sequence can be ranged over several times. O(log n) per
// operation for n elements held.
func (w Workload) Events() (iter.Seq[history.Event], error) {
	w, m, err := w.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("simulate: %w", err)
	}
	s, err := spec.Lookup(w.Model, nil)
	if err != nil {
		return nil, fmt.Errorf("simulate: %w", err)
	}
	return func(yield func(history.Event) bool) { newRunner(w, m, s.New(), yield).run() }, nil
}

// History returns the whole history.
func (w Workload) History() (*history.History, error) {
	events, err := w.Events()
	if err != nil {
		return nil, err
	}
	b := history.NewBuilder(w.Header())
	for ev := range events {
		b.Add(&ev)
	}
	return b.Build()
}
