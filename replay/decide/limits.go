package decide

import (
	"math"
	"time"

	"github.com/leadline/leadline/hitting/meter"
)

// A share is an amount of work for a history of n operations, in units of the meter:
// least, and each for every operation.
type share struct{ least, each int64 }

func (s share) of(n int) int64 { return s.least + s.each*int64(n) }

// unbounded is the max of engines that take histories of any length.
const unbounded = math.MaxInt

// Numbers of operations in the table of rows.
const (
	// short is the number of operations up to which the depth comes first. The histories of
	// the paper have at most 18.
	short = 24
	// long is the largest number of operations for which posets are made.
	long = 1 << 14
)

// limits bounds the engines: work, bytes and times.
var limits = struct {
	// quick is enough for most short histories: about 5,000 configurations. With a quarter of
	// the first number, the histories that the short search decides in BenchmarkPrices take 7
	// times as long or more. The short search has each for every response that it has
	// reached. With 8 times that, deques of 1,000 operations take three times as long.
	quick share
	// realTime is for deciding a relaxed history in real time. Most histories take 5 to 150
	// for each operation.
	realTime share
	// collection bounds the searches of collections, so that other engines can follow. It
	// takes about twenty seconds, and as long again for every 11,000 operations. A queue and
	// a priority queue of BenchmarkPrices need more than a quarter.
	collection share
	// families is the number of operations that the families of a longer history may
	// replay, which takes part of a millisecond. No history of BenchmarkPrices needs any.
	families int64
	// bytes is the least memory that monitors, posets and witnesses take for an operation
	// of a long history.
	bytes int64

	// measureEvery is the time between two measurements of the memory of the process,
	// which take longer than the other checks of the clock.
	measureEvery time.Duration
	// The check of a witness gets verify, and verifyEach for each operation, in addition to
	// the time limit. A bundled object needs a tenth of that.
	verify, verifyEach time.Duration
}{
	quick:        share{5 * meter.AskEvery, 64},
	realTime:     share{1 << 9 * meter.AskEvery, 1 << 8},
	collection:   share{1 << 15 * meter.AskEvery, 6 << 10},
	families:     1 << 14,
	bytes:        80,
	measureEvery: 200 * time.Microsecond,
	verify:       time.Second,
	verifyEach:   20 * time.Microsecond,
}
