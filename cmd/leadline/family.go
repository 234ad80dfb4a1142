package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/leadline/leadline/cmd/internal/flagkind"
	"github.com/leadline/leadline/cmd/internal/output"
	"github.com/leadline/leadline/hitting"
	"github.com/leadline/leadline/hitting/meter"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/batch"
	"github.com/spf13/pflag"
)

// familyFlags are the flags of leadline family.
type familyFlags struct {
	all   *pflag.FlagSet
	input *input
	depth int
	count bool
	// witnesses adds the numbers of all schedules and of witnesses to the counts.
	witnesses bool
	exact     bool
	maxDepth  int
	timeout   time.Duration
	memory    flagkind.Size
	chains    *flagkind.Choice
	output    *flagkind.Choice
}

// maxCounted is the largest --max-depth with --count.
const maxCounted = 1000

func setupFamily(flags *pflag.FlagSet) func(streams, []string) int {
	f := &familyFlags{all: flags, input: newInput(), memory: replay.DefaultBytes}
	flags.IntVar(&f.depth, "depth", 1, "print each distinct schedule of the strong `d`-hitting family, with its first index")
	flags.BoolVar(&f.count, "count", false, "print how many there are at each depth instead")
	flags.BoolVar(&f.witnesses, "witnesses", false, "with --count, also print how many schedules and witnesses there are in all")
	flags.BoolVar(&f.exact, "exact-depth", false, "print the linearizability depth (Definition 4.2) instead")
	flags.StringVar(&f.input.model, "model", "", "with --exact-depth or --witnesses, the sequential `specification` (default: what the file names)")
	flags.IntVar(&f.maxDepth, "max-depth", replay.DefaultMaxDepth, "with --count, the largest `d`")
	f.input.declare(flags)
	flags.DurationVar(&f.timeout, "timeout", 0, "time for one history, as 500ms or 1m (default: no bound)")
	flags.Var(&f.memory, "memory", "memory for recognising duplicates")
	f.chains = chainsFlag(flags)
	f.output = outputFlag(flags, "text", "json")
	return f.run
}

func (f *familyFlags) run(s streams, args []string) int {
	if err := f.input.check(args); err != nil {
		return fail(s, "family", err)
	}
	mismatch := noEffect(f.all, "without --count", "max-depth", "witnesses")
	if f.count {
		mismatch = noEffect(f.all, "with --count", "depth")
	}
	if f.exact {
		mismatch = cmp.Or(mismatch, noEffect(f.all, "with --exact-depth", "depth", "count", "chains"))
	} else if !f.witnesses {
		mismatch = cmp.Or(mismatch, noEffect(f.all, "without --exact-depth or --witnesses", "model"))
	}
	switch {
	case mismatch != nil:
		return fail(s, "family", mismatch)
	case f.depth < 1 || f.maxDepth < 1:
		return fail(s, "family", errors.New("a depth is at least 1"))
	case f.count && f.maxDepth > maxCounted:
		return fail(s, "family", fmt.Errorf("--max-depth must be at most %d with --count", maxCounted))
	case f.timeout < 0:
		return fail(s, "family", errTimeout)
	}
	ctx, restore := output.Interruptible()
	defer restore()

	out := bufio.NewWriter(s.out)
	status := statusOK
	for e := range f.input.read(ctx, s, args, nil) {
		if e.Err != nil {
			f.input.report(e.File, e.Err)
			status = worse(status, statusBad)
			continue
		}
		print := f.print
		if f.exact {
			print = f.printExact
		}
		one, err := print(ctx, out, e)
		status = worse(status, one)
		if err == nil {
			err = out.Flush()
		}
		if err != nil {
			return worse(status, s.failed("family", err))
		}
		if one == statusUnknown && ctx.Err() == nil {
			bounds := "--timeout and --memory"
			if f.witnesses {
				bounds += "; all schedules are counted up to 2^64, and if no more than 64 operations overlap in a row"
			}
			fmt.Fprintf(s.err, "leadline family: %s: not complete within %s\n", placeText(&e), bounds)
		}
	}
	return f.input.end(ctx, s, "family", status)
}

// print writes the families of one history. It returns statusUnknown if a bound cut
// them off.
func (f *familyFlags) print(ctx context.Context, out *bufio.Writer, e entry) (int, error) {
	deadline := time.Now().Add(f.timeout)
	m := meter.New(func() bool { return ctx.Err() != nil || f.timeout > 0 && time.Now().After(deadline) })
	in, err := replay.NewInstance(e.History, true, chainMode(f.chains), m)
	switch {
	case errors.Is(err, replay.ErrStopped) && f.count:
		return statusUnknown, f.printCounts(out, e, nil, nil)
	case errors.Is(err, replay.ErrStopped):
		return statusUnknown, nil
	case err != nil:
		return statusUnknown, fmt.Errorf("%s: %w", e.File, err)
	}
	options := hitting.Options{MaxBytes: int64(f.memory), Meter: m}
	if f.count {
		counts, complete := hitting.Counts(in.Poset, in.Chains, f.maxDepth, options)
		if !f.witnesses {
			return unknownUnless(complete), f.printCounts(out, e, counts, nil)
		}
		v, status := f.check(ctx, e, replay.Options{CountSchedules: true})
		if v == nil {
			return status, nil
		}
		complete = complete && v.Schedules > 0 && (v.Witnesses > 0 || v.Answer == replay.NotLinearizable)
		return unknownUnless(complete), f.printCounts(out, e, counts, v)
	}
	family := hitting.NewFamily(in.Poset, in.Chains, options)
	for range min(f.depth, max(1, len(e.History.Ops))) { // families of larger depth are the same
		for index, schedule := range family.Grow() {
			if err := f.printSchedule(out, e, index, schedule); err != nil {
				return statusOK, err
			}
		}
	}
	return unknownUnless(!family.Stopped() && family.Exact()), nil
}

