package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/leadline/leadline/cmd/internal/flagkind"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/history/stress/instrument"
	"github.com/leadline/leadline/history/stress/subject"
	"github.com/leadline/leadline/replay/stresstest"
	"github.com/spf13/pflag"
)

// stressFlags are the flags of leadline stress.
type stressFlags struct {
	stress.Options
	all       *pflag.FlagSet
	subjects  []string
	construct []string
	from      string
	effort    *flagkind.Choice
	time      time.Duration
	perRun    time.Duration
	save      string
	histories string
	keep      int
	expect    *flagkind.Choice
	output    *flagkind.Choice
	list      bool
	child     string
	oracle    *flagkind.Choice
	safety    safetyFlags
	schedules scheduleFlags
}

func setupStress(flags *pflag.FlagSet) func(streams, []string) int {
	f := &stressFlags{all: flags}
	flags.StringSliceVar(&f.subjects, "subject", nil, "bundled `object` to test (see --list), or several, or all")
	flags.StringArrayVar(&f.construct, "new", nil, "`constructor` of the object to test, as example.com/queue.New or 'example.com/lru.New[int,int](8)', of a package "+
		"that the module in the working directory requires; may be repeated")
	designationFlags(flags, &f.ReflectOptions)
	flags.StringVar(&f.from, "from", "", "`file` with an object a line, by the flags --new, --name, --core, --read-only, --weak, --exclude and --values")
	flags.StringSliceVar(&f.Methods, "method", nil, "`methods` to blame (default: each that is neither core nor weak)")
	flags.StringArrayVar(&f.Programs, "program", nil, "run this program, as `'{ put(0,0) } || { clear() } [ size() ]'`, instead of generated ones; may be repeated")
	f.effort = flagkind.NewChoice(flags, "effort", "how long an object is tested: quick 10 s, default 2 min, tough 20 min", "default", "quick", "tough")
	flags.DurationVar(&f.time, "time", 0, "how long an object is tested at most, instead of --effort's time; a violation that is seen by then is still proved")
	flags.DurationVar(&f.perRun, "run", 0, "how long a program is run, instead of --effort's time")
	flags.Uint64Var(&f.Seed, "seed", 1, "seed of the programs; it does not fix how the threads interleave")
	flags.IntVar(&f.Bounds.MinInvocations, "min-invocations", 0, "fewest invocations in the sequences of a program (default 3)")
	flags.IntVar(&f.Bounds.MaxInvocations, "max-invocations", 0, "most invocations in the sequences of a program (default 6, at most 1000)")
	flags.IntVar(&f.Bounds.Initial, "initial", 2, "most invocations that precede the sequences of a generated program")
	flags.IntVar(&f.Bounds.Final, "final", 2, "most invocations that follow them, once all have ended")
	flags.IntVar(&f.Bounds.Sequences, "sequences", 0, "sequences of invocations that run in parallel (default 2, at most 8)")
	valuesFlag(flags, &f.Bounds.Values)
	flags.BoolVar(&f.Bounds.Weak, "call-weak", false, "programs call weak methods, too: their results never count as violations, but their effects do")
	f.expect = flagkind.NewChoice(flags, "expect", "where the outcomes to expect come from: the object, run sequentially, or its model", "object", "model")
	flags.BoolVar(&f.Exhaustive, "exhaustive", false, "run every program within the bounds, by rising numbers of invocations, sequences and values, instead of drawing them")
	flags.BoolVar(&f.Reduce, "reduce", false, "make programs with violations smaller")
	flags.StringVar(&f.save, "save", "leadline-violations", "`directory` for programs and histories of violations; empty: none")
	flags.StringVar(&f.histories, "histories", "", "`file` for executions that were recorded, compressed if it ends in .gz or .zst")
	flags.IntVar(&f.keep, "keep", 3, "how many of each program go there")
	f.output = outputFlag(flags, "text", "json")
	flags.BoolVar(&f.list, "list", false, "list the bundled objects")
	f.oracle = flagkind.NewChoice(flags, "oracle", "what is tested: results that no order explains, or safety for concurrent use (panics, fatal errors, deadlocks)", "results", "safety")
	f.safety.declare(flags)
	f.schedules.declare(flags, &f.Options)
	flags.StringVar(&f.child, "child", "", "")
	_ = flags.MarkHidden("child")
	return f.run
}

// designationFlags declares the flags that describe the object of --new.
func designationFlags(flags *pflag.FlagSet, d *stress.ReflectOptions) {
	flags.StringVar(&d.Name, "name", "", "what to call the object of --new (default: the constructor)")
	flags.StringSliceVar(&d.Core, "core", nil, "`methods` of --new's object that are trusted to be atomic, so that blame is clear")
	flags.StringSliceVar(&d.ReadOnly, "read-only", nil, "its `methods` that change nothing (default: found out)")
	flags.StringSliceVar(&d.Weak, "weak", nil, "its `methods` that are documented not to be atomic")
	flags.StringSliceVar(&d.Exclude, "exclude", nil, "its `methods` not to call")
}

