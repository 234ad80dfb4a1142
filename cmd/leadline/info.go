package main

import (
	"fmt"
	"strings"

	"github.com/leadline/leadline/cmd/internal/version"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/history/stress/subject"
	"github.com/leadline/leadline/replay/spec"
	"github.com/spf13/pflag"
)

func setupModels(*pflag.FlagSet) func(streams, []string) int {
	return func(s streams, names []string) int {
		if len(names) == 0 {
			for _, e := range spec.All() {
				fmt.Fprintf(s.out, "%-34s %s\n", e.Name+e.Args, e.Doc)
			}
			fmt.Fprint(s.out, "\nleadline models NAME lists the methods of one.\n\nBundled objects, for --subject of stress, replay and record:\n")
			for _, o := range subject.All() {
				kind := ""
				if o.Broken {
					kind = "broken: "
				}
				fmt.Fprintf(s.out, "%-34s %s%s\n", o.Class.Name, kind, o.Doc)
			}
			fmt.Fprint(s.out, "\nObjects of other libraries are in benchdata/bench/subjects.\n")
			return statusOK
		}
		for _, name := range names {
			name, _, _ = strings.Cut(strings.TrimPrefix(name, "java.util.concurrent."), ":")
			found := false
			for _, e := range spec.All() {
				if !strings.EqualFold(e.Name, name) {
					continue
				}
				found = true
				fmt.Fprintf(s.out, "%s%s: %s\n", e.Name, e.Args, e.Doc)
				for _, m := range e.Methods {
					fmt.Fprintf(s.out, "    %s\n", m)
				}
				for _, n := range e.Notes {
					fmt.Fprintf(s.out, "%s\n", n)
				}
			}
			if !found {
				_, err := spec.Lookup(name, nil) // the error suggests similar names
				return fail(s, "models", err)
			}
		}
		return statusOK
	}
}

func setupFormats(*pflag.FlagSet) func(streams, []string) int {
	return func(s streams, args []string) int {
		if len(args) > 0 {
			return fail(s, "formats", fmt.Errorf("takes no arguments"))
		}
		for _, f := range codec.Formats() {
			fmt.Fprintf(s.out, "%-12s %s\n", f.Name, f.Description)
		}
		fmt.Fprint(s.out, "Each may be plain or compressed by gzip or zstd, and in a tar or zip archive.\n")
		return statusOK
	}
}

func setupVersion(*pflag.FlagSet) func(streams, []string) int {
	return func(s streams, args []string) int {
		if len(args) > 0 {
			return fail(s, "version", fmt.Errorf("takes no arguments"))
		}
		fmt.Fprintf(s.out, "leadline %s\n", version.Text())
		return statusOK
	}
}
