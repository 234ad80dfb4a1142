package tables

import (
	"math"
	"slices"
	"strings"

	"github.com/leadline/leadline/replay"
)

// A Collection groups measurements by class. The zero value is empty.
type Collection struct {
	classes map[string]*class
}

// A class has the measurements of one class, and the number of those left out.
type class struct {
	name        string
	histories   int
	pending     int // histories with pending operations, left out
	minOps      int
	maxOps      int
	measured    []Measurement // non-sequential, without pending operations
	undecided   int
	notComputed int // linearizable histories without an exact depth
}

// Add adds one measurement.
func (c *Collection) Add(m Measurement) {
	if c.classes == nil {
		c.classes = map[string]*class{}
	}
	k := c.classes[m.Class]
	if k == nil {
		k = &class{name: m.Class, minOps: m.Ops}
		c.classes[m.Class] = k
	}
	k.histories++
	k.minOps, k.maxOps = min(k.minOps, m.Ops), max(k.maxOps, m.Ops)
	switch {
	case m.Pending > 0:
		k.pending++
		return
	case m.CP == 0:
		return
	}
	k.measured = append(k.measured, m)
	if m.Answer == replay.Undecided {
		k.undecided++
	}
	if m.Answer == replay.Linearizable && m.Exact == 0 {
		k.notComputed++
	}
}

// sorted returns the classes by name.
func (c *Collection) sorted() []*class {
	var all []*class
	for _, k := range c.classes {
		all = append(all, k)
	}
	slices.SortFunc(all, func(a, b *class) int { return strings.Compare(a.name, b.name) })
	return all
}

// total is the union of all classes.
func (c *Collection) total() *class {
	t := &class{name: "all"}
	for i, k := range c.sorted() {
		if i == 0 {
			t.minOps = k.minOps
		}
		t.histories += k.histories
		t.pending += k.pending
		t.undecided += k.undecided
		t.notComputed += k.notComputed
		t.minOps, t.maxOps = min(t.minOps, k.minOps), max(t.maxOps, k.maxOps)
		t.measured = append(t.measured, k.measured...)
	}
	return t
}

// linearizable counts the linearizable histories.
func (k *class) linearizable() int {
	return k.count(func(m Measurement) bool { return m.Answer == replay.Linearizable })
}

// shown counts the histories that families up to depth d show to be
// linearizable.
func (k *class) shown(d int) int {
	return k.count(func(m Measurement) bool { return m.Depth > 0 && m.Depth <= d })
}

func (k *class) count(f func(Measurement) bool) int {
	n := 0
	for _, m := range k.measured {
		if f(m) {
			n++
		}
	}
	return n
}

// summary has the maximum, the mean and the standard deviation (n-1) of a
// sample.
type summary struct {
	n        int
	max      int64
	sum      int64
	mean, sd float64
}

func summarise(ms []Measurement, value func(Measurement) int64) summary {
	s := summary{n: len(ms)}
	if s.n == 0 {
		return s
	}
	for _, m := range ms {
		s.max = max(s.max, value(m))
		s.sum += value(m)
	}
	s.mean = float64(s.sum) / float64(s.n)
	if s.n > 1 {
		squares := 0.0
		for _, m := range ms {
			deviation := float64(value(m)) - s.mean
			squares += deviation * deviation
		}
		s.sd = math.Sqrt(squares / float64(s.n-1))
	}
	return s
}
