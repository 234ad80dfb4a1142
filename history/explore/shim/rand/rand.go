package rand

import (
	"math/rand"

	"github.com/leadline/leadline/history/explore/schedule"
)

type (
	Rand     = rand.Rand
	Source   = rand.Source
	Source64 = rand.Source64
	Zipf     = rand.Zipf
)

func ExpFloat64() float64                                      { return global.ExpFloat64() }
func Float32() float32                                         { return global.Float32() }
func Float64() float64                                         { return global.Float64() }
func Int() int                                                 { return global.Int() }
func Int31() int32                                             { return global.Int31() }
func Int31n(n int32) int32                                     { return global.Int31n(n) }
func Int63() int64                                             { return global.Int63() }
func Int63n(n int64) int64                                     { return global.Int63n(n) }
func Intn(n int) int                                           { return global.Intn(n) }
func New(src Source) *Rand                                     { return rand.New(src) }
func NewZipf(r *Rand, s float64, v float64, imax uint64) *Zipf { return rand.NewZipf(r, s, v, imax) }
func NormFloat64() float64                                     { return global.NormFloat64() }
func Perm(n int) []int                                         { return global.Perm(n) }
func Shuffle(n int, swap func(i int, j int))                   { global.Shuffle(n, swap) }
func Uint32() uint32                                           { return global.Uint32() }
func Uint64() uint64                                           { return global.Uint64() }

// Read fills p with random bytes.
func Read(p []byte) (n int, err error) {
	if !schedule.Active() {
		//lint:ignore SA1019 it replaces the deprecated function
		return rand.Read(p)
	}
	var x uint64
	for i := range p {
		if i%8 == 0 {
			x = global.Uint64()
		}
		p[i] = byte(x >> (i % 8 * 8))
	}
	return len(p), nil
}

// seeded is the source that the program of the present execution seeded, or nil.
var seeded Source64

type unseed struct{}

func (unseed) Reset() { seeded = nil }

// Seed seeds the numbers that follow, those of the present execution only.
func Seed(seed int64) {
	if schedule.Active() {
		seeded = rand.NewSource(seed).(Source64)
		schedule.AtEnd(unseed{})
		return
	}
	//lint:ignore SA1019 it replaces the deprecated function
	rand.Seed(seed)
}

// global has no state of its own: it is as safe for concurrent use as its source.
var global = rand.New(globalSource{})

type globalSource struct{}

func (globalSource) Seed(int64) {}

func (globalSource) Int63() int64 {
	if !schedule.Active() {
		return rand.Int63()
	}
	return int64(globalSource{}.Uint64() &^ (1 << 63))
}

func (globalSource) Uint64() uint64 {
	switch {
	case !schedule.Active():
		return rand.Uint64()
	case seeded != nil:
		return seeded.Uint64()
	}
	return schedule.Rand64()
}

// NewSource returns a source with a seed. One that was made outside of an
// execution begins anew in each execution, and from one seed, as a global
// source that is seeded by the clock could not be repeated otherwise.
func NewSource(seed int64) Source {
	real := rand.NewSource(seed).(Source64)
	if schedule.Active() {
		return real
	}
	return &source{Source64: real}
}

type source struct {
	Source64
	inside Source64 // of the execution, or nil
}

func (s *source) Reset() { s.inside = nil }

func (s *source) present() Source64 {
	if !schedule.Active() {
		return s.Source64
	}
	if s.inside == nil {
		s.inside = rand.NewSource(1).(Source64)
		schedule.AtEnd(s)
	}
	return s.inside
}

func (s *source) Seed(seed int64) { s.present().Seed(seed) }
func (s *source) Int63() int64    { return s.present().Int63() }
func (s *source) Uint64() uint64  { return s.present().Uint64() }
