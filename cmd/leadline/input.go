package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/leadline/leadline/cmd/internal/flagkind"
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/history/files"
	"github.com/leadline/leadline/replay/batch"
	"github.com/leadline/leadline/replay/report"
	"github.com/spf13/pflag"
)

// An entry is one thing that was read.
type entry = batch.Entry

// placeText returns the place of an entry for people.
func placeText(e *entry) string { return report.Clean(e.Place()) }

// names returns the names of operations, joined by separator.
func names(h *history.History, ops []int32, separator string) string {
	text := make([]string, len(ops))
	for i, op := range ops {
		text[i] = report.Name(h.Ops[op].ID())
	}
	return strings.Join(text, separator)
}

// An input reads the files and directories that the arguments of a command name, as
// its flags say, and reports their faults on stderr.
type input struct {
	codec.Options
	mapping    []string // of --map, which may name files
	durability string
	model      string
	quiet      bool
	counts     bool // the last line of the output counts skipped files
	// comments makes read keep the comments at the beginning of each file.
	comments bool
	stderr   io.Writer
	outputs  []batch.Output    // what the command writes, which is not read
	skipped  batch.FileReasons // files that hold no histories
	leftOut  batch.FileReasons // those of them to report
	file     string            // the last file whose faults were reported
	faults   int               // number of its faults that were reported
	// limited is true if a reported file exceeds one of the Limits.
	limited bool
}

func newInput() *input { return &input{Options: codec.Options{Limits: codec.DefaultLimits}} }

// inputFlags has the names of the flags that input.declare declares.
var inputFlags = []string{"format", "map", "durability", "quiet", "max-history"}

// declare declares the flags that say how files are read.
func (in *input) declare(flags *pflag.FlagSet) {
	flags.StringVar(&in.Format, "format", "", "`name` of the format (default: by content; see formats)")
	flags.StringArrayVar(&in.mapping, "map", nil, "what the fields of other records (JSON, CSV, logfmt) mean: `NAME=EXPRESSION,...` or @FILE, as "+
		"process=client,type=kind,f=lower(op); may be repeated (see leadline help mapping)")
	flags.StringVar(&in.durability, "durability", "", "what a crash means: `strict|durable`")
	flags.BoolVarP(&in.quiet, "quiet", "q", false, "do not name the files of directories that are left out, only count them")
	flagkind.Limit(flags, &in.Limits)
}

// check returns an error if the flags or the arguments are not valid.
func (in *input) check(paths []string) error {
	stdin := slices.Index(paths, "-")
	switch {
	case len(paths) == 0:
		return errors.New("no file, directory or - given")
	case slices.Contains(paths, ""):
		return errors.New("an argument is empty")
	case stdin >= 0 && slices.Contains(paths[stdin+1:], "-"):
		return errors.New("- is given twice, but standard input can be read once")
	}
	if err := batch.CheckModel(in.model); err != nil {
		return err
	}
	if in.durability != "" {
		var err error
		if in.Durability, err = history.ParseDurability(in.durability); err != nil {
			return err
		}
	}
	return flagkind.Mapping(&in.Options, in.mapping)
}

// addOutputs checks the flags that name files to write, and excludes these files from
// what is read. Only --output may be -, standard output.
func (in *input) addOutputs(flags *pflag.FlagSet, inputs []string, names ...string) error {
	for _, name := range names {
		o := flags.Lookup(name)
		file := o.Value.String()
		switch {
		case !o.Changed || file == "-" && name == "output":
			continue
		case file == "" || file == "-":
			return fmt.Errorf("--%s needs the name of a file, not %q", name, file)
		}
		in.outputs = append(in.outputs, batch.Output{Name: "--" + name, File: file, IsJournal: name == "resume"})
	}
	return batch.CheckOutputs(in.outputs, inputs, in.Options)
}

