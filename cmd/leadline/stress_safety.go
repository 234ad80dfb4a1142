package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/leadline/leadline/cmd/internal/flagkind"
	"github.com/leadline/leadline/history/explore/worker"
	"github.com/leadline/leadline/history/stress/safety"
	"github.com/leadline/leadline/replay/batch"
	"github.com/leadline/leadline/replay/report"
	"github.com/olekukonko/tablewriter/tw"
	"github.com/spf13/pflag"
)

// safetyFlags are flags of leadline safety.
type safetyFlags struct {
	safety.Parameters
	packages []string
	declared string
	race     bool
}

func setupSafety(flags *pflag.FlagSet) func(streams, []string) int {
	f := &stressFlags{command: "safety", all: flags}
	f.newFlag()
	flags.StringVar(&f.Name, "name", "", "what to call the object of --new (default: the constructor)")
	excludeFlag(flags, &f.ReflectOptions)
	o := &f.safety
	flags.StringArrayVar(&o.packages, "package", nil, "test every exported type of this `package`; may be repeated")
	flags.StringVar(&o.declared, "declared", "", "`file` of which types are documented as safe, by their names in the results, as 'sync.Map yes' or 'list.List no' on each line")
	flags.BoolVar(&o.race, "race", false, "count tests with data races, too")
	flags.IntVar(&o.Calls, "calls", 2, "most calls of the object in a sequence that runs in parallel")
	flags.IntVar(&o.Executions, "executions", 100, "executions of a test")
	flags.IntVar(&f.Bounds.Sequences, "sequences", 0, "most sequences of calls that run in parallel: 2 to 4 (default 4)")
	flags.DurationVar(&f.time, "time", 0, "how long a type is tested at most (default 1m)")
	flags.Uint64Var(&f.Seed, "seed", 1, "seed of the tests; it does not fix how the threads interleave")
	flags.StringVar(&f.save, "save", "leadline-violations", "`directory` for Go tests that fail; empty: none")
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
	safety.Tested
	Declared string // yes, no or unknown
	reproduction
	File *string // the Go test
}

// A reproduction is how the Go test of a finding ran.
type reproduction struct {
	Source  string
	Runs    int
	Failing int    // those that failed for the reason of the finding
	Remark  string // why it could not run
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
	Calls        *string        `json:"calls"`
	Stacks       []string       `json:"stacks"`
	Implicit     *bool          `json:"implicit"`
	Tests        int            `json:"tests"`
	Executions   int            `json:"executions"`
	Elapsed      float64        `json:"elapsed"`      // in seconds
	File         *string        `json:"file"`         // the Go test
	Runs         *int           `json:"runs"`         // of the Go test
	Failing      *int           `json:"failing"`      // those that failed for the reason
	Unreproduced []unreproduced `json:"unreproduced"` // not findings
	Races        int            `json:"races"`        // tests with data races
	Race         *string        `json:"race"`         // one of them
}

func (r *safetyRow) record() *safetyRecord {
	found, _ := r.found()
	rec := &safetyRecord{Kind: "safety", Type: r.Target, Declared: r.Declared, Found: found, Tests: r.Tests, Executions: r.Executions,
		Elapsed: r.Elapsed.Seconds(), File: r.File, Unreproduced: []unreproduced{}, Races: r.Races, Race: present(r.Race)}
	if f := r.Finding; f != nil {
		rec.Unsafe, rec.Calls, rec.Stacks, rec.Implicit = true, &f.Calls, f.Stacks, &f.Implicit
		rec.Reason = present(f.Kind + ": " + f.Text)
		rec.Runs, rec.Failing = &r.Runs, &r.Failing
	}
	for _, f := range r.Unreproduced {
		rec.Unreproduced = append(rec.Unreproduced, unreproduced{f.Kind + ": " + f.Text, f.Calls, present(r.Remark)})
	}
	return rec
}

