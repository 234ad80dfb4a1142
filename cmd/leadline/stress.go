package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"time"

	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/history/stress/subject"
	"github.com/spf13/pflag"
)

// stressFlags are the flags of leadline stress.
type stressFlags struct {
	subjects  []string
	construct []string
	from      string
	reflect   stress.Designations
	methods   []string
	programs  []string
	effort    *choice
	time      time.Duration
	perRun    time.Duration
	seed      uint64
	bounds    stress.Bounds
	exhaust   bool
	reduce    bool
	save      string
	histories string
	keep      int
	expect    *choice
	output    *choice
	list      bool
	child     string
}

func setupStress(flags *pflag.FlagSet) func(streams, []string) int {
	f := &stressFlags{}
	flags.StringSliceVar(&f.subjects, "subject", nil, "bundled `object` to test (see --list), or several, or all")
	flags.StringArrayVar(&f.construct, "new", nil, "`constructor` of the object to test, as example.com/queue.New or 'example.com/lru.New[int,int](8)', of a package "+
		"that the module in the working directory requires; may be repeated")
	designationFlags(flags, &f.reflect)
	flags.StringVar(&f.from, "from", "", "`file` with an object a line, by the flags --new, --name, --core, --read-only, --weak, --exclude and --values")
	flags.StringSliceVar(&f.methods, "method", nil, "`methods` to blame (default: each that is neither core nor weak)")
	flags.StringArrayVar(&f.programs, "program", nil, "run this program, as `'{ put(0,0) } || { clear() } [ size() ]'`, instead of generated ones; may be repeated")
	f.effort = choiceFlag(flags, "effort", "how long: 10 s, 2 min or 20 min an object", "default", "quick", "tough")
	flags.DurationVar(&f.time, "time", 0, "how long an object is tested at most, instead of --effort's time")
	flags.DurationVar(&f.perRun, "run", 0, "how long a program is run, instead of --effort's time")
	flags.Uint64Var(&f.seed, "seed", 1, "seed of the programs; it does not fix what the threads make of them")
	flags.IntVar(&f.bounds.MinInvocations, "min-invocations", 0, "fewest invocations of a program (default 3)")
	flags.IntVar(&f.bounds.MaxInvocations, "max-invocations", 0, "most invocations of a program (default 6)")
	flags.IntVar(&f.bounds.Initial, "initial", 2, "most invocations that precede the sequences of a generated program")
	flags.IntVar(&f.bounds.Final, "final", 2, "most invocations that follow them, once all have ended")
	flags.IntVar(&f.bounds.Sequences, "sequences", 0, "sequences of invocations that run in parallel (default 2)")
	valuesFlag(flags, &f.bounds.Values)
	flags.BoolVar(&f.bounds.Weak, "call-weak", false, "programs call weak methods, too: what these answer is not held against the object, but what they do is")
	f.expect = choiceFlag(flags, "expect", "where the outcomes to expect come from: the object, run sequentially, or its model", "object", "model")
	flags.BoolVar(&f.exhaust, "exhaustive", false, "run every program within the bounds, by rising numbers of invocations, sequences and values, instead of drawing them")
	flags.BoolVar(&f.reduce, "reduce", false, "make programs with violations smaller")
	flags.StringVar(&f.save, "save", "leadline-violations", "`directory` for programs and histories of violations; empty: none")
	flags.StringVar(&f.histories, "histories", "", "`file` for executions that were recorded, compressed if it ends in .gz or .zst")
	flags.IntVar(&f.keep, "keep", 3, "how many of each program go there")
	f.output = outputFlag(flags)
	flags.BoolVar(&f.list, "list", false, "list the bundled objects")
	flags.StringVar(&f.child, "child", "", "")
	_ = flags.MarkHidden("child")
	return f.run
}

// designationFlags declares the flags that say what --new's object is.
func designationFlags(flags *pflag.FlagSet, d *stress.Designations) {
	flags.StringVar(&d.Name, "name", "", "what to call the object of --new (default: its type)")
	flags.StringSliceVar(&d.Core, "core", nil, "`methods` of --new's object that are trusted to be atomic, so that blame is clear")
	flags.StringSliceVar(&d.ReadOnly, "read-only", nil, "its `methods` that change nothing (default: found out)")
	flags.StringSliceVar(&d.Weak, "weak", nil, "its `methods` that are documented not to be atomic")
	flags.StringSliceVar(&d.Exclude, "exclude", nil, "its `methods` not to call")
}

func valuesFlag(flags *pflag.FlagSet, values *int) {
	flags.IntVar(values, "values", 0, "how many values arguments are drawn from (default 2)")
}

// stressStatus is that of violations found.
const stressStatus = statusNot

func (f *stressFlags) run(s streams, args []string) int {
	switch {
	case f.child != "":
		return f.serve(s)
	case f.list:
		return listSubjects(s.out)
	case len(args) > 0:
		return fail(s, "stress", errors.New("takes no arguments"))
	case len(f.subjects)+len(f.construct) == 0 && f.from == "":
		return fail(s, "stress", errors.New("no --subject, no --new and no --from given"))
	case slices.Contains(f.programs, ""):
		return fail(s, "stress", errors.New("an empty --program"))
	case len(f.programs) > 0 && (len(f.subjects)+len(f.construct) > 1 || f.from != ""):
		return fail(s, "stress", errors.New("--program is for one object"))
	case f.keep < 0:
		return fail(s, "stress", errors.New("--keep must not be negative"))
	case f.time < 0 || f.perRun < 0:
		return fail(s, "stress", errors.New("times must not be negative"))
	}
	if err := f.bounds.Validate(); err != nil {
		return fail(s, "stress", err)
	}
	targets, err := f.targets()
	if err != nil {
		return fail(s, "stress", err)
	}
	defer func() {
		for _, t := range targets {
			t.cleanup()
		}
	}()
	ctx, restore := signal.NotifyContext(context.Background(), os.Interrupt)
	defer restore()
	return f.hunt(ctx, s, targets)
}

