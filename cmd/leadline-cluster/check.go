package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/leadline/leadline/cmd/internal/flagkind"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/batch"
	"github.com/spf13/pflag"
)

// checkFlags are the flags of leadline-cluster check.
type checkFlags struct {
	clusterFlags
	settings settings
	maps     []string // of --map
	timeout  time.Duration
	memory   flagkind.Size
	engine   *flagkind.Choice
	order    *flagkind.Choice
	chains   *flagkind.Choice
	quiet    bool
	skip     *flagkind.Choice
}

var chainModes = []string{replay.AutoChains: "auto", replay.ProcessChains: "process", replay.MinimumChains: "minimum"}

var skips = []string{codec.SkipUnknown: "format", codec.SkipContent: "content", codec.SkipNothing: "none"}

func setupCheck(flags *pflag.FlagSet) func(context.Context, streams, []string) (int, error) {
	f := newCheckFlags(flags)
	return func(ctx context.Context, s streams, args []string) (int, error) {
		if err := f.complete(flags, args); err != nil {
			return 0, err
		}
		return f.run(ctx, s, args)
	}
}

// newCheckFlags declares the flags of leadline-cluster check.
func newCheckFlags(flags *pflag.FlagSet) *checkFlags {
	f := &checkFlags{memory: 1 << 30}
	f.settings.Limits = codec.DefaultLimits
	o := &f.settings.Options
	flags.StringVar(&f.settings.Model, "model", "", "sequential `specification`, as for leadline check")
	flags.StringVar(&f.settings.Format, "format", "", "`name` of the files' format (default: by content)")
	flags.StringArrayVar(&f.maps, "map", nil, "`mapping` of records, as for leadline check")
	f.order = flagkind.NewChoice(flags, "order", "order that a witness must respect", "realtime", "program")
	f.chains = flagkind.NewChoice(flags, "chains", "chains of the poset", chainModes...)
	f.engine = flagkind.NewChoice(flags, "engine", "what may decide", replay.EngineNames[:]...)
	flags.IntVar(&o.MaxDepth, "max-depth", replay.DefaultMaxDepth, "largest `d` of the families")
	flags.Int64Var(&o.Budget.Schedules, "max-schedules", 0, "most `schedules` of families to replay for one history")
	flags.DurationVar(&f.timeout, "timeout", 0, "time for one history (default: no bound)")
	flags.Var(&f.memory, "memory", "memory for one history; a worker with n jobs takes n times as much")
	flags.BoolVar(&o.ExactDepth, "exact-depth", false, "compute the exact linearizability depth too")
	flags.BoolVar(&f.settings.Explain, "explain", true, "explain why a history is not linearizable")
	flags.BoolVar(&f.settings.Times, "times", false, "lines have the time of each check")
	f.skip = flagkind.NewChoice(flags, "skip-unknown", "which files of directories are skipped", skips...)
	flagkind.Limits(flags, &f.settings.Limits)
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "print only histories that are not linearizable, or not known to be")
	f.declare(flags, 2)
	return f
}

// complete checks the flags and fills the settings.
func (f *checkFlags) complete(flags *pflag.FlagSet, args []string) error {
	if err := f.validate(flags); err != nil {
		return err
	}
	o := &f.settings.Options
	stdin := slices.Index(args, "-")
	switch {
	case len(args) == 0:
		return badUsage("no file, directory, bucket or - given")
	case slices.Contains(args, "") || slices.Contains(args, bucketPrefix):
		return badUsage("an argument is empty")
	case stdin >= 0 && slices.Contains(args[stdin+1:], "-"):
		return badUsage("- is given twice, but standard input can be read once")
	case o.MaxDepth < 1:
		return badUsage("--max-depth must be at least 1")
	case o.Budget.Schedules < 0 || f.timeout < 0:
		return badUsage("a bound must not be negative")
	case f.memory < 1<<20:
		return badUsage("--memory must be at least 1MiB")
	}
	read := &codec.Options{Format: f.settings.Format}
	if err := flagkind.Mapping(read, f.maps); err != nil {
		return &usageError{err}
	}
	f.settings.Map = read.Map // workers do not have the file
	if err := batch.CheckModel(f.settings.Model); err != nil {
		return &usageError{err}
	}
	o.Engine, o.Chains = replay.Engine(f.engine.Index()), replay.ChainMode(f.chains.Index())
	f.settings.ProgramOrder = f.order.Value == "program"
	memory := int64(f.memory)
	f.settings.Limits.Memory = memory / 3 * 2
	o.Budget.Time, o.Budget.Process, o.Budget.Bytes = f.timeout, memory, memory/10*7
	return nil
}

