package subjects

import (
	"context"
	"iter"

	"github.com/maypok86/otter/v2"
)

// Otter is an unbounded cache of github.com/maypok86/otter/v2: evictions of a
// bounded one are random.
type Otter struct{ c *otter.Cache[int, int] }

func NewOtter() *Otter { return &Otter{otter.Must(&otter.Options[int, int]{})} }

func (c *Otter) EstimatedSize() int                     { return c.c.EstimatedSize() }
func (c *Otter) GetIfPresent(key int) (int, bool)       { return c.c.GetIfPresent(key) }
func (c *Otter) Invalidate(key int) (int, bool)         { return c.c.Invalidate(key) }
func (c *Otter) InvalidateAll()                         { c.c.InvalidateAll() }
func (c *Otter) Set(key, value int) (int, bool)         { return c.c.Set(key, value) }
func (c *Otter) SetIfAbsent(key, value int) (int, bool) { return c.c.SetIfAbsent(key, value) }

// GetEntry returns the value of the entry.
func (c *Otter) GetEntry(key int) (int, bool) {
	entry, ok := c.c.GetEntry(key)
	return entry.Value, ok
}

// GetEntryQuietly returns the value of the entry.
func (c *Otter) GetEntryQuietly(key int) (int, bool) {
	entry, ok := c.c.GetEntryQuietly(key)
	return entry.Value, ok
}

// Get loads a value that is ten times the key.
func (c *Otter) Get(key int) (int, error) {
	return c.c.Get(context.Background(), key, tenfold)
}

var tenfold = otter.LoaderFunc[int, int](func(_ context.Context, key int) (int, error) { return 10 * key, nil })

// Compute adds one to the value; an absent value counts as zero.
func (c *Otter) Compute(key int) (int, bool) {
	return c.c.Compute(key, func(old int, _ bool) (int, otter.ComputeOp) { return old + 1, otter.WriteOp })
}

// ComputeIfAbsent computes value.
func (c *Otter) ComputeIfAbsent(key, value int) (int, bool) {
	return c.c.ComputeIfAbsent(key, func() (int, bool) { return value, false })
}

// ComputeIfPresent adds one to the value.
func (c *Otter) ComputeIfPresent(key int) (int, bool) {
	return c.c.ComputeIfPresent(key, func(old int) (int, otter.ComputeOp) { return old + 1, otter.WriteOp })
}

// All returns the visited entries, sorted.
func (c *Otter) All() []pair[int] {
	return sortPairs(visit(func(f func(int, int) bool) { c.c.All()(f) }))
}

// Keys are sorted.
func (c *Otter) Keys() []int { return sorted(collect(c.c.Keys())) }

// Values are sorted.
func (c *Otter) Values() []int { return sorted(collect(c.c.Values())) }

func collect(each iter.Seq[int]) []int {
	var list []int
	for v := range each {
		list = append(list, v)
	}
	return list
}
