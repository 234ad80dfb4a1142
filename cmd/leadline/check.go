package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/leadline/leadline/cmd/internal/flagkind"
	"github.com/leadline/leadline/cmd/internal/output"
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/batch"
	"github.com/leadline/leadline/replay/report"
	"github.com/leadline/leadline/replay/weak"
	"github.com/spf13/pflag"
)

// checkFlags are the flags of leadline check.
type checkFlags struct {
	all      *pflag.FlagSet
	history  string // identifier of the only history to check; "" for all
	input    *input
	maxDepth int
	timeout  time.Duration
	memory   flagkind.Size
	jobs     int
	chains   *flagkind.Choice
	order    *flagkind.Choice
	explain  bool
	weak     []string    // --weak
	levels   weak.Levels // of weak
	verbose  bool
	output   *flagkind.Choice
	judges   bool // the exit status depends on the verdicts
	batch    batchFlags
}

func setupCheck(flags *pflag.FlagSet) func(streams, []string) int {
	f := newCheckFlags(flags)
	f.judges = true
	flags.BoolVar(&f.explain, "explain", true, "if a history is not linearizable, report the results that no order explains")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "print the time and the witness of each history")
	f.output = outputFlag(flags, "text", "json", "timeline")
	flags.StringSliceVar(&f.weak, "weak", nil, "methods that may miss effects, as `METHOD=LEVEL`,...: weak (also without =LEVEL), basic, monotonic, peer, causal or bundle")
	f.batch.declare(flags)
	flags.Lookup("quiet").Usage = "print only histories that are not linearizable, or not known to be, and the last line"
	return func(s streams, args []string) int {
		if err := cmp.Or(f.validate(args), f.batch.validate(f, args)); err != nil {
			return fail(s, "check", err)
		}
		out := bufio.NewWriter(s.out)
		var p presenter = &textPresenter{out: out, flags: f, width: terminalWidth(s.out), options: f.reportOptions(s.out)}
		f.input.counts = f.output.Value != "json"
		if !f.input.counts {
			p = &jsonPresenter{out: out, flags: f}
		}
		return f.run(s, "check", args, out, p)
	}
}

// newCheckFlags declares the flags that all commands that check histories share.
func newCheckFlags(flags *pflag.FlagSet) *checkFlags {
	f := &checkFlags{all: flags, input: newInput(), memory: 2 << 30}
	flags.StringVar(&f.input.model, "model", "", "sequential `specification`, as queue or ArrayBlockingQueue:20 "+
		"(default: what the file names; see leadline models)")
	f.input.declare(flags)
	flags.IntVar(&f.maxDepth, "max-depth", replay.DefaultMaxDepth, "largest `d` of the families")
	flags.DurationVar(&f.timeout, "timeout", 0, "time for one history, as 500ms or 1m (default: no bound)")
	flags.Var(&f.memory, "memory", "memory of the process, shared by all jobs")
	jobsFlag(flags, &f.jobs, "check")
	f.chains = chainsFlag(flags)
	f.order = flagkind.NewChoice(flags, "order", "order that a witness must respect: real time, "+
		"or each process's own alone (sequential consistency)", "realtime", "program")
	return f
}

// validate returns an error if the flags or the arguments are not valid.
func (f *checkFlags) validate(args []string) error {
	var err error
	switch f.levels, err = weak.Parse(f.weak); {
	case err != nil:
		return fmt.Errorf("--weak: %w", err)
	case f.maxDepth < 1:
		return errors.New("--max-depth must be at least 1")
	case f.jobs < 1 || f.jobs > maxJobs:
		return errJobs
	case f.timeout < 0:
		return errTimeout
	case f.memory < 1<<20:
		return errors.New("--memory must be at least 1MiB")
	}
	return f.input.check(args)
}

// property names what the verdicts are about.
func (f *checkFlags) property() string {
	switch {
	case len(f.levels) > 0:
		return "weakly consistent"
	case f.order.Value == "program":
		return "sequentially consistent"
	}
	return "linearizable"
}

// run checks what args name and passes the results to p, which writes to out.
func (f *checkFlags) run(s streams, command string, args []string, out *bufio.Writer, p presenter) int {
	ctx, restore := output.Interruptible()
	defer restore()
	return f.check(ctx, s, command, args, out, p)
}

