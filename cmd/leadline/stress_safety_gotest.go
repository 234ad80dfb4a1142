package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/leadline/leadline/history/explore/worker"
	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/replay/batch"
	"github.com/leadline/leadline/replay/stresstest"
)

// goTest writes the Go test of a finding, runs it and saves it.
func (r *safetyRun) goTest(ctx context.Context, row *safetyRow, o *object) {
	f := row.finding
	if f.GoTest == nil || f.GoTest.Missing != "" {
		row.remark = "no Go test"
		if f.GoTest != nil {
			row.remark += ": " + f.GoTest.Missing
		}
		return
	}
	at := stresstest.PlaceOf(f, o.path, packageName(ctx, o.path), o.expression, o.must)
	row.source = f.FailureTest(at.Name+"Concurrently", at.Constructor, o.must, at.Known)
	dir, err := os.MkdirTemp("", "leadline-safety-")
	if err != nil {
		r.note(err)
		return
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "safety.test")
	if err := buildTest(ctx, dir, program, "safety_test.go", row.source); err != nil {
		row.remark = fmt.Sprintf("its Go test does not compile: %v", err)
		return
	}
	runs := testRuns
	if f.Failure.Kind == stress.WaitingFailure { // which takes twenty seconds each time
		runs = 1
	}
	ran, failing := 0, 0
	for ran < runs && (ran < 2 || failing > 0) && ctx.Err() == nil {
		ran++
		if fails(ctx, program) {
			failing++
		}
	}
	if row.Runs, row.Failing = &ran, &failing; failing == 0 {
		row.remark = fmt.Sprintf("no Go test: it did not fail in %s, as the failure is rare there", counted(ran, "run", "runs"))
		return
	}
	row.File = present(r.save(row))
}

// A Go test that fails runs testRuns times, and one that does not fail twice, for a minute at most.
const testRuns, longTest = 3, time.Minute

// buildTest builds the program of a Go test, which gets a name in the directory.
func buildTest(ctx context.Context, dir, program, name, text string) error {
	return compile(ctx, filepath.Join(dir, name), text, nil, "test", "-c", "-vet=off", "-o", program)
}

// fails runs the program of a Go test. It reports whether it fails as calls in parallel do.
func fails(ctx context.Context, program string) bool {
	ctx, cancel := context.WithTimeout(ctx, longTest)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "-test.timeout=0")
	cmd.Dir, cmd.WaitDelay = filepath.Dir(program), time.Second
	worker.Lead(cmd)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil { // it did not start
		return false
	}
	_ = worker.Kill(cmd) // what the test has started
	return err != nil && ctx.Err() == nil && stress.Fails(string(out))
}

// save writes the Go test to a directory of its own and returns its file.
func (r *safetyRun) save(row *safetyRow) string {
	if r.flags.save == "" {
		return ""
	}
	r.note(unsaved(os.MkdirAll(r.flags.save, 0o755)))
	for n := 1; r.err == nil; n++ {
		dir := filepath.Join(r.flags.save, fileName(row.Type)+"-"+strconv.Itoa(n))
		err := os.Mkdir(dir, 0o755)
		if os.IsExist(err) {
			continue
		}
		file := filepath.Join(dir, "safety_test.go")
		if err == nil {
			err = batch.WriteWhole(file, []byte(row.source))
		}
		r.note(unsaved(err))
		return file
	}
	return ""
}
