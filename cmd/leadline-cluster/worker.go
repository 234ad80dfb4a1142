package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/replay/batch"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A worker takes tasks out of a queue and stores their results.
type worker struct {
	queue    *queue
	jobs     int
	leadline string // the program that runs stress
	id       string
	stderr   io.Writer

	busy             atomic.Int64
	files, histories atomic.Int64
}

// checkEntry is replaced by tests.
var checkEntry = (*batch.Checker).Check

func newWorker(q *queue, jobs int, leadline string, stderr io.Writer) *worker {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return &worker{queue: q, jobs: jobs, leadline: leadline, stderr: stderr, id: host + "-" + strconv.Itoa(os.Getpid())}
}

// run works until the context is cancelled.
func (w *worker) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var all sync.WaitGroup
	defer all.Wait()
	all.Go(func() { w.announce(ctx) })
	errs := make(chan error, w.jobs)
	for range w.jobs {
		all.Go(func() { errs <- w.work(ctx) })
	}
	var failed error
	for range w.jobs {
		if err := <-errs; failed == nil && err != nil && ctx.Err() == nil {
			failed = err
			cancel()
		}
	}
	cancel()
	return failed
}

// work does one task after another. After an error it looks for the consumer again,
// since the server may have been restarted with other files.
func (w *worker) work(ctx context.Context) error {
	for ctx.Err() == nil {
		consumer, err := w.queue.find(ctx)
		if err != nil {
			return err
		}
		config := consumer.CachedInfo().Config
		tries, err := strconv.ParseUint(config.Metadata[triesKey], 10, 32)
		if err != nil {
			return fmt.Errorf("the consumer %s was not created by leadline-cluster: %w", config.Durable, err)
		}
		for err == nil && ctx.Err() == nil {
			err = w.next(ctx, consumer, config.AckWait, tries)
		}
		if w.queue.nc.IsClosed() {
			return err
		}
		if err != nil && ctx.Err() == nil && !passes(err) {
			fmt.Fprintf(w.stderr, "leadline-cluster worker: %v\n", err)
		}
		pause(ctx, 100*time.Millisecond)
	}
	return nil
}

// next waits a while for a task and does it.
func (w *worker) next(ctx context.Context, consumer jetstream.Consumer, ackWait time.Duration, tries uint64) error {
	const patience = 5 * time.Second
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	m, err := consumer.Next(jetstream.FetchContext(waiting))
	switch {
	case errors.Is(err, nats.ErrTimeout), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return nil
	case err != nil:
		return err
	}
	meta, err := m.Metadata()
	if err != nil {
		return err
	}
	w.busy.Add(1)
	defer w.busy.Add(-1)
	beating, stop := context.WithCancel(ctx)
	defer stop()
	go beat(beating, m, ackWait/3)
	key := m.Subject()[strings.LastIndexByte(m.Subject(), '.')+1:]
	if err := w.do(ctx, key, m.Data(), meta.NumDelivered, tries); err != nil {
		_ = m.NakWithDelay(ackWait / 3) // without it, the task is delivered later
		return err
	}
	return m.Ack()
}

// beat reports at intervals that a task is being worked on.
func beat(ctx context.Context, m jetstream.Msg, every time.Duration) {
	for {
		pause(ctx, every)
		if ctx.Err() != nil {
			return
		}
		_ = m.InProgress() // without it, the task is delivered again
	}
}