// serve is what a child process does.
func (f *stressFlags) serve(s streams) int {
	o := subject.Lookup(f.child)
	if o == nil {
		return fail(s, "stress", fmt.Errorf("no subject %s", f.child))
	}
	return stress.Serve(o.Class, s.in, s.out)
}

// A target is an object to test, and the program of the process that does.
type target struct {
	name    string
	how     string // the flags that name it
	reflect stress.Designations
	values  int // 0: as for all
	start   func(context.Context) *exec.Cmd
	cleanup func()
}

func (f *stressFlags) targets() (list []target, err error) {
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
		list = append(list, target{name: name, how: "--subject " + name, cleanup: func() {}, start: func(ctx context.Context) *exec.Cmd {
			return exec.CommandContext(ctx, self, "stress", "--child", name)
		}})
	}
	for _, constructor := range f.construct {
		t, err := buildTarget(constructor, f.reflect)
		if err != nil {
			return list, err
		}
		list = append(list, t)
	}
	if f.from != "" {
		return f.readTargets(list)
	}
	return list, nil
}

// readTargets adds those of a file: on each line the flags of one.
func (f *stressFlags) readTargets(list []target) ([]target, error) {
	text, err := os.ReadFile(f.from)
	if err != nil {
		return list, err
	}
	for i, line := range strings.Split(string(text), "\n") {
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		var d stress.Designations
		var constructor string
		var values int
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		flags.Usage = func() {}
		flags.SetOutput(io.Discard)
		flags.StringVar(&constructor, "new", "", "")
		designationFlags(flags, &d)
		valuesFlag(flags, &values)
		err := flags.Parse(fields)
		if err == nil && (constructor == "" || flags.NArg() > 0) {
			err = errors.New("want --new and the like")
		}
		if err != nil {
			return list, fmt.Errorf("%s:%d: %w", f.from, i+1, err)
		}
		t, err := buildTarget(constructor, d)
		if err != nil {
			return list, fmt.Errorf("%s:%d: %w", f.from, i+1, err)
		}
		t.values = values
		list = append(list, t)
	}
	return list, nil
}

func (f *stressFlags) order(t *target) stress.Order {
	bounds := f.bounds
	bounds.Initial, bounds.Final = orNone(bounds.Initial), orNone(bounds.Final)
	if t.values > 0 {
		bounds.Values = t.values
	}
	effort, _ := stress.EffortCalled(f.effort.value)
	if f.time > 0 {
		effort.Time = f.time
	}
	if f.perRun > 0 {
		effort.Program = f.perRun
	}
	keep := f.keep
	if f.histories == "" {
		keep = 0
	}
	return stress.Order{Keep: keep, Effort: effort, Bounds: bounds, Seed: f.seed, Methods: f.methods, Programs: f.programs, Reduce: f.reduce, Exhaustive: f.exhaust, BySpec: f.expect.value == "model", Reflect: t.reflect}
}

// orNone says 0 as stress.Bounds does, of which the zero value is the default.
func orNone(n int) int {
	if n == 0 {
		return -1
	}
	return n
}

// hunt tests one object after the other and reports.
func (f *stressFlags) hunt(ctx context.Context, s streams, targets []target) int {
	report := newStressReport(s, f)
	histories, err := newHistoriesFile(f.histories)
	if err != nil {
		return fail(s, "stress", err)
	}
	progress := newProgress(s.err)
	progress.what = "programs"
	status := statusOK
	for _, t := range targets {
		if ctx.Err() != nil {
			break
		}
		result, err := stress.Supervise(ctx, t.start, f.order(&t), stress.Watch{
			Starting: func(string, string) { progress.step() },
			Found:    func(found stress.Found) { progress.clear(); report.found(&t, found) },
			History:  histories.add,
		})
		progress.clear()
		if err != nil {
			fmt.Fprintf(s.err, "leadline stress: %s: %v\n", t.name, err)
			status = statusBad
			continue
		}
		report.add(&t, result)
		if len(result.Found)+len(result.Crashes) > 0 {
			status = worse(status, stressStatus)
		}
	}
	if err := errors.Join(report.finish(), histories.close()); err != nil {
		fmt.Fprintf(s.err, "leadline stress: writing the results: %v\n", err)
		return worse(status, statusBad)
	}
	if ctx.Err() != nil {
		fmt.Fprintln(s.err, "leadline stress: interrupted")
		status = worse(status, statusUnknown)
	}
	return status
}

func listSubjects(out io.Writer) int {
	for _, o := range subject.All() {
		kind := ""
		if o.Broken {
			kind = "broken: "
		}
		if _, err := fmt.Fprintf(out, "%-24s %s%s\n", o.Class.Name, kind, o.Doc); err != nil {
			return statusBad
		}
	}
	_, err := fmt.Fprint(out, "\nObjects of other libraries are in benchdata/subjects, a module of its own; see its README.md.\n")
	if err != nil {
		return statusBad
	}
	return statusOK
}

// shellQuote quotes text for a shell where it has to be.
func shellQuote(text string) string {
	if text != "" && !strings.ContainsAny(text, " \t\n'\"\\|&;<>()[]{}$`*?!#~") {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
