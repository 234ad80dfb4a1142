// Command schedules measures what schedules show of the violations that are known of
// the objects of subjects.txt, and writes the section "By schedules" of ../README.md.
//
// In the directory above, this does all of it but for the long controls:
//
//	go run ./schedules
//
// It looks for the violations among generated programs, up to 2 preemptions (-preemptions);
// replays each in other processes; counts the executions of each strategy to the first
// violation on the reduced program; runs that on real threads; and explores controls, in which
// nothing should be found, and broken twins. -parts names some of these, and names of objects
// may follow. The results replace earlier ones in schedules/results.jsonl. To write the tables
// from these:
//
//	go run ./schedules -parts table
//
// Times are processor time of all processes, builds apart.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"github.com/leadline/leadline/benchdata/subjects/internal/list"
	"github.com/leadline/leadline/benchdata/subjects/internal/tables"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// A tester does the parts.
type tester struct {
	results                                  *results
	errs                                     io.Writer
	dir, schedules, plain                    string // programs, in a directory
	preemptions, seeds, processes, generated int
	executions                               int64
	most, onThreads, controlled              time.Duration
	goesOn                                   bool
}

func (t *tester) say(format string, args ...any) { fmt.Fprintf(t.errs, format+"\n", args...) }

// parts are what is done, in this order.
var parts = []string{"hunt", "replay", "first", "threads", "twins", "controls", "figures", "table"}

func run(args []string, in io.Reader, out, errs io.Writer) int {
	flags := flag.NewFlagSet("schedules", flag.ContinueOnError)
	flags.SetOutput(errs)
	t := &tester{errs: errs}
	wanted := flags.String("parts", strings.Join(parts, ","), "what to do")
	flags.IntVar(&t.preemptions, "preemptions", 2, "preemptions of the search, at most")
	flags.DurationVar(&t.most, "cpu", 3*time.Second, "processor time for each object, at most")
	flags.BoolVar(&t.goesOn, "all", false, "go on when all known violations are found")
	flags.IntVar(&t.seeds, "seeds", 20, "seeds of random strategies")
	flags.IntVar(&t.generated, "generated", 40, "generated programs of each object, for the figures")
	flags.Int64Var(&t.executions, "executions", 20000, "executions for each seed, at most")
	flags.IntVar(&t.processes, "processes", 10, "processes that replay a schedule")
	flags.DurationVar(&t.onThreads, "threads", time.Second, "how long a program runs on real threads")
	flags.DurationVar(&t.controlled, "control", 10*time.Second, "processor time for each control")
	served := flags.String("serve", "", "test an object, as the input says (for processes that this command starts)")
	tried := flags.String("try", "", "compare strategies, as the input says (for processes that this command starts)")
	scheduled := flags.Bool("scheduled", false, "with -serve: in the scheduler")
	if flags.Parse(args) != nil {
		return 2
	}
	switch {
	case *served != "":
		return serve(*served, *scheduled, in, out, errs)
	case *tried != "":
		return try(*tried, in, out, errs)
	}
	ctx, restore := signal.NotifyContext(context.Background(), os.Interrupt)
	defer restore()
	if err := t.do(ctx, strings.Split(*wanted, ","), flags.Args()); err != nil {
		fmt.Fprintln(errs, err)
		return 1
	}
	return 0
}

func (t *tester) do(ctx context.Context, wanted, names []string) error {
	for _, part := range wanted {
		if !slices.Contains(parts, part) {
			return fmt.Errorf("there is no part %q; there are %s", part, strings.Join(parts, ", "))
		}
	}
	all, err := list.Read("subjects.txt")
	if err != nil {
		return err
	}
	if t.results, err = readResults("schedules/results.jsonl", "../corpora/go"); err != nil {
		return err
	}
	if wanted[0] != "table" {
		if t.dir, err = os.MkdirTemp("", "schedules-"); err != nil {
			return err
		}
		defer os.RemoveAll(t.dir)
		if t.schedules, err = build(ctx, t.dir, append(all, locks...), true); err != nil {
			return err
		}
		if slices.Contains(wanted, "threads") {
			if t.plain, err = build(ctx, t.dir, all, false); err != nil {
				return err
			}
		}
	}
	for _, part := range wanted {
		begin := time.Now()
		if err := t.part(ctx, part, all, names); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return errors.New("interrupted")
		}
		t.say("%s: %v on the clock", part, time.Since(begin).Round(time.Second))
		if part == "table" {
			continue
		}
		if err := t.results.write(); err != nil {
			return err
		}
	}
	return nil
}

// part does a part.
func (t *tester) part(ctx context.Context, part string, all []list.Object, names []string) error {
	switch part {
	case "twins":
		return t.twins(ctx)
	case "figures":
		return t.figures(ctx, all)
	case "table":
		return tables.WriteTables("README.md", command, t.results.tables())
	case "controls":
		for _, c := range controls {
			if len(names) == 0 || slices.Contains(names, c.name) {
				if err := t.control(ctx, c.title, c.name, t.controlled); err != nil {
					return err
				}
			}
		}
		return nil
	}
	for i := range all {
		o := &all[i]
		if len(names) > 0 && !slices.Contains(names, o.Name) {
			continue
		}
		if part == "hunt" {
			if err := t.hunt(ctx, o, t.results.violations); err != nil {
				return err
			}
		}
		for _, v := range t.results.violations {
			if v.Object != o.Name || v.Hunt == nil || ctx.Err() != nil {
				continue
			}
			var err error
			switch part {
			case "hunt":
				v.Nearest, err = relativeOf(ctx, v.history)
			case "replay":
				err = t.replay(ctx, o, v, t.processes)
			case "first":
				err = t.compare(ctx, o, v)
			case "threads":
				err = t.threads(ctx, o, v)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}
