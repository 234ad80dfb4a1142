package tests

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/leadline/leadline/history/explore/instrument"
	"github.com/leadline/leadline/history/explore/instrument/golist"
	"github.com/leadline/leadline/history/explore/tests/inside"
	"github.com/leadline/leadline/history/explore/worker"
)

// Options say which tests are explored, and how.
type Options struct {
	inside.Options
	Dir      string   // "" is the working directory
	Patterns []string // of packages
	Run      string   // a pattern of go test -run; "" is all tests
	Packages []string // more packages to instrument
	Plain    bool     // plain loads and stores are steps
	Tags     []string
	Jobs     int               // processes at a time; 0 is as many as there are processors
	NoSave   bool              // faults are not saved
	Short    bool              // testing.Short
	Building func(path string) // is called before a package is built, unless it is nil
}

// A Result is what the exploration of one test, or a package that cannot be built, showed.
type Result struct {
	Package string `json:"package"`
	inside.Report
	Seconds float64 `json:"seconds"`
	// Error is why the package could not be built, or its tests not be listed.
	Error error `json:"-"`
	// Saved is the file of the schedule of the fault. Known says that it was there before.
	Saved    string   `json:"saved,omitempty"`
	Known    bool     `json:"known,omitempty"`
	NotSaved string   `json:"not_saved,omitempty"` // why the fault could not be saved
	NotTried []string `json:"not_tried,omitempty"` // what is not instrumented
}

// The values of Result.Status.
const (
	Faulty     = "fault"
	Explored   = "explored"
	Sequential = "sequential" // it starts no goroutine: there is one schedule
	Cut        = "cut"        // no execution has ended
	Skipped    = "skipped"
	Refused    = "refused"
	Broken     = "error"
)

// Status says in a word what became of a test.
func (r *Result) Status() string {
	switch {
	case r.Error != nil:
		return Broken
	case r.Fault != nil:
		return Faulty
	case r.Refused != "":
		return Refused
	case r.Skipped:
		return Skipped
	case r.Ended == 0:
		return Cut
	case r.Threads <= 1:
		return Sequential
	}
	return Explored
}

// Explore explores tests, and calls each with the result of one after another, in order.
func Explore(ctx context.Context, o Options, each func(*Result)) error {
	packages, err := o.packages(ctx)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "leadline-explore-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for n, p := range packages {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		program := &Program{Package: p.ImportPath, Dir: p.Dir, path: filepath.Join(dir, fmt.Sprint(n))}
		if o.Building != nil {
			o.Building(p.ImportPath)
		}
		names, err := program.prepare(ctx, &o, dir)
		if err != nil {
			each(&Result{Package: p.ImportPath, Error: err})
			continue
		}
		o.all(ctx, program, names, each)
		_ = os.Remove(program.path) // the directory goes in the end
	}
	return ctx.Err()
}

// packages returns the packages with tests.
func (o *Options) packages(ctx context.Context) ([]*golist.Package, error) {
	if _, err := regexp.Compile(o.Run); err != nil {
		return nil, fmt.Errorf("the pattern of tests: %w", err)
	}
	args := []string{"list", "-e", "-f", "{{.ImportPath}}\t{{.Dir}}\t{{len .TestGoFiles}}{{len .XTestGoFiles}}\t{{with .Error}}{{.Err}}{{end}}"}
	if len(o.Tags) > 0 {
		args = append(args, "-tags="+strings.Join(o.Tags, ","))
	}
	out, err := golist.Tool(ctx, o.Dir, slices.Concat(args, []string{"--"}, o.Patterns)...)
	if err != nil {
		return nil, err
	}
	var list []*golist.Package
	for line := range strings.Lines(string(out)) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 4)
		if len(fields) == 4 && fields[1] == "" {
			return nil, errors.New(cmp.Or(fields[3], "no package "+fields[0]))
		}
		if len(fields) == 4 && fields[2] != "00" {
			list = append(list, &golist.Package{ImportPath: fields[0], Dir: fields[1]})
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no tests in %s", strings.Join(o.Patterns, " "))
	}
	return list, nil
}

