package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/spf13/cobra"

	"github.com/leadline/leadline/replay/batch"
)

// A worker takes shards out of a queue and stores their results.
type worker struct {
	*queue
	url      string
	jobs     int
	dir      string // with the journals
	attached bool   // to the coordinator that started it
	stderr   io.Writer
}

func newWorker(status *int) *cobra.Command {
	w := &worker{}
	c := command("worker [flags]", "check shards for a coordinator", status, func(c *cobra.Command, args []string) (task, error) {
		switch {
		case len(args) > 0:
			return nil, errors.New("it takes no arguments")
		case w.jobs < 1 || w.jobs > maxWorkers:
			return nil, fmt.Errorf("--jobs must be 1 to %d", maxWorkers)
		case w.url == "":
			return nil, errors.New("no --url given")
		}
		w.stderr = c.ErrOrStderr()
		return func(ctx context.Context) (int, error) { return 0, w.run(ctx, c.InOrStdin()) }, nil
	})
	flags := c.Flags()
	flags.StringVar(&w.url, "url", "", "`URL` of the coordinator's server, as nats://host:4222, or @FILE for a file that has it")
	flags.IntVarP(&w.jobs, "jobs", "j", runtime.GOMAXPROCS(0), "histories at the same time")
	flags.StringVar(&w.dir, "store", "", "`directory` with journals, so that a worker that is started again goes on (default: a temporary one)")
	flags.BoolVar(&w.attached, "attached", false, "")
	_ = flags.MarkHidden("attached")
	return c
}

// run works until the context is cancelled. An attached worker also ends when its standard
// input does.
func (w *worker) run(ctx context.Context, stdin io.Reader) (err error) {
	if w.dir == "" {
		if w.dir, err = os.MkdirTemp("", "leadline-cluster-worker-"); err != nil {
			return err
		}
		defer os.RemoveAll(w.dir) // on failure, files stay in the temporary directory
	}
	if w.dir, err = filepath.Abs(w.dir); err == nil { // jobs change the working directory
		err = os.MkdirAll(w.dir, 0o700)
	}
	if err != nil {
		return err
	}
	if w.queue, err = connect(w.url, nats.RetryOnFailedConnect(true)); err != nil {
		return err
	}
	defer w.nc.Close()
	if w.attached {
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		defer cancel()
		go func() {
			_, _ = io.Copy(io.Discard, stdin) // whatever ends it
			cancel()
		}()
	}
	debug.SetGCPercent(400) // small histories leave little behind
	for ctx.Err() == nil {
		var consumer jetstream.Consumer
		err := w.insist(ctx, "waiting for a coordinator that runs the same program", func() (err error) {
			consumer, err = w.find(ctx)
			return err
		})
		if err == nil {
			err = w.next(ctx, consumer)
		}
		if err != nil && ctx.Err() == nil {
			return err
		}
	}
	return nil
}

// insist repeats a request to the server until it succeeds. It returns an error if the
// context ends, or the connection, for example after a wrong token.
func (w *worker) insist(ctx context.Context, what string, request func() error) error {
	for reported := false; ; pause(ctx, 250*time.Millisecond) {
		err := request()
		switch {
		case err == nil, ctx.Err() != nil:
			return err
		case w.nc.IsClosed():
			return fmt.Errorf("connecting to NATS: %w", errors.Join(err, w.nc.LastError()))
		case !reported:
			fmt.Fprintf(w.stderr, "leadline-cluster worker: %s: %v\n", what, err)
			reported = true
		}
	}
}

