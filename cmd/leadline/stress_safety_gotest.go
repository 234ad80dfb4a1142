package main

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/replay/batch"
	"github.com/leadline/leadline/replay/stresstest"
)

// How long the Go test of a failure may run: several times, or once if it waits for calls that do not return.
const failureTestTime, waitingTestTime = time.Minute, 30 * time.Second

// goTest writes the Go test of a finding, runs it and saves it.
func (r *safetyRun) goTest(ctx context.Context, row *safetyRow, o *object) {
	f := row.finding
	if f.GoTest == nil {
		row.remark = "no Go test"
		return
	}
	temp, err := os.MkdirTemp("", "leadline-safety-")
	if err != nil {
		r.note(err)
		return
	}
	defer os.RemoveAll(temp)
	place := stresstest.PlaceOf(f, o.path, packageName(ctx, o.path), o.expression, o.must)
	place.Package, place.Name = "safety_test", place.Name+"Concurrently"
	tests, left := stresstest.GoTestsOf(f, place), failureTestTime
	if f.Failure.Kind == stress.WaitingFailure {
		left = waitingTestTime
	}
	trial := tests.Try(ctx, left, temp, temp, place.Name, func(program, text string) error { return buildTest(ctx, temp, program, "safety_test.go", text) })
	if row.source, row.remark = tests.Alone, strings.Replace(tests.Remark, " without leadline", "", 1); trial.Runs > 0 {
		row.Runs, row.Failing = &trial.Runs, &trial.Failing
	}
	if row.source != "" {
		row.File = present(r.save(row))
	}
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
