package explain

import "github.com/leadline/leadline/replay"

// A share is an amount of work for a history of n operations: least, and each for every
// operation.
type share struct{ least, each int64 }

// workOf bounds the work of an explanation.
func workOf(n int, v *replay.Verdict, o *replay.Options) int64 {
	work := limits.work[0].least + limits.work[0].each*int64(n)
	for _, s := range limits.work[1:] {
		work = min(work, s.least+s.each*int64(n))
	}
	scale := max(1, o.Budget.Time.Seconds()/limits.seconds)
	return max(int64(float64(work)*scale), limits.timesVerdict*v.Work)
}

// limits bounds an explanation.
var limits = struct {
	// work is the work of an explanation: the least of these shares. The first is for up to
	// 1,500 operations. The 805 explanations of the corpora and of other recorded histories
	// take at most 228,275 units. But one that tries all groups of results takes freeWork, half
	// of the share, and with an eighth of the share TestBlameIsWhole fails. The second takes about a second, and the third bounds it for more than 220,000 operations.
	// With a quarter of the last two, 18 of the 361 explanations of histories of BenchmarkPrices
	// lack more parts.
	work []share
	// seconds is the time limit from which on the work grows with the time limit.
	seconds float64
	// timesVerdict is how much more than its verdict an explanation may always take, because
	// each check in it is about as hard.
	timesVerdict int64
	// bytes is the memory that an explanation takes for an operation of a history of more than
	// long operations.
	bytes int64
	long  int
	// Up to short operations, the prefix is the shortest although others contradict.
	short int

	// reasons bounds the marks and edges that an explanation names, and coreEdges the
	// operations of a core whose edges are computed.
	reasons, coreEdges int
	// configurations bounds the configurations at one moment of a walk, and
	// configurationsOfCore those in the last attempt to find states.
	configurations, configurationsOfCore int
	// text bounds the bytes of the texts of all states. textUnit bytes take a unit of work.
	text, textUnit int
	// initial bounds the initial values that are tried.
	initial int

	// Up to freeOps operations, all groups of up to group results to blame are tried. freeWork
	// bounds the work of that, because some histories with many unknown results are hard.
	group, freeOps int
	freeWork       int64
	// coreTried bounds the operations of the core of a longer history that get other results.
	// starts bounds the changes to which a second one is added, if one is not enough.
	coreTried, starts int
	// allowed bounds the allowed results listed for an operation.
	allowed int
}{
	work:         []share{{1 << 22, 1 << 13}, {1 << 24, 1 << 8}, {1 << 26, 1 << 5}},
	seconds:      32,
	timesVerdict: 4,
	bytes:        600,
	long:         1 << 14,
	short:        1 << 5,
	reasons:      16, coreEdges: 256,
	configurations: 1 << 10, configurationsOfCore: 1 << 14,
	text: 1 << 26, textUnit: 1 << 6,
	initial: 3,
	group:   3, freeOps: 256,
	freeWork:  1 << 21,
	coreTried: 24, starts: 3,
	allowed: 5,
}
