package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/leadline/leadline/cmd/internal/flagkind"
	"github.com/leadline/leadline/cmd/internal/output"
	"github.com/leadline/leadline/cmd/internal/version"
	"github.com/leadline/leadline/replay/batch"
)

const (
	statusOK       = batch.ExitOK
	statusNot      = batch.ExitNot
	statusBad      = batch.ExitBad
	statusUnknown  = batch.ExitUnknown
	statusInternal = batch.ExitInternal
)

func worse(a, b int) int { return batch.WorseExit(a, b) }

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
	{"check", "FILE|DIR|bucket:NAME|-...", "check recorded histories", setupCheck},
	{"stress", "[-- ARGUMENT...]", "run leadline stress with many seeds", setupStress},
	{"worker", "", "take work from a cluster", setupWorker},
	{"version", "", "print the version", setupVersion},
}

func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	s := streams{stdin, stdout, stderr}
	if len(args) == 0 {
		usage(stderr)
		return statusBad
	}
	switch args[0] {
	case "help", "-h", "--help":
		usage(stdout)
		return statusOK
	case "--version":
		args = []string{"version"}
	}
	for _, c := range commands {
		if c.name == args[0] {
			return c.run(s, args[1:])
		}
	}
	fmt.Fprintf(stderr, "leadline-cluster: no command %q; see leadline-cluster help\n", args[0])
	return statusBad
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
		return statusOK
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
		if stopped := (*stoppedError)(nil); errors.As(err, &stopped) {
			fmt.Fprintf(s.err, "leadline-cluster %s: %v\n", c.name, err)
		}
		return batch.InterruptedExit(status)
	case errors.Is(err, errOutOfReach):
		c.fail(s, err)
		return batch.InterruptedExit(status)
	case err != nil:
		return worse(status, c.fail(s, err))
	}
	return status
}

// A stoppedError has the last line of a batch that was interrupted.
type stoppedError struct{ line string }

func (e *stoppedError) Error() string { return e.line }

// A usageError is an error in the command line.
type usageError struct{ error }

func (u *usageError) Unwrap() error { return u.error }

func badUsage(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }

func (c command) fail(s streams, err error) int {
	hint := ""
	if _, ok := err.(*usageError); ok {
		hint = "; see leadline-cluster " + c.name + " --help"
	}
	fmt.Fprintf(s.err, "leadline-cluster %s: %v%s\n", c.name, err, hint)
	return statusBad
}

