package stress

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	process "github.com/leadline/leadline/history/stress/worker"
)

const silence = 45 * time.Second

// grace is how long a process has to write its report when it is interrupted.
var grace = 5 * time.Second

// deadlock is the runtime's message when all goroutines of a process are blocked.
const deadlock = "fatal error: all goroutines are asleep - deadlock!"

// Supervise searches a class in a separate process, which start prepares. That process
// calls Serve. Supervise communicates through its standard streams and ignores other
// output, except the runtime's message if the process crashes.
//
// If the process exits early, or writes nothing for longer than a program can take,
// the last program counts as a crash of its method. A new process then continues with
// the other methods for the rest of the time. The same happens without a crash if too
// many goroutines of the process wait forever.
//
// When ctx is canceled, the search ends, and the report has what was found until then.
// If something else killed the process, Supervise returns an error as well as the
// report; that is not a crash.
func Supervise(ctx context.Context, start func(context.Context) *exec.Cmd, o Options) (report *Report, err error) {
	o.Effort = cmp.Or(o.Effort, DefaultEffort)
	if o.Silence == 0 {
		o.Silence = silence
	}
	s := &supervisor{job: job{Options: o, Mark: newMark(), Attached: true}, result: &Report{MethodPrograms: map[string]int{}}, context: ctx, start: start}
	begin := time.Now()
	for {
		left := s.job
		left.Effort.Time = o.Effort.Time - time.Since(begin)
		if s.methods != nil {
			left.Methods = s.methods
		}
		left.Seed += uint64(s.crashes+s.worn) << 16
		var again bool
		if again, err = s.process(ctx, start, left); err != nil && !errors.Is(err, errKilled) {
			return nil, err
		}
		over := time.Since(begin) >= o.Effort.Time && s.result.Programs+s.started > 0 || len(o.Programs) > 0 && s.crashes > 0
		if !again || ctx.Err() != nil || over {
			s.result.Clock = s.result.Clock || again && over && len(o.Programs) == 0
			break
		}
	}
	s.complete()
	s.result.Elapsed = time.Since(begin)
	return s.result, err
}

func newMark() string { return rand.Text() + " " }

// errKilled is the error for a process that was killed by something other than its
// supervisor.
var errKilled = errors.New("the process was killed")

// A supervisor runs one process after another.
type supervisor struct {
	job     job
	result  *Report
	methods []string // the targets that are left, as far as is known
	last    startingMessage
	started int
	// sequential reports whether the last program has not run in parallel yet.
	sequential bool
	overlap    float64
	settled    bool        // by the last process
	made       bool        // an object
	crowds     atomic.Bool // a process was crowded
	worn       int         // processes that ended early; see Report.Worn
	crashes    int         // of processes
	// reducing is a finding that the process makes smaller.
	reducing *Finding
	context  context.Context
	start    func(context.Context) *exec.Cmd
}

