package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/leadline/leadline/cmd/internal/flagkind"
	"github.com/leadline/leadline/history/explore/instrument"
	"github.com/leadline/leadline/history/explore/worker"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/history/stress/explore"
	"github.com/leadline/leadline/history/stress/subject"
	"github.com/leadline/leadline/replay/stresstest"
	"github.com/spf13/pflag"
)

// stressFlags are the flags of leadline stress.
type stressFlags struct {
	stress.Options
	command   string // stress, safety or replay
	all       *pflag.FlagSet
	subjects  []string
	construct []string
	from      string
	effort    stress.Effort
	save      string
	output    *flagkind.Choice
	safety    safetyFlags
	schedules scheduleFlags
}

func setupStress(flags *pflag.FlagSet) func(streams, []string) int {
	f := &stressFlags{command: "stress", all: flags}
	f.objectFlags()
	flags.StringVar(&f.from, "from", "", "`file` with an object a line: --new, a --name for the results, --core, --read-only, --weak, --exclude and --values")
	flags.StringArrayVar(&f.Programs, "program", nil, "`program` to run, as '{ put(0,0) } || { clear() } [ size() ]', instead of generated ones; may be repeated")
	flags.BoolVar(&f.Outcomes, "outcomes", false, "count the outcomes of each --program, on threads and in schedules, instead of searching")
	flags.Int64Var(&f.effort.Executions, "executions", 0, fmt.Sprintf("executions on threads, or schedules, that an object gets at most (default %d, or %d with %d steps, which take an idle machine about 2m, and at most %v)",
		stress.DefaultEffort.Executions, stress.DefaultEffort.Schedules, stress.DefaultEffort.Steps, stress.DefaultEffort.Time))
	flags.DurationVar(&f.effort.Time, "time", 0, "how long an object is tested at most, instead of a number of executions; a tenth more and some seconds are for proofs")
	flags.DurationVar(&f.effort.Program, "run", 0, "how long a program is run on threads (default 50ms)")
	flags.Uint64Var(&f.Seed, "seed", 1, "seed of the programs; it does not fix how the threads interleave")
	flags.IntVar(&f.Bounds.MaxInvocations, "max-invocations", 0, "most invocations in the sequences of a program (default 6, at most 1000)")
	flags.IntVar(&f.Bounds.Sequences, "sequences", 0, "sequences of invocations that run in parallel (default 2, and a share with 3 and 4; at most 8)")
	valuesFlag(flags, &f.Bounds.Values)
	flags.BoolVar(&f.Exhaustive, "exhaustive", false, "run every program within the bounds, by rising numbers of invocations, sequences and values, instead of drawing them")
	flags.StringVar(&f.save, "save", "leadline-violations", "`directory` for programs and histories of violations; empty: none")
	f.output = outputFlag(flags, "text", "json", "html")
	flags.BoolVar(&f.Threads, "threads", false, "run threads alone, instead of exploring schedules of an instrumented build as soon as that is there")
	flags.IntVar(&f.Preemptions, "preemptions", 0, "most preemptions of a schedule, or delays if the object starts goroutines (default 3, and a small share with 4); programs get one first, then two, and so on; -1: three, and then without a bound")
	f.buildFlags()
	return f.run
}

// objectFlags declares the flags that name the object and describe its methods.
func (f *stressFlags) objectFlags() {
	f.all.StringSliceVar(&f.subjects, "subject", nil, "bundled `object` to test (see leadline models), or several, or all")
	f.newFlag()
	methodFlags(f.all, &f.ReflectOptions)
}

func (f *stressFlags) newFlag() {
	f.all.StringArrayVar(&f.construct, "new", nil, "`constructor` of the object to test, as example.com/queue.New or 'example.com/lru.New[int,int](8)', of a package "+
		"that the module in the working directory requires; may be repeated")
}

// methodFlags declares the flags that describe the methods of the object of --new.
func methodFlags(flags *pflag.FlagSet, d *stress.ReflectOptions) {
	flags.StringSliceVar(&d.Core, "core", nil, "`methods` of --new's object that are trusted to be atomic, so that blame is clear")
	flags.StringSliceVar(&d.ReadOnly, "read-only", nil, "its `methods` that change nothing (default: found out)")
	flags.StringSliceVar(&d.Weak, "weak", nil, "its `methods` that are documented not to be atomic; those with a level, as in Len=monotonic, are tested (see help weaker)")
	excludeFlag(flags, d)
}

