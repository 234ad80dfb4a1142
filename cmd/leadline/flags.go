package main

import (
	"fmt"
	"math"
	"runtime"
	"strconv"
	"strings"

	"github.com/leadline/leadline/replay"
	"github.com/spf13/pflag"
)

// size is a flag that takes a number of bytes: 4096, 512MiB, 2GB.
type size int64

var sizeUnits = []struct {
	suffix string
	factor int64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30},
	{"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"B", 1},
}

func (z *size) Set(text string) error {
	number, factor := text, int64(1)
	for _, u := range sizeUnits {
		if n, ok := strings.CutSuffix(text, u.suffix); ok {
			number, factor = n, u.factor
			break
		}
	}
	n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64/factor {
		return fmt.Errorf("want a number of bytes like 4096, 512MiB or 2GB")
	}
	*z = size(n * factor)
	return nil
}

func (z *size) String() string {
	for _, u := range sizeUnits[:3] {
		if n := int64(*z) / u.factor; n*u.factor == int64(*z) && 0 < n && n < 1<<10 {
			return strconv.FormatInt(n, 10) + u.suffix
		}
	}
	return strconv.FormatInt(int64(*z), 10)
}

func (z *size) Type() string { return "BYTES" }

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

// choice is a flag that takes one of a few words. Hyphens do not count: real-time
// is realtime.
type choice struct {
	value   string
	choices []string
}

func (c *choice) Set(text string) error {
	for _, known := range c.choices {
		if strings.ReplaceAll(text, "-", "") == strings.ReplaceAll(known, "-", "") {
			c.value = known
			return nil
		}
	}
	return fmt.Errorf("want %s", strings.Join(c.choices, ", "))
}

func (c *choice) String() string { return c.value }

func (c *choice) Type() string { return strings.Join(c.choices, "|") }

func choiceFlag(flags *pflag.FlagSet, name, help string, choices ...string) *choice {
	c := &choice{choices[0], choices}
	flags.Var(c, name, help)
	return c
}

// outputFlag declares --output.
func outputFlag(flags *pflag.FlagSet, choices ...string) *choice {
	c := &choice{choices[0], choices}
	flags.VarP(c, "output", "o", "form of the results")
	return c
}

// jobsFlag declares --jobs.
func jobsFlag(flags *pflag.FlagSet, jobs *int, what string) {
	flags.IntVarP(jobs, "jobs", "j", runtime.GOMAXPROCS(0), "histories to "+what+" at the same time")
}

// colorFlag declares --color.
func colorFlag(flags *pflag.FlagSet) *choice {
	return choiceFlag(flags, "color", "colour of verdicts (auto: on terminals, unless NO_COLOR is set)", "auto", "always", "never")
}

// chainsFlag declares --chains.
func chainsFlag(flags *pflag.FlagSet) *choice {
	return choiceFlag(flags, "chains", "chains of the poset: those of the processes, or as few as possible "+
		"(auto: minimum where no process issues two operations)", "auto", "process", "minimum")
}

func chainMode(c *choice) replay.ChainMode {
	switch c.value {
	case "process":
		return replay.ProcessChains
	case "minimum":
		return replay.MinimumChains
	}
	return replay.AutoChains
}