func valuesFlag(flags *pflag.FlagSet, values *int) {
	flags.IntVar(values, "values", 0, "how many values arguments are drawn from (default 2)")
}

// stressStatus is the exit status if violations are found.
const stressStatus = statusNot

func (f *stressFlags) run(s streams, args []string) int {
	unread := f.prepareReplay()
	switch {
	case f.child != "":
		return f.serve(s)
	case len(args) > 0:
		return fail(s, "stress", errors.New("takes no arguments"))
	case f.list:
		return listSubjects(s.out, f.output.Value == "json")
	case f.oracle.Value == "safety" && f.isScheduled():
		return fail(s, "stress", errors.New("--schedules and --replay are for --oracle results"))
	case f.oracle.Value == "safety":
		return f.testSafety(s)
	case f.mismatch() != nil:
		return fail(s, "stress", f.mismatch())
	case unread != nil:
		return fail(s, "stress", unread)
	case len(f.subjects)+len(f.construct) == 0 && f.from == "":
		return fail(s, "stress", errors.New("no --subject, no --new and no --from given"))
	case slices.Contains(f.Programs, ""):
		return fail(s, "stress", errors.New("an empty --program"))
	case len(f.Programs) > 0 && (len(f.subjects)+len(f.construct) > 1 || f.from != ""):
		return fail(s, "stress", errors.New("--program is for one object"))
	case f.keep < 0:
		return fail(s, "stress", errors.New("--keep must not be negative"))
	case f.time < 0 || f.perRun < 0:
		return fail(s, "stress", errors.New("times must not be negative"))
	}
	if err := errors.Join(f.checkSchedules(), f.Bounds.Validate()); err != nil {
		return fail(s, "stress", err)
	}
	ctx, restore := s.untilClosed()
	defer restore()
	objects, err := f.objects(ctx)
	if err != nil && ctx.Err() == nil {
		return fail(s, "stress", err)
	}
	defer func() {
		for _, o := range objects {
			o.cleanup()
		}
	}()
	if f.schedules.replay != "" && ctx.Err() == nil {
		return f.showReplay(ctx, s, &objects[0])
	}
	return f.test(ctx, s, objects)
}

// mismatch reports a flag without effect, or one that is 0 and must not be, where results
// that no order explains are looked for.
func (f *stressFlags) mismatch() error {
	err := noEffect(f.all, "without --oracle safety", "package", "declared", "race", "first-suffixes", "prefixes", "suffixes", "state-changers", "calls", "executions")
	if err == nil && !f.all.Changed("new") {
		err = noEffect(f.all, "without --new", "name", "core", "read-only", "weak", "exclude")
	}
	if err == nil && f.all.Changed("program") {
		err = noEffect(f.all, "with --program", "method", "min-invocations", "max-invocations", "initial", "final", "sequences", "values", "exhaustive")
	}
	if err == nil && f.isScheduled() {
		err = noEffect(f.all, "with --schedules or --replay", "reduce")
	}
	if err == nil && f.histories == "" {
		err = noEffect(f.all, "without --histories", "keep")
	}
	if err == nil {
		err = notZero(f.all, "time", "run", "min-invocations", "max-invocations", "sequences", "values", "preemptions", "delays")
	}
	return err
}

// serve runs in a child process.
func (f *stressFlags) serve(s streams) int {
	o := subject.Lookup(f.child)
	if o == nil {
		return fail(s, "stress", fmt.Errorf("no subject %s", f.child))
	}
	return stress.Serve(o.Class, stresstest.Checker(nil), s.in, s.out)
}

// An object to test, with the process that tests it.
type object struct {
	name         string
	how          string // the flags that name it
	reflect      stress.ReflectOptions
	values       int // 0: as for all
	start        func(context.Context) *exec.Cmd
	instrumented *instrument.Report // nil if it is not
	cleanup      func()
	plainly      func() func(context.Context) *exec.Cmd // starts it without instrumentation
}

func (f *stressFlags) objects(ctx context.Context) (list []object, err error) {
	defer func() {
		if err != nil {
			for _, t := range list {
				t.cleanup()
			}
			list = nil
		}
	}()
	names := f.subjects
	if slices.Equal(names, []string{"all"}) {
		names = nil
		for _, o := range subject.All() {
			names = append(names, o.Class.Name)
		}
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if subject.Lookup(name) == nil {
			return list, fmt.Errorf("no subject %s; leadline stress --list lists them", name)
		}
		list = append(list, object{name: name, how: "--subject " + name, cleanup: func() {}, start: func(ctx context.Context) *exec.Cmd {
			return exec.CommandContext(ctx, self, "stress", "--child", name)
		}})
	}
	if f.isScheduled() {
		if err := f.buildSubjects(ctx, list); err != nil {
			return list, err
		}
	}
	for _, constructor := range f.construct {
		o, err := f.instrumented(ctx, constructor, f.ReflectOptions)
		if err != nil {
			return list, err
		}
		list = append(list, o)
	}
	if f.from != "" {
		return f.readObjects(ctx, list)
	}
	return list, nil
}

