package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/pflag"

	"github.com/leadline/leadline/cmd/internal/flagkind"
	"github.com/leadline/leadline/cmd/internal/output"
	"github.com/leadline/leadline/cmd/internal/version"
	"github.com/leadline/leadline/replay/batch"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// streams are what a command reads and writes: results go to out, everything else
// to err.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// A command is one subcommand. setup declares its flags and returns what runs it.
type command struct {
	name, args, short string
	setup             func(*pflag.FlagSet) func(context.Context, streams, []string) (int, error)
}

var commands = []command{
	{"check", "FILE|DIR...", "check recorded histories", setupCheck},
	{"worker", "", "check shards for a coordinator", setupWorker},
	{"version", "", "print the version", setupVersion},
}

func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	s := streams{stdin, stdout, stderr}
	if len(args) == 0 {
		usage(stderr)
		return batch.ExitBad
	}
	switch args[0] {
	case "help", "-h", "--help":
		usage(stdout)
		return batch.ExitOK
	case "--version":
		args = []string{"version"}
	}
	for _, c := range commands {
		if c.name == args[0] {
			return c.run(s, args[1:])
		}
	}
	fmt.Fprintf(stderr, "leadline-cluster: no command %q; see leadline-cluster help\n", args[0])
	return batch.ExitBad
}

func (c command) run(s streams, args []string) int {
	flags := pflag.NewFlagSet(c.name, pflag.ContinueOnError)
	flags.SortFlags = false
	flags.SetOutput(io.Discard)
	flags.Usage = func() {} // Parse would call it for --help
	do := c.setup(flags)
	switch err := flagkind.Parse(flags, args); {
	case errors.Is(err, pflag.ErrHelp):
		fmt.Fprintf(s.out, "leadline-cluster %s: %s\n\nUsage:\n  leadline-cluster %s [flags] %s\n\nFlags:\n%s",
			c.name, c.short, c.name, c.args, flags.FlagUsagesWrapped(100))
		return batch.ExitOK
	case err != nil:
		return c.fail(s, &usageError{err})
	}
	out := &output.Writer{W: s.out}
	s.out = out
	ctx, restore := out.Interruptible()
	defer restore()
	status, err := do(ctx, s, flags.Args())
	switch {
	case out.Closed():
		return output.StatusClosed
	case ctx.Err() != nil:
		fmt.Fprintf(s.err, "leadline-cluster %s: interrupted\n", c.name)
		if err != nil && !errors.Is(err, context.Canceled) {
			fmt.Fprintf(s.err, "leadline-cluster %s: %v\n", c.name, err)
		}
		return batch.InterruptedExit(status)
	case err != nil:
		return batch.WorseExit(status, c.fail(s, err))
	}
	return status
}

// A usageError is an error in the command line.
type usageError struct{ error }

func (u *usageError) Unwrap() error { return u.error }

func badUsage(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }

// A statusError is an error with its own exit status.
type statusError struct {
	error
	status int
}

func (e *statusError) Unwrap() error { return e.error }

// fail reports an error and returns the exit status.
func (c command) fail(s streams, err error) int {
	hint, status := "", batch.ExitBad
	var usage *usageError
	var other *statusError
	switch {
	case errors.As(err, &usage):
		hint = "; see leadline-cluster " + c.name + " --help"
	case errors.As(err, &other):
		status = other.status
	}
	fmt.Fprintf(s.err, "leadline-cluster %s: %v%s\n", c.name, err, hint)
	return status
}

const whichToUse = `
When to use which:
  one machine                    leadline check DIR
  one machine, histories that may end their process
                                 leadline-cluster check DIR
  Kubernetes or Slurm            leadline check --shard; see deploy/ beside the source
  other machines, one file system
                                 leadline-cluster check and leadline-cluster worker

leadline-cluster COMMAND --help describes each command, and
go doc github.com/leadline/leadline/cmd/leadline-cluster is the manual.
Exit status: 0 all linearizable, 1 some not, 2 bad usage or input, 3 some unknown or
interrupted, 4 internal error.
`

func usage(w io.Writer) {
	var b strings.Builder
	b.WriteString("leadline-cluster checks recorded histories with several processes or machines.\n\nCommands:\n")
	for _, c := range commands {
		fmt.Fprintf(&b, "  %-8s %s\n", c.name, c.short)
	}
	fmt.Fprint(w, b.String()+whichToUse)
}

func setupVersion(*pflag.FlagSet) func(context.Context, streams, []string) (int, error) {
	return func(_ context.Context, s streams, args []string) (int, error) {
		if len(args) > 0 {
			return 0, badUsage("takes no arguments")
		}
		_, err := fmt.Fprintf(s.out, "leadline-cluster %s\n", version.Text())
		return 0, err
	}
}

const maxJobs = 1 << 10

// setupWorker declares the flags of leadline-cluster worker.
func setupWorker(flags *pflag.FlagSet) func(context.Context, streams, []string) (int, error) {
	w := &worker{}
	w.declare(flags)
	flags.IntVarP(&w.jobs, "jobs", "j", runtime.GOMAXPROCS(0), "histories at the same time")
	flags.StringVar(&w.store, "store", "", "`directory` with a journal, so that a worker that is started again goes on (default: a temporary one)")
	flags.BoolVar(&w.attached, "attached", false, "")
	_ = flags.MarkHidden("attached")
	return func(ctx context.Context, s streams, args []string) (int, error) {
		switch {
		case len(args) > 0:
			return 0, badUsage("takes no arguments")
		case w.jobs < 1 || w.jobs > maxJobs:
			return 0, badUsage("--jobs must be 1 to %d", maxJobs)
		case w.url == "":
			w.url = os.Getenv(urlVariable)
		}
		if w.url == "" {
			return 0, badUsage("no --url given")
		}
		return 0, w.run(ctx, s)
	}
}
