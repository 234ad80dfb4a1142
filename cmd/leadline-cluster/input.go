package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"iter"
	"os"
	"slices"
	"strings"

	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/replay/batch"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	// maxFiles bounds the number of files of a task, and maxBytes their bytes if there is
	// more than one file.
	maxFiles, maxBytes = 64, 128 << 10
	// maxInline bounds the size of a file that is part of the message.
	maxInline = 512 << 10
	// maxSeen bounds the number of files that are remembered, so that equal ones are
	// checked once.
	maxSeen = 1 << 18
	// bucketPrefix marks an argument that is a bucket of the object store.
	bucketPrefix = "bucket:"
)

// A reader makes tasks of the files that the arguments name.
type reader struct {
	settings settings
	skip     codec.Skip
	inline   int
	stdin    io.Reader
	warn     func(format string, args ...any)
	quiet    bool
	buckets  jetstream.JetStream
	spool    string // directory of large files; "" for that of temporary files

	seen    map[[sha256.Size]byte]reference
	files   int // number of new files
	skipped int
	next    *part
}

func newReader(s settings, payload int64) *reader {
	return &reader{settings: s, inline: int(min(maxInline, payload/2)), seen: map[[sha256.Size]byte]reference{}}
}

// parts yields the parts of the input. The same input has the same parts.
func (r *reader) parts(ctx context.Context, arguments []string) iter.Seq[*part] {
	return func(yield func(*part) bool) {
		r.next = &part{}
		for _, argument := range arguments {
			prefix, files := r.open(ctx, argument)
			for f, err := range files {
				if ctx.Err() != nil {
					return
				}
				last, failed := r.add(prefix+f.Name, f, err)
				if failed != nil {
					r.next.items = append(r.next.items, faultItem(prefix+f.Name, failed))
				}
				if last && !r.yield(yield) {
					return
				}
			}
		}
		if len(r.next.items) > 0 {
			r.yield(yield)
		}
	}
}

// yield passes on the next part. Its key is known now.
func (r *reader) yield(yield func(*part) bool) bool {
	p := r.next
	r.next = &part{}
	if p.task != nil {
		p.key = p.task.key()
		for i := range p.items {
			if at := &p.items[i].at; at.key == "" {
				at.key = p.key
			}
		}
		for i := range p.task.Files {
			if len(r.seen) < maxSeen {
				r.seen[p.task.Files[i].sum] = reference{p.key, i}
			}
		}
	}
	return yield(p)
}

// open returns the files that an argument names, and the prefix of their names.
func (r *reader) open(ctx context.Context, argument string) (string, iter.Seq2[codec.File, error]) {
	prefix := ""
	options := codec.Options{Format: r.settings.Format, Map: r.settings.Map, Limits: r.settings.Limits, Context: ctx, Stdin: r.stdin,
		Skip: r.skip, Skipped: func(name string, why error) {
			if batch.IsLabels(name) {
				return
			}
			if r.skipped++; !r.quiet {
				r.warn("skipped %s: %v", prefix+name, why)
			}
		}}
	if name, ok := strings.CutPrefix(argument, bucketPrefix); ok {
		prefix, argument = bucketPrefix, name
		options.FS = newObjectFS(ctx, r.buckets)
	}
	return prefix, codec.Files([]string{argument}, options)
}

// entries yields what the files hold.
func (r *reader) entries(ctx context.Context, arguments []string) iter.Seq[batch.Entry] {
	return func(yield func(batch.Entry) bool) {
		for _, argument := range arguments {
			_, files := r.open(ctx, argument)
			for f, err := range files {
				if err != nil {
					continue
				}
				for e := range batch.Entries(f) {
					if !yield(e) {
						return
					}
				}
			}
		}
	}
}

// add adds a file to the next part, and reports whether it is the last one of it.
func (r *reader) add(name string, f codec.File, err error) (last bool, failed error) {
	if err != nil {
		return len(r.next.items) >= maxFiles, err
	}
	in, err := f.Open()
	if err != nil {
		return false, err
	}
	defer in.Close()
	content, err := r.content(in)
	if err != nil {
		return false, err
	}
	p := r.next
	sum := content.sum
	if at, ok := r.seen[sum]; ok {
		p.items = append(p.items, item{name: name, at: at})
		if content.spool != "" {
			err = os.Remove(content.spool)
		}
		return len(p.items) >= maxFiles, err
	}
	if p.task == nil {
		p.task = &task{Settings: r.settings}
	}
	index := slices.IndexFunc(p.task.Files, func(f file) bool { return f.sum == sum })
	if index < 0 {
		index = len(p.task.Files)
		p.task.Files = append(p.task.Files, content)
		p.bytes += int64(len(content.data)) + content.spooled
		r.files++
	}
	p.items = append(p.items, item{name: name, at: reference{"", index}})
	// The first tasks are small, so that all workers begin soon. Where a task ends also
	// depends on the content, so that one more file changes few tasks of the next run.
	most := min(maxFiles, 1+r.files/16)
	n := len(p.task.Files)
	return n >= most || p.bytes >= maxBytes || 2*n > most && sum[0] < 256/16 || len(p.items) >= 16*maxFiles, nil
}

// content reads a file. A large one is copied to a temporary file.
func (r *reader) content(in io.Reader) (f file, err error) {
	data, err := io.ReadAll(io.LimitReader(in, int64(r.inline)+1))
	if err != nil || len(data) <= r.inline {
		return file{data: data, sum: sha256.Sum256(data)}, err
	}
	spool, err := os.CreateTemp(r.spool, "leadline-cluster-*")
	if err != nil {
		return file{}, err
	}
	defer func() {
		if closed := spool.Close(); err == nil {
			err = closed
		}
		if err != nil {
			_ = os.Remove(spool.Name())
		}
	}()
	sum := sha256.New()
	out := bufio.NewWriter(io.MultiWriter(spool, sum))
	if _, err = out.Write(data); err != nil {
		return file{}, err
	}
	n, err := io.Copy(out, in)
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		return file{}, err
	}
	f = file{Object: hex.EncodeToString(sum.Sum(nil)), spool: spool.Name(), spooled: n + int64(len(data))}
	sum.Sum(f.sum[:0])
	return f, nil
}

// faultItem returns the line of a file that cannot be read.
func faultItem(name string, err error) item {
	b := &batch.Result{Entry: batch.Entry{Err: err}}
	r := &result{Files: []fileResult{{}}}
	r.add(b)
	return item{name: name, line: r.lines, known: r.Files[0].Entries[0]}
}