// next waits a while for a shard and does it.
func (w *worker) next(ctx context.Context, consumer jetstream.Consumer) error {
	const patience = 5 * time.Second
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	m, err := consumer.Next(jetstream.FetchContext(waiting))
	if err != nil {
		return nil // there is none, or find reports the error
	}
	meta, err := m.Metadata()
	if err != nil {
		return err
	}
	silence := consumer.CachedInfo().Config.AckWait
	beating, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		for pause(beating, silence/3); beating.Err() == nil; pause(beating, silence/3) {
			_ = m.InProgress() // without it, the shard is delivered again
		}
	}()
	var s shard
	if err := json.Unmarshal(m.Data(), &s); err != nil {
		return fmt.Errorf("reading a message: %w", err)
	}
	if err := w.do(ctx, &s, meta.NumDelivered); err != nil {
		_ = m.Nak() // without it, the shard is delivered later
		return err
	}
	return w.insist(ctx, "ending a shard", func() error { return m.DoubleAck(ctx) })
}

// do makes sure that the result of a shard is stored. What keeps the worker from checking
// it is a result, too: on another machine, the input may be missing.
func (w *worker) do(ctx context.Context, s *shard, delivery uint64) error {
	key := s.Job.key()
	failed := &shardResult{Status: batch.ExitInternal, Failed: fmt.Sprintf("given up: %d workers have ended, or were lost, during it", tries)}
	if delivery <= uint64(tries) {
		err := w.check(ctx, key, s)
		if err == nil || ctx.Err() != nil || w.nc.IsClosed() {
			return err
		}
		host, _ := os.Hostname() // "" if it has no name
		failed = &shardResult{Status: batch.ExitBad, Failed: fmt.Sprintf("a worker on %s: %v", host, err)}
	}
	return w.send(ctx, key, s.Part, failed, nil)
}

// window is how far back the compression of lines looks. The coordinator needs as much
// memory for each shard.
const window = 128 << 10

// check checks a shard, unless its result is stored, and stores the result.
func (w *worker) check(ctx context.Context, key string, s *shard) (err error) {
	if done, err := w.done(ctx, key, s.Part); done || err != nil {
		return err
	}
	if err := os.Chdir(s.Job.Dir); err != nil {
		return fmt.Errorf("the directory of the coordinator: %w", err)
	}
	debug.SetMemoryLimit(s.Job.Memory / 10 * 9)
	var name string
	var journal *batch.Journal
	for i := 0; journal == nil; i++ { // a worker that was taken to be lost may have the first one
		name = filepath.Join(w.dir, fmt.Sprintf("%s-%d-%d", key, s.Part, i))
		if journal, err = batch.OpenJournal(name+".journal", s.Job.plan(s.Part)); err != nil && !errors.Is(err, batch.ErrLocked) {
			return err
		}
	}
	defer func() { err = errors.Join(err, journal.Close(false)) }()
	lines, err := os.Create(name + ".lines")
	if err != nil {
		return err
	}
	defer lines.Close()
	compressed, err := zstd.NewWriter(lines, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(window))
	if err != nil {
		return err
	}
	r, err := s.Job.check(ctx, s.Part, w.jobs, journal, compressed)
	if err = errors.Join(err, compressed.Close()); err == nil {
		err = w.send(ctx, key, s.Part, r, lines)
	}
	if err == nil {
		err = errors.Join(os.Remove(name+".lines"), os.Remove(name+".journal"))
	}
	return err
}

// done reports whether the result of a shard is stored.
func (w *worker) done(ctx context.Context, key string, part int) (done bool, err error) {
	err = w.insist(ctx, "asking for a result", func() error {
		r, err := w.result(ctx, key, part)
		done = r != nil
		return err
	})
	return done, err
}

// send stores the result of a shard, unless another worker has stored it.
func (w *worker) send(ctx context.Context, key string, part int, r *shardResult, lines io.ReadSeeker) error {
	if done, err := w.done(ctx, key, part); done || err != nil {
		return err
	}
	return w.insist(ctx, "storing a result", func() error {
		if lines == nil {
			return w.store(ctx, key, part, r, nil)
		}
		if _, err := lines.Seek(0, io.SeekStart); err != nil {
			return err
		}
		return w.store(ctx, key, part, r, lines)
	})
}
