package meter

import "runtime/metrics"

// Mapped returns the memory that the Go runtime holds, in bytes: about the resident size
// of the process.
func Mapped() int64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return int64(samples[0].Value.Uint64() - samples[1].Value.Uint64())
}
