package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/leadline/leadline/cmd/internal/flagkind"
	"github.com/leadline/leadline/history/explore"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/replay/report"
	"github.com/olekukonko/tablewriter/tw"
	"github.com/spf13/pflag"
)

// safetyFlags are flags of leadline safety.
type safetyFlags struct {
	packages []string
	declared string
}

func setupSafety(flags *pflag.FlagSet) func(streams, []string) int {
	f := &stressFlags{command: "safety", all: flags}
	f.newFlag()
	flags.StringVar(&f.Name, "name", "", "what to call the object of --new (default: the constructor)")
	excludeFlag(flags, &f.ReflectOptions)
	flags.StringArrayVar(&f.safety.packages, "package", nil, "test every exported type of this `package`; may be repeated")
	flags.StringVar(&f.safety.declared, "declared", "", "`file` of which types are documented as safe, by their names in the results, as 'sync.Map yes' or 'list.List no' on each line")
	flags.StringArrayVar(&f.Programs, "program", nil, "`program` to run, as '[ PushFront(0) ] { Remove($1) } || { Front() }', instead of generated ones; may be repeated")
	flags.DurationVar(&f.effort.Time, "time", time.Minute, "how long a type is tested at most")
	flags.Uint64Var(&f.Seed, "seed", 1, "seed of the programs; it does not fix how the threads interleave")
	flags.StringVar(&f.save, "save", "leadline-violations", "`directory` for Go tests that fail; empty: none")
	f.buildFlags()
	f.output = outputFlag(flags, "text", "json")
	return f.testSafety
}

// declarations reads which types are documented as safe for concurrent use.
func (f *safetyFlags) declarations() (map[string]string, error) {
	if f.declared == "" {
		return nil, nil
	}
	text, err := flagkind.ReadFile(f.declared, mostLines)
	if err != nil {
		return nil, err
	}
	list := map[string]string{}
	for i, line := range strings.Split(text, "\n") {
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		if len(fields) != 2 || fields[1] != "yes" && fields[1] != "no" {
			return nil, fmt.Errorf("%s:%d: expected a type and yes or no", f.declared, i+1)
		}
		if _, ok := list[fields[0]]; ok {
			return nil, fmt.Errorf("%s:%d: %s is there already", f.declared, i+1, fields[0])
		}
		list[fields[0]] = fields[1]
	}
	return list, nil
}

// A safetyRow is the result for a type, in the table and in the output as JSON.
type safetyRow struct {
	safetyRecord
	status  int    // the exit status
	why     string // it was not tested
	source  string // of the Go test
	remark  string // why there is none
	finding *stress.Finding
	omitted []stress.Omission
}

// newSafetyRow returns the row of what several passes have found.
func newSafetyRow(target string, passes ...*stress.Report) *safetyRow {
	r := &safetyRow{safetyRecord: safetyRecord{Kind: "safety", Type: target, Unreproduced: []unreproduced{}}}
	elapsed := time.Duration(0)
	for _, p := range passes {
		r.Tests += p.Programs
		r.Executions += p.Executions
		r.omitted = p.Account.LeftOut // includes the earlier passes
		for _, f := range p.Unconfirmed {
			r.Unreproduced = append(r.Unreproduced, unreproduced{f.Failure.String(), f.Program})
		}
		if len(p.Findings) == 0 {
			elapsed += p.Elapsed
			continue
		}
		f := p.Findings[0]
		elapsed += f.Elapsed
		implicit := f.Failure.Implicit()
		r.finding, r.Unsafe, r.Reason, r.Calls, r.Implicit = f, true, present(f.Failure.String()), &f.Program, &implicit
		if f.Failure.Stack != "" {
			r.Stacks = strings.Split(f.Failure.Stack, "\n\n")
		}
		if f.Scheduled != nil {
			r.Schedule = &f.Scheduled.Schedule
		}
	}
	switch r.Elapsed = elapsed.Seconds(); {
	case r.Unsafe:
		r.Found, r.status = "yes", stressStatus
	case len(r.Unreproduced) > 0:
		r.Found, r.status = "seen", statusUnknown
	case r.Tests == 0:
		r.Found, r.status, r.why = "not tested", statusUnknown, "no program within the time"
	default:
		r.Found = "no"
	}
	return r
}

// A safetyRecord is a line of safety --output json. What is absent
// is null.
type safetyRecord struct {
	Kind         string         `json:"kind"` // "safety"
	Type         string         `json:"type"`
	Declared     string         `json:"declared"` // "yes", "no" or "unknown"
	Unsafe       bool           `json:"unsafe"`
	Found        string         `json:"found"` // "yes", "seen" (not confirmed), "no" or "not tested"
	Reason       *string        `json:"reason"`
	Calls        *string        `json:"calls"`    // the program
	Schedule     *string        `json:"schedule"` // that replays it
	Stacks       []string       `json:"stacks"`
	Implicit     *bool          `json:"implicit"`
	Tests        int            `json:"tests"`
	Executions   int64          `json:"executions"`
	Elapsed      float64        `json:"elapsed"`      // in seconds
	File         *string        `json:"file"`         // the Go test
	Runs         *int           `json:"runs"`         // of the Go test
	Failing      *int           `json:"failing"`      // those that failed for the reason
	Unreproduced []unreproduced `json:"unreproduced"` // not findings
}

