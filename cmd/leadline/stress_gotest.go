package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/leadline/leadline/history/stress"
	"github.com/leadline/leadline/history/stress/gotest"
	"github.com/leadline/leadline/replay/batch"
	"github.com/leadline/leadline/replay/report"
	"github.com/leadline/leadline/replay/stresstest"
)

// A savedViolation is a violation of an object of --new, with the file of its history.
type savedViolation struct {
	*stress.Finding
	file string
}

// A goTestRecord is how a violation became Go tests, in the output of stress --output json.
type goTestRecord struct {
	Kind    string  `json:"kind"` // "go_test"
	Program string  `json:"program"`
	History string  `json:"history"` // the file of the violation
	File    *string `json:"file"`    // of the Go test that needs nothing but the package
	gotest.Trial
	// Schedule is the Go test that replays the schedule. Remark is the reason if File or Schedule
	// is missing.
	Schedule *string `json:"schedule"`
	Remark   *string `json:"remark"`
}

// goTests writes the Go tests of the first violation that was saved of an object, and runs them within
// what is left of the time. It is called when the object is no longer tested: both need the
// processors. It calls ran before it prints.
func (r *stressReport) goTests(ctx context.Context, o *object, left time.Duration, ran func()) {
	v := r.saved
	if r.saved = nil; v == nil || ctx.Err() != nil {
		ran()
		return
	}
	rec, err := o.goTest(ctx, left, v)
	ran()
	switch r.note(unsaved(err)); {
	case err != nil:
		return
	case r.flags.output.Value == "json":
		r.note(writeJSON(r.out, rec))
		return
	}
	fmt.Fprintf(r.out, "Go tests of %s\n", v.Program)
	if rec.File != nil {
		fmt.Fprintf(r.out, "  To reproduce: go test %s (%v)\n", report.ShellWord(testArgument(ctx, *rec.File)), rec.Trial)
	}
	if rec.Schedule != nil {
		fmt.Fprintf(r.out, "  To replay: go test %s\n", report.ShellWord(testArgument(ctx, *rec.Schedule)))
	}
	if rec.Remark != nil {
		fmt.Fprintf(r.out, "  %s\n", *rec.Remark)
	}
	fmt.Fprintln(r.out)
	r.note(r.out.Flush())
}

// goTest writes the Go tests of a violation to a directory of their own, and runs them in the time left.
func (o *object) goTest(ctx context.Context, left time.Duration, v *savedViolation) (*goTestRecord, error) {
	rec := &goTestRecord{Kind: "go_test", Program: v.Program, History: v.file}
	temp, err := os.MkdirTemp("", "leadline-stress-")
	if err != nil {
		return rec, err
	}
	defer os.RemoveAll(temp)
	place := stresstest.PlaceOf(v.Finding, o.path, packageName(ctx, o.path), o.expression, o.must)
	place.Options = stresstest.OptionsSource(&o.reflect, o.path, o.makers...)
	tests := stresstest.GoTestsOf(v.Finding, place)
	save := func(name, text string) *string {
		file := filepath.Join(strings.TrimSuffix(v.file, ".jsonl"), name)
		if text == "" || err != nil {
			return nil
		}
		if err = os.MkdirAll(filepath.Dir(file), 0o755); err == nil {
			err = batch.WriteWhole(file, []byte(text))
		}
		return &file
	}
	rec.Trial = tests.Try(ctx, left, temp, temp, place.Name, func(program, text string) error { return buildTest(ctx, temp, program, "stress_test.go", text) })
	rec.File, rec.Schedule, rec.Remark = save("stress_test.go", tests.Alone), save(filepath.Join("schedule", "schedule_test.go"), tests.Schedule), present(tests.Remark)
	return rec, err
}

// buildTest builds the program of a Go test, which gets a name in the directory.
func buildTest(ctx context.Context, dir, program, name, text string) error {
	return compile(ctx, filepath.Join(dir, name), text, nil, "test", "-c", "-vet=off", "-o", program)
}
