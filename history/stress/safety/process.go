package safety

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// workerVariable is set in the environment of workers.
const workerVariable = "LEADLINE_SAFETY_WORKER"

// Serve runs tests and returns an exit status if the process is a worker. Any
// program that calls Search has to call it first, with the same library. It does
// nothing in the process that the user started.
func Serve(l *Library) (status int, isWorker bool) {
	if os.Getenv(workerVariable) == "" {
		return 0, false
	}
	os.Unsetenv(workerVariable)
	return serve(l, os.NewFile(3, "requests"), os.NewFile(4, "responses")), true
}

// A Result is what Main writes about a target.
type Result struct {
	*Report
	Error string // why it cannot be tested
	// Candidate is a finding to confirm; all other fields are then zero. Main expects
	// true or false as the answer, and continues with the target.
	Candidate *Finding
}

// Main is the program that tests all targets of a library. It reads Options from
// stdin, as JSON, and writes a Result for each target to stdout. It ends early,
// with the results so far, when it is interrupted.
func Main(l *Library) int {
	if status, isWorker := Serve(l); isWorker {
		return status
	}
	var o Options
	in := json.NewDecoder(os.Stdin)
	if err := in.Decode(&o); err != nil {
		fmt.Fprintln(os.Stderr, "reading the options:", err)
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	out := json.NewEncoder(os.Stdout)
	if o.Ask {
		o.Confirm = func(f *Finding) (confirmed bool) {
			err := out.Encode(Result{Candidate: f})
			return err == nil && in.Decode(&confirmed) == nil && confirmed
		}
	}
	for n := 0; n < len(l.Targets) && ctx.Err() == nil; {
		end := n + 1
		for end < len(l.Targets) && l.Targets[end].Name == l.Targets[n].Name {
			end++
		}
		result := searchAll(ctx, l, n, end, o)
		n = end
		if err := out.Encode(result); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 2
		}
	}
	return 0
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

// A process is a worker as the supervisor sees it.
type process struct {
	cmd       *exec.Cmd
	requests  *json.Encoder
	responses *json.Decoder
	pipes     []*os.File
	stderr    *tail
}

func startProcess(dir string) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &process{stderr: &tail{}}
	var theirs []*os.File
	open := func() (r, w *os.File) {
		if err == nil {
			r, w, err = os.Pipe()
		}
		return r, w
	}
	theirIn, in := open()
	out, theirOut := open()
	if err != nil {
		return nil, err
	}
	theirs, p.pipes = []*os.File{theirIn, theirOut}, []*os.File{in, out}
	p.requests, p.responses = json.NewEncoder(in), json.NewDecoder(out)
	p.cmd = exec.Command(self)
	p.cmd.Dir, p.cmd.Stderr, p.cmd.ExtraFiles = dir, p.stderr, theirs
	p.cmd.WaitDelay = time.Second
	p.cmd.Env = append(os.Environ(), workerVariable+"=1", "GORACE=atexit_sleep_ms=0")
	err = p.cmd.Start()
	for _, f := range theirs {
		f.Close()
	}
	if err != nil {
		p.close()
		return nil, fmt.Errorf("starting a worker: %w", err)
	}
	return p, nil
}

func (p *process) close() {
	for _, f := range p.pipes {
		f.Close()
	}
}

// kill ends the process.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
	p.close()
}

// silence is how long a worker may take for a request.
const silence = 5 * time.Minute

// ask sends a request. It returns false if the process ends instead of responding.
func (p *process) ask(ctx context.Context, r *request) (*response, bool) {
	ctx, cancel := context.WithTimeout(ctx, silence)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = p.cmd.Process.Kill() })
	defer stop()
	if p.requests.Encode(r) != nil {
		return nil, false
	}
	a := &response{}
	if p.responses.Decode(a) != nil {
		return nil, false
	}
	return a, true
}

// death waits for the end of the process and returns the failure that ended it, or
// why it is unclear what did.
func (p *process) death() (*Failure, string) {
	err := p.cmd.Wait()
	p.close()
	if p.cmd.ProcessState.ExitCode() == memoryStatus {
		return nil, "uses too much memory"
	}
	f := parseDeath(p.stderr.text())
	var exit *exec.ExitError
	if f == nil || !errors.As(err, &exit) || exit.ExitCode() < 0 { // a signal from outside
		return nil, fmt.Sprintf("ends the process: %v", err)
	}
	for _, resource := range []string{"out of memory", "cannot allocate", "thread", "all goroutines are asleep"} {
		if strings.Contains(f.Text, resource) {
			return nil, f.Text
		}
	}
	return f, ""
}

// parseDeath returns the failure that the runtime reports, or nil.
func parseDeath(text string) *Failure {
	lines := strings.Split(text, "\n")
	for n := len(lines) - 1; n >= 0; n-- {
		f := &Failure{Kind: kindFatal, Implicit: true}
		rest, ok := strings.CutPrefix(lines[n], "fatal error: ")
		if !ok {
			f.Kind = kindPanic
			if rest, ok = strings.CutPrefix(lines[n], "panic: "); !ok {
				continue
			}
			f.Implicit = strings.HasPrefix(rest, "runtime error: ") || strings.HasPrefix(rest, "sync: ")
		}
		f.Text = strings.TrimSpace(rest)
		found := false
		for _, block := range strings.Split(strings.Join(lines[n+1:], "\n"), "\n\n") {
			if at := strings.Index(block, "goroutine "); at > 0 && block[at-1] == '\n' {
				block = block[at:]
			}
			if !strings.HasPrefix(strings.TrimSpace(block), "goroutine ") {
				continue
			}
			inTest := strings.Contains(block, ownPath+".(*bound).step")
			if !found {
				f.Other = !inTest
			}
			if !found || inTest {
				f.Stacks = append(f.Stacks, cut(block))
			}
			found = true
		}
		if found {
			return f
		}
	}
	return nil
}

// A tail keeps the end of what a process writes, and counts data races.
type tail struct {
	mu    sync.Mutex
	kept  []byte
	races int
	race  string // the first
}

const (
	tailBytes = 512 << 10
	raceBegin = "WARNING: DATA RACE"
	raceEnd   = "==================\n"
)

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	before := max(0, len(t.kept)-len(raceBegin)+1)
	t.kept = append(t.kept, p...)
	t.races += strings.Count(string(t.kept[before:]), raceBegin)
	if t.races > 0 && t.race == "" {
		text := string(t.kept)
		if _, after, ok := strings.Cut(text, raceBegin); ok && strings.Contains(after, raceEnd) {
			t.race, _, _ = strings.Cut(after, raceEnd)
		}
	}
	if more := len(t.kept) - tailBytes; more > tailBytes {
		t.kept = slices.Delete(t.kept, 0, more)
	}
	return len(p), nil
}

func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.kept)
}

// raced returns how many data races there were, and the first.
func (t *tail) raced() (int, string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.races, t.race
}
