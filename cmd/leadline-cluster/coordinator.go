package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/nats-io/nats.go"

	"github.com/leadline/leadline/cmd/internal/output"
	"github.com/leadline/leadline/replay/batch"
)

// A coordinator puts the shards of a job into the queue and merges their results.
type coordinator struct {
	*queue
	job
	key      string
	patience time.Duration
	ackWait  time.Duration
	scratch  string // directory of temporary files; "" for the usual one
	s        streams
}

// run writes the lines of all shards in the order of the input.
func (c *coordinator) run(ctx context.Context) (status int, err error) {
	files := make([]*os.File, c.Shards)
	defer func() {
		for _, f := range files {
			if f != nil {
				f.Close()
				os.Remove(f.Name())
			}
		}
	}()
	for part := range files {
		if err := c.persist(ctx, func() error { return c.begin(ctx, part) }); err != nil {
			return 0, err
		}
	}
	for part := range files {
		c.progress(part)
		if files[part], err = c.await(ctx, part); err != nil {
			break
		}
	}
	c.progress(-1)
	if ctx.Err() != nil {
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = c.withdraw(ending, c.key) // otherwise workers go on with what nobody waits for
		return 0, fmt.Errorf("stopped: not all of the %d shards are checked, and no line is written", c.Shards)
	}
	if err != nil {
		return 0, err
	}
	return c.merge(files)
}

// begin puts a shard into the queue unless its result is stored. A shard that was given up
// is tried again.
func (c *coordinator) begin(ctx context.Context, part int) error {
	ok, failed, err := c.stored(ctx, c.key, part)
	if err == nil && failed != "" {
		err, ok = c.results.Delete(ctx, object(c.key, part)), false
	}
	if ok || err != nil {
		return err
	}
	return c.publish(ctx, c.key, part, &c.job)
}

// await waits for the result of a shard and copies it to a temporary file.
func (c *coordinator) await(ctx context.Context, part int) (*os.File, error) {
	const poll = 50 * time.Millisecond
	for asked := time.Now(); ; pause(ctx, poll) {
		var ok bool
		var failed string
		err := c.persist(ctx, func() (err error) {
			if ok, failed, err = c.stored(ctx, c.key, part); ok || err != nil || time.Since(asked) < c.ackWait {
				return err
			}
			asked = time.Now() // the server may have lost the shard
			return c.publish(ctx, c.key, part, &c.job)
		})
		switch {
		case err != nil:
			return nil, err
		case failed != "":
			return nil, &statusError{fmt.Errorf("shard %d/%d: %s", part+1, c.Shards, failed), batch.ExitInternal}
		case ok:
			return c.fetch(ctx, part)
		}
	}
}

// fetch copies the result of a shard to a temporary file.
func (c *coordinator) fetch(ctx context.Context, part int) (*os.File, error) {
	file, err := os.CreateTemp(c.scratch, "leadline-cluster-*")
	if err != nil {
		return nil, err
	}
	err = c.persist(ctx, func() error {
		in, err := c.results.Get(ctx, object(c.key, part))
		if err != nil {
			return err
		}
		defer in.Close()
		if err := file.Truncate(0); err != nil {
			return err
		}
		_, err = io.Copy(io.NewOffsetWriter(file, 0), in)
		return errors.Join(err, in.Error())
	})
	if err != nil {
		file.Close()
		os.Remove(file.Name())
		return nil, err
	}
	return file, nil
}