// programBytes is about how much memory the process uses that the Go runtime does not
// count: 14 MiB of code and data, the stacks of its threads, and 2 MiB by which the
// runtime exceeds its limit on a busy machine.
const programBytes = 17 << 20

// check reads, checks and reports.
func (f *checkFlags) check(ctx context.Context, s streams, command string, args []string, out *bufio.Writer, p presenter) int {
	memory := int64(f.memory) - min(programBytes, int64(f.memory)/2)
	memory -= memory / 16                          // what is allocated between two checks of the bound
	f.input.Limits.Memory = memory / 3 * 2 &^ 1023 // reading takes more while the room for operations grows

	garbage := newCollector(memory / 10 * 9)
	defer garbage.stop()
	checker := &batch.Checker{Model: f.input.model, Times: f.verbose, Explain: f.explain, Weak: f.levels, Options: replay.Options{
		MaxDepth: f.maxDepth,
		Budget: replay.Budget{Time: f.timeout,
			Bytes: memory / int64(f.jobs) / 10 * 7, Process: memory},
		Chains: chainMode(f.chains),
	}}
	run, err := f.batch.start(s, f, checker)
	if err != nil {
		return s.failed(command, err)
	}
	working, stop := context.WithCancel(ctx) // the batch may end before its input
	defer stop()
	c := &checking{flags: f, streams: s, command: command, out: out, presenter: p, run: run, progress: newProgress(s.err),
		status: statusOK, complete: true, used: map[string]bool{}, stop: stop}
	c.isText, c.isJSON = presents[*textPresenter](p), presents[*jsonPresenter](p)
	c.begin(ctx, args)
	var read batch.Census
	from := read.Of(working, f.entries(working, s, args, garbage.reading))
	if f.order.Value == "program" {
		from = inProgramOrder(from)
	}
	one := func(e entry) *result {
		text, err := f.batch.proof.text(e.History, f.input.model)
		r := c.check(checker.Check(working, e))
		if f.batch.proof.name != "" && r.Status() == batch.NotLinearizable {
			if r.uncertified = err; err == nil {
				r.certificate, r.uncertified = certify(r.Result, text)
			}
		}
		return r
	}
	batch.InOrder(from, f.jobs, entry.Ops, one, c.emit)
	c.end(ctx)
	if ctx.Err() != nil {
		read.Finish(args, func(ctx context.Context) iter.Seq[entry] {
			return f.entries(ctx, streams{s.in, s.out, io.Discard}, args, nil)
		})
		line := read.Stopped(run.totals.Histories, run.totals.NotLinearizable, f.property())
		if c.isText {
			fmt.Fprintln(s.out, line)
		} else {
			fmt.Fprintf(s.err, "leadline %s: %s\n", command, line)
		}
	}
	return c.status
}

// A checking is what leadline check knows while it runs.
type checking struct {
	flags     *checkFlags
	streams   streams
	command   string
	out       *bufio.Writer
	presenter presenter
	run       *batchRun
	progress  *progress
	stop      func()

	isText, isJSON bool
	sharesTerminal bool // the progress and the results
	status         int
	complete       bool // all of the input was checked
	failed         error
	used           map[string]bool // methods of --weak that histories have
}

// begin starts the progress, if there is a terminal.
func (c *checking) begin(ctx context.Context, args []string) {
	if c.progress.w == nil {
		return
	}
	c.progress.measure(ctx, args)
	c.flags.input.Count = &c.progress.pace.read
	if terminal(c.streams.out) != nil {
		c.sharesTerminal = true
		c.out.Reset(c.progress.above(c.streams.out))
	}
}

// check adds what the presenter needs to the result of an entry. Several goroutines call it.
func (c *checking) check(checked *batch.Result) *result {
	r := &result{Result: checked}
	if c.isJSON && !r.Skipped {
		r.line = r.AppendLine(nil)
	}
	shown := !c.flags.input.quiet || r.status() != statusOK
	if c.isText && shown && r.Spec != nil && r.Err == nil && r.Internal == nil {
		r.extensions = countExtensions(r.History, &r.Verdict)
	}
	return r
}

