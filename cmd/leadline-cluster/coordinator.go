package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/leadline/leadline/replay/batch"
)

// A coordinator puts the shards of a job into the queue and merges their results.
type coordinator struct {
	*queue
	job
	key         string
	scratch     string // directory of temporary files
	out, stderr io.Writer
	results     []*shardResult
	asked       time.Time // when ask was called; zero before that
}

// run writes the lines of all shards in the order of the input.
func (c *coordinator) run(ctx context.Context) (status int, err error) {
	defer func() {
		// Otherwise workers go on with what nobody waits for.
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = c.withdraw(ending, c.key)
	}()
	for len(c.results) < c.Shards && err == nil {
		c.progress(fmt.Sprintf("%d of %d shards", len(c.results), c.Shards))
		err = c.await(ctx, len(c.results))
	}
	c.progress("")
	var failed *statusError
	switch {
	case ctx.Err() != nil:
		return 0, fmt.Errorf("stopped: not all of the %d shards are checked, and no line is written", c.Shards)
	case errors.As(err, &failed):
		return 0, err
	case err != nil:
		return batch.ExitUnknown, fmt.Errorf("the queue: %w; the same command goes on with the results that are stored there", err)
	}
	return c.merge()
}

// await waits for the result of a shard and copies it to a temporary file.
func (c *coordinator) await(ctx context.Context, part int) error {
	const poll = 50 * time.Millisecond
	for ctx.Err() == nil {
		if time.Since(c.asked) >= ackWait {
			if err := c.ask(ctx, part); err != nil {
				return err
			}
		}
		r, err := c.result(ctx, part)
		if err != nil {
			return err
		}
		if r != nil {
			c.results = append(c.results, r)
			slowly := time.Duration(r.size) * 10 * time.Microsecond // 100 kB/s
			ctx, cancel := context.WithTimeout(ctx, 10*time.Second+slowly)
			defer cancel()
			return c.stored.GetFile(ctx, object(c.key, part), c.file(part))
		}
		pause(ctx, poll)
	}
	return ctx.Err()
}

// ask puts the shards from a part on into the queue, unless they are there or have a
// result. Another coordinator of the same job may have withdrawn them. At first, it also
// tries again what an earlier run has given up.
func (c *coordinator) ask(ctx context.Context, from int) error {
	for part := from; part < c.Shards; part++ {
		r, err := c.result(ctx, part)
		var failed *statusError
		if errors.As(err, &failed) && c.asked.IsZero() {
			err = c.stored.Delete(ctx, object(c.key, part))
		}
		if err == nil && r == nil {
			err = c.publish(ctx, c.key, shard{c.job, part})
		}
		if err != nil {
			return err
		}
	}
	c.asked = time.Now()
	return nil
}

// result returns the result of a shard, nil if none is stored, or a statusError.
func (c *coordinator) result(ctx context.Context, part int) (*shardResult, error) {
	r, err := c.queue.result(ctx, c.key, part)
	if err == nil && r != nil && r.Failed != "" {
		return nil, &statusError{fmt.Errorf("shard %d/%d: %s", part+1, c.Shards, r.Failed), r.Status}
	}
	return r, err
}

// file returns the name of the temporary file with the lines of a shard.
func (c *coordinator) file(part int) string { return filepath.Join(c.scratch, strconv.Itoa(part)) }

// merge writes the lines: line k is the next one of shard k mod n.
func (c *coordinator) merge() (status int, err error) {
	first, from := c.results[0], make([]*bufio.Reader, c.Shards)
	for part, r := range c.results {
		if r.Entries != first.Entries || r.Input != first.Input {
			return batch.ExitBad, fmt.Errorf("the workers of shards 1 and %d read different inputs: %d and %d entries, checksums %x and %x", part+1, first.Entries, r.Entries, first.Input, r.Input)
		}
		file, err := os.Open(c.file(part))
		if err != nil {
			return batch.ExitInternal, err
		}
		defer file.Close()
		lines, err := zstd.NewReader(file, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(window))
		if err != nil {
			return batch.ExitInternal, err
		}
		defer lines.Close()
		from[part] = bufio.NewReaderSize(lines, 16<<10)
		status = batch.WorseExit(status, r.Status)
	}
	for _, text := range first.Warnings { // all workers have the same ones
		fmt.Fprintf(c.stderr, "leadline-cluster: warning: %s\n", text)
	}
	if n := first.NotRead; n > 0 {
		fmt.Fprintf(c.stderr, "leadline-cluster: %d of the files hold no histories and were left out, as %s\n", n, strings.Join(first.LeftOut, ", "))
	}
	out := bufio.NewWriter(c.out)
	for k := range first.Entries {
		if err := copyLine(out, from[k%c.Shards]); err != nil {
			return batch.ExitInternal, fmt.Errorf("the result of shard %d/%d: %w", k%c.Shards+1, c.Shards, err)
		}
	}
	return status, out.Flush()
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

// progress replaces the line with the progress, if the messages go to a terminal.
func (c *coordinator) progress(text string) {
	if f, ok := c.stderr.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			fmt.Fprintf(f, "\r\033[K%s", text)
		}
	}
}