// An unreproduced failure was seen, but another process has not confirmed it.
type unreproduced struct {
	Reason string `json:"reason"`
	Calls  string `json:"calls"`
}

// A safetyRun tests types for thread safety.
type safetyRun struct {
	streams
	out      *bufio.Writer
	flags    *stressFlags
	declared map[string]string
	rows     []*safetyRow
	err      error
}

// testSafety tests the objects of --new and the types of --package.
func (f *stressFlags) testSafety(s streams, args []string) int {
	err := notZero(f.all, "time")
	if err == nil && len(f.construct) == 0 {
		err = noEffect(f.all, "without --new", "name", "program")
	}
	switch {
	case len(args) > 0:
		err = errors.New("takes no arguments")
	case len(f.construct)+len(f.safety.packages) == 0:
		err = errors.New("no --new and no --package given")
	case len(f.Programs) > 0 && len(f.construct)+len(f.safety.packages) > 1:
		err = errors.New("--program is for one object")
	case f.effort.Time < 0:
		err = errors.New("times must not be negative")
	}
	if err != nil {
		return fail(s, "safety", err)
	}
	declared, err := f.safety.declarations()
	if err != nil {
		return fail(s, "safety", err)
	}
	ctx, restore := s.untilClosed()
	defer restore()
	run := &safetyRun{streams: s, out: bufio.NewWriter(s.out), flags: f, declared: declared}
	status := run.all(ctx)
	if err := run.finish(); err != nil {
		status = worse(status, s.failed("safety", err))
	}
	for _, row := range run.rows {
		status = worse(status, row.status)
		delete(declared, row.Type)
	}
	if names := slices.Sorted(maps.Keys(declared)); len(names) > 0 && ctx.Err() == nil {
		fmt.Fprintf(s.err, "leadline safety: of %s, %s not tested, such as %s\n", f.safety.declared, counted(len(names), "type was", "types were"), names[0])
	}
	if ctx.Err() != nil {
		s.interrupted("safety")
		status = worse(status, statusUnknown)
	}
	return status
}

// all tests everything, and returns a status if something could not be built.
func (r *safetyRun) all(ctx context.Context) int {
	status := statusOK
	note := func(what string, err error) {
		if err != nil && ctx.Err() == nil {
			r.failed("safety", fmt.Errorf("%s: %w", what, err))
			status = statusBad
		}
	}
	for _, name := range r.flags.construct {
		if ctx.Err() == nil {
			target := safetyTarget{name: name, constructors: []string{name}}
			if r.flags.Name != "" {
				target.name = r.flags.Name
			}
			note(name, r.test(ctx, target))
		}
	}
	for _, path := range r.flags.safety.packages {
		if ctx.Err() != nil {
			break
		}
		targets, err := safetyTargets(ctx, path)
		note(path, err)
		for _, t := range targets {
			if ctx.Err() != nil {
				break
			}
			if err := r.test(ctx, t); err != nil && ctx.Err() == nil {
				row := newSafetyRow(t.name)
				row.status, row.why = statusBad, firstLine(err.Error())
				r.add(ctx, row, nil)
			}
		}
	}
	return status
}

// failingRun is how long a program runs on threads: a failure that is rare in one is frequent in another.
const failingRun = 5 * time.Millisecond / 2

// test tests a type, on objects of the first of its constructors that makes some.
func (r *safetyRun) test(ctx context.Context, t safetyTarget) (err error) {
	err = errors.New("no constructor has arguments that can be written")
	for _, constructor := range t.constructors {
		if err = r.testObject(ctx, t.name, constructor); err == nil || ctx.Err() != nil {
			break
		}
	}
	return err
}

func (r *safetyRun) testObject(ctx context.Context, name, constructor string) error {
	d := r.flags.ReflectOptions
	d.Name = name
	o, err := r.flags.object(ctx, constructor, d)
	if err != nil {
		return err
	}
	defer o.cleanup()
	options := r.flags.Options
	options.Failures, options.ReflectOptions = true, o.reflect
	options.Effort = stress.Effort{Time: r.flags.effort.Time, Program: failingRun}
	progress := newProgress(r.streams.err)
	progress.what = "programs"
	stop := progress.move()
	options.Starting = func(string, string) { progress.step() }
	reports, err := stress.Both(ctx, func(ctx context.Context, options stress.Options) (*stress.Report, error) {
		return stress.Supervise(ctx, o.program, options)
	}, o.schedules, options)
	stop()
	if len(reports) == 0 && err != nil {
		return err
	}
	r.note(err)
	r.add(ctx, newSafetyRow(name, reports...), &o)
	return nil
}

