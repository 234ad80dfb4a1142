package replay

import (
	"fmt"
	"time"

	"github.com/leadline/leadline/hitting"
)

// An Answer is the result of checking whether a history is linearizable. The
// zero value is Undecided, which is neither a success nor a failure.
type Answer uint8

const (
	Undecided       Answer = iota // "unknown": a bound was reached first
	Linearizable                  // there is a witness
	NotLinearizable               // there is provably none
)

func (a Answer) String() string {
	return nameIn([]string{"unknown", "linearizable", "not-linearizable"}, int(a), "answer")
}

// A Cause is the reason why a history stayed undecided.
type Cause uint8

const (
	NoCause   Cause = iota // the history was decided
	Depth                  // no witness up to Options.MaxDepth, and no search could go on
	Schedules              // Budget.Schedules were replayed
	Time                   // Budget.Time passed
	Memory                 // Budget.Bytes were used
	Cancelled              // the context was cancelled
	Declined               // the engine in Options.Engine does not decide such histories
)

func (c Cause) String() string {
	return nameIn([]string{"", "depth", "schedules", "time", "memory", "cancelled", "engine"}, int(c), "cause")
}

// A Reason says in words which histories an engine does not take. The zero value is no
// reason.
type Reason string

const (
	NoMonitor         Reason = "no monitor for such objects"
	BeyondRealTime    Reason = "order beyond real time"
	UnknownOperations Reason = "operations that no monitor knows"
	RepeatedValues    Reason = "values that are not distinct"
	PendingRemovals   Reason = "pending removals"
	UsedAtBothEnds    Reason = "a deque used at both ends"
)

// A Finding is the result of an engine for a history. The zero value is
// Undecided.
type Finding struct {
	Answer Answer
	Cause  Cause  // of Undecided
	Reason Reason // of Declined, if known
	Engine Engine // what decided; AutoEngine if nothing did
	// Depth is the witness depth: the smallest d whose family holds a witness.
	// It is 0 if no family up to the depth tried has one. Pending operations
	// use up places in the index, so read it together with Pending.
	Depth int
	// Deeper is the largest d whose family is known to hold no witness, if Depth
	// is 0, and DepthCause is why Depth is not known: Depth (it exceeds
	// Options.MaxDepth), Time, Memory or Schedules; Declined if no engine that
	// looks for it takes the history.
	Deeper     int
	DepthCause Cause
	// Index is the first schedule index of Depth, by chain and tuple, that
	// gives a witness. Its elements are operation numbers.
	Index hitting.Index
	// Replayed counts the schedules replayed per depth, starting at 1, up to
	// the witness in index order.
	Replayed []int64
	// Witness has all operations in the order of a witness. Operations that
	// never took effect are at its end. It is nil unless Linearizable.
	Witness []int32
	// Conflict are operations that an engine found to be in conflict: the history
	// of these operations alone is not linearizable. It is nil if no engine found any.
	Conflict []int32
	// Versions says how the versions of the two operations of Conflict contradict each other, or
	// that the one found what no operation put there; "" if these were not compared, or do not.
	Versions string
	// Reached is the position of the first response that an engine could not get past
	// before it refuted the history. The history often fails from there on. It is 0 if
	// that position is unknown.
	Reached int32
}

// Found returns the finding of an engine that found a witness.
func Found(e Engine, witness []int32) Finding {
	return Finding{Answer: Linearizable, Engine: e, Witness: witness}
}

// Refuted returns the finding of an engine that proved that no witness exists.
func Refuted(e Engine) Finding { return Finding{Answer: NotLinearizable, Engine: e} }

// RefutedAt returns the finding of a search that did not get past the response at a
// position.
func RefutedAt(position int32) Finding {
	f := Refuted(SearchEngine)
	f.Reached = position
	return f
}

// Searched returns the finding of a complete search: it found a witness, gave up for a
// cause, or refuted the history.
func Searched(found bool, cause Cause, witness func() []int32) Finding {
	switch {
	case found:
		return Found(SearchEngine, witness())
	case cause == NoCause:
		return Refuted(SearchEngine)
	}
	return GaveUp(cause)
}

// GaveUp returns the finding of an engine that reached a bound.
func GaveUp(c Cause) Finding { return Finding{Cause: c} }

// Declines returns the finding of an engine that does not take the history.
func Declines(reason Reason) Finding { return Finding{Cause: Declined, Reason: reason} }

// Decided reports whether the history was decided.
func (f *Finding) Decided() bool { return f.Answer != Undecided }

