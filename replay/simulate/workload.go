package simulate

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/spec"
)

// A Workload says what to simulate. The zero value is a useful one: 1000
// operations of 4 threads on a queue.
type Workload struct {
	Model   string // one of Models; "" means queue, and queue:N one of capacity N
	Ops     int    // how many operations; 0 means 1000
	Threads int    // how many operations may be open at once; 0 means 4
	Seed    uint64
	// Values is how many values there are to insert or write. 0 means that
	// each is inserted or written once.
	Values int
	Keys   int // of kv; 0 means 10
	// Fill is about how many elements a collection holds; 0 means 32. Up to
	// 256, the collection is sometimes empty. Above, it is filled first. Fill
	// has no effect on a set or multiset if Values is not 0.
	Fill int
	Lost int // how many in 1000 operations never respond
	Mix  Mix
	// Faults are injected in the order of Percent. With one close to the end,
	// the history may have more than Ops operations.
	Faults []Fault
}

// shallow is the largest Fill at which collections are sometimes drained.
const shallow = 256

// withDefaults replaces zeros by defaults. It returns an error if the parameters
// are not valid.
func (w Workload) withDefaults() (Workload, *model, error) {
	for _, f := range []struct {
		field *int
		name  string
		unset int // what 0 means
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
	name, args, err := spec.ParseName(w.Model)
	i := slices.IndexFunc(models, func(m model) bool { return m.name == name })
	if i < 0 || err != nil || len(args) > 0 && name != "queue" {
		return w, nil, fmt.Errorf("no workload for a model %q; there are some for %s", w.Model, strings.Join(Models(), ", "))
	}
	m := &models[i]
	if err := w.fillMix(m); err != nil {
		return w, nil, err
	}
	w.Faults = slices.Clone(w.Faults)
	slices.SortStableFunc(w.Faults, func(a, b Fault) int { return a.Percent - b.Percent })
	for _, f := range w.Faults {
		if len(args) > 0 && f.Kind == Swap && args[0].Int() < 2 {
			return w, nil, fmt.Errorf("fault %v: a queue of one element has no order of values", f)
		}
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
	return spec.Parse(w.Model)
}

// Header returns the header of the history: the model.
func (w Workload) Header() history.Header {
	if w.Model == "" {
		w.Model = "queue"
	}
	name, args, err := spec.ParseName(w.Model)
	if err != nil {
		name = w.Model // Events reports it
	}
	return history.Header{Model: name, ModelArgs: args}
}

// Events returns the events of the history in order, without identifiers of
// operations and without stamps. It returns an error if the parameters are not
// valid. Each range over the sequence starts anew. An operation takes O(log n)
// for n elements held.
func (w Workload) Events() (iter.Seq[history.Event], error) {
	w, m, err := w.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("simulate: %w", err)
	}
	s, err := spec.Parse(w.Model)
	if err != nil {
		return nil, fmt.Errorf("simulate: %w", err)
	}
	capacity := 0
	if args := w.Header().ModelArgs; len(args) > 0 {
		capacity = int(args[0].Int())
	}
	return func(yield func(history.Event) bool) {
		r := newRunner(w, m, s.New(), yield)
		r.capacity = capacity
		r.run()
	}, nil
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

// A Mix has the weights of the kinds of operations that are drawn. The zero Mix
// means the model's own. While a collection grows, insertions are more frequent
// and removals less, and the other way round while it shrinks. In the long run
// that evens out.
type Mix struct {
	Insert int // enqueue, push, add, put, write, increment, lock
	Remove int // dequeue, pop, poll, remove, decrement; the holder unlocks a mutex
	Look   int // peek, contains, get, read, isLocked
	Update int // cas; getAndIncrement of a counter, tryLock of a mutex
}

// maxWeight keeps sums of weights far from overflow.
const maxWeight = 1_000_000

func (m *Mix) fields() [4]mixField {
	return [...]mixField{{"insert", &m.Insert}, {"remove", &m.Remove}, {"look", &m.Look}, {"update", &m.Update}}
}

type mixField struct {
	name   string
	weight *int
}

// ParseMix parses a Mix in the form of String: insert=4,remove=4,look=1. Kinds
// that are left out are not drawn.
func ParseMix(text string) (Mix, error) {
	var m Mix
	given := map[string]bool{}
	for part := range strings.SplitSeq(text, ",") {
		name, number, _ := strings.Cut(part, "=")
		weight, err := strconv.Atoi(number)
		if err != nil || weight < 0 || weight > maxWeight || given[name] {
			return Mix{}, fmt.Errorf("mix %q: want insert=N,remove=N,look=N,update=N or some of them, N up to %d", text, maxWeight)
		}
		given[name] = true
		known := false
		for _, f := range m.fields() {
			if f.name == name {
				*f.weight, known = weight, true
			}
		}
		if !known {
			return Mix{}, fmt.Errorf("mix %q: there is no kind %q, only insert, remove, look and update", text, name)
		}
	}
	if m == (Mix{}) {
		return Mix{}, fmt.Errorf("mix %q draws nothing", text)
	}
	return m, nil
}

func (m Mix) String() string {
	var parts []string
	for _, f := range m.fields() {
		if *f.weight != 0 {
			parts = append(parts, f.name+"="+strconv.Itoa(*f.weight))
		}
	}
	return strings.Join(parts, ",")
}

// fillMix sets the model's own mix, or returns an error if the model lacks a kind.
func (w *Workload) fillMix(m *model) error {
	if w.Mix == (Mix{}) {
		w.Mix = m.mix
		return nil
	}
	for k, f := range w.Mix.fields() {
		switch {
		case *f.weight < 0 || *f.weight > maxWeight:
			return fmt.Errorf("mix %s=%d: want 0 to %d", f.name, *f.weight, maxWeight)
		case *f.weight > 0 && len(m.methods[k]) == 0:
			return fmt.Errorf("mix %s=%d: a %s has no such operation", f.name, *f.weight, m.name)
		}
	}
	return nil
}

// A Fault makes a history not linearizable at one place.
type Fault struct {
	Kind    FaultKind
	Percent int // how much of the operations has begun then, 0 to 100
}

// A FaultKind is what goes wrong.
type FaultKind uint8

const (
	// Wrong is an operation, alone, with a result that no order of the others
	// allows: a value removed long ago, or never written; the opposite of
	// whether there is an element; a count that is too high.
	Wrong FaultKind = iota
	// Swap removes or reads two values in the wrong order, long after they
	// were inserted or written one after the other. Sets, counters and mutexes
	// have no such order.
	Swap
)

var faultNames = [...]string{"wrong", "swap"}

func (k FaultKind) String() string {
	if int(k) < len(faultNames) {
		return faultNames[k]
	}
	return fmt.Sprintf("fault kind %d", uint8(k))
}

func (f Fault) String() string { return fmt.Sprintf("%v@%d", f.Kind, f.Percent) }

// ParseFault parses a Fault in the form of String: wrong@50.
func ParseFault(text string) (Fault, error) {
	name, number, _ := strings.Cut(text, "@")
	percent, err := strconv.Atoi(number)
	for k, known := range faultNames {
		if name == known && err == nil && 0 <= percent && percent <= 100 {
			return Fault{FaultKind(k), percent}, nil
		}
	}
	return Fault{}, fmt.Errorf("fault %q: want wrong@PERCENT or swap@PERCENT, 0 to 100", text)
}

func (w *Workload) checkFault(f Fault, m *model) error {
	switch {
	case int(f.Kind) >= len(faultNames):
		return errors.New(f.Kind.String())
	case f.Percent < 0 || f.Percent > 100:
		return fmt.Errorf("fault %v: want a percentage of 0 to 100", f)
	case f.Kind == Swap && (m.shape == named || m.shape == number || m.shape == lock):
		return fmt.Errorf("fault %v: a %s has no order of values", f, m.name)
	case m.shape == lock && w.Lost > 0:
		return fmt.Errorf("fault %v: with lost operations it is unknown whether a mutex is held", f)
	}
	return nil
}
