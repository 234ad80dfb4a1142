package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"time"

	"github.com/leadline/leadline/history/codec"
	"github.com/leadline/leadline/replay"
	"github.com/leadline/leadline/replay/batch"
	"github.com/leadline/leadline/replay/report"
)

// A job is what a coordinator was asked for. Every message to the workers has it.
type job struct {
	Program string   // see batch.Program
	Input   string   // fingerprint of the files
	Dir     string   // that the paths are relative to
	Paths   []string // as the user gave them, because the lines of results have them
	Shards  int

	Model, Format, Map string
	Limits             codec.Limits
	ProgramOrder       bool
	Chains             replay.ChainMode
	MaxDepth           int
	Timeout            time.Duration
	Memory             int64
}

// key returns the name of the job in the queue. The same command on the same files has the
// same key.
func (j *job) key() string {
	text, err := json.Marshal(j)
	if err != nil {
		panic(fmt.Sprintf("leadline-cluster: %v", err)) // all fields have a form in JSON
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

// fingerprint returns a hash of the names, sizes and times of the files that paths name. It
// is an error if one of the written files is among them.
func fingerprint(paths []string, written func(fs.FileInfo) bool) (string, error) {
	sum := sha256.New()
	add := func(name string, info fs.FileInfo) error {
		if written(info) {
			return fmt.Errorf("%s is written by this command, and it is in the input", name)
		}
		if !info.IsDir() { // writing a file changes the time of its directory
			fmt.Fprintf(sum, "%q %d %d\n", name, info.Size(), info.ModTime().UnixNano())
		}
		return nil
	}
	for _, path := range paths {
		fmt.Fprintf(sum, "%q\n", path)
		info := existing(path)
		var err error
		switch {
		case info == nil: // reading reports it
		case !info.IsDir():
			err = add(path, info)
		default:
			err = filepath.WalkDir(path+string(filepath.Separator), func(name string, _ fs.DirEntry, err error) error {
				info, failed := os.Stat(name)
				if err != nil || failed != nil { // reading reports it
					return nil
				}
				return add(name, info)
			})
		}
		if err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:16]), nil
}

// existing returns what a path names or, if the path leads into an archive, the archive. It
// returns nil if there is neither.
func existing(path string) fs.FileInfo {
	for at := path; ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		switch {
		case err == nil && (at == path || !info.IsDir()):
			return info
		case err == nil || filepath.Dir(at) == at:
			return nil
		}
	}
}

// A shardResult is the result of a shard without its lines.
type shardResult struct {
	Status int    // exit status
	Failed string // why there are no lines, or ""
	// Entries is the number of entries of the whole input, and Input a checksum of them.
	// All shards must have read the same.
	Entries  int
	Input    uint32
	Warnings []string // the first ones, about files
	LeftOut  []string // names of the first files that hold no histories
	NotRead  int      // number of such files
	size     uint64   // of the lines, compressed
}

// maxNotes bounds the numbers of warnings and names of a result.
const maxNotes = 20

// entries yields the input. It counts in r what it yields.
func (j *job) entries(ctx context.Context, r *shardResult) iter.Seq[batch.Entry] {
	o := codec.Options{Format: j.Format, Map: j.Map, Limits: j.Limits, Context: ctx,
		Warn: func(err *codec.SyntaxError) {
			if len(r.Warnings) < maxNotes {
				r.Warnings = append(r.Warnings, report.Clean(err.Error()))
			}
		},
		Skipped: func(name string, _ error) {
			if batch.IsLabels(name) {
				return
			}
			if r.NotRead++; len(r.LeftOut) < maxNotes {
				r.LeftOut = append(r.LeftOut, report.Clean(name))
			}
		}}
	o.Limits.Memory = j.Memory / 3 * 2
	return func(yield func(batch.Entry) bool) {
		emit := func(e batch.Entry) bool {
			if errors.Is(e.Err, context.Canceled) {
				return false
			}
			r.Entries++
			if j.Shards > 1 {
				r.Input = crc32.Update(r.Input, crc32.IEEETable, identity(&e))
			}
			if e.History != nil && j.ProgramOrder {
				e.History = e.History.ProgramOrder()
			}
			return yield(e)
		}
		for file, err := range codec.Files(j.Paths, o) {
			if ctx.Err() != nil || err != nil && !emit(batch.Entry{File: file.Name, Err: err}) {
				return
			}
			if err != nil {
				continue
			}
			for e := range batch.Entries(file) {
				if !emit(e) {
					return
				}
			}
		}
	}
}

// identity returns bytes that identify the content of an entry.
func identity(e *batch.Entry) []byte {
	if e.History == nil {
		return fmt.Appendf(nil, "%q %q", e.File, e.Err.Error())
	}
	key := e.Key()
	return key[:]
}

// checkEntry is replaced by tests.
var checkEntry = (*batch.Checker).Check

// check writes the lines of a shard to out. The journal has the results of an earlier
// attempt.
func (j *job) check(ctx context.Context, part, jobs int, journal *batch.Journal, out io.Writer) (*shardResult, error) {
	r := &shardResult{}
	checker := &batch.Checker{Model: j.Model, Explain: true, Journal: journal, Options: replay.Options{MaxDepth: j.MaxDepth, Chains: j.Chains,
		Budget: replay.Budget{Time: j.Timeout, Process: j.Memory, Bytes: j.Memory / int64(jobs) / 10 * 7}}}
	reading, stop := context.WithCancel(ctx)
	defer stop()
	shard := batch.Shard{Part: part, N: j.Shards}
	var failed error
	one := func(e batch.Entry) *batch.Result { return checkEntry(checker, reading, e) }
	batch.InOrder(shard.Of(j.entries(reading, r)), jobs, batch.Entry.Ops, one, func(b *batch.Result, _ bool) bool {
		if b.Skipped {
			return true
		}
		r.Status = batch.WorseExit(r.Status, b.Status().Exit())
		_, failed = out.Write(b.AppendLine(nil))
		if failed == nil {
			failed = journal.Err()
		}
		if failed != nil {
			stop()
		}
		return failed == nil
	})
	return r, errors.Join(failed, ctx.Err())
}

// plan returns the plan that the journal of a shard belongs to.
func (j *job) plan(part int) batch.Plan {
	return batch.Plan{Program: j.Program, Work: fmt.Sprintf("%s/%d", j.key(), part)}
}