func usage(w io.Writer) {
	var b strings.Builder
	b.WriteString("leadline-cluster checks recorded histories with many processes and machines.\n\nCommands:\n")
	for _, c := range commands {
		fmt.Fprintf(&b, "  %-8s %s\n", c.name, c.short)
	}
	b.WriteString("\nleadline-cluster COMMAND --help describes each; go doc github.com/leadline/leadline/cmd/leadline-cluster is the manual.\n" +
		"Exit status: 0 all linearizable, 1 some not, 2 bad usage or input, 3 some unknown or interrupted, 4 internal error.\n")
	fmt.Fprint(w, b.String())
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

// urlVariable is the environment variable with the URL for workers that the coordinator
// starts. A command line would show the token in it to all users of the machine.
const urlVariable = "LEADLINE_CLUSTER_URL"

// clusterFlags are the flags of coordinators.
type clusterFlags struct {
	connection
	storage
	store    string
	listen   string
	workers  int
	progress bool
	patience time.Duration
	leadline string
	retry    bool
}

func (c *connection) declare(flags *pflag.FlagSet) {
	flags.StringVar(&c.url, "url", "", "`URL` of a NATS server, as nats://host:4222, several separated by commas, or @FILE for a file that has it")
	flags.StringVar(&c.creds, "creds", "", "`file` with credentials of NATS: a JWT and its key")
	flags.StringVar(&c.nkey, "nkey", "", "`file` with the seed of an nkey")
	flags.StringVar(&c.ca, "tlsca", "", "`file` with the certificates of the authorities that the server's certificate is checked against")
	flags.StringVar(&c.cert, "tlscert", "", "`file` with the certificate of this client")
	flags.StringVar(&c.certKey, "tlskey", "", "`file` with the key of that certificate")
}

func (f *clusterFlags) declare(flags *pflag.FlagSet, workers int) {
	f.connection.declare(flags)
	flags.StringVar(&f.store, "store", "", "`directory` of the embedded server, which keeps results for the next run (default: a temporary one)")
	flags.StringVar(&f.listen, "listen", "127.0.0.1:0", "`address` of the embedded server, for workers on other machines; port 0 is a free one")
	flags.IntVarP(&f.workers, "workers", "w", workers, "worker processes to start on this machine (default with --url: 0)")
	flags.IntVar(&f.tries, "tries", 4, "how many workers may end during a task before it is given up")
	flags.DurationVar(&f.ackWait, "ack-wait", 30*time.Second, "how long a worker may be silent before its task is given to another one")
	flags.DurationVar(&f.keep, "keep", 7*24*time.Hour, "how long the server keeps tasks and results")
	flags.DurationVar(&f.patience, "patience", time.Minute, "how long the server may be out of reach before the command ends with status 3")
	flags.IntVar(&f.replicas, "replicas", 1, "how many servers of a NATS cluster keep each task and result")
	flags.BoolVar(&f.retry, "retry-unknown", false, "do again what was kept as unknown or given up")
	flags.BoolVar(&f.progress, "progress", false, "print a table of the workers every ten seconds (on a terminal: each second, always)")
}

func (f *clusterFlags) validate(flags *pflag.FlagSet) error {
	for _, name := range []string{"store", "listen"} {
		if f.url != "" && flags.Changed(name) {
			return badUsage("--%s is for the embedded server, not for --url", name)
		}
	}
	if f.url != "" && !flags.Changed("workers") {
		f.workers = 0
	}
	for _, bound := range []struct {
		name         string
		value, least int64
	}{{"workers", int64(f.workers), 0}, {"tries", int64(f.tries), 1}, {"replicas", int64(f.replicas), 1},
		{"ack-wait", int64(f.ackWait), int64(100 * time.Millisecond)}, {"keep", int64(f.keep), int64(time.Minute)},
		{"patience", int64(f.patience), int64(100 * time.Millisecond)}} {
		if bound.value < bound.least {
			return badUsage("--%s is too small", bound.name)
		}
	}
	if f.workers > maxJobs || f.tries > 1000 {
		return badUsage("--workers or --tries is too large")
	}
	return nil
}

const maxJobs = 1 << 10

// open returns a queue, with an embedded server if no other is given, and a function
// that closes both.
func (f *clusterFlags) open(ctx context.Context, kind string, s streams) (*queue, func(), error) {
	options, err := f.options()
	if err != nil {
		return nil, nil, err
	}
	url, err := f.address()
	if err != nil {
		return nil, nil, err
	}
	end := func() {}
	spool := ""
	if url == "" {
		dir := f.store
		if dir == "" {
			if dir, err = os.MkdirTemp("", "leadline-cluster-"); err != nil {
				return nil, nil, err
			}
			end = func() { _ = os.RemoveAll(dir) } // on failure, files stay in the temporary directory
		}
		server, at, err := serve(dir, f.listen)
		if err != nil {
			end()
			return nil, nil, err
		}
		remove := end
		end = func() {
			server.Shutdown()
			server.WaitForShutdown()
			remove()
		}
		if f.workers == 0 || f.listen != "127.0.0.1:0" {
			fmt.Fprintf(s.err, "leadline-cluster: serving at %s; workers need --url @%s/url\n", server.Addr(), dir)
		}
		url, spool = at, filepath.Join(dir, spoolName)
	}
	q, err := f.reach(ctx, s, func() (*queue, error) {
		q, err := connect(kind, url, options...)
		if err != nil {
			return nil, err
		}
		if err = q.create(ctx, f.storage); err != nil {
			q.nc.Close()
		}
		return q, err
	})
	if err != nil {
		end()
		return nil, nil, err
	}
	q.url, q.spool = url, spool
	return q, func() { q.nc.Close(); end() }, nil
}

// reach calls open until it succeeds, or fails for another reason than a server that is
// out of reach, or patience ends.
func (f *clusterFlags) reach(ctx context.Context, s streams, open func() (*queue, error)) (*queue, error) {
	for began, said := time.Now(), false; ; {
		q, err := open()
		switch {
		case err == nil:
			if said {
				fmt.Fprintln(s.err, "leadline-cluster: the queue is back")
			}
			return q, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case !absent(err) && !passes(err):
			return nil, err
		case time.Since(began) >= f.patience:
			return nil, outOfReach(f.patience, err)
		case !said:
			said = true
			fmt.Fprintf(s.err, "leadline-cluster: "+tryingAgain+"\n", err, f.patience)
		}
		pause(ctx, min(time.Second, f.patience/4))
	}
}

// setupWorker declares the flags of leadline-cluster worker.
func setupWorker(flags *pflag.FlagSet) func(context.Context, streams, []string) (int, error) {
	var c connection
	c.declare(flags)
	jobs := flags.IntP("jobs", "j", runtime.GOMAXPROCS(0), "tasks at the same time")
	stress := flags.String("stress", "", "take the tasks of stress instead, by this `program`: the path or name of leadline")
	attached := flags.Bool("attached", false, "")
	_ = flags.MarkHidden("attached")
	return func(ctx context.Context, s streams, args []string) (int, error) {
		switch {
		case len(args) > 0:
			return 0, badUsage("takes no arguments")
		case *jobs < 1 || *jobs > maxJobs:
			return 0, badUsage("--jobs must be 1 to %d", maxJobs)
		case c.url == "":
			c.url = os.Getenv(urlVariable)
		}
		if c.url == "" {
			return 0, badUsage("no --url given")
		}
		return 0, c.work(ctx, s, *jobs, *stress, *attached)
	}
}