// process runs one process until it exits, and reports whether another one should
// continue.
func (s *supervisor) process(ctx context.Context, start func(context.Context) *exec.Cmd, j job) (again bool, err error) {
	text, err := json.Marshal(j)
	if err != nil {
		return false, err
	}
	alive, kill := context.WithCancel(context.WithoutCancel(ctx))
	defer kill()
	cmd := start(alive)
	process.Lead(cmd)
	var stderr head
	cmd.Stderr = &stderr
	cmd.WaitDelay = time.Second
	in, err := cmd.StdinPipe()
	if err != nil {
		return false, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return false, err
	}
	if err := cmd.Start(); err != nil {
		return false, err
	}
	defer func() { _ = process.Kill(cmd) }() // what the process has started; nothing may be left
	var heard atomic.Bool
	defer context.AfterFunc(ctx, func() {
		if _ = in.Close(); heard.Load() {
			time.AfterFunc(grace, kill) // it ends with a report
		} else {
			kill()
		}
	})()
	watchdog := time.AfterFunc(j.Silence, func() {
		if cmd.Process.Signal(syscall.SIGQUIT) != nil { // with the goroutines
			kill()
		}
		time.AfterFunc(grace, kill)
	})
	go in.Write(text) // until the process has read it all, or is gone
	stopped := false
	said := func() {
		heard.Store(true)
		limit := j.Silence
		if s.crowds.Load() {
			limit = min(limit, crowdSilence)
		}
		watchdog.Reset(limit + j.Effort.Program)
	}
	done, failure := s.follow(out, said, func() { stopped = watchdog.Stop() })
	silent := failure == nil && !done && !stopped
	if failure != nil {
		kill() // what it writes from now on is not read
	}
	_ = in.Close()
	_ = cmd.Wait() // a process without a report has failed in any case
	if s.reducing != nil {
		s.add(s.reducing)
		s.reducing = nil
	}
	switch {
	case ctx.Err() != nil && !done:
		s.interrupted()
		return false, nil
	case failure != nil && s.crashes > 0: // the time left was too short to run a program
		return false, nil
	case failure != nil:
		return false, failure
	case done:
		again = s.result.Worn && len(s.job.Programs) == 0
		if again { // others come first
			s.worn++
			if at := slices.Index(s.methods, s.last.Method); at >= 0 {
				s.methods = append(slices.Delete(s.methods, at, at+1), s.last.Method)
			}
		}
		return again, nil
	case s.settled:
		s.settled = false
		return true, nil
	case !silent && cmd.ProcessState.ExitCode() < 0: // by a signal that the runtime does not handle
		s.interrupted()
		return false, fmt.Errorf("%w: %v", errKilled, cmd.ProcessState)
	case silent && s.crowds.Load() && s.result.Programs+s.started > 0: // it may have been the turn of others
		s.worn++
		s.result.Worn, s.result.Crowded = true, true
		s.interrupted()
		return len(s.job.Programs) == 0, nil
	case s.started == 0 && silent && s.made:
		return false, fmt.Errorf("the process ran no program within %v after the constructor returned: a method or a goroutine of the object may keep the processors busy", j.Silence)
	case s.started == 0 && silent:
		return false, fmt.Errorf("the process ran no program within %v: the constructor may not return", j.Silence)
	case s.started == 0:
		return false, fmt.Errorf("the process ended before it ran a program: %s", stderr.why())
	}
	what := stderr.why()
	if silent || what == deadlock {
		what = "hangs"
	}
	s.crashed(what, stderr.stack())
	return len(s.methods) > 0, nil
}

// follow reads the messages of the process. It returns true if the last one is a
// report. It calls alive for each message, and gone at the end.
func (s *supervisor) follow(out io.Reader, alive, gone func()) (done bool, err error) {
	// The process does not wait while a violation is verified.
	lines := make(chan []byte, 1<<16)
	go func() {
		defer close(lines)
		defer gone()
		in := bufio.NewReader(out)
		for {
			line, err := markedLine(in, s.job.Mark)
			if err != nil {
				return // the process is gone
			}
			alive()
			lines <- line
		}
	}()
	defer func() {
		go func() {
			for range lines { // after an error
			}
		}()
	}()
	for line := range lines {
		var m message
		if err := json.Unmarshal(line, &m); err != nil {
			return false, fmt.Errorf("the process said %q: %w", line, err)
		}
		switch {
		case m.Error != "":
			return false, errors.New(m.Error)
		case m.Alive:
			s.made = true
		case m.Crowded:
			s.crowds.Store(true)
			alive()
		case m.Settled != nil:
			s.job.ReflectOptions, s.job.Settled, s.job.Leaves, s.settled = m.Settled.Reflect, true, m.Settled.Leaves, true
			s.result.LeftOut = m.Settled.LeftOut
		case m.Targets != nil:
			s.methods = m.Targets
		case m.Starting != nil:
			s.last, s.sequential = *m.Starting, !s.job.Schedules
			s.started++
			if s.job.Starting != nil {
				s.job.Starting(m.Starting.Method, m.Starting.Program)
			}
		case m.Parallel:
			s.sequential = false
		case m.History != "":
			if s.job.History != nil {
				s.job.History(m.History)
			}
		case m.Reducing != nil:
			s.reducing = m.Reducing
		case m.Finding != nil:
			s.reducing = nil
			s.add(m.Finding)
		case m.Crash != nil:
			s.result.Crashes = append(s.result.Crashes, *m.Crash)
			if s.job.Crashed != nil {
				s.job.Crashed(m.Crash)
			}
		case m.Report != nil:
			s.merge(m.Report)
			done = true
		}
	}
	return done, nil
}

