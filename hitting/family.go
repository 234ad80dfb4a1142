package hitting

import (
	"iter"

	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/poset"
)

// Options bound the work of a Family or of ExactDepth. The zero value sets no bound.
type Options struct {
	// MaxBytes bounds the memory of the fingerprints that recognise duplicates, 27
	// to 48 bytes per distinct schedule. Beyond it the family goes on without
	// them: schedules may then come more than once. ExactDepth ends with ErrMemory.
	MaxBytes int64
	// Meter counts the work; when it stops, enumeration or ExactDepth ends.
	Meter *meter.Meter
}

// A Family generates the strong d-hitting families of a poset for
// d = 1, 2, 3, ... one schedule at a time and keeps none of them. It is not
// safe for concurrent use.
type Family struct {
	live    *liveElements
	gen     *generator
	opt     Options
	d       int
	bound   int // see mostDepth; 0: not computed
	size    int64
	exact   bool
	stopped bool
	done    bool
	seen    fingerprintSet
}

// NewFamily returns the families of p under the given chain partition, an
// argument that poset.CheckChains accepts. It panics if chains does not give
// each element a chain below p.Len(). O(n log n).
func NewFamily(p *poset.Poset, chains []int32, opt Options) *Family {
	checkChains(p, chains)
	f := &Family{opt: opt, exact: true}
	f.live = newLiveElements(p, chains, f.spend)
	f.gen = newGenerator(f.live)
	return f
}

// Depth returns the current depth d: the number of calls of Grow and Count.
func (f *Family) Depth() int { return f.d }

// Size returns the number of schedules generated so far. While Exact holds
// and every Grow was run to its end, it is the number of distinct schedules
// of the Depth()-family, which contains the families of smaller depths.
func (f *Family) Size() int64 { return f.size }

// Exact reports whether no schedule came twice.
func (f *Family) Exact() bool { return f.exact }

// Stopped reports whether Options.Meter ended an enumeration.
func (f *Family) Stopped() bool { return f.stopped }

// Done reports whether the family contains all linear extensions, so that no
// greater depth adds any: always so at d = Bound(p).
func (f *Family) Done() bool { return f.done }

// Grow goes on to the next depth d and yields the schedules of the d-family that
// are not in the (d-1)-family. Each comes with its index: the first by chain and
// tuple (lexicographically) that gives it. Index and schedule are lent until the
// next iteration. Breaking off gives up the rest of that depth.
func (f *Family) Grow() iter.Seq2[Index, []int32] {
	f.deepen()
	return func(yield func(Index, []int32) bool) {
		index := Index{}
		full := f.live.template()
		f.grow(func(chain int32, tuple []int32) bool {
			index.Chain = chain
			index.Tuple = f.live.appendElements(index.Tuple[:0], tuple)
			f.live.fill(full, f.gen.schedule())
			return yield(index, full)
		})
	}
}

// Count is Grow without the schedules: it returns their number and does not build
// them.
func (f *Family) Count() int64 {
	f.deepen()
	before := f.size
	f.grow(func(int32, []int32) bool { return true })
	return f.size - before
}

func (f *Family) deepen() {
	if f.gen == nil {
		panic("hitting: a Family that NewFamily did not make")
	}
	f.d++
}

func (f *Family) grow(yield func(chain int32, tuple []int32) bool) {
	if f.done || f.stopped {
		return
	}
	broken := false
	grew := f.gen.run(f, func(chain int32, tuple []int32) bool {
		if f.exact && !f.isNew() {
			return true
		}
		f.size++
		broken = !yield(chain, tuple)
		return !broken
	})
	if broken || f.stopped {
		return
	}
	// If every tuple of a depth can be shortened, that depth adds nothing, and
	// neither does any greater one.
	f.done = !grew || f.d >= f.mostDepth()
}

// mostDepth returns the bound of the poset. It is computed only when it is needed,
// because most witnesses come earlier.
func (f *Family) mostDepth() int {
	if f.bound == 0 {
		f.bound = Bound(f.live.p)
	}
	return f.bound
}

func (f *Family) isNew() bool {
	if f.opt.MaxBytes > 0 && f.seen.Bytes() > f.opt.MaxBytes {
		f.exact = false
		f.seen = fingerprintSet{}
		return true
	}
	return f.seen.add(f.gen.fingerprint())
}

// spend counts work and reports whether to go on.
func (f *Family) spend(work int) (goOn bool) {
	f.stopped = f.stopped || f.opt.Meter.MustStop(work)
	return !f.stopped
}

// Counts returns the numbers of distinct schedules of the families of depth 1 to
// maxDepth. It returns false and the numbers so far if a bound keeps the next one
// from being exact.
func Counts(p *poset.Poset, chains []int32, maxDepth int, opt Options) ([]int64, bool) {
	f := NewFamily(p, chains, opt)
	var counts []int64
	for range maxDepth {
		f.Count()
		if !f.exact || f.stopped {
			return counts, false
		}
		counts = append(counts, f.size)
	}
	return counts, true
}