func unknownUnless(complete bool) int {
	if complete {
		return statusOK
	}
	return statusUnknown
}

// An exactRecord is a line of family --exact-depth --output json.
type exactRecord struct {
	File    string  `json:"file"`
	History *string `json:"history"`
	Depth   *int    `json:"exact_depth"`
	Cause   *string `json:"exact_cause"`
}

// check checks one history. If that fails, it reports the error and returns no verdict, but the
// status.
func (f *familyFlags) check(ctx context.Context, e entry, o replay.Options) (*replay.Verdict, int) {
	o.Budget = replay.Budget{Time: f.timeout, Bytes: int64(f.memory)}
	checker := batch.Checker{Model: f.input.model, Options: o}
	r := checker.Check(ctx, e)
	if err := cmp.Or(r.Internal, r.Err); err != nil {
		f.input.report(e.File, err)
		return nil, r.Status().Exit()
	}
	return &r.Verdict, statusOK
}

// printExact writes the linearizability depth of one history, which only linearizable
// histories have.
func (f *familyFlags) printExact(ctx context.Context, out *bufio.Writer, e entry) (int, error) {
	v, status := f.check(ctx, e, replay.Options{ExactDepth: true})
	if v == nil {
		return status, nil
	}
	text := fmt.Sprintf("depth %d", v.ExactDepth)
	record := exactRecord{File: e.File, History: present(e.History.ID), Depth: &v.ExactDepth}
	if v.ExactDepth == 0 {
		text = v.Answer.String()
		if v.Answer == replay.Linearizable {
			text = v.ExactCause
		}
		record.Depth, record.Cause = nil, &text
		status = unknownUnless(v.Answer == replay.NotLinearizable)
	}
	if f.output.Value == "json" {
		return status, writeJSON(out, record)
	}
	_, err := fmt.Fprintf(out, "%-8s  %s\n", text, placeText(&e))
	return status, err
}

// A countRecord is a line of family --count --output json.
type countRecord struct {
	File      string   `json:"file"`
	History   *string  `json:"history"`
	Schedules []*int64 `json:"schedules"`
	*allRecord
}

// An allRecord is what --witnesses adds to a countRecord.
type allRecord struct {
	All       *uint64 `json:"all_schedules"`
	Witnesses *uint64 `json:"witnesses"`
}

// printCounts writes the number of schedules per depth, and with --witnesses those of the
// verdict, which is nil if there is none. A number that a bound kept from being counted is
// null in JSON and "?" in text.
func (f *familyFlags) printCounts(out *bufio.Writer, e entry, counts []int64, v *replay.Verdict) error {
	record := countRecord{File: e.File, History: present(e.History.ID), Schedules: make([]*int64, f.maxDepth)}
	for d := range counts {
		record.Schedules[d] = &counts[d]
	}
	if f.witnesses {
		record.allRecord = &allRecord{}
		if v != nil && v.Schedules > 0 {
			record.All = &v.Schedules
		}
		if v != nil && (v.Witnesses > 0 || v.Answer == replay.NotLinearizable) {
			record.Witnesses = &v.Witnesses
		}
	}
	if f.output.Value == "json" {
		return writeJSON(out, record)
	}
	for d, n := range record.Schedules {
		fmt.Fprintf(out, "d=%d: %-8s ", d+1, countText(n))
	}
	if f.witnesses {
		fmt.Fprintf(out, "all: %-8s witnesses: %-8s ", countText(record.All), countText(record.Witnesses))
	}
	_, err := fmt.Fprintln(out, placeText(&e))
	return err
}

// countText returns a number that may be unknown.
func countText[T int64 | uint64](n *T) string {
	if n == nil {
		return "?"
	}
	return fmt.Sprint(*n)
}

// A scheduleRecord is a line of family --output json.
type scheduleRecord struct {
	File     string       `json:"file"`
	History  *string      `json:"history"`
	Depth    int          `json:"depth"`
	Index    *batch.Index `json:"schedule_index"`
	Schedule []any        `json:"schedule"`
}

// printSchedule writes one schedule. The instance holds all operations, so its elements
// are operation numbers.
func (f *familyFlags) printSchedule(out *bufio.Writer, e entry, index hitting.Index, schedule []int32) error {
	if f.output.Value == "json" {
		return writeJSON(out, scheduleRecord{e.File, present(e.History.ID), index.Depth(),
			batch.NewIndex(e.History, index), batch.Identifiers(e.History, schedule)})
	}
	_, err := fmt.Fprintf(out, "%s  <%d, (%s)>  %s\n",
		placeText(&e), index.Chain, names(e.History, index.Tuple, ", "), names(e.History, schedule, " "))
	return err
}
