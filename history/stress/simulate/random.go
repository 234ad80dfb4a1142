package simulate

import (
	"math/bits"
	"math/rand/v2"
)

// A random draws numbers: those of rand.PCG, which is the same on all
// machines and in all versions of Go, scaled here for the same reason.
type random struct{ source *rand.PCG }

func newRandom(seed, stream uint64) random { return random{rand.NewPCG(seed, stream)} }

// below returns a number from 0 to n-1, n >= 1. It prefers some by n in 2^64.
func (r random) below(n int) int {
	high, _ := bits.Mul64(r.source.Uint64(), uint64(n))
	return int(high)
}

// A permutation scatters the numbers below 2^width among themselves, so that
// distinct numbers stay distinct.
type permutation struct {
	width int
	mask  uint64
}

func newPermutation(atLeast int) permutation {
	width := bits.Len(uint(atLeast))
	return permutation{width, 1<<width - 1}
}

// size is one more than the largest number.
func (p permutation) size() int64 { return 1 << p.width }

// at returns what i becomes, in steps of which each can be undone: adding,
// multiplying by an odd number, and xor with the number's own upper half.
func (p permutation) at(i int64) int64 {
	x := uint64(i)
	for _, factor := range [...]uint64{0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9, 0x94d049bb133111eb} {
		x = (x*factor + 0x2545f491) & p.mask
		x ^= x >> ((p.width + 1) / 2)
	}
	return int64(x)
}