// A Verdict is the result of checking a history.
type Verdict struct {
	Finding
	// ExactDepth is the linearizability depth of Definition 4.2. It is 0 if it
	// was not requested or not found. ExactCause says why it was not found:
	//   - "time", "memory" or "cancelled", like Cause;
	//   - "work": Budget.ExactWork is used up;
	//   - "open": more than hitting.ExactMax operations are open at once, or a history with
	//     edges has more operations;
	//   - "engine": the objects of the specification are not States.
	ExactDepth int
	ExactCause string
	// Schedules is the number of schedules, the linear extensions of the poset, and Witnesses
	// the number of witnesses among them. Each is 0 if it was not requested or not counted; so
	// is Witnesses unless the history is linearizable.
	Schedules, Witnesses uint64
	// Unseen is nil, except for weakly consistent histories: see package weak. There it has,
	// for each operation, the earlier ones of Witness that it does not see.
	Unseen [][]int32
	// C and CP are the level of concurrency and the number of concurrent pairs,
	// as in Table 1 of the paper. If there are operations, C = 0 means that
	// both are unknown: the history has edges and is too long for a poset.
	C  int
	CP int64
	// Explanation says why there is no witness. decide.Check leaves it nil; explain.Why
	// returns it.
	Explanation *Explanation
	// Elapsed is the duration of the check. Work is its work in units of a meter.Meter.
	// Both bound an explanation.
	Elapsed time.Duration
	Work    int64
}

// String returns the verdict in a few words, such as "linearizable at depth 2",
// "not linearizable" or "unknown (memory)".
func (v Verdict) String() string {
	switch {
	case v.Answer == NotLinearizable:
		return "not linearizable"
	case v.Answer != Linearizable && v.Cause != NoCause:
		return fmt.Sprintf("%v (%v)", v.Answer, v.Cause)
	case v.Depth > 0:
		return fmt.Sprintf("linearizable at depth %d", v.Depth)
	case v.Deeper > 0:
		return fmt.Sprintf("linearizable, deeper than %d", v.Deeper)
	}
	return v.Answer.String()
}

// Default bounds, for zero values in Options and Budget.
const (
	DefaultMaxDepth = 5
	DefaultBytes    = 1 << 30
	// DefaultExactWork takes a few seconds.
	DefaultExactWork = 1 << 27
)

// DefaultSchedules is the default of Budget.Schedules for a history of n
// operations. It is 2^20, limited so that at most 2^29 operations are replayed,
// which takes half a minute, but at least 100.
func DefaultSchedules(n int) int64 {
	return max(100, min(1<<20, 1<<29/int64(max(n, 1))))
}

// A Budget bounds the work on one history. A zero value stands for the default. A check
// exceeds Time by at most 20 ms or a twentieth, with these exceptions:
//
//   - Single passes over a history and sorting are not interrupted. A long history may
//     add some tenths of a microsecond per operation.
//   - A call of a specification is not interrupted. After the end of the time, there is
//     at most one call that takes over 5 ms, or up to 16 if the calls before were fast.
//   - A witness that was found in time is replayed once more in any case. With the bundled
//     objects that takes as little; with others, it may take as long again.
type Budget struct {
	Schedules int64         // schedules of families to replay; DefaultSchedules(n)
	ExactWork int64         // states stepped for Options.ExactDepth; DefaultExactWork
	Time      time.Duration // no bound
	Bytes     int64         // memory of tables: fingerprints, states and their keys; DefaultBytes
	Process   int64         // memory of the whole process, as the Go runtime counts it; no bound
}

// ChainMode selects the chains of the poset.
type ChainMode uint8

const (
	// AutoChains takes the processes, or a minimum partition where no process
	// issues two operations.
	AutoChains ChainMode = iota
	ProcessChains
	MinimumChains
)

// Engine selects the engines that may decide.
type Engine uint8

const (
	AutoEngine     Engine = iota // whichever is best; see decide.Check
	FamiliesEngine               // families alone
	SearchEngine                 // the complete search alone
	MonitorEngine                // a monitor alone: see replay/monitor
)

func (e Engine) String() string {
	return nameIn([]string{"auto", "families", "search", "monitor"}, int(e), "engine")
}

// nameIn returns the i-th name, or what and the number if i has no name.
func nameIn(names []string, i int, what string) string {
	if i < len(names) {
		return names[i]
	}
	return fmt.Sprintf("%s %d", what, i)
}

// Options for checking a history. The zero value is what most users want.
type Options struct {
	MaxDepth       int // largest d of the families; DefaultMaxDepth
	Budget         Budget
	Chains         ChainMode
	ExactDepth     bool   // compute Verdict.ExactDepth
	CountSchedules bool   // compute Verdict.Schedules and Witnesses
	Engine         Engine // AutoEngine
}

// WithDefaults returns o with zero values replaced by the defaults for a
// history of n operations.
func (o Options) WithDefaults(n int) Options {
	if o.MaxDepth <= 0 {
		o.MaxDepth = DefaultMaxDepth
	}
	if o.Budget.Schedules <= 0 {
		o.Budget.Schedules = DefaultSchedules(n)
	}
	if o.Budget.ExactWork <= 0 {
		o.Budget.ExactWork = DefaultExactWork
	}
	if o.Budget.Bytes <= 0 {
		o.Budget.Bytes = DefaultBytes
	}
	return o
}
