package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"

	"github.com/spf13/cobra"

	"github.com/leadline/leadline/cmd/internal/flagkind"
	"github.com/leadline/leadline/cmd/internal/output"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/batch"
)

// checkFlags are the flags of leadline-cluster check.
type checkFlags struct {
	job
	maps    []string // of --map
	order   *flagkind.Choice
	chains  *flagkind.Choice
	memory  flagkind.Size
	url     string
	store   string
	listen  string
	workers int
}

const (
	// maxShards bounds the number of shards: the coordinator has a file open for each.
	maxShards = 512
	// maxWorkers bounds the numbers of processes, and of jobs in one.
	maxWorkers = 1 << 10
	// coordinatorMemory is the size of the process, in bytes, from which on it collects
	// garbage more often.
	coordinatorMemory = 96 << 20
	anyPort           = "127.0.0.1:0"
)

func newCheck(status *int) *cobra.Command {
	f := &checkFlags{memory: 2 << 30}
	f.Limits = codec.DefaultLimits
	c := command("check [flags] FILE|DIR...", "check recorded histories", status, f.accept)
	flags := c.Flags()
	flags.StringVar(&f.Model, "model", "", "sequential `specification`, as for leadline check")
	flags.StringVar(&f.Format, "format", "", "`name` of the files' format (default: by content)")
	flags.StringArrayVar(&f.maps, "map", nil, "`mapping` of records, as for leadline check")
	f.order = flagkind.NewChoice(flags, "order", "order that a witness must respect", "realtime", "program")
	f.chains = flagkind.NewChoice(flags, "chains", "chains of the poset", "auto", "process", "minimum")
	flagkind.Limit(flags, &f.Limits)
	flags.IntVar(&f.MaxDepth, "max-depth", replay.DefaultMaxDepth, "largest `d` of the families")
	flags.DurationVar(&f.Timeout, "timeout", 0, "time for one history (default: no bound)")
	flags.Var(&f.memory, "memory", "memory of each worker, shared by its jobs")
	flags.IntVar(&f.Shards, "shards", 0, "`number` of parts of the input; each part reads all of it (default: one for each worker here, and at least 1)")
	flags.IntVarP(&f.workers, "workers", "w", 1, "worker processes to start on this machine (default with --url: 0)")
	flags.StringVar(&f.listen, "listen", anyPort, "`address` of the embedded server, for workers on other machines; port 0 is a free one")
	flags.StringVar(&f.store, "store", "", "`directory` of the embedded server, so that the same command goes on after it was stopped (default: a temporary one)")
	flags.StringVar(&f.url, "url", "", "`URL` of a NATS server to use instead, as nats://host:4222, or @FILE for a file that has it")
	return c
}

// accept checks the flags and completes the job.
func (f *checkFlags) accept(c *cobra.Command, args []string) (do task, err error) {
	changed := c.Flags().Changed
	if f.url != "" && !changed("workers") {
		f.workers = 0
	}
	if !changed("shards") {
		f.Shards = max(1, f.workers)
	}
	switch {
	case f.url != "" && (changed("store") || changed("listen")):
		return nil, errors.New("--store and --listen are for the embedded server, not for --url")
	case len(args) == 0:
		return nil, errors.New("no file or directory given")
	case slices.Contains(args, ""):
		return nil, errors.New("an argument is empty")
	case slices.Contains(args, "-"):
		return nil, errors.New("standard input can be read once, but each shard reads the input: give a file")
	case f.Shards < 1 || f.Shards > maxShards:
		return nil, fmt.Errorf("--shards must be 1 to %d", maxShards)
	case f.workers < 0 || f.workers > maxWorkers:
		return nil, fmt.Errorf("--workers must be 0 to %d", maxWorkers)
	case f.MaxDepth < 1:
		return nil, errors.New("--max-depth must be at least 1")
	case f.Timeout < 0:
		return nil, errors.New("--timeout must not be negative")
	case f.memory < 1<<20:
		return nil, errors.New("--memory must be at least 1MiB")
	}
	read := &codec.Options{Format: f.Format}
	if err := errors.Join(batch.CheckModel(f.Model), flagkind.Mapping(read, f.maps)); err != nil {
		return nil, err
	}
	f.Map, f.Memory = read.Map, int64(f.memory) // workers need not have the file of the mapping
	f.Paths, f.ProgramOrder, f.Chains = args, f.order.Value == "program", replay.ChainMode(f.chains.Index())
	if f.Program, err = batch.Program(); err == nil {
		f.Dir, err = os.Getwd()
	}
	return func(ctx context.Context) (int, error) { return f.run(ctx, c.OutOrStdout(), c.ErrOrStderr()) }, err
}

// run opens the queue, starts the workers of this machine and prints the results.
func (f *checkFlags) run(ctx context.Context, stdout, stderr io.Writer) (status int, err error) {
	store := f.store
	if store == "" {
		if store, err = os.MkdirTemp("", "leadline-cluster-"); err != nil {
			return 0, err
		}
		defer os.RemoveAll(store) // on failure, files stay in the temporary directory
	}
	scratch := filepath.Join(store, "results")
	if err := os.MkdirAll(store, 0o700); err != nil {
		return 0, err
	}
	lock, err := batch.Lock(filepath.Join(store, "lock"))
	if err != nil {
		return 0, err
	}
	defer lock.Close()
	defer os.RemoveAll(scratch) // and the next run tries it again
	// A coordinator that was killed may have left files there.
	if err := errors.Join(os.RemoveAll(scratch), os.Mkdir(scratch, 0o700)); err != nil {
		return 0, err
	}
	if f.Input, err = fingerprint(f.Paths, written(store, stdout)); err != nil {
		return 0, err
	}
	debug.SetMemoryLimit(coordinatorMemory) // what passes through the server is soon garbage
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	url := f.url
	if url == "" {
		server, err := serve(ctx, fail, store, f.listen)
		if err != nil {
			return 0, err
		}
		defer server.WaitForShutdown()
		defer server.Shutdown()
		url = "@" + filepath.Join(store, "url")
		if f.workers == 0 || f.listen != anyPort {
			fmt.Fprintf(stderr, "leadline-cluster: serving at %s; workers need this program and --url %s\n", server.Addr(), url)
		}
	}
	q, err := connect(url)
	if err != nil {
		return 0, err
	}
	defer q.nc.Close()
	if err := q.create(ctx); err != nil {
		return batch.ExitUnknown, err
	}
	l := &local{url: url, store: filepath.Join(store, "journals"), n: f.workers, stderr: stderr, restarts: f.Shards * tries, failed: fail}
	wait, err := l.start(ctx)
	if err != nil {
		return 0, err
	}
	defer wait()
	defer fail(nil)
	k := &coordinator{queue: q, job: f.job, key: f.key(), scratch: scratch, out: stdout, stderr: stderr}
	status, err = k.run(ctx)
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		err = cause
	}
	return status, err
}

// written returns what reports whether this command writes a file or directory. It must not
// be in the input, which would change while it is read.
func written(store string, stdout io.Writer) func(fs.FileInfo) bool {
	if w, ok := stdout.(*output.Writer); ok {
		stdout = w.W
	}
	var open []fs.File
	if file, ok := stdout.(fs.File); ok {
		open = append(open, file)
	}
	return batch.IsOutput([]batch.Output{{File: store}}, open...)
}
