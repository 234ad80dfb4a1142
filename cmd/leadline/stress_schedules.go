package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/pflag"

	"github.com/leadline/leadline/cmd/internal/output"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/history/explore"
	"github.com/leadline/leadline/history/explore/instrument"
	"github.com/leadline/leadline/history/explore/schedule"
	"github.com/leadline/leadline/history/explore/tests"
	"github.com/leadline/leadline/history/explore/worker"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/replay/report"
)

// scheduleFlags are the flags of leadline stress and leadline replay about schedules.
type scheduleFlags struct {
	plain      bool
	instrument []string
	replay     string // the argument of leadline replay
}

// buildFlags declares how objects are built for the scheduler.
func (f *stressFlags) buildFlags() {
	f.all.BoolVar(&f.schedules.plain, "plain", false, "plain loads and stores are steps at once, instead of in a second pass if the first one finds nothing")
	f.all.StringSliceVar(&f.schedules.instrument, "instrument", nil, "more `packages` to instrument than that of --new, what it imports of its module, and what these refer to")
}

func setupReplay(flags *pflag.FlagSet) func(streams, []string) int {
	f := &stressFlags{command: "replay", all: flags}
	f.objectFlags()
	flags.StringArrayVar(&f.Programs, "program", nil, "the `program` whose schedule this is (default: that of the file)")
	f.buildFlags()
	f.output = outputFlag(flags, "text", "json")
	return f.replay
}

// replay replays a schedule, which it is given or reads from a file.
func (f *stressFlags) replay(s streams, args []string) int {
	if len(args) != 1 || args[0] == "" {
		return fail(s, "replay", errors.New("takes one saved file, or one schedule"))
	}
	if tests.IsSaved(args[0]) {
		ctx, restore := output.Interruptible()
		defer restore()
		return replayTest(ctx, s, args[0], f.output.Value == "json")
	}
	f.schedules.replay = args[0]
	err := f.prepareReplay()
	if err == nil && !f.all.Changed("new") {
		err = noEffect(f.all, "without --new", "core", "read-only", "weak", "exclude")
	}
	if err != nil {
		return fail(s, "replay", err)
	}
	return f.withObjects(s, func(ctx context.Context, s streams, objects []object) int {
		if ctx.Err() != nil {
			s.interrupted("replay")
			return statusUnknown
		}
		return f.showReplay(ctx, s, &objects[0])
	})
}

// prepareReplay reads what the argument names.
func (f *stressFlags) prepareReplay() error {
	text := f.schedules.replay
	if _, err := os.Stat(text); err == nil {
		return f.readSchedule(text)
	}
	if _, err := schedule.ParseSchedule(text); err != nil {
		return fmt.Errorf("%s is neither a file nor a schedule: %w", text, err)
	}
	if len(f.Programs) != 1 || len(f.subjects)+len(f.construct) != 1 {
		return errors.New("a schedule needs one --program, and one --new or --subject")
	}
	return nil
}

// readSchedule takes the schedule from the file of a violation, and the program unless
// --program gives it. The object to build comes from the command line alone, as the file
// may be somebody else's. It must be the one that the file names.
func (f *stressFlags) readSchedule(name string) error {
	var saved stress.SavedSchedule
	for file, err := range codec.Files([]string{name}, codec.Options{}) { // one, unless it is a directory
		if err != nil {
			return err
		}
		saved = stress.ReadSchedule(file.Comments())
		for _, err := range file.Histories() {
			if saved.Schedule == "" && err != nil {
				return err
			}
			break
		}
		break
	}
	if saved.Schedule == "" || saved.Program == "" {
		return fmt.Errorf("%s:1: it has no program and schedule in comments, as leadline stress saves them", name)
	}
	f.schedules.replay = saved.Schedule
	if len(f.Programs) == 0 {
		f.Programs = []string{saved.Program}
	}
	theirs, err := shellFields(saved.Object)
	ours, err2 := shellFields(f.onCommandLine())
	switch {
	case err != nil || len(theirs) == 0:
		return fmt.Errorf("%s: it does not name the object of its schedule: %q", name, saved.Object)
	case theirs[0] != "--new" && theirs[0] != "--subject": // but a call in a Go test
		return fmt.Errorf("%s: its schedule is of %q, which is not an object of this command; a Go test replays its own schedules when it runs again", name, saved.Object)
	case len(f.subjects)+len(f.construct) != 1:
		return fmt.Errorf("%s: its schedule is of the object %q; name that object on the command line, too, if you trust its code", name, saved.Object)
	case err2 != nil || !slices.Equal(theirs, ours):
		return fmt.Errorf("%s: its schedule is of the object %q, and the command line names %q", name, saved.Object, f.onCommandLine())
	}
	return nil
}