// do makes sure that the result of a task is stored. It divides a task that is delivered
// again, so that a file that ends its worker affects no other files.
func (w *worker) do(ctx context.Context, key string, message []byte, delivery, tries uint64) error {
	if r, err := w.queue.result(ctx, key); r != nil || err != nil {
		return err
	}
	t, err := decodeTask(message)
	var r *result
	switch {
	case err != nil:
		r = fault(1, err)
	case delivery > 1 && len(t.Files) > 1:
		r, err = w.split(ctx, t)
	case delivery > tries:
		r = fault(1, giveUp(tries))
	case t.Stress != nil && checkArguments(t.Stress) != nil:
		r = fault(1, checkArguments(t.Stress))
	case t.Stress != nil:
		r, err = w.stress(ctx, t)
	default:
		r, err = w.checkFiles(ctx, t)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if r == nil {
		return err
	}
	return w.queue.storeResult(ctx, key, r)
}

// giveUp returns the error for a file that ended too many workers.
func giveUp(tries uint64) error {
	return fmt.Errorf("given up: %d workers have ended, or were lost, while they checked this", tries)
}

// split makes a task of each file.
func (w *worker) split(ctx context.Context, t *task) (*result, error) {
	r := &result{}
	for i := range t.Files {
		one := t.only(i)
		key := one.key()
		if err := w.queue.publishTask(ctx, key, one); err != nil {
			return nil, err
		}
		r.Split = append(r.Split, key)
	}
	return r, nil
}

// checkFiles checks the histories of all files of a task. An error is one of the
// cluster, not of a file.
func (w *worker) checkFiles(ctx context.Context, t *task) (*result, error) {
	c := batch.Checker{Model: t.Settings.Model, Options: t.Settings.Options, Explain: t.Settings.Explain, Times: t.Settings.Times}
	c.Options.Budget.Process *= int64(w.jobs) // the setting is for one job
	r := &result{}
	for i := range t.Files {
		r.Files = append(r.Files, fileResult{})
		if err := w.checkFile(ctx, &t.Settings, &c, &t.Files[i], r); err != nil {
			return nil, err
		}
		w.files.Add(1)
	}
	return r, nil
}

func (w *worker) checkFile(ctx context.Context, s *settings, c *batch.Checker, f *file, r *result) error {
	in := &source{r: bytes.NewReader(f.data)}
	if f.Object != "" {
		var o jetstream.ObjectResult
		err := w.queue.persist(ctx, func() (err error) {
			o, err = w.queue.data.Get(ctx, f.Object)
			return err
		})
		if err != nil {
			return fmt.Errorf("reading a large file: %w", err)
		}
		defer o.Close()
		in.r = o
	}
	of := &r.Files[len(r.Files)-1]
	n := 0
	for h, err := range codec.Decode(in, "", codec.Options{Format: s.Format, Map: s.Map, Limits: s.Limits, Context: ctx,
		Warn: func(err *codec.SyntaxError) { of.Warnings = append(of.Warnings, warning{err.Line, err.Msg}) }}) {
		if h != nil && s.ProgramOrder {
			h = h.ProgramOrder()
		}
		b := checkEntry(c, ctx, batch.Entry{Number: n, History: h, Err: err})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		r.add(b)
		w.histories.Add(1)
		n++
	}
	return in.err
}

// A source keeps the error of its reader, which is not a fault of the file.
type source struct {
	r   io.Reader
	err error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if err != nil && err != io.EOF {
		s.err = fmt.Errorf("reading a large file: %w", err)
	}
	return n, err
}

// statuses maps exit statuses of leadline to statuses of results.
var statuses = []batch.Status{batch.Linearizable, batch.NotLinearizable, batch.Invalid, batch.Unknown, batch.Internal}

// stress runs leadline stress. The result has what it prints.
func (w *worker) stress(ctx context.Context, t *task) (*result, error) {
	cmd := exec.CommandContext(ctx, w.leadline, stressArguments(t)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // it ends its own processes
	cmd.WaitDelay = 10 * time.Second
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	output, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || !exit.Exited()) {
		return nil, fmt.Errorf("running %s: %w", w.leadline, err)
	}
	status := batch.Internal
	if code := cmd.ProcessState.ExitCode(); code < len(statuses) {
		status = statuses[code]
	}
	r := &result{Files: []fileResult{{}}}
	lines := slices.Collect(bytes.Lines(output))
	if len(lines) == 0 {
		text, err := json.Marshal(map[string]string{"kind": "error", "message": strings.TrimSpace(stderr.String())})
		if err != nil {
			return nil, err
		}
		lines = append(lines, append(text, '\n'))
	}
	for _, line := range lines {
		r.lines = append(r.lines, line...)
		r.Files[0].Entries = append(r.Files[0].Entries, entryResult{Status: status, Size: len(line), Final: true})
	}
	w.files.Add(1)
	return r, nil
}

// stressArguments returns the arguments of leadline for a task.
func stressArguments(t *task) []string {
	return append([]string{"stress", "--output", "json", "--save", "", "--seed=" + t.Seed}, t.Stress...)
}

// An alive message says what a worker does.
type alive struct {
	ID               string
	Kind             string
	Jobs, Busy       int64
	Files, Histories int64 // since it began
}

// announce says every second, and at the end, what the worker does.
func (w *worker) announce(ctx context.Context) {
	for last := false; ; last = ctx.Err() != nil {
		text, err := json.Marshal(alive{w.id, w.queue.kind, int64(w.jobs), w.busy.Load(), w.files.Load(), w.histories.Load()})
		if err == nil {
			_ = w.queue.nc.Publish(aliveSubject+"."+w.queue.program, text) // for display only
		}
		if last {
			return
		}
		pause(ctx, time.Second)
	}
}
