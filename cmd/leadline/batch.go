package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/leadline/leadline/replay/batch"
	"github.com/spf13/pflag"
)

// batchFlags are the flags of leadline check that are about batches.
type batchFlags struct {
	resume   string
	shard    batch.Shard
	failFast bool
	junit    string
	summary  string
	proof    proofDir
}

func (b *batchFlags) declare(flags *pflag.FlagSet) {
	flags.StringVar(&b.resume, "resume", "", "journal: a `FILE` that keeps all results, so that the same command goes on after it was stopped")
	flags.Var(&b.shard, "shard", "check only part i of n, as 3/10, of the histories")
	flags.BoolVar(&b.failFast, "fail-fast", false, "stop after the first history that is not linearizable")
	flags.StringVar(&b.junit, "junit", "", "write a report in the XML of JUnit to this `FILE`")
	flags.StringVar(&b.proof.name, "proof", "", "write certificates of violations to this `DIR`; see verify")
	flags.StringVar(&b.summary, "summary", "", "write an object in JSON that sums up the batch to this `FILE`")
}

func (b *batchFlags) validate(f *checkFlags, args []string) error {
	switch {
	case b.resume != "" && f.output.Value != "json":
		return errors.New("--resume needs --output json")
	case b.proof.name != "" && (b.resume != "" || !f.explain || len(f.levels) > 0 || f.order.Value == "program"):
		return errors.New("--proof does not go with --resume, --explain=false, --weak and --order program")
	}
	return f.input.addOutputs(f.all, args, "resume", "junit", "summary")
}

// notWork are the flags that do not change the results of histories, and boundFlags
// those that bound the work on a history.
var (
	notWork    = []string{"jobs", "resume", "fail-fast", "junit", "summary", "proof", "quiet", "shard", "output"}
	boundFlags = []string{"timeout", "memory"}
)

// plan returns the plan that a journal of this command belongs to. The arguments are
// not part of it, because journals identify results by the places of histories.
func (f *checkFlags) plan(program string) batch.Plan {
	var work, bounds []string
	f.all.VisitAll(func(flag *pflag.Flag) {
		value := flag.Value.String()
		if flag.Name == "map" {
			value = f.input.Map // and not the name of its file
		}
		text := fmt.Sprintf("--%s=%s", flag.Name, strconv.Quote(value))
		switch {
		case slices.Contains(boundFlags, flag.Name):
			bounds = append(bounds, text)
		case !slices.Contains(notWork, flag.Name):
			work = append(work, text)
		}
	})
	return batch.Plan{Program: program, Work: strings.Join(work, " "), Bounds: strings.Join(bounds, " ")}
}

// A batchRun is a running batch: what its flags have opened, and its totals.
type batchRun struct {
	flags    *batchFlags
	property string       // what the verdicts are about
	junit    *batch.JUnit // nil without --junit
	totals   batch.Summary
	started  time.Time
	journal  *batch.Journal
	summary  *batch.WholeFile // nil without --summary
}

// start opens the files that the flags name, and gives the checker its journal.
func (b *batchFlags) start(s streams, f *checkFlags, c *batch.Checker) (*batchRun, error) {
	run := &batchRun{flags: b, property: f.property(), started: time.Now()}
	err := run.open(s, f)
	if err != nil {
		return nil, errors.Join(err, run.close(false))
	}
	c.Journal = run.journal
	return run, nil
}

func (run *batchRun) open(s streams, f *checkFlags) (err error) {
	b := run.flags
	if b.resume != "" {
		program, err := batch.Program()
		if err != nil {
			return err
		}
		if run.journal, err = batch.OpenJournal(b.resume, f.plan(program)); err != nil {
			return err
		}
		if run.journal.Remark != "" {
			fmt.Fprintf(s.err, "leadline check: %s: %s\n", b.resume, run.journal.Remark)
		}
	}
	if b.proof.name != "" {
		if err := b.proof.open(); err != nil {
			return err
		}
	}
	if b.junit != "" {
		if run.junit, err = batch.NewJUnit(b.junit); err != nil {
			return err
		}
	}
	if b.summary != "" {
		run.summary, err = batch.CreateWhole(b.summary)
	}
	return err
}