func excludeFlag(flags *pflag.FlagSet, d *stress.ReflectOptions) {
	flags.StringSliceVar(&d.Exclude, "exclude", nil, "its `methods` not to call")
}

func valuesFlag(flags *pflag.FlagSet, values *int) {
	flags.IntVar(values, "values", 0, "how many values arguments are drawn from (default 2, and a share with 3 and 4)")
}

// stressStatus is the exit status if violations are found.
const stressStatus = statusNot

func (f *stressFlags) run(s streams, args []string) int {
	switch {
	case len(args) > 0:
		return fail(s, "stress", errors.New("takes no arguments"))
	case f.mismatch() != nil:
		return fail(s, "stress", f.mismatch())
	case len(f.subjects)+len(f.construct) == 0 && f.from == "":
		return fail(s, "stress", errors.New("no --subject, no --new and no --from given"))
	case f.output.Value == "html" && (!f.Outcomes || len(f.subjects) > 1):
		return fail(s, "stress", errors.New("--output html is for --outcomes, of one object"))
	case slices.Contains(f.Programs, ""):
		return fail(s, "stress", errors.New("an empty --program"))
	case len(f.Programs) > 0 && (len(f.subjects)+len(f.construct) > 1 || f.from != ""):
		return fail(s, "stress", errors.New("--program is for one object"))
	case f.effort.Time < 0 || f.effort.Program < 0 || f.effort.Executions < 0:
		return fail(s, "stress", errors.New("times and executions must not be negative"))
	}
	if f.Preemptions < -1 {
		return fail(s, "stress", errors.New("--preemptions must be -1 or more"))
	}
	if err := f.Bounds.Validate(); err != nil {
		return fail(s, "stress", err)
	}
	return f.withObjects(s, f.test)
}

// withObjects builds the objects and calls do with them, until an interrupt.
func (f *stressFlags) withObjects(s streams, do func(context.Context, streams, []object) int) int {
	ctx, restore := s.untilClosed()
	defer restore()
	objects, err := f.objects(ctx)
	if err != nil && ctx.Err() == nil {
		return fail(s, f.command, err)
	}
	defer func() {
		for _, o := range objects {
			o.cleanup()
		}
	}()
	return do(ctx, s, objects)
}

// mismatch reports a flag without effect, or one that is 0 and must not be.
func (f *stressFlags) mismatch() error {
	var err error
	if !f.all.Changed("new") {
		err = noEffect(f.all, "without --new", "core", "read-only", "weak", "exclude")
	}
	if err == nil && f.Threads {
		err = noEffect(f.all, "with --threads", "preemptions", "plain", "instrument")
	}
	if err == nil && !f.all.Changed("program") {
		err = noEffect(f.all, "without --program", "outcomes")
	}
	if err == nil && f.Outcomes {
		err = noEffect(f.all, "with --outcomes", "save")
	}
	if err == nil && f.all.Changed("program") {
		err = noEffect(f.all, "with --program", "max-invocations", "sequences", "values", "exhaustive")
	}
	if err == nil {
		err = notZero(f.all, "executions", "time", "run", "max-invocations", "sequences", "values", "preemptions")
	}
	return err
}

// serveSubject tests a bundled object if the process is a worker, and returns its exit
// status.
func serveSubject() (status int, isWorker bool) {
	if worker.Name() == "" {
		return 0, false
	}
	return stress.Serve(subject.Lookup(worker.Name()).Class, stresstest.Checker(nil), explore.New), true
}

