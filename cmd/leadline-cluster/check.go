package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"github.com/leadline/leadline/cmd/internal/flagkind"
	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/batch"
)

// checkFlags are the flags of leadline-cluster check.
type checkFlags struct {
	connection
	job
	maps     []string // of --map
	order    *flagkind.Choice
	chains   *flagkind.Choice
	memory   flagkind.Size
	store    string
	listen   string
	workers  int
	ackWait  time.Duration
	patience time.Duration
}

// maxShards bounds the number of shards: the coordinator has a file open for each.
const maxShards = 512

// coordinatorMemory is the size of the process, in bytes, from which on it collects garbage
// more often.
const coordinatorMemory = 96 << 20

func setupCheck(flags *pflag.FlagSet) func(context.Context, streams, []string) (int, error) {
	f := &checkFlags{memory: 2 << 30}
	f.Limits = codec.DefaultLimits
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
	f.declare(flags)
	flags.StringVar(&f.store, "store", "", "`directory` of the embedded server, so that the same command goes on after it was stopped (default: a temporary one)")
	flags.StringVar(&f.listen, "listen", "127.0.0.1:0", "`address` of the embedded server, for workers on other machines; port 0 is a free one")
	flags.IntVarP(&f.workers, "workers", "w", 1, "worker processes to start on this machine (default with --url: 0)")
	flags.IntVar(&f.Tries, "tries", 4, "how many workers may end during a shard before it is given up")
	flags.DurationVar(&f.ackWait, "ack-wait", 30*time.Second, "how long a worker may be silent before its shard is given to another one")
	flags.DurationVar(&f.patience, "patience", time.Minute, "how long the server may be out of reach before the command ends with status 3")
	return func(ctx context.Context, s streams, args []string) (int, error) {
		if err := f.complete(flags, args); err != nil {
			return 0, err
		}
		return f.run(ctx, s)
	}
}

// complete checks the flags and completes the job.
func (f *checkFlags) complete(flags *pflag.FlagSet, args []string) (err error) {
	if f.url != "" {
		if flags.Changed("store") || flags.Changed("listen") {
			return badUsage("--store and --listen are for the embedded server, not for --url")
		}
		if !flags.Changed("workers") {
			f.workers = 0
		}
	}
	if !flags.Changed("shards") {
		f.Shards = max(1, f.workers)
	}
	switch {
	case len(args) == 0:
		return badUsage("no file or directory given")
	case slices.Contains(args, ""):
		return badUsage("an argument is empty")
	case slices.Contains(args, "-"):
		return badUsage("standard input can be read once, but each shard reads the input: give a file")
	case f.Shards < 1 || f.Shards > maxShards:
		return badUsage("--shards must be 1 to %d", maxShards)
	case f.workers < 0 || f.workers > maxJobs:
		return badUsage("--workers must be 0 to %d", maxJobs)
	case f.Tries < 1:
		return badUsage("--tries must be at least 1")
	case f.MaxDepth < 1:
		return badUsage("--max-depth must be at least 1")
	case f.Timeout < 0:
		return badUsage("--timeout must not be negative")
	case f.memory < 1<<20:
		return badUsage("--memory must be at least 1MiB")
	case f.ackWait < 100*time.Millisecond || f.patience < 100*time.Millisecond:
		return badUsage("--ack-wait and --patience must be at least 100ms")
	}
	if err := batch.CheckModel(f.Model); err != nil {
		return &usageError{err}
	}
	read := &codec.Options{Format: f.Format}
	if err := flagkind.Mapping(read, f.maps); err != nil {
		return &usageError{err}
	}
	f.Map, f.Memory = read.Map, int64(f.memory) // workers need not have the file of the mapping
	f.Paths, f.ProgramOrder, f.Chains = args, f.order.Value == "program", replay.ChainMode(f.chains.Index())
	if f.Program, err = batch.Program(); err != nil {
		return err
	}
	f.Dir, err = os.Getwd()
	return err
}

// run opens the queue, starts the workers of this machine and prints the results.
func (f *checkFlags) run(ctx context.Context, s streams) (status int, err error) {
	if f.url == "" && f.store == "" {
		if f.store, err = os.MkdirTemp("", "leadline-cluster-"); err != nil {
			return 0, err
		}
		defer os.RemoveAll(f.store) // on failure, files stay in the temporary directory
	}
	if f.url == "" {
		server, url, err := serve(f.store, f.listen)
		if err != nil {
			return 0, err
		}
		defer server.WaitForShutdown()
		defer server.Shutdown()
		if f.workers == 0 || f.listen != "127.0.0.1:0" {
			fmt.Fprintf(s.err, "leadline-cluster: serving at %s; workers need --url @%s/url\n", server.Addr(), f.store)
		}
		f.url = url
	}
	if f.Input, err = fingerprint(f.Paths, f.written(s)); err != nil {
		return 0, err
	}
	scratch := ""
	if f.store != "" {
		scratch = filepath.Join(f.store, "results")
		// A coordinator that was killed may have left files there.
		if err := errors.Join(os.RemoveAll(scratch), os.Mkdir(scratch, 0o700)); err != nil {
			return 0, err
		}
	}
	debug.SetMemoryLimit(coordinatorMemory) // what passes through the server is soon garbage
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	c := &coordinator{job: f.job, key: f.key(), patience: f.patience, ackWait: f.ackWait, scratch: scratch, s: s}
	if err := c.persist(ctx, func() (err error) { c.queue, err = f.connect(); return err }); err != nil {
		return 0, err
	}
	defer c.nc.Close()
	if err := c.persist(ctx, func() error { return c.create(ctx, f.ackWait) }); err != nil {
		return 0, err
	}
	wait, err := f.startLocal(ctx, s, fail)
	if err != nil {
		return 0, err
	}
	defer wait()
	defer fail(nil)
	status, err = c.run(ctx)
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		err = cause
	}
	return status, err
}

// written returns what this command writes. It must not be in the input, which would
// change while it is read.
func (f *checkFlags) written(s streams) (files []os.FileInfo) {
	if info, err := os.Stat(f.store); err == nil {
		files = append(files, info)
	}
	if out, ok := file(s.out); ok {
		if info, err := out.Stat(); err == nil && info.Mode().IsRegular() {
			files = append(files, info)
		}
	}
	return files
}
