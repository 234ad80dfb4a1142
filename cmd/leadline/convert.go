package main

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/leadline/leadline/cmd/internal/output"
	"github.com/leadline/leadline/history"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/replay/batch"
	"github.com/leadline/leadline/replay/spec"
	"github.com/spf13/pflag"
)

// convertFlags are the flags of leadline convert.
type convertFlags struct {
	input *input
}

func setupConvert(flags *pflag.FlagSet) func(streams, []string) int {
	f := &convertFlags{input: newInput()}
	flags.StringVar(&f.input.model, "model", "", "sequential `specification` that the output names, as queue or ArrayBlockingQueue:20 "+
		"(default: what the input names; see leadline models)")
	f.input.declare(flags)
	return f.run
}

func (f *convertFlags) run(s streams, args []string) int {
	if err := f.input.check(args); err != nil {
		return fail(s, "convert", err)
	}
	return f.convert(s, args)
}

// rename sets the model of a history to that of --model, as check would choose it.
func rename(h *history.History, model string) error {
	if strings.EqualFold(model, h.Model) {
		return nil
	}
	if _, err := batch.ModelOf(h, model); err != nil {
		return err
	}
	name, args, err := spec.ParseName(model)
	h.Model, h.ModelArgs = name, args
	return err
}

// convert writes every history that the native format can represent. Other histories and
// faults of the input are reported and skipped.
func (f *convertFlags) convert(s streams, args []string) int {
	ctx, restore := output.Interruptible()
	defer restore()
	out := bufio.NewWriter(s.out)
	status := statusOK
	for e := range f.input.read(ctx, s, args, nil) {
		err := e.Err
		if err == nil && f.input.model != "" {
			err = rename(e.History, f.input.model)
		}
		if err != nil {
			f.input.report(e.File, err)
			status = worse(status, statusBad)
			continue
		}
		if err := codec.Encode(out, e.History); err != nil {
			if out.Flush() != nil {
				break
			}
			f.input.report(e.File, fmt.Errorf("%s: %w", e.Place(), err))
			status = worse(status, statusBad)
			continue
		}
	}
	status = f.input.end(ctx, s, "convert", status)
	if err := out.Flush(); err != nil {
		status = worse(status, s.failed("convert", err))
	}
	return status
}