// markedLine returns the next line that begins with the mark, without it.
func markedLine(r *bufio.Reader, mark string) ([]byte, error) {
	for {
		part, more, err := r.ReadLine()
		text, marked := bytes.CutPrefix(part, []byte(mark))
		line := slices.Clone(text)
		for more && err == nil {
			if part, more, err = r.ReadLine(); marked {
				line = append(line, part...)
			}
		}
		if marked || err != nil {
			return line, err
		}
	}
}

func (s *supervisor) add(f *Finding) {
	if !s.verify(f) {
		return
	}
	s.result.Findings = append(s.result.Findings, f)
	if f.Fault == "" {
		s.job.Guilty = append(s.job.Guilty, f.Methods)
		if f.Method != "" || !s.job.GoOn {
			s.drop(f.Method)
		}
	}
	if s.job.Found != nil {
		s.job.Found(f)
	}
}

func (s *supervisor) merge(r *Report) {
	t := s.result
	s.overlap += r.Overlap * float64(r.Recorded)
	t.Subject = r.Subject
	t.Core, t.Weak = r.Core, r.Weak
	for _, m := range r.Atomic {
		if !slices.Contains(t.Atomic, m) {
			t.Atomic = append(t.Atomic, m)
		}
	}
	t.Unexercised = append(t.Unexercised, r.Unexercised...)
	t.NonAtomic = append(t.NonAtomic, r.NonAtomic...)
	t.Unsteady = append(t.Unsteady, r.Unsteady...)
	t.Programs += r.Programs
	t.Executions += r.Executions
	t.Recorded += r.Recorded
	t.Waited += r.Waited
	t.Unclear += r.Unclear
	for m, n := range r.MethodPrograms {
		t.MethodPrograms[m] += n
	}
	t.Together += r.Together
	t.Hopeless += r.Hopeless
	t.Clock = t.Clock || r.Clock
	t.Memory = max(t.Memory, r.Memory)
	t.Worn, t.Crowded = r.Worn, t.Crowded || r.Crowded
	if r.Explored != nil {
		s.explored().add(r.Explored)
	}
}

func (s *supervisor) explored() *Explored {
	if s.result.Explored == nil {
		s.result.Explored = &Explored{}
	}
	return s.result.Explored
}

// interrupted counts the programs of a process that ends without a report.
func (s *supervisor) interrupted() {
	s.result.Programs += s.started
	s.started = 0
	if s.last.Judged > 0 {
		s.explored().Judged += s.last.Judged
		s.last.Judged = 0
	}
}

// maxCrashes is the number of crashes after which the search of a class without core
// methods ends.
const maxCrashes = 10

// crashed adds the last program to the crashes. Its method is no longer a target; without
// one, no later program calls all of its methods.
func (s *supervisor) crashed(what, stack string) {
	c := Crash{s.last.Method, s.last.Program, what, s.sequential, stack}
	if s.job.Schedules && what == "hangs" { // the scheduler knows of all else
		s.explored().Blocked = append(s.explored().Blocked, c.Program)
	} else {
		s.result.Crashes = append(s.result.Crashes, c)
		if s.job.Crashed != nil {
			s.job.Crashed(&c)
		}
	}
	s.interrupted()
	s.crashes++
	if s.job.Guilty = append(s.job.Guilty, s.last.Calls); s.last.Method != "" || !s.job.GoOn || s.crashes == maxCrashes {
		s.drop(s.last.Method)
	}
}

