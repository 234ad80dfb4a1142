package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path"
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
	bundled bool // the histories are those of the bundled corpus
	all     *pflag.FlagSet
	input   *input
	noPaper bool
	svg     string
	jobs    int
	// maxDepth is 0 by default, which means 5 in Table 3 and 7 elsewhere.
	maxDepth int
	timeout  time.Duration
	output   *flagkind.Choice
	read     int // number of histories that were read
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
	return func(s streams, args []string) int {
		if f.maxDepth < 1 || f.maxDepth > maxColumns {
			return fail(s, "tables", fmt.Errorf("--max-depth must be 1 to %d", maxColumns))
		}
		if !flags.Changed("max-depth") {
			f.maxDepth = 0
		}
		return f.run(s, args)
	}
}

func (f *tablesFlags) run(s streams, args []string) int {
	if err := f.mismatch(args); err != nil {
		return fail(s, "tables", err)
	}
	switch {
	case f.jobs < 1 || f.jobs > maxJobs:
		return fail(s, "tables", errJobs)
	case f.timeout < 0:
		return fail(s, "tables", errors.New("--timeout must not be negative"))
	}
	if err := f.input.addOutputs(f.all, args, "svg"); err != nil {
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

// mismatch returns an error if the arguments are not valid, or if a flag has no effect
// on the tables.
func (f *tablesFlags) mismatch(args []string) error {
	if len(args) > 0 {
		if err := f.input.check(args); err != nil {
			return err
		}
	} else if err := noEffect(f.all, "on the bundled histories", inputFlags...); err != nil {
		return err
	}
	return nil
}

// tabulate reads the histories and writes the tables.
func (f *tablesFlags) tabulate(ctx context.Context, s streams, args []string) (int, error) {
	f.input.stderr = s.err
	var from iter.Seq[entry]
	if len(args) > 0 {
		from = f.input.read(ctx, s, args, nil)
	}
	if f.bundled = from == nil; f.bundled {
		from = bundled()
	}
	collection := tables.Collection{MaxDepth: f.maxDepth}
	measurer := tables.Measurer{MaxDepth: f.maxDepth, Timeout: f.timeout}
	measure := func(ctx context.Context, e entry, model replay.Spec) (tables.Measurement, error) {
		m, err := measurer.Measure(ctx, e.History, model)
		m.Archive, m.History = report.Clean(archiveOf(args, e.File)), placeText(&e)
		return m, err
	}
	status := forEach(ctx, f, s, from, measure, collection.Add)
	picture := collection.Picture(!f.noPaper)
	if f.svg != "" && f.read > 0 {
		if err := batch.WriteWhole(f.svg, []byte(picture)); err != nil {
			return status, err
		}
	}
	all := collection.Tables(!f.noPaper)
	if len(args) > 0 {
		all = append(all, collection.Archives()...)
	}
	return status, f.write(s, all, picture)
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

// forEach calls do for all histories, in parallel, and passes the results to add, in
// order. Histories for which do fails are reported.
func forEach[R any](ctx context.Context, f *tablesFlags, s streams, from iter.Seq[entry],
	do func(context.Context, entry, replay.Spec) (R, error), add func(R)) int {
	type done struct {
		entry
		result R
	}
	progress := newProgress(s.err)
	defer progress.clear()
	status := statusOK
	one := func(e entry) done {
		d := done{entry: e}
		if d.Err != nil {
			return d
		}
		model, err := batch.ModelOf(e.History, f.input.model)
		if err == nil {
			d.result, err = do(ctx, e, model)
		}
		d.Err = err
		return d
	}
	batch.InOrder(from, f.jobs, entry.Ops, one, func(d done, _ bool) bool {
		if d.Err != nil {
			progress.clear()
			f.input.report(d.File, d.Err)
			status = statusBad
		} else {
			f.read++
			add(d.result)
		}
		progress.step()
		return ctx.Err() == nil
	})
	return f.input.end(ctx, s, "tables", status)
}

// write writes the tables. Without histories there are none.
func (f *tablesFlags) write(s streams, all []*tables.Table, picture string) error {
	if f.read == 0 {
		return nil
	}
	for _, t := range all {
		t.Width = terminalWidth(s.out)
		if f.bundled {
			t.Notes = append(t.Notes, "The bundled histories were chosen to have the paper's c and cp, so that these agree by choice.")
		}
	}
	out := bufio.NewWriter(s.out)
	if err := tables.WriteAll(out, all, tables.Form(f.output.Value), picture); err != nil {
		return err
	}
	return out.Flush()
}

// bundled reads the histories of the corpus that is embedded in the program.
func bundled() iter.Seq[entry] {
	return func(yield func(entry) bool) {
		const corpus = "juc"
		names, err := fs.Glob(corpora.FS, path.Join(corpus, "*.zst"))
		if err != nil || len(names) == 0 {
			yield(entry{File: corpus, Err: fmt.Errorf("no bundled corpus %q", corpus)})
			return
		}
		for _, name := range names {
			if !decodeBundled(name, yield) {
				return
			}
		}
	}
}

func decodeBundled(name string, yield func(entry) bool) bool {
	file, err := corpora.FS.Open(name)
	if err != nil {
		return yield(entry{File: name, Err: err})
	}
	defer file.Close()
	for h, err := range codec.Decode(file, name, codec.Options{}) {
		if !yield(entry{File: name, History: h, Err: err}) {
			return false
		}
	}
	return true
}
