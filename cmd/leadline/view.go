package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"

	"github.com/leadline/leadline/cmd/internal/output"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/replay/batch"
	"github.com/leadline/leadline/replay/view"
	"github.com/spf13/pflag"
)

func setupView(flags *pflag.FlagSet) func(streams, []string) int {
	f := newCheckFlags(flags)
	f.explain, f.input.comments = true, true
	var file string
	flags.StringVarP(&file, "output", "o", "-", "`FILE` to write the page to")
	return func(s streams, args []string) int {
		if err := cmp.Or(f.validate(args), f.input.addOutputs(flags, args, "output")); err != nil {
			return fail(s, "view", err)
		}
		if file == "-" {
			if terminal(s.out) != nil {
				return fail(s, "view", errors.New("standard output is a terminal; name a file with -o view.html"))
			}
			return f.view(s, args)
		}
		out, err := batch.CreateWhole(file)
		if err != nil {
			return s.failed("view", err)
		}
		checked := &output.Writer{W: out}
		status := f.view(streams{s.in, checked, s.err}, args)
		if err := out.Finish(checked.Err); err != nil {
			status = worse(status, s.failed("view", err))
		}
		return status
	}
}

// view writes the page about the histories that args name to s.out.
func (f *checkFlags) view(s streams, args []string) int {
	out := bufio.NewWriter(s.out)
	p := &pagePresenter{view.NewWriter(out)}
	status := f.run(s, "view", args, out, p)
	err := p.page.Close()
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		status = worse(status, s.failed("view", err))
	}
	return status
}

// A pagePresenter writes a page. It lists invalid histories in the page, too.
type pagePresenter struct{ page *view.Writer }

func (p *pagePresenter) present(r *result) error {
	item := view.Item{Name: r.Place(), History: r.History, Spec: r.Spec, Verdict: r.Verdict, Err: r.Err}
	if r.Err == nil {
		item.Steps = stress.ReadSchedule(r.Comments).Steps
	}
	if r.Internal != nil {
		item.Err = errors.New("internal error")
	}
	if err := p.page.Add(item); err != nil {
		return fmt.Errorf("%s: %w", r.Place(), err)
	}
	return nil
}

func (p *pagePresenter) finish(*batch.Summary) error { return nil }
