package tables

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/leadline/leadline/replay"
)

// A Collection makes tables from measurements. The zero value is empty.
type Collection struct {
	// MaxDepth is the largest depth that has a column. If it is 0, that is 5 in
	// Table 3, as in the paper, and DefaultMaxDepth elsewhere.
	MaxDepth int

	all []*Measurement
}

// Add adds one measurement.
func (c *Collection) Add(m Measurement) { c.all = append(c.all, &m) }

// maxDepth returns the largest depth that has a column, except in Table 3.
func (c *Collection) maxDepth() int { return cmp.Or(c.MaxDepth, DefaultMaxDepth) }

// A class is a group of measurements: those of one class, or all.
type class struct {
	name    string
	archive string
	all     []*Measurement
	// measured are the measurements in the tables of the paper: non-sequential histories
	// without pending operations.
	measured []*Measurement
}

func newClass(name, archive string, all []*Measurement) *class {
	k := &class{name: name, archive: archive, all: all}
	for _, m := range all {
		if m.CP > 0 && m.Pending == 0 {
			k.measured = append(k.measured, m)
		}
	}
	return k
}

// classes groups the measurements by class, and by archive too if byArchive is
// set.
func (c *Collection) classes(byArchive bool) []*class {
	groups := map[[2]string][]*Measurement{}
	for _, m := range c.all {
		key := [2]string{"", m.Class}
		if byArchive {
			key[0] = m.Archive
		}
		groups[key] = append(groups[key], m)
	}
	var classes []*class
	for key, all := range groups {
		classes = append(classes, newClass(key[1], key[0], all))
	}
	slices.SortFunc(classes, func(a, b *class) int {
		return cmp.Or(strings.Compare(a.archive, b.archive), strings.Compare(a.name, b.name))
	})
	return classes
}

// sorted returns the classes by name.
func (c *Collection) sorted() []*class { return c.classes(false) }

// total returns the union of all classes.
func (c *Collection) total() *class { return newClass("all", "", c.all) }

// ops returns the smallest and the largest number of operations.
func (k *class) ops() pair { return k.span(func(m *Measurement) int { return m.Ops }) }

// span returns the smallest and the largest value.
func (k *class) span(value func(*Measurement) int) pair {
	least, most := value(k.all[0]), value(k.all[0])
	for _, m := range k.all {
		least, most = min(least, value(m)), max(most, value(m))
	}
	return interval(least, most)
}

// linearizable counts the linearizable histories.
func (k *class) linearizable() int { return k.count(isLinearizable) }

// shown counts the histories that families up to depth d prove to be linearizable.
func (k *class) shown(d int) int {
	return k.count(func(m *Measurement) bool { return m.Depth > 0 && m.Depth <= d })
}

func (k *class) count(f func(*Measurement) bool) int { return count(k.measured, f) }

func count(ms []*Measurement, f func(*Measurement) bool) int {
	n := 0
	for _, m := range ms {
		if f(m) {
			n++
		}
	}
	return n
}

func isLinearizable(m *Measurement) bool { return m.Answer == replay.Linearizable }

func isPending(m *Measurement) bool { return m.Pending > 0 }

func isCounted(m *Measurement) bool { return m.Schedules[CountDepths-1] > 0 }

// only returns the measurements with the property.
func only(ms []*Measurement, f func(*Measurement) bool) []*Measurement {
	return slices.DeleteFunc(slices.Clone(ms), func(m *Measurement) bool { return !f(m) })
}

// summary has the maximum, the mean and the standard deviation (n-1) of a
// sample.
type summary struct {
	n        int
	max      int64
	sum      int64
	mean, sd float64
}

// cells returns the maximum, the mean and the standard deviation, with the given number
// of decimal places. They are empty without a sample.
func (s summary) cells(places int) []any {
	if s.n == 0 {
		return []any{nil, nil, nil}
	}
	return []any{s.max, decimal{s.mean, places}, decimal{s.sd, places}}
}

func summarise(ms []*Measurement, value func(*Measurement) int64) summary {
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
