package main

import (
	"fmt"
	"runtime"

	"github.com/leadline/leadline/cmd/internal/flagkind"
	"github.com/leadline/leadline/replay"
	"github.com/spf13/pflag"
)

// noEffect returns an error if one of the named flags is given. why completes the
// sentence "--flag has no effect ...".
func noEffect(flags *pflag.FlagSet, why string, names ...string) error {
	for _, name := range names {
		if flags.Changed(name) {
			return fmt.Errorf("--%s has no effect %s", name, why)
		}
	}
	return nil
}

// notZero returns an error if one of the named flags is given as 0, which would be taken
// for its default.
func notZero(flags *pflag.FlagSet, names ...string) error {
	for _, name := range names {
		if text := flags.Lookup(name).Value.String(); flags.Changed(name) && (text == "0" || text == "0s") {
			return fmt.Errorf("--%s must not be 0", name)
		}
	}
	return nil
}

// outputFlag declares --output.
func outputFlag(flags *pflag.FlagSet, choices ...string) *flagkind.Choice {
	c := &flagkind.Choice{Value: choices[0], Choices: choices}
	flags.VarP(c, "output", "o", "form of the results")
	return c
}

// jobsFlag declares --jobs.
func jobsFlag(flags *pflag.FlagSet, jobs *int, what string) {
	flags.IntVarP(jobs, "jobs", "j", runtime.GOMAXPROCS(0), "histories to "+what+" at the same time")
}

// chainsFlag declares --chains, whose choices are in the order of replay.ChainMode.
func chainsFlag(flags *pflag.FlagSet) *flagkind.Choice {
	return flagkind.NewChoice(flags, "chains", "chains of the poset: those of the processes, or as few as possible "+
		"(auto: minimum where no process issues two operations)", "auto", "process", "minimum")
}

func chainMode(c *flagkind.Choice) replay.ChainMode { return replay.ChainMode(c.Index()) }
