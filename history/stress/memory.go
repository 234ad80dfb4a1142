package stress

import (
	"runtime/debug"
	"runtime/metrics"
)

// maxMemory is how many bytes a search may allocate in addition to the memory that the
// process has at the start. A run that needs more ends early. The search also ends if the
// memory is still in use afterwards, for example by goroutines that objects started.
var maxMemory int64 = 256 << 20

// The objects of a batch take at most batchMemory together, unless there are only
// leastBatch of them.
const (
	batchMemory = 64 << 20
	leastBatch  = 8
)

// memoryUsed returns how many bytes the process has.
func memoryUsed() int64 {
	const total, released = "/memory/classes/total:bytes", "/memory/classes/heap/released:bytes"
	samples := []metrics.Sample{{Name: total}, {Name: released}}
	metrics.Read(samples)
	return int64(samples[0].Value.Uint64()) - int64(samples[1].Value.Uint64())
}

// overMemory reports whether a process that has reached most bytes still uses more than
// half of them after a garbage collection.
func overMemory(most int64) (used int64, over bool) {
	if memoryUsed() < most {
		return 0, false
	}
	debug.FreeOSMemory()
	used = memoryUsed()
	return used, used > most/2
}

// batchFor returns how many objects of a class are in a batch.
func batchFor(c *Class) int {
	allocated := func() int64 {
		samples := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
		metrics.Read(samples)
		return int64(samples[0].Value.Uint64())
	}
	before := allocated()
	c.Release(c.New())
	size := max(allocated()-before, 1) // small ones may be counted later
	return int(min(max(batchMemory/size, leastBatch), batch))
}