// A Program is the instrumented program of the tests of a package.
type Program struct {
	Package, Dir string
	NotTried     []string
	path         string
	short        bool
}

// Build builds the program of the tests of one package in a directory for temporary files.
func Build(ctx context.Context, o *Options, dir string) (*Program, error) {
	packages, err := o.packages(ctx)
	if err != nil {
		return nil, err
	}
	p := &Program{Package: packages[0].ImportPath, Dir: packages[0].Dir, path: filepath.Join(dir, "program")}
	return p, p.build(ctx, o, dir)
}

func (p *Program) build(ctx context.Context, o *Options, dir string) error {
	p.short = o.Short
	target := instrument.Target{Dir: p.Dir, Packages: append([]string{p.Package}, o.Packages...), Explore: true, Plain: o.Plain, Tags: o.Tags}
	copies, err := instrument.Compile(ctx, target, func(copies *instrument.Copies) error {
		flags, err := copies.WithOverlay(filepath.Join(dir, "overlay.json"), nil)
		if err != nil {
			return err
		}
		cmd := worker.Tool(ctx, "go", slices.Concat([]string{"test", "-c", "-vet=off", "-trimpath=false", "-o", p.path}, flags, []string{p.Package})...)
		cmd.Dir = p.Dir
		if text, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s%s", strings.Join(cmd.Args, " "), err, text, instrument.Explain(string(text)))
		}
		return nil
	})
	if err == nil {
		p.NotTried = copies.Remarks()
	}
	return err
}

// prepare builds the program and lists its tests.
func (p *Program) prepare(ctx context.Context, o *Options, dir string) ([]string, error) {
	if err := p.build(ctx, o, dir); err != nil {
		return nil, err
	}
	top, _, _ := strings.Cut(o.Run, "/")
	limited, stop := context.WithTimeout(ctx, time.Minute)
	defer stop()
	cmd := worker.Tool(limited, p.path, "-test.list", cmp.Or(top, "."))
	cmd.Dir = p.Dir
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("listing the tests of %s: %w", p.Package, err)
	}
	var names []string
	for line := range bytes.Lines(out) {
		if name := strings.TrimSpace(string(line)); strings.HasPrefix(name, "Test") && !strings.ContainsAny(name, " \t") {
			names = append(names, name)
		}
	}
	return names, nil
}

// subtests returns the pattern of -run if it names subtests.
func (o *Options) subtests() string {
	if strings.Contains(o.Run, "/") {
		return o.Run
	}
	return ""
}

// all explores the tests of a program, several at a time.
func (o *Options) all(ctx context.Context, p *Program, names []string, each func(*Result)) {
	results := make([]chan *Result, len(names))
	for i := range results {
		results[i] = make(chan *Result, 1)
	}
	var next int
	var mu sync.Mutex
	for range min(len(names), cmp.Or(o.Jobs, runtime.NumCPU())) {
		go func() {
			for {
				mu.Lock()
				i := next
				next++
				mu.Unlock()
				if i >= len(names) {
					return
				}
				results[i] <- p.Explore(ctx, o, names[i], 0)
			}
		}()
	}
	for _, r := range results {
		each(<-r)
	}
}

// news is how many new processes have to show a fault.
const news = 2