func (f *checkFlags) run(ctx context.Context, s streams, args []string) (status int, err error) {
	return f.coordinate(ctx, s, checkKind, func(ctx context.Context, c *coordinator, t *table) (int, error) {
		r := newReader(f.settings, c.queue.payload())
		r.skip = codec.Skip(f.skip.Index())
		r.stdin, r.quiet, r.buckets, r.spool = s.in, f.quiet, c.queue.js, c.queue.spool
		r.warn = func(format string, args ...any) {
			t.aside(func() { fmt.Fprintf(s.err, "leadline-cluster: "+format+"\n", args...) })
		}
		out := bufio.NewWriter(s.out)
		var all shown
		err := c.each(ctx, r.parts(ctx, args), func(p *part, of *result) error {
			for i := range p.items {
				if err := f.show(ctx, out, c, r, &p.items[i], p, of, &all); err != nil {
					return err
				}
			}
			return t.flush(out)
		})
		if flushed := out.Flush(); !errors.Is(err, flushed) {
			err = errors.Join(err, flushed)
		}
		if r.skipped > 0 {
			r.warn("left out %d of the files", r.skipped)
		}
		if ctx.Err() != nil {
			var input batch.Census
			r.quiet = true
			input.Finish(args, func(ctx context.Context) iter.Seq[batch.Entry] { return r.entries(ctx, args) })
			err = &stoppedError{input.Stopped(all.histories, all.not, f.property())}
		}
		return all.status, err
	})
}

// property names what the verdicts are about.
func (f *checkFlags) property() string {
	if f.settings.ProgramOrder {
		return "sequentially consistent"
	}
	return "linearizable"
}

// shown sums up the lines that are written.
type shown struct{ status, histories, not int }

// show writes the lines of an item.
func (f *checkFlags) show(ctx context.Context, out *bufio.Writer, c *coordinator, r *reader, it *item, p *part, of *result, all *shown) (err error) {
	one, lines := fileResult{Entries: []entryResult{it.known}}, it.line
	if it.line == nil {
		if it.at.key != p.key { // an equal file came before
			if of, err = c.stored(ctx, it.at.key); err != nil {
				return err
			}
		}
		one, lines = of.file(it.at.index)
	}
	for _, w := range one.Warnings {
		r.warn("warning: %v", &codec.SyntaxError{File: it.name, Line: w.Line, Msg: w.Msg})
	}
	for _, e := range one.Entries {
		line, err := named(lines[:e.Size], it.name)
		if err != nil {
			return fmt.Errorf("%s: %w", it.name, err)
		}
		lines = lines[e.Size:]
		status := e.Status.Exit()
		all.status = worse(all.status, status)
		if it.line == nil {
			all.histories++
		}
		if e.Status == batch.NotLinearizable {
			all.not++
		}
		if e.Status == batch.Internal {
			r.warn("%s: %s", it.name, e.Reason)
		}
		if f.quiet && status == statusOK {
			continue
		}
		if _, err := out.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// coordinate opens the queue, starts the workers of this machine and calls do.
func (f *clusterFlags) coordinate(ctx context.Context, s streams, kind string,
	do func(context.Context, *coordinator, *table) (int, error)) (status int, err error) {
	q, end, err := f.open(ctx, kind, s)
	if err != nil {
		return statusOK, err
	}
	defer end()
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	c := &coordinator{queue: q, tries: f.tries, keep: f.keep, retry: f.retry}
	if err := c.start(ctx); err != nil {
		return statusOK, err
	}
	t := newTable(s.err, f.progress, c)
	defer t.stop()
	if err := t.start(ctx); err != nil {
		return statusOK, err
	}
	go c.watch(ctx, f.patience, func(format string, args ...any) {
		t.aside(func() { fmt.Fprintf(s.err, "leadline-cluster: "+format+"\n", args...) })
	}, fail)
	wait, err := f.startLocal(ctx, s, q, fail)
	if err != nil {
		return statusOK, err
	}
	defer wait()
	defer fail(nil)
	status, err = do(ctx, c, t)
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		err = cause
	}
	return status, err
}
