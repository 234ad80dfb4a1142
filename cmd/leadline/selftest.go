package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/leadline/leadline/cmd/internal/output"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/decide/selftest"
	"github.com/spf13/pflag"
)

// selftestFlags are the flags of leadline selftest.
type selftestFlags struct {
	ops, random, randomOps, jobs int
	seed                         uint64
	duration                     time.Duration
	out                          string
}

func setupSelftest(flags *pflag.FlagSet) func(streams, []string) int {
	f := &selftestFlags{}
	flags.IntVar(&f.ops, "ops", 3, "every history of up to `N` operations of small types")
	flags.Uint64Var(&f.seed, "seed", 1, "`S`, the seed of all random choices")
	flags.IntVar(&f.random, "random", 10_000, "how many random histories follow")
	flags.IntVar(&f.randomOps, "random-ops", 12, "how many operations they have at most")
	flags.DurationVar(&f.duration, "duration", 0, "time limit, as 10m (default: none); a quarter of it is for random histories")
	jobsFlag(flags, &f.jobs, "test")
	flags.StringVar(&f.out, "out", "selftest-failures", "`directory` for the histories on which engines disagree with brute force")
	return f.run
}

func (f *selftestFlags) run(s streams, args []string) int {
	switch {
	case len(args) > 0:
		return fail(s, "selftest", errors.New("takes no arguments"))
	case f.ops < 1 || f.ops > selftest.MaxOps:
		return fail(s, "selftest", fmt.Errorf("--ops must be 1 to %d", selftest.MaxOps))
	case f.randomOps < 1 || f.randomOps > selftest.MaxOps:
		return fail(s, "selftest", fmt.Errorf("--random-ops must be 1 to %d", selftest.MaxOps))
	case f.random < 0:
		return fail(s, "selftest", errors.New("--random must not be negative"))
	case f.jobs < 1 || f.jobs > maxJobs:
		return fail(s, "selftest", errJobs)
	case f.duration < 0:
		return fail(s, "selftest", errors.New("--duration must not be negative"))
	}
	ctx, restore := output.Interruptible()
	defer restore()

	progress := newProgress(s.err)
	report, err := selftest.Run(ctx, selftest.Options{
		Ops: f.ops, Seed: f.seed, Random: f.random, RandomOps: f.randomOps, Jobs: f.jobs, Duration: f.duration,
		Progress: func(histories int) {
			progress.n += histories - 1
			progress.step()
		},
	})
	progress.clear()
	if err != nil {
		return fail(s, "selftest", err)
	}
	if err := f.report(s.out, report); err != nil {
		return s.failed("selftest", err)
	}
	switch {
	case report.Wrong > 0:
		return statusNot
	case ctx.Err() != nil:
		return statusUnknown
	}
	return statusOK
}

// report writes each disagreement to a file and prints what was tested.
func (f *selftestFlags) report(w io.Writer, r *selftest.Report) error {
	var b bytes.Buffer
	for i := range r.Disagreements {
		name, err := f.write(i, &r.Disagreements[i])
		if err != nil {
			return err
		}
		fmt.Fprintln(&b, name)
	}
	for _, k := range r.Kinds {
		fmt.Fprintf(&b, "%-15s %10d small %9d random %10d linearizable\n", k.Name, k.Small, k.Random, k.Linearizable)
	}
	early := ""
	if r.Stopped {
		early = ", stopped early"
	}
	fmt.Fprintf(&b, "%d histories (all up to %d operations%s), %d comparisons, %d disagreements, %v (%.0f histories a second)\n",
		r.Histories(), r.Complete, early, r.Comparisons, r.Wrong, r.Elapsed.Round(time.Millisecond),
		float64(r.Histories())/r.Elapsed.Seconds())
	_, err := w.Write(b.Bytes())
	return err
}

// write writes a history and its verdicts to a file, in leadline's own format,
// and returns the name of the file. Smaller histories have smaller numbers.
func (f *selftestFlags) write(i int, d *selftest.Disagreement) (string, error) {
	answer := replay.NotLinearizable
	if d.Linearizable {
		answer = replay.Linearizable
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s: brute force says %v\n", d.History.ID, answer)
	for _, v := range d.Verdicts {
		mark := ""
		if v.Wrong {
			mark = "  <- wrong"
		}
		fmt.Fprintf(&b, "# %s: %s%s\n", v.Engine, strings.ReplaceAll(v.Verdict, "\n", " "), mark)
	}
	fmt.Fprintf(&b, "# To reproduce: leadline selftest --ops %d --seed %d --random %d --random-ops %d\n",
		f.ops, f.seed, f.random, f.randomOps)
	native, ok := codec.Lookup("native")
	if !ok {
		panic("leadline: there is no native format")
	}
	if err := native.Encode(&b, d.History); err != nil {
		return "", fmt.Errorf("encoding %s: %w", d.History.ID, err)
	}
	if err := os.MkdirAll(f.out, 0o777); err != nil {
		return "", err
	}
	name := filepath.Join(f.out, fmt.Sprintf("%03d-%s.jsonl", i+1, d.History.ID))
	return name, os.WriteFile(name, b.Bytes(), 0o666)
}
