package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/leadline/leadline/replay/batch"
)

// A worker takes shards out of a queue and stores their results.
type worker struct {
	connection
	*queue
	jobs     int
	store    string
	attached bool // to the coordinator that started it
	stderr   io.Writer
}

// run works until the context is cancelled. An attached worker also ends when its standard
// input does, and writes a line when it is connected.
func (w *worker) run(ctx context.Context, s streams) (err error) {
	w.stderr = s.err
	if w.store == "" {
		if w.store, err = os.MkdirTemp("", "leadline-cluster-worker-"); err != nil {
			return err
		}
		defer os.RemoveAll(w.store) // on failure, files stay in the temporary directory
	} else if err := os.MkdirAll(w.store, 0o700); err != nil {
		return err
	}
	// Paths of the jobs are relative to other directories.
	if w.store, err = filepath.Abs(w.store); err != nil {
		return err
	}
	if w.queue, err = w.connect(nats.RetryOnFailedConnect(true)); err != nil {
		return err
	}
	defer w.nc.Close()
	defer func() { _ = w.nc.FlushTimeout(time.Second) }() // without it, the last shard is delivered again
	if w.attached {
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		defer cancel()
		go func() {
			_, _ = io.Copy(io.Discard, s.in) // whatever ends it
			cancel()
		}()
		if _, err := fmt.Fprintln(s.out, "connected"); err != nil {
			return err
		}
	}
	debug.SetGCPercent(400) // small histories leave little behind
	for waits := false; ctx.Err() == nil; pause(ctx, 250*time.Millisecond) {
		err := w.work(ctx)
		switch {
		case ctx.Err() != nil:
		case w.nc.IsClosed(): // for example after a wrong token
			return fmt.Errorf("connecting to NATS: %w", errors.Join(err, w.nc.LastError()))
		case !passes(err): // others may do its shard
			return err
		case !waits && !w.attached:
			fmt.Fprintln(s.err, "leadline-cluster worker: waiting for a coordinator")
		}
		waits = true
	}
	return nil
}

// work does one shard after another until an error.
func (w *worker) work(ctx context.Context) error {
	consumer, err := w.find(ctx)
	for err == nil && ctx.Err() == nil {
		err = w.next(ctx, consumer)
	}
	return err
}

// next waits a while for a shard and does it.
func (w *worker) next(ctx context.Context, consumer jetstream.Consumer) error {
	const patience = 5 * time.Second
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	m, err := consumer.Next(jetstream.FetchContext(waiting))
	switch {
	case errors.Is(err, nats.ErrTimeout) && w.nc.IsConnected(), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		_, err = consumer.Info(ctx) // the server may have begun anew
		return err
	case err != nil:
		return err
	}
	meta, err := m.Metadata()
	if err != nil {
		return err
	}
	ackWait := consumer.CachedInfo().Config.AckWait
	beating, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		for pause(beating, ackWait/3); beating.Err() == nil; pause(beating, ackWait/3) {
			_ = m.InProgress() // without it, the shard is delivered again
		}
	}()
	if err := w.do(ctx, m.Data(), meta.NumDelivered); err != nil {
		_ = m.NakWithDelay(ackWait / 3) // without it, the shard is delivered later
		return err
	}
	return m.DoubleAck(ctx)
}

// do makes sure that the result of a shard is stored.
func (w *worker) do(ctx context.Context, message []byte, delivery uint64) error {
	var t task
	if err := json.Unmarshal(message, &t); err != nil {
		return fmt.Errorf("reading a message: %w", err)
	}
	key := t.Job.key()
	if ok, _, err := w.stored(ctx, key, t.Part); ok || err != nil {
		return err
	}
	if delivery > uint64(t.Job.Tries) {
		text := fmt.Sprintf("given up: %d workers have ended, or were lost, during it", t.Job.Tries)
		return w.queue.store(ctx, key, t.Part, text, bytes.NewReader(nil))
	}
	if err := os.Chdir(t.Job.Dir); err != nil {
		return fmt.Errorf("the directory of the coordinator: %w", err)
	}
	base := filepath.Join(w.store, fmt.Sprintf("%s-%d", key, t.Part))
	r, err := w.check(ctx, &t, base)
	if err != nil {
		return err
	}
	header, err := json.Marshal(r)
	if err != nil {
		return err
	}
	// The coordinator may be away: what was done is not lost.
	for {
		err := w.send(ctx, key, t.Part, append(header, '\n'), base+".lines")
		if err == nil || ctx.Err() != nil || !passes(err) {
			return errors.Join(err, os.Remove(base+".lines"), os.Remove(base+".journal"))
		}
		pause(ctx, 250*time.Millisecond)
	}
}

// window is how far back the compression of results looks. The coordinator needs as much
// memory for each shard.
const window = 128 << 10

// check checks a shard. It writes the lines, compressed, to base.lines, and keeps a journal at
// base.journal.
func (w *worker) check(ctx context.Context, t *task, base string) (r *shardResult, err error) {
	debug.SetMemoryLimit(t.Job.Memory / 10 * 9)
	journal, err := batch.OpenJournal(base+".journal", t.Job.plan(t.Part))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, journal.Close(false)) }()
	file, err := os.Create(base + ".lines")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	out, err := zstd.NewWriter(file, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(window))
	if err != nil {
		return nil, err
	}
	if r, err = t.Job.check(ctx, t.Part, w.jobs, journal, out); err != nil {
		return nil, err
	}
	return r, out.Close()
}

// send stores the result of a shard, unless another worker has stored it.
func (w *worker) send(ctx context.Context, key string, part int, header []byte, lines string) error {
	if ok, _, err := w.stored(ctx, key, part); ok || err != nil {
		return err
	}
	file, err := os.Open(lines)
	if err != nil {
		return err
	}
	defer file.Close()
	return w.queue.store(ctx, key, part, "", io.MultiReader(bytes.NewReader(header), file))
}