// An object to test, with the programs that test it.
type object struct {
	name    string
	how     string // the flags that name it
	reflect stress.ReflectOptions
	values  int            // 0: as for all
	program worker.Program // without instrumentation
	cleanup func()
	// build builds the program that explores schedules; nil if that is not asked for.
	build func(ctx context.Context, plain bool) (worker.Program, *instrument.Copies, error)

	instrumented *instrument.Copies // of the last such program, or nil
	plain        bool               // it has plain loads and stores as steps

	// path and expression are the import path and the expression of --new; must: it returns an
	// error, too.
	path, expression string
	makers           []string // of the package
	must             bool
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
			return list, fmt.Errorf("no subject %s; leadline models lists them", name)
		}
		list = append(list, object{name: name, how: "--subject " + name, cleanup: func() {}, program: worker.Program{Path: self, Name: name}})
	}
	if !f.Threads && len(list) > 0 {
		if err := f.buildsOfSubjects(list); err != nil {
			return list, err
		}
	}
	for _, constructor := range f.construct {
		o, err := f.object(ctx, constructor, f.ReflectOptions)
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

// schedules returns how to build the object for each pass over its schedules.
func (o *object) schedules(ctx context.Context, plain bool) (*worker.Program, error) {
	if o.build == nil {
		return nil, errors.New("--threads is given")
	}
	program, copies, err := o.build(ctx, plain)
	if err != nil || plain && !copies.HasPlain() {
		return nil, err
	}
	if o.instrumented = copies; plain {
		o.plain = true
	}
	return &program, nil
}

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
		flags.StringVar(&d.Name, "name", "", "")
		methodFlags(flags, &d)
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
		o, err := f.object(ctx, constructor, d)
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
	options.ReflectOptions = o.reflect
	if o.values > 0 {
		options.Bounds.Values = o.values
	}
	f.effort.Schedules = f.effort.Executions
	options.Effort = f.effort.Or(stress.DefaultEffort)
	return options
}

// test tests one object after the other and reports.
func (f *stressFlags) test(ctx context.Context, s streams, objects []object) int {
	report := newStressReport(s, f)
	progress := newProgress(s.err)
	progress.what = "programs"
	status := statusOK
	for _, o := range objects {
		if ctx.Err() != nil {
			break
		}
		options := f.optionsFor(&o)
		stop := progress.move()
		options.Starting = func(string, string) { progress.step() }
		options.Found = func(found *stress.Finding) { progress.hide(func() { report.found(&o, found) }) }
		options.Crashed = func(c *stress.Crash) { progress.hide(func() { report.crashed(&o, options.Effort.Program, c) }) }
		options.OnThreads = func() *worker.Program { return &o.program }
		threads := func(ctx context.Context, options stress.Options) (*stress.Report, error) {
			return stress.Supervise(ctx, o.program, options)
		}
		var result *stress.Report
		reports, err := stress.Both(ctx, threads, o.schedules, options)
		if len(reports) > 0 {
			result = reports[len(reports)-1]
			report.before[result] = reports[:len(reports)-1]
		}
		left := cmp.Or(options.Effort.Time, time.Hour)
		for _, r := range reports {
			if r.Explored != nil || len(reports) == 1 { // threads run beside the build
				left -= r.Elapsed
			}
		}
		report.goTests(ctx, &o, left, stop)
		if err != nil {
			s.failed("stress", fmt.Errorf("%s: %w", o.name, err))
			status = statusBad
		}
		if result == nil {
			continue
		}
		result.Subject = o.name
		if o.instrumented != nil {
			for _, line := range o.instrumented.Remarks() {
				result.Account.Omit(stress.Omission{What: line})
			}
		}
		report.objects[result] = o
		report.results = append(report.results, result)
		if len(result.Findings)+len(result.Crashes) > 0 || slices.ContainsFunc(reports, hasViolations) {
			status = worse(status, stressStatus)
		} else if line, _ := stress.NotExercised(reports); line != "" {
			status = worse(status, statusUnknown)
		}
	}
	if err := report.finish(); err != nil {
		return worse(status, s.failed("stress", err))
	}
	if ctx.Err() != nil {
		s.interrupted("stress")
		status = worse(status, statusUnknown)
	}
	return status
}

// hasViolations reports whether a report has an outcome that no order explains.
func hasViolations(r *stress.Report) bool {
	return slices.ContainsFunc(r.Outcomes, func(p stress.ProgramOutcomes) bool {
		return slices.ContainsFunc(p.Outcomes, func(o stress.SeenOutcome) bool { return o.Violations > 0 })
	})
}
