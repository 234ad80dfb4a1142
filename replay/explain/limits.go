package explain

// limits bounds an explanation.
var limits = struct {
	// work, and workEach for each operation, take about a second. workLong and workLongEach
	// bound that for a history of more than 220,000 operations. With a quarter of all, 18 of
	// the 361 explanations of histories of BenchmarkPrices lack more parts.
	work, workEach         int64
	workLong, workLongEach int64
	// timesVerdict is how much more than its verdict an explanation may always take, because
	// each check in it is about as hard.
	timesVerdict int64
	// workRate is the work for each second of the time limit. It is low, so that all parts of
	// an explanation get their share of the time.
	workRate float64
	// bytes is the memory that an explanation takes for an operation of a history of more than
	// long operations.
	bytes int64
	long  int

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
	work: 1 << 24, workEach: 1 << 8,
	workLong: 1 << 26, workLongEach: 1 << 5,
	timesVerdict: 4,
	workRate:     1 << 19,
	bytes:        600,
	long:         1 << 14,
	reasons:      16, coreEdges: 256,
	configurations: 1 << 10, configurationsOfCore: 1 << 14,
	text: 1 << 26, textUnit: 1 << 6,
	initial: 3,
	group:   3, freeOps: 256,
	freeWork:  1 << 21,
	coreTried: 24, starts: 3,
	allowed: 5,
}
