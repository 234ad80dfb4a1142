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

// The numbers of operations that the table of rows asks for.
const (
	// short is the number of operations up to which the depth comes first: histories of the
	// paper have at most 18.
	short = 24
	// long is the largest number of operations for which posets and small budgets
	// are tried.
	long = 1 << 14
)

// limits bounds the engines: work, bytes and times.
var limits = struct {
	// quick is enough for most short histories: about 5,000 configurations.
	quick share
	// real is for deciding in real time what is relaxed to program order. Most take 5
	// to 150 for each operation.
	real share
	// collection bounds the searches of collections, so that others can follow. It takes
	// about twenty seconds, and as long again for every 11,000 operations.
	collection share
	// families is the number of operations of a longer history that the first
	// families replay, which takes part of a millisecond.
	families int64
	// bytes is what monitors, posets and witnesses take at least for an operation of
	// a long history, and explainBytes what an explanation takes.
	bytes, explainBytes int64

	// explain bounds the work of an explanation, which takes about a second, and
	// explainLong that of a history of more than 220,000 operations. An explanation may
	// always take explainTimes the work of its verdict, since each check in it is about as
	// hard.
	explain      share
	explainLong  share
	explainTimes int64
	// explainRate is the work for each second that users allow for a history. It is
	// low, so that all parts of an explanation have their share of the time.
	explainRate float64

	// look is the time between two measurements of the memory of the process, which
	// take longer than the rest.
	look time.Duration
	// verify and verifyEach are for the check of a witness, in addition to the time
	// limit: at least, and for each operation. A bundled object takes a tenth of it.
	verify, verifyEach time.Duration
}{
	quick:        share{5 * meter.AskEvery, 64},
	real:         share{1 << 9 * meter.AskEvery, 1 << 8},
	collection:   share{1 << 15 * meter.AskEvery, 6 << 10},
	families:     1 << 14,
	bytes:        80,
	explainBytes: 600,
	explain:      share{1 << 24, 1 << 8},
	explainLong:  share{1<<24 + 3<<24, 1 << 5},
	explainTimes: 4,
	explainRate:  1 << 19,
	look:         200 * time.Microsecond,
	verify:       time.Second,
	verifyEach:   20 * time.Microsecond,
}
