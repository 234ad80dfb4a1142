package hitting

import "math/bits"

// A fingerprint identifies a schedule: a hash of 128 bits, or the schedule itself
// if it fits.
type fingerprint struct{ a, b uint64 }

// A fingerprintSet is a hash table with open addressing. Its zero value is
// empty and ready. The fingerprint of two zeros is never stored, as no hash is
// zero.
type fingerprintSet struct {
	slots []fingerprint
	n     int
}

const fingerprintBytes = 16

// add reports whether f was not in the set.
func (s *fingerprintSet) add(f fingerprint) bool {
	if 8*s.n >= 5*len(s.slots) {
		s.grow()
	}
	mask := uint64(len(s.slots) - 1)
	for i := f.slot(mask); ; i = (i + 1) & mask {
		switch s.slots[i] {
		case f:
			return false
		case fingerprint{}:
			s.slots[i] = f
			s.n++
			return true
		}
	}
}

// nextBytes returns the memory that the table needs for one more element.
func (s *fingerprintSet) nextBytes() int64 {
	size := len(s.slots)
	if 8*s.n >= 5*size {
		size += s.nextSize() // the old table lives until it is copied
	}
	return int64(size) * fingerprintBytes
}

// nextSize returns four times the size of a small table, because most of these would soon
// grow again, and twice the size of a large one.
func (s *fingerprintSet) nextSize() int {
	if len(s.slots) < 1<<16 {
		return max(4*len(s.slots), 16)
	}
	return 2 * len(s.slots)
}

func (s *fingerprintSet) grow() {
	old := s.slots
	s.slots = make([]fingerprint, s.nextSize())
	mask := uint64(len(s.slots) - 1)
	for _, f := range old {
		if f == (fingerprint{}) {
			continue
		}
		i := f.slot(mask)
		for s.slots[i] != (fingerprint{}) {
			i = (i + 1) & mask
		}
		s.slots[i] = f
	}
}

func (f fingerprint) slot(mask uint64) uint64 {
	high, low := bits.Mul64(f.a^0x9e3779b97f4a7c15, 0xff51afd7ed558ccd+f.b)
	return (high ^ low) & mask
}

// A hasher computes fingerprints of schedules of n elements. Each place and
// each element has two random numbers; the sums of their products over the
// schedule are the fingerprint. The numbers are the same in every run.
type hasher struct {
	element, place [][2]uint64
}

func newHasher(n int) *hasher {
	seed := uint64(0x6c656164) // any number does
	next := func() uint64 {    // splitmix64
		seed += 0x9e3779b97f4a7c15
		z := (seed ^ seed>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		return z ^ z>>31
	}
	h := &hasher{make([][2]uint64, n), make([][2]uint64, n)}
	for i := range n {
		h.element[i] = [2]uint64{next(), next()}
		h.place[i] = [2]uint64{next() | 1, next() | 1}
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