// add counts and reports a result. It returns false if the batch ends with it.
func (run *batchRun) add(r *result) (bool, error) {
	run.totals.Add(r.Result)
	if run.junit != nil {
		if err := run.junit.Add(&r.Entry, r.Outcome()); err != nil {
			return false, err
		}
	}
	if run.journal != nil && run.journal.Err() != nil {
		return false, nil // finish reports it
	}
	return !run.flags.failFast || r.Status() != batch.NotLinearizable, nil
}

// close closes what open opened. complete is true if all of the input was checked.
func (run *batchRun) close(complete bool) error {
	var errs []error
	if run.junit != nil {
		errs = append(errs, run.junit.Close(complete))
	}
	if run.journal != nil {
		errs = append(errs, run.journal.Close(complete))
	}
	return errors.Join(errs...)
}

// finish ends the batch and returns the exit status; status is the one for the results alone.
func (run *batchRun) finish(s streams, in *input, complete bool, status int) int {
	t := &run.totals
	if err := run.close(complete); err != nil {
		status = worse(status, s.failed("check", err))
	}
	t.Complete, t.Status, t.Elapsed = complete, status, time.Since(run.started).Nanoseconds()
	t.Skipped, t.Shard = in.skipped, present(run.flags.shard.String())
	if run.journal != nil {
		fmt.Fprintf(s.err, "leadline check: %s: %d checked, %d from the journal; %d not %s, %d unknown, %d invalid\n",
			counted(t.Histories, "history", "histories"), t.Checked, t.FromJournal, t.NotLinearizable, run.property, t.Unknown, t.Invalid)
	}
	if run.summary == nil {
		return status
	}
	if err := run.summary.Finish(writeJSON(run.summary, t)); err != nil {
		status = worse(status, s.failed("check", err))
	}
	return status
}

// A pace measures how far a batch is, for the progress line.
type pace struct {
	total atomic.Int64 // bytes of all files, once they are known
	read  atomic.Int64
	// fresh is when the first history arrived that was not in a journal, and freshRead is
	// how many bytes had been read by then. freshHistories counts such histories.
	fresh                     time.Time
	freshRead, freshHistories int64
	known                     int64 // histories from the journal
}

// measure sums the sizes of the files that paths name.
func (m *pace) measure(ctx context.Context, paths []string) {
	sum := int64(0)
	for _, p := range paths {
		info, err := os.Stat(p)
		if err != nil || p == "-" || !info.IsDir() && !info.Mode().IsRegular() {
			return // the sum stays unknown
		}
		if !info.IsDir() {
			sum += info.Size()
			continue
		}
		_ = filepath.WalkDir(p+string(filepath.Separator), func(name string, entry fs.DirEntry, err error) error {
			if ctx.Err() != nil {
				return fs.SkipAll
			}
			if err == nil && !entry.IsDir() {
				if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
					sum += info.Size()
				}
			}
			return nil
		})
	}
	if ctx.Err() == nil {
		m.total.Store(sum)
	}
}

// add counts a result.
func (m *pace) add(r *result, now time.Time) {
	if r.FromJournal {
		m.known++
		return
	}
	if m.fresh.IsZero() {
		m.fresh, m.freshRead = now, m.read.Load()
	}
	m.freshHistories++
}

// text describes the progress of the batch: the histories so far, how many are checked
// per second, and, if known, how much of the files was read and the remaining time.
func (m *pace) text(now time.Time) string {
	text := fmt.Sprintf("%d histories", m.known+m.freshHistories)
	elapsed := now.Sub(m.fresh)
	if m.fresh.IsZero() || elapsed <= 0 {
		return text
	}
	text += fmt.Sprintf(", %.0f/s", float64(m.freshHistories)/elapsed.Seconds())
	total, read := m.total.Load(), m.read.Load()
	if total <= 0 || read > total {
		return text
	}
	text += fmt.Sprintf(", %d %% of %s", read*100/total, byteText(total))
	if done := read - m.freshRead; done > 0 {
		left := time.Duration(float64(elapsed) * float64(total-read) / float64(done))
		text += fmt.Sprintf(", %v left", left.Round(time.Second))
	}
	return text
}

// byteText writes a number of bytes for people.
func byteText(n int64) string {
	for _, u := range []struct {
		name string
		size int64
	}{{"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}} {
		if n >= u.size {
			return fmt.Sprintf("%.1f %s", float64(n)/float64(u.size), u.name)
		}
	}
	return fmt.Sprintf("%d B", n)
}
