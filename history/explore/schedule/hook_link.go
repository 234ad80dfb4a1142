package schedule

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"time"
	"unsafe"
)

var processStart = time.Now()

// Nanotime replaces runtime.nanotime.
func Nanotime() int64 {
	if Active() {
		return Now()
	}
	return int64(time.Since(processStart)) + 1
}

// Unsupported panics in a scheduled execution. It is called before functions of the
// runtime that work on goroutines and processors.
func Unsupported(what string) {
	if Active() {
		panic("schedule: " + what + " cannot run in a scheduled execution")
	}
}

// MemHash replaces runtime.memhash. Unlike the runtime's hash, it is the same in each
// process, so that a schedule can be replayed in another one.
func MemHash(p unsafe.Pointer, seed, size uintptr) uintptr {
	const k0, k1 = 0xa0761d6478bd642f, 0xe7037ed1a0b428db
	mix := func(a, b uint64) uint64 {
		hi, lo := bits.Mul64(a, b)
		return hi ^ lo
	}
	h := mix(uint64(seed)^k0, k1)
	var word uint64
	for i, b := range unsafe.Slice((*byte)(p), size) {
		word |= uint64(b) << (i % 8 * 8)
		if i%8 == 7 {
			h, word = mix(h^word, k1), 0
		}
	}
	return uintptr(mix(h^word, k1^uint64(size)))
}

// StrHash replaces runtime.strhash: p points to a string.
func StrHash(p unsafe.Pointer, seed uintptr) uintptr {
	s := *(*string)(p)
	return MemHash(unsafe.Pointer(unsafe.StringData(s)), seed, uintptr(len(s)))
}

// randomChoices is how many random numbers of an execution are choices between
// a usual number and a rare one, so that a skip list is explored with levels
// that differ. Later numbers are pseudorandom and the same in each execution.
const randomChoices = 2

type random struct {
	drawn int
	state uint64
	list  []uint64 // the different numbers, at most mostDrawn
	again []uint64 // see Redraw
}

var randomness random

// mostDrawn bounds the random numbers that are kept of an execution.
const mostDrawn = 16

// Drawn returns the different random numbers of the last execution.
func Drawn() []uint64 { return slices.Clone(randomness.list) }

// Redraw makes the first mostDrawn random numbers of later executions choices among these,
// until it is called with none. So a sequential run may give each invocation the number that
// it had in another execution. Later numbers are pseudorandom, so that a loop which draws
// until a number fits ends also if none of these fits.
func Redraw(numbers []uint64) { randomness.again = numbers }

// rare is small, and so are its halves, which are multiples of 4: a level of a skip
// list that counts trailing zeros, leading zeros, or numbers below a bound, is 3 at
// least.
const rare = 0x0400000404000004

// usual has the bits set that make such a level 1, and a fraction one half at least.
const usual = 1<<63 | 1<<62 | 1<<55 | 1<<52 | 1<<32 | 1<<31 | 1

// Rand64 replaces the random numbers of the runtime.
func Rand64() uint64 {
	if !Active() {
		return rand.Uint64()
	}
	the.changed = true // see hangs
	r := &randomness
	x := r.next()
	if len(r.list) < mostDrawn && !slices.Contains(r.list, x) {
		r.list = append(r.list, x)
	}
	return x
}

func (r *random) next() uint64 {
	if len(r.again) > 0 && r.drawn < mostDrawn {
		r.drawn++
		return r.again[Choose(len(r.again))]
	}
	r.state += 0x9e3779b97f4a7c15 // splitmix64
	x := r.state
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	x ^= x >> 31
	if r.drawn < randomChoices && !the.test {
		r.drawn++
		if Choose(2) == 1 {
			return rare
		}
		return x | usual
	}
	return x
}
