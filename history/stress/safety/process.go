package safety

import (
	"bytes"
	"cmp"
	"context"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/leadline/leadline/history/stress/worker"
)

// MainName is the name of the worker that Main is, and testName that of its workers.
const (
	MainName = "safety"
	testName = "safety test"
)

// Serve runs tests and returns an exit status if the process is a worker of Search. Any
// program that calls Search has to call it first, with the same library. It does
// nothing in the process that the user started.
func Serve(l *Library) (status int, isWorker bool) {
	if worker.Name() != testName {
		return 0, false
	}
	return worker.Serve(func(ctx context.Context, c *worker.Conn) error {
		context.AfterFunc(ctx, func() { os.Exit(0) }) // nobody waits for the answer
		return newRunner(l).serve(c)
	}), true
}

// A Result is what Main sends about a target.
type Result struct {
	*Report
	Error string // why it cannot be tested
	// Candidate is a finding to confirm; all other fields are then zero. Main expects
	// true or false as the answer, and continues with the target.
	Candidate *Finding
}

// Main is the program that tests all targets of a library, a worker with MainName. It
// receives Options and sends a Result for each target, and each finding to confirm. It ends
// early, with the results so far, when it is interrupted.
func Main(l *Library) int {
	if status, isWorker := Serve(l); isWorker {
		return status
	}
	return worker.Serve(func(ctx context.Context, c *worker.Conn) error {
		var o Options
		if err := c.Receive(&o); err != nil {
			return err
		}
		o.Confirm = func(f *Finding) (confirmed bool) {
			c.Send(Result{Candidate: f})
			return c.Receive(&confirmed) == nil && confirmed
		}
		var done []string
		for _, t := range l.Targets {
			if slices.Contains(done, t.Name) || ctx.Err() != nil {
				continue
			}
			done = append(done, t.Name)
			result := Result{}
			var err error
			if result.Report, err = Search(ctx, l, t.Name, o); err != nil {
				result.Error = err.Error()
			}
			c.Send(result)
		}
		return nil
	})
}

// A process runs tests for a searcher.
type process struct {
	*worker.Process
	races *races
}

func startProcess(ctx context.Context, dir string) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &process{races: &races{}}
	p.Process, err = worker.Start(ctx, worker.Program{Path: self, Dir: dir, Name: testName, Env: []string{"GORACE=atexit_sleep_ms=0"}},
		worker.Options{Stderr: p.races})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// silence is how long a process may take for a request.
const silence = 5 * time.Minute

// ask sends a request and returns the response. If the process dies instead, dead is set, and
// the response has the failure that ended it, or is Unclear.
func (p *process) ask(r *request) (a *response, dead bool, err error) {
	p.SetSilence(silence)
	defer p.SetSilence(0)
	p.races.take() // of earlier requests
	a = &response{}
	_ = p.Send(r) // if it is dead, Receive says why
	err = p.Receive(a)
	defer func() { a.Race = p.races.take() }()
	if d, ok := err.(*worker.Death); ok {
		a = &response{}
		a.Failure = failureOf(d)
		a.Unclear = a.Failure == nil
		return a, true, nil
	}
	return a, err != nil, err
}

// failureOf returns the failure that has ended a process, or nil if something else has.
func failureOf(d *worker.Death) *Failure {
	kind, text, _ := strings.Cut(d.Text, ": ")
	if d.Cause != worker.Crashed || kind != kindPanic && kind != kindFatal || len(d.Stacks) == 0 {
		return nil
	}
	for _, resource := range []string{"out of memory", "cannot allocate", "thread", "all goroutines are asleep"} {
		if strings.Contains(text, resource) {
			return nil
		}
	}
	f := &Failure{Kind: kind, Text: text, Implicit: kind == kindFatal || strings.HasPrefix(text, "runtime error: ") || strings.HasPrefix(text, "sync: ")}
	for n, stack := range d.Stacks {
		if n == 0 || strings.Contains(stack, inStep) {
			f.Stacks = append(f.Stacks, cut(stack))
		}
	}
	return f
}

// races keeps a data race that the race detector reports.
type races struct {
	mu    sync.Mutex
	text  []byte // what may have the beginning of one
	first string
}

func (r *races) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.text = append(r.text, p...)
	for {
		const begin, end = "WARNING: DATA RACE", "==================\n"
		_, after, begun := bytes.Cut(r.text, []byte(begin))
		report, rest, ended := bytes.Cut(after, []byte(end))
		switch {
		case !begun:
			r.text = slices.Clone(r.text[max(0, len(r.text)-len(begin)):])
			return len(p), nil
		case !ended:
			return len(p), nil
		}
		r.first, r.text = cmp.Or(r.first, string(report)), rest
	}
}

// take returns the first data race since the last call, or "".
func (r *races) take() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer func() { r.first = "" }()
	return r.first
}