// add reports what was found of a type.
func (r *safetyRun) add(ctx context.Context, row *safetyRow, o *object) {
	row.Declared = cmp.Or(r.declared[row.Type], "unknown")
	r.rows = append(r.rows, row)
	if row.Unsafe {
		r.goTest(ctx, row, o)
	}
	if r.flags.output.Value == "json" {
		r.note(writeJSON(r.out, &row.safetyRecord))
	} else if row.Unsafe {
		r.describe(ctx, row, o)
	}
	r.note(r.out.Flush())
}

// describe writes a finding.
func (r *safetyRun) describe(ctx context.Context, row *safetyRow, o *object) {
	f := row.finding
	fmt.Fprintf(r.out, "%s is not safe for concurrent use: %s\n  %s\n", row.Type, firstLine(f.Failure.String()), f.Program)
	switch {
	case f.Scheduled != nil:
		fmt.Fprintf(r.out, "  in each of %d replays of schedule %s in another process; no sequential run fails like that\n", f.Scheduled.Elsewhere, f.Scheduled.Schedule)
		_ = explore.WriteSteps(r.out, f.Scheduled.Steps) // the writer keeps its error
		for _, line := range f.Waiting {
			fmt.Fprintf(r.out, "  %s\n", line)
		}
	case f.Executions > 0:
		fmt.Fprintf(r.out, "  in %s of another process; no sequential run fails like that\n", share(f.Times, f.Executions))
	default:
		fmt.Fprintf(r.out, "  which ended another process, too; no sequential run fails like that\n")
	}
	if f.Failure.Stack != "" {
		fmt.Fprintf(r.out, "\n  %s\n", strings.ReplaceAll(f.Failure.Stack, "\n", "\n  "))
	}
	fmt.Fprintf(r.out, "\n  To reproduce: leadline safety %s --program %s\n", o.how, report.ShellWord(f.Program))
	switch {
	case row.remark != "":
		fmt.Fprintf(r.out, "  %s\n", row.remark)
	case row.File != nil:
		fmt.Fprintf(r.out, "  To reproduce: go test %s (fails in %d of %s)\n", report.ShellWord(testArgument(ctx, *row.File)), *row.Failing, counted(*row.Runs, "run", "runs"))
	default:
		fmt.Fprintf(r.out, "  the Go test fails in %d of %s\n\n%s", *row.Failing, counted(*row.Runs, "run", "runs"), row.source)
	}
	fmt.Fprintln(r.out)
}

// share writes how many of some executions fail.
func share(times, of int64) string {
	return fmt.Sprintf("%d of %s", times, counted(int(of), "execution", "executions"))
}

// testArgument returns what names the test in a file to the Go tool: its directory, or the
// file itself outside of the module.
func testArgument(ctx context.Context, file string) string {
	root, err := moduleRoot(ctx)
	dir, err2 := filepath.Abs(filepath.Dir(file))
	if err == nil && err2 == nil {
		if inside, err := filepath.Rel(root, dir); err != nil || inside == ".." || strings.HasPrefix(inside, ".."+string(filepath.Separator)) {
			return filepath.ToSlash(file)
		}
	}
	name := filepath.ToSlash(filepath.Dir(file))
	if !filepath.IsAbs(file) {
		name = "./" + name
	}
	return name
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

func (r *safetyRun) note(err error) {
	if r.err == nil {
		r.err = err
	}
}

// finish writes a table like Table 1 and Figure 6 of the paper.
func (r *safetyRun) finish() error {
	if r.flags.output.Value != "json" && len(r.rows) > 0 {
		rows := [][]string{{"type", "declared safe", "found unsafe", "reason", "implicit", "tests", "executions", "time"}}
		for _, row := range r.rows {
			reason, implicit := cmp.Or(row.why, "-"), "-"
			if f := row.finding; f != nil {
				reason, implicit = firstLine(f.Failure.String()), map[bool]string{false: "no", true: "yes"}[f.Failure.Implicit()]
				if f.Failure.Kind == stress.WaitingFailure {
					reason = f.Failure.Kind
				}
			}
			rows = append(rows, []string{row.Type, row.Declared, row.Found, reason, implicit, strconv.Itoa(row.Tests), strconv.FormatInt(row.Executions, 10),
				fmt.Sprintf("%.1fs", row.Elapsed)})
		}
		r.note(writeTable(r.out, rows, false, terminalWidth(r.streams.out), tw.AlignLeft))
		for _, row := range r.rows {
			r.remarks(row)
		}
	}
	r.note(r.out.Flush())
	return r.err
}

// remarks writes what the table has no column for.
func (r *safetyRun) remarks(row *safetyRow) {
	for _, f := range row.Unreproduced {
		fmt.Fprintf(r.out, "%s: seen, not confirmed in another process: %s\n  %s\n", row.Type, firstLine(f.Reason), f.Calls)
	}
	for _, o := range row.omitted {
		fmt.Fprintf(r.out, "%s: not tried: %v\n", row.Type, o)
	}
}