// merge writes the lines: line k is the next one of shard k mod n.
func (c *coordinator) merge(files []*os.File) (status int, err error) {
	var first shardResult
	from := make([]*bufio.Reader, len(files))
	for part, file := range files {
		r, lines, err := open(file)
		if err != nil {
			return 0, fmt.Errorf("reading the result of shard %d/%d: %w", part+1, c.Shards, err)
		}
		defer lines.Close()
		from[part] = bufio.NewReaderSize(lines, 16<<10)
		if part == 0 {
			first = r
		}
		if r.Entries != first.Entries || r.Names != first.Names {
			return 0, fmt.Errorf("the workers read different inputs: shards 1 and %d found %d and %d entries", part+1, first.Entries, r.Entries)
		}
		status = batch.WorseExit(status, r.Status)
	}
	for _, text := range first.Warnings { // all workers have the same ones
		fmt.Fprintf(c.s.err, "leadline-cluster: warning: %s\n", text)
	}
	if n := first.NotRead; n > 0 {
		fmt.Fprintf(c.s.err, "leadline-cluster: %d of the files hold no histories and were left out, as %s\n", n, strings.Join(first.LeftOut, ", "))
	}
	out := bufio.NewWriter(c.s.out)
	for k := range first.Entries {
		if err := copyLine(out, from[k%len(from)]); err != nil {
			return status, fmt.Errorf("the result of shard %d/%d: %w", k%len(from)+1, c.Shards, err)
		}
	}
	return status, out.Flush()
}

// open reads the first line of a shard's result, and returns a reader of the others, which
// are compressed.
func open(file io.Reader) (r shardResult, lines *zstd.Decoder, err error) {
	compressed := bufio.NewReaderSize(file, 16<<10)
	line, err := compressed.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &r)
	}
	if err == nil {
		lines, err = zstd.NewReader(compressed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(window))
	}
	return r, lines, err
}

// copyLine copies a line of any length.
func copyLine(out io.Writer, from *bufio.Reader) error {
	for {
		piece, err := from.ReadSlice('\n')
		if len(piece) > 0 {
			if _, err := out.Write(piece); err != nil {
				return err
			}
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}

// persist repeats do while the server is out of reach, for as long as patience lasts. The first
// failure begins that time: one request may wait for longer than patience.
func (c *coordinator) persist(ctx context.Context, do func() error) error {
	for lost := (time.Time{}); ; pause(ctx, min(time.Second, c.patience/4)) {
		err := c.connected(ctx, c.patience/4)
		if err == nil {
			err = do()
		}
		switch {
		case err == nil:
			if !lost.IsZero() {
				fmt.Fprintln(c.s.err, "leadline-cluster: the queue is back")
			}
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case !passes(err):
			return err
		case lost.IsZero():
			lost = time.Now()
			fmt.Fprintf(c.s.err, "leadline-cluster: the queue is out of reach: %v; trying again for %v\n", err, c.patience)
		case time.Since(lost) >= c.patience:
			return &statusError{fmt.Errorf("the queue was out of reach for %v: %w; results that the server has stay there", c.patience, err), batch.ExitUnknown}
		}
	}
}

// connected waits a while for the connection to be made again, if it was lost.
func (c *coordinator) connected(ctx context.Context, patience time.Duration) error {
	if c.queue == nil {
		return nil
	}
	for began := time.Now(); !c.nc.IsConnected(); pause(ctx, 20*time.Millisecond) {
		switch {
		case c.nc.IsClosed(): // for example after a wrong token
			return fmt.Errorf("connecting to NATS: %w", c.nc.LastError())
		case ctx.Err() != nil || time.Since(began) >= patience:
			return nats.ErrDisconnected
		}
	}
	return nil
}

// progress shows on a terminal how many shards are done; -1 ends the line.
func (c *coordinator) progress(done int) {
	f, ok := file(c.s.err)
	if !ok {
		return
	}
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return
	}
	text := []byte("\r\033[K")
	if done >= 0 {
		text = fmt.Appendf(text, "%d of %d shards", done, c.Shards)
	}
	_, _ = f.Write(text) // for display only
}

// file returns the file that w writes to.
func file(w io.Writer) (*os.File, bool) {
	if c, ok := w.(*output.Writer); ok {
		w = c.W
	}
	f, ok := w.(*os.File)
	return f, ok
}
