package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/leadline/leadline/cmd/internal/flagkind"
	"github.com/leadline/leadline/cmd/internal/output"
	"github.com/leadline/leadline/replay/batch"
	"github.com/leadline/leadline/replay/report"
)

const (
	statusOK       = batch.ExitOK
	statusNot      = batch.ExitNot
	statusBad      = batch.ExitBad
	statusUnknown  = batch.ExitUnknown
	statusInternal = batch.ExitInternal
	statusClosed   = output.StatusClosed
)

func worse(a, b int) int { return batch.WorseExit(a, b) }

func main() {
	if status, isWorker := serveSubject(); isWorker {
		os.Exit(status)
	}
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// streams are what a command reads and writes: results go to out, everything
// else to err.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// A command is one subcommand. setup declares its flags and returns the function
// that runs it.
type command struct {
	name, args, short string
	setup             func(flags *pflag.FlagSet) func(s streams, args []string) int
}

func commands() []command {
	return []command{
		{"check", "FILE|DIR|-...", "check recorded histories", setupCheck},
		{"explain", "FILE|DIR|-...", "explain why a history is linearizable or not", setupExplain},
		{"view", "FILE|DIR|-...", "write a page that shows histories, to look at in a browser", setupView},
		{"family", "FILE|DIR|-...", "print strong d-hitting families, or how many schedules they have", setupFamily},
		{"tables", "[FILE|DIR|-...]", "the paper's tables, of these histories or the bundled ones", setupTables},
		{"verify", "CERTIFICATE [HISTORY]", "check a certificate that a history is not linearizable", setupVerify},
		{"convert", "FILE|DIR|-...", "write histories in leadline's own format", setupConvert},
		{"map", "FILE|-", "list the fields of the records of another program, for a mapping", setupMap},
		{"record", "--simulate MODEL|--subject NAME", "make a history whose verdict is known", setupRecord},
		{"stress", "--subject NAME|--new CONSTRUCTOR", "find methods that are not atomic, by generated programs", setupStress},
		{"safety", "--new CONSTRUCTOR|--package PATH", "find types that are not safe for concurrent use: panics, fatal errors, deadlocks", setupSafety},
		{"explore", "[PACKAGE...]", "run existing Go tests under systematic schedules: panics, failures, deadlocks, leaks", setupExplore},
		{"replay", "FILE|SCHEDULE", "replay a schedule that stress has found, step by step", setupReplay},
		{"composed", "PACKAGE...", "list, or check, functions that compose operations of a concurrent collection", setupComposed},
		{"models", "[MODEL...]", "list the specifications and their methods, and the bundled objects", setupModels},
		{"formats", "", "list the formats of history files", setupFormats},
		{"help", "[COMMAND|TOPIC]", "describe a command or a topic", setupHelp},
		{"completion", "bash|zsh|fish|powershell", "print a script that completes command lines in a shell", setupCompletion},
		{"manual", "", "print the manual", setupManual},
		{"version", "", "print the version", setupVersion},
	}
}

func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	out := &output.Writer{W: stdout}
	status := runCommand(streams{stdin, out, stderr}, args)
	switch {
	case out.Closed(): // as if the signal had ended the program
		return statusClosed
	case out.Err != nil:
		fmt.Fprintf(stderr, "leadline: writing the output: %v\n", out.Err)
		status = worse(status, statusBad)
	}
	return status
}

func runCommand(s streams, args []string) int {
	if len(args) == 0 || args[0] == "" || args[0] == "--" {
		usage(s.err)
		return statusBad
	}
	if args[0] == "--version" {
		args = []string{"version"}
	}
	if args[0] == "explore" {
		args = likeGoTest(args)
	}
	status := statusOK
	root := newRoot(s, &status)
	root.SetArgs(args)
	if strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		unquoteUsages(root)
	}
	switch c, err := root.ExecuteC(); {
	case err == nil:
		return status
	case c == root:
		fmt.Fprintf(s.err, "leadline: %s%s; see leadline help\n", report.CleanLines(err.Error()), suggest(args[0], commandNames(), ""))
		return statusBad
	default: // the flags are wrong
		return fail(s, c.Name(), fmt.Errorf("%w%s", flagkind.Explain(err), suggestFlag(err, c.Flags())))
	}
}

// newRoot returns the command line. The command that runs sets status.
func newRoot(s streams, status *int) *cobra.Command {
	root := &cobra.Command{Use: "leadline", SilenceErrors: true, SilenceUsage: true, DisableSuggestions: true}
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetOut(s.out)
	root.SetErr(s.err)
	root.SetHelpFunc(func(c *cobra.Command, _ []string) { printHelp(c) })
	for _, c := range commands() {
		child := c.cobra(s, status)
		if root.AddCommand(child); c.name == "help" {
			root.SetHelpCommand(child)
		}
	}
	return root
}

// cobra returns the command with its flags and completions.
func (c command) cobra(s streams, status *int) *cobra.Command {
	child := &cobra.Command{Use: strings.TrimSpace(c.name + " [flags] " + c.args), Short: c.short,
		ValidArgsFunction: c.complete, Args: cobra.ArbitraryArgs}
	flags := child.Flags()
	flags.SortFlags = false
	do := c.setup(flags)
	child.PreRunE = func(*cobra.Command, []string) error { return flagkind.Empty(flags) }
	child.Run = func(_ *cobra.Command, args []string) { *status = do(s, args) }
	completeFlags(child)
	return child
}

// untilClosed returns a context that an interrupt cancels, or the first write that fails
// as nobody reads the output.
func (s streams) untilClosed() (ctx context.Context, restore func()) {
	if out, ok := s.out.(*output.Writer); ok {
		return out.Interruptible()
	}
	return output.Interruptible()
}

// files returns what standard output and standard error write to, if these are files.
func (s streams) files() (list []fs.File) {
	out := s.out
	if checked, ok := out.(*output.Writer); ok {
		out = checked.W
	}
	for _, w := range []io.Writer{out, s.err} {
		if file, ok := w.(fs.File); ok {
			list = append(list, file)
		}
	}
	return list
}

// interrupted reports that a command was interrupted, unless nobody reads its output.
func (s streams) interrupted(command string) {
	if out, ok := s.out.(*output.Writer); !ok || !out.Closed() {
		fmt.Fprintf(s.err, "leadline %s: interrupted\n", command)
	}
}

// failed reports an error that ended a command, unless it is an error of standard
// output, which run reports.
func (s streams) failed(command string, err error) int {
	if out, ok := s.out.(*output.Writer); !ok || out.Err == nil || !errors.Is(err, out.Err) {
		fmt.Fprintf(s.err, "leadline %s: %s\n", command, report.CleanLines(err.Error()))
	}
	return statusBad
}

// fail reports bad usage.
func fail(s streams, command string, err error) int {
	fmt.Fprintf(s.err, "leadline %s: %s; see leadline %s --help\n", command, report.CleanLines(err.Error()), command)
	return statusBad
}

func usage(w io.Writer) {
	fmt.Fprint(w, "leadline checks recorded histories of concurrent objects for linearizability.\n\nCommands:\n")
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-10s %s\n", c.name, c.short)
	}
	fmt.Fprint(w, "\nleadline help COMMAND describes each; leadline help TOPIC and leadline manual have the manual.\nTopics: "+
		strings.Join(topics(), ", ")+".\n"+
		"Exit status: 0 all linearizable, 1 some not, 2 bad usage or input, 3 some unknown or interrupted, 4 internal error.\n")
}