// read reads everything that paths name, in order, until ctx is cancelled. If reading
// is not nil, read calls it with the size of each regular file, in bytes, before it
// reads the file.
func (in *input) read(ctx context.Context, s streams, paths []string, reading func(size int64)) iter.Seq[entry] {
	in.stderr = s.err
	o := in.Options
	o.Context, o.Stdin = ctx, s.in
	o.Warn = func(err *codec.SyntaxError) { fmt.Fprintf(s.err, "leadline: warning: %s\n", report.Clean(err.Error())) }
	o.Skipped = func(name string, why error) {
		in.skipped.Add(name, why)
		if !batch.IsLabels(name) {
			in.leftOut.Add(report.Clean(name), why)
		}
	}
	return func(yield func(entry) bool) {
		o.Exclude = batch.IsOutput(in.outputs, s.files()...)
		for file, err := range codec.Files(paths, o) {
			if ctx.Err() != nil {
				return
			}
			if err != nil {
				if !yield(entry{File: file.Name, Err: err}) {
					return
				}
				continue
			}
			if reading != nil {
				reading(file.Size())
			}
			comments := ""
			if in.comments {
				comments = file.Comments()
			}
			for e := range batch.Entries(file) {
				e.Comments, comments = comments, ""
				if errors.Is(e.Err, context.Canceled) || !yield(e) {
					return
				}
			}
		}
	}
}

// report writes the faults of a file or history to stderr, at most history.MaxErrors
// for each file.
func (in *input) report(file string, err error) {
	if file != in.file {
		in.file, in.faults = file, 0
	}
	in.limited = in.limited || errors.Is(err, files.ErrLimit)
	more := batch.HasMore(err)
	count := map[string]int{}
	for _, f := range batch.Faults(err) {
		count[f.Msg]++
	}
	for _, f := range batch.Faults(err) {
		n := count[f.Msg]
		if n == 0 {
			continue // it is like one before
		}
		if in.faults >= history.MaxErrors {
			more = true
			break
		}
		in.faults++
		text := faultText(f)
		if count[f.Msg] = 0; n > 1 {
			text += fmt.Sprintf("; and %d more like it", n-1)
		}
		fmt.Fprintln(in.stderr, text)
	}
	if more && in.faults <= history.MaxErrors {
		in.faults = history.MaxErrors + 1
		fmt.Fprintf(in.stderr, "%s: too many errors\n", report.Clean(file))
	}
}

// faultText returns a fault for people. Below a fault of an expression stand the
// expression and a caret.
func faultText(f *history.Error) string {
	head, rest, _ := strings.Cut(f.Msg, "\n")
	one := *f
	one.Msg = head
	text := report.Clean(one.Error())
	for line := range strings.Lines(rest) {
		text += "\n" + report.Clean(strings.TrimSuffix(line, "\n"))
	}
	return text
}

// leftOutText returns what the last line says about skipped files.
func (in *input) leftOutText() string {
	if in.leftOut.N == 0 {
		return ""
	}
	return fmt.Sprintf("; %s left out%v", counted(in.leftOut.N, "file", "files"), &in.leftOut)
}

// reportLeftOut names the first skipped files for each reason.
func (in *input) reportLeftOut(s streams) {
	if in.quiet && in.counts {
		return
	}
	in.leftOut.Each(func(reason string, n int, names []string) {
		one, many, were := reason+" file", reason+" files", "were"
		if of, ok := strings.CutPrefix(reason, "of "); ok {
			one, many = "file of "+of, "files of "+of
		}
		if n == 1 {
			were = "was"
		}
		if n > len(names) {
			names = append(slices.Clone(names), "...")
		}
		text := ""
		if !in.quiet {
			text = ": " + strings.Join(names, ", ")
		}
		fmt.Fprintf(s.err, "leadline: %s %s left out%s\n", counted(n, one, many), were, text)
	})
}

// end reports which files were skipped, and whether an interrupt ended the command. It
// returns the exit status; status is the one for the results alone. After an interrupt,
// some histories may not have been read.
func (in *input) end(ctx context.Context, s streams, command string, status int) int {
	in.reportLeftOut(s)
	if in.limited {
		fmt.Fprintf(s.err, "leadline %s: --max-history sets the limits; check --memory bounds what reading takes\n", command)
	}
	if ctx.Err() == nil {
		return status
	}
	fmt.Fprintf(s.err, "leadline %s: interrupted; the results are those of what was done before\n", command)
	return batch.InterruptedExit(status)
}

// inProgramOrder relaxes the histories to program order.
func inProgramOrder(from iter.Seq[entry]) iter.Seq[entry] {
	return func(yield func(entry) bool) {
		for e := range from {
			if e.History != nil {
				e.History = e.History.ProgramOrder()
			}
			if !yield(e) {
				return
			}
		}
	}
}