// onCommandLine returns what the command line names, as named returns it.
func (f *stressFlags) onCommandLine() string {
	how := "--subject "
	if len(f.construct) > 0 {
		how = "--new "
	}
	return f.named(&object{how: how + report.ShellWord(strings.Join(slices.Concat(f.subjects, f.construct), ",")), reflect: f.ReflectOptions})
}

// shellFields splits a line into words as a shell does, with single quotes only, as
// report.ShellWord writes them.
func shellFields(line string) (fields []string, err error) {
	var word strings.Builder
	in, quoted := false, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case quoted && c == '\'':
			quoted = false
		case quoted:
			word.WriteByte(c)
		case c == '\'':
			in, quoted = true, true
		case c == '\\' && i+1 < len(line):
			i++
			word.WriteByte(line[i])
			in = true
		case c == ' ' || c == '\t':
			if in {
				fields = append(fields, word.String())
			}
			word.Reset()
			in = false
		default:
			word.WriteByte(c)
			in = true
		}
	}
	if quoted {
		return nil, errors.New("a quote does not end")
	}
	if in {
		fields = append(fields, word.String())
	}
	return fields, nil
}

// named returns the flags that name an object and describe it.
func (f *stressFlags) named(o *object) string {
	text := o.how + designations(&o.reflect)
	if f.schedules.plain || o.plain {
		text += " --plain"
	}
	if len(f.schedules.instrument) > 0 {
		text += " --instrument " + report.ShellWord(strings.Join(f.schedules.instrument, ","))
	}
	return text
}

// showReplay replays a schedule and prints its steps.
func (f *stressFlags) showReplay(ctx context.Context, s streams, o *object) int {
	program, err := o.schedules(ctx, f.schedules.plain)
	if err == nil && program == nil {
		program, err = o.schedules(ctx, false)
	}
	if err != nil {
		return fail(s, "replay", err)
	}
	options := f.optionsFor(o)
	options.Programs = nil
	r, err := stress.Replay(ctx, *program, options, f.Programs[0], f.schedules.replay)
	if err != nil {
		return fail(s, "replay", fmt.Errorf("%s: %w", o.name, err))
	}
	status := statusOK
	if r.Violates || r.Panic != "" {
		status = stressStatus
	}
	if f.output.Value == "json" {
		if err := writeJSON(s.out, r); err != nil {
			return s.failed("replay", err)
		}
		return status
	}
	out := bufio.NewWriter(s.out)
	fmt.Fprintf(out, "%s: %s\nschedule %s\n\n", o.name, r.Program, r.Schedule)
	if err := explore.WriteSteps(out, r.Steps); err != nil {
		return s.failed("replay", err)
	}
	fmt.Fprintln(out)
	for _, line := range r.Waiting {
		fmt.Fprintf(out, "%s\n", line)
	}
	switch {
	case r.Panic != "":
		fmt.Fprintf(out, "the process would end: %s\n", r.Panic)
	case r.Cut:
		fmt.Fprintln(out, "the execution has too many steps")
	case r.Fault != "":
		fmt.Fprintf(out, "answered %s: a call %s\n", r.Outcome, (&stress.Finding{Fault: r.Fault}).Says())
	case r.Violates:
		fmt.Fprintf(out, "answered %s, which no order of the invocations explains\n", r.Outcome)
	default:
		fmt.Fprintf(out, "answered %s\n", r.Outcome)
	}
	if r.Same < r.Times && r.Outcome != "" {
		fmt.Fprintf(out, "only %d of %d replays were the same: the object depends on more than the schedule\n", r.Same, r.Times)
		status = worse(status, statusUnknown)
	}
	if err := out.Flush(); err != nil {
		return s.failed("replay", err)
	}
	return status
}

