package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/leadline/leadline/cmd/internal/flagkind"
	"github.com/leadline/leadline/cmd/internal/output"
	"github.com/leadline/leadline/history/explore"
	"github.com/leadline/leadline/history/explore/tests"
	"github.com/leadline/leadline/history/explore/tests/inside"
	"github.com/leadline/leadline/replay/batch"
	"github.com/leadline/leadline/replay/report"
	"github.com/spf13/pflag"
)

// exploreFlags are the flags of leadline explore.
type exploreFlags struct {
	tests.Options
	leaks, timers *flagkind.Choice
	output        *flagkind.Choice
	junit         string
}

func setupExplore(flags *pflag.FlagSet) func(streams, []string) int {
	f := &exploreFlags{leaks: &flagkind.Choice{Value: "forever", Choices: []string{"forever", string(inside.AtEnd), string(inside.NoLeaks)}},
		timers: &flagkind.Choice{Value: "when-idle", Choices: []string{"when-idle", string(inside.Anytime)}}}
	flags.StringVar(&f.Run, "run", "", "`pattern` of the tests to explore, as for go test -run (default: all)")
	flags.StringSliceVar(&f.Tags, "tags", nil, "build `tags`, as for go test -tags")
	flags.BoolVar(&f.Short, "short", false, "tests see testing.Short, as with go test -short")
	flags.IntVar(&f.Preemptions, "preemptions", 2, "most preemptions of a schedule, or delays if the test starts goroutines")
	flags.Int64Var(&f.Executions, "executions", 20_000, "executions of a test at most")
	flags.DurationVar(&f.Time, "time", 10*time.Second, "how long the schedules of a test are explored at most")
	flags.Var(f.leaks, "leaks", "goroutines that have not ended when the test has: those that nothing can wake, all that wait, or none")
	flags.Var(f.timers, "timers", "when time passes: when nothing else can go on, or then at any step, too")
	flags.BoolVar(&f.Plain, "plain", false, "plain loads and stores are steps, too")
	flags.StringSliceVar(&f.Packages, "instrument", nil, "more `packages` to instrument than those of the tests, what they import of their module, and what these refer to")
	flags.Uint64Var(&f.Seed, "seed", 0, "seed of random schedules")
	jobsFlag(flags, &f.Jobs, "explore")
	f.output = outputFlag(flags, "text", "json")
	flags.StringVar(&f.junit, "junit", "", "write a report in the XML of JUnit to this `FILE`")
	return f.run
}

func (f *exploreFlags) run(s streams, args []string) int {
	if f.Patterns = args; len(args) == 0 {
		f.Patterns = []string{"."}
	}
	switch {
	case f.Preemptions < 0:
		return fail(s, "explore", errors.New("--preemptions has to be 0 or more"))
	case f.Executions <= 0 || f.Time <= 0 || f.Jobs <= 0:
		return fail(s, "explore", errors.New("--executions, --time and --jobs have to be more than 0"))
	case f.Preemptions == 0:
		f.Preemptions = -1
	}
	if f.leaks.Value != "forever" {
		f.Leaks = inside.Leaks(f.leaks.Value)
	}
	if f.timers.Value != "when-idle" {
		f.Timers = inside.Timers(f.timers.Value)
	}
	ctx, restore := output.Interruptible()
	defer restore()
	t := &exploreTable{exploreFlags: f, out: bufio.NewWriter(s.out), count: map[string]int{}}
	if w := terminal(s.err); w != nil {
		f.Building = func(path string) { fmt.Fprintf(w, "building %s\n", path) }
	}
	err := tests.Explore(ctx, f.Options, func(r *tests.Result) { t.add(s, r) })
	if ctx.Err() != nil {
		fmt.Fprintln(s.err, "leadline explore: interrupted")
		return t.finish(s, statusUnknown)
	}
	if err != nil {
		return s.failed("explore", err)
	}
	if len(t.results) == 0 && f.Run != "" {
		return fail(s, "explore", fmt.Errorf("no test matches --run %s in %s", report.ShellWord(f.Run), strings.Join(f.Patterns, " ")))
	}
	return t.finish(s, statusOK)
}

// likeGoTest writes -run and -short, as go test has them, with two hyphens.
func likeGoTest(args []string) []string {
	args = slices.Clone(args)
	for i, arg := range args {
		if name, _, _ := strings.Cut(arg, "="); name == "-run" || name == "-short" || name == "-tags" {
			args[i] = "-" + arg
		}
	}
	return args
}

// An exploreTable prints the results of tests and counts them.
type exploreTable struct {
	*exploreFlags
	out     *bufio.Writer
	err     error
	results []*tests.Result
	count   map[string]int
	of      string // the package of the last result
}

func (t *exploreTable) add(s streams, r *tests.Result) {
	t.results = append(t.results, r)
	t.count[r.Status()]++
	switch {
	case r.Error != nil:
		fmt.Fprintf(s.err, "leadline explore: %s: %s\n", r.Package, report.CleanLines(r.Error.Error()))
	case t.output.Value == "json":
		t.err = errors.Join(t.err, writeJSON(t.out, newExploreRecord(r)))
	default:
		if t.of != r.Package {
			fmt.Fprintln(t.out, r.Package)
			t.of = r.Package
			for _, text := range r.NotTried {
				fmt.Fprintf(t.out, "  %s\n", text)
			}
		}
		fmt.Fprintf(t.out, "  %-10s %s: %s\n", r.Status(), r.Test, r.Says())
		if r.Fault != nil {
			t.err = errors.Join(t.err, writeFault(t.out, r))
		}
	}
	t.err = errors.Join(t.err, t.out.Flush())
}

