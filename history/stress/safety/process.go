package safety

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/leadline/leadline/history/explore/worker"
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

// A Tested is what Main sends about a target.
type Tested struct {
	*Summary
	Error string // why it cannot be tested
	// Candidate is a finding to confirm; all other fields are then zero. Main expects
	// true or false as the answer, and continues with the target.
	Candidate *Exposure
}

// Main is the program that tests all targets of a library, a worker with MainName. It
// receives the Parameters and sends a Tested for each target, and each finding to confirm. It ends
// early, with the results so far, when it is interrupted.
func Main(l *Library) int {
	if status, isWorker := Serve(l); isWorker {
		return status
	}
	return worker.Serve(func(ctx context.Context, c *worker.Conn) error {
		var o Parameters
		if err := c.Receive(&o); err != nil {
			return err
		}
		o.Confirm = func(f *Exposure) (confirmed bool) {
			c.Send(Tested{Candidate: f})
			return c.Receive(&confirmed) == nil && confirmed
		}
		var done []string
		for _, t := range l.Targets {
			if slices.Contains(done, t.Name) || ctx.Err() != nil {
				continue
			}
			done = append(done, t.Name)
			result := Tested{}
			var err error
			if result.Summary, err = Search(ctx, l, t.Name, o); err != nil {
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
	log    string // begins the name of the file of data races
	logged int    // bytes of it that were read
}

// startProcess starts the n-th process in a directory.
func startProcess(ctx context.Context, dir string, n int) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &process{log: filepath.Join(dir, "races-"+strconv.Itoa(n))}
	p.Process, err = worker.Start(ctx, worker.Program{Path: self, Dir: dir, Name: testName,
		Env: []string{`GORACE=atexit_sleep_ms=0 log_path="` + p.log + `"`}}, worker.Guard{})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// race returns the first data race that the race detector has reported since the last call,
// or "".
func (p *process) race() string {
	files, _ := filepath.Glob(p.log + ".*") // with the number of the process
	if len(files) == 0 {
		return ""
	}
	text, _ := os.ReadFile(files[0])
	_, report, _ := strings.Cut(string(text[min(p.logged, len(text)):]), "WARNING: DATA RACE")
	report, _, _ = strings.Cut(report, "==================\n")
	p.logged = len(text)
	return report
}

// silence is how long a process may take for a request.
const silence = 5 * time.Minute

// ask sends a request and returns the response. If the process dies instead, dead is set, and
// the response has the failure that ended it, or is Unclear.
func (p *process) ask(r *request) (a *response, dead bool, err error) {
	p.SetSilence(silence)
	defer p.SetSilence(0)
	p.race() // of earlier requests
	a = &response{}
	_ = p.Send(r) // if it is dead, Receive says why
	err = p.Receive(a)
	defer func() { a.Race = p.race() }()
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