// explored describes the schedule of a violation.
func explored(f *stress.Finding) []string {
	s := f.Scheduled
	cost := counted(s.Preemptions, "preemption", "preemptions")
	if s.Delays > s.Preemptions {
		cost = counted(s.Delays, "delay", "delays")
	}
	lines := []string{
		fmt.Sprintf("schedule %s: %s, %s; found by execution %d of the program", s.Schedule, cost, counted(s.Switches, "switch", "switches"), s.Execution),
		fmt.Sprintf("replayed %d times in the process and %d times in another, the same each time", s.Replayed, s.Elsewhere),
	}
	if line := s.RealThreads(); line != "" {
		lines = append(lines, line)
	}
	return lines
}

// object returns an object, and how to build it for schedules.
func (f *stressFlags) object(ctx context.Context, constructor string, d stress.ReflectOptions) (object, error) {
	if _, _, err := d.Levels(); err != nil {
		return object{}, fmt.Errorf("--weak: %w", err)
	}
	o, err := buildObject(ctx, constructor, d, nil)
	if err != nil || f.Threads {
		return o, err
	}
	var mu sync.Mutex // a build may be given up
	cleanups := []func(){o.cleanup}
	o.cleanup = func() {
		mu.Lock()
		defer mu.Unlock()
		for _, cleanup := range cleanups {
			cleanup()
		}
	}
	o.build = func(ctx context.Context, plain bool) (worker.Program, *instrument.Copies, error) {
		built, err := buildObject(ctx, constructor, d, &instrument.Target{Packages: f.schedules.instrument, Plain: plain || f.schedules.plain})
		if err != nil {
			return worker.Program{}, nil, err
		}
		mu.Lock()
		defer mu.Unlock()
		cleanups = append(cleanups, built.cleanup)
		return built.program, built.instrumented, nil
	}
	return o, nil
}

// subjectProgram is what tests bundled objects that are instrumented.
const subjectProgram = `package main

import (
	"os"

	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/history/stress/explore"
	"github.com/leadline/leadline/history/stress/subject"
	"github.com/leadline/leadline/history/explore/worker"
	"github.com/leadline/leadline/replay/stresstest"
)

func main() { os.Exit(stress.Serve(subject.Lookup(worker.Name()).Class, stresstest.Checker(nil), explore.New)) }
`

// buildsOfSubjects sets how bundled objects are built for schedules: one program has all of
// them. The module in the working directory has to be leadline, or require it.
func (f *stressFlags) buildsOfSubjects(list []object) error {
	dir, err := os.MkdirTemp("", "leadline-stress-")
	if err != nil {
		return err
	}
	list[0].cleanup = func() { os.RemoveAll(dir) }
	type built struct {
		program string
		copies  *instrument.Copies
	}
	known := map[bool]built{}
	for i := range list {
		name := list[i].name
		list[i].build = func(ctx context.Context, plain bool) (worker.Program, *instrument.Copies, error) {
			plain = plain || f.schedules.plain
			b, ok := known[plain]
			if !ok {
				var err error
				if b.program, b.copies, err = f.buildSubjectProgram(ctx, dir, plain); err != nil {
					return worker.Program{}, nil, err
				}
				known[plain] = b
			}
			return worker.Program{Path: b.program, Name: name, Schedules: true}, b.copies, nil
		}
	}
	return nil
}

// buildSubjectProgram builds the program of all bundled objects in a directory.
func (f *stressFlags) buildSubjectProgram(ctx context.Context, dir string, plain bool) (program string, copies *instrument.Copies, err error) {
	root, err := moduleRoot(ctx)
	if err != nil {
		return "", nil, fmt.Errorf("schedules of bundled objects need package history/stress/subject in the module of the working directory: %w", err)
	}
	copies, err = instrument.Build(ctx, instrument.Target{Dir: root, Plain: plain,
		Packages: append([]string{"github.com/leadline/leadline/history/stress/subject"}, f.schedules.instrument...)})
	if err != nil {
		return "", nil, errors.New(advise(ctx, []byte(err.Error())))
	}
	program = filepath.Join(dir, fmt.Sprint("stress-", plain))
	return program, copies, compile(ctx, filepath.Join(dir, "main.go"), subjectProgram, copies, "build", "-o", program)
}