// An unreproduced failure was seen, but its Go test never failed.
type unreproduced struct {
	Reason string  `json:"reason"`
	Calls  string  `json:"calls"`
	Remark *string `json:"remark"` // why the Go test could not run
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

// testSafety tests the objects of --new and the packages of --package.
func (f *stressFlags) testSafety(s streams, args []string) int {
	err := notZero(f.all, "time", "sequences")
	if err == nil && len(f.construct) == 0 {
		err = noEffect(f.all, "without --new", "name")
	}
	switch {
	case len(args) > 0:
		err = errors.New("takes no arguments")
	case len(f.construct)+len(f.safety.packages) == 0:
		err = errors.New("no --new and no --package given")
	case f.time < 0:
		err = errors.New("times must not be negative")
	case f.safety.Calls < 1 || f.safety.Executions < 1:
		err = errors.New("--calls and --executions must be positive")
	}
	if err != nil {
		return fail(s, "safety", err)
	}
	if n := f.Bounds.Sequences; n != 0 && (n < 2 || n > 4) {
		return fail(s, "safety", errors.New("--sequences must be 2 to 4"))
	}
	declared, err := f.safety.declarations()
	if err != nil {
		return fail(s, "safety", err)
	}
	ctx, restore := s.untilClosed()
	defer restore()
	run := &safetyRun{streams: s, out: bufio.NewWriter(s.out), flags: f, declared: declared}
	status := statusOK
	for i, name := range append(append([]string{}, f.construct...), f.safety.packages...) {
		if ctx.Err() != nil {
			break
		}
		if err := run.test(ctx, name, i < len(f.construct)); err != nil && ctx.Err() == nil {
			s.failed("safety", fmt.Errorf("%s: %w", name, err))
			status = statusBad
		}
	}
	if err := run.finish(); err != nil {
		status = worse(status, s.failed("safety", err))
	}
	for _, row := range run.rows {
		_, own := row.found()
		status = worse(status, own)
		delete(declared, row.Target)
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

// test builds the program for a constructor, or a package, and runs it.
func (r *safetyRun) test(ctx context.Context, name string, isConstructor bool) error {
	dir, err := os.MkdirTemp("", "leadline-safety-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "safety")
	if isConstructor {
		err = r.buildConstructor(ctx, dir, program, name)
	} else {
		err = r.buildPackage(ctx, dir, program, name)
	}
	if err != nil {
		return err
	}
	o := r.flags.safety.Parameters
	o.Seed, o.Time, o.Sequences, o.Exclude = r.flags.Seed, r.flags.time, r.flags.Bounds.Sequences, r.flags.Exclude
	p, err := worker.Start(ctx, worker.Program{Path: program, Name: safety.MainName}, worker.Guard{})
	if err != nil {
		return err
	}
	defer p.Close()
	_ = p.Send(o) // if it is dead, Receive says why
	for last := (reproduction{}); ; {
		var result safety.Tested
		switch err := p.Receive(&result); {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case result.Candidate != nil:
			last = reproduce(ctx, dir, result.Candidate)
			_ = p.Send(last.Failing > 0)
		default:
			r.add(ctx, &result, last)
			last = reproduction{}
		}
	}
}

// add reports what was found of a type, and how the last Go test ran.
func (r *safetyRun) add(ctx context.Context, result *safety.Tested, last reproduction) {
	row := &safetyRow{Tested: *result, Declared: "unknown", reproduction: last}
	if d, ok := r.declared[result.Target]; ok {
		row.Declared = d
	}
	r.rows = append(r.rows, row)
	f := result.Finding
	if f != nil {
		row.File = present(r.save(row))
	}
	if r.flags.output.Value == "json" {
		r.note(writeJSON(r.out, row.record()))
		r.note(r.out.Flush())
		return
	}
	if f != nil {
		fmt.Fprintf(r.out, "%s is not safe for concurrent use: %s: %s\n  %s\n", result.Target, f.Kind, firstLine(f.Text), f.Calls)
		fmt.Fprintf(r.out, "  within %d executions of this test; no linearization of its calls fails like that\n", f.Executions)
		for _, stack := range f.Stacks {
			fmt.Fprintf(r.out, "\n  %s\n", strings.ReplaceAll(stack, "\n", "\n  "))
		}
		fmt.Fprintf(r.out, "\n  the Go test fails in %d of %s\n", row.Failing, counted(row.Runs, "run", "runs"))
		if row.File != nil {
			fmt.Fprintf(r.out, "  To reproduce: go test -count=%d %s\n", countedRuns, report.ShellWord(testArgument(ctx, *row.File)))
		} else {
			fmt.Fprintf(r.out, "\n%s", row.Source)
		}
		fmt.Fprintln(r.out)
	}
	r.note(r.out.Flush())
}

// countedRuns is how often the command that reproduces a finding runs its test, which
// may fail more or less often on another day.
const countedRuns = 10

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

// found returns whether the type was found to be unsafe, and the exit status that this causes.
func (r *safetyRow) found() (text string, status int) {
	switch {
	case r.Finding != nil:
		return "yes", stressStatus
	case len(r.Unreproduced) > 0:
		return "seen", statusUnknown
	case r.Error != "":
		return "not tested", statusBad
	case r.Tests == 0:
		return "not tested", statusUnknown
	}
	return "no", statusOK
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

// reproduce compiles the Go test of a finding and runs it a few times. It scales the
// test up until most runs fail.
func reproduce(ctx context.Context, dir string, f *safety.Exposure) (best reproduction) {
	ctx, stop := context.WithTimeout(ctx, mostConfirming)
	defer stop()
	used := time.Duration(0)
	runs := 5
	if !f.Quick() {
		runs = 2
	}
	for executions := leastExecutions; executions <= mostExecutions && ctx.Err() == nil && used < longReproduction; executions *= 10 {
		f.Scale(executions)
		program := filepath.Join(dir, "safety.test")
		if err := buildTest(ctx, dir, program, "safety_test.go", f.Source); err != nil && ctx.Err() == nil {
			best.Remark = fmt.Sprintf("the test does not compile: %v", err)
			return best
		}
		failing := 0
		for n := range runs {
			// Most do not fail if neither of the first two does.
			if n == 2 && failing == 0 {
				break
			}
			fails, took := failsLike(ctx, program, f)
			if used += took; fails {
				failing++
			}
		}
		if ctx.Err() == nil && failing > best.Failing {
			best = reproduction{Source: f.Source, Runs: runs, Failing: failing}
		}
		if 2*failing > runs {
			break
		}
	}
	return best
}

// The number of executions of a Go test is scaled up from leastExecutions to
// mostExecutions, until its runs have used longReproduction of processor time, or mostConfirming is
// over with all builds.
const (
	leastExecutions  = 1000
	mostExecutions   = 10_000_000
	longReproduction = 20 * time.Second
	mostConfirming   = 3 * time.Minute
)

// buildTest builds the program of a Go test, which gets a name in the directory.
func buildTest(ctx context.Context, dir, program, name, text string) error {
	return compile(ctx, filepath.Join(dir, name), text, nil, "test", "-c", "-vet=off", "-o", program)
}

// failsLike runs the program of a Go test. It reports whether it fails for the reason
// of the finding, and how much processor time it used.
func failsLike(ctx context.Context, program string, f *safety.Exposure) (fails bool, used time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, 5*longReproduction)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "-test.timeout=0")
	cmd.Dir, cmd.WaitDelay = filepath.Dir(program), time.Second
	worker.Lead(cmd)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil { // it did not start
		return false, longReproduction
	}
	_ = worker.Kill(cmd) // what the test has started
	used = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return err != nil && ctx.Err() == nil && f.In(string(out)), used
}

// save writes the Go test to a directory of its own and returns its file.
func (r *safetyRun) save(row *safetyRow) string {
	if r.flags.save == "" {
		return ""
	}
	r.note(unsaved(os.MkdirAll(r.flags.save, 0o755)))
	for n := 1; r.err == nil; n++ {
		dir := filepath.Join(r.flags.save, fileName(row.Target)+"-"+strconv.Itoa(n))
		err := os.Mkdir(dir, 0o755)
		if os.IsExist(err) {
			continue
		}
		file := filepath.Join(dir, "safety_test.go")
		if err == nil {
			err = batch.WriteWhole(file, []byte(row.Source))
		}
		r.note(unsaved(err))
		return file
	}
	return ""
}

// finish writes a table like Table 1 and Figure 6 of the paper.
func (r *safetyRun) finish() error {
	if r.flags.output.Value != "json" && len(r.rows) > 0 {
		header := []string{"type", "declared safe", "found unsafe", "reason", "implicit", "tests", "executions", "time", "reproduced"}
		if r.flags.safety.race {
			header = append(header, "tests with races")
		}
		rows := [][]string{header}
		for _, row := range r.rows {
			reason, implicit, rate := "-", "-", "-"
			found, _ := row.found()
			if f := row.Finding; f != nil {
				reason, implicit = f.Kind+": "+firstLine(f.Text), map[bool]string{false: "no", true: "yes"}[f.Implicit]
				if f.Kind == "does not return" {
					reason = f.Kind
				}
				rate = fmt.Sprintf("%d/%d", row.Failing, row.Runs)
			} else if found == "not tested" {
				reason = cmp.Or(row.Error, "no test within the time")
			}
			cells := []string{row.Target, row.Declared, found, reason, implicit, strconv.Itoa(row.Tests), strconv.Itoa(row.Executions),
				row.Elapsed.Round(10 * time.Millisecond).String(), rate}
			if r.flags.safety.race {
				cells = append(cells, strconv.Itoa(row.Races))
			}
			rows = append(rows, cells)
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
		fmt.Fprintf(r.out, "%s: seen, not confirmed: %s: %s\n  %s\n", row.Target, f.Kind, firstLine(f.Text), f.Calls)
	}
	if len(row.Unreproduced) > 0 {
		fmt.Fprintf(r.out, "%s: its Go test had up to %d executions, %v of processor time and %v to confirm it, unless the search was stopped\n", row.Target, mostExecutions, longReproduction, mostConfirming)
	}
	if row.Remark != "" {
		fmt.Fprintf(r.out, "%s: %s\n", row.Target, row.Remark)
	}
	if len(row.Untried) > 0 {
		fmt.Fprintf(r.out, "%s: calls of these always fail sequentially, or were not tried: %s\n", row.Target, strings.Join(row.Untried, ", "))
	}
	if n := row.Unclear; n > 0 {
		fmt.Fprintf(r.out, "%s: %s ended in an unclear way and do not count\n", row.Target, counted(n, "execution", "executions"))
	}
	if row.Races > 0 {
		fmt.Fprintf(r.out, "%s: a data race:%s\n", row.Target, row.Race)
	}
}