// An exploreRecord is the record of a test in JSON.
type exploreRecord struct {
	*tests.Result
	Status string `json:"status"`
	Whole  bool   `json:"whole"` // all schedules were run
}

func newExploreRecord(r *tests.Result) *exploreRecord {
	e := &exploreRecord{r, r.Status(), r.Complete >= explore.Unbounded}
	if e.Whole {
		r.Complete = 0
	}
	return e
}

// writeFault writes what is known of a fault, and how to see it again.
func writeFault(w io.Writer, r *tests.Result) error {
	err := r.WriteFault(w, "    ")
	if r.Saved != "" && err == nil {
		_, err = fmt.Fprintf(w, "    to see it again: leadline replay %s\n", report.ShellWord(r.Saved))
	}
	return err
}

// finish prints the totals, and returns the exit status.
func (t *exploreTable) finish(s streams, status int) int {
	if t.output.Value != "json" && len(t.results) > t.count[tests.Broken] {
		parts := []string{}
		for _, k := range []string{tests.Faulty, tests.Explored, tests.Sequential, tests.Cut, tests.Skipped, tests.Refused} {
			if n := t.count[k]; n > 0 {
				parts = append(parts, fmt.Sprintf("%d %s", n, k))
			}
		}
		fmt.Fprintf(t.out, "%s: %s\n", counted(len(t.results)-t.count[tests.Broken], "test", "tests"), strings.Join(parts, ", "))
	}
	err := errors.Join(t.err, t.out.Flush())
	if t.junit != "" {
		err = errors.Join(err, t.writeJUnit(status == statusOK))
	}
	if err != nil {
		status = worse(status, s.failed("explore", err))
	}
	left := t.count[tests.Refused] + t.count[tests.Cut]
	switch {
	case t.count[tests.Broken] > 0:
		status = worse(status, statusBad)
	case t.count[tests.Faulty] > 0:
		status = worse(status, statusNot)
	case left > 0 && (t.Run != "" || t.count[tests.Explored] == 0):
		status = worse(status, statusUnknown) // what was asked for did not happen
	}
	return status
}

// writeJUnit writes a report: faults are failures, and what was not explored is skipped.
func (t *exploreTable) writeJUnit(complete bool) error {
	file, err := batch.CreateWhole(t.junit)
	if err != nil {
		return err
	}
	type message struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
	type testcase struct {
		Class   string   `xml:"classname,attr"`
		Name    string   `xml:"name,attr"`
		Time    string   `xml:"time,attr"`
		Failure *message `xml:"failure"`
		Skipped *message `xml:"skipped"`
		Error   *message `xml:"error"`
	}
	type property struct {
		Name  string `xml:"name,attr"`
		Value bool   `xml:"value,attr"`
	}
	suite := struct {
		XMLName    xml.Name   `xml:"testsuite"`
		Name       string     `xml:"name,attr"`
		Tests      int        `xml:"tests,attr"`
		Failures   int        `xml:"failures,attr"`
		Errors     int        `xml:"errors,attr"`
		Skipped    int        `xml:"skipped,attr"`
		Properties []property `xml:"properties>property"`
		Cases      []testcase `xml:"testcase"`
	}{Name: "leadline explore", Tests: len(t.results), Failures: t.count[tests.Faulty], Errors: t.count[tests.Broken], Properties: []property{{"complete", complete}}}
	for _, r := range t.results {
		c := testcase{Class: r.Package, Name: cmp.Or(r.Test, filepath.Base(r.Package)), Time: fmt.Sprintf("%.3f", r.Seconds)}
		switch r.Status() {
		case tests.Faulty:
			var b strings.Builder
			_ = writeFault(&b, r) // to memory
			c.Failure = &message{r.Says(), b.String()}
		case tests.Broken:
			c.Error = &message{"it cannot be explored", r.Error.Error()}
		case tests.Refused, tests.Cut, tests.Skipped:
			c.Skipped = &message{Message: r.Says()}
			suite.Skipped++
		}
		suite.Cases = append(suite.Cases, c)
	}
	text, err := xml.MarshalIndent(suite, "", " ")
	if err == nil {
		_, err = file.WriteString(xml.Header + string(text) + "\n")
	}
	return file.Finish(err)
}

// replayTest replays a schedule that leadline explore has saved.
func replayTest(ctx context.Context, s streams, file string, asJSON bool) int {
	saved, err := tests.ReadSaved(file)
	if err != nil {
		return s.failed("replay", err)
	}
	dir, err := os.MkdirTemp("", "leadline-explore-")
	if err != nil {
		return s.failed("replay", err)
	}
	defer os.RemoveAll(dir)
	o := &tests.Options{Dir: filepath.Dir(file), Patterns: []string{saved.Package}, Plain: saved.Plain}
	program, err := tests.Build(ctx, o, dir)
	if err != nil {
		return s.failed("replay", err)
	}
	r := &tests.Result{Package: saved.Package, Report: program.Replay(ctx, o, saved, saved.Call), Saved: file, Known: true}
	if asJSON {
		if err := writeJSON(s.out, newExploreRecord(r)); err != nil {
			return s.failed("replay", err)
		}
	} else {
		fmt.Fprintf(s.out, "%s %s\n", saved.Package, saved.Test)
		if r.Fault == nil {
			fmt.Fprintf(s.out, "  no fault: %s\n", r.Says())
		} else {
			fmt.Fprintf(s.out, "  %s\n", r.Says())
			_ = writeFault(s.out, r) // run reports errors of standard output
		}
	}
	switch {
	case r.Fault != nil:
		return statusNot
	case r.Refused != "":
		return statusUnknown
	}
	return statusOK
}
