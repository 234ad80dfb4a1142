package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"time"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// options are the flags.
type options struct {
	full     bool
	list     bool
	rows     string
	repeat   int
	limits   limits
	leadline string
	etcd     string
}

func (o *options) flags(stderr io.Writer) *flag.FlagSet {
	f := flag.NewFlagSet("table", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.BoolVar(&o.full, "full", false, "all rows, up to 1,000,000 operations; takes an hour, mostly for porcupine")
	f.BoolVar(&o.list, "list", false, "only list the names of the rows")
	f.StringVar(&o.rows, "rows", "", "only rows whose names match this regular `expression`, as ^queue/n=1000/T=(4|16)$; see -list")
	f.IntVar(&o.repeat, "repeat", 3, "number of measurements of each row")
	f.DurationVar(&o.limits.cpu, "time", 5*time.Second, "limit on the CPU time of each checker (with -full 1m)")
	f.Int64Var(&o.limits.memory, "memory", 8<<10, "limit on the memory of each checker in MiB")
	f.StringVar(&o.leadline, "leadline", "", "program to measure; by default it is built")
	f.StringVar(&o.etcd, "etcd", "", "directory of the etcd logs; by default shared/histories/etcd beside the repository")
	f.Usage = func() {
		fmt.Fprintln(stderr, "usage: table [flags]\n\nCompares the cost of leadline and porcupine and writes a table in Markdown; see go doc ./table.")
		f.PrintDefaults()
	}
	return f
}

func run(args []string, stdout, stderr io.Writer) int {
	if len(args) == 2 && args[0] == porcupineCommand {
		return runPorcupine(args[1], stdout, stderr)
	}
	var o options
	f := o.flags(stderr)
	switch err := f.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case f.NArg() > 0 || o.repeat < 1 || o.limits.cpu <= 0 || o.limits.memory <= 0:
		f.Usage()
		return 2
	}
	o.limits.memory <<= 20
	given := false
	f.Visit(func(f *flag.Flag) { given = given || f.Name == "time" })
	if o.full && !given {
		o.limits.cpu = time.Minute
	}
	if err := o.table(stdout, stderr); err != nil {
		fmt.Fprintf(stderr, "table: %v\n", err)
		return 1
	}
	return 0
}

// table measures the selected rows and prints them.
func (o *options) table(stdout, stderr io.Writer) error {
	only, err := regexp.Compile(o.rows)
	if err != nil {
		return fmt.Errorf("-rows: %w", err)
	}
	sections := selectRows(o.full, only)
	if len(sections) == 0 {
		return fmt.Errorf("no row matches %q; see -list and -full", o.rows)
	}
	if o.list {
		for _, s := range sections {
			for _, r := range s.rows {
				fmt.Fprintln(stdout, r.name())
			}
		}
		return nil
	}
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	b, err := newBench(ctx, o, stderr)
	if err != nil {
		return err
	}
	if err := errors.Join(b.measure(sections), b.close()); err != nil {
		return err
	}
	return b.write(stdout, sections)
}

// measure measures all rows, one after another.
func (b *bench) measure(sections []section) error {
	for _, s := range sections {
		for _, r := range s.rows {
			if err := b.row(r); err != nil {
				return fmt.Errorf("%s: %w", r.name(), err)
			}
			beside := r.porcupine
			if r.format != "" {
				beside = r.native
			}
			fmt.Fprintf(b.log, "%-40s %v | %v | %s\n", r.name(), r.leadline, beside, r.ratio())
		}
	}
	return nil
}
