package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"go/token"

	"github.com/leadline/leadline/cmd/internal/flagkind"
	"github.com/leadline/leadline/cmd/internal/output"
	"github.com/leadline/leadline/replay/composed/extract"
	"github.com/spf13/pflag"
)

// composedFlags are the flags of leadline composed.
type composedFlags struct {
	output *flagkind.Choice
	check  bool
}

func setupComposed(flags *pflag.FlagSet) func(streams, []string) int {
	f := &composedFlags{}
	flags.BoolVar(&f.check, "check", false, "explore the functions beside an environment that changes the collection, and report those that are not atomic")
	f.output = outputFlag(flags, "text", "json")
	return f.run
}

func (f *composedFlags) run(s streams, args []string) int {
	if len(args) == 0 {
		return fail(s, "composed", errors.New("no packages; ./... is all of a module"))
	}
	ctx, restore := output.Interruptible()
	defer restore()
	found, err := extract.Find(ctx, "", args)
	switch {
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(s.err, "leadline composed: interrupted")
		return statusUnknown
	case err != nil:
		return s.failed("composed", err)
	}
	status := statusOK
	for _, fault := range found.Faults {
		fmt.Fprintln(s.err, fault)
		status = statusBad
	}
	if f.check {
		return worse(status, f.explore(ctx, s, found))
	}
	out := bufio.NewWriter(s.out)
	if f.output.Value == "json" {
		err = printComposedJSON(out, found)
	} else {
		printComposed(out, found)
	}
	if err = errors.Join(err, out.Flush()); err != nil {
		return worse(status, s.failed("composed", err))
	}
	return status
}

// printComposed lists the functions and their operations. The caller gets errors of out
// from its Flush.
func printComposed(out *bufio.Writer, found *extract.Result) {
	for _, f := range found.Functions {
		fmt.Fprintf(out, "%v: %s: %s (%s)\n", f.Position, f.Name, f.Collection, f.Type)
		for _, o := range f.Operations {
			fmt.Fprintf(out, "    %v: %s", o.Position, o.Method)
			if o.Via != "" {
				fmt.Fprintf(out, ", in %s", o.Via)
			}
			if o.Loop {
				fmt.Fprint(out, ", in a loop")
			}
			fmt.Fprintln(out)
		}
	}
	fmt.Fprintf(out, "%s, %s with several operations on a collection\n",
		counted(found.Packages, "package", "packages"), counted(len(found.Functions), "function", "functions"))
}

// A placeRecord is a place in a file, in JSON.
type placeRecord struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

func newPlace(p token.Position) placeRecord { return placeRecord{p.Filename, p.Line, p.Column} }

// A composedRecord is a line of composed --output json.
type composedRecord struct {
	placeRecord
	Package    string            `json:"package"`
	Function   string            `json:"function"`
	Collection string            `json:"collection"`
	Type       string            `json:"type"`
	Operations []operationRecord `json:"operations"`
	Check      *checkedRecord    `json:"check"` // null without --check
}

type operationRecord struct {
	placeRecord
	Method string  `json:"method"`
	Loop   bool    `json:"loop"`
	Via    *string `json:"via"`
}

func newComposedRecord(f *extract.Function) *composedRecord {
	r := &composedRecord{newPlace(f.Position), f.Package, f.Name, f.Collection, f.Type, nil, nil}
	for _, o := range f.Operations {
		r.Operations = append(r.Operations, operationRecord{newPlace(o.Position), o.Method, o.Loop, present(o.Via)})
	}
	return r
}

func printComposedJSON(out *bufio.Writer, found *extract.Result) error {
	for _, f := range found.Functions {
		if err := writeJSON(out, newComposedRecord(f)); err != nil {
			return err
		}
	}
	return nil
}
