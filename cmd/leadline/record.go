package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/leadline/leadline/cmd/internal/flagkind"
	"github.com/leadline/leadline/cmd/internal/output"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/history/files"
	recording "github.com/leadline/leadline/history/record"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/history/stress/subject"
	"github.com/leadline/leadline/replay/simulate"
	"github.com/spf13/pflag"
)

// recordFlags are the flags of leadline record.
type recordFlags struct {
	all      *pflag.FlagSet
	workload simulate.Workload
	mix      string
	faults   []string
	output   string
	subject  string
	load     stress.Load
	order    *flagkind.Choice
}

func setupRecord(flags *pflag.FlagSet) func(streams, []string) int {
	f := &recordFlags{all: flags}
	w := &f.workload
	flags.StringVar(&w.Model, "simulate", "", "`model` of an atomic object that threads use: "+strings.Join(simulate.Models(), ", ")+", queue:CAPACITY")
	flags.IntVar(&w.Threads, "threads", 4, "how many operations may be open at once")
	flags.IntVar(&w.Ops, "ops", 1000, "how many operations")
	flags.Uint64Var(&w.Seed, "seed", 1, "`S`, the seed of all random choices")
	flags.IntVar(&w.Values, "values", 0, "how many values there are to insert or write; 0: all are distinct")
	flags.IntVar(&w.Keys, "keys", 10, "how many keys a kv has")
	flags.IntVar(&w.Fill, "fill", 32, "about how many elements a collection holds; above 256, it is filled first and never empty")
	flags.IntVar(&w.Lost, "lost", 0, "how many in 1000 operations never respond; half of them take effect")
	flags.StringVar(&f.mix, "mix", "", "how often `kinds` of operations are drawn, as insert=4,remove=4,look=1,update=0 (default: the model's own)")
	flags.StringArrayVar(&f.faults, "fault", nil, "a fault after so many percent of the operations, `wrong@50` (a wrong answer) or "+
		"swap@50 (two values in the wrong order); may be repeated")
	flags.StringVar(&f.subject, "subject", "", "bundled `object` that threads use (see leadline models), instead of --simulate")
	flags.DurationVar(&f.load.Time, "time", 0, "how long to record --subject; with --ops 0 nothing else ends it")
	flags.BoolVar(&f.load.Weak, "weak", false, "also call methods of --subject that are documented not to be atomic")
	f.order = flagkind.NewChoice(flags, "order", "what is recorded of --subject: real time, or only the order within processes", "realtime", "program")
	flags.StringVarP(&f.output, "output", "o", "-", "`file`, compressed if it ends in .gz or .zst")
	return f.run
}

func (f *recordFlags) run(s streams, args []string) int {
	if err := f.parse(args); err != nil {
		return fail(s, "record", err)
	}
	record, endless := f.simulate, false
	if f.subject != "" {
		record, endless = f.recordSubject, f.workload.Ops == 0 && f.load.Time == 0
	} else if _, err := f.workload.Events(); err != nil {
		return fail(s, "record", err)
	}
	ctx, restore := output.Interruptible()
	defer restore()
	if err := f.write(ctx, s.out, record); err != nil {
		return s.failed("record", err)
	}
	if ctx.Err() != nil && !endless {
		fmt.Fprintln(s.err, "leadline record: interrupted; the history has the operations so far")
		return statusUnknown
	}
	return statusOK
}

// parse completes the workload. Where simulate.Workload has a default for 0,
// a 0 on the command line is an error.
func (f *recordFlags) parse(args []string) (err error) {
	w := &f.workload
	switch {
	case len(args) > 0:
		return errors.New("takes no arguments")
	case (w.Model == "") == (f.subject == ""):
		return errors.New("either --simulate or --subject is needed")
	case f.mismatch() != nil:
		return f.mismatch()
	case f.subject != "" && subject.Lookup(f.subject) == nil:
		return fmt.Errorf("no subject %s; leadline models lists them", f.subject)
	case f.subject != "" && (w.Ops < 0 || w.Threads < 1 || w.Values < 0 || f.load.Time < 0):
		return errors.New("--ops, --values and --time must not be negative, and --threads must be at least 1")
	case f.subject != "":
		return nil
	}
	for _, n := range []struct {
		name  string
		value int
	}{{"threads", w.Threads}, {"ops", w.Ops}, {"keys", w.Keys}, {"fill", w.Fill}} {
		if n.value < 1 {
			return fmt.Errorf("--%s must be at least 1", n.name)
		}
	}
	if f.mix != "" {
		if w.Mix, err = simulate.ParseMix(f.mix); err != nil {
			return err
		}
	}
	for _, text := range f.faults {
		fault, err := simulate.ParseFault(text)
		if err != nil {
			return err
		}
		w.Faults = append(w.Faults, fault)
	}
	return nil
}

// mismatch returns an error if a flag has no effect on what is recorded.
func (f *recordFlags) mismatch() error {
	if f.subject != "" {
		return noEffect(f.all, "with --subject", "keys", "fill", "lost", "mix", "fault")
	}
	if err := noEffect(f.all, "with --simulate", "time", "weak", "order"); err != nil {
		return err
	}
	without := []string{"keys"}
	switch f.workload.Model {
	case "kv":
		without = []string{"fill"}
	case "register", "cas-register":
		without = []string{"keys", "fill"}
	case "counter", "mutex":
		without = []string{"keys", "fill", "values"}
	}
	return noEffect(f.all, "with --simulate "+f.workload.Model, without...)
}

// write records to the file or to stdout.
func (f *recordFlags) write(ctx context.Context, stdout io.Writer, record func(context.Context, io.Writer) error) error {
	if f.output == "-" {
		return record(ctx, stdout)
	}
	file, err := os.Create(f.output)
	if err != nil {
		return err
	}
	return errors.Join(record(ctx, file), file.Close())
}

// simulate writes a simulated history, compressed as the name of the file says.
func (f *recordFlags) simulate(ctx context.Context, w io.Writer) error {
	z, err := files.Compress(w, f.output)
	if err != nil {
		return err
	}
	return errors.Join(f.stream(ctx, z), z.Close())
}

// stream writes the events one by one, without keeping them, until an interrupt.
func (f *recordFlags) stream(ctx context.Context, w io.Writer) error {
	events, err := f.workload.Events()
	if err != nil {
		return err
	}
	out := codec.NewEventWriter(w, f.workload.Header())
	truth := "linearizable"
	if len(f.workload.Faults) > 0 {
		truth = "not linearizable"
	}
	out.Comment("leadline record " + f.workload.String())
	out.Comment(truth)
	for ev := range events {
		if ctx.Err() != nil {
			out.Comment("interrupted")
			break
		}
		if err := out.Write(&ev); err != nil {
			return err
		}
	}
	return out.Flush()
}

// recordSubject records threads that use a bundled object. The recorder writes ten times
// a second, so the history can be checked while it is recorded.
func (f *recordFlags) recordSubject(ctx context.Context, w io.Writer) error {
	c := subject.Lookup(f.subject).Class
	o := recording.Options{Model: c.Model, ModelArgs: c.ModelArgs}
	if f.order.Value == "program" {
		o.Order = recording.ProgramOrder
	}
	switch filepath.Ext(f.output) {
	case ".zst":
		o.Compress = recording.Zstd
	case ".gz":
		o.Compress = recording.Gzip
	}
	r, err := recording.New(w, o)
	if err != nil {
		return err
	}
	load := f.load
	load.Threads, load.Ops, load.Values, load.Seed = f.workload.Threads, f.workload.Ops, f.workload.Values, f.workload.Seed
	return load.Record(ctx, c, r)
}
