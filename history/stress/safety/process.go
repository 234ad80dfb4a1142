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
		for n := 0; n < len(l.Targets) && ctx.Err() == nil; {
			end := n + 1
			for end < len(l.Targets) && l.Targets[end].Name == l.Targets[n].Name {
				end++
			}
			c.Send(searchAll(ctx, l, n, end, o))
			n = end
		}
		return nil
	})
}

// searchAll tests targets of the same name, which are instances of a generic type, until
// one has a finding. It divides the time among them.
func searchAll(ctx context.Context, l *Library, begin, end int, o Options) Result {
	o = o.withDefaults()
	o.Time /= time.Duration(end - begin)
	all := &Report{Target: l.Targets[begin].Name, Unclear: map[string]int{}}
	tested, reason := false, ""
	for n := begin; n < end && all.Finding == nil && ctx.Err() == nil; n++ {
		r, err := Search(ctx, l, n, o)
		if err != nil {
			reason = err.Error()
		}
		if r != nil {
			all.add(r, !tested)
			tested = tested || err == nil
		}
	}
	if tested {
		reason = ""
	}
	return Result{Report: all, Error: reason}
}

// add adds what was found of another instance of the type. Methods are untried if they
// are so in all.
func (r *Report) add(other *Report, first bool) {
	r.Finding = other.Finding
	r.Unreproduced = append(r.Unreproduced, other.Unreproduced...)
	r.Tests += other.Tests
	r.Executions += other.Executions
	r.Rounds += other.Rounds
	r.Elapsed += other.Elapsed
	r.Sequential += other.Sequential
	for why, n := range other.Unclear {
		r.Unclear[why] += n
	}
	r.Races += other.Races
	r.Race = cmp.Or(r.Race, other.Race)
	if first {
		r.Untried = other.Untried
	}
	r.Untried = slices.DeleteFunc(r.Untried, func(m string) bool { return !slices.Contains(other.Untried, m) })
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

// ask sends a request and returns the response. If the process dies instead, the response
// has the failure that ended it, or why it is unclear what did; dead is then set.
func (p *process) ask(r *request) (a *response, dead bool, err error) {
	p.SetSilence(silence)
	defer p.SetSilence(0)
	a = &response{}
	_ = p.Send(r) // if it is dead, Receive says why
	err = p.Receive(a)
	if d, ok := err.(*worker.Death); ok {
		a = &response{}
		if a.Failure = failureOf(d); a.Failure == nil {
			a.Unclear = d.Error()
		}
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

// races counts the data races that the race detector reports.
type races struct {
	mu    sync.Mutex
	text  []byte // what has not been searched
	n     int
	first string
}

const (
	raceBegin = "WARNING: DATA RACE"
	raceEnd   = "==================\n"
)

func (r *races) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.text = append(r.text, p...)
	for {
		_, after, begun := bytes.Cut(r.text, []byte(raceBegin))
		report, rest, ended := bytes.Cut(after, []byte(raceEnd))
		switch {
		case !begun:
			r.text = slices.Clone(r.text[max(0, len(r.text)-len(raceBegin)):])
			return len(p), nil
		case !ended:
			return len(p), nil
		}
		r.n, r.first, r.text = r.n+1, cmp.Or(r.first, string(report)), rest
	}
}

// seen returns how many data races there were, and the first.
func (r *races) seen() (int, string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.n, r.first
}
