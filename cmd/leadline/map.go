package main

import (
	"context"
	"errors"
	"fmt"
	"io"
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
	type template struct {
		text string
		err  error
	}
	done := make(chan template, 1)
	go func() {
		text, err := templateOf(s.in, file)
		done <- template{text, err}
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(s.err, "leadline map: interrupted")
		return statusUnknown
	case p := <-done:
		if p.err != nil {
			return s.failed("map", p.err)
		}
		fmt.Fprint(s.out, p.text)
		return statusOK
	}
}

func templateOf(stdin io.Reader, file string) (string, error) {
	r := stdin
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return "", err
		}
		defer f.Close()
		r = f
	}
	return codec.Template(r, file, codec.Options{})
}
