package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/leadline/leadline/cmd/internal/flagkind"
	"github.com/leadline/leadline/cmd/internal/output"
	"github.com/leadline/leadline/cmd/internal/version"
	"github.com/leadline/leadline/replay/batch"
	"github.com/leadline/leadline/replay/report"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

const long = `leadline-cluster checks recorded histories with several processes or machines.

When to use which:
  one machine                    leadline check DIR
  one machine, histories that may end their process
                                 leadline-cluster check DIR
  Kubernetes or Slurm            leadline check --shard; see deploy/ beside the source
  other machines, one file system
                                 leadline-cluster check and leadline-cluster worker

go doc github.com/leadline/leadline/cmd/leadline-cluster is the manual.
Exit status: 0 all linearizable, 1 some not, 2 bad usage or input, 3 some unknown or
interrupted, 4 internal error.`

// badUsage is the status until a command has accepted its flags and arguments.
const badUsage = -1

// A task runs a command. An error without a status other than 0 means bad input.
type task func(context.Context) (status int, err error)

// A statusError is an error with its own exit status.
type statusError struct {
	error
	status int
}

// run runs a command line: results go to stdout, everything else to stderr.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	out := &output.Writer{W: stdout}
	ctx, restore := out.Interruptible()
	defer restore()
	status := badUsage
	root := &cobra.Command{Use: "leadline-cluster", Long: long, Version: version.Text(), SilenceErrors: true, SilenceUsage: true,
		RunE: func(*cobra.Command, []string) error { return errors.New("no command is given") }}
	root.SetVersionTemplate("leadline-cluster {{.Version}}\n")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return flagkind.Explain(err) })
	root.AddCommand(newCheck(&status), newWorker(&status), &cobra.Command{Use: "version", Short: "print the version", Args: cobra.NoArgs,
		Run: func(c *cobra.Command, _ []string) {
			fmt.Fprintf(c.OutOrStdout(), "leadline-cluster %s\n", root.Version)
		}})
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(out)
	root.SetErr(stderr)
	c, err := root.ExecuteContextC(ctx)
	var own *statusError
	if errors.As(err, &own) {
		status = own.status
	}
	fail := func(text string) { fmt.Fprintf(stderr, "%s: %s\n", c.CommandPath(), report.CleanLines(text)) }
	switch {
	case out.Closed():
		return output.StatusClosed
	case err != nil && status == badUsage:
		fail(err.Error() + "; see " + c.CommandPath() + " --help")
		return batch.ExitBad
	case ctx.Err() != nil:
		fail("interrupted")
		status = batch.InterruptedExit(status)
	case err != nil && status == batch.ExitOK:
		status = batch.ExitBad
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		fail(err.Error())
	}
	return max(status, batch.ExitOK)
}

// command returns a command. accept checks its flags and arguments and returns what to do.
func command(use, short string, status *int, accept func(c *cobra.Command, args []string) (task, error)) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, RunE: func(c *cobra.Command, args []string) error {
		if err := flagkind.Empty(c.Flags()); err != nil {
			return err
		}
		do, err := accept(c, args)
		if err == nil {
			*status, err = do(c.Context())
		}
		return err
	}}
	c.Flags().SortFlags = false
	return c
}