// Explore explores one test, or one call of stresstest.Explore in it.
func (p *Program) Explore(ctx context.Context, o *Options, name string, call int) *Result {
	start := time.Now()
	r := &Result{Package: p.Package, NotTried: p.NotTried, Report: inside.Report{Test: name, Complete: -1}}
	file := filepath.Join(p.Dir, fileName(name, call))
	if saved, err := ReadSaved(file); err == nil && saved.Package == p.Package && saved.Test == name && saved.fits(o) {
		again := p.Replay(ctx, o, saved, call)
		if again.Fault != nil {
			r.Report, r.Known, r.Saved = again, true, file
			r.Fault.Fresh = 1
		}
	}
	if r.Fault == nil {
		r.Report = p.ask(ctx, name, call, inside.Job{Options: o.Options, Run: o.subtests()})
	}
	if f := r.Fault; f != nil && !r.Known {
		for range news {
			again := p.Replay(ctx, o, &Saved{Test: name, Run: o.subtests(), Bounds: f.Bounds, Schedule: f.Schedule}, call)
			if again.Fault != nil && again.Fault.Kind == f.Kind && again.Fault.Fingerprint == f.Fingerprint {
				f.Fresh++
			}
		}
		switch {
		case ctx.Err() != nil:
		case f.Fresh == news && f.Kind == inside.Failed && f.Random == f.Randoms && f.Preemptions == 0 && p.passes(ctx, o, name):
			r.Fault, r.Refused = nil, f.Kind+": "+f.Text+", under each schedule, though it passes as it is: stand-ins differ from the real packages"
		case f.Fresh < news:
			r.Fault, r.Refused = nil, fmt.Sprintf("it keeps state: what execution %d shows (%s: %s), the same schedule shows in %d of %d new processes", f.Execution, f.Kind, f.Text, f.Fresh, news)
		case !o.NoSave:
			saved := &Saved{Package: p.Package, Test: name, Call: call, Run: o.subtests(), Bounds: f.Bounds, Plain: o.Plain, Schedule: f.Schedule, Fault: f}
			if err := saved.write(file); err != nil {
				r.NotSaved = err.Error()
			} else {
				r.Saved = file
			}
		}
	}
	if ctx.Err() != nil && r.Fault == nil {
		r.Refused = "interrupted"
	}
	r.Seconds = time.Since(start).Seconds()
	return r
}

// passes reports whether a test passes without schedules and stand-ins.
func (p *Program) passes(ctx context.Context, o *Options, name string) bool {
	limited, stop := context.WithTimeout(ctx, time.Minute)
	defer stop()
	args := []string{"test", "-vet=off", "-count=1", "-timeout=30s", "-run", cmp.Or(o.subtests(), "^"+regexp.QuoteMeta(name)+"$")}
	if len(o.Tags) > 0 {
		args = append(args, "-tags="+strings.Join(o.Tags, ","))
	}
	if o.Short {
		args = append(args, "-short")
	}
	cmd := worker.Tool(limited, "go", append(args, p.Package)...)
	cmd.Dir = p.Dir
	return cmd.Run() == nil
}

// Replay runs a schedule as the first execution of a new process.
func (p *Program) Replay(ctx context.Context, o *Options, s *Saved, call int) inside.Report {
	return p.ask(ctx, s.Test, call, inside.Job{Options: o.Options, Run: s.Run, Replay: &s.Schedule, Bounds: s.Bounds})
}

// silence is how long a process may say nothing; it refuses calls that do not return much earlier.
const silence = 90 * time.Second

// ask starts a process for a job.
func (p *Program) ask(ctx context.Context, name string, call int, job inside.Job) (report inside.Report) {
	report = inside.Report{Test: name, Complete: -1}
	top, _, _ := strings.Cut(name, "/") // its subtests are the stand-in's
	program := worker.Program{Path: p.path, Dir: p.Dir, Name: inside.Name(name, call),
		Args: []string{"-test.run", "^" + regexp.QuoteMeta(top) + "$", "-test.count=1", "-test.timeout=0"}}
	if p.short {
		program.Args = append(program.Args, "-test.short")
	}
	process, err := worker.Start(ctx, program, worker.Guard{Silence: silence})
	if err != nil {
		report.Refused = err.Error()
		return report
	}
	defer process.Close()
	_ = process.Send(job) // if it is dead, Receive says why
	switch err := process.Receive(&report); {
	case err == nil:
	case errors.Is(err, io.EOF):
		report.Refused = "its process ended without a word"
	case ctx.Err() != nil:
		report.Refused = "interrupted"
	case strings.Contains(err.Error(), "no tests to run"):
		report.Refused = "there is no such test in " + p.Package
	default:
		report.Refused = err.Error()
	}
	return report
}
