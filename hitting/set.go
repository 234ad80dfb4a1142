package hitting

import (
	"math/bits"

	"github.com/leadline/leadline/hitting/table"
)

// A fingerprint identifies a schedule: a hash of 128 bits, or the schedule itself
// if it fits.
type fingerprint struct{ a, b uint64 }

// A fingerprintSet is a set of fingerprints. Its zero value is empty.
type fingerprintSet struct{ table.Table[fingerprint] }

// add reports whether f was not in the set.
func (s *fingerprintSet) add(f fingerprint) bool {
	hash := table.Fold(table.Mix(table.Mix(table.Seed, f.a), f.b))
	if s.Find(hash, func(k *fingerprint) bool { return *k == f }) >= 0 {
		return false
	}
	s.Add(hash, f)
	return true
}

// packedMax is the largest number of elements of a schedule that fits.
const packedMax = 16

// pack returns the fingerprint of a schedule that fits.
func pack(schedule []int32) fingerprint {
	f := fingerprint{b: 1}
	for k, e := range schedule {
		f.a |= uint64(e) << (4 * k)
	}
	return f
}

// A hasher computes fingerprints of schedules of n elements. Each place and
// each element has two random numbers; the sums of their products over the
// schedule are the fingerprint. The numbers are the same in every run.
type hasher struct {
	element, place [][2]uint64
}

func newHasher(n int) *hasher {
	h := &hasher{make([][2]uint64, n), make([][2]uint64, n)}
	for i := range n {
		k := 4 * uint64(i)
		h.element[i] = [2]uint64{table.Random(k), table.Random(k + 1)}
		h.place[i] = [2]uint64{table.Random(k+2) | 1, table.Random(k+3) | 1}
	}
	return h
}

func (h *hasher) sum(schedule []int32) fingerprint {
	var f fingerprint
	for k, e := range schedule {
		x, y := &h.element[e], &h.place[k]
		hi, lo := bits.Mul64(x[0]^y[0], x[1]^y[1])
		f.a += hi ^ lo
		f.b += x[0]*y[1] + x[1]*y[0]
	}
	if f == (fingerprint{}) {
		f.a = 1
	}
	return f
}
