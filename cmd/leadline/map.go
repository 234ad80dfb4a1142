package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/leadline/leadline/history/codec"
	"github.com/spf13/pflag"
)

func setupMap(*pflag.FlagSet) func(streams, []string) int { return runMap }

// runMap prints a mapping for the records of a file.
func runMap(s streams, args []string) int {
	if len(args) != 1 {
		return fail(s, "map", errors.New("takes one file, or - for standard input"))
	}
	var r io.Reader = s.in
	if args[0] != "-" {
		f, err := os.Open(args[0])
		if err != nil {
			return fail(s, "map", err)
		}
		defer f.Close()
		r = f
	}
	mapping, err := codec.Propose(r, args[0], codec.Options{})
	if err != nil {
		return fail(s, "map", err)
	}
	fmt.Fprint(s.out, mapping)
	return statusOK
}