// drop removes a method from the targets that are left.
func (s *supervisor) drop(method string) {
	s.methods = slices.DeleteFunc(s.methods, func(m string) bool { return m == method })
}

func (s *supervisor) complete() {
	r := s.result
	for _, f := range r.Findings { // some may be of processes that ended without a report
		if f.Fault == "" && f.Method != "" && !slices.Contains(r.NonAtomic, f.Method) {
			r.NonAtomic = append(r.NonAtomic, f.Method)
		}
	}
	guilty := func(m string) bool { return slices.Contains(r.NonAtomic, m) || isIn(s.job.Guilty, m) }
	r.Atomic = slices.DeleteFunc(r.Atomic, guilty)
	slices.Sort(r.Unexercised)
	r.Unexercised = slices.DeleteFunc(slices.Compact(r.Unexercised), func(m string) bool {
		return slices.Contains(r.Atomic, m) || guilty(m) || slices.ContainsFunc(r.Crashes, func(c Crash) bool { return c.Method == m })
	})
	if r.Recorded > 0 {
		r.Overlap = s.overlap / float64(r.Recorded)
	}
}

// A head keeps the beginning of a process's stderr, the first line with the reason for
// its end, and the text after that line.
type head struct {
	text  []byte
	line  []byte // the last one so far, or the beginning of it
	last  []byte // the line about the end
	after []byte
}

const (
	headBytes  = 4096
	afterBytes = 1 << 18
)

func (h *head) Write(p []byte) (int, error) {
	if room := headBytes - len(h.text); room > 0 {
		h.text = append(h.text, p[:min(room, len(p))]...)
	}
	rest := p
	for len(rest) > 0 && h.last == nil {
		part, after, ended := bytes.Cut(rest, []byte("\n"))
		if room := headBytes - len(h.line); room > 0 {
			h.line = append(h.line, part[:min(room, len(part))]...)
		}
		if rest = after; !ended {
			break
		}
		if isEnd(h.line) {
			h.last = h.line
		}
		h.line = nil
	}
	if h.last != nil {
		h.after = append(h.after, rest[:max(0, min(len(rest), afterBytes-len(h.after)))]...)
	}
	return len(p), nil
}

// mostStacks is the maximum number of goroutines that a crash shows.
const mostStacks = 8

// stack returns the first goroutine after the end, and those in calls of objects.
// It leaves out the frames of this package.
func (h *head) stack() string {
	const ours = "github.com/leadline/leadline/history/stress."
	var list []string
	for text := range strings.SplitSeq(string(h.after), "\n\n") {
		text = strings.TrimSpace(text)
		if !strings.HasPrefix(text, "goroutine ") || strings.Contains(text, "\nos/signal.") || len(list) == mostStacks {
			continue
		}
		object, _, called := strings.Cut(text, "\n"+ours)
		if called = called && strings.Contains(text, ours+"(*step).run"); !called && len(list) > 0 {
			continue
		}
		if called {
			text = object
		}
		list = append(list, text)
	}
	return strings.Join(list, "\n\n")
}

// isEnd reports whether line is one that the runtime writes when it ends a process.
func isEnd(line []byte) bool {
	return slices.ContainsFunc([]string{"panic: ", "fatal error: ", "runtime: ", "SIG"}, func(begin string) bool {
		return bytes.HasPrefix(line, []byte(begin))
	})
}

// why returns the line about the end, or else the first line.
func (h *head) why() string {
	if h.last != nil {
		return string(h.last)
	}
	line, _, _ := strings.Cut(strings.TrimSpace(string(h.text)), "\n")
	if line == "" {
		return "ended without a word"
	}
	return line
}