// emit presents a result, and reports whether the batch goes on.
func (c *checking) emit(r *result, waiting bool) bool {
	if r.Skipped {
		c.complete = false
		return true
	}
	if of := r.status(); c.flags.judges || of == statusBad || of == statusInternal {
		c.status = worse(c.status, of)
	}
	switch {
	case r.Internal != nil:
		c.progress.clear()
		fmt.Fprintf(c.streams.err, "leadline: %v\n%sPlease send %s to the maintainers of leadline.\n", r.Internal, r.Stack, r.File)
	case r.Err != nil && !c.isJSON:
		c.progress.clear()
		if text := modelHint(r.History, r.Spec); text != "" {
			fmt.Fprintf(c.streams.err, "%s: %s\n", placeText(&r.Entry), text)
		}
		c.flags.input.report(r.File, r.Err)
	}
	switch {
	case r.uncertified != nil:
		c.progress.clear()
		fmt.Fprintf(c.streams.err, "%s: no certificate: %s\n", placeText(&r.Entry), report.Clean(r.uncertified.Error()))
	case r.certificate != nil:
		c.failed = c.flags.batch.proof.write(r)
	}
	if c.failed == nil {
		c.failed = c.presenter.present(r)
	}
	if c.failed == nil && (waiting || c.sharesTerminal) {
		c.failed = c.out.Flush()
	}
	goOn := false
	if c.failed == nil {
		goOn, c.failed = c.run.add(r)
		goOn = goOn && c.failed == nil
	}
	c.progress.result(r)
	c.complete = c.complete && goOn
	for method := range c.flags.levels {
		c.used[method] = c.used[method] || weak.Has(r.History, method)
	}
	if !goOn {
		c.stop()
	}
	return goOn
}

// end writes what follows the results, and determines the status.
func (c *checking) end(ctx context.Context) {
	c.progress.clear()
	c.complete = c.complete && ctx.Err() == nil
	c.status = c.flags.input.end(ctx, c.streams, c.command, c.status)
	if c.failed == nil {
		if c.failed = c.presenter.finish(&c.run.totals); c.failed == nil {
			c.failed = c.out.Flush()
		}
	}
	if c.failed != nil {
		c.status = worse(c.status, c.streams.failed(c.command, c.failed))
	}
	for _, method := range slices.Sorted(maps.Keys(c.flags.levels)) {
		if !c.used[method] {
			fmt.Fprintf(c.streams.err, "leadline %s: --weak: no operation has the method %s\n", c.command, method)
		}
	}
	c.status = c.run.finish(c.streams, c.flags.input, c.complete, c.status)
}

// entries yields what the command checks of its input.
func (f *checkFlags) entries(ctx context.Context, s streams, args []string, reading func(int64)) iter.Seq[entry] {
	from := f.input.read(ctx, s, args, reading)
	if f.history != "" {
		from = f.onlyHistory(from)
	}
	return f.batch.shard.Of(from)
}

// presents reports whether p is a P.
func presents[P presenter](p presenter) bool {
	_, ok := p.(P)
	return ok
}

// A result is the result of an entry, and what the presenters need besides.
type result struct {
	*batch.Result
	extensions extensions
	line       []byte // of JSON
	// certificate that it is not linearizable, with --proof, or why there is none
	certificate []byte
	uncertified error
}

// extensions is a number of linear extensions, if it is known.
type extensions struct {
	n     uint64
	known bool
}

// maxDownsets bounds the work of counting linear extensions for the text output to a
// few milliseconds.
const maxDownsets = 1 << 12

func (r *result) status() int { return r.Status().Exit() }

// countedOps is the length of the longest concurrent histories whose linear extensions
// are counted.
const countedOps = 1 << 12

func countExtensions(h *history.History, v *replay.Verdict) extensions {
	switch {
	case v.CP == 0 && !h.HasEdges():
		return extensions{1, true}
	case len(h.Ops) > countedOps:
		return extensions{}
	}
	in, err := replay.NewInstance(h, true, replay.ProcessChains, nil) // chains are not needed
	if err != nil {
		return extensions{}
	}
	n, ok := in.Poset.LinearExtensions(maxDownsets)
	return extensions{n, ok}
}