// mostLines bounds the files of --from and --declared, in bytes.
const mostLines = 1 << 20

// readObjects adds the objects of a file, which has the flags of one on each line, in
// quotes as for a shell if need be.
func (f *stressFlags) readObjects(ctx context.Context, list []object) ([]object, error) {
	text, err := flagkind.ReadFile(f.from, mostLines)
	if err != nil {
		return list, err
	}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		fields, err := shellFields(line)
		var d stress.ReflectOptions
		var constructor string
		var values int
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		flags.Usage = func() {}
		flags.SetOutput(io.Discard)
		flags.StringVar(&constructor, "new", "", "")
		designationFlags(flags, &d)
		valuesFlag(flags, &values)
		if err == nil {
			err = flags.Parse(fields)
		}
		if err == nil && (constructor == "" || flags.NArg() > 0) {
			err = errors.New("want --new and the like")
		}
		if err != nil {
			return list, fmt.Errorf("%s:%d: %w", f.from, i+1, err)
		}
		o, err := f.instrumented(ctx, constructor, d)
		if err != nil {
			return list, fmt.Errorf("%s:%d: %w", f.from, i+1, err)
		}
		o.values = values
		list = append(list, o)
	}
	return list, nil
}

// optionsFor returns the options for an object.
func (f *stressFlags) optionsFor(o *object) stress.Options {
	options := f.Options
	options.GoOn = true
	options.ReflectOptions, options.ByModel = o.reflect, f.expect.Value == "model"
	options.Bounds.Initial, options.Bounds.Final = orNone(f.Bounds.Initial), orNone(f.Bounds.Final)
	if o.values > 0 {
		options.Bounds.Values = o.values
	}
	options.Effort, _ = stress.EffortCalled(f.effort.Value)
	if f.time > 0 {
		options.Effort.Time = f.time
	}
	if f.perRun > 0 {
		options.Effort.Program = f.perRun
	}
	if f.histories != "" {
		options.Keep = f.keep
	}
	return options
}

// orNone returns n as stress.Bounds has it, whose zero value means the default.
func orNone(n int) int {
	if n == 0 {
		return -1
	}
	return n
}

// test tests one object after the other and reports.
func (f *stressFlags) test(ctx context.Context, s streams, objects []object) int {
	report := newStressReport(s, f)
	histories, err := newHistoriesFile(f.histories)
	if err != nil {
		return fail(s, "stress", err)
	}
	progress := newProgress(s.err)
	progress.what = "programs"
	status := statusOK
	for _, o := range objects {
		if ctx.Err() != nil {
			break
		}
		options := f.optionsFor(&o)
		options.Starting = func(string, string) { progress.step() }
		var held []*stress.Finding // a method is to blame, unless its core methods turn out to be
		options.Found = func(found *stress.Finding) {
			progress.clear()
			if found.Method != "" && len(options.Methods) == 0 {
				held = append(held, found)
			} else {
				report.found(&o, found)
			}
		}
		options.Crashed = func(c *stress.Crash) { progress.clear(); report.crashed(&o, options.Effort.Program, c) }
		options.History = histories.add
		options.OnThreads = o.plainly
		result, err := stress.Supervise(ctx, o.start, options)
		progress.clear()
		for _, found := range held {
			if result == nil || slices.Contains(result.Findings, found) {
				report.found(&o, found)
			}
		}
		if err != nil {
			s.failed("stress", fmt.Errorf("%s: %w", o.name, err))
			status = statusBad
		}
		if result == nil {
			continue
		}
		result.Subject = o.name
		report.objects[result] = o
		report.results = append(report.results, result)
		if len(result.Findings)+len(result.Crashes) > 0 {
			status = worse(status, stressStatus)
		} else if _, nothing := result.Unsteadiness(); nothing {
			status = worse(status, statusUnknown)
		}
	}
	if err := errors.Join(report.finish(), histories.close()); err != nil {
		return worse(status, s.failed("stress", err))
	}
	if ctx.Err() != nil {
		s.interrupted("stress")
		status = worse(status, statusUnknown)
	}
	return status
}

func listSubjects(out io.Writer, asJSON bool) int {
	for _, o := range subject.All() {
		if asJSON {
			line := struct {
				Kind   string `json:"kind"` // "subject"
				Name   string `json:"name"`
				Broken bool   `json:"broken"`
				Doc    string `json:"doc"`
			}{"subject", o.Class.Name, o.Broken, o.Doc}
			if err := writeJSON(out, line); err != nil {
				return statusBad
			}
			continue
		}
		kind := ""
		if o.Broken {
			kind = "broken: "
		}
		if _, err := fmt.Fprintf(out, "%-24s %s%s\n", o.Class.Name, kind, o.Doc); err != nil {
			return statusBad
		}
	}
	if asJSON {
		return statusOK
	}
	_, err := fmt.Fprint(out, "\nObjects of other libraries are in benchdata/bench/subjects, a module of its own; see its README.md.\n")
	if err != nil {
		return statusBad
	}
	return statusOK
}
