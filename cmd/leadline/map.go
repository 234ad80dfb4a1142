package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/leadline/leadline/cmd/internal/output"
	"github.com/leadline/leadline/history/codec"
	"github.com/spf13/pflag"
)

func setupMap(*pflag.FlagSet) func(streams, []string) int {
	return func(s streams, args []string) int {
		if len(args) != 1 {
			return fail(s, "map", errors.New("takes one file, or - for standard input"))
		}
		ctx, restore := output.Interruptible()
		defer restore()
		return printTemplate(ctx, s, args[0])
	}
}

// printTemplate prints a mapping to fill in for the records of a file. When ctx is cancelled,
// it no longer waits for the file.
func printTemplate(ctx context.Context, s streams, file string) int {
	r := s.in
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return s.failed("map", err)
		}
		defer f.Close()
		r = f
	}
	text, err := codec.Survey(r, file, codec.Options{Context: ctx})
	switch {
	case ctx.Err() != nil:
		fmt.Fprintln(s.err, "leadline map: interrupted")
		return statusUnknown
	case err != nil:
		return s.failed("map", err)
	}
	fmt.Fprint(s.out, text)
	return statusOK
}
