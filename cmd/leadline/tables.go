package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"iter"
	"path/filepath"
	"time"

	"github.com/leadline/leadline/benchdata/corpora"
	"github.com/leadline/leadline/benchdata/tables"
	"github.com/leadline/leadline/cmd/internal/flagkind"
	"github.com/leadline/leadline/cmd/internal/output"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/batch"
	"github.com/leadline/leadline/replay/report"
	"github.com/spf13/pflag"
)

// tablesFlags are the flags of leadline tables.
type tablesFlags struct {
	all     *pflag.FlagSet
	input   *input
	noPaper bool
	svg     string
	jobs    int
	// maxDepth is 0 by default, which means 5 in Table 3 and 7 elsewhere.
	maxDepth int
	timeout  time.Duration
	output   *flagkind.Choice
}

// maxColumns bounds --max-depth.
const maxColumns = 64

func setupTables(flags *pflag.FlagSet) func(streams, []string) int {
	f := &tablesFlags{all: flags, input: newInput()}
	f.output = outputFlag(flags, "text", "markdown", "csv", "json", "html", "latex")
	flags.BoolVar(&f.noPaper, "no-paper", false, "leave out the paper's numbers")
	flags.IntVar(&f.maxDepth, "max-depth", tables.DefaultMaxDepth, "largest depth that has a column; by default, Table 3 ends at 5")
	flags.DurationVar(&f.timeout, "timeout", 0, "time for one history, as 500ms or 1m (default: no bound)")
	flags.StringVar(&f.svg, "svg", "", "write Figure 4 as a picture to this `file`")
	flags.StringVar(&f.input.model, "model", "", "sequential `specification` (default: what the files name)")
	f.input.declare(flags)
	jobsFlag(flags, &f.jobs, "measure")
	return f.run
}

func (f *tablesFlags) run(s streams, args []string) int {
	if err := f.validate(args); err != nil {
		return fail(s, "tables", err)
	}
	ctx, restore := output.Interruptible()
	defer restore()

	status, err := f.tabulate(ctx, s, args)
	if err != nil {
		return worse(status, s.failed("tables", err))
	}
	return status
}

// validate returns an error if the flags or the arguments are not valid, or if a flag has
// no effect on the tables.
func (f *tablesFlags) validate(args []string) error {
	switch {
	case f.maxDepth < 1 || f.maxDepth > maxColumns:
		return fmt.Errorf("--max-depth must be 1 to %d", maxColumns)
	case f.jobs < 1 || f.jobs > maxJobs:
		return errJobs
	case f.timeout < 0:
		return errTimeout
	case len(args) == 0:
		return cmp.Or(noEffect(f.all, "on the bundled histories", inputFlags...), f.input.addOutputs(f.all, nil, "svg"))
	}
	return cmp.Or(f.input.check(args), f.input.addOutputs(f.all, args, "svg"))
}

// tabulate reads the histories and writes the tables. Without histories there are none.
func (f *tablesFlags) tabulate(ctx context.Context, s streams, args []string) (int, error) {
	if !f.all.Changed("max-depth") {
		f.maxDepth = 0
	}
	f.input.stderr = s.err
	from := bundled()
	if len(args) > 0 {
		from = f.input.read(ctx, s, args, nil)
	}
	collection, n := tables.Collection{MaxDepth: f.maxDepth}, 0
	status := f.measure(ctx, s, from, func(e entry, m tables.Measurement) {
		m.Archive, m.History = report.Clean(archiveOf(args, e.File)), placeText(&e)
		collection.Add(m)
		n++
	})
	if n == 0 {
		return status, nil
	}
	picture := collection.Picture(!f.noPaper)
	if f.svg != "" {
		if err := batch.WriteWhole(f.svg, []byte(picture)); err != nil {
			return status, err
		}
	}
	all := collection.Tables(!f.noPaper)
	if len(args) > 0 {
		all = append(all, collection.Archives()...)
	}
	for _, t := range all {
		t.Width = terminalWidth(s.out)
		if len(args) == 0 {
			t.Notes = append(t.Notes, "The bundled histories were chosen to have the paper's c and cp, so that these agree by choice.")
		}
	}
	out := bufio.NewWriter(s.out)
	return status, cmp.Or(tables.WriteAll(out, all, tables.Form(f.output.Value), picture), out.Flush())
}

// archiveOf returns the archive of a file: the directory that an argument names, or
// the directory of a file that an argument names.
func archiveOf(args []string, file string) string {
	if file == "-" {
		return file
	}
	for _, arg := range args {
		if below, err := filepath.Rel(arg, file); err == nil && below != "." && filepath.IsLocal(below) {
			return filepath.Clean(arg)
		}
	}
	return filepath.Dir(file)
}

// measure measures all histories, in parallel, and passes the results to add, in order.
// Histories that cannot be measured are reported.
func (f *tablesFlags) measure(ctx context.Context, s streams, from iter.Seq[entry], add func(entry, tables.Measurement)) int {
	type done struct {
		entry
		tables.Measurement
	}
	progress := newProgress(s.err)
	defer progress.clear()
	measurer := tables.Measurer{MaxDepth: f.maxDepth, Timeout: f.timeout}
	one := func(e entry) (d done) {
		d.entry = e
		if d.Err != nil {
			return d
		}
		var model replay.Spec
		if model, d.Err = batch.ModelOf(e.History, f.input.model); d.Err == nil {
			d.Measurement, d.Err = measurer.Measure(ctx, e.History, model)
		}
		return d
	}
	status := statusOK
	batch.InOrder(from, f.jobs, entry.Ops, one, func(d done, _ bool) bool {
		if d.Err != nil {
			progress.clear()
			f.input.report(d.File, d.Err)
			status = statusBad
		} else {
			add(d.entry, d.Measurement)
		}
		progress.step()
		return ctx.Err() == nil
	})
	return f.input.end(ctx, s, "tables", status)
}

// bundled reads the histories of the corpus that is embedded in the program.
func bundled() iter.Seq[entry] {
	return func(yield func(entry) bool) {
		names, _ := fs.Glob(corpora.FS, "juc/*.zst") // the pattern is valid
		for _, name := range names {
			text, err := corpora.FS.ReadFile(name)
			for h, fault := range codec.Decode(bytes.NewReader(text), name, codec.Options{}) {
				if !yield(entry{File: name, History: h, Err: cmp.Or(err, fault)}) {
					return
				}
			}
		}
	}
}
