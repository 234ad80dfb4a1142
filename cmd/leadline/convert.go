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

func setupConvert(flags *pflag.FlagSet) func(streams, []string) int {
	in := newInput()
	flags.StringVar(&in.model, "model", "", "sequential `specification` that the output names, as queue or ArrayBlockingQueue:20 "+
		"(default: what the input names; see leadline models)")
	in.declare(flags)
	return func(s streams, args []string) int {
		if err := in.check(args); err != nil {
			return fail(s, "convert", err)
		}
		return convert(s, in, args)
	}
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
func convert(s streams, in *input, args []string) int {
	ctx, restore := output.Interruptible()
	defer restore()
	out := bufio.NewWriter(s.out)
	status := statusOK
	for e := range in.read(ctx, s, args, nil) {
		err := e.Err
		if err == nil && in.model != "" {
			err = rename(e.History, in.model)
		}
		if err != nil {
			in.report(e.File, err)
			status = worse(status, statusBad)
			continue
		}
		if err := codec.Encode(out, e.History); err != nil {
			if out.Flush() != nil {
				break
			}
			in.report(e.File, fmt.Errorf("%s: %w", e.Place(), err))
			status = worse(status, statusBad)
			continue
		}
	}
	status = in.end(ctx, s, "convert", status)
	if err := out.Flush(); err != nil {
		status = worse(status, s.failed("convert", err))
	}
	return status
}
