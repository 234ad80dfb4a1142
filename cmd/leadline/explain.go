package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/batch"
	"github.com/leadline/leadline/replay/report"
	"github.com/spf13/pflag"
)

func setupExplain(flags *pflag.FlagSet) func(streams, []string) int {
	f := newCheckFlags(flags)
	f.explain, f.judges = true, true
	core := ""
	flags.StringVar(&f.history, "history", "", "explain only the history with this `id`")
	flags.StringVar(&core, "core", "", "write the minimal sub-histories that are not linearizable to this `file`, in the native format")
	return func(s streams, args []string) int {
		if err := cmp.Or(f.validate(args), f.input.addOutputs(flags, args, "core")); err != nil {
			return fail(s, "explain", err)
		}
		out := bufio.NewWriter(s.out)
		p := &explainPresenter{out: out, flags: f, options: f.reportOptions(s.out)}
		if core == "" {
			return f.run(s, "explain", args, out, p)
		}
		file, err := batch.CreateWhole(core)
		if err != nil {
			return s.failed("explain", err)
		}
		p.core = file
		status := f.run(s, "explain", args, out, p)
		if err := file.Finish(p.coreErr); err != nil {
			status = worse(status, s.failed("explain", err))
		}
		return status
	}
}

// An explainPresenter writes a report of each history.
type explainPresenter struct {
	out     *bufio.Writer
	flags   *checkFlags
	options report.Options
	shown   int
	core    io.Writer // nil: none
	coreErr error
}

func (p *explainPresenter) present(r *result) error {
	if r.IsFileFault() {
		return nil
	}
	if p.shown++; p.shown > 1 {
		fmt.Fprintln(p.out)
	}
	switch {
	case r.Internal != nil:
		_, err := fmt.Fprintf(p.out, "internal error  %s\n", placeText(&r.Entry))
		return err
	case r.Err != nil:
		_, err := fmt.Fprintf(p.out, "%s: invalid; the faults are on standard error\n", placeText(&r.Entry))
		return err
	}
	if e := r.Verdict.Explanation; p.core != nil && e != nil && len(e.Core) > 0 {
		p.writeCore(r.History, e)
	}
	return report.Explain(p.out, r.History, r.Spec, &r.Verdict, p.options)
}

// writeCore writes the minimal sub-history. It keeps errors for the end.
func (p *explainPresenter) writeCore(h *history.History, e *replay.Explanation) {
	core, err := e.SubHistory(h)
	if err == nil {
		err = codec.Encode(p.core, core)
	}
	if err != nil {
		p.coreErr = errors.Join(p.coreErr, fmt.Errorf("the minimal sub-history of history %q: %w", h.ID, err))
	}
}

func (p *explainPresenter) finish(*batch.Summary) error {
	if p.shown == 0 && p.flags.history != "" {
		return fmt.Errorf("the files do not have a history %q", p.flags.history)
	}
	return nil
}

// onlyHistory yields only the history that --history names, and faults of files.
func (f *checkFlags) onlyHistory(from iter.Seq[entry]) iter.Seq[entry] {
	return func(yield func(entry) bool) {
		for e := range from {
			if (e.IsFileFault() || e.ID() == f.history) && !yield(e) {
				return
			}
		}
	}
}

// reportOptions returns the options of reports that are written to w.
func (f *checkFlags) reportOptions(w io.Writer) report.Options {
	return report.Options{Width: textWidth(w), Color: useColor(w)}
}

// explainCommand returns the command that explains a result, with the relevant flags of
// this check. It is "" for standard input and the members of an archive from there.
func (f *checkFlags) explainCommand(r *result) string {
	file := r.File
	switch {
	case file == "-" || strings.HasPrefix(file, "-/"):
		return ""
	case file[0] == '-': // not a flag
		file = "./" + file
	}
	words := []string{"leadline", "explain"}
	f.all.Visit(func(flag *pflag.Flag) {
		values := []string{flag.Value.String()}
		if list, ok := flag.Value.(pflag.SliceValue); ok { // each was given by itself
			values = list.GetSlice()
		}
		for _, value := range values {
			if hintFlags[flag.Name] {
				words = append(words, "--"+flag.Name+"="+report.ShellWord(value))
			}
		}
	})
	if r.History.ID != "" {
		words = append(words, "--history="+report.ShellWord(r.History.ID))
	}
	return strings.Join(append(words, report.ShellWord(file)), " ")
}

// hintFlags are the flags of check that explainCommand repeats: they decide how a file
// is read or what is checked.
var hintFlags = map[string]bool{"model": true, "format": true, "map": true, "order": true}
